"""Parameters: what stands behind the "?" of an address is known to what it calls, and stands once."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest

from publisher.domain.errors import InvalidInput


def closed(view: Callable[..., Any]) -> Callable[..., Any]:
    """The view; it refuses by name a parameter that would be ignored, or of which one would be."""
    known = _declared(view)

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        for name, values in request.GET.lists():
            if name not in known:
                raise InvalidInput(name, _unknown(name, known))
            if len(values) > 1:
                raise InvalidInput(name, f"{name} stands {len(values)} times. Give it once.")
        return view(request, *args, **kwargs)

    return checked


def _declared(view: Any) -> list[str]:
    """The parameters that the documentation of the view lists, in its order."""
    operation = vars(view)["_ninja_operation"]  # where the framework keeps what it read of the view
    asked = [model for model in operation.models if model.__ninja_param_source__ == "query"]
    return [name for model in asked for name in model.__ninja_flatten_map__]


def _unknown(name: str, known: list[str]) -> str:
    if not known:
        return f"There is no parameter {name} here; this address takes none."
    return f"There is no parameter {name} here; known: {', '.join(known)}."
