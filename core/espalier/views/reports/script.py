"""A model as a Python script, or a notebook, that makes it again and checks that it is the same.

The table is a bundled one, or a file beside the script, which is read as it was read on the page.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset, HeldOut
from espalier.data.recipe import TableRecipe

WIDTH = 100  # letters of a line
NOT_DATA = ("reason", "rival")  # of a column's plan: words about the guess


class RebuiltModel(NamedTuple):
    """A model, and all that makes it again."""

    estimator: Any
    data: Dataset
    source: str | TableRecipe  # the name of a bundled table, or how a file is read
    holdout: HeldOut
    score: float  # of the rows held out, or of all if there are none


class ScriptSteps(NamedTuple):
    """The parts of a script, each with its lines."""

    imports: list[str]
    table: list[str]
    model: list[str]
    score: list[str]


def to_script(model: RebuiltModel) -> str:
    """Return the script: it loads the table, fits the estimator, and prints its score beside the one here.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> model = RebuiltModel(CartClassifier(max_depth=2), samples.load("iris"), "iris", HeldOut(30), 0.95)
    >>> to_script(model).splitlines()[-1]
    'print(model.score(data.X[tested], data.y[tested]))  # here it was 0.95'
    """
    steps = _steps(model)
    return "\n".join([*steps.imports, "", *steps.table, *steps.model, *steps.score])


def to_notebook(model: RebuiltModel) -> str:
    """Return the script as a Jupyter notebook (nbformat 4.5), with the tree to look at in its last cell.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> model = RebuiltModel(CartClassifier(max_depth=2), samples.load("iris"), "iris", HeldOut(30), 0.95)
    >>> [cell["cell_type"] for cell in json.loads(to_notebook(model))["cells"]]
    ['code', 'code', 'code', 'code', 'code']
    """
    cells = [*_steps(model), ["import espalier", "", "espalier.show(model, data)"]]
    written = [_cell(number, lines) for number, lines in enumerate(cells, start=1)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    document = {"cells": written, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _cell(number: int, lines: list[str]) -> dict[str, Any]:
    source = [f"{line}\n" for line in lines[:-1]] + lines[-1:]
    usual = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    return usual | {"id": f"step-{number}", "source": source}


def _steps(model: RebuiltModel) -> ScriptSteps:
    made, data = type(model.estimator), model.data
    weights = ", sample_weight=data.weights[trained]" if data.weights is not None else ""
    is_held = model.holdout.percent or model.holdout.where
    return ScriptSteps(
        [*_imports(model.source), f"from espalier.learners import {made.__name__}"],
        [
            *_table(model.source),
            f'assert data.digest == "{data.digest}", "this is another table"',
            f"tested = held_out(data, {_holdout(model.holdout)})",
            "trained = ~tested",
        ],
        [
            *_call(f"model = {made.__name__}", arguments(model.estimator)),
            f"model.fit(data.X[trained], data.y[trained]{weights})",
        ],
        [
            *([] if is_held else ["tested = trained"]),
            f"print(model.score(data.X[tested], data.y[tested]))  # here it was {model.score:.6g}",
        ],
    )


# The table -------------------------------------------------------------------------------------------


def _imports(source: str | TableRecipe) -> list[str]:
    if isinstance(source, str):
        return ["from espalier.data import HeldOut, held_out, samples"]
    lines = [
        "from pathlib import Path",
        "",
        "from espalier.data import HeldOut, held_out",
        "from espalier.data.columns.convert import TargetPlan",
        "from espalier.data.columns.kinds import ColumnPlan",
    ]
    if any(source.target.roles):
        lines.append("from espalier.data.columns.row_columns import RoleNames")
    numbers = ["NumberFormat"] if source.options.formats else []
    options = f"from espalier.data.options import {', '.join([*numbers, 'ReadOptions'])}"
    return [*lines, options, "from espalier.data.recipe import TableRecipe"]


def _table(source: str | TableRecipe) -> list[str]:
    if isinstance(source, str):
        return [f"data = samples.load({source!r})"]
    return [
        "recipe = TableRecipe(",
        f"    {source.filename!r},  # the file, in the folder of this script",
        f"    {_record(source.options)},",
        "    (",
        *(f"        {_record(plan)}," for plan in source.plans),
        "    ),",
        f"    {_record(source.target)},",
        ")",
        'data = recipe.dataset(Path("."))',
    ]


def _record(record: Any) -> str:
    """Return a record as it is written in Python, without what is as usual."""
    fields = record._asdict().items()
    usual = record._field_defaults
    there = [f"{name}={value!r}" for name, value in fields if _is_told(name, value, usual)]
    return f"{type(record).__name__}({', '.join(there)})"


def _is_told(name: str, value: Any, usual: dict[str, Any]) -> bool:
    return name not in NOT_DATA and (name not in usual or value != usual[name])


def _holdout(holdout: HeldOut) -> str:
    where = f", where={holdout.where!r}" if holdout.where else ""
    return f"HeldOut({holdout.percent}, {holdout.seed}{where})"


# The model -------------------------------------------------------------------------------------------


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


def _call(begin: str, given: dict[str, str]) -> Iterator[str]:
    """Yield the call on one line, or with an argument on each."""
    parts = [f"{name}={text}" for name, text in given.items()]
    line = f"{begin}({', '.join(parts)})"
    yield from [line] if len(line) <= WIDTH else [f"{begin}(", *(f"    {part}," for part in parts), ")"]
