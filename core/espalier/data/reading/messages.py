"""Conversion of records to plain data and back; messages are checked field by field, never executed."""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Mapping
from typing import Any


def to_plain(value: Any) -> Any:
    """Return the value as lists, texts, numbers and dictionaries, as in JSON; a record is a list of its fields."""
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return [[to_plain(key), to_plain(item)] for key, item in value.items()]
    return [to_plain(item) for item in value] if isinstance(value, tuple | list) else value


def from_plain(kind: Any, plain: Any) -> Any:
    """Return the value of this type that `to_plain` was given. Raises TypeError or ValueError for another."""
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return None if plain is None else from_plain(next(k for k in inside if k is not type(None)), plain)
    if origin is tuple and inside[-1:] == (...,):
        return tuple(from_plain(inside[0], item) for item in plain)
    if origin is tuple:
        return tuple(from_plain(k, item) for k, item in zip(inside, plain, strict=True))
    if origin is list:
        return [from_plain(inside[0], item) for item in plain]
    if origin in (dict, Mapping):
        return {from_plain(inside[0], key): from_plain(inside[1], item) for key, item in plain}
    if hasattr(kind, "_fields"):
        hints = _hints(kind)
        return kind(*(from_plain(hints[f], item) for f, item in zip(kind._fields, plain, strict=True)))
    return _one(kind, origin, inside, plain)


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _one(kind: Any, origin: Any, inside: tuple, plain: Any) -> Any:
    if origin is typing.Literal and plain in inside:
        return plain
    if kind in (str, int, float, bool) and type(plain) is kind:
        return plain
    raise TypeError(f"{plain!r} is no {kind}")
