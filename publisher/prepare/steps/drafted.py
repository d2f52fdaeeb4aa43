"""drafted: what a provider wrote, without the credentials that came together on the way."""

from collections.abc import Sequence
from dataclasses import replace

from publisher.domain.secrets import scrub_parted
from publisher.ports import DraftResult, Source
from publisher.prepare.context import Context


def drafted(
    context: Context, sources: Sequence[Source], *, topic: str | None, title: str | None
) -> DraftResult:
    """The provider's answer: it may join lines that were looked at apart, so it is looked at whole."""
    result = context.provider().draft(sources, topic=topic, title=title)
    return replace(
        result,
        title=scrub_parted(result.title),
        summary=scrub_parted(result.summary),
        tags=tuple(map(scrub_parted, result.tags)),
        headings=tuple(map(scrub_parted, result.headings)),
        body=scrub_parted(result.body),
    )
