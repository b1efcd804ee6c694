"""Estimators as Python: the call that makes one, with what is not the default, and the names that it imports."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from espalier import learners

WIDTH = 100  # letters of a line
NO_MATTER = ("n_jobs",)  # parameters that change no result
BRACKETS = {list: "[]", tuple: "()"}


def written(value: Any) -> str:
    """Return a value as it is written in Python; estimators inside others, too.

    >>> from espalier.learners import BaggedForestClassifier, CartClassifier
    >>> written(BaggedForestClassifier(CartClassifier(max_depth=2), n_jobs=2))
    'BaggedForestClassifier(estimator=CartClassifier(max_depth=2))'
    """
    if is_estimator(value):
        return "\n".join(call(type(value).__name__, arguments(value)))
    if isinstance(value, np.ndarray | np.generic):
        return written(value.tolist())
    if type(value) in BRACKETS:
        first, last = BRACKETS[type(value)]
        comma = "," if isinstance(value, tuple) and len(value) == 1 else ""
        return f"{first}{', '.join(map(written, value))}{comma}{last}"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def arguments(estimator: Any) -> dict[str, str]:
    """Return the parameters that are not the defaults, by name, as they are written in Python.

    >>> from espalier.learners import CartClassifier
    >>> arguments(CartClassifier(max_depth=2, ccp_alpha=0.0))
    {'max_depth': '2'}
    """
    usual = inspect.signature(type(estimator).__init__).parameters
    given = estimator.get_params(deep=False)
    there = {name: value for name, value in given.items() if not _same(value, usual[name].default)}
    return {name: written(value) for name, value in there.items() if name not in NO_MATTER}


def _same(value: Any, default: Any) -> bool:
    if isinstance(value, np.ndarray):  # of columns that are categories, where no text says so
        return value.dtype == bool and not value.any()
    return type(value) is type(default) and (value == default or (value != value and default != default))  # nan


def call(begin: str, given: Mapping[str, str]) -> Iterator[str]:
    """Yield the call on one line, or with an argument on each."""
    parts = [f"{name}={text}" for name, text in given.items()]
    line = f"{begin}({', '.join(parts)})"
    if len(line) <= WIDTH and "\n" not in line:
        yield line
        return
    yield f"{begin}("
    yield from indented(f"{part}," for part in parts)
    yield ")"


def indented(texts: Iterable[str]) -> Iterator[str]:
    """Yield the lines of the texts, each four letters further right."""
    for text in texts:
        yield from (f"    {line}" for line in text.splitlines())


def imports_of(value: Any) -> set[tuple[str, str]]:
    """Return the modules and names that `written` needs.

    >>> from espalier.learners import CartClassifier
    >>> imports_of([CartClassifier()])
    {('espalier.learners', 'CartClassifier')}
    """
    if type(value) in BRACKETS:
        return set().union(*map(imports_of, value))
    if not is_estimator(value):
        return set()
    return {_home(type(value))}.union(*map(imports_of, value.get_params(deep=False).values()))


def _home(kind: type) -> tuple[str, str]:
    """Return the public module of a class, and its name."""
    if vars(learners).get(kind.__name__) is kind:
        return "espalier.learners", kind.__name__
    parts = kind.__module__.split(".")
    private = next((place for place, part in enumerate(parts) if part.startswith("_")), len(parts))
    return ".".join(parts[:private]), kind.__name__


def import_lines(names: Iterable[tuple[str, str]]) -> list[str]:
    """Return the lines that import these names of modules.

    >>> import_lines({("espalier.data", "samples"), ("espalier.data", "HeldOut"), ("pathlib", "Path")})
    ['from pathlib import Path', '', 'from espalier.data import HeldOut, samples']
    """
    by_module: dict[str, list[str]] = {}
    for module, name in sorted(names, key=_case):
        by_module.setdefault(module, []).append(name)
    groups = [[], [], []]
    for module in sorted(by_module):
        place = 0 if module == "pathlib" else 2 if module.startswith("espalier") else 1
        groups[place].append(f"from {module} import {', '.join(by_module[module])}")
    lines: list[str] = []
    for group in filter(None, groups):
        lines += [*([""] if lines else []), *group]
    return lines


def _case(pair: tuple[str, str]) -> tuple[str, bool, str]:
    return pair[0], not pair[1][0].isupper(), pair[1]


def is_estimator(value: Any) -> bool:
    """Return whether it is an estimator in scikit-learn's sense, and no class of them."""
    return hasattr(value, "get_params") and not isinstance(value, type)
