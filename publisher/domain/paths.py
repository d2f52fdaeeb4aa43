"""Paths: which repository paths a job may ever name. The only path check there is."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence

from publisher.domain.errors import InvalidInput, UnsafePath
from publisher.domain.globs import match_glob

__all__ = ["check_path", "check_spelling", "folders", "match_glob", "shown", "twins"]

MAX_PART_BYTES = 200
MAX_PATH_BYTES = 1000
MAX_DEPTH = 20

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_LINE_SEPARATOR = re.compile("[\u2028\u2029]")
_DRIVE = re.compile("[A-Za-z]:")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)\Z")

# Format characters that have a shape of their own, so nothing hides behind them.
_VISIBLE_FORMAT = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
# Characters without a shape that Unicode does not count among the format characters.
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
_VARIATION = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")

_REPOSITORY = re.compile(r"\.git\Z|git~[0-9]+\Z")
# NTFS gives long names short ones: from their first letters, or from a hash where those are taken.
_INSTRUCTIONS = re.compile(
    r"\.git(?:attributes|ignore|modules)\Z|\.(?:lfsconfig|mailmap)\Z"
    r"|git(?:att|ign|mod)~[0-9]+\Z|gi(?:7eba|7d29|250a)~[0-9]+\Z"
)


def check_path(path: str, *, field: str, roots: Sequence[str]) -> str:
    """The path, when a job may name it: safely spelled and within one of the site's roots.

    ``roots`` are glob patterns; no roots allow nothing. Raises UnsafePath with a rule's name and a
    sentence that says the way out; ``field`` is the name of the input that held the path.
    """
    checked = check_spelling(path, field=field)
    if not any(match_glob(unicodedata.normalize("NFC", root), checked) for root in roots):
        allowed = ", ".join(roots) or "none"
        _refuse(field, path, "outside_roots", f"is outside the site's folders ({allowed}).")
    return checked


def check_spelling(path: str, *, field: str) -> str:
    """The path, when its spelling is safe anywhere. For paths whose roots were checked before."""
    if not path:
        raise UnsafePath(field, path, "empty", "The path is empty. Name a file.")
    _check_characters(field, path)
    _check_size(field, path)
    _check_shape(field, path)
    for part in path.split("/"):
        _check_part(field, path, part)
    return path


def twins(name: str, existing_names: Iterable[str]) -> list[str]:
    """Existing names that some file system or reader takes for this one, without being identical.

    They differ in Unicode composition, width, case or shapeless characters alone. Works on names
    of one folder and on whole paths; sorted.
    """
    key = twin_key(name)
    return sorted({other for other in existing_names if other != name and twin_key(other) == key})


def folders(path: str) -> list[str]:
    """The folders above a path, from the top: ``a/b/c.md`` has ``a`` and ``a/b``."""
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def shown(text: str, limit: int = 120) -> str:
    """Text for a message: what cannot be seen is written as its code point, long text is cut."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(c if c.isprintable() and not _is_hidden(c) else f"<U+{ord(c):04X}>" for c in cut)


def is_nameable(path: str, *, roots: Sequence[str]) -> bool:
    """Whether a job may name this path, which a repository may hold anyhow."""
    try:
        check_path(path, field="path", roots=roots)
    except UnsafePath:
        return False
    return True


def spelled(path: str) -> str:
    """A path for a message that tells it from its twin: decomposed letters as their code points."""
    composed = frozenset(unicodedata.normalize("NFC", path))
    return "".join(shown(c) if c.isascii() or c in composed else f"<U+{ord(c):04X}>" for c in path)


def unnameable_twin(twin: str, name: str) -> str:
    """Why a name is refused whose twin in the repository is no way out, and what is one."""
    return (
        f"The repository has {spelled(twin)}, which other systems take for {name} and which no job "
        "may name as it is spelled there. Rename it in the repository first, or choose another "
        "name."
    )


def _refuse(field: str, path: str, rule: str, why: str) -> None:
    stored = path.encode("utf-8", "backslashreplace").decode()
    raise UnsafePath(field, stored, rule, f'The path "{shown(path)}" {why}')


def _check_characters(field: str, path: str) -> None:
    if _SURROGATE.search(path):
        _refuse(field, path, "invalid_unicode", "is not valid Unicode. Send it as UTF-8.")
    for part in path.split("/"):
        # Before the hidden characters, so that a disguised .git is called by its name.
        _check_git(field, path, part)
    if _CONTROL.search(path):
        _refuse(field, path, "control", "holds a control character. Remove it.")
    if _LINE_SEPARATOR.search(path):
        _refuse(field, path, "line_separator", "holds a line separator. Remove it.")
    hidden = next((char for char in path if _is_hidden(char)), None)
    if hidden is not None:
        _refuse(field, path, "hidden", f"holds the invisible U+{ord(hidden):04X}. Remove it.")
    composed = unicodedata.normalize("NFC", path)
    if composed != path:
        _refuse(field, path, "not_nfc", f'is not in form NFC. Send it as "{shown(composed)}".')


def _check_size(field: str, path: str) -> None:
    if len(path.encode()) > MAX_PATH_BYTES:
        _refuse(field, path, "too_long", f"is over {MAX_PATH_BYTES} bytes. Shorten it.")
    parts = path.split("/")
    if len(parts) > MAX_DEPTH:
        _refuse(field, path, "too_deep", f"has over {MAX_DEPTH} parts. Use fewer folders.")
    if any(len(part.encode()) > MAX_PART_BYTES for part in parts):
        _refuse(field, path, "part_too_long", f"has a part over {MAX_PART_BYTES} bytes.")


def _check_shape(field: str, path: str) -> None:
    if "\\" in path:
        _refuse(field, path, "backslash", 'holds a backslash. Write folders with "/".')
    parts = path.split("/")
    if not parts[0] or _DRIVE.fullmatch(parts[0]):
        _refuse(field, path, "absolute", "is absolute. Name it from the repository's top folder.")
    if ".." in parts:
        _refuse(field, path, "traversal", 'holds "..". Write where the file is itself.')
    if "." in parts or "" in parts:
        _refuse(field, path, "empty_part", 'has an empty part or ".". Write each part once.')
    if path.startswith("-"):
        _refuse(field, path, "leading_dash", 'begins with "-", which tools take for an option.')


def _check_part(field: str, path: str, part: str) -> None:
    if part[-1] in ". ":
        _refuse(field, path, "trailing", "has a part that ends in a dot or a space. Remove it.")
    stem = re.split("[.:]", part, maxsplit=1)[0].rstrip(" ")
    if _RESERVED.match(stem.casefold()):
        _refuse(field, path, "reserved", f'holds "{stem}", a device on Windows. Rename it.')


def _check_git(field: str, path: str, part: str) -> None:
    """Compare as the most forgiving file systems do: HFS+ ignores shapeless characters, NTFS drops
    trailing dots and spaces and what follows a colon, both ignore case."""
    bare = "".join(char for char in part if not _is_hidden(char))
    folded = unicodedata.normalize("NFKC", bare).casefold()
    for piece in re.split(r"[\\/]", folded):
        name = piece.split(":", maxsplit=1)[0].rstrip(". ")
        if _REPOSITORY.match(name):
            _refuse(field, path, "git_folder", "names git's own folder, which no job may touch.")
        if _INSTRUCTIONS.match(name):
            _refuse(field, path, "git_file", "names a file that git takes instructions from.")


def _is_hidden(char: str) -> bool:
    if char in _BLANK_LETTERS:
        return True
    return unicodedata.category(char) == "Cf" and char not in _VISIBLE_FORMAT


def twin_key(name: str) -> str:
    """What is the same for all twins of a name or path."""
    if name.isascii():  # nothing else happens to those, and most are
        return name.lower()
    shapes = "".join(char for char in _VARIATION.sub("", name) if not _is_hidden(char))
    # Case and composition undo each other in places, so both are done until nothing changes; by way
    # of upper case, because a dotless i is an "I" there.
    for _ in range(3):
        shapes = unicodedata.normalize("NFKC", shapes).upper().casefold()
    return unicodedata.normalize("NFKC", shapes)


def place_key(path: str) -> bytes:
    """What is the same for all twins of a path, each part ended by a zero byte.

    So the key of a folder begins the key of all that lies in it, and of nothing else.
    """
    return "".join(f"{twin_key(part)}\0" for part in path.split("/")).encode()


def in_the_way_of_fonts(path: str, font: str) -> str:
    """Why a draft cannot have a file there."""
    return (
        f"{path} is in the way of {font}, the font file that is made for this site. Choose another "
        "name."
    )


def stands_beside(path: str, other: str) -> bool:
    """Whether both can be files of one branch, on every system."""
    try:
        check_side_by_side((path, other), field="path")
    except InvalidInput:
        return False
    return path != other


def check_side_by_side(paths: Collection[str], *, field: str) -> None:
    """Refuse paths of one draft that cannot all be files: a file above another, and twins.

    Twins are asked for at each folder, too: two spellings of one folder are two of them wherever
    both are taken, and one of them elsewhere.
    """
    names = set(paths)
    spelled_first: dict[bytes, tuple[str, str]] = {}
    for path in sorted(names):
        for step in (*folders(path), path):
            if step in names and step != path:
                raise InvalidInput(field, f"{step} cannot be a file and the folder of {path}.")
            first, of = spelled_first.setdefault(place_key(step), (step, path))
            if first == step:
                continue
            if step == path and first == of:
                raise InvalidInput(field, f"{first} and {path} are one file on some systems.")
            raise InvalidInput(
                field,
                f"On some systems {step} of {path} is the same as {first} of {of}. Write it one "
                "way, or choose another name.",
            )
