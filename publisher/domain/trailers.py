"""Trailers: write and parse them, and the commit message as a fixed template over bound fields."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from publisher.domain.errors import InvalidInput

Trailers = Sequence[tuple[str, str]]

_SPACE = " \t\r\v\f"  # git's own idea of blank; a no-break space is text
_KEY = re.compile(r"[A-Za-z0-9-]+")
_TRAILER = re.compile(r"([A-Za-z0-9-]+)[ \t]*:(.*)", re.DOTALL)
_PICKED = re.compile(r"\(cherry picked from commit [0-9a-f]{7,64}\)")
_HEX = re.compile(r"(?:sha256:)?([0-9a-f]{64})")
_BREAK = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_BREAKS_AND_SPACES = re.compile("[\\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_FROM_BREAK = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029][\\s\x00-\x1f\x7f-\x9f\u2028\u2029]*")
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse(message: str) -> tuple[tuple[str, str], ...]:
    """The trailers of a commit message in order, as written; continued lines are joined by a space.

    Only the last paragraph counts, never the first, and only if each of its lines is a trailer
    (or a line of ``cherry-pick -x``). This is stricter than git, which takes a paragraph that is
    three quarters prose: a quotation must not pass for a confirmation.
    """
    paragraphs = _paragraphs(message)
    if len(paragraphs) < 2:
        return ()
    found: list[tuple[str, str]] = []
    for line in paragraphs[-1]:
        match = _TRAILER.fullmatch(line)
        if line[0] in _SPACE and found:
            key, value = found[-1]
            found[-1] = (key, f"{value} {line.strip(_SPACE)}".strip(_SPACE))
        elif match:
            found.append((match[1], match[2].strip(_SPACE)))
        elif not _PICKED.fullmatch(line.rstrip(_SPACE)):
            return ()
    return tuple(found)


def values(trailers: Trailers, key: str) -> tuple[str, ...]:
    """All values of one key, in order. Case does not count in keys, as in git."""
    return tuple(value for name, value in trailers if name.casefold() == key.casefold())


def value(trailers: Trailers, key: str) -> str | None:
    """The value of a key that stands there exactly once; None when it is absent or ambiguous."""
    found = values(trailers, key)
    return found[0] if len(found) == 1 else None


def is_ambiguous(trailers: Trailers, key: str) -> bool:
    """Whether a key stands there more than once, so that none of its values can be believed."""
    return len(values(trailers, key)) > 1


def one_line(text: str, limit: int = 200) -> str:
    """The text as one line of at most ``limit`` characters: breaks and controls become a space."""
    clean = _SURROGATE.sub("\ufffd", text)
    folded = _BREAKS_AND_SPACES.sub(lambda run: " " if _BREAK.search(run[0]) else run[0], clean)
    line = folded.strip()
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def breaks(text: str) -> Iterator[tuple[int, int]]:
    """Where ``one_line`` makes one space: each run of blanks with a break or control in it."""
    done = 0
    for run in _FROM_BREAK.finditer(text):
        start, end = run.span()
        while start > done and text[start - 1].isspace():  # blanks alone are no run to stop at
            start -= 1
        yield start, end
        done = end


def write(trailers: Trailers) -> str:
    """The trailers as a last paragraph. Raises InvalidInput for what would not be read back."""
    if not trailers:
        raise InvalidInput("trailers", "A commit message of ours ends in at least one trailer.")
    for key, content in trailers:
        if not _KEY.fullmatch(key):
            raise InvalidInput("trailers", "A trailer's key is made of letters, digits and dashes.")
        if not content or one_line(content, limit=len(content)) != content:
            raise InvalidInput("trailers", f"The value of {key} must be one line of text.")
    return "\n".join(f"{key}: {content}" for key, content in trailers)


def message(*, subject: str, body: str, trailers: Trailers) -> str:
    """A whole commit message; no subject and no body can add to its trailers or change them."""
    first = one_line(subject)
    if not first:
        raise InvalidInput("subject", "A commit needs a subject.")
    lines = [_body_line(line) for line in body.split("\n")]
    middle = "\n".join(lines).strip("\n")
    paragraphs = [first, middle, write(trailers)] if middle else [first, write(trailers)]
    return "\n\n".join(paragraphs) + "\n"


def job_message(
    envelope: Mapping[str, Any],
    *,
    prefix: str,
    job_id: str,
    manifest_hash: str,
    base_commit: str,
    writer_node: str,
    binding_hash: str,
) -> str:
    """The message of a job's commit: a fixed template over the envelope; nothing unbound leaves."""
    if envelope["job_id"] != job_id:
        raise InvalidInput("job_id", "The envelope belongs to another job.")
    target, reverts = envelope["target"], envelope.get("reverts")
    lines = [f"{envelope['action']}, {target['operation']}:", ""]
    lines += [f"  {one_line(entry['path'], limit=1000)}" for entry in target["paths"]]
    if reverts is not None:
        lines += ["", f"Takes back job {reverts['job_id']}, commit {reverts['commit']}."]
    return message(
        subject=envelope["commit"]["subject"],
        body="\n".join(lines),
        trailers=(
            *(((f"{prefix}-Reverts-Job", reverts["job_id"]),) if reverts is not None else ()),
            (f"{prefix}-Job-Id", job_id),
            (f"{prefix}-Manifest-Sha256", bare_hex(manifest_hash)),
            (f"{prefix}-Base-Commit", base_commit),
            (f"{prefix}-Writer-Node", writer_node),
            (f"{prefix}-Approval", bare_hex(binding_hash)),
        ),
    )


def bare_hex(hash_value: str) -> str:
    """A hash as trailers carry it: 64 hex digits without ``sha256:``."""
    match = _HEX.fullmatch(hash_value)
    if match is None:
        raise InvalidInput("hash", "A hash is sha256: and 64 hex digits.")
    return match[1]


def _body_line(line: str) -> str:
    clean = _BREAK.sub(" ", _SURROGATE.sub("\ufffd", line))
    return clean.rstrip()


def _paragraphs(text: str) -> list[list[str]]:
    """Groups of lines without a blank one; only a line feed ends a line, as in git."""
    groups: list[list[str]] = [[]]
    for line in text.split("\n"):
        if line.strip(_SPACE):
            groups[-1].append(line)
        elif groups[-1]:
            groups.append([])
    return [group for group in groups if group]
