"""The pipeline: runs the steps that are missing, keeps a checkpoint of each, and asks for approval."""

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any, Protocol

from django.db import transaction

from publisher import artifacts, envelopes
from publisher.domain.envelope import binding_hash, digest
from publisher.domain.errors import ArtifactDamaged, ProviderError
from publisher.domain.findings import Finding as Found
from publisher.domain.findings import Severity
from publisher.domain.states import Event, State
from publisher.domain.workflows import PREPARE, fingerprint
from publisher.domain.workflows import Step as Definition
from publisher.journal import Guard
from publisher.models import Finding, Job, JobEvent, Site, Step
from publisher.models.step import StepState
from publisher.ports import Ports, Repository
from publisher.prepare.context import Context, StepResult
from publisher.prepare.steps import STEPS


class Worker(Protocol):
    """What prepare needs of the run that drives it."""

    job: Job
    ports: Ports
    repository: Repository

    def now(self) -> Any: ...
    def check(self) -> None: ...
    def record(self, event: Event, **options: Any) -> JobEvent: ...
    def note(self, event: str, **options: Any) -> JobEvent: ...


def prepare(run: Worker) -> None:
    """PREPARING: run the missing steps, then SKIPPED, REVIEW, WAITING_APPROVAL or on.

    A step whose inputs hash as before keeps its checkpoint, once its artifacts are verified
    (rows E20 to E22, S27 to S30); nothing is run inside a transaction.
    """
    job = run.job
    revision = job.revisions.get(number=job.revision)
    context = Context(job, revision, run.repository, run.ports.provider, run.now)
    known = {step.name: step for step in job.steps.filter(revision=job.revision)}
    stopped = False
    for position, definition in enumerate(PREPARE):
        if stopped:
            break
        key = _input_hash(context, definition)
        kept = _checkpoint(known.get(definition.name), definition, key)
        if kept is not None:
            context.outputs[definition.name] = kept.outputs
            stopped = bool(kept.outputs.get("stopped"))
            continue
        run.check()
        try:
            result = STEPS[definition.name](context)
        except ProviderError as error:
            if not error.permanent:
                raise
            block(run, error.message, code="provider")
            return
        row = known.get(definition.name) or Step(
            job_id=job.pk, revision=job.revision, name=definition.name
        )
        guard = _keep(run, row, _values(definition, position, key, result), result.findings)
        if result.skip:
            _skip(run, guard, result.skip)
            return
        _commit(run, guard, definition, result)
        context.outputs[definition.name] = dict(result.outputs)
        stopped = result.stop
    _conclude(run, context)


def _input_hash(context: Context, definition: Definition) -> str:
    site = context.job.site
    return digest(
        {
            "step": [definition.name, definition.version],
            "revision": context.revision.input_hash,
            "pinned": context.job.base_commit if definition.name == "collect" else "",
            "before": {name: dict(outputs) for name, outputs in context.outputs.items()},
            "site": [site.articles, site.fonts, site.font_source, site.required_front_matter],
        }
    )


def _checkpoint(step: Step | None, definition: Definition, key: str) -> Step | None:
    """The step's result, when it was made from these very inputs and its artifacts are whole."""
    if step is None or step.state != StepState.SUCCEEDED.value:
        return None
    if (step.input_hash, step.fingerprint) != (key, fingerprint([definition])):
        return None
    try:
        for name in _artifacts_in(step.outputs):
            artifacts.load(name)
    except ArtifactDamaged:
        return None
    return step


def _artifacts_in(value: Any) -> list[str]:
    """Every artifact name in a step's outputs, except the hashes that name no stored bytes."""
    names: list[str] = []
    for key in ("files", "derived", "diffs", "bases"):
        names += [name for name in value.get(key, {}).values() if name]
    return names + ([value["manifest"]] if "manifest" in value else [])


def _commit(run: Worker, guard: Guard, definition: Definition, result: StepResult) -> None:
    """The checkpoint: result, findings and event in one transaction, under the lease (row K13)."""
    run.note(
        "step_committed",
        guard=guard,
        changes={"attempt": 0},
        step=definition.name,
        findings=len(result.findings),
    )


def _values(definition: Definition, position: int, key: str, result: StepResult) -> dict[str, Any]:
    return {
        "position": position,
        "state": StepState.SUCCEEDED.value,
        "input_hash": key,
        "outputs": {**result.outputs, **({"stopped": True} if result.stop else {})},
        "assertions": list(result.assertions),
        "fingerprint": fingerprint([definition]),
    }


def _keep(run: Worker, step: Step, values: Mapping[str, Any], findings: Iterable[Found]) -> Guard:
    """Writes the step's row; the lease in the same transaction says that nobody else wrote it."""

    def guard(fresh: Job) -> None:
        for name, value in values.items():
            setattr(step, name, value)
        step.attempt, step.event_seq = fresh.attempt, fresh.event_seq + 1
        step.finished_at = run.now()
        is_new = step.pk is None
        step.save(force_insert=is_new, force_update=not is_new)
        if not is_new:
            step.findings.all().delete()
        Finding.objects.bulk_create(_row(step, found) for found in findings)

    return guard


def _row(step: Step, found: Found) -> Finding:
    return Finding(
        step=step,
        severity=found.severity.value,
        path=found.path,
        line=found.line,
        column=found.column,
        rule=found.rule,
        message=found.message,
        advice=found.advice,
    )


def _skip(run: Worker, guard: Guard, why: str) -> None:
    run.record(
        Event.SKIP,
        guard=guard,
        reason=why,
        changes={"failure_code": "duplicate", "failure_message": why},
    )
    run.repository.remove_workspace(run.job.pk)


def block(run: Worker, message: str, *, code: str, **changes: Any) -> None:
    """REVIEW: people settle it."""
    run.record(
        Event.BLOCK,
        reason=message,
        changes={
            "failure_class": "NEEDS_HUMAN",
            "failure_code": code,
            "failure_message": message,
            "deadline_at": None,
            **changes,
        },
    )


def _conclude(run: Worker, context: Context) -> None:
    columns = _columns(context)
    blocking = Finding.objects.filter(
        step__job=run.job,
        step__revision=run.job.revision,
        severity=Severity.BLOCK.value,
        overridden_at__isnull=True,
    ).order_by("pk")
    first = blocking.first()
    if first is not None:
        more = blocking.count() - 1
        message = first.message + (f" And {more} more." if more else "")
        block(run, message, code=first.rule, **columns)
        return
    if context.outputs["manifest"]["changes_nothing"]:
        run.record(
            Event.SKIP,
            reason="The site holds exactly these bytes already.",
            changes={**columns, "failure_code": "nothing_to_publish"},
        )
        run.repository.remove_workspace(run.job.pk)
        return
    _ask(run, columns)


def _columns(context: Context) -> dict[str, Any]:
    draft = context.outputs["draft"]
    manifest = context.outputs.get("manifest", {})
    return {
        "base_commit": context.base,
        "target_path": draft["target_path"],
        "target_sha256": draft["bases"].get(draft["target_path"]) or "",
        "operation": draft["operation"],
        "title": draft["title"][:300],
        "manifest_artifact": manifest.get("manifest", ""),
        "manifest_hash": manifest.get("manifest_hash", ""),
        "payload_hash": manifest.get("payload_hash", ""),
    }


def _ask(run: Worker, columns: dict[str, Any]) -> None:
    """WAITING_APPROVAL, or straight on when an approval of this very binding hash holds."""
    job = run.job
    now = run.now()
    with transaction.atomic():
        fresh = copy(job)
        fresh.site = Site.objects.get(pk=job.site_id)
        for name, value in columns.items():
            setattr(fresh, name, value)
        envelope = envelopes.of(fresh)
        bound = binding_hash(envelope)
        holds = run.ports.authority.open(fresh, envelope, bound, now)
        changes = {
            **columns,
            "binding_hash": bound,
            "attempt": 0,
            "deadline_at": None,
            "failure_class": "",
            "failure_code": "",
            "failure_message": "",
        }
        if holds:
            run.record(Event.APPROVE, to=_ready(job), changes=changes, reason="It holds already.")
        else:
            run.record(Event.ASK, changes=changes, binding_hash=bound)


def _ready(job: Job) -> State:
    return State.READY_TO_COMMIT if job.lane == "publish" else State.READY_TO_DISPATCH
