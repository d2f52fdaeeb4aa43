"""moves: staged files take their places one after the other; a list on the disk sees them to the end.

The list is written once everything is staged and checked. From then on the new state is decided:
whoever finds the list carries it out, from wherever the last one was stopped.
"""

import json
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from publisher.processes.backup import files

LIST = "restore.json"
STAGED = ".restoring"
_COMPANIONS = ("-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True)
class Move:
    """``staged`` goes to ``final``; what was there goes ``aside``, or away where that is empty.

    Of a folder that goes away its content does.
    """

    staged: str
    final: str
    aside: str


def pending(data_dir: Path) -> bool:
    """Whether a restore was cut short after it was decided."""
    return (data_dir / LIST).exists()


def decide(data_dir: Path, moves: Sequence[Move], again: str = "") -> None:
    """Write the list; ``again`` names the backup of a restore that is simply begun anew."""
    document = {"again": again, "moves": [asdict(move) for move in moves]}
    files.replace(json.dumps(document, indent=1), data_dir / LIST)


def begun_with(data_dir: Path) -> str:
    """The backup that a cut restore is to be begun anew with; "" when moves alone are left."""
    return str(json.loads((data_dir / LIST).read_text("utf-8"))["again"])


def withdraw(data_dir: Path) -> None:
    """Take the list back before any of it is carried out, with what was staged for it."""
    rows = _rows(data_dir)
    (data_dir / LIST).unlink()
    files.flush(data_dir)
    for row in rows:
        if row.staged:
            Path(row.staged).unlink(missing_ok=True)


def finish(data_dir: Path) -> list[Path]:
    """Carry the list out and remove it; where the former files are now."""
    rows = _rows(data_dir)
    for row in rows:
        _carry_out(row)
    (data_dir / LIST).unlink()
    files.flush(data_dir)
    return [Path(row.aside) for row in rows if row.aside and Path(row.aside).exists()]


def _rows(data_dir: Path) -> list[Move]:
    document = json.loads((data_dir / LIST).read_text("utf-8"))
    return [Move(**row) for row in document["moves"]]


def _carry_out(move: Move) -> None:
    staged, final = Path(move.staged), Path(move.final)
    if move.staged and not staged.exists():
        return  # done before
    for old in (final, *(final.with_name(final.name + end) for end in _COMPANIONS)):
        _put_away(old, f"{move.aside}{old.name.removeprefix(final.name)}" if move.aside else "")
    if move.staged:
        staged.replace(final)
    files.flush(final.parent)


def _put_away(old: Path, aside: str) -> None:
    if not old.exists():
        return
    if aside:
        old.replace(aside)
    elif old.is_dir():
        _empty(old)
    else:
        old.unlink()


def _empty(folder: Path) -> None:
    """Keep the folder itself: as a link or a mount it is the operator's, and a mount cannot go.

    Behind a link goes what has a name of ours. What cannot go stays, as a disk's own lost+found:
    all that is ours is made anew or healed.
    """
    with suppress(OSError):
        for each in list(folder.iterdir()):
            if not folder.is_symlink() or _is_ours(each.name):
                _remove(each)


def _is_ours(name: str) -> bool:
    """A clone has its site's number for a name; of a cache Django names the files."""
    return name.isdecimal() or name.endswith(".djcache")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()
