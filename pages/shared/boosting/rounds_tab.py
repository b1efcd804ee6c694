"""Round by round: the residuals, the tree that is grown on them, its step, and the sum after it."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from espalier import boosting, predict
from espalier import boosting as drawings
from espalier.boosting import CurvePlot, PlotLine
from espalier.data.dataset import Dataset, Feature
from espalier.display.boundaries.plane import ends_of
from espalier.display.parts import Picture
from espalier.display.tables import to_csv
from espalier.display.theme import count, number
from espalier.display.tree import small_tree
from espalier.forests import growth, surfaces
from espalier.language import Later, Texts, say
from espalier.trees import depths, prune_to
from pages.shared.app import pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import is_dark, plain
from pages.shared.app.links.readers import whole
from pages.shared.app.table_results import of_table
from pages.shared.canvas.slider import slider
from pages.shared.forests import sentences
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title

MOST_ROWS = 1_000  # rows grown on, and rows held out, that are looked at, at most
MOST_VALUES = 3_000_000  # scores that are kept of them
POINTS = 300  # places along a column where curves are drawn


class Stages(NamedTuple):
    """The scores of some rows at every stage of a sum."""

    rows: np.ndarray  # (n,) rows of the data
    score: np.ndarray  # (n_rounds + 1, n, n_scores): before the first round, and after each
    loss: np.ndarray  # (n_rounds + 1,); of squared errors the root of the mean


class RoundView(NamedTuple):
    """A round of a sum as the page asks for it."""

    one: GrownForest
    number: int  # of the round, from 1
    tree: int  # of the forest, from 0
    score: int  # column of the scores that the tree adds to

    @property
    def loss(self) -> str:
        """The loss that the sum reduces, as the estimator calls it."""
        return self.one.estimator.loss

    @property
    def is_of_class(self) -> bool:
        """Whether the score is of a class."""
        return self.one.dataset.is_classification


def view_of(one: GrownForest, number: int, place: int) -> RoundView:
    """The round of this number, from 1, and of its trees the one in this place."""
    tree = (number - 1) * one.trees_a_round + min(place, one.trees_a_round - 1)
    score = 0 if len(one.forest.start) == 1 else sentences.class_of(one, tree)
    return RoundView(one, number, tree, score)


@of_table(max_entries=16, show_spinner=Later(lambda: say("Adding up the rounds …")))
def stages(one: GrownForest, is_held: bool) -> Stages:
    """The stages of rows that are held out, or of those grown on: of very many, an even selection."""
    data, forest = one.dataset, one.forest
    rows = np.flatnonzero(one.held == is_held)
    most = max(min(MOST_ROWS, MOST_VALUES // ((sentences.n_rounds(one) + 1) * len(forest.start))), 1)
    rows = rows[:: -(-len(rows) // most)] if len(rows) else rows
    score = boosting.stages(forest, data.X[rows], one.trees_a_round)
    loss = (
        boosting.losses(forest, score, data.y[rows], data.weights_of(rows), one.estimator.loss)
        if len(rows)
        else np.full(len(score), np.nan)
    )
    return Stages(rows, score, np.sqrt(loss) if one.estimator.loss == "squared_error" else loss)


def residuals(view: RoundView, after: bool) -> np.ndarray:
    """(n,) residuals of the rows grown on, before the round or after it."""
    looked_at = stages(view.one, False)
    score = looked_at.score[view.number if after else view.number - 1]
    return boosting.residuals(view.one.forest, score, view.one.dataset.y[looked_at.rows])[:, view.score]


def answers(view: RoundView) -> np.ndarray:
    """(n,) answers of the sum to the rows grown on, after the round: numbers, or shares of the round's class."""
    return _column(view, boosting.predictions(view.one.forest, stages(view.one, False).score[view.number]))


def _column(view: RoundView, said: np.ndarray) -> np.ndarray:
    """The column of predictions that is about the view's score."""
    return said[:, -1 if view.one.forest.link == "logistic" else view.score]


# Over one column, and over two -----------------------------------------------------------------------


class Curves(NamedTuple):
    """Lines over the values of the data's only column."""

    at: np.ndarray  # (n,) values
    score: np.ndarray  # (n_rounds + 1, n, n_scores)


@of_table(max_entries=8)
def _curves(one: GrownForest) -> Curves:
    data = one.dataset
    at = np.linspace(*ends_of(data.features[0], data.X[:, 0]), POINTS)
    return Curves(at, boosting.stages(one.forest, at[:, None], one.trees_a_round))


def curves(view: RoundView) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Places along the data's only column, and there the sum before the round, the step, and the sum after."""
    at, score = _curves(view.one)
    before, after = score[view.number - 1], score[view.number]
    forest = view.one.forest
    step = (after - before)[:, view.score]
    ends = [_column(view, boosting.predictions(forest, score)) for score in (before, after)]
    return at, ends[0], step, ends[1]


class RoundPlanes(NamedTuple):
    """A round over the plane of the data's two columns."""

    plane: surfaces.Plane
    steps: np.ndarray  # (n_cells, 1): of its tree
    sums: np.ndarray  # (n_cells, n_outputs): predictions after it


@of_table(max_entries=16)
def _planes(one: GrownForest, number: int, tree: int) -> RoundPlanes:
    plane = surfaces.plane_of(one.dataset, (0, 1))
    X = plane.samples(np.zeros(2))
    step, _ = sentences.step_of(one, tree)
    (after,) = growth.first_trees(one.forest, X, [number * one.trees_a_round])
    return RoundPlanes(plane, predict.shares(step, X), after)


def planes(view: RoundView) -> RoundPlanes:
    """Steps of the round's tree, and the sum after the round, over the data's two columns."""
    return _planes(view.one, view.number, view.tree)


def steps_as_data(view: RoundView) -> Dataset:
    """The data with the steps of the round's tree as the target, for pictures of them."""
    step, target = sentences.step_of(view.one, view.tree)
    data = view.one.dataset
    return data._replace(y=predict.means(step, data.X), target=target)


# ---- round by round: the residuals, the tree that is grown on them, its step, and the sum after it

LOSS = Texts(
    {  # by the estimator's name
        "log_loss": "log loss",
        "squared_error": "root mean squared error",
        "absolute_error": "mean absolute error",
        "poisson": "half Poisson deviance",
    }
)
MOVES = Texts({"log_loss": "the score of the class", "poisson": "the logarithm of the prediction"})
RESIDUAL_OF = Texts(
    {
        "log_loss": "The residual of a row is 1 for its class and 0 for the others, minus the share that the "
        "sum "
        "gives the class: the slope of the log loss.",
        "squared_error": "The residual of a row is its true number minus the sum: the slope of the squared error.",
        "absolute_error": "The residual of a row is its true number minus the sum. The tree is grown on the "
        "signs "
        "alone, the slopes of the absolute error; a leaf's full step is the median of its residuals.",
        "poisson": "The residual of a row is its true number minus the prediction: the slope of half the "
        "Poisson "
        "deviance. The sum is the logarithm of the prediction.",
    }
)

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
        st.caption(
            say(
                "The rounds of your own model are shown tree by tree, on the tab *Trees*: its file "
                "does not say how it learnt."
            )
        )
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
            names = {side: sentences.forest_name(title(side)) for side in boosted}
            side = st.segmented_control(
                say("Forest"), boosted, format_func=names.__getitem__, key="wall", required=True
            )
        one = pair[SIDES.index(side if side in boosted else boosted[0])]
        most = sentences.n_rounds(one)
        st.session_state["round"] = min(max(st.session_state["round"], 1), most)
        if most > 1:
            slider(say("Round"), key="round", options=range(1, most + 1), default=1)
        place = 0
        if one.trees_a_round > 1:
            places = range(1, one.trees_a_round + 1)
            st.session_state["step-class"] = min(st.session_state["step-class"], one.trees_a_round)
            place = (
                st.selectbox(say("Class"), places, format_func=lambda p: _class(one, p - 1), key="step-class") - 1
            )
    return view_of(one, st.session_state["round"], place)


def _class(one: GrownForest, place: int) -> str:
    return one.dataset.classes[sentences.class_of(one, place)]


# The tree, and the loss ------------------------------------------------------------------------------


def _tree(view: RoundView) -> None:
    """The tree of the round, whose leaves say how far the sum moves."""
    one = view.one
    name = plain(one.dataset.classes[sentences.class_of(one, view.tree)]) if view.is_of_class else ""
    st.markdown(_tree_of_round(view.number, name))
    tree, target = sentences.step_of(one, view.tree)
    upper: Any = prune_to(tree, depths(tree) < DRAWN_DEPTH) if tree.depth > DRAWN_DEPTH else tree
    features = one.dataset.features
    picture = small_tree.tree_picture(upper, features, target)
    drawn = picture.draw(is_dark())
    pictures.show(drawn, picture.alt, small_tree.width_of(upper))
    depth = DRAWN_DEPTH if tree.depth > DRAWN_DEPTH else None
    rate = one.model.value("rate")
    st.caption(_tree_caption(view.loss, rate, depth))
    pictures.save(drawn, f"tree-of-round-{view.number}.svg")


def _loss(view: RoundView) -> None:
    """The loss against the rounds, on rows grown on and held out."""
    one, name = view.one, LOSS[view.loss]
    st.markdown(say("**The {loss} after each round**", loss=name))
    held = stages(one, True)
    lines = [PlotLine(say("grown on"), stages(one, False).loss, is_main=not len(held.rows))]
    lines += [PlotLine(say("held out"), held.loss)] if len(held.rows) else []
    picture = drawings.loss_picture(lines, view.number, name)
    pictures.draw(picture, 520)
    st.caption(_loss_words(lines, name))
    with st.container(horizontal=True):
        pictures.save(picture.draw(False), "loss-of-rounds.svg")
        pictures.save(lambda: to_csv(_table(lines)), "loss-of-rounds.csv")


def _table(lines: list[PlotLine]) -> Any:
    return pd.DataFrame({"rounds": np.arange(len(lines[0].values))} | {line.name: line.values for line in lines})


def _loss_words(lines: list[PlotLine], name: str) -> str:
    if len(lines) == 1:
        return say(
            "On rows grown on it can only fall. Hold some rows out to see from where on it follows the noise."
        )
    held = lines[-1].values
    best = int(np.argmin(held))
    return _loss_caption(name, best, len(held) - 1, float(held[best]))


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
    for column, picture in zip((left, right), (first, second), strict=True):
        with column:
            st.markdown(f"**{picture.caption}**")
            drawn = picture.draw(is_dark())
            pictures.show(drawn, picture.alt, 520)
            pictures.save(drawn, f"{picture.caption.lower().replace(' ', '-')}-{view.number}.svg")
    st.caption(_legend_words(view))


def _sentence(view: RoundView) -> str:
    """The formula of the round, with numbers."""
    before, after = (float(np.sqrt(np.mean(residuals(view, a) ** 2))) for a in (False, True))
    return say(
        "$f_{{{i}}} = f_{{{i_2}}} + \\nu\\,h_{{{i}}}$, where $h_{{{i}}}$ is the tree. The root mean square of "
        "the residuals on rows grown on is **{before}** before the round and **{after}** after it.",
        i=view.number,
        i_2=view.number - 1,
        before=number(before),
        after=number(after),
    )


def _over_column(view: RoundView) -> tuple[Picture, Picture]:
    data, rows = view.one.dataset, stages(view.one, False).rows
    at, before, step, after = curves(view)
    x, left_over, axis = data.X[rows, 0], residuals(view, False), data.features[0].name
    full = PlotLine(say("full step"), step / view.one.model.value("rate"), is_main=False)
    (target, k), titles = _about(view), (axis, say("residual before"))
    steps = CurvePlot(at, (PlotLine(say("step"), step), full), x, left_over, titles, target, k)
    truth = data.y[rows] == k if view.is_of_class else data.y[rows]
    lines = PlotLine(say("sum after"), after), PlotLine(say("sum before"), before, is_main=False)
    title = say("share of the class") if view.is_of_class else data.target.name
    sum_after = CurvePlot(at, lines, x, truth.astype(float), (axis, title), target, k)
    n = len(np.unique(np.round(step, 12)))
    return (
        Picture(
            partial(drawings.curve, steps),
            say("The tree adds {n} different steps along {column}.", n=n, column=axis),
            say("Residuals and step"),
        ),
        Picture(
            partial(drawings.curve, sum_after),
            say("The sum over {column}, before the round and after it.", column=axis),
            say("The sum"),
        ),
    )


def _over_plane(view: RoundView) -> tuple[Picture, Picture]:
    over, data = planes(view), view.one.dataset
    low, high = (number(float(end)) for end in (over.steps.min(), over.steps.max()))
    return (
        Picture(
            partial(surfaces.picture, over.steps, over.plane, steps_as_data(view)),
            say("Steps from {low} to {high}.", low=low, high=high),
            say("Step of the tree"),
        ),
        surfaces.surface_picture(
            over.sums, over.plane, data, say("The sum"), view.one.forest.prior, surfaces.SIZE
        ),
    )


def _over_rows(view: RoundView) -> tuple[Picture, Picture]:
    before, after = residuals(view, False), residuals(view, True)
    lines = [PlotLine(say("after"), after), PlotLine(say("before"), before, is_main=False)]
    words = say(
        "Standard deviation of the residuals: {before} before the round, {after} after it.",
        before=number(float(np.std(before))),
        after=number(float(np.std(after))),
    )
    draw = partial(drawings.histogram, lines, say("residual"), _about(view))
    return Picture(draw, words, say("Residuals")), _sums(view)


def _sums(view: RoundView) -> Picture:
    """The sums of the rows grown on: against the truth, or for the rows of the class and the others."""
    value, rows = answers(view), stages(view.one, False).rows
    truth = view.one.dataset.y[rows]
    if not view.is_of_class:
        alt = say("Correlation of the sum with the truth: {value}.", value=number(_correlation(truth, value)))
        return Picture(partial(drawings.against_truth, truth, value), alt, say("Sum against truth"))
    own = truth == _about(view)[1]
    parts = [
        PlotLine(say("rows of the class"), value[own]),
        PlotLine(say("other rows"), value[~own], is_main=False),
    ]
    means = [float(part.values.mean()) if len(part.values) else None for part in parts]
    draw = partial(drawings.histogram, parts, say("share of the class"), _about(view))
    return Picture(draw, _shares_alt(*means), say("Share of the class"))


def _about(view: RoundView) -> tuple[Feature, int]:
    """The target, and the code of the class whose score the tree of the round adds to; 0 for a number."""
    return view.one.dataset.target, sentences.class_of(view.one, view.tree) if view.is_of_class else 0


def _correlation(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.corrcoef(one, other)[0, 1]) if np.ptp(one) > 0 and np.ptp(other) > 0 else 0.0


def _legend_words(view: RoundView) -> str:
    text, n, n_rows = (
        RESIDUAL_OF[view.loss],
        len(stages(view.one, False).rows),
        len(view.one.rows),
    )
    return (
        (
            f"{text} "
            + say("Only {n} of {n_rows} rows are looked at, evenly chosen.", n=count(n), n_rows=count(n_rows))
        )
        if n < n_rows
        else text
    )


def _tree_of_round(number_: int, of_class: str) -> str:
    """Heading of the tree."""
    text = say("**The tree of round {number}**", number=number_)
    return say("{text}, for {of_class}", text=text, of_class=of_class) if of_class else text


def _tree_caption(loss: str, rate: float, depth: int | None) -> str:
    """Caption of the tree; `depth` where it is drawn only so far."""
    moves = MOVES.get(loss, say("the prediction"))
    cut = say(" It is drawn to depth {depth}.", depth=depth) if depth else ""
    return say(
        "It learns the residuals. Its leaves say how far {moves} moves there: the full step times the learning "
        "rate ν = {rate}. A row that answers yes goes up.{cut}",
        moves=moves,
        rate=number(rate),
        cut=cut,
    )


def _loss_caption(loss: str, best: int, n: int, value: float) -> str:
    """Caption of the curve: the round of least loss on held-out rows, where early stopping ends."""
    text = say(
        "On held-out rows the {loss} is least after **round {best}** of {n}: {value}.",
        loss=loss,
        best=best,
        n=n,
        value=number(value),
    )
    if best == n:
        return say("{text} More rounds may still improve it.", text=text)
    return say(
        "{text} Early stopping keeps the rounds up to there; later ones follow the noise of the rows grown on.",
        text=text,
    )


def _shares_alt(own: float | None, others: float | None) -> str:
    """Alt text of the histogram of shares."""
    own_mean, others_mean = (say("none") if mean is None else number(mean) for mean in (own, others))
    return say(
        "Mean share of the class: {own_mean} on its rows, {others_mean} on others.",
        own_mean=own_mean,
        others_mean=others_mean,
    )
