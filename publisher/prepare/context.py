"""What a step of prepare is given, and what it answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from publisher import artifacts
from publisher.domain.findings import Finding
from publisher.domain.globs import match_glob
from publisher.models import Job, Revision
from publisher.ports import Provider, Repository
from publisher.services.placing import ENDINGS

Outputs = Mapping[str, Any]


@dataclass(slots=True)
class Context:
    """One revision in preparation.

    ``outputs`` holds the verified results of the steps before, ``stored`` the artifacts that have
    no rows yet.
    """

    job: Job
    revision: Revision
    repository: Repository
    provider: Callable[[], Provider]
    now: Callable[[], datetime]
    outputs: dict[str, Outputs] = field(default_factory=dict)
    stored: dict[str, artifacts.Kept] = field(default_factory=dict)

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What the revision was made from."""
        inputs: Mapping[str, Any] = self.revision.inputs
        return inputs

    @property
    def title(self) -> str:
        """The title that was given; empty where it follows the text, whatever the job shows now."""
        return self.revision.given_title

    @property
    def is_ready_draft(self) -> bool:
        """Whether the bytes are a person's or program's own, and nothing is rewritten."""
        inputs = self.inputs
        changes_keys = inputs["set_front_matter"] is not None
        return bool(inputs["content"]) or changes_keys or inputs["action"] == "delete"

    @property
    def base(self) -> str:
        """The pinned base commit."""
        base: str = self.outputs["collect"]["base_commit"]
        return base

    @property
    def files(self) -> Mapping[str, str]:
        """The draft's files: path -> artifact."""
        files: Mapping[str, str] = self.outputs["draft"]["files"]
        return files

    @property
    def target_path(self) -> str:
        """The article's path."""
        path: str = self.outputs["draft"]["target_path"]
        return path

    def store(self, data: bytes, kind: str) -> str:
        """Keep bytes as an artifact whose row comes with the checkpoint; returns their name."""
        name = artifacts.write(data)
        self.stored[name] = artifacts.Kept(len(data), kind)
        return name

    def is_article(self, path: str) -> bool:
        """Whether the site makes an article of this file: the draft's own, or one that goes along."""
        return path == self.target_path or (
            path.lower().endswith(ENDINGS) and match_glob(self.job.site.articles, path)
        )

    def texts(self) -> list[tuple[str, bytes]]:
        """The draft's files that are text: articles always, others when they have no NUL byte."""
        loaded = [(path, artifacts.load(name)) for path, name in sorted(self.files.items())]
        return [
            (path, data) for path, data in loaded if self.is_article(path) or b"\x00" not in data
        ]


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step found out. ``skip`` ends the job as a duplicate; ``stop`` goes no further."""

    outputs: Outputs
    findings: tuple[Finding, ...] = ()
    assertions: tuple[str, ...] = ()
    skip: str = ""
    stop: bool = False
