"""A site on an https remote: a whole publication, and what its page says when something is wrong."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.test import Client

from publisher.adapters.git.environment import Network
from publisher.adapters.git.repository import GitRepository
from publisher.adapters.git.runner import Deadlines
from publisher.domain.states import State
from publisher.models import Artifact, JobEvent, Site
from publisher.ports import Repository, SiteSpec
from publisher.services import sites
from reviews.models import Principal
from tests.support import people
from tests.support.git import blob, make_remote
from tests.support.git_server import TOKEN, GitHost, make_authority, make_certificate, serve
from tests.support.journey import FRESH, FRESH_TEXT, SEED, Journey, fresh, ports_in, told

pytestmark = pytest.mark.django_db


@pytest.fixture
def host(tmp_path: Path) -> Iterator[GitHost]:
    make_authority(tmp_path / "authority")
    with serve(GitHost(tmp_path), make_certificate(tmp_path / "authority")) as running:
        yield running


@pytest.fixture
def journey(tmp_path: Path, host: GitHost) -> Journey:
    """A site on the host whose clone nobody has made yet."""
    remote = make_remote(tmp_path / "remote.git", SEED)
    token_file = tmp_path / "token"
    token_file.write_text(TOKEN)
    token_file.chmod(0o600)
    network = Network(ca_file=str(tmp_path / "authority" / "ca.pem"))

    def repository(spec: SiteSpec, cancelled: Callable[[], bool]) -> Repository:
        return GitRepository(
            spec, root=tmp_path / "git", protocols=("https",), cancelled=cancelled,
            deadlines=Deadlines(network=2.0, idle=2.0), network=network,
        )  # fmt: skip

    people.everybody()
    ports = replace(ports_in(tmp_path), repository=repository)
    site = sites.add(
        name="magazine", remote=host.address(), scope="default", now=ports.clock.now(),
        token_file=str(token_file),
    )  # fmt: skip
    return Journey(tmp_path, remote, ports, site)


def test_an_article_goes_its_whole_way(journey: Journey) -> None:
    journey.work()
    job = journey.published(FRESH_TEXT, FRESH)
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert blob(journey.remote, FRESH) == FRESH_TEXT


def test_a_push_whose_answer_was_cut_off_is_found_on_the_remote_and_not_sent_again(
    journey: Journey, host: GitHost
) -> None:
    journey.work()
    job = journey.approved(FRESH_TEXT, FRESH)
    host.cut, host.only = True, "/git-receive-pack"
    journey.work()
    host.well()
    journey.hurry(job)
    assert fresh(job).state == State.PUBLISHED, told(job)
    pushes = [path for path, login in host.seen if path.endswith("/git-receive-pack") and login]
    assert len(pushes) == 1


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"token": "another-one"}, "refuses the token"),
        ({"status": 403}, "forbids this"),
        ({"status": 404}, "no repository at this address"),
        ({"status": 500}, "trouble of its own"),
        ({"redirect": "https://localhost:9"}, "repository moved"),
        ({"cut": True, "only": "git-upload-pack"}, "broke off"),
        ({"hang": True}, "did not answer in time"),
    ],
)
def test_the_site_s_page_says_what_is_wrong_and_nothing_holds_the_token(
    journey: Journey, host: GitHost, fault: dict[str, object], words: str, client: Client,
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    for name, value in fault.items():
        setattr(host, name, value)
    journey.work()
    user = Principal.objects.get(name="omar").user
    assert user is not None
    client.force_login(user)
    shown = client.get("/sites/magazine/").content.decode()
    assert words in shown
    stored = f"{list(Site.objects.values())}{list(JobEvent.objects.values())}"
    captured = capsys.readouterr()
    told_anywhere = f"{shown}{stored}{caplog.text}{captured.out}{captured.err}"
    assert TOKEN not in told_anywhere
    assert not Artifact.objects.filter(pk__contains=TOKEN).exists()
