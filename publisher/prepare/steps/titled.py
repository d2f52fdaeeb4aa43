"""titled: front matter with the given title, for a ready draft that brings none, where articles have one."""

from collections import Counter
from collections.abc import Mapping
from pathlib import PurePosixPath

from publisher import artifacts
from publisher.domain.errors import ProviderError
from publisher.domain.findings import Finding, Severity
from publisher.domain.globs import match_glob
from publisher.models import Article
from publisher.ports import Source
from publisher.prepare.article import rendered
from publisher.prepare.context import Context
from publisher.prepare.frontmatter import (
    FrontMatterError,
    Style,
    is_bare,
    put_before,
    require_read,
    set_keys,
    split,
)
from publisher.prepare.steps.drafted import drafted

_LOOKED_AT = 9
_REDACTED = "[REDACTED:"


def with_title(context: Context, base: str | None) -> tuple[str, list[Finding]]:
    """The ready draft's artifact, and what stands against it (see docs/decisions/0007).

    A draft with a front matter of its own, one without a title beside it, and what people wrote
    into the draft stay as they are. A new article gets the front matter that its neighbours have;
    a changed one keeps what it has.
    """
    name: str = context.inputs["content"]
    title: str = context.inputs.get("title") or ""
    data = artifacts.load(name)
    if not title or context.inputs.get("edited") or not is_bare(data):
        return name, []
    try:
        made = (
            _new(context, data, title)
            if base is None
            else keep_head(artifacts.load(base), data, title)
        )
    except FrontMatterError as error:
        advice = "Bring the front matter with the draft, or mend the article's first."
        return name, [_block(context, error.rule, error.message, advice)]
    if made == data:
        return name, []
    written = {"title": title, "summary": context.job.summary if base is None else ""}
    return context.store(made, "content"), _of_fields(context, written)


def keep_head(present: bytes, data: bytes, title: str) -> bytes:
    """The present article's front matter, with the title set if one is given, before the draft's bytes.

    Where nothing stands there, the draft alone. Raises FrontMatterError.
    """
    require_read(split(present))
    if split(present).style == "none":
        return data
    head, draft = split(set_keys(present, {"title": title}) if title else present), split(data)
    return (draft.bom or head.bom) + head.fence_open + head.raw + head.fence_close + draft.body


def _new(context: Context, data: bytes, title: str) -> bytes:
    style = _style(context)
    if style == "none":
        return data
    job, required = context.job, context.job.site.required_front_matter
    wanted = {"title", *required, *(["summary"] if job.summary else [])}
    summary, tags = job.summary, tuple[str, ...]()
    if "tags" in wanted or ("summary" in wanted and not summary):
        summary, tags = _drafted(context, data, title)
    fields = rendered(
        title=title,
        date=job.created_at.date().isoformat(),
        summary=job.summary or summary,
        tags=tags,
    )
    return put_before(
        data, {key: value for key, value in fields.items() if key in wanted}, style=style
    )


def _drafted(context: Context, data: bytes, title: str) -> tuple[str, tuple[str, ...]]:
    """Summary and tags as the provider would write them; empty when the text gives none."""
    source = Source("draft", data.decode("utf-8", "replace"))
    try:
        result = drafted(context, [source], topic=None, title=title)
    except ProviderError as error:
        if not error.permanent:
            raise
        return "", ()
    return result.summary, result.tags


def _style(context: Context) -> Style:
    """What most of the articles beside the target have, else of the site's newest ones."""
    texts = _beside(context) or _newest(context)
    styles = Counter(split(text).style for text in texts)
    most: Style = styles.most_common(1)[0][0] if styles else "none"
    return "yaml" if most == "none" and context.job.site.required_front_matter else most


def _beside(context: Context) -> list[bytes]:
    site, repository = context.job.site, context.repository
    folder = str(PurePosixPath(context.job.target_path).parent)
    entries = repository.names(context.base, "" if folder == "." else folder)
    blobs = [
        entry.blob
        for entry in entries
        if entry.mode.startswith("100") and match_glob(site.articles, entry.path)
    ]
    return [repository.read(blob) for blob in blobs[:_LOOKED_AT]]


def _newest(context: Context) -> list[bytes]:
    known = Article.objects.filter(site=context.job.site).order_by("-pk")
    blobs = known.values_list("blob", flat=True)[:_LOOKED_AT]
    return [context.repository.read(blob) for blob in blobs]


def _of_fields(context: Context, written: Mapping[str, str]) -> list[Finding]:
    """Title and summary become published text here, so what was redacted in one stands against it."""
    advice = "It was not stored. Take it out and revoke it, then submit again."
    return [
        _block(context, "secret", f"The {name} held what looks like a credential.", advice)
        for name, text in written.items()
        if _REDACTED in text
    ]


def _block(context: Context, rule: str, message: str, advice: str) -> Finding:
    path = context.job.target_path
    return Finding(Severity.BLOCK, path, None, rule, message, advice)
