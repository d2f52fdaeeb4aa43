"""Request bodies: none over the limit is kept, none is left unread, pieces are read as any other."""

from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponseBase

Environ = dict[str, Any]
Application = Callable[[Environ, Any], Iterable[bytes]]

MOST_DROPPED = 64 << 20
"""So much of what nobody wants is still read; who sends more may miss the answer."""
_PIECE = 1 << 16


class _Counted:
    """A body's stream that knows how much of it is left."""

    def __init__(self, stream: Any, left: int) -> None:
        self._stream = stream
        self.left = left

    def read(self, size: int = -1) -> bytes:
        """As of any stream; never beyond the body's end."""
        return self._took(self._stream.read(self._most(size)))

    def readline(self, size: int = -1) -> bytes:
        """As of any stream; never beyond the body's end."""
        return self._took(self._stream.readline(self._most(size)))

    def drop(self, most: int) -> None:
        """Read what is left, up to this many bytes, and forget it."""
        most = min(most, self.left)
        while most > 0 and (piece := self.read(min(most, _PIECE))):
            most -= len(piece)

    def _most(self, size: int) -> int:
        return self.left if size is None or size < 0 else min(size, self.left)

    def _took(self, data: bytes) -> bytes:
        self.left = self.left - len(data) if data else 0
        return data


class NotTooLarge:
    """Refuses by its length what no form could take, before any of it is read.

    Django's own limit leaves files out, so that an upload of any size would lie on the disk first,
    at the login as well. What is over the limit by less is read: its form tells which file it was,
    and keeps what was typed.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Raises what Django raises of fields that are too large: the page is the same."""
        if is_too_large(request, times=2):
            raise RequestDataTooBig("The request is far over DATA_UPLOAD_MAX_MEMORY_SIZE.")
        return self.get_response(request)


def is_too_large(request: HttpRequest, *, times: int = 1) -> bool:
    """Whether the request says of itself that it is; a server hands on no more than that."""
    return _length(request.META) > times * settings.DATA_UPLOAD_MAX_MEMORY_SIZE


def whole(application: Application, *, limit: int) -> Application:
    """The application, with bodies as it knows them.

    A client that sends all before it reads would meet a closed connection instead of the refusal
    of what is too large, so the rest is read before the answer goes out.
    """

    def handle(environ: Environ, start_response: Any) -> Iterable[bytes]:
        _gather_pieces(environ, limit)
        body = _Counted(environ["wsgi.input"], _length(environ))
        environ["wsgi.input"] = body
        answer = application(environ, start_response)
        body.drop(MOST_DROPPED)
        return answer

    return handle


def _gather_pieces(environ: Environ, limit: int) -> None:
    """A body sent in pieces tells no length, without which it would pass for none at all."""
    is_chunked = "chunked" in environ.get("HTTP_TRANSFER_ENCODING", "").lower()
    if not is_chunked or not environ.get("wsgi.input_terminated"):
        return
    stream = environ["wsgi.input"]
    data = stream.read(limit + 1)
    if len(data) > limit:
        # It is refused by its length; what follows is dropped as of any other.
        dropped = 0
        while dropped < MOST_DROPPED and (piece := stream.read(_PIECE)):
            dropped += len(piece)
    environ["wsgi.input"] = BytesIO(data)
    environ["CONTENT_LENGTH"] = str(len(data))


def _length(environ: Environ) -> int:
    text = environ.get("CONTENT_LENGTH") or "0"
    return int(text) if text.isdecimal() else 0
