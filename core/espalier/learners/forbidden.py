"""Columns that no split may ask about: learners grow without them, in the table's own numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np

from espalier.learners.frames import FrameColumns
from espalier.oblique import ObliqueTree
from espalier.trees import LEAF, CultivatedTree, Tree, read_only


class Columns(NamedTuple):
    """The columns that parameters may name."""

    names: list[str] | None  # None: X has no names
    is_category: np.ndarray  # (n_features,) bool: columns that are split as sets
    frame: FrameColumns | None = None  # with the names of categories, if X was a DataFrame

    def number(self, parameter: str, column: Any) -> int:
        """Return the number of a column that a parameter names, or numbers from 0 on."""
        columns = self.names if isinstance(column, str) else range(len(self.is_category))
        if columns is None or isinstance(column, bool) or column not in columns:
            raise ValueError(f"{parameter} has the column {column!r}; X has no such column")
        return list(columns).index(column)


def forbidden_numbers(forbidden: Any, columns: Columns) -> list[int]:
    """Return the numbers of the columns of `forbidden_features`; ValueError if there is no such column."""
    if isinstance(forbidden, str) or np.ndim(forbidden) != 1:
        raise ValueError(f"forbidden_features is {forbidden!r}; it must be a list of columns, or None")
    return [columns.number("forbidden_features", column) for column in forbidden]


# ---- growing without them


def part_of(X: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Return the allowed columns of X (n_samples, n_features), in Fortran order; without any, one of zeros."""
    return np.asfortranarray(X[:, allowed]) if len(allowed) else np.zeros((len(X), 1), order="F")


@contextmanager
def narrow(learner: Any, others: Mapping[str, Any]) -> Iterator[None]:
    """Let the learner have other attributes for a while: those that it has for a table without some columns."""
    before = {name: getattr(learner, name) for name in others}
    vars(learner).update(others)
    try:
        yield
    finally:
        vars(learner).update(before)


def number_as_table(record: Any, allowed: np.ndarray, n_features: int = 0) -> Any:
    """Return a record that was grown on the `allowed` columns of a table, with its columns numbered as there.

    It is a tree of any kind, or the `LeafModels` of one. `n_features` of the table is only needed by records that
    have a value for each column.
    """
    if isinstance(record, CultivatedTree):
        return record._replace(decisions=_renumber(record.decisions, allowed))
    if isinstance(record, Tree):
        return _renumber(record, allowed)._replace(surrogates=_renumber(record.surrogates, allowed))
    own = _renumber(record, allowed)._replace(fill=widen(record.fill, allowed, n_features, 0.0))
    return own._replace(terms=_renumber(record.terms, allowed)) if isinstance(own, ObliqueTree) else own


def widen(values: np.ndarray, allowed: np.ndarray, n_features: int, otherwise: float = np.nan) -> np.ndarray:
    """Return a value for each column of the table, (n_features,), of those for the `allowed` ones."""
    wide = np.full(n_features, otherwise)
    wide[allowed] = values[: len(allowed)]
    return read_only(wide)


def _renumber(pool: Any, allowed: np.ndarray) -> Any:
    return pool._replace(feature=read_only(np.append(allowed, LEAF).astype(np.int32)[pool.feature]))


# ---- as a text, for addresses and settings


def names_in_text(names: Iterable[str]) -> str:
    """Return names of columns as a text that `read_names` reads.

    >>> names_in_text(["age", "income, net"])
    'age,income%2C net'
    """
    return ",".join(escape_name(name, ",") for name in names)


def read_names(text: str) -> list[str]:
    """Return the names of columns in a text, each once; a comma and a percent sign are written as in addresses.

    >>> read_names("age,income%2C net,age")
    ['age', 'income, net']
    """
    return list(dict.fromkeys(unquote(part) for part in text.split(",") if part))


def escape_name(name: str, signs: str) -> str:
    """Return a name as in addresses, so that it has neither these signs nor a percent sign of its own.

    >>> escape_name("income, net", ",")
    'income%2C net'
    """
    return "".join(f"%{ord(letter):02X}" if letter in "%" + signs else letter for letter in name)
