"""The product's side of the corpus bench; imported only after Django was set up."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

from django.core.management import call_command

from bench import git_floor
from publisher import nodes, selectors, wiring
from publisher.clock import now
from publisher.domain.findings import Severity
from publisher.domain.states import Actor
from publisher.engine.foreground import Foreground
from publisher.journal import Who
from publisher.models import Finding
from publisher.services import sites, submit
from reviews.permissions import Caller
from reviews.selectors import approval_of
from reviews.services import decisions, people

SITE = "corpus"
_ADA = Who(Actor.SUBMITTER, "ada")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where one article's journey ended, and what the remote holds then."""

    state: str
    same_bytes: bool
    blocks: Sequence[str] = field(default_factory=tuple)
    warnings: Sequence[str] = field(default_factory=tuple)

    @property
    def as_promised(self) -> bool:
        """Published, byte for byte, and no gate stood in the way."""
        return self.state == "PUBLISHED" and self.same_bytes and not self.blocks


class Journeys:
    """A scratch installation with one site, its people and an engine in this process."""

    def __init__(self, remote: Path) -> None:
        call_command("migrate", verbosity=0)
        for name, role in (("ada", "submitter"), ("rui", "reviewer")):
            call_command("user", "add", name, "--role", role, stdout=StringIO())
        sites.add(name=SITE, remote=str(remote), scope="default", branch="main", now=now())
        self._remote = remote
        self._work = Foreground(
            ports=wiring.ports(),
            owner=wiring.owner(),
            node=nodes.writer(wiring.node(), now()),
            heartbeat=wiring.heartbeat(90),
            lease_seconds=90,
        )
        self._work.once()

    def journey(self, path: str, data: bytes, *, action: str) -> Outcome:
        """Submit, prepare, approve, commit, deliver, confirm; then read the remote."""
        request = submit.SubmitRequest(SITE, content=data, target_path=path, action=action)
        job = submit.submit(request, who=_ADA, scope="default", now=now()).job
        self._work.once()
        self._approve(job.pk)
        self._work.once()
        done = selectors.job(job.pk, scopes=None)
        found = selectors.findings(done)
        return Outcome(
            state=done.state,
            same_bytes=self._published(path) == data,
            blocks=[_told(one) for one in found if one.severity == Severity.BLOCK.value],
            warnings=[_told(one) for one in found if one.severity == Severity.WARN.value],
        )

    def _approve(self, job_id: str) -> None:
        approval = approval_of(selectors.job(job_id, scopes=None))
        if approval is not None:
            decisions.decide(
                approval,
                caller=Caller(people.find("rui"), "CLI"),
                decision="approve",
                reviewed_hash=approval.binding_hash,
                request_id=f"corpus {job_id}",
                now=now(),
            )

    def _published(self, path: str) -> bytes | None:
        """What any reader of the remote gets; None where there is nothing."""
        listed = git_floor.git(self._remote, "ls-tree", "-z", git_floor.BRANCH, "--", path)
        if not listed:
            return None
        return git_floor.git(self._remote, "cat-file", "blob", f"{git_floor.BRANCH}:{path}")


def _told(finding: Finding) -> str:
    place = f":{finding.line}" if finding.line else ""
    return f"{finding.rule}{place} {finding.message}"
