"""Bodies in pieces are read as any other, and what is refused by its size is read to its end."""

from collections.abc import Iterable
from io import BytesIO
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from publisher import request_bodies

LIMIT = 10
FORM = "multipart/form-data; boundary=b"


def said(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """What an application reads of the body: as far as its length says."""
    length = int(environ.get("CONTENT_LENGTH") or 0)
    start_response("413" if length > LIMIT else "200", [])
    return [environ["wsgi.input"].read(length) if length <= LIMIT else b"too large"]


def ask(stream: BytesIO, **environ: Any) -> list[bytes]:
    application = request_bodies.whole(said, limit=LIMIT)
    return list(application({"wsgi.input": stream, **environ}, lambda *_: None))


PIECES = {"HTTP_TRANSFER_ENCODING": "Chunked", "wsgi.input_terminated": True}


@pytest.mark.parametrize("size", [0, 1, LIMIT])
def test_a_body_in_pieces_is_read_whole(size: int) -> None:
    assert ask(BytesIO(b"x" * size), **PIECES) == [b"x" * size]


def test_a_body_in_pieces_has_the_same_limit_and_is_read_to_its_end() -> None:
    stream = BytesIO(b"x" * (LIMIT + 100))
    assert ask(stream, **PIECES) == [b"too large"]
    assert stream.read() == b""


def test_what_nobody_read_is_dropped_before_the_answer() -> None:
    stream = BytesIO(b"x" * 100 + b"next")
    assert ask(stream, CONTENT_LENGTH="100") == [b"too large"]
    assert stream.read() == b"next"


def test_not_everything_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_bodies, "MOST_DROPPED", 30)
    stream = BytesIO(b"x" * 100)
    ask(stream, CONTENT_LENGTH="100")
    assert len(stream.read()) == 70


@pytest.mark.parametrize("length", ["", "-1", "many"])
def test_without_a_length_nothing_is_read_of_the_connection(length: str) -> None:
    stream = BytesIO(b"next")
    application = request_bodies.whole(lambda *_: [b""], limit=LIMIT)
    application({"wsgi.input": stream, "CONTENT_LENGTH": length}, None)
    assert stream.read() == b"next"


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/login/", "/submit/", "/admin/login/", "/", "/none/"])
def test_an_upload_over_the_limit_is_refused_by_its_length_wherever_it_goes(address: str) -> None:
    length = str(2 * settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
    response = Client().generic("POST", address, b"", FORM, CONTENT_LENGTH=length)
    assert response.status_code == 413
    assert "all together 16 MiB" in response.content.decode()


@pytest.mark.django_db
def test_what_a_form_can_still_tell_of_is_read() -> None:
    length = str(2 * settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    response = Client().generic("POST", "/login/", b"", FORM, CONTENT_LENGTH=length)
    assert response.status_code != 413
