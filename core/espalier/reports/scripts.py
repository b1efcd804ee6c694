"""A model, or those of a page, as a Python script or a notebook that makes them again and prints the same numbers.

The table is a bundled one, or a file beside the script, which is read as it was read on the page. What is printed
depends on how a page judges its models: on rows held out, on folds, or beside the model that a tree stands in for.
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
from espalier.data.folds import Folds, HeldOut
from espalier.data.samples import title_of
from espalier.display.parts import Listed, Report, ReportSection
from espalier.display.text.trees import join
from espalier.language import say
from espalier.reports.model import ReportedModel, data_section, models_section
from espalier.reports.tree import card_section

WIDTH = 100  # letters of a line
NO_MATTER = ("n_jobs",)  # parameters that change no result
BRACKETS = {list: "[]", tuple: "()"}

NOT_DATA = ("reason", "rival")  # of a column's plan: words about the guess

HOLDING_OUT = {("espalier.data", "HeldOut"), ("espalier.data", "held_out")}

FIT = ("espalier.fitting", "fit")
FOLDS = ("espalier.data.folds", "Folds")

Source = str | TableRecipe  # the name of a bundled table, or how a file is read


class RebuiltModel(NamedTuple):
    """A model, and all that makes it again."""

    estimator: Any
    data: Dataset
    source: Source
    holdout: HeldOut
    score: float  # of the rows held out, or of all if there are none


def to_script(model: RebuiltModel) -> str:
    """Return the script: it loads the table, fits the estimator, and prints its score beside the one here.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> model = RebuiltModel(CartClassifier(max_depth=2), samples.load("iris"), "iris", HeldOut(30), 0.95)
    >>> to_script(model).splitlines()[-1]
    'print(model.score(data.X[tested], data.y[tested]))  # here it was 0.95'
    """
    imports, table, models, results = _model_steps(model)
    return "\n".join([*imports, "", *table, *models, *results])


def to_notebook(model: RebuiltModel) -> str:
    """Return the script as a Jupyter notebook (nbformat 4.5), with the tree to look at in its last cell.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> model = RebuiltModel(CartClassifier(max_depth=2), samples.load("iris"), "iris", HeldOut(30), 0.95)
    >>> [cell["cell_type"] for cell in json.loads(to_notebook(model))["cells"]]
    ['code', 'code', 'code', 'code', 'code']
    """
    return notebook([*_model_steps(model), ["import espalier", "", "espalier.show(model, data)"]])


def _model_steps(model: RebuiltModel) -> list[list[str]]:
    """Return the lines that import, load the table, fit the model, and score it."""
    data = model.data
    weights = "" if data.weights is None else ", sample_weight=data.weights[trained]"
    return [
        import_lines({*table_imports(model.source), *HOLDING_OUT, *imports_of(model.estimator)}),
        [*table_lines(model.source, data), *held_out_lines(model.holdout)],
        [
            *call(f"model = {type(model.estimator).__name__}", arguments(model.estimator)),
            f"model.fit(data.X[trained], data.y[trained]{weights})",
        ],
        [
            *judged_lines(model.holdout),
            f"print(model.score(data.X[tested], data.y[tested]))  # here it was {model.score:.6g}",
        ],
    ]


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


class RebuiltPage(NamedTuple):
    """The models of a page, and all that makes them again."""

    models: Mapping[str, Any]  # estimators by their titles; fitted or not
    data: Dataset
    source: Source
    # The models are fitted once and scored on the rows held out, or where there are none on those that they
    # learned from; or each fold judges those fitted to the others.
    judged: HeldOut | Folds
    here: Mapping[str, float]  # by title: the score on the page, which the script prints again
    score: str = ""  # of folds: whose mean it is, by its name in `Validated.scores`
    has_stand_in: bool = False  # whether the second model is a tree that stands in for the first


def page_script(page: RebuiltPage) -> str:
    """Return the script.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> one = RebuiltPage(
    ...     {"CART": CartClassifier(max_depth=2)}, samples.load("iris"), "iris", Folds(5), {"CART": 0.93},
    ...     "accuracy",
    ... )
    >>> print(page_script(one).splitlines()[-1])
    print(f"{title}: {found:.6g}, here it was {here[title]:.6g}")
    """
    imports, *steps = _page_steps(page)
    return "\n".join([*imports, *(line for lines in steps for line in ("", *lines))])


def page_notebook(page: RebuiltPage) -> str:
    """Return the script as a Jupyter notebook, a step in each cell."""
    return notebook(_page_steps(page))


def _page_steps(page: RebuiltPage) -> list[list[str]]:
    """Return the lines that import, load the table, make the models, and score them."""
    names = {*table_imports(page.source), *imports_of(list(page.models.values())), *_names(page.judged)}
    models = [
        "models = {",
        *_entries({title: source_text(estimator) for title, estimator in page.models.items()}),
        "}",
    ]
    numbers = {title: f"{score:.10g}" for title, score in page.here.items()}
    weights = "" if page.data.weights is None else ", data.weights_of(tested)"
    return [
        import_lines(names),
        [*table_lines(page.source, page.data), *_rows(page.judged)],
        _stand_in(page) if page.has_stand_in else models,
        ["here = {", *_entries(numbers), "}", *_loop(page, weights)],
    ]


def _entries(texts: Mapping[str, str]) -> list[str]:
    return list(indent(f"{title!r}: {text}," for title, text in texts.items()))


def _names(judged: HeldOut | Folds) -> set[tuple[str, str]]:
    if isinstance(judged, Folds):
        return {FOLDS, ("espalier.comparison.cross_validation", "validate")}
    return {*HOLDING_OUT, FIT}


def _rows(judged: HeldOut | Folds) -> list[str]:
    """Return the lines that say which rows judge."""
    if isinstance(judged, Folds):
        return [f"plan = {record(judged)}"]
    return [*held_out_lines(judged), *judged_lines(judged)]


def _stand_in(page: RebuiltPage) -> list[str]:
    """Return the lines that fit the model and grow the tree that stands in for it."""
    first, second = page.models.values()
    tree_arguments = arguments(second) | {"model": "model"}
    return [
        f"model = {source_text(first)}",
        "fit(model, data, trained)",
        *call(f"tree = {type(second).__name__}", tree_arguments),
        "fit(tree, data, trained)",
        "models = {",
        *_entries(dict(zip(page.models, ("model", "tree"), strict=True))),
        "}",
    ]


def _loop(page: RebuiltPage, weights: str) -> list[str]:
    """Return the lines that find the numbers and print them beside those of the page."""
    score_line = f"found = model.score(data.X[tested], data.y[tested]{weights})"
    print_line = 'print(f"{title}: {found:.6g}, here it was {here[title]:.6g}")'
    if isinstance(page.judged, Folds):
        score_line = f"found = validate(model, data, plan).scores({page.score!r}).mean()"
    fit_lines = [] if isinstance(page.judged, Folds) or page.has_stand_in else ["fit(model, data, trained)"]
    return ["for title, model in models.items():", *indent([*fit_lines, score_line, print_line])]


class ReportedPage(NamedTuple):
    """A page with all that its report says."""

    question: str  # of the page
    data: Dataset
    sections: Sequence[ReportSection]  # what the page shows, in its order; those without parts are left out
    models: Sequence[ReportedModel]  # none of a page about the table alone
    judged: str  # on which rows, and by which seed
    held: np.ndarray | None = None  # (n_samples,) bool: rows held out; None: each row by some of the models
    rebuilt: RebuiltPage | None = None  # None: no script makes the models again
    findings: Sequence[str] = ()  # what about the table misleads
    link: str = ""  # to the page; empty: none
    day: str = ""  # on which the report was made


def page_report(one: ReportedPage) -> Report:
    """Return the report.

    >>> from espalier.data import samples
    >>> from espalier.learners.catalogue import Model
    >>> models = [ReportedModel("CART", Model("cart"))]
    >>> page = ReportedPage("Which is better?", samples.load("iris"), (), models, "On 5 folds.")
    >>> [section.heading for section in page_report(page).sections][-1]
    'How it was made and judged'
    """
    sections = [section for section in one.sections if section.parts]
    sections += _models(one) if one.models else _table(one)
    models = join([model.title for model in one.models], "and")
    lead = say("{models}, on the rows of “{data}”.", models=models, data=title_of(one.data)) if models else ""
    small_print = say("Made on {day}.", day=one.day) if one.day else ""
    return Report(f"{one.data.target.name}: {one.question}", (lead,), sections, (small_print, one.link))


def _models(one: ReportedPage) -> list[ReportSection]:
    """Return what the models are for, the data, and how they were made."""
    source = "" if one.rebuilt is None else page_script(one.rebuilt)
    return [
        card_section(one.data, one.findings),
        data_section(one.data, one.held),
        models_section(one.models, one.data.is_classification, one.judged, source),
    ]


def _table(one: ReportedPage) -> list[ReportSection]:
    """Return what about the table misleads, the data, and which rows are held out of it."""
    misleading = [ReportSection(say("What to look at first"), [Listed(one.findings)])] if one.findings else []
    models = models_section((), one.data.is_classification, one.judged)
    return [*misleading, data_section(one.data, one.held), models]


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
    for module, name in sorted(names, key=lambda pair: (pair[0], not pair[1][0].isupper(), pair[1])):
        names_of.setdefault(module, []).append(name)
    groups = [[], [], []]
    for module in sorted(names_of):
        place = 0 if module == "pathlib" else 2 if module.startswith("espalier") else 1
        groups[place].append(f"from {module} import {', '.join(names_of[module])}")
    lines: list[str] = []
    for group in filter(None, groups):
        lines += [*([""] if lines else []), *group]
    return lines


def is_estimator(value: Any) -> bool:
    """Return whether it is an estimator in scikit-learn's sense, and no class of them."""
    return hasattr(value, "get_params") and not isinstance(value, type)


def table_imports(source: Source) -> set[tuple[str, str]]:
    """Return the modules and names that `table_lines` needs."""
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


def table_lines(source: Source, data: Dataset) -> list[str]:
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
    usual = one._field_defaults
    there = [
        f"{name}={value!r}"
        for name, value in one._asdict().items()
        if name not in NOT_DATA and (name not in usual or value != usual[name])
    ]
    return f"{type(one).__name__}({', '.join(there)})"


def held_out_lines(holdout: HeldOut) -> list[str]:
    """Return the lines that make `tested` and `trained`, (n_samples,) bool, of `data`."""
    where = f", where={holdout.where!r}" if holdout.where else ""
    return [f"tested = held_out(data, HeldOut({holdout.percent}, {holdout.seed}{where}))", "trained = ~tested"]


def judged_lines(holdout: HeldOut) -> list[str]:
    """Return the line that judges by the rows of training where none were held out; else none."""
    return [] if holdout.percent or holdout.where else ["tested = trained"]
