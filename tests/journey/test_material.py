"""The whole journey of odd bytes: by HTTP and by a payload folder, into a real remote and back, unchanged."""

import base64
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from publisher import selectors
from publisher.domain.states import State
from publisher.models import Job
from publisher.services.submit import Asset
from tests.support.git import blob, git
from tests.support.journey import SEED, Journey, begin, fresh, told
from tests.support.material import PIECES, Piece
from tests.support.requests import As

ATTRIBUTES = {".gitattributes": b"* text=auto eol=crlf\n*.png binary\n"}
"""What would rewrite line ends in a checkout; nothing here may heed it."""

Door = Callable[..., Job]


@pytest.fixture
def journey(db: None, tmp_path: Path) -> Journey:
    """A site whose repository asks for other line ends."""
    return begin(tmp_path, {**SEED, **ATTRIBUTES})


def by_http(_folder: Path, path: str, action: str, files: Mapping[str, bytes] | None) -> Job:
    """One POST; text travels in JSON, assets in base64."""
    body: dict[str, Any] = {"site": "magazine", "target_path": path, "action": action}
    if files:
        body["content"] = files[path].decode()
        body["assets"] = [
            {"path": name, "base64": base64.b64encode(data).decode()}
            for name, data in files.items()
            if name != path
        ]
    answer = As("ada").post("/jobs", body, **{"Idempotency-Key": f"{action} {len(path)}"})
    assert answer.status_code == 201, answer.content
    return selectors.job(answer.json()["job_id"], scopes=None)


def by_payload(folder: Path, path: str, action: str, files: Mapping[str, bytes] | None) -> Job:
    """A folder with submit.json and the files, given to the command."""
    payload = folder / f"payload-{action}"
    payload.mkdir()
    document: dict[str, Any] = {"target_path": path, "action": action, "assets": []}
    for number, (name, data) in enumerate((files or {}).items()):
        (payload / f"file-{number}").write_bytes(data)
        if name == path:
            document["body_file"] = f"file-{number}"
        else:
            document["assets"].append({"path": name, "file": f"file-{number}"})
    (payload / "submit.json").write_text(json.dumps(document), encoding="utf-8")
    out = StringIO()
    call_command(
        "submit", "--site", "magazine", "--payload", str(payload), "--as", "ada", "--json",
        stdout=out,
    )  # fmt: skip
    return selectors.job(json.loads(out.getvalue())["job_id"], scopes=None)


each_door = pytest.mark.parametrize("door", [by_http, by_payload], ids=["http", "payload"])
each_piece = pytest.mark.parametrize("piece", PIECES, ids=[piece.name for piece in PIECES])


def in_turn(pieces: Sequence[Piece]) -> pytest.MarkDecorator:
    """Each piece through one of the doors."""
    doors = itertools.cycle((by_http, by_payload))
    ids = [piece.name for piece in pieces]
    return pytest.mark.parametrize(
        ("piece", "door"), list(zip(pieces, doors, strict=False)), ids=ids
    )


def _create(journey: Journey, piece: Piece) -> None:
    assets = tuple(Asset(*item) for item in piece.assets.items())
    journey.published(piece.data, piece.path, action="create", assets=assets)


def _to_its_end(journey: Journey, job: Job) -> Job:
    journey.work()
    blocking = [one.message for one in selectors.findings(fresh(job)) if one.severity == "block"]
    assert blocking == []
    journey.approve(job)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)
    return fresh(job)


def _published(journey: Journey, files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {path: blob(journey.remote, path) for path in files}


def _listed(journey: Journey) -> set[str]:
    listed = git(journey.remote, "ls-tree", "-r", "-z", "--name-only", "refs/heads/main")
    return set(listed.decode().rstrip("\0").split("\0"))


@each_door
@each_piece
def test_a_new_article_with_its_files_is_on_the_remote_byte_for_byte(
    journey: Journey, tmp_path: Path, piece: Piece, door: Door
) -> None:
    before = _listed(journey)
    job = door(tmp_path, piece.path, "create", piece.files)
    assert _to_its_end(journey, job).operation == "create"
    assert _published(journey, piece.files) == piece.files
    assert _listed(journey) == before | set(piece.files)


@in_turn(PIECES)
def test_a_changed_article_is_on_the_remote_byte_for_byte(
    journey: Journey, tmp_path: Path, piece: Piece, door: Door
) -> None:
    _create(journey, piece)
    before = _listed(journey)
    job = door(tmp_path, piece.path, "update", {piece.path: piece.changed})
    assert _to_its_end(journey, job).operation == "update"
    meant = {**piece.files, piece.path: piece.changed}
    assert _published(journey, meant) == meant
    assert _listed(journey) == before


@in_turn([piece for piece in PIECES if piece.assets])
def test_a_deleted_article_is_gone_and_nothing_else(
    journey: Journey, tmp_path: Path, piece: Piece, door: Door
) -> None:
    _create(journey, piece)
    before = _listed(journey)
    job = door(tmp_path, piece.path, "delete", None)
    assert _to_its_end(journey, job).operation == "delete"
    assert _listed(journey) == before - {piece.path}
    assert _published(journey, piece.assets) == piece.assets
