"""What computed steps may not ask for, found in source text: time, chance, machine, network, settings."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.support.rules import below, imports, modules

COMPUTES = ("publisher.domain", "publisher.prepare", "publisher.adapters.providers")
ASKS = (
    "time", "random", "secrets", "tempfile", "locale", "platform", "getpass", "zoneinfo",
    "threading", "multiprocessing", "concurrent", "asyncio", "subprocess", "signal", "os",
    "socket", "ssl", "http", "ftplib", "smtplib", "urllib.request", "urllib3", "requests", "httpx",
    "uuid.uuid1", "uuid.uuid4", "django.conf", "django.utils.timezone", "django.utils.crypto",
    "publisher.clock", "publisher.env", "publisher.settings", "publisher.wiring",
    "publisher.processes", "publisher.adapters.git", "publisher.adapters.clock",
)  # fmt: skip
"""Modules whose import alone is a question to something beside the inputs."""
NAMES = {
    "now", "utcnow", "today", "fromtimestamp", "astimezone", "localtime", "monotonic",
    "perf_counter", "urandom", "environ", "getenv", "uuid1", "uuid4", "getnode", "stat", "st_mtime",
    "read_bytes", "read_text", "iterdir", "glob", "rglob", "cwd", "home",
}  # fmt: skip
"""Methods and attributes that answer differently at another time or place."""
BUILTINS = {"open", "input", "hash", "id"}


def questions(root: Path) -> Iterator[str]:
    """Each ``module asks what`` in what computes."""
    for name, tree in modules(root):
        if below(name, COMPUTES):
            yield from (f"{name} asks {what}" for what in sorted(set(_asked(tree))))


def _asked(tree: ast.Module) -> Iterator[str]:
    yield from (seen for seen in imports(tree) if below(seen, ASKS))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in NAMES:
            yield ast.unparse(node)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in BUILTINS
        ):
            yield f"{node.func.id}()"


def columns_read(root: Path, *, inside: str = "") -> dict[str, set[str]]:
    """Columns of a site that prepare reads, with the modules that do; or those of one function."""
    found: dict[str, set[str]] = {}
    for name, tree in modules(root):
        if not below(name, ("publisher.prepare",)):
            continue
        for part in ast.walk(tree) if inside else (tree,):
            if inside and not (isinstance(part, ast.FunctionDef) and part.name == inside):
                continue
            for node in ast.walk(part):
                if isinstance(node, ast.Attribute) and _is_site(node.value):
                    found.setdefault(node.attr, set()).add(name)
    return found


def _is_site(value: ast.expr) -> bool:
    return (isinstance(value, ast.Name) and value.id == "site") or (
        isinstance(value, ast.Attribute) and value.attr == "site"
    )
