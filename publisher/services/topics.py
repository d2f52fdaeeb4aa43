"""topics: a session's topic is opened and closed; each close is one job, however often it is told."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from publisher import selectors
from publisher.domain.errors import InvalidInput, KeyReused
from publisher.domain.keys import trigger_key
from publisher.domain.secrets import scrub_line
from publisher.journal import Who
from publisher.models import Job, Site, TopicCursor
from publisher.services import keyed
from publisher.services.requests import SubmitRequest, request_hashes
from publisher.services.submit import check, submit
from publisher.services.texts import check_readable

SESSION_CHARACTERS = 200
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Closed:
    """The job of a close, whether this call made it, and where the session stands."""

    job: Job
    created: bool
    cursor: TopicCursor


class _Overtaken(Exception):
    """Somebody else closed the topic between the look and the write."""


def open_topic(site: str, session: str, *, scope: str | None, now: datetime) -> TopicCursor:
    """Let a session's topic go on, so that its next close makes a new job; open stays open."""
    cursor = _cursor(_site(site, scope), session, now)
    if not cursor.is_open:
        shut = TopicCursor.objects.filter(pk=cursor.pk, is_open=False)
        shut.update(is_open=True, updated_at=now)
        cursor.refresh_from_db()
    return cursor


def close_topic(
    request: SubmitRequest, session: str, *, who: Who, scope: str | None, now: datetime
) -> Closed:
    """The job of a topic's end: a new one when the topic is open, else the one made before.

    A topic that nobody opened counts as open. A repeated close may leave the text out; with
    another text it raises KeyReused, because that text would be lost. ``request`` has no key.
    """
    site = _site(request.site, scope)
    for _ in range(_TRIES):
        cursor = _known(site, _digests(session))
        if cursor is not None and not cursor.is_open:
            return _closed_before(cursor, request)
        if not request.sources:
            raise InvalidInput("source", "Give the text of the topic: a draft is made from it.")
        check(request, scope=scope, now=now)
        cursor = _cursor(site, session, now)
        try:
            return _close(cursor, request, who=who, scope=scope, now=now)
        except _Overtaken:
            continue
    raise KeyReused("This topic is opened and closed by others all the time. Try again.")


def _close(
    cursor: TopicCursor, request: SubmitRequest, *, who: Who, scope: str | None, now: datetime
) -> Closed:
    number = cursor.close_revision + 1

    def raise_cursor() -> Mapping[str, Any]:
        open_one = TopicCursor.objects.filter(
            pk=cursor.pk, is_open=True, close_revision=cursor.close_revision
        )
        if not open_one.update(is_open=False, close_revision=number, updated_at=now):
            raise _Overtaken
        return {"topic_session": cursor.session, "topic_close": number}

    keyed = replace(request, key=_key(cursor, number))
    done = submit(keyed, who=who, scope=scope, now=now, alongside=raise_cursor, is_own_key=True)
    cursor.refresh_from_db()
    return Closed(done.job, done.created, cursor)


def _closed_before(cursor: TopicCursor, request: SubmitRequest) -> Closed:
    job = _job_of_last_close(cursor)
    if request.sources and job.request_hash not in request_hashes(request):
        raise KeyReused(
            "This topic was closed before, with another text. Open it again to close it anew.",
            job_id=job.pk,
        )
    return Closed(job, False, cursor)


def _job_of_last_close(cursor: TopicCursor) -> Job:
    key = _key(cursor, cursor.close_revision)
    jobs = Job.objects.select_related("site").filter(site=cursor.site)
    made = jobs.filter(key_digest__in=keyed.digests(key, is_own=True)).first()
    # Earlier releases gave it the digest of a client's key. Where they closed, nobody else has that.
    return made or jobs.get(key_digest__in=keyed.digests(key))


def _site(name: str, scope: str | None) -> Site:
    return selectors.site(name, scopes=None if scope is None else [scope])


def _known(site: Site, digests: list[str]) -> TopicCursor | None:
    cursors = TopicCursor.objects.select_related("site")
    return cursors.filter(site=site, session_digest__in=digests).first()


def _cursor(site: Site, session: str, now: datetime) -> TopicCursor:
    digests = _digests(session)
    if known := _known(site, digests):
        return known
    cursor, _ = TopicCursor.objects.select_related("site").get_or_create(
        site=site,
        session_digest=digests[0],
        defaults={
            "session": scrub_line(session, limit=SESSION_CHARACTERS),
            "updated_at": now,
        },
    )
    return cursor


def _digests(session: str) -> list[str]:
    """Tell sessions apart, secrets in their names included, and keep none of them."""
    if not session.strip():
        raise InvalidInput("session", "Name the session whose topic this is.")
    check_readable(session, field="session")
    if len(session) > SESSION_CHARACTERS:
        raise InvalidInput(
            "session",
            f"The session's name is longer than {SESSION_CHARACTERS} characters. Shorten it.",
        )
    return keyed.digests(session)


def _key(cursor: TopicCursor, number: int) -> str:
    """Session and close make the key, so it is the same after any restart."""
    trigger = f"topic:{cursor.session_digest}"
    return trigger_key(site=cursor.site.name, trigger=trigger, occurrence=number)
