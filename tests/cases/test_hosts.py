"""What the account and the address of a machine bring along."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from django.apps import apps

from publisher.adapters.git.repository import GitRepository
from publisher.domain.errors import InvalidInput, RepositoryError
from publisher.domain.states import State
from publisher.engine import sites as engine_sites
from publisher.models import Site
from publisher.ports import Repository, SiteSpec
from publisher.services import sites
from tests.support.account import hostile_account
from tests.support.git import git, second_person
from tests.support.journey import FRESH, FRESH_TEXT, HELLO, TARGET, Journey, begin, fresh, told

TOKEN = "ghp_FAKE%2Ftoken0000000000000000000000000"
NEEDLES = (TOKEN, "ghp_FAKE/token0000000000000000000000000")


def _rows() -> str:
    """Every column of every row."""
    return "\n".join(
        repr(row) for model in apps.get_models() for row in model._base_manager.values_list()
    )


def test_a_token_in_the_address_is_refused_and_kept_nowhere(journey: Journey) -> None:
    with pytest.raises(InvalidInput) as refusal:
        sites.add(
            name="tokened", remote=f"https://bot:{TOKEN}@127.0.0.1:9/repo.git", scope="default",
            now=journey.now(),
        )  # fmt: skip
    assert refusal.value.facts["field"] == "remote"
    assert "token" in refusal.value.message.lower()
    assert not Site.objects.filter(name="tokened").exists()
    said = f"{refusal.value.message} {refusal.value.facts}"
    files = [path.read_bytes() for path in journey.folder.rglob("*") if path.is_file()]
    for needle in NEEDLES:
        assert needle not in said
        assert needle not in _rows()
        assert not any(needle.encode() in data for data in files)


def test_a_token_from_a_file_is_in_no_row_and_no_file_of_the_clone(
    db: None, tmp_path: Path
) -> None:
    journey = begin(tmp_path / "site")
    secret = tmp_path / "secrets" / "token"
    secret.parent.mkdir()
    secret.write_text(f"{NEEDLES[1]}\n")
    secret.chmod(0o600)

    def repository(spec: SiteSpec, cancelled: Callable[[], bool]) -> Repository:
        return GitRepository(
            spec, root=journey.folder / "git", protocols=("https",), cancelled=cancelled
        )

    journey.ports = replace(journey.ports, repository=repository)
    site = sites.add(
        name="tokened", remote="https://127.0.0.1:9/repo.git", scope="default", now=journey.now(),
        branch="main", token_file=str(secret),
    )  # fmt: skip
    with pytest.raises(RepositoryError):
        engine_sites.refresh(site, journey.ports)
    site.refresh_from_db()
    assert "127.0.0.1" in site.last_error or "connect" in site.last_error.lower()
    files = [path.read_bytes() for path in journey.folder.rglob("*") if path.is_file()]
    for needle in NEEDLES:
        assert needle not in _rows()
        assert not any(needle.encode() in data for data in files)


def test_a_hostile_account_changes_no_commit(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journey = begin(tmp_path / "site")
    calm = journey.published(FRESH_TEXT, FRESH, action="create")
    hostile_account(tmp_path / "account", monkeypatch)
    created = journey.published(FRESH_TEXT, "content/posts/again.mdx", action="create")
    updated = journey.published(HELLO.replace(b"Second", b"2nd"), TARGET, action="update")
    clashing = journey.approved(HELLO.replace(b"First", b"1st"), TARGET, action="update")
    second_person(journey.remote, {TARGET: HELLO.replace(b"First", b"Very first")}, "human edit")
    journey.work()

    assert fresh(clashing).state == State.CONFLICT, told(clashing)
    first, again = (_shape(journey, fresh(job).remote_commit) for job in (calm, created))
    assert first == again
    journey.is_sound(calm, created, updated, clashing)


def _shape(journey: Journey, commit: str) -> list[str]:
    """A commit without what must differ between two jobs: values of trailers, ids, times, paths."""
    raw = git(journey.remote, "cat-file", "commit", commit).decode()
    kept = []
    for line in raw.splitlines():
        key = line.split(" ")[0]
        if key in ("author", "committer"):
            kept.append(line.rpartition(">")[0])
        elif key in ("tree", "parent") or line.startswith(("Blog-", "  content/")):
            kept.append(key)
        else:
            kept.append(line)
    return kept
