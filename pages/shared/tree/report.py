"""How good the tree is, and why it may be no tree at all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from espalier.analysis.comparison.rates import Rates, rates
from espalier.data.dataset import Dataset, Feature
from espalier.kernels.gate import log_ensemble_size
from espalier.trees import AnyTree, CultivatedTree
from espalier.views import tables
from espalier.views.comparison import rates_words
from espalier.views.tables import listed
from espalier.views.theme import SUPERSCRIPT, number, percent
from espalier.views.tree import figures
from pages.shared.app.frame import is_dark, plain
from pages.shared.app.table_results import of_table
from pages.shared.models import learners
from pages.shared.tree import exports, results
from pages.shared.tree.results import GrownTree

HEADLINE = {"accuracy": "accuracy", "r2": "R²"}
AS_PERCENT = ("accuracy", "balanced_accuracy")
HELP = {
    "held-out": "On rows that the tree has not seen: what to expect of new ones.",
    "training": "On the rows that the tree was grown on; a deep tree learns them by heart.",
    "baseline": "What one gets without any question: the training rows' most frequent class, or mean.",
    "leaves": "Each is a region of the decision surface, and one rule.",
    "depth": "Questions on the longest way from the root to a leaf.",
    "modules": "Nodes that hesitate: they ask several features, or keep several thresholds of one. "
    "*Term:* ensemble module (option, robust split).",
    "stands for": "One cultivated tree answers as the average of all trees that decide for one feature and one "
    "threshold in each of its nodes; so many there are. *Symbol:* |D×|, the size of the Cartesian product of all "
    "modules (Nalenz & Augustin 2021, equation 1).",
}
MAX_JUDGED = 40_000  # rows that the scores above a cultivated tree are measured on at most
LARGE = 5  # decimal logarithm of a number of trees from which on the power of ten is shown


class Headline(NamedTuple):
    """The score above the tree, of the tree and of the baseline on the same rows."""

    tree: float
    baseline: float
    rates: Rates | None = None  # of classes


@of_table(max_entries=256)
def _headlines(key: str, _grown: GrownTree) -> dict[str, Headline]:
    """Accuracy or R² by rows, without the other scores: this is redrawn while a slider is dragged."""
    y, found = _grown.dataset.y, {}
    for name, inside in _kinds(_grown):
        rows = np.flatnonzero(inside)[:: _step(_grown)]
        told = results.answers_of(_grown, rows)
        if _grown.dataset.is_classification:
            most = int(_grown.tree.value[0].argmax())
            each = rates(y[rows], told.argmax(axis=1), told.shape[1], most)
            scores = Headline(each.accuracy, each.baseline, each)
        else:
            mean = y[~_grown.held].mean()
            scores = Headline(_r2(y[rows], told[:, 0]), _r2(y[rows], mean))
        found[name] = scores
    return found


def _step(grown: GrownTree) -> int:
    """Every how many rows the score above the tree is measured on: fractions of very many take their time."""
    return len(grown.dataset.y) // MAX_JUDGED + 1 if grown.is_cultivated else 1


def _r2(y: np.ndarray, predicted: np.ndarray | float) -> float:
    spread = ((y - y.mean()) ** 2).sum()
    return 1 - float(((y - predicted) ** 2).sum() / spread) if spread > 0 else np.nan


def _kinds(grown: GrownTree) -> list[tuple[str, np.ndarray]]:
    kinds = (("held-out", grown.held), ("training", ~grown.held))
    return [(name, rows) for name, rows in kinds if rows.any()]


def heading(grown: GrownTree) -> None:
    """The data's name, the scores in short, and the exports, in one line."""
    data = grown.dataset
    score = "accuracy" if data.is_classification else "r2"
    found = _headlines(grown.key, grown)
    step = _step(grown)
    some = f" Measured on one in {step} of them; the scores at the foot of the page have all." if step > 1 else ""
    with st.container(horizontal=True, gap="xsmall", key="heading"):
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="heading numbers"):
            st.markdown(f"**{plain(data.name)}**  \n:small[:gray[{_size(data)}]]", width="stretch")
            for name, scores in found.items():
                _metric(f"{HEADLINE[score]}, {name}", _written(score, scores.tree), HELP[name] + some)
            _metric("baseline", _written(score, next(iter(found.values())).baseline), HELP["baseline"])
            for label, value in _sizes(grown.tree).items():
                _metric(label, value, HELP[label])
        exports.menu(grown)


def _sizes(tree: AnyTree) -> dict[str, str]:
    """How large the tree is, by what is counted."""
    sizes = {"leaves": number(tree.n_leaves), "depth": number(tree.depth)}
    if not isinstance(tree, CultivatedTree):
        return sizes
    return {"modules": number(n_modules(tree)), **sizes, "stands for": ensemble(log_ensemble_size(tree))}


def n_modules(tree: CultivatedTree) -> int:
    """Nodes that hesitate: with several features, or several cuts of one."""
    n_before = np.append(0, np.cumsum(tree.cuts.weight > 0))[tree.cuts.start[tree.decisions.start]]
    return int(np.count_nonzero(np.diff(n_before) > 1))


def ensemble(log_size: float) -> str:
    """A number of trees from its decimal logarithm: "1 tree", "12 trees", "10⁴⁶⁸⁴ trees"."""
    if log_size < LARGE:
        size = round(10**log_size)
        return f"{size:,} tree{'s' * (size != 1)}"
    return f"10{str(round(log_size)).translate(SUPERSCRIPT)} trees"


def why_no_split(grown: GrownTree) -> str:
    """Why a tree is a lone root, as far as the data and the parameters tell."""
    y = grown.dataset.y[~grown.held]
    if (y == y[0]).all():
        return "all rows that it was grown on have the same target, so there is nothing to tell apart"
    if grown.pruned_from:
        return f"all {grown.pruned_from} leaves were pruned into one"
    return learners.chosen().why_no_split(len(y)) or "no split of any feature lowers the impurity"


def notices(grown: GrownTree) -> None:
    """What is worth saying about this tree before it is looked at."""
    with st.container():  # there even without a note: what is below keeps its place, and so its zoom and focus
        if grown.tree.n_nodes == 1:
            st.info(f"The tree is a lone root: {why_no_split(grown)}. It says the same of every row.")
        if grown.parameters.get("misclassification_cost") is not None:
            st.caption("Percentages in the tree count a row as often as mistaking it costs more than another.")
        found = next(iter(_headlines(grown.key, grown).values())).rates
        if found is not None and (blind := rates_words.blind_words([("The tree", found)], _target(grown), plain)):
            st.markdown(f":material/warning: {blind}")


def _target(grown: GrownTree) -> Feature:
    return grown.dataset.target


def preview(dataset: Dataset) -> None:
    """The data, as something to look at until there is a tree."""
    st.markdown(f"**{plain(dataset.name)}**  \n:small[:gray[{_size(dataset)}]]")
    n = len(dataset.features)
    table = listed(dataset, np.arange(min(len(dataset.y), 100)), features=tables.on_page(n))
    st.dataframe(table, hide_index=True, height=420)
    if words := tables.left_off(n):
        st.caption(words)


def scores(grown: GrownTree) -> None:
    """How good the tree is, in full; written only when it is opened."""
    opened = st.expander("How good is this tree?", on_change="rerun", key="scores")
    if opened.open:
        with opened:
            _table(grown)
            if grown.dataset.is_classification:
                _confusions(grown)


def _table(grown: GrownTree) -> None:
    """Every score on training and held-out rows beside the baseline's."""
    from espalier.analysis.comparison import scores as metrics  # a second that the first screen can do without

    data = grown.dataset
    y_grown_on, table = data.y[~grown.held], pd.DataFrame()
    for rows_name, rows in _kinds(grown):
        found = metrics.scored(data.y[rows], results.answers(grown)[rows], y_grown_on)
        names = [name for name in found.tree._fields if name in metrics.LABELS]
        for whose, values in found._asdict().items():
            table[f"{rows_name}: {whose}"] = [_written(n, getattr(values, n)) for n in names]
        arrows = ["↑" if n in metrics.HIGHER_IS_BETTER else "↓" for n in names]
        table.index = pd.Index([f"{metrics.LABELS[n]} {a}" for n, a in zip(names, arrows, strict=True)])
    st.dataframe(table, alt="Scores of the tree and of the baseline")
    brier = f" {rates_words.BRIER}" if data.is_classification else ""
    st.caption(f"↑ more is better, ↓ less is better. The baseline asks no question.{brier}")


def _confusions(grown: GrownTree) -> None:
    from espalier.analysis.comparison.scores import confusion

    data = grown.dataset
    for side, (name, rows) in zip(st.columns(2), _kinds(grown), strict=False):
        matrix = confusion(data.y[rows], results.answers(grown)[rows].argmax(axis=1), len(data.classes))
        with side:
            st.markdown(f"**Confusion matrix, {name} rows**")
            figure = figures.confusion_figure(matrix, data.classes, is_dark())
            alt = figures.confusion_alt(matrix, data.classes)
            st.plotly_chart(figure, theme=None, key=f"confusion {name}", config={"displayModeBar": False}, alt=alt)
            said = results.answers(grown)[rows].argmax(axis=1)
            told = rates(data.y[rows], said, len(data.classes), int(grown.tree.value[0].argmax()))
            st.caption(f"{_words_on(told, data)}")


def _words_on(told: Rates, data: Dataset) -> str:
    """What is right of each class, and what the baseline gets."""
    words = (rates_words.by_class_words, rates_words.baseline_words)
    return " ".join(say(told, data.target, plain) for say in words)


def _size(data: Dataset) -> str:
    goal = f"{len(data.classes)} classes" if data.is_classification else "a number"
    features = "1 feature" if len(data.features) == 1 else f"{len(data.features)} features"
    return f"{len(data.y):,} rows · {features} · target {plain(data.target.name)}, {goal}"


def _metric(label: str, value: str, words: str) -> None:
    st.metric(label, value, help=words, width="content")


def _written(score: str, value: float) -> str:
    return (
        percent(value)
        if score in AS_PERCENT and value == value
        else number(round(value, 3) if score == "r2" else value)
    )
