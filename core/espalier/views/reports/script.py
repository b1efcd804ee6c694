"""A model as a Python script that makes it again from a bundled table, and checks that it is the same."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from espalier.data.dataset import Dataset, HeldOut

WIDTH = 100  # letters of a line


def to_script(estimator: Any, data: Dataset, sample: str, holdout: HeldOut, score: float) -> str:
    """Return the script: it loads the bundled table, fits the estimator, and prints its score beside `score`.

    `sample` is the table's name in `espalier.data.samples`; `score` is that of the rows held out, or of all if
    there are none.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> text = to_script(CartClassifier(max_depth=2), samples.load("iris"), "iris", HeldOut(30), 0.95)
    >>> text.splitlines()[-1]
    'print(model.score(data.X[tested], data.y[tested]))  # here it was 0.95'
    """
    made = type(estimator)
    weights = ", sample_weight=data.weights[trained]" if data.weights is not None else ""
    lines = [
        "from espalier.data import HeldOut, held_out, samples",
        f"from espalier.learners import {made.__name__}",
        "",
        f"data = samples.load({sample!r})",
        f'assert data.digest == "{data.digest}"  # the same table',
        f"tested = held_out(data, {_holdout(holdout)})",
        "trained = ~tested",
        *_call(f"model = {made.__name__}", arguments(estimator)),
        f"model.fit(data.X[trained], data.y[trained]{weights})",
        *([] if holdout.percent or holdout.where else ["tested = trained"]),
        f"print(model.score(data.X[tested], data.y[tested]))  # here it was {score:.6g}",
    ]
    return "\n".join(lines)


def _holdout(holdout: HeldOut) -> str:
    where = f", where={holdout.where!r}" if holdout.where else ""
    return f"HeldOut({holdout.percent}, {holdout.seed}{where})"


def arguments(estimator: Any) -> dict[str, str]:
    """Return the parameters that are not the defaults, by name, as they are written in Python.

    >>> from espalier.learners import CartClassifier
    >>> arguments(CartClassifier(max_depth=2, ccp_alpha=0.0))
    {'max_depth': '2'}
    """
    usual = inspect.signature(type(estimator).__init__).parameters
    given = estimator.get_params(deep=False)
    there = {name: value for name, value in given.items() if not _same(value, usual[name].default)}
    return {name: _python(value) for name, value in there.items()}


def _same(value: Any, default: Any) -> bool:
    if isinstance(value, np.ndarray):  # of columns that are categories, where no text says so
        return value.dtype == bool and not value.any()
    return type(value) is type(default) and value == default


def _python(value: Any) -> str:
    return repr(value.tolist() if isinstance(value, np.ndarray | np.generic) else value)


def _call(begin: str, given: dict[str, str]) -> list[str]:
    """Return the call on one line, or with an argument on each."""
    parts = [f"{name}={text}" for name, text in given.items()]
    line = f"{begin}({', '.join(parts)})"
    return [line] if len(line) <= WIDTH else [f"{begin}(", *(f"    {part}," for part in parts), ")"]
