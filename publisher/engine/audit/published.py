"""Published: what the remotes' own histories say of our jobs, read again.

A commit's id is the hash of all that it holds. So a history that holds the commit whose bytes were
compared when the job became PUBLISHED, and which its chained events name, holds those bytes; on demand
they are read and compared once more.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from django.db.models import F, Max

from publisher import envelopes, nodes
from publisher.domain.envelope import without_credentials
from publisher.domain.errors import ImprimaturError, RepositoryError
from publisher.domain.states import Event, State
from publisher.domain.trailers import value, values
from publisher.engine import confirm, effects, holders
from publisher.engine.audit.breach import Breach, unreadable
from publisher.models import Effect, Job, JobEvent, Site
from publisher.models.site import CloneState
from publisher.ports import CommitFacts, Ports, Repository
from publisher.selectors_restored import was_recorded
from publisher.spoiled import each, whole

BATCH = 1000
_HEX = re.compile(r"(?:[0-9a-f]{2})+")
_SEEN = (Event.CONFIRM.value, Event.RESTORE.value)
_DONE = (State.PUBLISHED.value, State.EFFECT_CONFIRMED.value)
_GIVEN_UP = (State.CANCELLED.value, State.REJECTED.value)
_SITE = {
    "site_removed": F("site__removed_at"),
    "site_remote": F("site__remote"),
    "site_branch": F("site__branch"),
}
_COLUMNS = ("pk", "site_id", "state", "remote_commit", "manifest_hash", "binding_hash")


def check_site(site: Site, ports: Ports, *, deep: bool = False) -> Iterator[Breach]:
    """Fetch, then compare every commit that carries a job id with what the database says."""
    if not site.branch:
        message = "It was never connected, so nobody knows which branch to look at."
        yield Breach("remote_unreadable", site.name, message)
        return
    repository = ports.repository(site.spec, lambda: False)
    try:
        try:
            if site.clone_state != CloneState.READY.value:
                repository.ensure_clone()  # gone with a restore, half made, or failed the last time
            newest = JobEvent.objects.aggregate(newest=Max("pk"))["newest"] or 0
            tip = repository.fetch()
            if site.root_commit and repository.root(tip) != site.root_commit:
                message = "The remote holds another repository than the one that was connected."
                yield Breach("remote_replaced", site.name, message)
            found = _Comparison(site, repository, deep=deep)
            repository.each_commit(tip, found.see)
            found.compare()
        except (RepositoryError, OSError) as error:
            yield Breach("remote_unreadable", site.name, str(error))
            return
        yield from found.breaches
        yield from found.missing(newest)
    finally:
        repository.close()


class _Comparison:
    """Takes a history commit by commit and compares ours in batches; keeps ids alone."""

    def __init__(self, site: Site, repository: Repository, *, deep: bool) -> None:
        self.breaches: list[Breach] = []
        self._site = site
        self._repository = repository
        self._deep = deep
        self._key = f"{site.trailer_prefix}-Job-Id"
        self._batch: list[CommitFacts] = []
        self._times: Counter[str] = Counter()
        self._proved: set[str] = set()
        self._commits: set[bytes] = set()
        self._restored = nodes.restored_at()

    def see(self, facts: CommitFacts) -> None:
        """One commit of the remote's branch."""
        self._commits.add(bytes.fromhex(facts.commit))
        if values(facts.trailers, self._key):
            self._batch.append(facts)
            if len(self._batch) == BATCH:
                self.compare()

    def compare(self) -> None:
        """What was seen since the last time, with the jobs that it names."""
        named = [(facts, value(facts.trailers, self._key) or "") for facts in self._batch]
        self._batch = []
        ids = {job_id for _, job_id in named}
        # Before the rows: a write that is closed by now has left its job PUBLISHED when these are read.
        awaited = _announced(ids, status__in=effects.OPEN)
        asked = Job.objects.filter(pk__in=ids).annotate(**_SITE)
        rows: dict[str, Any] = {
            row.pk: row for row in asked.values_list(*_COLUMNS, *_SITE, named=True)
        }
        known = _announced(rows)
        proofs = []
        for facts, job_id in named:
            row = rows.get(job_id)
            if row and row.site_id != self._site.pk:
                if self._is_of_another_site(row, facts.commit):
                    continue
                row = None
            self._times[job_id] += 1
            if job_id and self._times[job_id] == 2:
                self._tell("second_commit", job_id, "Two commits carry this job's id.")
            if row and row.state in _DONE and row.remote_commit == facts.commit:
                proofs.append(facts)
                self._proved.add(job_id)
                check = partial(check_trailers, self._site, row, facts, known[job_id])
                self.breaches += whole(job_id, check, unreadable("publisher_job"))
            else:
                self._compare_other(facts, job_id, row, awaited[job_id])
        if self._deep:
            self._read_again(proofs)

    def _is_of_another_site(self, row: Any, commit: str) -> bool:
        """The very commit that another site's job made, or one that its own site's pass reads."""
        place = _place(row.site_remote, row.site_branch)
        return row.remote_commit == commit or (
            row.site_removed is None and place == _place(self._site.remote, self._site.branch)
        )

    def _compare_other(self, facts: CommitFacts, job_id: str, row: Any, awaited: list[str]) -> None:
        """A commit that is no job's proof; ``awaited``: the manifests of the job's open writes."""
        if row is None:
            message = f"Commit {facts.commit[:12]} names a job that is not in the database."
            self._tell("unknown_commit", job_id or facts.commit, message)
        elif row.state in _DONE:
            message = f"Commit {facts.commit[:12]} carries its id and is not the one it made."
            self._tell("forged_commit", job_id, message)
        elif not self._is_awaited(facts, row, awaited):
            message = (
                f"Commit {facts.commit[:12]} carries its id. It is {row.state}, and no write of it "
                "is open that could be this one."
            )
            self._tell("commit_unpublished", job_id, message)

    def _is_awaited(self, facts: CommitFacts, row: Any, awaited: list[str]) -> bool:
        """Whether an open write could be this commit, or a restored database may have forgotten it.

        A job from a backup is looked for before anything is sent; what is found there confirms it,
        is the reason why nothing is to be published any more, or stands in its review.
        """
        claimed = value(facts.trailers, f"{self._site.trailer_prefix}-Manifest-Sha256")
        if f"sha256:{claimed}" in awaited:
            return True
        if self._restored is None or row.state in _GIVEN_UP:
            return False
        # Compared where it is stored: one time that no program can read would spoil the whole batch.
        return Job.objects.filter(pk=row.pk, created_at__lte=self._restored).exists()

    def _read_again(self, proofs: list[CommitFacts]) -> None:
        changed = self._repository.changed_paths([facts.commit for facts in proofs])
        commits = {value(facts.trailers, self._key): facts.commit for facts in proofs}

        def check(job: Job) -> Iterator[Breach]:
            commit = commits[job.pk]
            yield from check_bytes(self._repository, job, commit, changed[commit])

        rows = Job.objects.filter(pk__in=list(commits)).order_by("pk")
        self.breaches += each(rows, check, unreadable("publisher_job"))

    def missing(self, newest: int) -> Iterator[Breach]:
        """PUBLISHED jobs whose commit the history does not hold, of those that ``newest`` knew.

        ``newest`` is the last event from before the fetch. What a later one confirms was pushed
        meanwhile, so that this history tells nothing of it.
        """
        rows = Job.objects.filter(site=self._site, state=State.PUBLISHED.value)
        left: Counter[str] = Counter()
        for job_id in rows.values_list("pk", flat=True).order_by("pk").iterator(chunk_size=BATCH):
            if job_id not in self._proved:
                check = partial(self._missing, job_id, newest, left)
                yield from whole(job_id, check, unreadable("publisher_job"))
        for branch, count in sorted(left.items()):
            message = (
                f"Published on the branch {branch}, which the site does not follow any more, and not "
                f"checked: {count}."
            )
            yield Breach("branch_unchecked", self._site.name, message)

    def _missing(self, job_id: str, newest: int, left: Counter[str]) -> Iterator[Breach]:
        """Unless the site followed another branch then, of which ``left`` counts the jobs.

        Where the tip that once proved it is gone as well, somebody rewrote the branch.
        """
        if before := holders.branch_before(self._site, job_id):
            left[before] += 1
            return
        seen = JobEvent.objects.filter(job=job_id, event__in=_SEEN).order_by("-seq")
        number, facts = seen.values_list("pk", "facts").first() or (0, {})
        if number > newest:
            return
        tip = str((facts.get("tip") if isinstance(facts, dict) else "") or "")
        if _HEX.fullmatch(tip) and bytes.fromhex(tip) not in self._commits:
            message = "The branch was rewritten after it was published, and its commit is gone."
            yield Breach("history_rewritten", job_id, message)
            return
        yield Breach("not_on_remote", job_id, "The remote's history does not hold its commit.")

    def _tell(self, rule: str, job_id: str, message: str) -> None:
        self.breaches.append(Breach(rule, job_id, message))


def _announced(job_ids: Iterable[str], **narrowed: Any) -> dict[str, list[str]]:
    """The manifests that each job's intents named."""
    found: dict[str, list[str]] = defaultdict(list)
    intents = Effect.objects.filter(job__in=list(job_ids), **narrowed)
    for job_id, manifest in intents.values_list("job_id", "manifest_hash"):
        found[job_id].append(manifest)
    return found


def _place(remote: str, branch: str) -> tuple[str, str]:
    return without_credentials(remote).rstrip("/"), branch


def check_job(repository: Repository, job: Job, found: list[CommitFacts]) -> Iterator[Breach]:
    """PUBLISHED is proved by a commit in the remote's history with both trailers and the bytes."""
    proved = [facts for facts in found if facts.commit == job.remote_commit]
    if not proved:
        yield Breach("not_on_remote", job.pk, "The remote's history does not hold its commit.")
        return
    commit = proved[0].commit
    yield from check_trailers(job.site, job, proved[0], _announced([job.pk])[job.pk])
    yield from check_bytes(repository, job, commit, repository.changed_paths([commit])[commit])


def check_trailers(site: Site, job: Any, facts: CommitFacts, known: list[str]) -> Iterator[Breach]:
    """What the commit that counts as a job's proof says of itself; ``job`` is its row or some columns."""
    claimed = value(facts.trailers, f"{site.trailer_prefix}-Manifest-Sha256")
    if f"sha256:{claimed}" not in {*known, job.manifest_hash}:
        message = "The published commit's manifest trailer is not one of ours."
        yield Breach("manifest_differs", job.pk, message)
    named = value(facts.trailers, f"{site.trailer_prefix}-Approval")
    if not (
        f"sha256:{named}" == job.binding_hash
        or was_recorded(job.pk, facts.commit)
        or _was_sent(job.pk, facts.commit, manifest=f"sha256:{claimed}", approval=f"sha256:{named}")
    ):
        yield Breach("approval_differs", job.pk, "The commit names another approval.")


def _was_sent(job_id: str, commit: str, *, manifest: str, approval: str) -> bool:
    """Whether these were announced together, before people were asked about the same bytes again.

    An older release announced no approval, but the very commit that names it.
    """
    told = JobEvent.objects.filter(job=job_id, event__in=confirm.INTENTS)
    return any(
        facts.get("manifest") == manifest
        and (
            facts["binding_hash"] == approval
            if "binding_hash" in facts
            else facts.get("commit") == commit
        )
        for facts in told.values_list("facts", flat=True)
        if isinstance(facts, dict)
    )


def check_bytes(
    repository: Repository, job: Job, commit: str, changed: set[str]
) -> Iterator[Breach]:
    """The manifest's bytes in the commit that counts as a job's proof, and no other path (invariant I6)."""
    try:
        manifest = envelopes.manifest_of(job)
        if why := confirm.differing(repository, commit, manifest):
            message = f"The published commit is not ours: {why}."
            yield Breach("bytes_differ", job.pk, message)
        if extra := confirm.beside(changed, manifest):
            yield Breach("foreign_paths", job.pk, f"The commit also changes {extra}.")
    except ImprimaturError as error:
        yield Breach(error.code, job.pk, error.message)
    except OSError as error:
        message = f"What it published cannot be read: {error.strerror or error}."
        yield Breach("artifact_damaged", job.pk, message)
