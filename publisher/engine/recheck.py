"""RECHECK_CANDIDATES: articles arrived; the judge looks at them once and says SKIP or KEEP."""

from itertools import islice
from typing import Any

from publisher import artifacts, selectors
from publisher.domain.states import Event, State
from publisher.engine import conflicts, effects, look
from publisher.engine.look import Look
from publisher.engine.run import Run
from publisher.models import Job
from publisher.models.conflict import Judged
from publisher.prepare import index
from publisher.prepare.dedup import judge as compare
from publisher.prepare.dedup import recheck

CHUNK = 200
"""So many articles that arrived are held in memory at once."""


def judge(run: Run) -> None:
    """Judge what is new since the last judgement, never the whole again (rows R23 to R25)."""
    job = run.job
    seen = run.fields.get("look") or _seen(run)
    if seen.clashes:
        conflicts.raise_conflict(
            run, seen, effects.absent(run, "the target changed before anything was sent")
        )
        return
    verdict, judged = _verdict(run, seen)
    if verdict not in tuple(Judged):
        run.record(Event.BLOCK, reason=f"The judge answered {verdict!r}, neither SKIP nor KEEP.",
                   changes={"failure_code": "judge_protocol"})  # fmt: skip
        return
    skips = verdict == Judged.SKIP and not job.ready_draft and job.appeals_id is None
    event, to = (Event.SKIP, State.SKIPPED) if skips else (Event.KEEP, _back_to(run))

    def guard(fresh: Job) -> None:
        fresh.deltas.get_or_create(
            revision=fresh.revision,
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

    reason = _reason(job, judged, skips)
    why = {"failure_code": "duplicate", "failure_message": reason} if skips else {}
    facts = {"code": "same", "judged": judged, "revision": job.revision} if judged else {}
    run.record(
        event, to=to, guard=guard, verdict=verdict, tip=seen.tip, reason=reason,
        changes={"attempt": 0, **why}, **facts,
    )  # fmt: skip
    run.fields.pop("look", None)


def _seen(run: Run) -> Look:
    """What another claim saw arrive; looked at anew where that was on another machine."""
    head = run.job.recheck_head
    return look.at(run, head) if run.repository.resolves(head) else look.take(run)


def _reason(job: Job, judged: dict[str, Any], skips: bool) -> str:
    if not judged:
        return "What arrived meanwhile is something else."
    path = judged["target"]
    if skips:
        return f"{path} arrived meanwhile and says the same."
    if job.ready_draft:
        return f"{path} arrived meanwhile and says the same; a ready draft is kept."
    return f"{path} arrived meanwhile and says the same; this was asked for all the same."


def _verdict(run: Run, seen: Look) -> tuple[str, dict[str, Any]]:
    """The answer; where it is SKIP, also which article says the same, and on what evidence.

    Where nobody here knows the base, all of the site is fresh: no more than a part is read at once.
    """
    text, title = text_of(run.job), run.job.title
    fresh = iter(seen.fresh_articles)
    while chunk := list(islice(fresh, CHUNK)):
        run.check()
        candidates = [
            index.candidate(change.path, run.repository.read(change.new_blob))
            for change in chunk
            if change.new_blob is not None
        ]
        answer = str(recheck(text, title=title, candidates=candidates))
        if answer == Judged.SKIP:
            return answer, index.evidence_of(compare(text, title=title, candidates=candidates))
        if answer != Judged.KEEP:
            return answer, {}
    return Judged.KEEP, {}


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
