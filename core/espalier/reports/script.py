"""A model as a Python script, or a notebook, that makes it again and checks that it is the same.

The table is a bundled one, or a file beside the script, which is read as it was read on the page.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from espalier.data.dataset import Dataset, HeldOut
from espalier.data.recipe import TableRecipe
from espalier.reports.expression import arguments, call, import_lines, imports_of

Source = str | TableRecipe  # the name of a bundled table, or how a file is read
NOT_DATA = ("reason", "rival")  # of a column's plan: words about the guess


class RebuiltModel(NamedTuple):
    """A model, and all that makes it again."""

    estimator: Any
    data: Dataset
    source: Source
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
    return notebook([*_steps(model), ["import espalier", "", "espalier.show(model, data)"]])


def notebook(cells: Sequence[Sequence[str]]) -> str:
    """Return cells of code, each of lines, as a Jupyter notebook (nbformat 4.5)."""
    written = [_cell(number, list(lines)) for number, lines in enumerate(cells, start=1)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    document = {"cells": written, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _cell(number: int, lines: list[str]) -> dict[str, Any]:
    source = [f"{line}\n" for line in lines[:-1]] + lines[-1:]
    usual = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    return usual | {"id": f"step-{number}", "source": source}


def _steps(model: RebuiltModel) -> ScriptSteps:
    data, weights = model.data, ""
    if data.weights is not None:
        weights = ", sample_weight=data.weights[trained]"
    return ScriptSteps(
        import_lines({*table_imports(model.source), *HOLDING_OUT, *imports_of(model.estimator)}),
        [*table(model.source, data), *held_out_lines(model.holdout)],
        [
            *call(f"model = {type(model.estimator).__name__}", arguments(model.estimator)),
            f"model.fit(data.X[trained], data.y[trained]{weights})",
        ],
        [
            *judged_lines(model.holdout),
            f"print(model.score(data.X[tested], data.y[tested]))  # here it was {model.score:.6g}",
        ],
    )


# The table -------------------------------------------------------------------------------------------

HOLDING_OUT = {("espalier.data", "HeldOut"), ("espalier.data", "held_out")}


def table_imports(source: Source) -> set[tuple[str, str]]:
    """Return the modules and names that `table` needs."""
    if isinstance(source, str):
        return {("espalier.data", "samples")}
    names = {
        ("pathlib", "Path"), ("espalier.data.columns.convert", "TargetPlan"),
        ("espalier.data.columns.kinds", "ColumnPlan"), ("espalier.data.options", "ReadOptions"),
        ("espalier.data.recipe", "TableRecipe"),
    }  # fmt: skip
    if any(source.target.roles):
        names.add(("espalier.data.columns.row_columns", "RoleNames"))
    return names | ({("espalier.data.options", "NumberFormat")} if source.options.formats else set())


def table(source: Source, data: Dataset) -> list[str]:
    """Return the lines that load the table as `data`, and check that it is the same."""
    check = f'assert data.digest == "{data.digest}", "this is another table"'
    if isinstance(source, str):
        return [f"data = samples.load({source!r})", check]
    return [
        "recipe = TableRecipe(",
        f"    {source.filename!r},  # the file, in the folder of this script",
        f"    {record(source.options)},",
        "    (",
        *(f"        {record(plan)}," for plan in source.plans),
        "    ),",
        f"    {record(source.target)},",
        ")",
        'data = recipe.dataset(Path("."))',
        check,
    ]


def record(one: Any) -> str:
    """Return a record as it is written in Python, without what is as usual."""
    fields, usual = one._asdict().items(), one._field_defaults
    there = [f"{name}={value!r}" for name, value in fields if _is_told(name, value, usual)]
    return f"{type(one).__name__}({', '.join(there)})"


def _is_told(name: str, value: Any, usual: dict[str, Any]) -> bool:
    return name not in NOT_DATA and (name not in usual or value != usual[name])


def held_out_lines(holdout: HeldOut) -> list[str]:
    """Return the lines that make `tested` and `trained`, (n_samples,) bool, of `data`."""
    where = f", where={holdout.where!r}" if holdout.where else ""
    return [f"tested = held_out(data, HeldOut({holdout.percent}, {holdout.seed}{where}))", "trained = ~tested"]


def judged_lines(holdout: HeldOut) -> list[str]:
    """Return the line that judges by the rows of training where none were held out; else none."""
    return [] if holdout.percent or holdout.where else ["tested = trained"]
