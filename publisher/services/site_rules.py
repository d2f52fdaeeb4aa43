"""Site rules: settings that can never work are refused where they are set, by the setting's name."""

import os
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from django.conf import settings
from django.db.models import QuerySet

from publisher.domain.branches import check_branch
from publisher.domain.errors import InvalidInput
from publisher.domain.globs import compile_glob, names_a_path
from publisher.domain.paths import check_spelling
from publisher.domain.remotes import protocol_of, whereabouts
from publisher.models import Site
from publisher.services.texts import check_readable, texts_of

_SCOPE = re.compile(r"[A-Za-z0-9_-]{1,100}")


LONGEST_QUIET_SECONDS = 30 * 24 * 3600
DEMO = "demo"
"""The folder in the data folder where the demo's repositories lie; they are remotes as any other."""


def _branch(site: Site) -> None:
    if site.branch:  # without one it is the remote's own
        check_branch(site.branch)
    _no_other_scope("branch", site)


def _no_other_scope(field: str, site: Site) -> None:
    """Whoever may publish there by one scope would pass the reviewers and policies of the other.

    The refusal names no site: its reader may not know of that one.
    """
    for other in _others(site).exclude(scope=site.scope):
        may_differ = bool(site.branch and other.branch)  # without one it is the remote's own
        if may_differ and site.branch != other.branch:
            continue
        if not _is_same_repository(site.remote, other.remote):
            continue
        if site.branch and not other.branch:
            raise InvalidInput(
                field,
                "A site of another scope publishes to this repository, and its branch is not known "
                "yet. Try again once it is, or name another repository.",
            )
        raise InvalidInput(
            field,
            "A site of another scope publishes to this branch of this repository. Name another "
            "branch or repository, or have a site in that scope.",
        )


def _others(site: Site) -> QuerySet[Site]:
    return Site.objects.filter(removed_at__isnull=True).exclude(pk=site.pk)


def _is_same_repository(one: str, other: str) -> bool:
    if "file" in (protocol_of(one), protocol_of(other)):
        return not _repository_folders(one).isdisjoint(_repository_folders(other))
    return whereabouts(one) == whereabouts(other)


def _articles(site: Site) -> None:
    _pattern("articles", site.articles)


def _assets(site: Site) -> None:
    if site.assets:
        _pattern("assets", site.assets)


def _pattern(field: str, pattern: str) -> None:
    try:
        compile_glob(pattern)
    except InvalidInput as refusal:
        raise InvalidInput(field, refusal.message) from None
    if not names_a_path(pattern):
        raise InvalidInput(
            field,
            f"The pattern {pattern} names no file. Begin at the repository's top folder, without a "
            "slash in front, an empty part, “.” or “..”.",
        )


def _fonts(site: Site) -> None:
    if site.fonts:
        check_spelling(site.fonts, field="fonts")


def _font_source(site: Site) -> None:
    if site.fonts and not site.font_source:
        raise InvalidInput("font_source", "Name the font file to cut the subset from.")
    if not site.font_source:
        return
    path = Path(site.font_source)
    if not path.is_absolute():
        raise InvalidInput("font_source", "Name the font file by its absolute path.")
    if not path.is_file() or not os.access(path, os.R_OK):
        raise InvalidInput("font_source", f"There is no font file {path} that can be read here.")


def _live_checkout(site: Site) -> None:
    if not site.live_checkout:
        return
    path = Path(site.live_checkout)
    if not path.is_absolute():
        raise InvalidInput("live_checkout", "Name the live checkout by its absolute path.")
    _outside("live_checkout", path)
    _outside("live_checkout", Path(checkout_folder(site)))
    _no_other_sites(site)
    if not (path / ".git").exists():
        raise InvalidInput("live_checkout", f"There is no clone in {path} on this machine.")


def checkout_folder(site: Site) -> str:
    """Git's own folder in the live checkout, by its one real name: whoever shares it has its branch."""
    return os.path.realpath(Path(site.live_checkout) / ".git")


def _no_other_sites(site: Site) -> None:
    """What lies there would go to both remotes, and each site would move the other's branch.

    Sites of all scopes are asked, so the refusal names none: its reader may not know of that one.
    """
    folder = checkout_folder(site)
    for other in _others(site):
        has_it = bool(other.live_checkout) and checkout_folder(other) == folder
        if has_it or folder in _repository_folders(other.remote):
            raise InvalidInput(
                "live_checkout",
                "Another site has this folder. Make a clone for this site alone and name that one.",
            )


def _repository_folders(remote: str) -> set[str]:
    """Where git looks for a remote on this machine; nowhere for one elsewhere."""
    if protocol_of(remote) != "file":
        return set()
    return {os.path.realpath(remote + end) for end in ("", ".git", "/.git")}


def _quiet_seconds(site: Site) -> None:
    if site.quiet_seconds < 0:
        raise InvalidInput("quiet_seconds", "The quiet time is a number of seconds from 0 up.")
    if site.quiet_seconds > LONGEST_QUIET_SECONDS:
        raise InvalidInput("quiet_seconds", "The quiet time is over 30 days. Give a shorter one.")


def _trailer_prefix(site: Site) -> None:
    prefix = site.trailer_prefix
    if not prefix.isascii() or not prefix.isalnum():
        raise InvalidInput("trailer_prefix", "Use letters and digits for the trailer prefix.")


def _outside(field: str, path: Path) -> None:
    """The clones of all sites lie in the data folder, with what other scopes did not publish yet."""
    data = settings.IMPRIMATUR_DATA_DIR.resolve()
    place = path.resolve()
    if place.is_relative_to(data) and not place.is_relative_to(data / DEMO):
        raise InvalidInput(
            field, "This folder belongs to the server's own data. Name one outside of it."
        )


RULES: Mapping[str, Callable[[Site], None]] = {
    "branch": _branch,
    "font_source": _font_source,
    "fonts": _fonts,
    "articles": _articles,
    "assets": _assets,
    "live_checkout": _live_checkout,
    "quiet_seconds": _quiet_seconds,
    "trailer_prefix": _trailer_prefix,
}


def check_scope(scope: str) -> None:
    """A scope comes into being by its first site or person; any but a plain name is mistyped."""
    if not _SCOPE.fullmatch(scope):
        raise InvalidInput("scope", "Use letters, digits, _ and - for the scope.")


def check_remote_place(site: Site) -> None:
    """Raise InvalidInput for a remote that is a clone of the product's own, or another's already."""
    if protocol_of(site.remote) == "file":
        _outside("remote", Path(site.remote))
    _no_other_scope("remote", site)
    folders = _repository_folders(site.remote)
    for other in _others(site).exclude(live_checkout=""):
        if checkout_folder(other) in folders:
            raise InvalidInput(
                "remote",
                "Another site has this folder as its live checkout. Name the repository that it "
                "was cloned from.",
            )


def check_texts(site: Site, names: Collection[str]) -> None:
    """Raise InvalidInput for the first of these settings that no database keeps as it is."""
    for name in sorted(names):
        for text in texts_of(getattr(site, name)):
            check_readable(text, field=name)


def longest(name: str) -> int:
    """How many characters a setting's column holds; 0 for one without a limit."""
    return getattr(Site._meta.get_field(name), "max_length", None) or 0  # noqa: SLF001 (Django's own way)


def check_length(site: Site, names: Collection[str]) -> None:
    """Raise InvalidInput for the first of these texts that its column cannot hold."""
    for name in sorted(names):
        most = longest(name)
        if most and len(getattr(site, name)) > most:
            raise InvalidInput(name, f"This has at most {most} characters.")


def check(site: Site, changed: Collection[str]) -> None:
    """Raise InvalidInput for the first of these settings that cannot work.

    A setting that stays is not asked for again: its folder may be away for a while.
    """
    check_texts(site, changed)
    check_length(site, changed)
    names = {*changed, "font_source"} if "fonts" in changed else set(changed)
    for name, rule in RULES.items():
        if name in names:
            rule(site)
