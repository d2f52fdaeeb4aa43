"""The answers of all addresses as a text to be read: a line for what answers alike."""

from itertools import groupby

from tests.support.route_answers import METHODS, ROLES, Table, methods_of

WIDTH = 10
LINE = 100


def written(answers: Table) -> str:
    """The whole table. Tables of the admin that answer alike stand together, named below their lines."""
    blocks: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for route in sorted({route for route, _method, _role in answers}):
        app, _, model = route.table.partition(".")
        shape = route.text.replace(f"admin/{app}/{model}/", "admin/<table>/") if app else route.text
        cells = {
            method: tuple(answers[route, method, role] for role in ROLES)
            for method in methods_of(route)
        }
        blocks.setdefault((f"/{shape}", _lines(cells)), []).append(route.table)
    head = "methods".ljust(44) + "".join(role.ljust(WIDTH + 1) for role in ROLES)
    parts = [
        "# Written by `make routes`: what each address answers to whom. login: leads there.",
        "",
        head.rstrip(),
    ]
    for (shape, lines), tables in sorted(blocks.items(), key=lambda block: block[0][0]):
        parts += ["", shape, *_named(tables), *lines]
    return "\n".join(parts) + "\n"


def _lines(cells: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Methods with the same answers share a line."""
    found = []
    for row in dict.fromkeys(cells.values()):
        methods = " ".join(method for method in METHODS if cells.get(method) == row)
        found.append(
            (f"  {methods}".ljust(44) + "".join(one.ljust(WIDTH + 1) for one in row)).rstrip()
        )
    return tuple(found)


def _named(tables: list[str]) -> list[str]:
    by_app = groupby(sorted(filter(None, tables)), key=lambda table: table.partition(".")[0])
    return [
        f"  # {app}: {' '.join(one.partition('.')[2] for one in names)}" for app, names in by_app
    ]
