"""Anew: what a new job starts with when it begins from the text of one that ended."""

from typing import Any

from publisher import artifacts
from publisher import selectors as engine
from reviews.presenters import texts


def initial(found: Any) -> dict[str, Any]:
    """The submit form's fields, as the ended job has them; its other files are chosen again."""
    revision = next(row for row in engine.revisions(found) if row.number == found.revision)
    names = engine.draft_files(found)
    article = names.get(found.target_path) or revision.content
    sources = revision.inputs["sources"]
    mode = "content" if article or not sources else "source"
    if revision.inputs["action"] == "delete":
        mode, article = "delete", ""
    return {
        "mode": mode,
        "site": found.site.name,
        "target_path": found.target_path,
        "title": revision.given_title[:200],
        "topic": found.topic,
        "summary": found.summary,
        "text": _text([article] if mode == "content" else [row["artifact"] for row in sources]),
        "had_files": mode != "delete" and len(set(names) - {found.target_path}) > 0,
    }


def _text(names: list[str]) -> str:
    """What is damaged is typed anew, as other files are chosen again."""
    return "\n\n".join(texts.editable(artifacts.load_whole(name) or b"") for name in names if name)
