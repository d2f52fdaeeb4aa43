"""Roots: whether a site's remote still is the repository that was connected; another one stops it."""

from django.db import transaction

from publisher import statements
from publisher.domain.states import Lane
from publisher.models import Site
from publisher.ports import Repository

WORDS = (
    "The remote holds another repository than the one that was connected: its first commit is "
    "{found}, not {known}. Nothing leaves until somebody resumes the site."
)


def watch(site: Site, repository: Repository, tip: str, *, built_on: str = "") -> None:
    """Keep the first commit at first sight; pause the site when the remote's is another one.

    A tip that is known, or that is built on what is known, costs no look.
    """
    if not site.root_commit:
        site.root_commit = repository.root(tip)
        Site.objects.filter(pk=site.pk, root_commit="").update(root_commit=site.root_commit)
        return
    if tip in (site.head, built_on) or (site.head and repository.is_ancestor(site.head, tip)):
        return
    found = repository.root(tip)
    if found != site.root_commit:
        _stop(site, WORDS.format(found=found[:12], known=site.root_commit[:12]))


def _stop(site: Site, why: str) -> None:
    with transaction.atomic():
        paused = {*statements.locked(Site, site.pk).paused_lanes, Lane.PUBLISH.value}
        site.stop_reason, site.paused_lanes = why, sorted(paused)
        Site.objects.filter(pk=site.pk).update(stop_reason=why, paused_lanes=site.paused_lanes)
