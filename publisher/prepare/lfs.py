"""Large files: what git keeps as a pointer must not be published as raw data, nor the other way round."""

import re

from publisher.domain.findings import Finding, Severity

_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:[a-z0-9.\-]+ [^\n]+\n)*"
    rb"oid sha256:[0-9a-f]{64}\n(?:[a-z0-9.\-]+ [^\n]+\n)*?size \d+\n"
)


def is_pointer(data: bytes) -> bool:
    """Whether these bytes are a git LFS pointer and not the file itself."""
    return len(data) < 1024 and _POINTER.fullmatch(data) is not None


def check(path: str, data: bytes, *, lfs: bool, is_new: bool = True) -> list[Finding]:
    """Block raw data at a path that ``.gitattributes`` gives to LFS; ``lfs`` says that it does.

    ``is_new`` says whether these bytes are others than those of the base: whoever put a pointer
    there also sent what it points to, and nobody here can see whether anybody did for a new one.
    """
    if lfs and not is_pointer(data):
        message = (
            "This path belongs to git LFS, and there is no LFS support: raw data would break it."
        )
        advice = (
            "Have .gitattributes of the site changed; then an operator chooses “Try again now”. "
            "Else give this job up and submit it anew, with the file at a path outside of LFS."
        )
        return [Finding(Severity.BLOCK, path, None, "lfs_path", message, advice)]
    if lfs and is_new:
        message = (
            "This is a git LFS pointer, and the file that it stands for is not sent from here."
        )
        advice = "Make sure that the LFS store of the site holds that file; else readers get none."
        return [Finding(Severity.WARN, path, 1, "lfs_pointer", message, advice)]
    if is_pointer(data) and not lfs:
        message = "This is a git LFS pointer, not the file; readers would get three lines of text."
        advice = "Submit the file itself."
        return [Finding(Severity.WARN, path, 1, "lfs_pointer", message, advice)]
    return []
