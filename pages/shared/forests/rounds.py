"""Round by round: the residuals, the tree that is grown on them, its step, and the sum after it."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from espalier import boosting
from espalier.boosting import CurvePlot, PlotLine
from espalier.data.dataset import Feature
from espalier.display.boundaries.plane import ends_of
from espalier.display.parts import Picture
from espalier.display.theme import number
from espalier.grown import GrownForest
from espalier.language import Later, Texts, say
from pages.shared.app import pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.app.links import whole
from pages.shared.app.store import of_table
from pages.shared.canvas.control import slider
from pages.shared.forests import results, sentences, trees
from pages.shared.models.forests import SIDES, title

MOST_ROWS = 1_000  # rows grown on, and rows held out, that are looked at, at most
MOST_VALUES = 3_000_000  # scores that are kept of them
POINTS = 300  # places along a column where curves are drawn
MOST_ROUNDS, MOST_CLASSES = 1_000, 1_000
LOSS = Texts(
    {  # by the estimator's name
        "log_loss": "log loss",
        "squared_error": "root mean squared error",
        "absolute_error": "mean absolute error",
        "poisson": "half Poisson deviance",
    }
)
RESIDUAL_OF = Texts(
    {
        "log_loss": "Residual: 1 for rows of the class, 0 for others, minus the share that the sum gives it.",
        "squared_error": "Residual: the true number minus the sum.",
        "absolute_error": "Residual: the true number minus the sum; the tree is grown on its sign.",
        "poisson": "Residual: the true number minus the prediction; the sum is the prediction's logarithm.",
    }
)


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
        st.caption(say("Your own model does not say how it learned: see its steps under *Trees*."))
    if not boosted:
        return
    view = _chosen_view(pair, boosted)
    left, right = st.columns(2, gap="medium")
    with left:
        _draw_tree(view)
    with right:
        name, lines = LOSS[view.loss], view.losses()
        st.markdown(say("**The {loss} after each round**", loss=name))
        picture = boosting.loss_picture(lines, view.number, name)
        pictures.draw(picture, 520, "loss-of-rounds.svg")
        if len(lines) == 1:
            st.caption(say("On rows grown on it can only fall: hold some rows out."))
    st.markdown(
        say(
            "$f_{{{i}}} = f_{{{i_2}}} + \\nu\\,h_{{{i}}}$, where $h_{{{i}}}$ is the tree. Root mean square of the "
            "residuals: **{before}** before, **{after}** after.",
            i=view.number,
            i_2=view.number - 1,
            before=number(float(np.sqrt(np.mean(view.residuals(False) ** 2)))),
            after=number(float(np.sqrt(np.mean(view.residuals(True) ** 2)))),
        )
    )
    features = view.one.dataset.features
    is_line = len(features) == 1 and features[0].kind in ("number", "ordered")
    for column, picture in zip(st.columns(2), _over_column(view) if is_line else [_over_rows(view)], strict=False):
        with column:
            st.markdown(f"**{picture.caption}**")
            file = f"{picture.caption.lower().replace(' ', '-')}-{view.number}.svg"
            pictures.draw(picture, 520, file)
    st.caption(RESIDUAL_OF[view.loss])


def _chosen_view(pair: list[GrownForest], boosted: list[str]) -> RoundView:
    """The round that the controls stand for."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="round bar"):
        side = st.session_state["wall"]
        if len(boosted) > 1:
            names = {side: sentences.forest_name(title(side)) for side in boosted}
            side = st.segmented_control(
                say("Forest"), boosted, format_func=names.__getitem__, key="wall", required=True
            )
        one = pair[SIDES.index(side if side in boosted else boosted[0])]
        st.session_state["round"] = min(max(st.session_state["round"], 1), one.n_rounds)
        if one.n_rounds > 1:
            slider(say("Round"), key="round", options=range(1, one.n_rounds + 1), default=1)
        place = 1
        if one.trees_a_round > 1:
            st.session_state["step-class"] = min(st.session_state["step-class"], one.trees_a_round)
            place = st.selectbox(
                say("Class"), range(1, one.trees_a_round + 1), key="step-class",
                format_func=lambda place: one.dataset.classes[results.class_of(one, place - 1)],
            )  # fmt: skip
    return view_of(one, st.session_state["round"], place - 1)


def _draw_tree(view: RoundView) -> None:
    """The tree of the round, whose leaves say how far the sum moves."""
    name = plain(view.about[0].categories[view.about[1]]) if view.is_of_class else ""
    text = say("**The tree of round {number}**", number=view.number)
    rate = number(view.one.model.value("rate"))
    words = say("It learns the residuals; a leaf says how far the sum moves, times ν = {rate}.", rate=rate)
    st.markdown(say("{text}, for {of_class}", text=text, of_class=name) if name else text, help=words)
    trees.draw_tree(view.one, view.tree, f"tree-of-round-{view.number}.svg")


# ---- a round of a sum: its rows, residuals, losses and curves


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

    @property
    def about(self) -> tuple[Feature, int]:
        """The target, and the code of the class whose score the tree of the round adds to; 0 for a number."""
        return self.one.dataset.target, results.class_of(self.one, self.tree) if self.is_of_class else 0

    def losses(self) -> list[PlotLine]:
        """The loss by the rounds, on rows grown on and, where there are any, on rows held out."""
        _, _, loss = stages(self.one, False)
        held, _, loss_held = stages(self.one, True)
        lines = [PlotLine(say("grown on"), loss, is_main=not len(held))]
        return lines + ([PlotLine(say("held out"), loss_held)] if len(held) else [])

    def residuals(self, after: bool) -> np.ndarray:
        """(n,) residuals of the rows grown on, before the round or after it."""
        rows, scores, _ = stages(self.one, False)
        score = scores[self.number if after else self.number - 1]
        return boosting.residuals(self.one.forest, score, self.one.dataset.y[rows])[:, self.score]

    def answers(self, score: np.ndarray) -> np.ndarray:
        """(n,) what scores (n, n_scores) predict: numbers, or shares of the round's class."""
        shares = boosting.predictions(self.one.forest, score)
        return shares[:, -1 if self.one.forest.link == "logistic" else self.score]


def view_of(one: GrownForest, number: int, place: int) -> RoundView:
    """The round of this number, from 1, and of its trees the one in this place."""
    tree = (number - 1) * one.trees_a_round + min(place, one.trees_a_round - 1)
    return RoundView(one, number, tree, 0 if len(one.forest.start) == 1 else results.class_of(one, tree))


@of_table(max_entries=16, show_spinner=Later(lambda: say("Adding up the rounds …")))
def stages(one: GrownForest, is_held: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows that are held out, or those grown on; their scores before the first round and after each; the losses.

    (n,), of very many rows an even selection; (n_rounds + 1, n, n_scores); (n_rounds + 1,), of squared errors the
    root of the mean.
    """
    data, forest = one.dataset, one.forest
    rows = np.flatnonzero(one.held == is_held)
    most = max(min(MOST_ROWS, MOST_VALUES // ((one.n_rounds + 1) * len(forest.start))), 1)
    rows = rows[:: -(-len(rows) // most)] if len(rows) else rows
    score = boosting.stages(forest, data.X[rows], one.trees_a_round)
    if not len(rows):
        return rows, score, np.full(len(score), np.nan)
    loss = boosting.losses(forest, score, data.y[rows], data.weights_of(rows), one.estimator.loss)
    return rows, score, np.sqrt(loss) if one.estimator.loss == "squared_error" else loss


# ---- what the round changes: over the data's only column, or among the rows


@of_table(max_entries=8)
def _curves(one: GrownForest) -> tuple[np.ndarray, np.ndarray]:
    """Places along the data's only column, (n,), and the scores there, (n_rounds + 1, n, n_scores)."""
    at = np.linspace(*ends_of(one.dataset.features[0], one.dataset.X[:, 0]), POINTS)
    return at, boosting.stages(one.forest, at[:, None], one.trees_a_round)


def _over_column(view: RoundView) -> list[Picture]:
    """The residuals with the step, and the sum with the truth, over the data's only column."""
    data, (rows, *_), (target, k) = view.one.dataset, stages(view.one, False), view.about
    at, score = _curves(view.one)
    before, after = score[view.number - 1], score[view.number]
    step, x, axis = (after - before)[:, view.score], data.X[rows, 0], data.features[0].name
    full = PlotLine(say("full step"), step / view.one.model.value("rate"), is_main=False)
    steps = PlotLine(say("step"), step), full
    titles = axis, say("residual before")
    truth = (data.y[rows] == k if view.is_of_class else data.y[rows]).astype(float)
    sums = (
        PlotLine(say("sum after"), view.answers(after)),
        PlotLine(say("sum before"), view.answers(before), False),
    )
    share = axis, say("share of the class") if view.is_of_class else data.target.name
    n = len(np.unique(np.round(step, 12)))
    return [
        Picture(
            partial(boosting.curve, CurvePlot(at, steps, x, view.residuals(False), titles, target, k)),
            say("The tree adds {n} different steps along {column}.", n=n, column=axis),
            say("Residuals and step"),
        ),
        Picture(
            partial(boosting.curve, CurvePlot(at, sums, x, truth, share, target, k)),
            say("The sum over {column}, before the round and after it.", column=axis),
            say("The sum"),
        ),
    ]


def _over_rows(view: RoundView) -> Picture:
    """The residuals of the rows grown on, before the round and after it."""
    before, after = view.residuals(False), view.residuals(True)
    lines = [PlotLine(say("after"), after), PlotLine(say("before"), before, is_main=False)]
    words = say(
        "Standard deviation of the residuals: {before} before the round, {after} after it.",
        before=number(float(np.std(before))),
        after=number(float(np.std(after))),
    )
    return Picture(partial(boosting.histogram, lines, say("residual"), view.about), words, say("Residuals"))
