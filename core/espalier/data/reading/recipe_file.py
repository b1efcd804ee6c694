"""How a file was read, as JSON: for the file of a session, which has none of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

from espalier.data.recipe import TableRecipe


def recipe_to_json(recipe: TableRecipe) -> dict[str, Any]:
    """Return the recipe as JSON has it: records are objects, tuples are lists.

    >>> from espalier.data.columns.convert import TargetPlan
    >>> from espalier.data.options import ReadOptions
    >>> one = TableRecipe("a.csv", ReadOptions(decimal=","), (), TargetPlan("ill"))
    >>> recipe_from_json(recipe_to_json(one)) == one
    True
    """
    return _plain(recipe)


def recipe_from_json(found: Any) -> TableRecipe:
    """Return the recipe of such an object. Raises ValueError, naming the field, for any other."""
    return _record(TableRecipe, found, "reading")


def _plain(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        return {name: _plain(one) for name, one in value._asdict().items()}
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def _record(kind: Any, found: Any, where: str) -> Any:
    """Return a named tuple; fields that are not there have their defaults."""
    if not isinstance(found, Mapping):
        raise ValueError(where)
    hints, usual = get_type_hints(kind), kind._field_defaults
    missing = [name for name in kind._fields if name not in found and name not in usual]
    if missing:
        raise ValueError(f"{where}.{missing[0]}")
    there = {name: hints[name] for name in kind._fields if name in found}
    return kind(**{name: _value(hint, found[name], f"{where}.{name}") for name, hint in there.items()})


def _value(kind: Any, found: Any, where: str) -> Any:
    if hasattr(kind, "_fields"):
        return _record(kind, found, where)
    if get_origin(kind) is Literal:
        if found in get_args(kind):
            return found
    elif get_origin(kind) is tuple:
        return _tuple(get_args(kind), found, where)
    elif type(found) is kind:
        return found
    raise ValueError(where)


def _tuple(kinds: tuple[Any, ...], found: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(found, list):
        raise ValueError(where)
    of = [kinds[0]] * len(found) if kinds[-1] is Ellipsis else list(kinds)
    if len(of) != len(found):
        raise ValueError(where)
    return tuple(_value(kind, one, where) for kind, one in zip(of, found, strict=True))
