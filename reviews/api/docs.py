"""The API's documentation as a plain page: no script, no style from elsewhere, the schema alone."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from reviews.api.root import api
from reviews.permissions import public

METHODS = ("get", "post", "put", "patch", "delete")


@public
def docs(request: HttpRequest) -> HttpResponse:
    """Every call with its parameters, its body and its answers, from the OpenAPI document."""
    schema = api.get_openapi_schema()
    parts = schema.get("components", {}).get("schemas", {})
    calls = [
        _call(path, method, operation, parts)
        for path, item in schema["paths"].items()
        for method, operation in item.items()
        if method in METHODS
    ]
    info = schema["info"]
    context = {"title": info["title"], "about": _plain(info["description"])}
    return render(request, "reviews/api_docs.html", {**context, "calls": calls})


def _plain(text: str) -> str:
    """Without the marks that only tools read."""
    return text.replace("`", "")


def _call(path: str, method: str, operation: dict[str, Any], parts: dict[str, Any]) -> Any:
    content = operation.get("requestBody", {}).get("content", {})
    body = content.get("application/json", {}).get("schema")
    return {
        "id": operation["operationId"],
        "path": path,
        "method": method.upper(),
        "summary": operation.get("summary", ""),
        "description": _plain(operation.get("description", "")),
        "parameters": [
            {
                "name": one["name"],
                "place": one["in"],
                "is_required": one.get("required", False),
            }
            for one in operation.get("parameters", [])
        ],
        "body": _plain(json.dumps(_expanded(body, parts), indent=2)) if body else "",
        "answers": sorted(str(status) for status in operation.get("responses", {})),
    }


def _expanded(schema: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    """The body's own schema with those that it names, so that a reader finds all in one place."""
    wanted, found = [schema], {}
    while wanted:
        for name in _names(wanted.pop()):
            if name not in found and name in parts:
                found[name] = parts[name]
                wanted.append(parts[name])
    return {"schema": schema, "where": found} if found else schema


def _names(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"].rpartition("/")[2]] if isinstance(value.get("$ref"), str) else []
        return own + [name for inner in value.values() for name in _names(inner)]
    if isinstance(value, list):
        return [name for inner in value for name in _names(inner)]
    return []
