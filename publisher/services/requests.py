"""Submit requests: their shape, their limits, and what is refused before anything is stored."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from publisher.artifacts import sha256_of
from publisher.domain.envelope import canonical
from publisher.domain.errors import InvalidInput, TooLarge
from publisher.domain.front_matter import misfit
from publisher.domain.paths import check_path, check_side_by_side, check_spelling, shown
from publisher.domain.retries import DEFAULT_LIMITS as LIMITS
from publisher.domain.secrets import scan_secrets, scrub_text
from publisher.domain.trailers import one_line
from publisher.models import Site
from publisher.models.job import MEMORY_SCOPE_CHARACTERS
from publisher.ports import Source
from publisher.services import keyed
from publisher.services.texts import check_readable, check_readable_values

KINDS = ("blog.publish/v1",)
ACTIONS = ("create", "update", "delete")
PROVIDERS = ("standin",)
TITLE_CHARACTERS = 200
TOPIC_CHARACTERS = 300
KEY_CHARACTERS = 300
FARTHEST_YEARS = 10
"""How far ahead a publication may be put off: beyond it a year is mistyped, or no clock goes there."""
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
"""A past time is simply due; one before all clocks is none, and some zones cannot write it."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file that goes with an article, by repository path."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class SubmitRequest:
    """What a submitter asks for: sources to draft from, or a ready draft with its path."""

    site: str
    kind: str = "blog.publish/v1"
    sources: tuple[Source, ...] = ()
    content: bytes | None = None
    action: str | None = None
    target_path: str | None = None
    topic: str = ""
    title: str = ""
    summary: str = ""
    assets: tuple[Asset, ...] = ()
    set_front_matter: Mapping[str, Any] | None = None
    key: str | None = None
    provider: str | None = None
    not_before: datetime | None = None
    memory_scope: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_ready_draft(self) -> bool:
        """Whether the bytes are the submitter's own and nothing is rewritten."""
        return not self.sources


def request_hashes(request: SubmitRequest) -> list[str]:
    """Keyed digests of the raw request without its key: they tell a repeat from another request.

    The first is the one to store.
    """
    raw = canonical(
        {
            "site": request.site,
            "kind": request.kind,
            "sources": [[source.id, source.text] for source in request.sources],
            "content": sha256_of(request.content) if request.content is not None else None,
            "action": request.action,
            "target_path": request.target_path,
            "topic": request.topic,
            "title": request.title,
            "summary": request.summary,
            "assets": [[asset.path, sha256_of(asset.data)] for asset in request.assets],
            "set_front_matter": dict(request.set_front_matter or {}),
            "provider": request.provider,
            "not_before": request.not_before.isoformat() if request.not_before else None,
            "memory_scope": request.memory_scope,
        }
    )
    return [f"sha256:{digest}" for digest in keyed.digests(raw.decode())]


def check_texts(request: SubmitRequest) -> None:
    """Refuse by the field's name a text that is no readable one, and a path that is unsafe anywhere."""
    for name in ("site", "kind", "topic", "title", "summary", "key", "provider", "memory_scope"):
        check_readable(getattr(request, name) or "", field=name)
    if request.key is not None and not request.key.strip():
        raise InvalidInput("key", "The idempotency key is empty. Name one, or leave it out.")
    for source in request.sources:
        check_readable(source.id, field="sources")
        check_readable(source.text, field="source")
    check_readable(request.content or b"", field="content")
    check_readable_values(dict(request.set_front_matter or {}), field="set_front_matter")
    if request.target_path:
        check_spelling(request.target_path, field="target_path")
    for asset in request.assets:
        check_spelling(asset.path, field="assets")


def check_request(request: SubmitRequest, site: Site, now: datetime) -> SubmitRequest:
    """Refuse by the field's name what no job may hold; returns the request with checked paths."""
    if request.kind not in KINDS:
        raise InvalidInput("kind", f"Unknown kind {request.kind!r}. Known: {', '.join(KINDS)}.")
    if request.provider is not None and request.provider not in PROVIDERS:
        raise InvalidInput("provider", f"Unknown provider. Known: {', '.join(PROVIDERS)}.")
    _check_what(request)
    _check_sizes(request)
    _check_memory_scope(request.memory_scope or "")
    if request.not_before is not None:
        check_time(request.not_before, now, field="not_before")
    return _with_checked_paths(request, site)


def _check_what(request: SubmitRequest) -> None:
    if request.action is not None and request.action not in ACTIONS:
        raise InvalidInput("action", f"Unknown action. Known: {', '.join(ACTIONS)}.")
    given = [
        name
        for name, there in (
            ("source", bool(request.sources)),
            ("content", request.content is not None),
            ("set_front_matter", request.set_front_matter is not None),
            ("action", request.action == "delete"),
        )
        if there
    ]
    if not given:
        raise InvalidInput("content", "Give a source to draft from, or the content to publish.")
    if len(given) > 1:
        raise InvalidInput(given[1], f"Give either {given[0]} or {given[1]}, not both.")
    if request.sources:
        _check_sources(request)
    elif not request.target_path:
        raise InvalidInput("target_path", "Say which path of the repository this is for.")
    if request.set_front_matter is not None:
        _check_front_matter(request.set_front_matter, request.action)


def _check_front_matter(values: Mapping[str, Any], action: str | None) -> None:
    if action not in (None, "update"):
        raise InvalidInput("action", "Front matter can only be set on an existing article.")
    if not values:
        raise InvalidInput("set_front_matter", "Name at least one key of the front matter to set.")
    if (key := misfit(values)) is not None:
        raise InvalidInput(
            "set_front_matter",
            f"The value for “{shown(key)}” must be a text, a number, true or false, or a list of "
            "these. To write another one, send the whole article as the content.",
        )


def _check_sources(request: SubmitRequest) -> None:
    if request.action is not None:
        raise InvalidInput("action", "With a source, the judge decides what is done.")
    if request.assets:
        raise InvalidInput("assets", "Assets go with a ready draft, not with a source.")
    check_ids(request.sources)
    for source in request.sources:
        if not source.text.strip():
            raise InvalidInput("source", f"The source {source.id} is empty.")


def check_ids(sources: Collection[Source]) -> None:
    """InvalidInput for two sources of one id, of which nobody could tell what is from which."""
    if len({source.id for source in sources}) != len(sources):
        raise InvalidInput("sources", "Each source needs an id of its own.")


def check_time(moment: datetime, now: datetime, *, field: str) -> None:
    """InvalidInput for a time that cannot be meant: what is counted from it must stay a date."""
    if moment < EARLIEST:
        raise InvalidInput(field, "This time is before 1970. Leave it out to publish at once.")
    if moment > now + timedelta(days=FARTHEST_YEARS * 366):
        raise InvalidInput(
            field, f"This time is over {FARTHEST_YEARS} years ahead. Give an earlier one."
        )


def _check_memory_scope(scope: str) -> None:
    if len(scope) > MEMORY_SCOPE_CHARACTERS:
        limit = MEMORY_SCOPE_CHARACTERS
        raise InvalidInput(
            "memory_scope", f"The memory scope is longer than {limit} characters. Shorten it."
        )
    # Redacted, two scopes could become one; and it is looked up, so it is refused instead.
    if scan_secrets(scope) or scan_secrets(one_line(scope, limit=len(scope))):
        raise InvalidInput(
            "memory_scope", "The memory scope holds what looks like a secret. Name another."
        )


def _check_sizes(request: SubmitRequest) -> None:
    limits = (("topic", TOPIC_CHARACTERS), ("title", TITLE_CHARACTERS), ("summary", 2000))
    for name, limit in limits:
        if len(getattr(request, name)) > limit:
            raise InvalidInput(name, f"The {name} is longer than {limit} characters. Shorten it.")
    if len(request.key or "") > KEY_CHARACTERS:
        raise InvalidInput(
            "key", f"The idempotency key is longer than {KEY_CHARACTERS} characters. Shorten it."
        )
    check_text(max(_length(request.sources), len(request.content or b"")), field="content")
    check_count(len(request.assets), field="assets")
    for asset in request.assets:
        check_asset(asset.path, asset.data, field="assets")


def _length(sources: Collection[Source]) -> int:
    return sum(len(source.text.encode()) for source in sources)


def check_text(length: int, *, field: str) -> None:
    """TooLarge for a text of more bytes than the limit."""
    if length > LIMITS.text_bytes:
        raise TooLarge(field, "The text is over 5 MiB.", limit=LIMITS.text_bytes)


def check_count(assets: int, *, field: str) -> None:
    """TooLarge for more files beside one article than the limit."""
    if assets > LIMITS.assets:
        raise TooLarge(field, f"There are more than {LIMITS.assets} assets.", limit=LIMITS.assets)


def check_asset(path: str, data: bytes, *, field: str) -> None:
    """TooLarge for a file that goes along and is over the limit."""
    if len(data) > LIMITS.asset_bytes:
        raise TooLarge(field, f"The asset {path} is over 10 MiB.", limit=LIMITS.asset_bytes)


def _with_checked_paths(request: SubmitRequest, site: Site) -> SubmitRequest:
    target = request.target_path
    if target:
        target = checked_path(target, field="target_path", roots=(site.articles,))
    assets = tuple(
        Asset(checked_path(asset.path, field="assets", roots=(site.assets,)), asset.data)
        for asset in request.assets
    )
    paths = [path for path in (target, *(asset.path for asset in assets)) if path]
    if len(set(paths)) != len(paths):
        raise InvalidInput("assets", "The same path is named twice.")
    check_side_by_side(paths, field="assets")
    values = {name: getattr(request, name) for name in request.__slots__}
    return SubmitRequest(**{**values, "target_path": target, "assets": assets})


def checked_path(path: str, *, field: str, roots: tuple[str, ...]) -> str:
    """The path, when a job of this site may name it and it gives no secret away."""
    checked = check_path(path, field=field, roots=roots)
    if scrub_text(checked) != checked:
        raise InvalidInput(field, "The file name holds what looks like a secret. Rename the file.")
    return checked
