"""Hints as the supervisor sees them: do any wait, send a heartbeat, free those of a dead cluster."""

import uuid

from django.db import DatabaseError
from django.db.models import Max
from django.utils import timezone
from django_q.brokers import get_broker
from django_q.conf import Conf
from django_q.models import OrmQ
from django_q.tasks import async_task
from redis.exceptions import RedisError

from publisher.processes.pulse import QUIET_SECONDS, REPEAT_SECONDS


class HintsUnavailable(Exception):
    """The database or Redis does not answer; whether the cluster lives cannot be told now."""


class Hints:
    """The queue from outside."""

    def __init__(self, heartbeat: str) -> None:
        self._heartbeat = heartbeat
        self._newest = 0
        # Redis forgets a hint when it hands it out, so there only heartbeats can show a hang.
        self.quiet_seconds = QUIET_SECONDS if Conf.ORM else REPEAT_SECONDS

    def wait(self) -> bool:
        """Tell whether hints lie there untaken, or came since the last look."""
        try:
            if not Conf.ORM:
                return bool(get_broker().queue_size())
            newest = self._read_newest()
            came = newest > self._newest
            self._newest = newest
            return came or OrmQ.objects.filter(lock__lte=timezone.now()).exists()
        except (DatabaseError, RedisError) as error:
            raise HintsUnavailable from error

    def beat(self) -> None:
        """Send a heartbeat through the whole cluster."""
        mark = uuid.uuid4().hex
        try:
            async_task(self._heartbeat, mark, task_name=f"heartbeat {mark[:8]}")
            self._newest = self._read_newest() if Conf.ORM else 0
        except (DatabaseError, RedisError) as error:
            raise HintsUnavailable from error

    def free(self) -> None:
        """Make the hints that a dead cluster held due again; two of one hint do no harm."""
        if not Conf.ORM:
            return
        now = timezone.now()
        try:
            OrmQ.objects.filter(lock__gt=now).update(lock=now)
        except DatabaseError as error:
            raise HintsUnavailable from error

    def _read_newest(self) -> int:
        return int(OrmQ.objects.aggregate(newest=Max("id"))["newest"] or 0)
