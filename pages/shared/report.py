"""How good the tree is, and why it may be no tree at all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from core.analysis.prediction import classes, shares
from core.data.dataset import Dataset
from core.views import figures
from core.views.tables import listed
from core.views.theme import number, percent
from pages.shared import exports
from pages.shared.cache import Grown, leaves
from pages.shared.frame import is_dark, plain

HEADLINE = {"accuracy": "accuracy", "r2": "R²"}
AS_PERCENT = ("accuracy", "balanced_accuracy")
HELP = {
    "held-out": "On rows that the tree has not seen: what to expect of new ones.",
    "training": "On the rows that the tree was grown on; a deep tree learns them by heart.",
    "baseline": "What one gets without any question: the training rows' most frequent class, or mean.",
    "leaves": "Each is a region of the decision surface, and one rule.",
    "depth": "Questions on the longest way from the root to a leaf.",
}


class Headline(NamedTuple):
    """The score above the tree, of the tree and of the baseline on the same rows."""

    tree: float
    baseline: float


@st.cache_resource(max_entries=256, show_spinner=False)
def _headlines(key: str, _grown: Grown) -> dict[str, Headline]:
    """Accuracy or R² by rows, straight from the leaves: this is redrawn while a slider is dragged."""
    says, y = _grown.tree.value[leaves(_grown)], _grown.dataset.y
    found = {}
    for name, rows in _kinds(_grown):
        if _grown.dataset.is_classification:
            most = _grown.tree.value[0].argmax()
            scores = Headline(np.mean(says[rows].argmax(axis=1) == y[rows]), np.mean(y[rows] == most))
        else:
            mean = y[~_grown.held].mean()
            scores = Headline(_r2(y[rows], says[rows, 0]), _r2(y[rows], mean))
        found[name] = scores
    return found


def _r2(y: np.ndarray, predicted: np.ndarray | float) -> float:
    spread = ((y - y.mean()) ** 2).sum()
    return 1 - float(((y - predicted) ** 2).sum() / spread) if spread > 0 else np.nan


def _kinds(grown: Grown) -> list[tuple[str, np.ndarray]]:
    kinds = (("held-out", grown.held), ("training", ~grown.held))
    return [(name, rows) for name, rows in kinds if rows.any()]


def heading(grown: Grown) -> None:
    """The data's name, the scores in short, and the exports, in one line."""
    data = grown.dataset
    score = "accuracy" if data.is_classification else "r2"
    found = _headlines(grown.key, grown)
    with st.container(horizontal=True, vertical_alignment="center", key="heading"):
        st.markdown(f"**{plain(data.name)}**  \n:small[:gray[{_size(data)}]]", width="stretch")
        for name, scores in found.items():
            _metric(f"{HEADLINE[score]}, {name}", _written(score, scores.tree), HELP[name])
        _metric("baseline", _written(score, next(iter(found.values())).baseline), HELP["baseline"])
        _metric("leaves", number(grown.tree.n_leaves), HELP["leaves"])
        _metric("depth", number(grown.tree.depth), HELP["depth"])
        exports.menu(grown)


def why_no_split(grown: Grown) -> str:
    """Why a tree is a lone root, as far as the data and the parameters tell."""
    y = grown.dataset.y[~grown.held]
    n = len(y)
    if (y == y[0]).all():
        return "all rows that it was grown on have the same target, so there is nothing to tell apart"
    state = st.session_state
    if state["split"] > n:
        return f"it was grown on {n} rows, fewer than the {state['split']} that a split needs"
    if 2 * state["leaf"] > n:
        return f"{n} rows do not make two leaves of {state['leaf']} rows each"
    if state["alpha"] > 0 or state["gain"] > 0:
        return "no split is worth its price; lower pruning α, or the decrease of impurity that a split needs"
    return "no split of any feature lowers the impurity"


def notices(grown: Grown) -> None:
    """What is worth saying about this tree before it is looked at."""
    if grown.tree.n_nodes == 1:
        st.info(f"The tree is a lone root: {why_no_split(grown)}. It says the same of every row.")


def preview(dataset: Dataset) -> None:
    """The data, as something to look at until there is a tree."""
    st.markdown(f"**{plain(dataset.name)}**  \n:small[:gray[{_size(dataset)}]]")
    st.dataframe(listed(dataset, np.arange(min(len(dataset.y), 100))), hide_index=True, height=420)


def scores(grown: Grown) -> None:
    """How good the tree is, in full; written only when it is opened."""
    opened = st.expander("How good is this tree?", on_change="rerun", key="scores")
    if opened.open:
        with opened:
            _table(grown)
            if grown.dataset.is_classification:
                _confusions(grown)


def _table(grown: Grown) -> None:
    """Every score on training and held-out rows beside the baseline's."""
    from core.analysis import scores as metrics  # a second that the first screen can do without

    data = grown.dataset
    y_grown_on, table = data.y[~grown.held], pd.DataFrame()
    for rows_name, rows in _kinds(grown):
        found = metrics.scored(data.y[rows], shares(grown.tree, data.X[rows]), y_grown_on)
        names = [name for name in found.tree._fields if name in metrics.LABELS]
        for whose, values in found._asdict().items():
            table[f"{rows_name}: {whose}"] = [_written(n, getattr(values, n)) for n in names]
        arrows = ["↑" if n in metrics.HIGHER_IS_BETTER else "↓" for n in names]
        table.index = pd.Index([f"{metrics.LABELS[n]} {a}" for n, a in zip(names, arrows, strict=True)])
    st.dataframe(table, alt="Scores of the tree and of the baseline")
    st.caption("↑ more is better, ↓ less is better. The baseline asks no question.")


def _confusions(grown: Grown) -> None:
    from core.analysis.scores import confusion

    data = grown.dataset
    for side, (name, rows) in zip(st.columns(2), _kinds(grown), strict=False):
        matrix = confusion(data.y[rows], classes(grown.tree, data.X[rows]), len(data.classes))
        with side:
            st.markdown(f"**Confusion matrix, {name} rows**")
            figure = figures.confusion_figure(matrix, data.classes, is_dark())
            alt = figures.confusion_alt(matrix, data.classes)
            st.plotly_chart(figure, theme=None, key=f"confusion {name}", config={"displayModeBar": False}, alt=alt)


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
