"""Splits that a person gives trees to begin with, as a text of settings and addresses, by the names of columns."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote

from espalier.data.columns.exact_text import number_text
from espalier.learners.catalogue.terms import CommonTerms

ESCAPED = {"%": "%25", ",": "%2C", ":": "%3A", "|": "%7C"}  # in names of columns and categories
MOST_GIVEN, MOST_STEPS = 64, 64  # of a text, and of the way to a split
SET = "="  # before the categories that go left
T = TypeVar("T")


class GivenSplit(NamedTuple):
    """A split by names: a number up to which values go left, or the categories that do."""

    column: str
    at: float | tuple[str, ...]


def splits_in_text(splits: Mapping[str, GivenSplit]) -> str:
    """Return splits by path as a text that `read_splits` reads.

    >>> splits_in_text({"": GivenSplit("petal width", 0.8), "R": GivenSplit("colour", ("red", "a,b"))})
    ':petal width:0.8,R:colour:=red|a%2Cb'
    """
    return ",".join(f"{path}:{_escaped(split.column)}:{_written(split.at)}" for path, split in splits.items())


def read_splits(text: str) -> dict[str, GivenSplit]:
    """Return the splits of a text by path, parents first. Raises ValueError for another text.

    >>> read_splits(":petal width:0.8,R:colour:=red|a%2Cb")["R"]
    GivenSplit(column='colour', at=('red', 'a,b'))
    """
    parts = [part.split(":") for part in text.split(",")] if text else []
    if len(parts) > MOST_GIVEN or any(len(part) != 3 or not _is_path(part[0]) for part in parts):
        raise ValueError(f"{text!r} gives no splits; they are written as :age:40,L:income:3000")
    found = {path: GivenSplit(unquote(name), _read(at)) for path, name, at in parts}
    if any(path and path[:-1] not in found for path in found):
        raise ValueError(f"{text!r} has a split without the one above it")
    return dict(sorted(found.items(), key=lambda pair: (len(pair[0]), pair[0])))


def given_there(text: str | None, terms: CommonTerms, without: tuple[int, ...] = ()) -> dict[str, tuple[int, Any]]:
    """Return the parameter `forced_splits` for a text: those of its splits that the terms' columns allow, by path.

    A split goes with those below it where its column is not there, of another kind or left out (`without`), or has
    none of its categories.
    """
    there: dict[str, tuple[int, Any]] = {}
    for path, split in read_splits(text or "").items():
        at = _there(split, terms, without)
        if at is not None and (not path or path[:-1] in there):
            there[path] = at
    return there


def with_room(splits: Mapping[str, T], depth: int, most: int | None) -> dict[str, T]:
    """Return those of the splits by path that a tree of so many levels and splits has room for, the upper first.

    >>> with_room({"": "age", "R": "income", "RL": "debt"}, 2, None)
    {'': 'age', 'R': 'income'}
    """
    shallow = [path for path in splits if len(path) < depth]
    return {path: splits[path] for path in shallow[:most]}


def _there(split: GivenSplit, terms: CommonTerms, without: tuple[int, ...]) -> tuple[int, Any] | None:
    if split.column not in terms.columns:
        return None
    column = terms.columns.index(split.column)
    is_category = terms.categorical is not None and bool(terms.categorical[column])
    if column in without or is_category != isinstance(split.at, tuple):
        return None
    if not isinstance(split.at, tuple):
        return column, split.at
    names = terms.categories[column] if terms.categories else ()
    codes = [names.index(name) for name in split.at if name in names]
    return (column, codes) if codes and len(codes) < len(names) else None


def _is_path(text: str) -> bool:
    return re.fullmatch(f"[LR]{{0,{MOST_STEPS}}}", text) is not None


def _read(text: str) -> float | tuple[str, ...]:
    if text.startswith(SET):
        return tuple(unquote(name) for name in text[1:].split("|"))
    at = float(text)
    if not math.isfinite(at):
        raise ValueError(f"a split at {text} parts nothing")
    return at


def _written(at: float | tuple[str, ...]) -> str:
    if isinstance(at, tuple):
        return SET + "|".join(map(_escaped, at))
    return number_text(at)


def _escaped(name: str) -> str:
    return "".join(ESCAPED.get(letter, letter) for letter in name)
