"""The fence: the one gate before every outside write, in the transaction that writes the intent."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from publisher import envelopes, statements
from publisher.domain.envelope import binding_hash
from publisher.domain.errors import AdapterError, ImprimaturError, NotAuthorised, NotYet
from publisher.domain.keys import effect_key
from publisher.domain.workflows import action
from publisher.engine.look import Look
from publisher.models import Effect, Job, Site
from publisher.models.effect import EffectStatus
from publisher.ports import Authority, Grant

STEP = "deliver"


class ObservedMoved(ImprimaturError):
    """What was observed no longer fits what was approved: look again."""

    code = "observed_moved"


class OutOfTime(AdapterError):
    """The deadline passed on the way here; the next claim takes the last look and gives up."""

    code = "deadline"


class SiteRemoved(AdapterError):
    """Nothing is published to a site out of use; without a budget the job ends."""

    code = "site_removed"


@dataclass(frozen=True, slots=True)
class Fence:
    """A guard for the journal: authorises one push of one commit onto one observed tip.

    1. Recompute the envelope from the rows and compare it with the approved hash.
    2. Compare its bases with what the remote's tip was seen to hold.
    3. Let the authority check quorum, rights, expiry and policy; it marks the approval.
    4. Check that the time has come, is not over, and the lane is not paused.
    5. Write the effect's intent: key, target, request, manifest, tip and commit.
    """

    authority: Authority
    look: Look
    commit: str
    now: datetime
    site: Site
    """As this claim read it: where its push goes, and what its commit is known by."""

    def __call__(self, fresh: Job) -> dict[str, Any]:
        """Raise NotAuthorised, NotYet, OutOfTime, SiteRemoved or ObservedMoved, or write the intent."""
        bound = self._compare(fresh)
        self._check_time(fresh)
        grant = self.authority.authorise(fresh, bound, self.now)
        self._write_intent(fresh, grant)
        return {"local_commit": self.commit, "failure_code": "", "failure_message": ""}

    def _compare(self, fresh: Job) -> str:
        # Locked: a site is set to another branch or prefix before this intent, or knows of it.
        fresh.site = statements.locked(Site, fresh.site_id)
        if fresh.site.removed_at is not None:
            raise SiteRemoved("The site was removed. Nothing can be published there any more.")
        if _sends_to(fresh.site) != _sends_to(self.site):
            raise NotYet(
                "The site was set to another branch or trailer prefix meanwhile.", until=self.now
            )
        envelope = envelopes.of(fresh)
        bound = binding_hash(envelope)
        if bound != fresh.binding_hash:
            raise NotAuthorised(
                "superseded",
                "What would be published is no longer what was approved.",
                current=bound,
                approved=fresh.binding_hash,
            )
        for path in envelope["target"]["paths"]:
            if self.look.held.get(path["path"]) != path["base_sha256"]:
                raise ObservedMoved(f"{path['path']} changed on the remote.")
        return bound

    def _check_time(self, fresh: Job) -> None:
        if fresh.deadline_at is not None and fresh.deadline_at <= self.now:
            raise OutOfTime("The time to deliver it ran out before it was sent.")
        if fresh.not_before is not None and fresh.not_before > self.now:
            raise NotYet("It is to be published later.", until=fresh.not_before)
        if fresh.lane in fresh.site.paused_lanes:
            raise NotYet(fresh.site.stop_reason or "The site is paused.", until=None)

    def _write_intent(self, fresh: Job, grant: Grant) -> None:
        key = operation_key(fresh)
        values = {
            "status": EffectStatus.INTENT.value,
            "request_hash": fresh.payload_hash,
            "manifest_hash": fresh.manifest_hash,
            "tip": self.look.tip,
            "commit": self.commit,
            "updated_at": self.now,
        }
        site = fresh.site
        for effect in statements.rows(Effect, operation_key=key):
            if effect.request_hash != fresh.payload_hash:
                raise NotAuthorised("key_reused", "The operation key belongs to other bytes.")
            statements.change(Effect, {"id": effect.pk}, values)
            return
        # The key names the job, whose row is locked: nobody else is writing it.
        statements.add(
            Effect(
                operation_key=key,
                **values,
                job=fresh,
                step=STEP,
                action=fresh.kind,
                policy=action(fresh.kind).replay_policy.value,
                target={"site": site.name, "branch": site.branch, "approval": grant.approval_id},
                created_at=self.now,
            )
        )


def _sends_to(site: Site) -> tuple[str, str]:
    return site.branch, site.trailer_prefix


def operation_key(job: Job) -> str:
    """The stable key of a job's push: never the attempt, never the generation (rows K15, S21)."""
    return effect_key(
        job_id=job.pk,
        step=STEP,
        resource=f"{job.site.name}#{job.site.branch}",
        intent_version=job.revision,
    )
