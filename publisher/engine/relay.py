"""commit, deliver, confirm: from READY_TO_COMMIT to PUBLISHED, one look and one push at a time."""

from publisher import envelopes
from publisher.artifacts import load
from publisher.domain.errors import (
    CredentialsRefused,
    LockBusy,
    NotAuthorised,
    NotYet,
    OutcomeUnknown,
    RemoteMoved,
    RemoteRefused,
    RemoteUnreachable,
    RepositoryError,
)
from publisher.domain.states import Event, State
from publisher.domain.trailers import job_message
from publisher.engine import adopt, conflicts, derived, effects, look, waiting
from publisher.engine.confirm import Sighting
from publisher.engine.derived import Followed
from publisher.engine.fence import Fence, ObservedMoved
from publisher.engine.look import Look
from publisher.engine.run import Run
from publisher.journal import Guard
from publisher.ports import CommitFacts, CommitPlan

NOT_TAKEN = (RemoteRefused, CredentialsRefused, RemoteUnreachable, LockBusy)
"""Answers to a push after which surely nothing of it is on the branch."""
MOVEMENTS = 5
"""How often one claim follows a remote that moves under its push."""


def ready(run: Run) -> None:
    """READY_TO_COMMIT: look, then decide to commit."""
    seen = look.take(run)
    if settle(run, seen) or derived.follow(run, seen.tip) is Followed.STUCK:
        return
    begin(run, seen)
    run.fields["look"] = seen


def begin(run: Run, seen: Look) -> None:
    """Decide to commit, and when: the commit's date belongs to the decision."""
    changes = {"committing_at": run.now(), **waiting.delivery_deadline(run)}
    run.record(Event.COMMIT, changes=changes, tip=seen.tip)


def committing(run: Run) -> None:
    """LOCAL_COMMITTING: one commit with trailers on the observed tip, recorded."""
    seen = run.fields.get("look")
    tip = seen.tip if seen else run.repository.tip()
    if tip is None:
        raise RepositoryError("The site was never fetched here.")
    commit = build(run, tip)
    keep(run, commit, parent=tip)
    run.fields["parent"] = tip


def keep(run: Run, commit: str, *, parent: str) -> None:
    """The commit is recorded."""
    run.record(Event.COMMITTED, changes={"local_commit": commit}, commit=commit, parent=parent)


def build(run: Run, tip: str) -> str:
    """Put the approved bytes on a tip; the same job on the same tip gives the same commit id."""
    planned = plan(run)
    with run.ports.locks.hold("repository", run.job.site.name):
        run.check()
        return run.repository.build_commit(
            parent=tip,
            files=planned.files,
            message=planned.message,
            date=planned.date,
            ref=planned.ref,
            job_id=planned.job_id,
        )


def plan(run: Run) -> CommitPlan:
    """The job's commit, wherever it comes to stand: approved bytes, message, recorded date."""
    job = run.job
    run.check()
    manifest = envelopes.manifest_of(job)
    message = job_message(
        envelopes.of(job, manifest),
        prefix=job.site.trailer_prefix,
        job_id=job.pk,
        manifest_hash=job.manifest_hash,
        base_commit=job.base_commit,
        writer_node=run.node,
        binding_hash=job.binding_hash,
    )
    if job.committing_at is None:
        raise RepositoryError("The moment of the commit was not recorded.")
    return CommitPlan(
        files={
            entry.path: load(entry.sha256) if entry.sha256 else None for entry in manifest.entries
        },
        message=message,
        date=job.committing_at,
        ref=f"refs/imprimatur/replay/{job.pk}/{run.lease.generation}",
        job_id=job.pk,
    )


def committed(run: Run) -> None:
    """LOCAL_COMMITTED: look unless this claim just did, replay where the tip moved, pass the fence."""
    seen = run.fields.get("look")
    if seen is None:
        seen = look.take(run)
        run.fields["look"] = seen
        if settle(run, seen):
            return
    commit = _on_tip(run, seen)
    if commit and pass_fence(run, Event.DELIVER, seen, commit):
        push(run, seen, commit)


def _on_tip(run: Run, seen: Look) -> str:
    """The commit on the observed tip; "" when the job went to people instead."""
    followed = derived.follow(run, seen.tip)
    if followed is Followed.STUCK:
        return ""
    if followed is Followed.AS_THEY_WERE and run.fields.get("parent") == seen.tip:
        return run.job.local_commit
    commit = build(run, seen.tip)
    run.fields["parent"] = seen.tip
    return commit


def pass_fence(run: Run, event: Event, seen: Look, commit: str) -> bool:
    """Write the intent and enter PUSHING, or say why not; True when the push may start."""
    guard = Fence(run.ports.authority, seen, commit, run.now(), run.job.site)
    try:
        if run.state is State.PUSHING:
            run.note("effect_intent", guard=guard, tip=seen.tip, commit=commit,
                     manifest=run.job.manifest_hash, binding_hash=run.job.binding_hash)  # fmt: skip
        else:
            run.record(
                event, to=State.PUSHING, guard=guard, tip=seen.tip, commit=commit,
                manifest=run.job.manifest_hash, binding_hash=run.job.binding_hash,
            )  # fmt: skip
    except NotYet as early:
        waiting.hold(run, early)
        return False
    except NotAuthorised as refusal:
        waiting.void(run, refusal, tip=seen.tip)
        return False
    except ObservedMoved:
        run.fields.pop("look", None)
        return False
    return True


def pushing(run: Run) -> None:
    """PUSHING after a crash or a pause: only looking outside tells what happened."""
    seen = look.take(run)
    if not settle(run, seen):
        _again(run, seen)


def _again(run: Run, seen: Look) -> None:
    run.fields["parent"] = ""
    earlier = effects.open_effect(run.job)
    run.fields["sent"] = earlier.tip if earlier else ""
    commit = _on_tip(run, seen)
    if commit and pass_fence(run, Event.RESUME, seen, commit):
        push(run, seen, commit)


def push(run: Run, seen: Look, commit: str) -> None:
    """One push with the observed tip as its lease; follow a moving remote a bounded number of times."""
    for _ in range(MOVEMENTS):
        run.check()
        try:
            with run.ports.locks.hold("delivery", run.job.site.name):
                run.repository.push(commit, lease=seen.tip)
        except NOT_TAKEN as refusal:
            if isinstance(refusal, RemoteRefused) and refusal.permanent:
                refuse(run, refusal.text or refusal.message, code=refusal.code)
                return
            not_taken(run, tip=seen.tip)
            raise
        except (RemoteMoved, OutcomeUnknown) as doubt:
            run.note("push_unclear", reason=doubt.message, code=doubt.code, tip=seen.tip)
        run.fields["sent"] = seen.tip
        seen = look.take(run)
        if settle(run, seen):
            return
        commit = _on_tip(run, seen)
        if not commit or not pass_fence(run, Event.RESUME, seen, commit):
            return
    raise RepositoryError("The remote kept moving. It is tried again later.")


def not_taken(run: Run, *, tip: str) -> None:
    """Nothing of a push was taken: that closes the intent, unless one before it may yet arrive."""
    run.fields["not_taken"] = run.fields.get("sent") != tip


def settle(run: Run, seen: Look) -> bool:
    """Act on what a look found; False when the way is free.

    Order matters: our own commit first, then bytes that are there already, then what clashes or
    may not lie there, and only then what must be judged.
    """
    if seen.seen.sighting is Sighting.OURS:
        return _found(run, seen)
    if seen.seen.sighting is Sighting.FOREIGN:
        facts = seen.seen.commit
        who = f"{facts.author} ({facts.commit[:12]})" if facts else ""
        refuse(
            run, f"A commit by {who} carries this job's id, but {seen.seen.why}.",
            code="foreign_commit", gone=effects.absent(run, "a foreign commit holds the branch"),
        )  # fmt: skip
        return True
    gone = effects.absent(run, effects.left(seen.tip), tip=seen.tip)
    if seen.is_upstream:
        change = run.repository.last_change(seen.base, seen.tip, run.job.target_path)
        run.record(
            Event.FOUND_UPSTREAM, guard=gone, reason="These bytes are on the site already.",
            changes={"remote_commit": change.commit if change else seen.tip,
                     "failure_code": "already_upstream"},
            commit=change.commit if change else seen.tip, author=change.author if change else "",
        )  # fmt: skip
        return True
    if seen.clashes:
        conflicts.raise_conflict(run, seen, gone)
        return True
    if seen.raw:
        refuse(run, f"{seen.raw} belongs to git LFS by now.", code="lfs_path", gone=gone)
        return True
    if seen.fresh_articles:
        to_judge = {"recheck_head": seen.tip, "recheck_delta": seen.delta}
        to_judge["recheck_origin"] = _origin(run)
        run.record(Event.RECHECK, guard=gone, delta=seen.delta, changes=to_judge)
        run.fields["look"] = seen
        return True
    return False


def _origin(run: Run) -> str:
    ready_first = run.state is State.READY_TO_COMMIT or not run.job.local_commit
    return State.READY_TO_COMMIT.value if ready_first else State.LOCAL_COMMITTED.value


def _found(run: Run, seen: Look) -> bool:
    facts = seen.seen.commit
    if facts is None:
        return False
    if adopt.was_announced(run.job, facts):
        publish(run, seen, facts)
    elif adopt.is_of_this_approval(run.job, facts):
        adopt.confirm_by_look(run, seen, facts)
    else:
        refuse(
            run, "The remote holds this job's commit under another approval, though none was sent "
            "from here. A backup may have been restored.", code="unknown_commit",
        )  # fmt: skip
    return True


def publish(run: Run, seen: Look, facts: CommitFacts) -> None:
    """PUBLISHED: the remote's own history holds the commit with both trailers and the bytes."""
    guard = effects.confirmed(run.ports.authority, facts, run.now())
    run.record(Event.CONFIRM, guard=guard, commit=facts.commit, tip=seen.tip)
    run.repository.remove_workspace(run.job.pk)


def refuse(run: Run, text: str, *, code: str, gone: Guard | None = None) -> None:
    """REVIEW in words that say why; ``gone`` proves that nothing is there, else the refusal does."""
    run.record(
        Event.REFUSE,
        guard=gone or effects.absent(run, "the remote refused it"),
        reason=text,
        changes={"failure_class": "NEEDS_HUMAN", "failure_code": code, "failure_message": text},
    )


def resume(run: Run) -> None:
    """RETRY_WAIT is due: back to where it was; into PUSHING only after a look and through the fence."""
    target = State(run.job.resume_state)
    if target is not State.PUSHING:
        run.record(Event.RESUME, to=target)
        return
    seen = look.take(run)
    if not settle(run, seen):
        _again(run, seen)


def last_look(run: Run) -> bool:
    """Look once more before giving up; True when the job was settled by what is there."""
    try:
        seen = look.take(run)
    except RepositoryError:
        return False
    return seen.seen.sighting is not Sighting.NONE and settle(run, seen)
