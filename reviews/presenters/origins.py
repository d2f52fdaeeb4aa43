"""Origins: where a job came from, what it takes back, and by which job it was taken back."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from publisher.domain.states import State
from reviews.presenters import words
from reviews.presenters.envelope import short


@dataclass(frozen=True, slots=True)
class Origin:
    """One sentence, with the job that it is about, if any, and that job's commit."""

    sentence: str
    icon: str
    tone: str = ""
    job_id: str = ""
    commit: str = ""

    @property
    def short_commit(self) -> str:
        """The first digits of the commit."""
        return short(self.commit)


def present(job: Any, first: Mapping[str, Any], reverts: Iterable[Any]) -> list[Origin]:
    """What is to be said above a job; ``first`` holds the facts of its first event.

    ``reverts`` are the open jobs that are to take it back, and the one that did.
    """
    found = []
    if first.get("topic_session"):
        text = _("It was made when the topic %(session)s was closed (close number %(n)s).")
        values = {"session": first["topic_session"], "n": first.get("topic_close", 1)}
        found.append(Origin(text % values, "inbox"))
    if job.compensates is not None:
        found.append(_takes_back(job))
    return found + [_taken_back(one) for one in reverts]


def _takes_back(job: Any) -> Origin:
    published = job.compensates
    sentences = {
        "create": _("It takes back a new article: %(path)s is removed again."),
        "update": _("It takes back a change: %(path)s gets the text that it had before."),
        "delete": _("It takes back a deletion: %(path)s comes back as it was."),
    }
    text = sentences.get(published.operation, sentences["update"])
    values = {"path": published.target_path}
    return Origin(text % values, "retry", "warn", published.pk, published.remote_commit)


def _taken_back(revert: Any) -> Origin:
    if revert.state == State.PUBLISHED.value:
        text = _("It was taken back later; it stays published in the history.")
        return Origin(text, "retry", "warn", revert.pk, revert.remote_commit)
    text = _("Somebody asked to take it back. That job is: %(state)s.")
    values = {"state": words.label(revert.state).word}
    return Origin(text % values, "retry", "", revert.pk)
