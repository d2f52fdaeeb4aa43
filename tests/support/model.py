"""A small model of what people did to jobs and remote, and what must therefore be true of both."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import connection

from publisher.artifacts import sha256_of
from publisher.domain.states import TERMINAL, State
from publisher.models import Job
from tests.support import invariants
from tests.support.git import git


@dataclass
class Told:
    """What people asked of one job: its bytes by revision, which of them got a yes, and its end."""

    path: str
    texts: dict[int, bytes]
    approved: set[int] = field(default_factory=set)
    ended: State | None = None


@dataclass
class Model:
    """People's acts; ``theirs`` are others' commits on the branch, ``erased`` jobs lost theirs by force."""

    remote: Path
    jobs: dict[str, Told] = field(default_factory=dict)
    theirs: list[str] = field(default_factory=list)
    erased: set[str] = field(default_factory=set)

    def branch(self) -> list[str]:
        """The commits of the branch, newest first."""
        return git(self.remote, "rev-list", "refs/heads/main").decode().split()

    def wrong(self) -> list[str]:
        """Every promise that does not hold now."""
        facts = self.facts()
        found = [
            text
            for text in invariants.broken(facts, before=tuple(self.theirs))
            if not self._is_excused(text)
        ]
        for row in Job.objects.select_related("site"):
            if row.pk in self.jobs:
                commits = facts.published_by(row.pk)
                wrong = self._job(row, facts, commits)
                found += [f"{row.pk} is {row.state}: {text}" for text in wrong]
        return found

    def unsettled(self, now: Any) -> list[str]:
        """I2 once nothing more happens: no job that nobody is going to look at."""
        rows = Job.objects.exclude(state__in=[state.value for state in TERMINAL])
        return [f"I2: {row.pk} is due in {row.state}" for row in rows
                if row.state in _WORKERS and row.available_at <= now]  # fmt: skip

    def forced_away(self, gone: list[str]) -> None:
        """Somebody rewrote the branch: these commits are on it no more."""
        self.theirs = [commit for commit in self.theirs if commit not in gone]
        self.erased |= {
            one["trailers"]["Blog-Job-Id"]
            for one in self._history(gone)
            if "Blog-Job-Id" in one["trailers"]
        }

    def _history(self, commits: list[str]) -> Iterator[invariants.Row]:
        for row in invariants._history(self.remote):
            if row["commit"] in commits:
                yield row

    def facts(self) -> invariants.Facts:
        """All rows as this transaction sees them, and the remote's history."""
        commits = list(invariants._history(self.remote))
        facts = invariants.Facts(self.remote, "main", commits, tables=_tables())
        for table, column in (
            ("events", "facts"),
            ("approvals", "parts"),
            ("approvals", "envelope"),
        ):
            for row in facts.tables[table]:
                row[column] = invariants._decoded(row[column])
        return facts

    def _is_excused(self, text: str) -> bool:
        """The clock of a history is its own; and what was forced away is rightly missing."""
        if ": I2: it" in text:
            return True
        is_missing = "I3: the remote does not hold the one commit" in text
        return is_missing and any(job in text for job in self.erased)

    def _job(
        self, row: Job, facts: invariants.Facts, commits: list[invariants.Row]
    ) -> Iterator[str]:
        told = self.jobs[row.pk]
        if told.ended is not None and row.state != told.ended:
            yield f"people ended it as {told.ended}"
        if told.ended is not None and commits and row.pk not in self.erased:
            yield "people ended it, and yet it was published"
        if row.state == State.CANCELLED and told.ended is None:
            yield "nobody cancelled it"
        for commit in commits:
            yield from self._commit(told, commit, facts.of("approvals", row.pk))

    def _commit(
        self, told: Told, commit: invariants.Row, approvals: list[invariants.Row]
    ) -> Iterator[str]:
        """The bytes had a yes, and stand on what people saw when they gave it (no lost change)."""
        if self._blob(commit["commit"], told.path) not in [
            told.texts[number] for number in told.approved
        ]:
            yield f"I4: {commit['commit']} holds bytes that nobody approved"
        before = self._blob(f"{commit['commit']}~1", told.path)
        named = f"sha256:{commit['trailers'].get('Blog-Approval')}"
        bases = [
            entry["base_sha256"]
            for row in approvals
            if row["binding_hash"] == named
            for entry in row["envelope"]["target"]["paths"]
            if entry["path"] == told.path
        ]
        if (None if before is None else sha256_of(before)) not in bases:
            yield f"{commit['commit']} overwrites what its approval never saw"

    def _blob(self, commit: str, path: str) -> bytes | None:
        if not git(self.remote, "ls-tree", commit, "--", path):
            return None
        return git(self.remote, "cat-file", "blob", f"{commit}:{path}")


_WORKERS = {state.value for state in State} - {
    state.value
    for state in (
        *TERMINAL, State.WAITING_APPROVAL, State.REVIEW, State.CONFLICT, State.RECONCILING,
    )
}  # fmt: skip


def _tables() -> dict[str, list[invariants.Row]]:
    """All rows as this transaction sees them, in plain SQL."""
    return {name: _rows(table) for name, table in invariants._TABLES.items()}


def _rows(table: str) -> list[invariants.Row]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table}")
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
