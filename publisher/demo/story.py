"""The story: makes the demo's repository, site, people and jobs through the services and the engine."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.management import call_command

from publisher import selectors
from publisher.demo import accounts, magazine
from publisher.demo.samples import (
    SAMPLES,
    SECOND_PERSON,
    SECOND_PERSONS_FILE,
    SECOND_PERSONS_MESSAGE,
    SOUP,
    Fate,
    Sample,
)
from publisher.domain.errors import InvalidInput
from publisher.domain.states import TERMINAL, Actor, State
from publisher.engine import sites as engine_sites
from publisher.journal import Who
from publisher.models import Job, Site
from publisher.models.site import CloneState
from publisher.ports import Ports
from publisher.services import acts, site_rules, sites
from publisher.services.submit import submit

SITE = "demo"
SCOPE = "default"
ADA = Who(Actor.SUBMITTER, "ada")
REQUIRED = ("title", "date", "summary")
STAY = (Fate.WAITS, Fate.PREPARED)
UNDECIDED = (State.RECEIVED.value, State.PREPARING.value, State.WAITING_APPROVAL.value)


@dataclass(frozen=True, slots=True)
class Story:
    """Tells the demo; every step finds what an interrupted run left and goes on from there."""

    data_dir: Path
    ports: Ports
    make_remote: Callable[..., None]
    add_commit: Callable[..., None]
    advance: Callable[[str], None]
    say: Callable[[str], None]

    @property
    def folder(self) -> Path:
        """Where the demo's repositories lie."""
        return self.data_dir / site_rules.DEMO

    def is_told(self) -> bool:
        """Whether the whole demo is there."""
        site = self._site()
        return site is not None and self._mark(site).exists()

    def tell(self) -> None:
        """Repository, site, jobs, decisions, in an order in which each finds what it needs."""
        self.say("demo: making a repository with the articles of a small magazine")
        site = self._ready_site()
        self.say(f"demo: submitting and preparing {len(SAMPLES)} sample jobs")
        jobs = [(sample, self._submitted(sample, site)) for sample in SAMPLES]
        for _sample, job in jobs:
            self.advance(job.pk)
        self.say("demo: approving, rejecting and publishing some of them")
        with _deciding():
            for sample, job in jobs:
                self._bring(sample, job, site)
        if any(self._is_undecided(sample, job) for sample, job in jobs):
            # Workers that run meanwhile may hold a job just now.
            self.say("demo: not all sample jobs are where they belong; run demo again in a minute")
        else:
            self._mark(site).touch()

    def begin_anew(self, who: Who) -> None:
        """Cancel the open jobs and take the site out of use; history and repository stay."""
        site = self._site()
        if site is None:
            return
        for job in Job.objects.filter(site=site).exclude(state__in=list(TERMINAL)):
            acts.cancel(job, who=who, now=self.ports.clock.now(), reason="The demo begins anew.")
        sites.remove(site, now=self.ports.clock.now())

    def _site(self) -> Site | None:
        """The demo's site; another one of that name is not touched."""
        site = Site.objects.filter(name=SITE).first()
        if site is not None and Path(site.remote).parent != self.folder:
            raise InvalidInput("site", f"There is a site named {SITE} that is not this demo's.")
        return site

    def _mark(self, site: Site) -> Path:
        return Path(site.remote).with_suffix(".complete")

    def _ready_site(self) -> Site:
        site = self._site()
        remote = Path(site.remote) if site else self._free_place()
        self.make_remote(
            remote, magazine.repository(), message="Begin the magazine.\n",
            date=self.ports.clock.now(),
        )  # fmt: skip
        if site is None:
            site = sites.add(
                name=SITE, remote=str(remote), scope=SCOPE, now=self.ports.clock.now(),
                branch="main", required_front_matter=list(REQUIRED),
            )  # fmt: skip
        if site.clone_state != CloneState.READY.value:
            engine_sites.check(site, self.ports)
            engine_sites.refresh(site, self.ports)
        return site

    def _free_place(self) -> Path:
        """A folder that no site, in use or not, has as its remote."""
        used = set(Site.objects.values_list("remote", flat=True))
        number = 1
        while str(self.folder / f"magazine-{number}.git") in used:
            number += 1
        return self.folder / f"magazine-{number}.git"

    def _submitted(self, sample: Sample, site: Site) -> Job:
        request = sample.request(site.name)
        return submit(request, who=ADA, scope=None, now=self.ports.clock.now()).job

    def _bring(self, sample: Sample, job: Job, site: Site) -> None:
        """Decide once, and only what still stands where the demo put it."""
        if sample.fate in STAY:
            return
        job = selectors.job(job.pk, scopes=None)
        if job.state == State.WAITING_APPROVAL.value and job.revision == 1:
            if sample.fate is Fate.CLASHES:
                self._second_person(site)
            verb, name = ("reject", "mei") if sample.fate is Fate.REJECTED else ("approve", "rui")
            accounts.quietly(
                call_command, verb, job.pk, "--hash", job.binding_hash, "--as", name,
                "--comment", sample.comment,
            )  # fmt: skip
        self.advance(job.pk)

    def _is_undecided(self, sample: Sample, job: Job) -> bool:
        now = selectors.job(job.pk, scopes=None)
        return sample.fate not in STAY and now.state in UNDECIDED and now.revision == 1

    def _second_person(self, site: Site) -> None:
        """Somebody edits the same article by git, after the draft was prepared."""
        self.add_commit(
            Path(site.remote), site.branch, {SOUP: magazine.material(SECOND_PERSONS_FILE)},
            SECOND_PERSON, SECOND_PERSONS_MESSAGE, date=self.ports.clock.now(),
        )  # fmt: skip


@contextmanager
def _deciding() -> Iterator[None]:
    """Let the console decide, for the demo's own decisions and no longer."""
    before = settings.IMPRIMATUR_CLI_DECISIONS
    settings.IMPRIMATUR_CLI_DECISIONS = True
    try:
        yield
    finally:
        settings.IMPRIMATUR_CLI_DECISIONS = before
