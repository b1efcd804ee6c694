"""The models of a page as a Python script, or a notebook, that makes them again and prints the page's numbers.

What is printed depends on how the page judges its models: on rows held out, fold by fold, by what they answer at a
goal, beside the model that a tree stands in for, or on rows drawn again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.data.folds import Folds, HeldOut
from espalier.display.parts import Listed, Prose, Report, ReportSection
from espalier.language import say
from espalier.reliability.reliability import Goal
from espalier.reports import script
from espalier.reports.model import ReportedModel, data_section, models_section, versions
from espalier.reports.script import Source, arguments, call, import_lines, imports_of, indent, source_text
from espalier.reports.tree import card_section
from espalier.stability.replicates import Plan
from espalier.stability.structures import Equality

FIT = ("espalier.fitting", "fit")
FOLDS = ("espalier.data.folds", "Folds")


class OnRowsHeldOut(NamedTuple):
    """Models fitted once and scored on the rows held out; without any, on those that they learned from."""

    holdout: HeldOut


class OnFolds(NamedTuple):
    """Models scored on every fold by the others: the mean of a score, by its name in `Validated.scores`."""

    plan: Folds
    score: str


class AtGoal(NamedTuple):
    """Models that abstain: the share that each answers at a goal, and the mean loss of what it answers."""

    plan: Folds
    goal: Goal
    doubt: str  # how it is measured: `OWN` or `SHARE`


class BesideModel(NamedTuple):
    """A model and a tree that stands in for it, in this order, both scored on the rows held out."""

    holdout: HeldOut


class OnDraws(NamedTuple):
    """Learners whose trees grow on rows drawn again: how many structures, and the share of the most frequent."""

    plan: Plan
    depth: int  # levels of questions that are compared
    same: Equality


Judgement = OnRowsHeldOut | OnFolds | AtGoal | BesideModel | OnDraws


class RebuiltPage(NamedTuple):
    """The models of a page, and all that makes them again."""

    models: Mapping[str, Any]  # estimators by their titles; fitted or not
    data: Dataset
    source: Source
    judged: Judgement
    here: Mapping[str, tuple[float, ...]]  # by title: the numbers of the page that the script prints


class PageSteps(NamedTuple):
    """The parts of a script, each with its lines."""

    imports: list[str]
    table: list[str]
    models: list[str]
    results: list[str]


def page_script(page: RebuiltPage) -> str:
    """Return the script.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> one = RebuiltPage(
    ...     {"CART": CartClassifier(max_depth=2)}, samples.load("iris"), "iris", OnFolds(Folds(5), "accuracy"),
    ...     {"CART": (0.93,)},
    ... )
    >>> print(page_script(one).splitlines()[-1])
    print(f"{title}: {found:.6g}, here it was {here[title]:.6g}")
    """
    steps = _steps(page)
    return "\n".join([*steps.imports, "", *steps.table, "", *steps.models, "", *steps.results])


def page_notebook(page: RebuiltPage) -> str:
    """Return the script as a Jupyter notebook, a step in each cell."""
    return script.notebook(_steps(page))


def _steps(page: RebuiltPage) -> PageSteps:
    names = {*script.table_imports(page.source), *imports_of(list(page.models.values())), *_names(page.judged)}
    models = [
        "models = {",
        *_entries({title: source_text(estimator) for title, estimator in page.models.items()}),
        "}",
    ]
    numbers = {title: _numbers(values) for title, values in page.here.items()}
    weights = "" if page.data.weights is None else ", data.weights_of(tested)"
    return PageSteps(
        import_lines(names),
        [*script.table(page.source, page.data), *_rows(page.judged)],
        _stand_in(page) if isinstance(page.judged, BesideModel) else models,
        ["here = {", *_entries(numbers), "}", *_loop(page.judged, weights)],
    )


def _entries(texts: Mapping[str, str]) -> list[str]:
    return list(indent(f"{title!r}: {text}," for title, text in texts.items()))


def _numbers(values: tuple[float, ...]) -> str:
    texts = [source_text(float(f"{value:.10g}")) for value in values]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _names(judged: Judgement) -> set[tuple[str, str]]:
    match judged:
        case OnRowsHeldOut():
            return {*script.HOLDING_OUT, FIT}
        case BesideModel():
            return {*script.HOLDING_OUT, FIT}
        case OnFolds():
            return {FOLDS, ("espalier.comparison.cross_validation", "validate")}
        case AtGoal():
            goal_names = {("espalier.reliability.reliability", name) for name in ("Goal", "operate")}
            ask_names = {("espalier.reliability.reliability", name) for name in ("answered", "ask")}
            return {FOLDS, *goal_names, *ask_names}
        case OnDraws():
            plan_names = {("espalier.stability.replicates", name) for name in ("Plan", "replicate")}
            level_names = {("espalier.stability.structures", n) for n in ("Equality", "levels", "structures_of")}
            return {("espalier.stability.resampling", "Redraw"), *plan_names, *level_names}


def _rows(judged: Judgement) -> list[str]:
    """Return the lines that say which rows judge."""
    match judged:
        case OnRowsHeldOut(holdout) | BesideModel(holdout):
            return [*script.held_out_lines(holdout), *script.judged_lines(holdout)]
        case OnFolds(plan):
            return [f"plan = {script.record(plan)}"]
        case AtGoal(plan, goal):
            return [f"plan, goal = {script.record(plan)}, {script.record(goal)}"]
        case OnDraws(plan, depth, same):
            return [f"plan, depth, same = {script.record(plan)}, {depth}, {script.record(same)}"]


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


def _loop(judged: Judgement, weights: str) -> list[str]:
    """Return the lines that find the numbers and print them beside those of the page."""
    score_line = f"found = model.score(data.X[tested], data.y[tested]{weights})"
    print_line = 'print(f"{title}: {found:.6g}, here it was {here[title]:.6g}")'
    both = 'print(f"{title}: {found.coverage:.6g} and {found.risk:.6g}, here it was {here[title]}")'
    match judged:
        case OnRowsHeldOut():
            body = ["fit(model, data, trained)", score_line, print_line]
        case BesideModel():
            body = [score_line, print_line]
        case OnFolds(_, score):
            body = [f"found = validate(model, data, plan).scores({score!r}).mean()", print_line]
        case AtGoal(_, _, doubt):
            operate_line = f"found = operate(answered(ask(model, data, plan), {doubt!r}), goal, plan)"
            body = ["# the share answered, and the mean loss of what is answered", operate_line, both]
        case OnDraws():
            grow_line = "trees = replicate(model, data, plan).trees"
            levels_line = "found = levels(structures_of(trees, depth, same, data.X))[-1]"
            print_line = (
                'print(f"{title}: {found.n_structures} and {found.top_share:.6g}, here it was {here[title]}")'
            )
            body = [
                "# how many structures, and the share of the most frequent",
                grow_line,
                levels_line,
                print_line,
            ]
    return ["for title, model in models.items():", *indent(body)]


# The report of a page --------------------------------------------------------------------------------


class ReportedPage(NamedTuple):
    """A page with all that its report says."""

    title: str
    lead: str  # what is shown, in a sentence
    data: Dataset
    sections: Sequence[ReportSection]  # what the page shows, in its order
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
    >>> page = ReportedPage("Two trees", "Which is better?", samples.load("iris"), (), models, "On 5 folds.")
    >>> [section.heading for section in page_report(page).sections][-1]
    'How the models were made and judged'
    """
    sections = [*one.sections, *(_models(one) if one.models else _table(one))]
    small_print = say("Made on {day}.", day=one.day) if one.day else ""
    return Report(one.title, (one.lead,), sections, (small_print, one.link))


def _models(one: ReportedPage) -> list[ReportSection]:
    """Return what the models are for, the data, and how they were made."""
    script = "" if one.rebuilt is None else page_script(one.rebuilt)
    return [
        card_section(one.data, one.findings),
        data_section(one.data, one.held),
        models_section(one.models, one.data.is_classification, one.judged, script),
    ]


def _table(one: ReportedPage) -> list[ReportSection]:
    """Return what about the table misleads, the data, and which rows are held out of it."""
    misleading = [ReportSection(say("What to look at first"), [Listed(one.findings)])] if one.findings else []
    section = ReportSection(say("How this report was made"), [Prose(one.judged), Prose(versions())])
    return [*misleading, data_section(one.data, one.held), section]
