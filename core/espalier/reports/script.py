"""A model as a Python script, or a notebook, that makes it again and checks that it is the same.

The table is a bundled one, or a file beside the script, which is read as it was read on the page.
"""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier import learners
from espalier.data.columns.convert import TableRecipe
from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut

WIDTH = 100  # letters of a line
NO_MATTER = ("n_jobs",)  # parameters that change no result
BRACKETS = {list: "[]", tuple: "()"}


def source_text(value: Any) -> str:
    """Return a value as it is written in Python; estimators inside others, too.

    >>> from espalier.learners import BaggedForestClassifier, CartClassifier
    >>> source_text(BaggedForestClassifier(CartClassifier(max_depth=2), n_jobs=2))
    'BaggedForestClassifier(estimator=CartClassifier(max_depth=2))'
    """
    if is_estimator(value):
        return "\n".join(call(type(value).__name__, arguments(value)))
    if isinstance(value, np.ndarray | np.generic):
        return source_text(value.tolist())
    if type(value) in BRACKETS:
        first, last = BRACKETS[type(value)]
        comma = "," if isinstance(value, tuple) and len(value) == 1 else ""
        return f"{first}{', '.join(map(source_text, value))}{comma}{last}"
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
    parameters = estimator.get_params(deep=False)
    there = {name: value for name, value in parameters.items() if not _same(value, usual[name].default)}
    return {name: source_text(value) for name, value in there.items() if name not in NO_MATTER}


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
    yield from indent(f"{part}," for part in parts)
    yield ")"


def indent(texts: Iterable[str]) -> Iterator[str]:
    """Yield the lines of the texts, each four letters further right."""
    for text in texts:
        yield from (f"    {line}" for line in text.splitlines())


def imports_of(value: Any) -> set[tuple[str, str]]:
    """Return the modules and names that `source_text` needs.

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
    names_of: dict[str, list[str]] = {}
    for module, name in sorted(names, key=_case):
        names_of.setdefault(module, []).append(name)
    groups = [[], [], []]
    for module in sorted(names_of):
        place = 0 if module == "pathlib" else 2 if module.startswith("espalier") else 1
        groups[place].append(f"from {module} import {', '.join(names_of[module])}")
    lines: list[str] = []
    for group in filter(None, groups):
        lines += [*([""] if lines else []), *group]
    return lines


def _case(pair: tuple[str, str]) -> tuple[str, bool, str]:
    return pair[0], not pair[1][0].isupper(), pair[1]


def is_estimator(value: Any) -> bool:
    """Return whether it is an estimator in scikit-learn's sense, and no class of them."""
    return hasattr(value, "get_params") and not isinstance(value, type)


# Models ----------------------------------------------------------------------------------------------

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
    cells_json = [_cell(number, list(lines)) for number, lines in enumerate(cells, start=1)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    document = {"cells": cells_json, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
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
        ("espalier.data.columns.convert", "TableRecipe"),
    }  # fmt: skip
    if any(source.target.roles):
        names.add(("espalier.data.columns.kinds", "RoleNames"))
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
