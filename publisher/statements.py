"""Statements that each job repeats, composed once: rows read or locked, one added, one changed.

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


def rows(model: type[Row], *, locks: bool = False, **equal: Any) -> list[Row]:
    """The rows whose fields are ``equal`` (strings and numbers), in the order of their keys."""
    return _rows(model, equal, locks=locks)


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
    found = _rows(model, {_key(model).attname: pk}, locks=locks)
    if not found:
        raise model.DoesNotExist  # type: ignore[attr-defined]
    return found[0]


def _rows(model: type[Row], equal: Mapping[str, Any], *, locks: bool) -> list[Row]:
    statement, compiler, converters = _reading(model, tuple(equal), locks, connection.vendor)
    values = [_prepared(_field(model, name), value) for name, value in equal.items()]
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        found = [list(row) for row in cursor.fetchall()]
    names = [field.attname for field in model._meta.concrete_fields]
    converted = compiler.apply_converters(found, converters)
    return [model.from_db(connection.alias, names, row) for row in converted]


def _prepared(field: Any, value: Any) -> Any:
    return field.get_db_prep_save(value, connection)


def _key(model: type[Model]) -> Any:
    return model._meta.pk


def _field(model: type[Model], name: str) -> Any:
    return model._meta.get_field(name)


@cache
def _reading(
    model: type[Model], equal: Sequence[str], locks: bool, _vendor: str
) -> tuple[str, SQLCompiler, Any]:
    compiler = model._default_manager.order_by().query.get_compiler(connection=connection)
    selecting, _ = compiler.as_sql()
    key = connection.ops.quote_name(_key(model).column)
    statement = f"{selecting} WHERE {' AND '.join(_equal(model, equal))} ORDER BY {key}"
    if locks and connection.features.has_select_for_update:
        statement = f"{statement} {connection.ops.for_update_sql()}"
    return statement, compiler, compiler.get_converters([column for column, *_ in compiler.select])


def _equal(model: type[Model], names: Sequence[str]) -> list[str]:
    quote = connection.ops.quote_name
    return [f"{quote(_field(model, name).column)} = %s" for name in names]


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
    table = connection.ops.quote_name(model._meta.db_table)
    setting, where = _equal(model, written), _equal(model, seen)
    return f"UPDATE {table} SET {', '.join(setting)} WHERE {' AND '.join(where)}"
