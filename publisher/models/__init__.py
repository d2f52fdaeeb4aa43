"""The engine's tables, one file per noun."""

from publisher.models.article import Article, OtherFile
from publisher.models.artifact import Artifact
from publisher.models.conflict import Conflict, Delta
from publisher.models.effect import Effect
from publisher.models.event import JobEvent, Seal, Transition
from publisher.models.finding import Finding
from publisher.models.job import Job
from publisher.models.live import LiveSight
from publisher.models.memory import Memory
from publisher.models.node import Node
from publisher.models.outbox import Outbox
from publisher.models.revision import Revision
from publisher.models.search import SearchText
from publisher.models.site import Site
from publisher.models.step import Step
from publisher.models.topic import TopicCursor

__all__ = [
    "Article",
    "Artifact",
    "Conflict",
    "Delta",
    "Effect",
    "Finding",
    "Job",
    "JobEvent",
    "LiveSight",
    "Memory",
    "Node",
    "OtherFile",
    "Outbox",
    "Revision",
    "Seal",
    "SearchText",
    "Site",
    "Step",
    "TopicCursor",
    "Transition",
]
