"""The hourly look for lost answers: each job and each site by itself, and one fetch for all of a site."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from publisher import journal
from publisher.adapters.git.repository import GitRepository
from publisher.domain.errors import InvalidInput, OutcomeUnknown, RemoteUnreachable, TooLate
from publisher.domain.retries import DEFAULT_LIMITS
from publisher.domain.states import State
from publisher.engine import confirm
from publisher.engine import sites as engine_sites
from publisher.engine.reconcile import RECONCILERS, probes, sweep
from publisher.models import Job, JobEvent, Site
from publisher.ports import Ports, Repository, SiteSpec
from publisher.services import acts, sites
from tests.support.clock import ManualClock
from tests.support.git import git, make_remote, second_person
from tests.support.journey import OMAR, SEED, Journey, effect, fresh, told
from tests.support.planted import stored_file


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Any) -> None:
    """A data folder of this test's own, for the seals."""
    (tmp_path / "data").mkdir()
    settings.IMPRIMATUR_DATA_DIR = tmp_path / "data"


LOOK = "_look"


def lost(journey: Journey, monkeypatch: pytest.MonkeyPatch, name: str) -> Job:
    """A job that arrived, whose answer was lost, and that failed while the remote was away."""
    text = f"---\ntitle: {name}\n---\n\nAll about {name}, and nothing else.\n".encode()
    job = journey.approved(text, f"content/posts/{name}.mdx", action="create")
    remote, away = Path(journey.site.remote), Path(journey.site.remote).with_name("away.git")
    real = GitRepository.push

    def push(self: GitRepository, commit: str, *, lease: str) -> None:
        real(self, commit, lease=lease)
        remote.rename(away)
        raise OutcomeUnknown("No answer came.")

    with monkeypatch.context() as patch:
        patch.setattr(GitRepository, "push", push)
        journey.work()
        Job.objects.filter(pk=job.pk).update(attempt=DEFAULT_LIMITS.push_attempts)
        journey.hurry(job)
    away.rename(remote)
    assert fresh(job).state == State.FAILED, told(job)
    return come(journey, job)


def come(journey: Journey, *jobs: Job) -> Job:
    """The hour is over."""
    over = journey.now() - timedelta(seconds=1)
    Job.objects.filter(pk__in=[job.pk for job in jobs]).update(available_at=over)
    return fresh(jobs[0])


def beside(journey: Journey, name: str) -> Journey:
    """Another site with a remote of its own."""
    folder = journey.folder / name
    folder.mkdir()
    remote = make_remote(folder / "remote.git", SEED)
    site = sites.add(name=name, remote=str(remote), scope="default", now=journey.now())
    other = replace(journey, remote=remote, site=site)
    other.work()
    site.refresh_from_db()
    return other


class Fetches:
    """Counts fetches by site, and lets some fail."""

    def __init__(self, fails: Callable[[str], Exception | None] = lambda _site: None) -> None:
        self.seen: list[str] = []
        self._fails = fails

    def of(self, ports: Ports) -> Ports:
        """The same ports, watched."""

        def repository(spec: SiteSpec, cancelled: Callable[[], bool]) -> Repository:
            found: Any = ports.repository(spec, cancelled)
            fetch = found.fetch

            def watched() -> str:
                self.seen.append(spec.name)
                trouble = self._fails(spec.name)
                if trouble is not None:
                    raise trouble
                tip: str = fetch()
                return tip

            found.fetch = watched
            return found  # type: ignore[no-any-return]

        return replace(ports, repository=repository)


def last(job: Job) -> JobEvent:
    return JobEvent.objects.filter(job=job).latest("seq")


def test_a_damaged_job_stops_no_probe_of_another(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = lost(journey, monkeypatch, "tides")
    good = lost(journey, monkeypatch, "winds")
    stored_file(damaged.manifest_artifact).unlink()

    assert sweep(journey.ports).failed == ()

    assert fresh(good).state == State.PUBLISHED, told(good)
    event = last(damaged)
    assert (event.event, event.facts["result"]) == ("probed", "unknown")
    assert "are missing" in event.reason
    assert fresh(damaged).available_at > journey.now()


def test_a_defect_of_one_job_is_told_on_it(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = lost(journey, monkeypatch, "tides")
    second = lost(journey, monkeypatch, "winds")
    real = confirm.search

    def search(repository: Repository, job: Job, tip: str) -> Any:
        if job.pk == first.pk:
            raise AttributeError
        return real(repository, job, tip)

    monkeypatch.setattr(confirm, "search", search)
    probes.run(journey.ports)
    assert last(first).reason == "Unexpected AttributeError."
    assert fresh(second).state == State.PUBLISHED, told(second)


def test_a_note_that_cannot_be_written_stops_no_other(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = lost(journey, monkeypatch, "tides")
    second = lost(journey, monkeypatch, "winds")
    stored_file(first.manifest_artifact).unlink()

    def full(*_arguments: object, **_more: object) -> None:
        raise OSError

    monkeypatch.setattr(journal, "note", full)
    probes.run(journey.ports)
    assert fresh(second).state == State.PUBLISHED, told(second)


def test_a_site_is_fetched_once_for_all_its_jobs(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = [lost(journey, monkeypatch, name) for name in ("tides", "winds", "clouds")]
    silent = Fetches(lambda _site: RemoteUnreachable("It gave no answer."))
    probes.run(silent.of(journey.ports))
    assert silent.seen == ["magazine"]
    assert [last(job).reason for job in jobs] == ["It gave no answer."] * 3
    come(journey, *jobs)
    answers = Fetches()
    counts = probes.run(answers.of(journey.ports))
    assert (answers.seen, counts.changed) == (["magazine"], 3)


def test_two_at_once_break_neither_the_job_nor_another(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = [lost(journey, monkeypatch, "tides"), lost(journey, monkeypatch, "winds")]
    come(journey, *jobs)
    others: list[object] = []
    look = getattr(probes, LOOK)

    def after_another(*arguments: Any) -> None:
        if not others:  # the other one is done when this one, which read the rows before, looks
            others.append(probes)
            probes.run(journey.ports)
        look(*arguments)

    monkeypatch.setattr(probes, LOOK, after_another)
    probes.run(journey.ports)
    assert others
    for job in jobs:
        told_of = list(JobEvent.objects.filter(job=job).values_list("event", flat=True))
        assert (fresh(job).state, told_of.count("confirm")) == (State.PUBLISHED, 1), told(job)
        assert (effect(job).status, len(journey.commits_of(job))) == ("confirmed", 1)
        journey.is_sound(job)


def test_a_site_in_trouble_comes_after_the_others_and_long_looks_end(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, others = beside(journey, "aside"), [beside(journey, "bside"), journey]
    bad = [lost(first, monkeypatch, "tides"), lost(others[0], monkeypatch, "winds")]
    good = lost(journey, monkeypatch, "clouds")
    Site.objects.update(last_error="It gave no answer.")
    Site.objects.filter(name="magazine").update(last_error="")
    clock = ManualClock(journey.now())

    def hangs(site: str) -> Exception | None:
        if site == "magazine":
            return None
        clock.advance(120)
        return RemoteUnreachable("It gave no answer.")

    fetches = Fetches(hangs)
    probes.run(replace(fetches.of(journey.ports), clock=clock))
    assert fetches.seen == ["magazine", "aside"]
    assert fresh(good).state == State.PUBLISHED, told(good)
    assert [last(job).event for job in bad] == ["probed", "fail"]

    probes.run(replace(fetches.of(journey.ports), clock=clock))
    assert fetches.seen == ["magazine", "aside", "bside"]


def test_a_silent_site_is_left_for_later(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> None:
    job = lost(journey, monkeypatch, "tides")
    monkeypatch.setattr(engine_sites, "is_silent", lambda *_some, **_more: True)
    fetches = Fetches()
    counts = probes.run(fetches.of(journey.ports))
    assert (fetches.seen, counts.left, last(job).event) == ([], 1, "fail")


def test_a_site_out_of_use_is_asked_what_came_of_it(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = lost(journey, monkeypatch, "tides")
    sites.remove(journey.site, now=journey.now())
    probes.run(journey.ports)
    assert fresh(job).state == State.PUBLISHED, told(job)


def unsent(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> Job:
    """A job that did not arrive, and of which that is not known."""
    with monkeypatch.context() as patch:
        patch.setattr(GitRepository, "push", lambda *_some, **_more: None)
        return lost(journey, monkeypatch, "tides")


def test_what_the_branch_went_on_without_may_be_retried(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = unsent(journey, monkeypatch)
    probes.run(journey.ports)
    assert (effect(job).status, last(job).facts["result"]) == ("intent", "none")
    assert last(job).reason.startswith("The push may still be on its way.")
    with pytest.raises(TooLate):
        acts.retry(fresh(job), who=OMAR, now=journey.now())

    second_person(journey.remote, {"notes.txt": b"Nothing to do with it."}, "went on")
    come(journey, job)
    probes.run(journey.ports)
    assert (effect(job).status, last(job).facts["result"]) == ("absent", "absent")
    assert fresh(job).failure_message.endswith("Nothing of it was published.")
    journey.is_sound(job)
    acts.retry(fresh(job), who=OMAR, now=journey.now())
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_another_repository_tells_nothing_of_what_was_sent(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = unsent(journey, monkeypatch)
    journey.remote.rename(journey.remote.with_name("real.git"))
    make_remote(journey.remote, {"a.md": b"Another.\n"})
    probes.run(journey.ports)
    assert effect(job).status == "intent"
    assert last(job).reason.startswith("The remote holds another repository")


def test_another_branch_tells_nothing_of_what_was_sent(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = unsent(journey, monkeypatch)
    git(journey.remote, "branch", "trunk", "main")
    second_person(journey.remote, {"a.md": b"Another.\n"}, "elsewhere", branch="trunk")
    with pytest.raises(InvalidInput) as refused:
        sites.change(Site.objects.get(), now=journey.now(), branch="trunk")
    assert refused.value.message.startswith(f"Job {job.pk} may have been sent to the branch main,")
    sites.change(Site.objects.get(), now=journey.now(), quiet_seconds=7)

    Site.objects.update(branch="trunk")
    probes.run(journey.ports)
    assert effect(job).status == "intent"
    assert "Set the branch main again" in last(job).reason
    sites.change(Site.objects.get(), now=journey.now(), branch="main")


def test_nothing_waits_for_the_probes() -> None:
    """They are the only part of a sweep that asks a remote."""
    assert list(RECONCILERS)[-1] == "probes"
