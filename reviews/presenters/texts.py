"""Texts: cutting long ones into parts that a page can hold, and giving edits their bytes back."""

from dataclasses import dataclass

PART_LINES = 1_500
PART_CHARACTERS = 120_000
LARGEST_EDIT = 512 * 1024
"""Bytes that a form takes for editing."""
BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of a text; ``first_line`` counts from 1, a long line goes on in the next part."""

    text: str
    first_line: int


@dataclass(frozen=True, slots=True)
class Parts:
    """Where a reader is in a text of several parts."""

    number: int
    count: int

    @property
    def numbers(self) -> range:
        """All parts, from 1."""
        return range(1, self.count + 1)

    @property
    def is_cut(self) -> bool:
        """Whether there is more than one."""
        return self.count > 1

    @property
    def next(self) -> int | None:
        """The part after this one."""
        return self.number + 1 if self.number < self.count else None


def pieces(text: str) -> list[Piece]:
    """The text in parts of bounded lines and characters; joined they are the text again."""
    found: list[Piece] = []
    lines: list[str] = []
    size, line, first = 0, 1, 1
    for whole in text.splitlines(keepends=True) or [""]:
        for chunk in _chunks(whole):
            if lines and (len(lines) >= PART_LINES or size + len(chunk) > PART_CHARACTERS):
                found.append(Piece("".join(lines), first))
                lines, size, first = [], 0, line
            lines.append(chunk)
            size += len(chunk)
        line += 1
    found.append(Piece("".join(lines), first))
    return found


def _chunks(line: str) -> list[str]:
    if len(line) <= PART_CHARACTERS:
        return [line]
    starts = range(0, len(line), PART_CHARACTERS)
    return [line[start : start + PART_CHARACTERS] for start in starts]


def choose(asked: int, count: int) -> Parts:
    """A part that exists, whatever was asked for."""
    return Parts(min(max(asked, 1), max(count, 1)), max(count, 1))


def editable(data: bytes) -> str:
    """What a text area shows of a file."""
    return data.decode("utf-8", "replace").removeprefix(BOM)


def edited(posted: str, original: bytes) -> bytes:
    """The bytes of an edit: forms send CRLF, so the file's own line ends are put back.

    An edit that changes nothing gives the original bytes, however mixed its line ends are; a
    browser makes CRLF of a lone CR as well.
    """
    plain, before = _plain(posted), editable(original)
    if plain == _plain(before):
        return original
    if before.count("\r\n") * 2 > before.count("\n"):
        plain = plain.replace("\n", "\r\n")
    bom = BOM if original.startswith(BOM.encode()) else ""
    return (bom + plain).encode()


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_text(data: bytes) -> bool:
    """Whether an editor would give these bytes back unharmed: UTF-8 without a NUL."""
    if b"\x00" in data:
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def part_of(text: str, line: int) -> int:
    """The part that holds the beginning of a line; the last one for a line beyond the end."""
    firsts = [piece.first_line for piece in pieces(text)]
    before = [number for number, first in enumerate(firsts, 1) if first <= line]
    exact = [number for number, first in enumerate(firsts, 1) if first == line]
    return exact[0] if exact else before[-1]
