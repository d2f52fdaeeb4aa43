"""A job's whole way on a real remote: connect a site, submit, let the engine work, decide, read back."""

import itertools
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.db import connection

from publisher import artifacts, envelopes, selectors, wiring
from publisher.adapters.git.locks import FileLocks
from publisher.adapters.git.repository import GitRepository
from publisher.adapters.git.runner import Deadlines
from publisher.domain.states import Actor, State
from publisher.domain.trailers import bare_hex, values
from publisher.engine import outbox
from publisher.engine.audit import verify
from publisher.engine.foreground import Foreground
from publisher.journal import Lease, Who
from publisher.leases import Delivery
from publisher.models import Effect, Job, JobEvent, Site
from publisher.ports import CommitFacts, Ports, Repository, SiteSpec
from publisher.services import sites
from publisher.services.submit import SubmitRequest, submit
from reviews.models import Approval
from reviews.services.decisions import Outcome, decide
from tests.support import people
from tests.support.git import git, head, make_remote

ADA = Who(Actor.SUBMITTER, "ada")
OMAR = Who(Actor.OPERATOR, "omar")
TARGET = "content/posts/target.mdx"
FRESH = "content/posts/fresh.mdx"
HELLO = (
    b'---\ntitle: "Hello"\ndate: 2026-01-01\n---\n\nFirst line.\n\nSecond line.\n\nThird line.\n'
)
FRESH_TEXT = b'---\ntitle: "Fresh"\n---\n\nBody.\n'
SEED: Mapping[str, bytes] = {
    TARGET: HELLO,
    "content/posts/other.mdx": b'---\ntitle: "Other"\n---\n\nUnrelated post.\n',
    "public/fonts/subset.woff2": b"\x00\x01wOF2base\xff\xfe",
    "README.md": b"# demo site\n",
}
ROUNDS = 40
"""More than any job needs; going on longer is an endless loop."""

_requests = itertools.count(1)


class Calm:
    """A heartbeat that is never lost."""

    lost = False

    def also(self, _lease: Lease) -> "Calm":
        """As calm about others."""
        return self


def calm(_lease: Lease | Delivery) -> AbstractContextManager[Calm]:
    """No thread: these jobs are over long before a lease ends."""
    return nullcontext(Calm())


class Lost:
    """A heartbeat whose lease ran out at once."""

    lost = True

    def also(self, _lease: Lease) -> "Lost":
        """Others' as well."""
        return self


def lost(_lease: Lease | Delivery) -> AbstractContextManager[Lost]:
    """Whatever is claimed is lost."""
    return nullcontext(Lost())


@dataclass
class Journey:
    """One site on one remote, with its people and an engine of its own."""

    folder: Path
    remote: Path
    ports: Ports
    site: Site

    def submit(self, content: bytes | None = None, path: str | None = None, **fields: Any) -> Job:
        """Ada hands something in."""
        request = SubmitRequest(self.site.name, content=content, target_path=path, **fields)
        return submit(request, who=ADA, scope="default", now=self.now()).job

    def now(self) -> Any:
        """The database's time."""
        return self.ports.clock.now()

    def engine(self) -> Foreground:
        """The engine of this process."""
        return Foreground(self.ports, "test:1", "test/one", calm, 90)

    def deliver(self) -> None:
        """The outbox's due messages, once."""
        outbox.deliver_due(self.ports, owner="test:1", heartbeat=calm, lease_seconds=90)

    def work(self) -> None:
        """Until nothing more can be done now; what waits for a time stays waiting."""
        engine = self.engine()
        for _ in range(ROUNDS):
            if not engine.once():
                return
        raise AssertionError("The engine goes on and on.")

    def hurry(self, job: Job, *, ago: timedelta = timedelta(seconds=1)) -> None:
        """Let a waiting job's time come, and work."""
        Job.objects.filter(pk=job.pk).update(available_at=self.now() - ago)
        self.work()

    def approve(self, job: Job, *, name: str = "rui", reviewed_hash: str = "") -> Outcome:
        """Somebody says yes to what is asked now, and knows what no page can show."""
        request = Approval.objects.select_related("job__site").filter(job=job).latest("pk")
        return decide(
            request,
            caller=people.caller(name),
            decision="approve",
            reviewed_hash=reviewed_hash or request.binding_hash,
            request_id=f"request-{next(_requests)}",
            acknowledged=[part["id"] for part in request.parts if not part["is_showable"]],
            now=self.now(),
        )

    def approved(self, content: bytes | None = None, path: str | None = None, **more: Any) -> Job:
        """A job that was prepared and approved, and not yet looked at by the engine since."""
        job = self.submit(content, path, **more)
        self.work()
        assert fresh(job).state == State.WAITING_APPROVAL, told(job)
        self.approve(job)
        return fresh(job)

    def published(self, content: bytes | None = None, path: str | None = None, **more: Any) -> Job:
        """A job on its whole way."""
        job = self.approved(content, path, **more)
        self.work()
        assert fresh(job).state == State.PUBLISHED, told(job)
        return fresh(job)

    def repository(self) -> Repository:
        """The site's clone; close it."""
        return self.ports.repository(self.site.spec, wiring.never)

    def history(self) -> list[CommitFacts]:
        """Every commit of the remote's branch, newest first."""
        repository = self.repository()
        try:
            return repository.commits(None, repository.fetch())
        finally:
            repository.close()

    def commits_of(self, job: Job) -> list[CommitFacts]:
        """The remote's commits with this job's id as a real trailer."""
        key = f"{self.site.trailer_prefix}-Job-Id"
        return [facts for facts in self.history() if job.pk in values(facts.trailers, key)]

    def head(self) -> str:
        """The remote's tip."""
        return head(self.remote, self.site.branch)

    def is_sound(self, *jobs: Job) -> None:
        """What must hold after every case, whatever happened in it."""
        for job in jobs:
            _is_told(fresh(job))
            assert len(self.commits_of(job)) <= 1
            if fresh(job).state == State.PUBLISHED:
                self._holds_the_manifest(fresh(job))
        found = verify.verify(self.ports, deep=True)
        assert found == [], found

    def _holds_the_manifest(self, job: Job) -> None:
        (facts,) = self.commits_of(job)
        assert facts.commit == job.remote_commit
        assert (f"{self.site.trailer_prefix}-Manifest-Sha256", bare_hex(job.manifest_hash)) in (
            facts.trailers
        )
        for entry in envelopes.manifest_of(job).entries:
            if entry.sha256:
                data = git(self.remote, "cat-file", "blob", f"{facts.commit}:{entry.path}")
                assert artifacts.sha256_of(data) == entry.sha256


def _is_told(job: Job) -> None:
    """Exactly one known state, reached by moves that follow each other."""
    events = selectors.events(job)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    moves = [event for event in events if event.target]
    for before, after in itertools.pairwise(moves):
        assert after.source == before.target
    assert State(job.state).value == moves[-1].target


def begin(
    folder: Path,
    files: Mapping[str, bytes] = SEED,
    *,
    branch: str = "main",
    prepare_remote: Callable[[Path], None] | None = None,
    **settings: Any,
) -> Journey:
    """A remote with these files, everybody, and a site whose clone is ready."""
    remote = make_remote(folder / "remote.git", files, branch)
    if prepare_remote is not None:
        prepare_remote(remote)
    people.everybody()
    ports = ports_in(folder)
    site = sites.add(
        name="magazine", remote=str(remote), scope="default", now=ports.clock.now(), **settings
    )
    journey = Journey(folder, remote, ports, site)
    journey.work()
    site.refresh_from_db()
    return journey


def ports_in(folder: Path, deadlines: Deadlines | None = None) -> Ports:
    """The real ports, with clones and locks in a folder of the test's own."""

    def repository(spec: SiteSpec, cancelled: Callable[[], bool]) -> Repository:
        return GitRepository(
            spec,
            root=folder / "git",
            protocols=("file",),
            cancelled=cancelled,
            deadlines=deadlines,
        )

    # A test's own transaction does not count; whatever the product opens inside it does.
    outside = len(connection.savepoint_ids)
    locks = FileLocks(
        folder / "locks", in_database_transaction=lambda: len(connection.savepoint_ids) > outside
    )
    return replace(wiring.ports(), repository=repository, locks=locks)


def fresh(job: Job) -> Job:
    """The row as it is now."""
    return selectors.job(job.pk, scopes=None)


def told(job: Job) -> str:
    """The job's history in words, for a failing assertion."""
    row = fresh(job)
    lines = [f"{event.event}: {event.reason}" for event in selectors.events(row)]
    return f"{row.state} {row.failure_code} {row.failure_message}\n" + "\n".join(lines)


def effect(job: Job) -> Effect:
    """The one outside write of a job."""
    return Effect.objects.get(job=job)


def event(job: Job, name: str) -> JobEvent:
    """The one event of this name."""
    return JobEvent.objects.get(job=job, event=name)
