"""Checkpoints: the verified results of a revision's steps, and writing new ones under the lease."""

from collections.abc import Mapping, MutableMapping
from datetime import datetime
from typing import Any, Protocol

from publisher import artifacts, statements
from publisher.domain.findings import Finding as Found
from publisher.domain.workflows import Step as Definition
from publisher.domain.workflows import fingerprint
from publisher.models import Finding, Job, JobEvent, Step
from publisher.models.step import StepState
from publisher.prepare.context import StepResult
from publisher.services import search


class Writer(Protocol):
    """What is needed of the run: its job, the time, and the journal under its lease."""

    job: Job

    def now(self) -> datetime: ...
    def note(self, event: str, **options: Any) -> JobEvent: ...


class Checkpoints:
    """The steps of one revision. The lease says that nobody else writes them meanwhile.

    ``stored``: artifacts on the disk whose rows are written with the next checkpoint.
    """

    def __init__(self, run: Writer, stored: MutableMapping[str, artifacts.Kept]) -> None:
        job = run.job
        self._run = run
        self._stored = stored
        known = statements.rows(Step, job_id=job.pk, revision=job.revision)
        self._known = {step.name: step for step in known}
        self._pending: list[tuple[Step, tuple[Found, ...]]] = []
        self._text = ""

    def find(self, definition: Definition, key: str) -> Step | None:
        """The step's result, when it was made from these very inputs and its artifacts are whole."""
        step = self._known.get(definition.name)
        if step is None or step.state != StepState.SUCCEEDED.value:
            return None
        if (step.input_hash, step.fingerprint) != (key, fingerprint([definition])):
            return None
        is_whole = all(
            artifacts.load_whole(name) is not None for name in _artifacts_in(step.outputs)
        )
        return step if is_whole else None

    def add(self, definition: Definition, position: int, key: str, result: StepResult) -> None:
        """Have a result written with the next transaction."""
        job = self._run.job
        step = self._known.get(definition.name) or Step(
            job_id=job.pk, revision=job.revision, name=definition.name
        )
        step.position, step.state = position, StepState.SUCCEEDED.value
        step.input_hash, step.fingerprint = key, fingerprint([definition])
        step.outputs = {**result.outputs, **({"stopped": True} if result.stop else {})}
        step.assertions = list(result.assertions)
        self._pending.append((step, result.findings))
        if step.name == "draft":
            self._text = search.text_of_draft(job, result.outputs)

    def write(self) -> None:
        """Results, findings and event in one transaction (row K13); nothing when none waits."""
        if not self._pending:
            return
        self._run.note(
            "step_committed",
            guard=self.keep,
            changes={"attempt": 0},
            step=", ".join(step.name for step, _ in self._pending),
            findings=sum(len(findings) for _, findings in self._pending),
        )

    def keep(self, fresh: Job) -> None:
        """A guard that writes what waits."""
        now = self._run.now()
        artifacts.register(self._stored, now)
        self._stored.clear()
        for step, _ in self._pending:
            step.attempt, step.event_seq, step.finished_at = fresh.attempt, fresh.event_seq + 1, now
            if step.pk is not None:
                step.save(force_update=True)
                step.findings.all().delete()
        Step.objects.bulk_create(step for step, _ in self._pending if step.pk is None)
        Finding.objects.bulk_create(
            _row(step, found) for step, findings in self._pending for found in findings
        )
        self._pending = []
        if self._text:
            search.keep(fresh, self._text)
            self._text = ""


def _artifacts_in(value: Mapping[str, Any]) -> list[str]:
    """Every artifact name in a step's outputs, except the hashes that name no stored bytes."""
    names: list[str] = []
    for key in ("files", "derived", "diffs", "bases"):
        names += [name for name in value.get(key, {}).values() if name]
    return names + ([value["manifest"]] if "manifest" in value else [])


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
