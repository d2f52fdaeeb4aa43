"""The pipeline: runs the steps that are missing, keeps a checkpoint of each, and asks for approval."""

from collections.abc import Mapping
from copy import copy
from functools import partial
from typing import Any, Protocol

from django.db import transaction

from publisher import envelopes, statements
from publisher.domain.envelope import binding_hash, digest
from publisher.domain.errors import ProviderError
from publisher.domain.findings import Severity
from publisher.domain.states import Event, State
from publisher.domain.workflows import PREPARE
from publisher.domain.workflows import Step as Definition
from publisher.journal import Guard
from publisher.models import Finding, Job, JobEvent, Revision, Site
from publisher.ports import Ports, Repository
from publisher.prepare.checkpoints import Checkpoints
from publisher.prepare.context import Context
from publisher.prepare.steps import STEPS


class Worker(Protocol):
    """What prepare needs of the run that drives it."""

    job: Job
    ports: Ports
    repository: Repository

    def now(self) -> Any: ...
    def is_lost(self) -> bool: ...
    def check(self) -> None: ...
    def record(self, event: Event, **options: Any) -> JobEvent: ...
    def note(self, event: str, **options: Any) -> JobEvent: ...


def prepare(run: Worker) -> None:
    """PREPARING: run the missing steps, then SKIPPED, REVIEW, WAITING_APPROVAL or on.

    A step whose inputs hash as before keeps its checkpoint, once its artifacts are verified
    (rows E20 to E22, S27 to S30); nothing is run inside a transaction.
    """
    job = run.job
    (revision,) = statements.rows(Revision, job_id=job.pk, number=job.revision)
    provider = partial(run.ports.provider, job.provider, run.is_lost)
    context = Context(job, revision, run.repository, provider, run.now)
    checkpoints = Checkpoints(run, context.stored)
    for position, definition in enumerate(PREPARE):
        key = _input_hash(context, definition)
        kept = checkpoints.find(definition, key)
        if kept is not None and _is_here(context, kept.outputs):
            context.outputs[definition.name] = kept.outputs
            if kept.outputs.get("stopped"):
                break
            continue
        run.check()
        try:
            result = STEPS[definition.name](context)
        except ProviderError as error:
            if not error.permanent:
                raise
            block(run, error.message, code="provider")
            return
        checkpoints.add(definition, position, key, result)
        if result.skip:
            _skip(run, checkpoints.keep, result.skip)
            return
        if result.stop or not definition.is_cheap:
            checkpoints.write()
        context.outputs[definition.name] = dict(result.outputs)
        if result.stop:
            break
    checkpoints.write()
    _conclude(run, context)


def _is_here(context: Context, outputs: Mapping[str, Any]) -> bool:
    """Whether this machine's clone holds the base that a result names, if it names one."""
    base = outputs.get("base_commit")
    return base is None or context.repository.resolves(base)


def _input_hash(context: Context, definition: Definition) -> str:
    site = context.job.site
    return digest(
        {
            "step": [definition.name, definition.version],
            "revision": context.revision.input_hash,
            "pinned": context.job.base_commit if definition.name == "collect" else "",
            "before": {name: dict(outputs) for name, outputs in context.outputs.items()},
            "site": [
                site.articles,
                site.assets,
                site.fonts,
                site.font_source,
                site.required_front_matter,
            ],
        }
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
        fresh.site = statements.read(Site, job.site_id)
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
