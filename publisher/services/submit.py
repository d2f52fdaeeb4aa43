"""submit: a request becomes a durable job, once per key."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from publisher import journal, selectors
from publisher.domain.envelope import digest
from publisher.domain.errors import KeyReused
from publisher.domain.ids import job_id
from publisher.domain.secrets import scrub_line, scrub_parted
from publisher.domain.states import Lane
from publisher.journal import Who
from publisher.models import Job, Revision, Site
from publisher.models.revision import given_title
from publisher.services import keyed, search
from publisher.services.places import refuse_unfit
from publisher.services.redaction import Taken, rules_of, scrub_values, store_bytes
from publisher.services.requests import (
    KEY_CHARACTERS,
    TOPIC_CHARACTERS,
    Asset,
    SubmitRequest,
    check_request,
    check_texts,
    request_hashes,
)

__all__ = ["Asset", "SubmitRequest", "Submitted", "check", "submit"]


@dataclass(frozen=True, slots=True)
class Submitted:
    """The job of a request, and whether this call made it."""

    job: Job
    created: bool


def check(request: SubmitRequest, *, scope: str | None, now: datetime) -> None:
    """Refuse what ``submit`` would refuse; nothing is stored."""
    _checked(request, _site(request, scope), now)


def submit(
    request: SubmitRequest,
    *,
    who: Who,
    scope: str | None,
    now: datetime,
    alongside: Callable[[], Mapping[str, Any]] = dict,
    is_own_key: bool = False,
) -> Submitted:
    """Write the job and its first revision; the same key and request give the same job again.

    ``scope`` is the space that the caller acts in; None (the console) takes the site's own.
    ``alongside`` writes first in the job's own transaction, or refuses by raising; what it returns
    goes into the first event. With ``is_own_key`` the key was made here and meets no client's.
    Raises InvalidInput with the field's name, KeyReused when the key came with another request,
    NotFound for a site outside of the scope.
    """
    site = _site(request, scope)
    hashes = request_hashes(request)
    keys = [] if request.key is None else keyed.digests(request.key, is_own=is_own_key)
    if known := _known(site, keys, hashes):
        return Submitted(known, created=False)
    checked = _checked(request, site, now)
    inputs, redacted = _store_inputs(checked, now)
    job = _job(checked, site, who, now)
    job.request_hash, job.key_digest = hashes[0], keys[0] if keys else None
    names = [item["artifact"] for item in inputs["sources"]]
    job.source_sha256 = digest(names or inputs["content"])
    text = search.text_of(job, inputs)
    try:
        with transaction.atomic():
            facts = alongside()
            journal.begin(job, who=who, now=now, revision=1, redacted=redacted, **facts)
            _first_revision(job, inputs, text, who, now)
    except IntegrityError:
        known = _known(site, keys, hashes)
        if known is None:
            raise
        return Submitted(known, created=False)
    return Submitted(job, created=True)


def _site(request: SubmitRequest, scope: str | None) -> Site:
    """The site of a request that can be read: a repeat has its answer before any rule of the site.

    The site may have changed since, with its folders and what is in them; what was taken stays so.
    """
    check_texts(request)
    return selectors.site(request.site, scopes=None if scope is None else [scope])


def _checked(request: SubmitRequest, site: Site, now: datetime) -> SubmitRequest:
    checked = check_request(request, site, now)
    if checked.target_path:
        refuse_unfit(checked.target_path, site, field="target_path")
    for asset in checked.assets:
        refuse_unfit(asset.path, site, field="assets")
    return checked


def _known(site: Site, keys: list[str], hashes: list[str]) -> Job | None:
    if not keys:
        return None
    known = Job.objects.select_related("site").filter(site=site, key_digest__in=keys).first()
    if known is not None and known.request_hash not in hashes:
        raise KeyReused(
            "This idempotency key was used before, for another request.", job_id=known.pk
        )
    return known


def _store_inputs(request: SubmitRequest, now: datetime) -> tuple[dict[str, Any], list[str]]:
    taken: Taken = []

    def kept(data: bytes, kind: str, path: str) -> str:
        name, more = store_bytes(data, path=path, kind=kind, now=now)
        taken.extend(more)
        return name

    target, content = request.target_path or "", request.content
    values, of_values = scrub_values(request.set_front_matter, path=target)
    inputs = {
        "sources": [
            {"id": scrub_line(source.id), "artifact": kept(source.text.encode(), "source", "")}
            for source in request.sources
        ],
        "content": None if content is None else kept(content, "content", target),
        "assets": [
            {"path": asset.path, "artifact": kept(asset.data, "asset", asset.path)}
            for asset in request.assets
        ],
        "action": request.action,
        "title": scrub_line(request.title),
        "path": target,
        "set_front_matter": values,
    }
    taken += of_values
    # A source is not published itself: what its draft shows of this is looked for there.
    return {**inputs, "redacted": [] if request.sources else taken}, rules_of(taken)


def _job(request: SubmitRequest, site: Site, who: Who, now: datetime) -> Job:
    return Job(
        id=job_id(unix_milliseconds=int(now.timestamp() * 1000), randomness=os.urandom(10)),
        site=site,
        kind=request.kind,
        lane=Lane.PUBLISH.value,
        scope=site.scope,
        requester=who.name,
        idempotency_key=scrub_line(request.key or "", limit=KEY_CHARACTERS),
        available_at=now,
        not_before=request.not_before,
        ready_draft=request.is_ready_draft,
        provider=request.provider or "standin",
        topic=scrub_line(request.topic, limit=TOPIC_CHARACTERS),
        title=scrub_line(request.title),
        summary=scrub_parted(request.summary),
        operation=request.action or "",
        target_path=request.target_path or "",
        memory_scope=request.memory_scope or "",
        created_at=now,
        updated_at=now,
    )


def _first_revision(job: Job, inputs: dict[str, Any], text: str, who: Who, now: datetime) -> None:
    Revision.objects.create(
        job=job,
        number=1,
        inputs=inputs,
        input_hash=input_hash(job, inputs),
        content=inputs["content"] or "",
        author=who.name,
        why="submitted",
        created_at=now,
    )
    search.keep(job, text)


def input_hash(job: Job, inputs: dict[str, Any]) -> str:
    """What a revision is made from: all that prepare may read besides the repository."""
    return digest(
        {
            "inputs": inputs,
            "kind": job.kind,
            "provider": job.provider,
            "topic": job.topic,
            "title": given_title(inputs, job),
            "summary": job.summary,
            "scope": job.scope,
            "memory_scope": job.memory_scope,
        }
    )
