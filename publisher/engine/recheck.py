"""RECHECK_CANDIDATES: articles arrived; the judge looks at them once and says SKIP or KEEP."""

from publisher import artifacts, selectors
from publisher.domain.states import Event, State
from publisher.engine import conflicts, effects, look
from publisher.engine.look import Look
from publisher.engine.run import Run
from publisher.models import Delta, Job
from publisher.models.conflict import Judged
from publisher.prepare.dedup import Candidate, recheck, sketch


def judge(run: Run) -> None:
    """Judge what is new since the last judgement, never the whole again (rows R23 to R25)."""
    job = run.job
    seen: Look = run.fields.get("look") or look.at(run, job.recheck_head)
    if seen.clashes:
        conflicts.raise_conflict(
            run, seen, effects.absent(run, "the target changed before anything was sent")
        )
        return
    verdict = _verdict(run, seen)
    if verdict not in tuple(Judged):
        run.record(Event.BLOCK, reason=f"The judge answered {verdict!r}, neither SKIP nor KEEP.",
                   changes={"failure_code": "judge_protocol"})  # fmt: skip
        return
    skips = verdict == Judged.SKIP and not job.ready_draft and job.appeals_id is None
    event, to = (Event.SKIP, State.SKIPPED) if skips else (Event.KEEP, _back_to(run))

    def guard(fresh: Job) -> None:
        Delta.objects.get_or_create(
            job=fresh,
            fingerprint=seen.delta or "none",
            defaults={
                "head": seen.tip,
                "verdict": verdict,
                "evidence": [[change.path, change.new_blob] for change in seen.fresh_articles],
                "judged_by": "judge",
                "created_at": run.now(),
            },
        )
        if skips:
            run.ports.authority.void(fresh, "skipped", run.now())

    reason = _reason(verdict, skips)
    why = {"failure_code": "duplicate", "failure_message": reason} if skips else {}
    run.record(
        event, to=to, guard=guard, verdict=verdict, tip=seen.tip, reason=reason,
        changes={"attempt": 0, **why},
    )  # fmt: skip
    run.fields.pop("look", None)


def _reason(verdict: str, skips: bool) -> str:
    if skips:
        return "An article that arrived meanwhile says the same."
    if verdict == Judged.SKIP:
        return "An article that arrived meanwhile says the same; a ready draft is kept."
    return "What arrived meanwhile is something else."


def _verdict(run: Run, seen: Look) -> str:
    job, repository = run.job, run.repository
    text = text_of(job)
    candidates = []
    for change in seen.fresh_articles:
        if change.new_blob is None:
            continue
        body = repository.read(change.new_blob).decode("utf-8", "replace")
        candidates.append(Candidate(change.path, change.path, sketch(body), body))
    return str(recheck(text, title=job.title, candidates=candidates)) if candidates else Judged.KEEP


def text_of(job: Job) -> str:
    """The article as it is proposed; "" where it is taken away."""
    files = selectors.draft_files(job)
    name = files.get(job.target_path)
    return artifacts.load_text(name) if name else ""


def _back_to(run: Run) -> State:
    """Where it was entered; LOCAL_COMMITTED only with the commit found (row Q3)."""
    origin = State(run.job.recheck_origin or State.READY_TO_COMMIT.value)
    if origin is State.READY_TO_COMMIT:
        return origin
    here = run.repository.job_branch(run.job.pk)
    return State.LOCAL_COMMITTED if here and here == run.job.local_commit else State.READY_TO_COMMIT
