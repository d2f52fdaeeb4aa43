"""A new site takes jobs before its repository was ever read, and publishes them once it was."""

from pathlib import Path

from publisher.domain.states import State
from publisher.models.site import CloneState
from publisher.services import sites
from tests.support.git import blob, make_remote
from tests.support.journey import SEED, Journey, fresh, ports_in, told
from tests.support.people import everybody

PATH = "content/posts/early.md"
TEXT = b"---\ntitle: Early\n---\n\nHanded in before anything was read.\n"


def test_a_job_that_came_before_the_clone_is_published(db: None, tmp_path: Path) -> None:
    everybody()
    remote, ports = make_remote(tmp_path / "remote.git", SEED), ports_in(tmp_path)
    now = ports.clock.now()
    site = sites.add(name="magazine", remote=str(remote), scope="default", now=now)
    assert site.clone_state == CloneState.PENDING.value
    journey = Journey(tmp_path, remote, ports, site)

    job = journey.submit(TEXT, PATH, action="create")

    assert fresh(job).state == State.RECEIVED
    journey.work()
    journey.hurry(job)
    journey.approve(job)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert blob(remote, PATH) == TEXT
    site.refresh_from_db()
    journey.is_sound(job)
