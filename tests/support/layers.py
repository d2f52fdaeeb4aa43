"""Layers: what the modules of each may import, ours and others'; docs/architecture.md has the table.

``rules.crossed_layers`` keeps what a layer must never import, and says so shortly. This is the whole
of it: an import that no row lists is a breach, and so is a module that stands in no row.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from tests.support.rules import PRODUCT, below, imports, modules


@dataclass(frozen=True, slots=True)
class Row:
    """``modules`` may import each other, ``ours`` below the product's and ``others`` of other people."""

    modules: tuple[str, ...]
    ours: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def _publisher(*names: str) -> tuple[str, ...]:
    return tuple(f"publisher.{name}" for name in names)


def _reviews(*names: str) -> tuple[str, ...]:
    return tuple(f"reviews.{name}" for name in names)


DOMAIN = _publisher("domain")
CONTRACTS = _publisher("ports", "live", "fault_names", "fault_points")
MODELS = _publisher("models")
FLOOR = _publisher("clock", "databases", "sqlite_file", "storage", "token_file")
MIDDLE = _publisher(
    "journal", "leases", "artifacts", "envelopes", "selectors", "services", "statements", "wakeup",
    "nodes", "seal_file", "spoiled", "authority",
)  # fmt: skip
ENGINE = _publisher("engine")
PREPARE = _publisher("prepare")
SETTINGS = _publisher("settings", "env", "secret_key", "logs", "mail")
DOORWAY = _publisher("clients", "request_bodies")
INNER = (*DOMAIN, *CONTRACTS, *MODELS, *FLOOR, *MIDDLE)
OUTER = _publisher("tasks", "processes", "management", "demo", "checks")
RIGHTS = _reviews(
    "services", "selectors", "authority", "permissions", "rules", "own_work", "audit", "history",
    "inbox", "inbox_filters", "inbox_lines", "inbox_order", "lists", "setup_link", "signals",
    "session_ends", "interrupted", "proofs",
)  # fmt: skip
TEXTS = _reviews("presenters", "cutting", "sanitize", "unseen")
DOORS = _reviews(
    "views", "api", "admin", "forms", "edit_form", "submit_form", "policy_form", "trials",
    "templatetags", "management", "console", "deciding", "middleware", "nul", "urls", "apps",
)  # fmt: skip

ROWS = (
    Row(DOMAIN, (), ("rfc8785",)),
    Row(CONTRACTS, DOMAIN),
    Row(MODELS, DOMAIN, ("django.db", "django.apps")),
    Row(FLOOR, DOMAIN, ("django.db", "django.core.files", "dj_database_url")),
    Row(
        MIDDLE,
        (*DOMAIN, *CONTRACTS, *MODELS, *FLOOR),
        ("django.db", "django.conf", "structlog"),
    ),
    Row(ENGINE, (*INNER, *PREPARE), ("django.db", "django.conf", "structlog", "orjson")),
    Row(
        PREPARE,
        (*INNER, *ENGINE),
        ("django.db", "structlog", "brotli", "fontTools", "mdxjs_py", "ruamel"),
    ),
    Row(_publisher("adapters"), (*DOMAIN, *CONTRACTS, *FLOOR), ("git",)),
    Row(
        _publisher("wiring", "faults"),
        (*INNER, *_publisher("adapters", "engine", "processes")),
        ("django.conf", "django.db", "django.core.files", "structlog"),
    ),
    Row(
        SETTINGS,
        (*DOMAIN, *CONTRACTS, *FLOOR),
        (
            "django", "csp", "dj_database_url", "django_stubs_ext", "pydantic", "pydantic_settings",
            "structlog", "gunicorn",
        ),
    ),
    Row(
        (*DOORWAY, *_publisher("caches", "sqlite", "apps", "urls", "wsgi", "admin")),
        (*DOMAIN, *MODELS, *FLOOR),
        ("django", "redis", "structlog"),
    ),
    Row(
        OUTER,
        (*INNER, *ENGINE, *PREPARE, *_publisher("wiring", "faults", "env")),
        ("django", "django_q", "psycopg", "redis", "structlog", "watchfiles"),
    ),
    Row(_reviews("models"), (*DOMAIN, *MODELS), ("django.db", "django.apps", "django.conf")),
    Row(RIGHTS, (*INNER, *_reviews("models")), ("django", "structlog", "orjson")),
    Row(
        TEXTS,
        DOMAIN,
        (
            "django.utils", "django.template", "bleach", "nh3", "markdown_it", "mdit_py_plugins",
        ),
    ),
    Row(
        DOORS,
        (
            *_publisher("domain", "artifacts", "services", "selectors", "nodes", "spoiled"),
            *FLOOR, *DOORWAY, *TEXTS, *RIGHTS, *_reviews("models"),
        ),
        ("django", "ninja", "pydantic"),
    ),
)  # fmt: skip


ALLOWED = {
    ("publisher.models.site", "publisher.ports.SiteSpec"): "a row says what a port needs of it",
    ("publisher.artifacts", "django.core.files"): "bytes lie in Django's storages",
    ("publisher.engine.audit.stored_bytes", "django.core.files"): "it looks where bytes lie",
    ("publisher.authority", "django.core"): "an authority that is missing is an error of settings",
    ("publisher.authority", "django.utils.module_loading"): "the authority is named by settings",
    ("publisher.selectors_search", "django.core.exceptions"): (
        "a branch that can find nothing is left out of the joined question"
    ),
    ("publisher.wakeup", "django_q.tasks"): "the hint, and nothing else, goes to the queue",
    ("publisher.engine.reconcile.clocks", "publisher.env.LEASE_SECONDS"): (
        "a lease dated later than the longest one that can be set was written by a wrong clock"
    ),
    ("publisher.prepare.mdx", "publisher.processes.limited"): (
        "MDX is parsed in a child with little memory and time"
    ),
    ("publisher.secret_key", "publisher.processes.backup.moves.STAGED"): (
        "a restore that was cut short left the key under this name"
    ),
    ("reviews.presenters.content", "publisher.prepare.frontmatter"): (
        "what is shown of front matter is read as prepare reads it; it computes and asks nothing"
    ),
    ("reviews.presenters.fields", "publisher.prepare.frontmatter"): (
        "what is shown of front matter is read as prepare reads it; it computes and asks nothing"
    ),
    ("reviews.presenters.hidden", "publisher.prepare.hidden"): (
        "letters that cannot be seen are those that prepare finds; it computes and asks nothing"
    ),
    (
        "reviews.sanitize",
        "django.core.cache",
    ): "a text is made safe once, however often it is shown",
    ("reviews.api.health", "publisher.processes.doctor"): "a health page asks what doctor asks",
    ("reviews.views.health", "publisher.processes.doctor"): "a health page asks what doctor asks",
    ("reviews.admin", "publisher.admin.ReadOnly"): "both apps' rows are looked at alike",
    ("reviews.console", "publisher.checks"): "a command runs the checks that every command runs",
    ("reviews.console", "publisher.models.Site"): "a type alone",
}
"""What single modules may import beside their row: (module, import) and why."""


def beyond_layers(root: Path) -> list[str]:
    """Imports that neither a row nor ALLOWED lists, and importing modules that stand in no row."""
    return sorted(
        f"{name} stands in no layer" if seen is None else f"{name} imports {seen}"
        for name, seen in _beyond_rows(root)
        if seen is None or not _allowing(name, seen)
    )


def idle_exceptions(root: Path) -> set[tuple[str, str]]:
    """What ALLOWED lists and nobody needs any more."""
    beyond = _beyond_rows(root)
    return set(ALLOWED) - {why for name, seen in beyond if seen for why in _allowing(name, seen)}


def _allowing(name: str, seen: str) -> list[tuple[str, str]]:
    """The exceptions that cover it; the module that a listed name is taken from comes with it."""
    return [
        (module, target)
        for module, target in ALLOWED
        if below(name, (module,)) and (below(seen, (target,)) or target.startswith(f"{seen}."))
    ]


def _beyond_rows(root: Path) -> set[tuple[str, str | None]]:
    found: set[tuple[str, str | None]] = set()
    for name, tree in modules(root):
        row = next((row for row in ROWS if below(name, row.modules)), None)
        for seen in imports(tree):
            if seen.partition(".")[0] in sys.stdlib_module_names or seen in PRODUCT:
                continue
            if row is None:
                found.add((name, None))
            elif not below(seen, (*row.modules, *row.ours, *row.others)):
                found.add((name, seen))
    return found
