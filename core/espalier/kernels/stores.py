"""Stores into the arrays of a record are never dead, whatever functions are inlined on the way to them.

Numba drops a store into an array that nobody reads afterwards and that is none of the caller's. Arrays of a record
that is handed from one inlined function to the next, or made anew with borrowed arrays, are the caller's all
the same, but Numba does not see it. What it has no public words for is in this file.
"""

from __future__ import annotations

from typing import Any

from numba.core import ir, ir_utils


def _of_caller(statement: Any, _args: Any, _types: Any, _function: Any, _aliases: Any, of_caller: set) -> None:
    """Note that what a record or array holds may be the caller's."""
    if isinstance(statement.value, ir.Expr) and statement.value.op == "getattr":
        of_caller.add(statement.target.name)


def keep_stores() -> None:
    """Keep stores into arrays of records in all functions that are compiled from now on."""
    ir_utils.alias_analysis_extensions[ir.Assign] = _of_caller
