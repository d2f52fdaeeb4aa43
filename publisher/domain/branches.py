"""Branches: which names git takes for one, and no reader for something else."""

import re

from publisher.domain.errors import InvalidInput

_NAME = re.compile(r"(?!.*(?:\.\.|//|@\{|\.lock(?:/|\Z)|/\.|[/.]\Z))[^\x00-\x20\x7f~^:?*\[\\]+\Z")


def is_ref_name(text: str) -> bool:
    """Whether git would take it as a name, and nothing could take it for an option."""
    return bool(_NAME.match(text)) and not text.startswith(("-", "/", ".")) and text != "@"


def is_branch(text: str) -> bool:
    """Whether it can name a branch: "HEAD" and whole refs name something else as well."""
    return is_ref_name(text) and text != "HEAD" and not text.startswith("refs/")


def check_branch(text: str) -> str:
    """The branch's name as given, or InvalidInput with the way out."""
    if not is_branch(text):
        raise InvalidInput(
            "branch", "That is no name of a branch. Give its plain name, such as main."
        )
    return text
