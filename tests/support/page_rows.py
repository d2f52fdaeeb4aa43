"""Rows for pages: one job in each situation that a page tells about, with texts worth reading."""

import difflib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from publisher import artifacts, authority, clock, envelopes, journal
from publisher.artifacts import sha256_of
from publisher.domain.envelope import binding_hash
from publisher.domain.manifest import Entry, Manifest
from publisher.domain.states import Actor, Event, State
from publisher.journal import Who
from publisher.models import Conflict, Effect, Finding, Job, Node, Site, Step
from reviews.models import Approval
from reviews.permissions import PAGE
from reviews.services import decisions
from tests.support import jobs, people, vectors

OLD = """---
title: The town library lends tools
date: 2026-03-02
summary: Drills and ladders beside novels.
tags: [library, tools]
---

The library on Mill Street has lent books for ninety years. Since March it lends tools, too.

Anyone with a card may take a drill for three days. The rule is simple: bring it back clean.

## What there is

Eleven drills, four ladders, a sewing machine and a pasta maker wait on the lower floor.

Helpers check each tool when it comes back. They note what is worn and what is missing.

Nobody has lost a drill so far.

## Opening hours

Tuesday to Saturday, from ten to six.
"""
NEW = (
    OLD.replace("three days", "five days")
    .replace("Eleven drills, four ladders", "Twelve drills, five ladders")
    .replace(
        "Nobody has lost a drill so far.\n",
        "Nobody has lost a drill so far, and two people have built a boat.\n\n"
        "> A tool that rests belongs to nobody, says the librarian.\n",
    )
)
THEIRS = OLD.replace("bring it back clean", "bring it back clean and dry")
CHINESE = """---
title: 周末修理咖啡馆
date: 2026-05-01
summary: 带上坏掉的台灯，一起修好它。
tags: [修理, 社区]
---

每个月的第一个星期六，社区中心的大厅里摆满了坏掉的东西：台灯、收音机、自行车和椅子。

志愿者们不收钱，只请大家坐下来一起看、一起学。修好一盏灯，往往只需要十分钟。

## 需要带什么

请带上坏掉的物品和耐心。零件由社区中心准备，咖啡免费。
"""
ARTICLE = """---
title: Soup for forty
date: 2026-05-03
summary: How the community kitchen cooks on Thursdays.
tags: [kitchen, volunteers]
---

import Note from "../components/Note"

On Thursdays the kitchen behind the church smells of onions from nine in the morning. Six people
peel, two stir, and one keeps the list of who is coming. By noon there is soup for forty.

<Note>

The list hangs at the door. **Sign up by Wednesday**, so that nothing is thrown away.

</Note>

## What goes in

| Vegetable | For forty people |
|---|---|
| Onions | 3 kg |
| Carrots | 4 kg |
| Potatoes | 6 kg |

1. Fry the onions slowly; this takes longer than anybody believes.
2. Add what the garden gave.
3. Taste, and then taste again.

![The long table](/images/table.jpg)

More about the kitchen is on [its own page](https://kitchen.example.org/).
"""


def unified(old: str, new: str) -> str:
    """A difference as the engine stores it: hunks alone."""
    lines = difflib.unified_diff(old.split("\n")[:-1], new.split("\n")[:-1], n=3, lineterm="")
    return "\n".join(list(lines)[2:]) + "\n"


@dataclass(frozen=True)
class Rows:
    """Jobs by situation."""

    site: Site
    waiting: Job
    update: Job
    chinese: Job
    review: Job
    conflict: Job
    published: Job
    failed: Job
    skipped: Job
    preparing: Job


def everything(now: datetime | None = None) -> Rows:
    """All of it, in the default scope, with everybody in it."""
    moment = now or clock.now()
    people.everybody()
    people.add("ivy", "auditor")
    place = jobs.site()
    Site.objects.filter(pk=place.pk).update(fetched_at=moment, head="4f2c91d07be3" + "0" * 28)
    place.refresh_from_db()
    Node.objects.get_or_create(
        name="desk", role="worker", defaults={"installation": "i", "heartbeat_at": moment}
    )
    return Rows(
        site=place,
        waiting=new_article(at=place, now=moment - timedelta(hours=3)),
        update=update(at=place, now=moment - timedelta(hours=2)),
        chinese=new_article(
            at=place, now=moment - timedelta(days=2), text=CHINESE, title="周末修理咖啡馆",
            path="content/posts/修理咖啡馆 🙂.md",
        ),
        review=stopped(at=place, now=moment - timedelta(hours=5)),
        conflict=clashing(at=place, now=moment - timedelta(hours=8)),
        published=published(at=place, now=moment - timedelta(days=1)),
        failed=failed(at=place, now=moment - timedelta(hours=6)),
        skipped=skipped(at=place, now=moment - timedelta(hours=7)),
        preparing=jobs.preparing(
            jobs.received(at=place, now=moment, title="Bees on the roof of the town hall")
        ),
    )  # fmt: skip


def new_article(
    *,
    at: Site,
    now: datetime,
    text: str = ARTICLE,
    title: str = "Soup for forty",
    path: str = "content/posts/soup-for-forty.mdx",
    **columns: Any,
) -> Job:
    """A new article that waits for a reviewer."""
    return jobs.waiting(
        jobs.received(at=at, now=now, text=text, title=title, path=path, **columns), now=now
    )


def update(
    *,
    at: Site,
    now: datetime,
    old: str = OLD,
    new: str = NEW,
    title: str = "The town library lends tools",
    path: str = "content/posts/tools.md",
    extra: tuple[tuple[str, bytes | None, bool], ...] = (),
    diff: str | None = None,
) -> Job:
    """A change of an article; ``extra`` are (path, bytes or None when it goes, is it binary)."""
    job = jobs.received(at=at, now=now, text=new, title=title, path=path, operation="update")
    jobs.preparing(job, now=now)
    base = artifacts.store(old.encode(), kind="base", now=now)
    text = unified(old, new) if diff is None else diff
    diffs = {}
    if text:
        diffs[path] = artifacts.store(text.encode(), kind="diff", now=now)
    entries = [Entry(path, sha256_of(new.encode()), len(new.encode()), "content")]
    for name, data, _is_binary in extra:
        if data is None:
            entries.append(Entry(name, None, 0, "absent"))
            continue
        stored = artifacts.store(data, kind="asset", now=now)
        entries.append(Entry(name, stored, len(data), "content"))
    outputs: dict[str, dict[str, Any]] = {
        "collect": {"base_commit": "a" * 40, "bases": {path: base}, "sources": []},
        "dedup": {},
        "draft": {"files": {path: entries[0].sha256}, "bases": {path: base}, "target_path": path},
        "quality": {}, "secrets": {}, "frontmatter": {},
        "manifest": {"diffs": diffs, "binary": [name for name, _d, binary in extra if binary]},
    }  # fmt: skip
    for position, (name, values) in enumerate(outputs.items(), 1):
        Step.objects.create(
            job=job, revision=1, name=name, position=position, state="succeeded", outputs=values,
            started_at=now, finished_at=now,
        )  # fmt: skip
    Finding.objects.create(
        step=job.steps.get(name="quality"), severity="warn", path=path, line=10,
        rule="long_sentence", message="This sentence is long.", advice="Cut it in two.",
    )  # fmt: skip
    return _asked(job, Manifest(tuple(entries)), now)


def _asked(job: Job, manifest: Manifest, now: datetime) -> Job:
    columns = {
        "base_commit": "a" * 40,
        "manifest_hash": manifest.manifest_hash,
        "manifest_artifact": artifacts.store(manifest.to_json(), kind="manifest", now=now),
        "payload_hash": manifest.payload_hash,
    }

    def guard(fresh: Job) -> dict[str, Any]:
        for name, value in columns.items():
            setattr(fresh, name, value)
        envelope = envelopes.of(fresh)
        fresh.binding_hash = binding_hash(envelope)
        authority.current().open(fresh, envelope, fresh.binding_hash, now)
        return {**columns, "binding_hash": fresh.binding_hash}

    journal.record(job, Event.ASK, who=jobs.WORKER, now=now, guard=guard)
    return job


def approved(job: Job, now: datetime, *, by: str = "rui") -> Job:
    """Somebody said yes."""
    request = Approval.objects.get(job=job, status="pending")
    decisions.decide(
        request, caller=people.caller(by), decision="approve", door=PAGE, now=now,
        reviewed_hash=request.binding_hash, request_id=f"r-{job.pk}", comment="Reads well.",
        acknowledged=[part["id"] for part in request.parts],
    )  # fmt: skip
    job.refresh_from_db()
    return job


def stopped(*, at: Site, now: datetime) -> Job:
    """A draft that a gate stopped, with its text."""
    text = NEW.replace("## Opening hours", "## Opening {hours")
    job = jobs.received(
        at=at, now=now, text=text, title="Opening hours in winter",
        path="content/posts/opening-hours.mdx",
    )  # fmt: skip
    return jobs.in_review(job, now=now)


def clashing(*, at: Site, now: datetime, **files: Any) -> Job:
    """Approved, and then somebody else changed the same text."""
    job = update(at=at, now=now, path="content/posts/library.md", title="Tools in the library")
    approved(job, now + timedelta(minutes=20))
    moment = now + timedelta(minutes=21)
    for event, to in (
        (Event.COMMIT, State.LOCAL_COMMITTING),
        (Event.COMMITTED, State.LOCAL_COMMITTED),
    ):
        jobs.moved(job, event, to, now=moment)
    entry = {
        "path": "content/posts/library.md", "kind": "content", "moved_to": "",
        "base": artifacts.store(OLD.encode(), kind="base", now=now),
        "ours": sha256_of(NEW.encode()),
        "theirs": artifacts.store(THEIRS.encode(), kind="theirs", now=now),
        "commit": "4f2c91d07be3" + "0" * 28, "author": "Grace", "subject": "Mind the rain",
        "date": now.isoformat(), **files,
    }  # fmt: skip
    Conflict.objects.create(
        job=job, revision=job.revision, kind=entry["kind"], files=[entry], base_commit="a" * 40,
        tip="b" * 40, ours_sha256="sha256:" + "1" * 64, theirs_sha256="sha256:" + "2" * 64,
        created_at=moment,
    )  # fmt: skip
    journal.record(
        job, Event.CLASH, who=jobs.WORKER, now=moment, reason="Grace changed it meanwhile.",
        changes={"failure_class": "NEEDS_HUMAN", "failure_code": "conflict_content"},
    )  # fmt: skip
    return job


def published(*, at: Site, now: datetime) -> Job:
    """The whole journey."""
    job = new_article(
        at=at, now=now, title="A bench for the bus stop", path="content/posts/bench.md"
    )
    moment = now + timedelta(minutes=9)
    approved(job, moment)
    jobs.moved(job, Event.COMMIT, State.LOCAL_COMMITTING, now=moment)
    jobs.moved(job, Event.COMMITTED, State.LOCAL_COMMITTED, now=moment)
    jobs.moved(job, Event.DELIVER, State.PUSHING, now=moment)
    Effect.objects.create(
        job=job, step="deliver", action="git.push", operation_key=f"op-{job.pk}-1",
        policy="reconcile-first", status="confirmed", manifest_hash=job.manifest_hash,
        commit="9c1e" + "7" * 36, created_at=moment, updated_at=moment,
    )  # fmt: skip
    journal.record(
        job, Event.CONFIRM, who=jobs.WORKER, now=moment,
        changes={"remote_commit": "9c1e" + "7" * 36},
    )  # fmt: skip
    Approval.objects.filter(job=job).update(status="done", closed_at=moment)
    return job


def failed(*, at: Site, now: datetime) -> Job:
    """Given up after several tries, with an effect that is still looked for."""
    job = new_article(at=at, now=now, title="Swimming in May", path="content/posts/swimming.md")
    approved(job, now)
    jobs.moved(job, Event.COMMIT, State.LOCAL_COMMITTING, now=now)
    jobs.moved(job, Event.COMMITTED, State.LOCAL_COMMITTED, now=now)
    jobs.moved(job, Event.DELIVER, State.PUSHING, now=now)
    effect = jobs.with_intent(job, now=now)
    Effect.objects.filter(pk=effect.pk).update(status="unknown")
    journal.record(
        job, Event.FAIL, who=jobs.WORKER, now=now, reason="The server did not answer.",
        changes={
            "failure_code": "delivery_exhausted",
            "failure_message": "The server did not answer within 60 s (tried 8 times).",
        },
    )  # fmt: skip
    return job


def skipped(*, at: Site, now: datetime) -> Job:
    """A duplicate."""
    job = jobs.preparing(
        jobs.received(at=at, now=now, title="Tools on loan", ready_draft=False), now=now
    )
    journal.record(
        job, Event.SKIP, who=Who(Actor.WORKER, "worker-1"), now=now,
        reason="content/posts/tools.md says the same.", changes={"failure_code": "duplicate"},
    )  # fmt: skip
    return job


XSS = vectors.article()
VECTOR = vectors.line(200)


def hostile(*, at: Site, now: datetime) -> list[Job]:
    """Jobs whose every text attacks: title, topic, path, key, requester, comment, finding, names."""
    people.add("mallory", "submitter")
    Site.objects.filter(pk=at.pk).update(last_error=VECTOR, check_report=[
        {"name": VECTOR, "ok": False, "message": VECTOR}
    ])  # fmt: skip
    path = "content/posts/x' onmouseover=alert(20) y.md"
    values = {
        "title": f"<b onmouseover=alert(17)>t</b>{VECTOR}", "topic": VECTOR, "summary": VECTOR,
        "idempotency_key": f"c63{VECTOR}",
    }  # fmt: skip
    waiting = new_article(at=at, now=now, text=XSS, path=path, requester="mallory", **values)
    stopped_one = jobs.in_review(
        jobs.received(at=at, now=now, text=XSS, requester="mallory", path=path, **values), now=now
    )
    Finding.objects.filter(step__job=stopped_one).update(message=VECTOR, advice=VECTOR, rule="x")
    Job.objects.filter(pk=stopped_one.pk).update(failure_message=VECTOR)
    clash = clashing(at=at, now=now, author=VECTOR, subject=VECTOR)
    journal.note(clash, VECTOR[:60], who=Who(Actor.REVIEWER, VECTOR[:150]), now=now, reason=VECTOR)
    changed = update(at=at, now=now, old=OLD, new=XSS, path="content/posts/other.md", title=VECTOR)
    Approval.objects.filter(job=changed).update(closed_why="")
    return [waiting, stopped_one, clash, changed]


def large(*, at: Site, now: datetime) -> list[Job]:
    """A line of a million characters, and a change of two hundred thousand lines."""
    head = '---\ntitle: "big"\n---\n\n'
    line = new_article(
        at=at, now=now, text=head + "x" * 1_000_000 + "\n", title="One long line",
        path="content/posts/long.md",
    )  # fmt: skip
    old = head + "".join(f"line {n}\n" for n in range(200_000))
    new = head + "".join(f"LINE {n}\n" for n in range(200_000))
    diff = "@@ -5,200000 +5,200000 @@\n" + "".join(
        [f"-line {n}\n" for n in range(200_000)] + [f"+LINE {n}\n" for n in range(200_000)]
    )
    many = update(
        at=at, now=now, old=old, new=new, title="Many lines", path="content/posts/many.md",
        diff=diff,
    )  # fmt: skip
    return [line, many]
