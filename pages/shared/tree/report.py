"""The scores of the tree, and the reason for a tree without splits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from espalier.analysis.approximation.fidelity import r2
from espalier.analysis.comparison.rates import Rates, rates
from espalier.data.dataset import Dataset, Feature
from espalier.data.samples import title_of
from espalier.data.weights import weighted_mean
from espalier.kernels.gate import log_ensemble_size
from espalier.language import say
from espalier.trees import AnyTree, CultivatedTree
from espalier.views import tables
from espalier.views.comparison import rates_words
from espalier.views.reports.sheet import ReportSection
from espalier.views.tables import listed
from espalier.views.theme import SUPERSCRIPT, count, number, percent
from espalier.views.tree import figures
from pages.shared.app.frame import is_dark, plain
from pages.shared.app.table_results import of_table
from pages.shared.canvas.data_table import data_table
from pages.shared.canvas.numbers import numbers_canvas
from pages.shared.models import learners
from pages.shared.models.of_columns import kinds as of_columns
from pages.shared.tree import node_data, results
from pages.shared.tree.exports import menu as exports
from pages.shared.tree.live.places import places
from pages.shared.tree.results import GrownTree
from pages.shared.words.tree import formulas as formula_words
from pages.shared.words.tree import page as words

CHANNEL = "explorer"  # of what is shown of one tree
AS_PERCENT = ("accuracy", "balanced_accuracy")
MAX_JUDGED = 40_000  # rows that the scores above a cultivated tree are measured on at most
LARGE = 5  # decimal logarithm of a number of trees from which on the power of ten is shown


class Figure(NamedTuple):
    """A number above the tree."""

    label: str
    value: str
    help: str


class Headline(NamedTuple):
    """The score above the tree, of the tree and of the baseline on the same rows."""

    tree: float
    baseline: float
    rates: Rates | None = None  # of classes


@of_table(max_entries=256)
def _headlines(key: str, _grown: GrownTree) -> dict[str, Headline]:
    """Accuracy or R² by rows, without the other scores: this is redrawn while a slider is dragged."""
    data, headlines = _grown.dataset, {}
    y = data.y
    for name, inside in kinds(_grown):
        rows = np.flatnonzero(inside)[:: _step(_grown)]
        outputs = results.answers_of(_grown, rows)
        if data.is_classification:
            most = int(_grown.tree.value[0].argmax())
            each = rates(y[rows], outputs.argmax(axis=1), outputs.shape[1], most, data.weights_of(rows))
            scores = Headline(each.accuracy, each.baseline, each)
        else:
            mean, weight = weighted_mean(y[~_grown.held], data.weights_of(~_grown.held)), data.weights_of(rows)
            scores = Headline(r2(y[rows], outputs[:, 0], weight), r2(y[rows], np.full(len(rows), mean), weight))
        headlines[name] = scores
    return headlines


def headlines(grown: GrownTree) -> dict[str, Headline]:
    """The score above the tree on rows held out and on training rows, by weight where they have some."""
    return _headlines(grown.key, grown)


def headline_words(grown: GrownTree, kind: str) -> str:
    """The score above the tree on rows of this kind, "held-out" or "training", in figures."""
    score = "accuracy" if grown.dataset.is_classification else "r2"
    return _written(score, headlines(grown)[kind].tree)


def _step(grown: GrownTree) -> int:
    """Step between rows that the score above the tree is measured on: fractions of very many take their time."""
    return len(grown.dataset.y) // MAX_JUDGED + 1 if grown.is_cultivated else 1


def kinds(grown: GrownTree) -> list[tuple[str, np.ndarray]]:
    """The rows held out, and those that the tree was grown on, as far as there are any."""
    kinds = (("held-out", grown.held), ("training", ~grown.held))
    return [(name, rows) for name, rows in kinds if rows.any()]


def heading(grown: GrownTree, more: Callable[[], Sequence[ReportSection]] = tuple) -> None:
    """The data's name, the scores in short, and the exports, in one line; `more` are sections of the report."""
    with st.container(horizontal=True, gap="xsmall", key="heading"):
        st.markdown(words.heading(plain(title_of(grown.dataset)), _size(grown.table)), width="stretch")
        numbers_canvas(
            [figure._asdict() for figure in figures_of(grown)],
            at=places(grown),
            channel=CHANNEL,
            key="heading numbers",
        )
        exports.menu(grown, more)


def figures_of(grown: GrownTree) -> list[Figure]:
    """The numbers above the tree."""
    score = "accuracy" if grown.dataset.is_classification else "r2"
    scores_by_rows, some, label = headlines(grown), words.one_in(_step(grown)), words.ACCURACY[score]
    found = [
        Figure(f"{label}, {words.ROWS[name]}", _written(score, one.tree), words.NUMBERS[name] + some)
        for name, one in scores_by_rows.items()
    ]
    baseline = _written(score, next(iter(scores_by_rows.values())).baseline)
    others = {words.BASELINE: baseline, **sizes(grown.tree)}
    return found + [Figure(label, value, words.NUMBERS[label]) for label, value in others.items()]


def scores_in_short(grown: GrownTree) -> str:
    """The score above the tree in words: "accuracy 95 % held-out, 97 % training"."""
    score = "accuracy" if grown.dataset.is_classification else "r2"
    there = (
        f"{_written(score, one.tree)} {words.ROWS[name]}" for name, one in _headlines(grown.key, grown).items()
    )
    return f"{words.ACCURACY[score]} {', '.join(there)}"


def errors_in_short(grown: GrownTree) -> str:
    """The share of rows with a wrong answer, in words: "error 5 % held-out, 3 % training"; of a number, R²."""
    if not grown.dataset.is_classification:
        return scores_in_short(grown)
    there = (f"{percent(1 - one.tree)} {words.ROWS[name]}" for name, one in headlines(grown).items())
    return f"{words.ERROR} {', '.join(there)}"


def written_score(data: Dataset, rows: np.ndarray, outputs: np.ndarray) -> str:
    """The score above a tree that gives these rows the outputs (n_rows, n_outputs), as it is written."""
    y, weight = data.y[rows], data.weights_of(rows)
    if data.is_classification:
        each = rates(y, outputs.argmax(axis=1), outputs.shape[1], 0, weight)
        return _written("accuracy", each.accuracy)
    return _written("r2", r2(y, outputs[:, 0], weight))


def sizes(tree: AnyTree) -> dict[str, str]:
    """Sizes of the tree, by label."""
    found = {words.LEAVES: number(tree.n_leaves), words.DEPTH: number(tree.depth)}
    if not isinstance(tree, CultivatedTree):
        return found
    stands_for = ensemble(log_ensemble_size(tree))
    return {words.MODULES: number(n_modules(tree)), **found, words.STANDS_FOR: stands_for}


def n_modules(tree: CultivatedTree) -> int:
    """Nodes that hesitate: with several features, or several cuts of one."""
    n_before = np.append(0, np.cumsum(tree.cuts.weight > 0))[tree.cuts.start[tree.decisions.start]]
    return int(np.count_nonzero(np.diff(n_before) > 1))


def ensemble(log_size: float) -> str:
    """A number of trees from its decimal logarithm: "1 tree", "12 trees", "10⁴⁶⁸⁴ trees"."""
    if log_size < LARGE:
        return words.trees(count(round(10**log_size)))
    return words.trees(f"10{str(round(log_size)).translate(SUPERSCRIPT)}")


def why_no_split(grown: GrownTree) -> str:
    """Reason for a lone root, as far as the data and the parameters tell."""
    y = grown.dataset.y[~grown.held]
    if (y == y[0]).all():
        return words.ONE_TARGET
    if node_data.leaves_none(grown):
        return words.ALL_LEFT_OUT
    if grown.pruned_from:
        return words.pruned_into_one(grown.pruned_from)
    return learners.chosen().why_no_split(len(y)) or words.NO_GAIN


def notices(grown: GrownTree) -> None:
    """Draw notes on this tree, above it."""
    if grown.tree.n_nodes == 1:
        why = why_no_split(grown)
        st.info(formula_words.lone_formula(why) if grown.has_formulas else words.lone_root(why))
    if grown.parameters.get("misclassification_cost") is not None or isinstance(grown.class_weight, dict):
        st.caption(words.COSTS)
    for held in of_columns.in_force(grown.dataset, grown.parameters):
        st.caption(held)
    first = next(iter(headlines(grown).values())).rates
    named = [] if first is None else [(words.THE_TREE, first)]
    if named and (blind := rates_words.blind_words(named, _target(grown), plain)):
        st.markdown(words.warning(blind))


def _target(grown: GrownTree) -> Feature:
    return grown.dataset.target


def preview(dataset: Dataset) -> None:
    """The data, as something to look at until there is a tree."""
    st.markdown(f"#### {plain(title_of(dataset))}\n:small[:gray[{_size(dataset)}]]")
    n = len(dataset.features)
    table = listed(dataset, np.arange(min(len(dataset.y), 100)), features=tables.on_page(n))
    data_table(table, hide_index=True, height=420)
    if left_off := tables.left_off(n):
        st.caption(left_off)


def scores(grown: GrownTree) -> None:
    """Draw all scores of the tree; only when they are opened."""
    opened = st.expander(words.HOW_GOOD, on_change="rerun", key="scores")
    if opened.open:
        with opened:
            _table(grown)
            if grown.dataset.is_classification:
                _confusions(grown)


def _table(grown: GrownTree) -> None:
    """Every score on training and held-out rows beside the baseline's."""
    from espalier.analysis.comparison import scores as metrics  # a second that the first screen can do without

    data = grown.dataset
    trained, table = ~grown.held, pd.DataFrame()
    y_grown_on, weight_grown_on = data.y[trained], data.weights_of(trained)
    for rows_name, rows in kinds(grown):
        said, weight = results.answers(grown)[rows], data.weights_of(rows)
        both = metrics.scored(data.y[rows], said, y_grown_on, weight, weight_grown_on)
        names = metrics.for_losses(both.tree._fields[1:], {grown.source.model.loss})
        for whose, values in both._asdict().items():
            table[words.scores_of(rows_name, whose)] = [_written(n, getattr(values, n)) for n in names]
        arrows = ["↑" if n in metrics.HIGHER_IS_BETTER else "↓" for n in names]
        table.index = pd.Index([f"{say(metrics.LABELS[n])} {a}" for n, a in zip(names, arrows, strict=True)])
    data_table(table, alt=words.SCORES_ALT)
    st.caption(words.scores(say(rates_words.BRIER) if data.is_classification else ""))


def _confusions(grown: GrownTree) -> None:
    from espalier.analysis.comparison.scores import confusion

    data = grown.dataset
    for side, (name, rows) in zip(st.columns(2), kinds(grown), strict=False):
        codes, weight = results.answers(grown)[rows].argmax(axis=1), data.weights_of(rows)
        matrix = confusion(data.y[rows], codes, len(data.classes), weight)
        with side:
            st.markdown(words.confusion(words.ROWS[name]))
            figure = figures.confusion_figure(matrix, data.target, is_dark())
            alt = figures.confusion_alt(matrix, data.classes)
            st.plotly_chart(figure, theme=None, key=f"confusion {name}", config={"displayModeBar": False}, alt=alt)
            each = rates(data.y[rows], codes, len(data.classes), int(grown.tree.value[0].argmax()), weight)
            st.caption(_by_class(each, data))


def _by_class(each: Rates, data: Dataset) -> str:
    """Sentences on the right answers by class, and on those of the baseline."""
    sentences = (rates_words.by_class_words, rates_words.baseline_words)
    return " ".join(sentence(each, data.target, plain) for sentence in sentences)


def _size(data: Dataset) -> str:
    n_classes = len(data.classes) if data.is_classification else 0
    return words.size(len(data.y), len(data.features), plain(data.target.name), n_classes)


def _written(score: str, value: float) -> str:
    return (
        percent(value)
        if score in AS_PERCENT and value == value
        else number(round(value, 3) if score.startswith(("r2", "d2")) else value)
    )
