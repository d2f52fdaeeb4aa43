"""Rules about source text, as functions of a folder, so that each can be tried on a planted breach."""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PRODUCT = ("publisher", "reviews")


@dataclass(frozen=True, slots=True)
class Layer:
    """Modules below these names must not import modules below those."""

    modules: tuple[str, ...]
    never: tuple[str, ...]


OUTER = ("publisher.wiring", "publisher.tasks", "publisher.management")
MIDDLE = tuple(
    f"publisher.{name}"
    for name in (
        "journal",
        "leases",
        "artifacts",
        "services",
        "selectors",
        "wakeup",
        "envelopes",
        "authority",
        "clients",
        "nodes",
        "statements",
    )
)
LAYERS = (
    Layer(("publisher",), ("reviews",)),
    Layer(
        ("publisher.models",),
        (*MIDDLE, *OUTER, "publisher.engine", "publisher.prepare", "publisher.adapters", "git"),
    ),
    Layer(MIDDLE, (*OUTER, "publisher.engine", "publisher.prepare", "publisher.adapters", "git")),
    Layer(("publisher.engine", "publisher.prepare"), (*OUTER, "publisher.adapters", "django_q")),
    Layer(
        ("publisher.adapters",),
        (*MIDDLE, *OUTER, "publisher.models", "publisher.engine", "publisher.prepare", "django_q"),
    ),
    Layer(
        ("reviews.models",),
        ("reviews.services", "reviews.selectors", "reviews.views", "publisher.services", "git"),
    ),
    Layer(
        ("reviews.services", "reviews.selectors", "reviews.authority"),
        (*OUTER, "publisher.engine", "publisher.adapters", "git", "reviews.views", "reviews.api"),
    ),
    Layer(
        ("reviews.presenters",),
        ("django.db", "reviews.models", "reviews.selectors", "publisher.models"),
    ),
    Layer(
        tuple(
            f"reviews.{name}"
            for name in ("views", "api", "admin", "forms", "templatetags", "management")
        ),
        (
            *OUTER,
            "publisher.journal",
            "publisher.models",
            "publisher.engine",
            "publisher.adapters",
        ),
    ),
)
DOMAIN = "publisher.domain"
MAY_WIRE = ("publisher.tasks", "publisher.processes", "publisher.management", "publisher.wiring")
MAY_CATCH_EVERYTHING = (
    "publisher.engine.worker",
    "publisher.engine.outbox",
    "publisher.engine.reconcile",
    "publisher.engine.sites",
    "reviews.authority",
)
"""Where one job, message, site or row of many is tried: what is wrong with it must not stop the others."""
MAY_START_PROCESSES = ("publisher.adapters.git.runner", "publisher.processes")
MAY_READ_ENVIRONMENT = (
    "publisher.settings",
    "publisher.env",
    "publisher.faults",
    "publisher.wsgi",
    "publisher.processes",
)


def below(name: str, prefixes: tuple[str, ...]) -> bool:
    """Tell whether a module is one of these, lies below one, or is a part of it beside it."""
    return any(
        name == prefix or name.startswith((f"{prefix}.", f"{prefix}_")) for prefix in prefixes
    )


def modules(root: Path) -> Iterator[tuple[str, ast.Module]]:
    """The product's modules with their syntax trees; migrations are generated and left out."""
    for package in PRODUCT:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            if "migrations" not in parts:
                name = ".".join(parts).removesuffix(".__init__")
                yield name, ast.parse(path.read_text())


def imports(tree: ast.AST) -> Iterator[str]:
    """Every name that is imported anywhere in the tree, as ``module`` and ``module.name``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def crossed_layers(root: Path) -> list[str]:
    """Imports that a layer may not make."""
    found = []
    for name, tree in modules(root):
        banned = {
            prefix for layer in LAYERS if below(name, layer.modules) for prefix in layer.never
        }
        found += [f"{name} imports {seen}" for seen in imports(tree) if below(seen, tuple(banned))]
    return sorted(set(found))


def impure_domain(root: Path) -> list[str]:
    """Imports of the domain that are neither the standard library, rfc8785 nor the domain."""
    pure = (*sys.stdlib_module_names, "rfc8785", DOMAIN)
    return [
        f"{name} imports {seen}"
        for name, tree in modules(root)
        if below(name, (DOMAIN,))
        for seen in imports(tree)
        if not below(seen, pure)
    ]


def wired_elsewhere(root: Path) -> list[str]:
    """Imports of the wiring by who may not have it."""
    return [
        f"{name} imports {seen}"
        for name, tree in modules(root)
        if not below(name, MAY_WIRE)
        for seen in imports(tree)
        if below(seen, ("publisher.wiring",))
    ]


def processes_elsewhere(root: Path) -> list[str]:
    """Modules that could start processes or drive git without being the place for it."""
    return [
        f"{name} imports {seen}"
        for name, tree in modules(root)
        if not below(name, MAY_START_PROCESSES)
        for seen in imports(tree)
        if below(seen, ("subprocess", "multiprocessing", "git", "pty"))
    ]


def errors_caught_elsewhere(root: Path) -> list[str]:
    """Modules that catch every ``Exception`` and try no one unit of many."""
    return [
        f"{name}:{node.lineno}"
        for name, tree in modules(root)
        if not below(name, MAY_CATCH_EVERYTHING)
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or (isinstance(node.type, ast.Name) and node.type.id == "Exception"))
    ]


def environment_elsewhere(root: Path) -> list[str]:
    """Modules that read the environment beside the settings."""
    found = []
    for name, tree in modules(root):
        if below(name, MAY_READ_ENVIRONMENT):
            continue
        found += [
            f"{name}:{node.lineno}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv", "putenv"}
        ]
        found += [f"{name} imports {seen}" for seen in imports(tree) if seen == "os.environ"]
    return found


def imports_inside_functions(root: Path) -> list[str]:
    """Imports that run only when a function does."""
    return [
        f"{name}:{inner.lineno}"
        for name, tree in modules(root)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    ]


def long_functions(root: Path, *, limit: int = 40) -> list[str]:
    """Functions beyond the budget."""
    return [
        f"{name}.{node.name} has {length} lines"
        for name, tree in modules(root)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or 0) - node.lineno + 1) > limit
    ]


def long_files(root: Path) -> list[str]:
    """Files beyond their kind's budget; vendored ones have none."""
    budgets = {
        "publisher/**/*.py": 300,
        "reviews/**/*.py": 300,
        "bench/**/*.py": 300,
        "tests/**/*.py": 500,
        "templates/**/*.html": 150,
        "templates/**/partials/*.html": 60,
        "static/**/*.js": 120,
        "static/**/*.css": 300,
    }
    found = []
    for pattern, limit in budgets.items():
        for path in sorted(root.glob(pattern)):
            lines = len(path.read_text().splitlines())
            if lines > limit and not {"vendor", "migrations"} & set(path.parts):
                found.append(f"{path.relative_to(root)} has {lines} lines, {limit} are allowed")
    return found


def sleeps(folder: Path) -> list[str]:
    """Tests that let time pass instead of waiting for a state."""
    return [
        f"{path.relative_to(folder)}:{node.lineno}"
        for path in sorted(folder.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if (isinstance(node, ast.Attribute) and node.attr == "sleep")
        or (isinstance(node, ast.ImportFrom) and any(a.name == "sleep" for a in node.names))
    ]


UNSAFE_MARKUP = {
    "|safe": re.compile(r"\|\s*safe\b|\bsafeseq\b|{%\s*autoescape\s+off"),
    "style=": re.compile(r"<[^>]*\sstyle\s*=", re.IGNORECASE),
    "on…=": re.compile(r"<[^>]*\son[a-z]+\s*=", re.IGNORECASE),
    "inline script": re.compile(r"<script(?![^>]*\ssrc=)[^>]*>\s*\S", re.IGNORECASE),
}


def unsafe_templates(folder: Path) -> list[str]:
    """Templates that print raw HTML or carry what the content security policy forbids."""
    return [
        f"{path.relative_to(folder)} has {name}"
        for path in sorted(folder.rglob("*.html"))
        for name, pattern in UNSAFE_MARKUP.items()
        if pattern.search(path.read_text())
    ]


def careless_migrations(root: Path) -> list[str]:
    """Migrations without a name of their own, with choices, or with imports of living code."""
    found = []
    for path in sorted(path for each in PRODUCT for path in (root / each).rglob("migrations/*.py")):
        text, where = path.read_text(), path.relative_to(root)
        if re.search(r"_auto_|_and_more|^\d{4}_auto", path.stem):
            found.append(f"{where} has no name of its own")
        if re.search(r"\bchoices\s*=", text):
            found.append(f"{where} has choices")
        living = (".services", ".journal", ".engine", ".selectors")
        seen = [name for name in imports(ast.parse(text)) if name.endswith(living)]
        found += [f"{where} imports {name}" for name in seen]
    return found
