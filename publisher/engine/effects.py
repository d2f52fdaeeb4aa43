"""Effects: how an open intent ends, in the same transaction as the move that its proof allows."""

from datetime import datetime
from typing import Any

from publisher import statements
from publisher.domain.errors import OutcomeUnknown
from publisher.domain.states import MAY_HOLD_INTENT, State
from publisher.domain.trailers import value
from publisher.engine import confirm
from publisher.engine.run import Run
from publisher.journal import Guard
from publisher.models import Effect, Job
from publisher.models.effect import EffectStatus
from publisher.ports import Authority, CommitFacts, Ports

OPEN = (EffectStatus.INTENT.value, EffectStatus.UNKNOWN.value)


def open_effect(job: Job) -> Effect | None:
    """The job's write whose outcome is open."""
    return job.effects.filter(status__in=OPEN).first()


def absent(run: Run, proof: str, *, tip: str = "") -> Guard:
    """The guard of ``proved_absent`` for a worker, whose site is as it was claimed."""
    return proved_absent(run.ports, proof, branch=run.job.site.branch, tip=tip)


def left(tip: str) -> str:
    """The proof that a tip gives which left the leased one without our commit."""
    return f"the tip {tip[:12]} does not hold the commit"


def proved_absent(ports: Ports, proof: str, *, branch: str, tip: str = "") -> Guard:
    """A guard that closes the open intent as not happened, and gives the approval back.

    ``proof`` says how that is known: the remote's own refusal (no ``tip``), or a tip that left
    the leased one without our commit. A tip still equal to the leased one proves nothing, since
    the push may yet arrive. ``branch`` is the one that was pushed to or looked at, whatever the
    site follows by now, and it does not tell what another one holds: OutcomeUnknown.
    """

    def guard(fresh: Job) -> None:
        now = ports.clock.now()
        for effect in fresh.effects.filter(status__in=OPEN):
            _refuse_doubt(effect, branch, tip)
            probes = [*effect.probes, {"at": now.isoformat(), "result": "ABSENT", "proof": proof}]
            Effect.objects.filter(pk=effect.pk).update(
                status=EffectStatus.ABSENT.value, probes=probes, updated_at=now
            )
        if State(fresh.state) in MAY_HOLD_INTENT:
            ports.authority.release(fresh, proof, now)

    return guard


def _refuse_doubt(effect: Effect, branch: str, tip: str) -> None:
    announced = effect.target["branch"]
    if announced != branch:
        raise OutcomeUnknown(
            f"It may have been sent to the branch {announced}, and the site follows {branch} now. "
            f"Set the branch {announced} again, so that it can be looked for."
        )
    if tip and effect.tip == tip:
        raise OutcomeUnknown("The push may still be on its way. It is looked for again.")


def confirmed(authority: Authority, commit: CommitFacts, now: datetime) -> Guard:
    """A guard that writes the proof onto the intent and closes the approval.

    Intents of earlier revisions, proved absent, stay what they are: they announced other bytes.
    ``fresh_write`` is true when the commit is the very one that the last push sent.
    """

    def guard(fresh: Job) -> dict[str, Any]:
        manifest = _named_besides(fresh, commit)
        intents = statements.rows(Effect, job_id=fresh.pk, request_hash=fresh.payload_hash)
        for effect in [one for one in intents if one.status != EffectStatus.CONFIRMED.value][-1:]:
            probes = [*effect.probes, {"at": now.isoformat(), "result": "EXISTS"}]
            trailers = [list(row) for row in commit.trailers]
            proof = {
                "status": EffectStatus.CONFIRMED.value,
                "external_id": commit.commit,
                "manifest_hash": manifest or effect.manifest_hash,
                "fresh_write": effect.commit == commit.commit,
                "receipt": {"commit": commit.commit, "trailers": trailers},
                "probes": probes,
                "updated_at": now,
            }
            statements.change(Effect, {"id": effect.pk}, proof)
        authority.done(fresh, now)
        # An earlier intent may be the one that arrived, with the fonts of an earlier tip.
        named = {"manifest_hash": manifest, "manifest_artifact": manifest} if manifest else {}
        return {
            **named,
            "remote_commit": commit.commit,
            "failure_class": "",
            "failure_code": "",
            "failure_message": "",
        }

    return guard


def _named_besides(fresh: Job, commit: CommitFacts) -> str:
    """The hash of the manifest that the commit names, when it is not the job's present one; else ""."""
    claimed = value(commit.trailers, f"{fresh.site.trailer_prefix}-Manifest-Sha256")
    if fresh.manifest_hash == f"sha256:{claimed}":
        return ""
    named = confirm.manifest_named(fresh, claimed).manifest_hash
    return "" if named == fresh.manifest_hash else named
