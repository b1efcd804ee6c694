"""Round by round: the residuals, the tree that is grown on them, its step, and the sum after it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from espalier.data.dataset import Feature
from espalier.trees import depths, prune_to
from espalier.views.boosting import pictures as drawings
from espalier.views.boosting.pictures import CurvePlot, PlotLine
from espalier.views.forests import surfaces
from espalier.views.spreadsheet import to_csv
from espalier.views.tree import small_tree
from pages.shared.app import pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import is_dark, plain
from pages.shared.app.links.readers import whole
from pages.shared.boosting import results
from pages.shared.boosting.results import RoundView
from pages.shared.canvas.slider import slider
from pages.shared.forests import sums
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title
from pages.shared.words.forests import boosting as words
from pages.shared.words.forests import page as forest_words
from pages.shared.words.own import model as own_words

MOST_ROUNDS, MOST_CLASSES = 1_000, 1_000
DRAWN_DEPTH = 5  # deeper splits are left out of the picture


def url_entries() -> list[Entry]:
    """The round, and of several classes the one whose tree is shown, as part of the address."""
    return [
        Entry("round", 1, whole(1, MOST_ROUNDS), undo=False, stays=True),
        Entry("step-class", 1, whole(1, MOST_CLASSES), undo=False, stays=True, name="class"),
    ]


def draw(pair: list[GrownForest]) -> None:
    """The rounds of one of the forests that are sums."""
    boosted = [side for side, one in zip(SIDES, pair, strict=True) if one.has_rounds and not one.is_own]
    if any(one.has_rounds and one.is_own for one in pair):
        st.caption(own_words.NO_ROUNDS)
    elif not boosted:
        st.info(words.NONE)
    if not boosted:
        return
    view = _chosen(pair, boosted)
    left, right = st.columns(2, gap="medium")
    with left:
        _tree(view)
    with right:
        _loss(view)
    _effect(view)


def _chosen(pair: list[GrownForest], boosted: list[str]) -> RoundView:
    """The round that the controls stand for."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="round bar"):
        side = st.session_state["wall"]
        if len(boosted) > 1:
            names = {side: forest_words.forest(title(side)) for side in boosted}
            side = st.segmented_control(
                words.FOREST, boosted, format_func=names.__getitem__, key="wall", required=True
            )
        one = pair[SIDES.index(side if side in boosted else boosted[0])]
        most = sums.n_rounds(one)
        st.session_state["round"] = min(max(st.session_state["round"], 1), most)
        if most > 1:
            slider(words.ROUND, key="round", options=range(1, most + 1), default=1)
        place = 0
        if one.trees_a_round > 1:
            places = range(1, one.trees_a_round + 1)
            st.session_state["step-class"] = min(st.session_state["step-class"], one.trees_a_round)
            place = (
                st.selectbox(words.CLASS, places, format_func=lambda p: _class(one, p - 1), key="step-class") - 1
            )
    return results.view_of(one, st.session_state["round"], place)


def _class(one: GrownForest, place: int) -> str:
    return one.dataset.classes[sums.class_of(one, place)]


# The tree, and the loss ------------------------------------------------------------------------------


def _tree(view: RoundView) -> None:
    """The tree of the round, whose leaves say how far the sum moves."""
    one = view.one
    name = plain(one.dataset.classes[sums.class_of(one, view.tree)]) if view.is_of_class else ""
    st.markdown(words.tree_of_round(view.number, name))
    tree, target = sums.step_of(one, view.tree)
    upper: Any = prune_to(tree, depths(tree) < DRAWN_DEPTH) if tree.depth > DRAWN_DEPTH else tree
    features = one.dataset.features
    drawn = small_tree.small_tree(upper, features, target, is_dark())
    pictures.show(drawn, small_tree.alt(upper, features, target), small_tree.width_of(upper))
    depth = DRAWN_DEPTH if tree.depth > DRAWN_DEPTH else None
    rate = one.model.value("rate")
    st.caption(words.how_to_read(view.loss, rate, depth))
    pictures.save(drawn, f"tree-of-round-{view.number}.svg")


def _loss(view: RoundView) -> None:
    """The loss against the rounds, on rows grown on and held out."""
    one, name = view.one, words.LOSS[view.loss]
    st.markdown(words.loss_heading(name))
    held = results.stages(one, True)
    lines = [PlotLine(words.GROWN_ON, results.stages(one, False).loss, is_main=not len(held.rows))]
    lines += [PlotLine(words.HELD_OUT, held.loss)] if len(held.rows) else []
    drawn = drawings.loss_curve(lines, view.number, name, is_dark())
    pictures.show(drawn, drawings.loss_alt(lines, view.number), 520)
    st.caption(_loss_words(lines, name))
    with st.container(horizontal=True):
        pictures.save(drawings.loss_curve(lines, view.number, name, False), "loss-of-rounds.svg")
        pictures.save(lambda: to_csv(_table(lines)), "loss-of-rounds.csv")


def _table(lines: list[PlotLine]) -> Any:
    found = pd.DataFrame({line.name: line.values for line in lines})
    found.insert(0, "rounds", np.arange(len(found)))
    return found


def _loss_words(lines: list[PlotLine], name: str) -> str:
    if len(lines) == 1:
        return words.LOSS_OF_GROWN_ON
    held = lines[-1].values
    best = int(np.argmin(held))
    return words.least_loss(name, best, len(held) - 1, float(held[best]))


# The effect of the round -----------------------------------------------------------------------------


def _effect(view: RoundView) -> None:
    """The residuals, the step and the sum after it: over the columns, where there are one or two."""
    st.markdown(_sentence(view))
    features = view.one.dataset.features
    left, right = st.columns(2, gap="medium")
    if len(features) == 1 and features[0].kind in ("number", "ordered"):
        first, second = _over_column(view)
    elif len(features) == 2:
        first, second = _over_plane(view)
    else:
        first, second = _over_rows(view)
    for column, (name, drawn, alt) in zip((left, right), (first, second), strict=True):
        with column:
            st.markdown(words.heading(name))
            pictures.show(drawn, alt, 520)
            pictures.save(drawn, f"{name.lower().replace(' ', '-')}-{view.number}.svg")
    st.caption(_legend_words(view))


def _sentence(view: RoundView) -> str:
    """The formula of the round, with numbers."""
    before, after = (float(np.sqrt(np.mean(results.residuals(view, a) ** 2))) for a in (False, True))
    return words.formula(view.number, before, after)


Picture = tuple[str, str, str]  # title, SVG, words


def _over_column(view: RoundView) -> tuple[Picture, Picture]:
    data, rows = view.one.dataset, results.stages(view.one, False).rows
    at, before, step, after = results.curves(view)
    x, left_over, axis = data.X[rows, 0], results.residuals(view, False), data.features[0].name
    full = PlotLine(words.FULL_STEP, step / view.one.model.value("rate"), is_main=False)
    (target, k), titles = _about(view), (axis, words.RESIDUAL_BEFORE)
    steps = CurvePlot(at, (PlotLine(words.STEP, step), full), x, left_over, titles, target, k)
    truth = data.y[rows] == k if view.is_of_class else data.y[rows]
    lines = PlotLine(words.SUM_AFTER, after), PlotLine(words.SUM_BEFORE, before, is_main=False)
    title = words.SHARE if view.is_of_class else data.target.name
    sum_after = CurvePlot(at, lines, x, truth.astype(float), (axis, title), target, k)
    n = len(np.unique(np.round(step, 12)))
    return (
        (words.RESIDUALS_AND_STEP, drawings.curve(steps, is_dark()), words.steps_over(n, axis)),
        (words.THE_SUM, drawings.curve(sum_after, is_dark()), words.sum_over(axis)),
    )  # fmt: skip


def _over_plane(view: RoundView) -> tuple[Picture, Picture]:
    over, data = results.planes(view), view.one.dataset
    steps = results.steps_as_data(view)
    return (
        (words.STEP_OF_TREE, surfaces.picture(over.steps, over.plane, steps, is_dark()),
         words.steps_between(float(over.steps.min()), float(over.steps.max()))),
        (words.THE_SUM, surfaces.picture(over.sums, over.plane, data, is_dark()),
         surfaces.alt(over.sums, data, view.one.forest.prior)),
    )  # fmt: skip


def _over_rows(view: RoundView) -> tuple[Picture, Picture]:
    before, after = results.residuals(view, False), results.residuals(view, True)
    lines = [PlotLine(words.AFTER, after), PlotLine(words.BEFORE, before, is_main=False)]
    picture = drawings.histogram(lines, words.RESIDUAL, is_dark(), *_about(view))
    return (words.RESIDUALS, picture, words.spread(float(np.std(before)), float(np.std(after)))), _sums(view)


def _sums(view: RoundView) -> Picture:
    """The sums of the rows grown on: against the truth, or for the rows of the class and the others."""
    value, rows = results.answers(view), results.stages(view.one, False).rows
    truth = view.one.dataset.y[rows]
    if not view.is_of_class:
        alt = words.correlation(_correlation(truth, value))
        return words.SUM_AGAINST_TRUTH, drawings.against_truth(truth, value, is_dark()), alt
    target, k = _about(view)
    own = truth == k
    parts = [PlotLine(words.OF_CLASS, value[own]), PlotLine(words.OTHERS, value[~own], is_main=False)]
    means = [float(part.values.mean()) if len(part.values) else None for part in parts]
    return (
        words.SHARE_OF_CLASS,
        drawings.histogram(parts, words.SHARE, is_dark(), target, k),
        words.mean_shares(*means),
    )


def _about(view: RoundView) -> tuple[Feature, int]:
    """The target, and the code of the class whose score the tree of the round adds to; 0 for a number."""
    return view.one.dataset.target, sums.class_of(view.one, view.tree) if view.is_of_class else 0


def _correlation(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.corrcoef(one, other)[0, 1]) if np.ptp(one) > 0 and np.ptp(other) > 0 else 0.0


def _legend_words(view: RoundView) -> str:
    text, n, n_rows = (
        words.residual(view.loss),
        len(results.stages(view.one, False).rows),
        len(view.one.rows),
    )
    return f"{text} {words.some_rows(n, n_rows)}" if n < n_rows else text
