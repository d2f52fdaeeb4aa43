"""Front matter: check it; the door to reading, changing (set_keys) and writing (put_before) it."""

from collections.abc import Sequence

from publisher.domain.findings import Finding, Severity
from publisher.prepare.frontmatter_edit import set_keys
from publisher.prepare.frontmatter_new import WrittenStyle, put_before, written
from publisher.prepare.frontmatter_read import (
    Document,
    FrontMatterError,
    Style,
    is_unread,
    looks_unclosed,
    parse,
    require_read,
    split,
)
from publisher.prepare.values import quote as quote_yaml

__all__ = [
    "Document", "FrontMatterError", "Style", "WrittenStyle", "check", "is_bare", "parse",
    "put_before", "quote_yaml", "require_read", "set_keys", "split", "written",
]  # fmt: skip


def is_bare(data: bytes) -> bool:
    """Whether a text has no front matter, not even one that is broken off or of another kind."""
    document = split(data)
    return document.style == "none" and not is_unread(document)


def check(path: str, data: bytes, *, required: Sequence[str]) -> list[Finding]:
    """Block what does not read as UTF-8 or as front matter, and what lacks a required key."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = 1 + data.count(b"\n", 0, error.start)
        message = f"Byte {error.start} is not valid UTF-8."
        return [_block(path, line, "utf8", message, "Save the file as UTF-8.")]
    document = split(data)
    findings = []
    if document.bom:
        message = "The file starts with a byte order mark; it is kept."
        advice = (
            "Some site builders miss the front matter behind it: save without a BOM if yours does."
        )
        findings.append(Finding(Severity.INFO, path, 1, "bom", message, advice))
    if document.style == "none" and looks_unclosed(document.body.decode()):
        advice = "Write the closing line of the front matter, the same as its first line."
        findings.append(
            _block(path, 1, "front_matter_unclosed", "The front matter is never closed.", advice)
        )
    try:
        values = parse(document)
    except FrontMatterError as error:
        blocked = _block(path, error.line, error.rule, error.message, _ADVICE[error.rule])
        return [*findings, blocked]
    for name in required:
        if values.get(name) in (None, "", [], {}):
            message = f"The front matter lacks “{name}”."
            advice = f"Add a line “{name}: …”; this site requires it."
            findings.append(_block(path, 1, "front_matter_required", message, advice))
    return findings


_ADVICE = {
    "utf8": "Save the file as UTF-8.",
    "front_matter_yaml": "Put quotes around values with “: ”, “#” or quotes; indent by spaces.",
    "front_matter_toml": 'Strings need quotes in TOML: title = "…".',
    "front_matter_duplicate": "Keep one of the two keys.",
    "front_matter_alias": "Write the value out where it is used.",
    "front_matter_tag": "Write the plain value without its tag.",
    "front_matter_depth": "Flatten the front matter.",
    "front_matter_nodes": "Move long lists out of the front matter.",
    "front_matter_number": "Put it in quotes: as a text it is read by every program.",
    "front_matter_character": "Write the character itself in its place.",
    "front_matter_too_large": "Move long texts into the body.",
}


def _block(path: str, line: int, rule: str, message: str, advice: str) -> Finding:
    return Finding(Severity.BLOCK, path, line, rule, message, advice)
