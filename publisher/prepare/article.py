"""The article: what a provider answered, written as a file with front matter."""

import re
from collections.abc import Mapping, Sequence

from publisher.ports import DraftResult
from publisher.prepare import values
from publisher.prepare.frontmatter import WrittenStyle, written

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def render_article(
    result: DraftResult, *, front_matter_style: WrittenStyle = "yaml", date: str
) -> bytes:
    """The article's bytes: front matter with title, date, summary and tags, then the body.

    ``date`` is an ISO day (written as a date) or any other text (written as a string).
    """
    fields = rendered(title=result.title, date=date, summary=result.summary, tags=list(result.tags))
    return (written(fields, style=front_matter_style) + "\n" + result.body).encode()


def rendered(*, title: str, date: str, summary: str, tags: Sequence[str]) -> Mapping[str, str]:
    """The fields of an article's front matter, each as the text that both languages read back."""
    return {
        "title": values.quote(title),
        "date": date if _DAY.fullmatch(date) else values.quote(date),
        "summary": values.quote(summary),
        "tags": values.render(list(tags)),
    }
