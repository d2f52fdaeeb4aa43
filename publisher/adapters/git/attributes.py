"""Attributes: which paths a commit's .gitattributes give to LFS, asked of git itself."""

from collections.abc import Iterable
from pathlib import Path

from publisher.adapters.git.objects import Objects, is_file
from publisher.adapters.git.runner import Runner
from publisher.domain.paths import check_spelling, folders

_NAME = ".gitattributes"


def lfs_paths(runner: Runner, objects: Objects, commit: str, paths: Iterable[str]) -> set[str]:
    """Those of the paths whose filter is "lfs" at this commit.

    The attribute files along the paths are put into a folder of their own and git is asked there:
    the rules of precedence, macros and patterns are git's own. Where none of these files says
    "lfs", no process is started.
    """
    wanted = sorted({check_spelling(path, field="paths") for path in paths})
    above = {folder for path in wanted for folder in folders(path)}
    files = {}
    for folder in ["", *sorted(above)]:
        name = f"{folder}/{_NAME}" if folder else _NAME
        entry = objects.entry(commit, name)
        if entry is not None and is_file(entry.mode):
            files[name] = objects.get(entry.blob, "blob")
    if not any(b"lfs" in data for data in files.values()):
        return set()
    with runner.scratch() as scratch:
        for name, data in files.items():
            target = Path(scratch, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        answer = runner.run(
            "check-attr", "-z", "--stdin", operands=["filter"],
            stdin=b"".join(path.encode() + b"\x00" for path in wanted),
            variables={"GIT_WORK_TREE": scratch}, folder=Path(scratch),
        )  # fmt: skip
    fields = answer.out.split(b"\x00")
    return {
        path.decode()
        for path, value in zip(fields[0::3], fields[2::3], strict=False)
        if value == b"lfs"
    }
