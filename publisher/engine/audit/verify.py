"""verify: the whole installation's promises, read anew from database, artifacts and remotes."""

from collections.abc import Iterator

from django.core.files.storage import storages
from django.db.models import Count

from publisher import artifacts
from publisher.domain.errors import ArtifactDamaged
from publisher.domain.states import MAY_HOLD_INTENT
from publisher.engine import effects
from publisher.engine.audit import chains, published
from publisher.engine.audit.breach import Breach
from publisher.models import Artifact, Effect, Job, Site, triggers
from publisher.models.site import CloneState
from publisher.ports import Ports


def verify(ports: Ports, *, site: str = "", deep: bool = False) -> list[Breach]:
    """Every breach found; an empty list means that every checked promise holds."""
    return [*_database(site), *_artifacts(deep=deep), *_remotes(ports, site)]


def _database(site: str) -> Iterator[Breach]:
    for name in sorted(triggers.missing()):
        yield Breach("guard_missing", name, "A guard of the database is missing. Run migrate.")
    jobs = Job.objects.select_related("site").order_by("pk")
    if site:
        jobs = jobs.filter(site__name=site)
    for job in jobs.iterator():
        yield from chains.check_job(job)
    yield from chains.check_seals()
    yield from _effects()


def _effects() -> Iterator[Breach]:
    allowed = [state.value for state in MAY_HOLD_INTENT]
    for effect in Effect.objects.filter(status__in=effects.OPEN).exclude(job__state__in=allowed):
        yield Breach("open_intent", effect.job_id, "A state that may hold no open write holds one.")
    twice = (
        Effect.objects.filter(status="confirmed")
        .values("job", "step")
        .annotate(times=Count("pk"))
        .filter(times__gt=1)
    )
    for row in twice:
        yield Breach("second_receipt", row["job"], "One step of this job has two receipts.")


def _artifacts(*, deep: bool) -> Iterator[Breach]:
    storage = storages["artifacts"]
    for row in Artifact.objects.order_by("pk").iterator():
        if deep:
            try:
                artifacts.load(row.pk)
            except ArtifactDamaged as damage:
                yield Breach("artifact_damaged", row.pk, damage.message)
            continue
        where = artifacts.place_of(row.pk)
        if not storage.exists(where) or storage.size(where) != row.size:
            yield Breach("artifact_missing", row.pk, "The stored bytes are missing or cut short.")


def _remotes(ports: Ports, site: str) -> Iterator[Breach]:
    rows = Site.objects.filter(removed_at__isnull=True, clone_state=CloneState.READY.value)
    for row in rows.filter(name=site) if site else rows:
        yield from published.check_site(row, ports)
