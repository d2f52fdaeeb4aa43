"""Statements that each job repeats, composed once: one row read or locked, added, changed.

Django composes a statement anew at each call, which for one row takes longer than running it. What
is said to the database is the same, and fields convert their values as ever.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from django.db import connection
from django.db.models import AutoField, Model
from django.db.models.sql.compiler import SQLCompiler

Row = TypeVar("Row", bound=Model)


def read(model: type[Row], pk: Any) -> Row:
    """The row as it is now. Raises the model's DoesNotExist."""
    return _one(model, pk, locks=False)


def locked(model: type[Row], pk: Any) -> Row:
    """The row as it is now, locked for this transaction. Raises the model's DoesNotExist."""
    return _one(model, pk, locks=True)


def add(row: Model) -> None:
    """Insert a row whose key the database gives."""
    fields = _own_fields(type(row))
    values = [_prepared(field, getattr(row, field.attname)) for field in fields]
    with connection.cursor() as cursor:
        cursor.execute(_adding(type(row)), values)
        (row.pk,) = cursor.fetchone()
    row._state.adding, row._state.db = False, connection.alias


def change(model: type[Model], seen: Mapping[str, Any], written: Mapping[str, Any]) -> int:
    """Write columns where the row is still as it was ``seen``; how many rows were. Keys are fields."""
    pairs = [*written.items(), *seen.items()]
    values = [_prepared(_field(model, name), value) for name, value in pairs]
    with connection.cursor() as cursor:
        cursor.execute(_changing(model, tuple(written), tuple(seen)), values)
        return int(cursor.rowcount)


def _one(model: type[Row], pk: Any, *, locks: bool) -> Row:
    statement, compiler, converters = _reading(model, locks, connection.vendor)
    with connection.cursor() as cursor:
        cursor.execute(statement, [pk])
        found = cursor.fetchone()
    if found is None:
        raise model.DoesNotExist  # type: ignore[attr-defined]
    values = next(iter(compiler.apply_converters([list(found)], converters)))
    names = [field.attname for field in model._meta.concrete_fields]
    return model.from_db(connection.alias, names, values)


def _prepared(field: Any, value: Any) -> Any:
    return field.get_db_prep_save(value, connection)


def _field(model: type[Model], name: str) -> Any:
    return model._meta.get_field(name)


@cache
def _reading(model: type[Model], locks: bool, _vendor: str) -> tuple[str, SQLCompiler, Any]:
    rows = model._default_manager.order_by()
    query = (rows.select_for_update() if locks else rows).filter(pk=0).query
    compiler = query.get_compiler(connection=connection)
    statement, _ = compiler.as_sql()
    return statement, compiler, compiler.get_converters([column for column, *_ in compiler.select])


@cache
def _own_fields(model: type[Model]) -> Sequence[Any]:
    return [field for field in model._meta.concrete_fields if not isinstance(field, AutoField)]


@cache
def _adding(model: type[Model]) -> str:
    quote = connection.ops.quote_name
    columns = [quote(field.column) for field in _own_fields(model)]
    return (
        f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(columns)}) "
        f"VALUES ({', '.join(['%s'] * len(columns))}) RETURNING {quote(_field(model, 'id').column)}"
    )


@cache
def _changing(model: type[Model], written: Sequence[str], seen: Sequence[str]) -> str:
    quote = connection.ops.quote_name

    def equal(names: Sequence[str]) -> list[str]:
        return [f"{quote(_field(model, name).column)} = %s" for name in names]

    return (
        f"UPDATE {quote(model._meta.db_table)} SET {', '.join(equal(written))} "
        f"WHERE {' AND '.join(equal(seen))}"
    )
