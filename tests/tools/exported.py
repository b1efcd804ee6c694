"""Exports that are run: Python in a scope of its own, SQL in a database with one table."""

import sqlite3
from contextlib import closing
from typing import Any

import duckdb

CONNECT: dict[str, Any] = {"sqlite": sqlite3.connect, "duckdb": duckdb.connect, "standard": duckdb.connect}


def scope_of(source: str) -> dict[str, Any]:
    """The names that a program defines."""
    scope: dict[str, Any] = {}
    exec(compile(source, "exported", "exec"), scope)
    return scope


def answers_in(dialect: str, sql: str, columns, rows) -> list[tuple]:
    """What expressions give for each row of a table `t`, in order; its columns are pairs of a name and a type."""
    quoted = ['"' + name.replace('"', '""') + '" ' + kind for name, kind in columns]
    rows = [(i, *row) for i, row in enumerate(rows)]
    marks = f"({', '.join('?' * (len(quoted) + 1))})"
    with closing(CONNECT[dialect](":memory:")) as database:
        database.execute(f'CREATE TABLE t ("place in the file" INTEGER, {", ".join(quoted)})')
        if dialect == "sqlite":
            database.executemany(f"INSERT INTO t VALUES {marks}", rows)
        else:  # which takes rows one by one slowly
            database.execute(
                f"INSERT INTO t VALUES {', '.join([marks] * len(rows))}", [x for row in rows for x in row]
            )
        return database.execute(f'SELECT {sql} FROM t ORDER BY t."place in the file"').fetchall()
