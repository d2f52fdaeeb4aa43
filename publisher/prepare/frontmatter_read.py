"""Front matter as read: take it off a document, and parse it strictly."""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    ScalarEvent,
)

from publisher.domain.errors import ImprimaturError
from publisher.domain.secrets import scrub_line

BOM = b"\xef\xbb\xbf"
MAX_BYTES = 32 * 1024
MAX_NODES = 500
MAX_DEPTH = 8
# Programs read longer numbers as no number, or as another one; Python prints none of 4,301 digits.
MAX_DIGITS = 300

_OPENED = re.compile(
    r"\+\+\+[ \t]*\r?\n"
    # A Chinese sentence has no spaces: a key in other letters is short and has its value beside it.
    r"|---[ \t]*\r?\n(?:[ \t]*#[^\n]*\n)*[ \t]*"
    r"(?:(?:[A-Za-z0-9_\-]+|\"[^\"\n]+\"|'[^'\n]+'):(?!//)|[\w\-]{1,12}:[ \t]+\S)"
    # Behind an empty line prose may stand below a rule, and "Note: …" is no key: only "note: …" is,
    # unless an empty line parts it from a "#" line, which is a heading then.
    r"|---[ \t]*\r?\n(?:[ \t]*\r?\n)*(?:[ \t]*#[^\n]*\n)*"
    r"[ \t]*([\"']?)[a-z][A-Za-z0-9_\-]*\1:(?:\s|\Z)"
)
_DOTTED = re.compile(r"---[ \t]*\n(.*?)^\.\.\.[ \t]*$", re.DOTALL | re.MULTILINE)
_A_KEY = re.compile(r"^[\"'\w][^\n:]*:", re.MULTILINE)
_OTHER_FENCE = re.compile(r"(?:---[ \t]*[a-z]+|;;;)[ \t]*\n")

Style = Literal["yaml", "toml", "none"]
_FENCES: tuple[tuple[bytes, Style], ...] = ((b"---", "yaml"), (b"+++", "toml"))
_LINE_IN_MESSAGE = re.compile(r"\(at line (\d+), column \d+\)")
# The YAML library tells some damage (impossible dates, odd anchors) in plain Python errors.
_BROKEN = (YAMLError, ArithmeticError, AssertionError, LookupError, TypeError, ValueError)
_INTEGER = "tag:yaml.org,2002:int"


class FrontMatterError(ImprimaturError):
    """Front matter that cannot be read; ``line`` counts in the file, ``rule`` names the reason."""

    code = "front_matter"

    def __init__(self, line: int, message: str, rule: str) -> None:
        super().__init__(message, line=line, rule=rule)
        self.line = line
        self.rule = rule


@dataclass(frozen=True, slots=True)
class Document:
    """The parts of a document: ``bom + fence_open + raw + fence_close + body`` are its bytes.

    ``newline`` is the line end of the first line, ``body_line`` the body's first line (from 1).
    """

    bom: bytes
    style: Style
    fence_open: bytes
    raw: bytes
    fence_close: bytes
    body: bytes
    newline: str
    body_line: int

    @property
    def data(self) -> bytes:
        """The whole document again."""
        return self.bom + self.fence_open + self.raw + self.fence_close + self.body


def split(data: bytes) -> Document:
    """Take the document apart without changing a byte; an unclosed fence is no front matter."""
    bom = BOM if data.startswith(BOM) else b""
    rest = data[len(bom) :]
    first_end = rest.find(b"\n")
    newline = "\r\n" if first_end > 0 and rest[first_end - 1 : first_end] == b"\r" else "\n"
    for fence, style in _FENCES:
        if first_end < 0 or rest[:first_end].rstrip(b" \t\r") != fence:
            continue
        closing = re.compile(rb"^" + re.escape(fence) + rb"[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
        match = closing.search(rest, first_end + 1)
        if match is not None:
            opened, raw = rest[: first_end + 1], rest[first_end + 1 : match.start()]
            body_line = 1 + rest.count(b"\n", 0, match.end())
            closed, body = match[0], rest[match.end() :]
            return Document(bom, style, opened, raw, closed, body, newline, body_line)
    return Document(bom, "none", b"", b"", b"", rest, newline, 1)


def looks_unclosed(text: str) -> bool:
    """Whether a text that has no front matter begins like one: by a key, in any script."""
    return _OPENED.match(text) is not None


def is_unread(document: Document) -> bool:
    """Whether a text begins with front matter that others read and this module does not.

    It is never closed, or closed by ``...``, stands below empty lines, has carriage returns alone
    for line ends, is marked as another language, or is JSON.
    """
    if document.style != "none":
        return False
    body = document.body.decode("utf-8", "replace")
    text = body.replace("\r\n", "\n").replace("\r", "\n").lstrip()
    dotted = _DOTTED.match(text)
    return (
        looks_unclosed(text)
        or _OTHER_FENCE.match(text) is not None
        or (dotted is not None and _A_KEY.search(dotted[1]) is not None)
        or _begins_with_json(text)
    )


def require_read(document: Document) -> None:
    """FrontMatterError where another front matter would be put on top of one that is not read."""
    if is_unread(document):
        message = (
            "The article begins with front matter in a form that cannot be changed here: it has to "
            "stand on top, between two lines --- (YAML) or +++ (TOML)."
        )
        raise FrontMatterError(1, message, "front_matter_unread")


def _begins_with_json(text: str) -> bool:
    if not text.startswith("{"):
        return False
    try:
        found, _end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict)


def parse(document: Document) -> Mapping[str, object]:
    """What the front matter says; raises FrontMatterError. YAML 1.2 without aliases and tags."""
    if len(document.raw) > MAX_BYTES:
        raise FrontMatterError(
            1, f"The front matter is over {MAX_BYTES // 1024} KiB.", "front_matter_too_large"
        )
    try:
        text = document.raw.decode()
    except UnicodeDecodeError as error:
        line = 2 + document.raw.count(b"\n", 0, error.start)
        raise FrontMatterError(line, "The front matter is not valid UTF-8.", "utf8") from error
    if document.style == "toml":
        return _parse_toml(text)
    return _parse_yaml(text) if document.style == "yaml" else {}


def yaml_events(text: str) -> list[Any]:
    """The YAML events of a front matter, refused as soon as they pass a limit."""
    events: list[Any] = []
    depth = nodes = documents = 0
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
            nodes += isinstance(event, CollectionStartEvent | ScalarEvent)
            documents += isinstance(event, DocumentStartEvent)
            _refuse(event, depth=depth, nodes=nodes, documents=documents)
            events.append(event)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 2 if mark else 1
        problem = error.problem or error.context or "cannot be read"
        raise FrontMatterError(line, f"YAML: {_quoted(problem)}.", "front_matter_yaml") from error
    except _BROKEN as error:
        raise FrontMatterError(1, f"YAML: {_quoted(error)}.", "front_matter_yaml") from error
    return events


def _refuse(event: Any, *, depth: int, nodes: int, documents: int) -> None:
    line = event.start_mark.line + 2
    if isinstance(event, AliasEvent):
        raise FrontMatterError(line, "Aliases (*name) are not allowed.", "front_matter_alias")
    if getattr(event, "tag", None):
        raise FrontMatterError(line, "Tags (!name) are not allowed.", "front_matter_tag")
    if depth > MAX_DEPTH:
        raise FrontMatterError(line, f"Nested deeper than {MAX_DEPTH}.", "front_matter_depth")
    if nodes > MAX_NODES:
        raise FrontMatterError(line, f"More than {MAX_NODES} values.", "front_matter_nodes")
    if documents > 1:
        raise FrontMatterError(line, "More than one YAML document.", "front_matter_yaml")


def _quoted(problem: object) -> str:
    """What a library says, which may quote any value: on one line that rows and pages can hold."""
    return scrub_line(str(problem))


class _Constructor(SafeConstructor):
    """Scalars as every page, row and commit can hold them."""

    def construct_scalar(self, node: Any) -> Any:
        line = node.start_mark.line + 2
        if node.tag == _INTEGER and len(node.value) > MAX_DIGITS:
            raise _oversized(line)
        return _whole(super().construct_scalar(node), line)


def _oversized(line: int) -> FrontMatterError:
    message = f"A number has more than {MAX_DIGITS} digits."
    return FrontMatterError(line, message, "front_matter_number")


def _whole(text: str, line: int) -> str:
    """The text with real characters: JSON writes those beyond U+FFFF as two halves, and so YAML."""
    try:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError as error:
        message = "An escape from \\uD800 to \\uDFFF stands for half a character."
        raise FrontMatterError(line, message, "front_matter_character") from error


def _parse_yaml(text: str) -> Mapping[str, object]:
    yaml_events(text)
    yaml = YAML(typ="safe", pure=True)
    yaml.Constructor = _Constructor
    try:
        value = yaml.load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 2 if mark else 1
        is_twin = "duplicate key" in str(error.problem)
        rule = "front_matter_duplicate" if is_twin else "front_matter_yaml"
        problem = _quoted(error.problem or error.context)
        raise FrontMatterError(line, f"YAML: {problem}.", rule) from error
    except _BROKEN as error:
        raise FrontMatterError(1, f"YAML: {_quoted(error)}.", "front_matter_yaml") from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise FrontMatterError(2, "The front matter is not a set of keys.", "front_matter_yaml")
    named = {str(name): item for name, item in value.items()}
    if len(named) < len(value):
        message = "YAML: two keys have the same name."
        raise FrontMatterError(1, message, "front_matter_duplicate")
    return named


def _parse_toml(text: str) -> Mapping[str, object]:
    try:
        value = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = _LINE_IN_MESSAGE.search(str(error))
        line = int(found[1]) + 1 if found else text.count("\n") + 2
        raise FrontMatterError(line, f"TOML: {_quoted(error)}.", "front_matter_toml") from error
    except ValueError as error:  # Python itself reads no longer number than 4,300 digits
        raise _oversized(1) from error
    left: list[tuple[object, int]] = [(value, 1)]
    nodes = 0
    while left:
        item, depth = left.pop()
        nodes += 1
        if depth > MAX_DEPTH + 1:
            raise FrontMatterError(1, f"Nested deeper than {MAX_DEPTH}.", "front_matter_depth")
        if nodes > MAX_NODES:
            raise FrontMatterError(1, f"More than {MAX_NODES} values.", "front_matter_nodes")
        if isinstance(item, int) and abs(item) >= 10**MAX_DIGITS:
            raise _oversized(1)
        inner = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        left += [(child, depth + 1) for child in inner]
    return value
