"""Published: what the remotes' own histories say of our jobs, read again."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from publisher import envelopes
from publisher.domain.envelope import without_credentials
from publisher.domain.errors import ImprimaturError, RepositoryError
from publisher.domain.manifest import Manifest
from publisher.domain.states import Event, State
from publisher.domain.trailers import bare_hex, value, values
from publisher.engine import confirm
from publisher.engine.audit.breach import Breach
from publisher.models import Effect, Job, JobEvent, Site
from publisher.ports import CommitFacts, Ports, Repository
from publisher.selectors_restored import was_recorded

BATCH = 1000
_SEEN = (Event.CONFIRM.value, Event.RESTORE.value)
_GIVEN_UP = (State.CANCELLED.value, State.REJECTED.value)


def check_site(site: Site, ports: Ports) -> Iterator[Breach]:
    """Fetch, then compare every commit that carries a job id with what the database says."""
    repository = ports.repository(site.spec, lambda: False)
    try:
        try:
            tip = repository.fetch()
            if site.root_commit and repository.root(tip) != site.root_commit:
                message = "The remote holds another repository than the one that was connected."
                yield Breach("remote_replaced", site.name, message)
            found = _Comparison(site, repository)
            repository.each_commit(tip, found.see)
            found.compare()
        except RepositoryError as error:
            yield Breach("remote_unreadable", site.name, error.message)
            return
        yield from found.breaches
        yield from found.missing()
    finally:
        repository.close()


class _Comparison:
    """Takes a history commit by commit and compares ours in batches; keeps ids alone."""

    def __init__(self, site: Site, repository: Repository) -> None:
        self.breaches: list[Breach] = []
        self._site = site
        self._repository = repository
        self._key = f"{site.trailer_prefix}-Job-Id"
        self._batch: list[CommitFacts] = []
        self._times: Counter[str] = Counter()
        self._proved: set[str] = set()
        self._commits: set[bytes] = set()

    def see(self, facts: CommitFacts) -> None:
        """One commit of the remote's branch."""
        self._commits.add(bytes.fromhex(facts.commit))
        if values(facts.trailers, self._key):
            self._batch.append(facts)
            if len(self._batch) == BATCH:
                self.compare()

    def compare(self) -> None:
        """What was seen since the last time, with the jobs that it names."""
        named = {facts.commit: value(facts.trailers, self._key) or "" for facts in self._batch}
        found = Job.objects.select_related("site").in_bulk(list(set(named.values())))
        jobs = {pk: job for pk, job in found.items() if job.site_id == self._site.pk}
        known: dict[str, list[str]] = defaultdict(list)
        for job_id, manifest in Effect.objects.filter(job__in=jobs).values_list(
            "job_id", "manifest_hash"
        ):
            known[job_id].append(manifest)
        proofs = [
            facts.commit
            for facts in self._batch
            if (job := jobs.get(named[facts.commit])) and job.remote_commit == facts.commit
        ]
        changed = self._repository.changed_paths(proofs)
        for facts in self._batch:
            job_id = named[facts.commit]
            if (other := found.get(job_id)) and self._is_of_another_site(other, facts.commit):
                continue
            self._times[job_id] += 1
            if job_id and self._times[job_id] == 2:
                self._tell("second_commit", job_id, "Two commits carry this job's id.")
            self._compare_one(facts, job_id, jobs.get(job_id), changed, known[job_id])
        self._batch.clear()

    def _is_of_another_site(self, job: Job, commit: str) -> bool:
        """The very commit that another site's job made, or one that its own site's pass reads."""
        site = job.site
        if site.pk == self._site.pk:
            return False
        return job.remote_commit == commit or (
            site.removed_at is None and _place(site) == _place(self._site)
        )

    def _compare_one(
        self,
        facts: CommitFacts,
        job_id: str,
        job: Job | None,
        changed: dict[str, set[str]],
        known: list[str],
    ) -> None:
        if job is None:
            message = f"Commit {facts.commit[:12]} names a job that is not in the database."
            self._tell("unknown_commit", job_id or facts.commit, message)
        elif facts.commit in changed:
            job.site = self._site
            self._proved.add(job_id)
            paths = changed[facts.commit]
            self.breaches += check_commit(self._repository, job, facts, paths, known)
        elif job.state in _GIVEN_UP:
            message = f"Commit {facts.commit[:12]} carries its id, and it is {job.state}."
            self._tell("commit_unpublished", job_id, message)
        elif job.state == State.PUBLISHED.value:
            message = f"Commit {facts.commit[:12]} carries its id and is not the one it made."
            self._tell("forged_commit", job_id, message)

    def missing(self) -> Iterator[Breach]:
        """PUBLISHED jobs whose commit the history does not hold."""
        rows = Job.objects.filter(site=self._site, state=State.PUBLISHED.value)
        for job_id in rows.values_list("pk", flat=True).order_by("pk").iterator(chunk_size=BATCH):
            if job_id not in self._proved:
                yield self._missing(job_id)

    def _missing(self, job_id: str) -> Breach:
        """The tip that once proved it is gone as well: then somebody rewrote the branch."""
        seen = JobEvent.objects.filter(job=job_id, event__in=_SEEN).order_by("-seq")
        tip = str((seen.values_list("facts__tip", flat=True).first()) or "")
        if tip and bytes.fromhex(tip) not in self._commits:
            message = "The branch was rewritten after it was published, and its commit is gone."
            return Breach("history_rewritten", job_id, message)
        return Breach("not_on_remote", job_id, "The remote's history does not hold its commit.")

    def _tell(self, rule: str, job_id: str, message: str) -> None:
        self.breaches.append(Breach(rule, job_id, message))


def _place(site: Site) -> tuple[str, str]:
    return without_credentials(site.remote).rstrip("/"), site.branch


def check_job(repository: Repository, job: Job, found: list[CommitFacts]) -> Iterator[Breach]:
    """PUBLISHED is proved by a commit in the remote's history with both trailers and the bytes."""
    proved = [facts for facts in found if facts.commit == job.remote_commit]
    if not proved:
        yield Breach("not_on_remote", job.pk, "The remote's history does not hold its commit.")
        return
    known = list(job.effects.values_list("manifest_hash", flat=True))
    changed = repository.changed_paths([proved[0].commit])[proved[0].commit]
    yield from check_commit(repository, job, proved[0], changed, known)


def check_commit(
    repository: Repository, job: Job, facts: CommitFacts, changed: set[str], known: list[str]
) -> list[Breach]:
    """One commit that counts as a job's proof: trailers, bytes, and no other path (invariant I6)."""
    prefix = job.site.trailer_prefix
    found: list[Breach] = []
    try:
        manifest = envelopes.manifest_of(job)
        if why := _mismatch(repository, facts, manifest, prefix, {*known, job.manifest_hash}):
            found.append(
                Breach("bytes_differ", job.pk, f"The published commit is not ours: {why}.")
            )
        if extra := sorted(changed - set(manifest.paths)):
            message = f"The commit also changes {', '.join(extra)}."
            found.append(Breach("foreign_paths", job.pk, message))
        named = value(facts.trailers, f"{prefix}-Approval")
        if named != bare_hex(job.binding_hash) and not was_recorded(job.pk, facts.commit):
            found.append(Breach("approval_differs", job.pk, "The commit names another approval."))
    except ImprimaturError as error:
        found.append(Breach(error.code, job.pk, error.message))
    return found


def _mismatch(
    repository: Repository, facts: CommitFacts, manifest: Manifest, prefix: str, known: set[str]
) -> str:
    claimed = value(facts.trailers, f"{prefix}-Manifest-Sha256")
    if claimed not in {bare_hex(one) for one in known if one}:
        return "its manifest trailer is not one of ours"
    return confirm.differing(repository, facts.commit, manifest)
