"""``manage.py open-topic``: a session's topic goes on."""

from typing import Any

from publisher.management.topics import TopicCommand, cursor_facts
from publisher.services import topics


class Command(TopicCommand):
    """Prints {session, open, close_revision}."""

    help = "Open a session's topic, so that closing it makes a new job. --source is not needed."

    def handle(self, *args: Any, **options: Any) -> None:
        """Open, and print where the session stands."""
        with self.refusals():
            self.asking(options)
            cursor = topics.open_topic(
                options["site"], options["session"], scope=None, now=self.now()
            )
        line = f"The topic {cursor.session} is open; closes so far: {cursor.close_revision}."
        self.show(options, cursor_facts(cursor), line)
