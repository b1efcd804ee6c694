"""Which subtree of a CART tree is shown, and the tab "Error by size": errors by depth, and by leaves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from espalier.display.tables import to_csv
from espalier.display.theme import count
from espalier.display.tree import error_curve
from espalier.display.tree.error_curve import DEPTH, LEAVES, SizeCurve
from espalier.grown import FittedTree, GrownTree, join_data, tree_key
from espalier.language import say, to_say
from espalier.learners.catalogue import Model
from espalier.learners.pruning import PruningPath, prune, pruning_path
from espalier.progress import Progress
from espalier.tasks import PARTS
from espalier.tree.pruning import (
    DepthErrors,
    DepthPlan,
    PruningSequence,
    SubtreeErrors,
    WeighedSamples,
    depth_errors,
    pruning_sequence,
    sequence_parts,
    subtree_errors,
)
from pages.shared.app import links, pictures
from pages.shared.app.address import Choice, Entry
from pages.shared.app.frame import assign, callback, is_dark
from pages.shared.app.links import whole as whole_number
from pages.shared.app.store import of_table
from pages.shared.canvas.components import bars_canvas
from pages.shared.canvas.control import Control, slider
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Work
from pages.shared.jobs.workers import workers
from pages.shared.models import drawer, learners
from pages.shared.tree import growing

RULE, SIZE = "prune", "pruned_size"  # keys of the session state
WHOLE, ONE_ERROR, LEAST, BY_HAND = "no", "one-se", "least", "hand"
TAKEN = "size-taken"  # key of the session state: whether a click has changed the controls
SLIDER = "pruning-slider"  # key of the widget
FOLDS, FOLDS_OF_SEARCH = 10, 5
DEEPEST_SEARCH = 4  # each level more takes many times longer
MOST_LEAVES = 1_000_000
LARGE = 100_000_000  # values to learn from, over all folds: more is begun only when asked for
LONG = 25  # times what a tree of this learner may grow at once on: more is begun only when asked for
WIDEST = 760  # pixels
ACROSS = Control(
    "across", DEPTH, {DEPTH: to_say("Depth"), LEAVES: to_say("Leaves")}, to_say("Error against"),
    widget=st.segmented_control, undo=False,
)  # fmt: skip
RULES = {
    WHOLE: to_say("Whole tree"),
    ONE_ERROR: to_say("One standard error"),
    LEAST: to_say("Least error"),
    BY_HAND: to_say("By hand"),
}
CHOICE = Control(
    RULE, WHOLE, RULES, to_say("Which subtree"),
    to_say("*One standard error*: the smallest tree within it of the least error (Breiman et al. 1984, 3.4.3)."),
    st.radio,
)  # fmt: skip


def url_entries() -> list[Entry]:
    """What is across the picture of errors, the rule, and the leaves chosen by hand, as parts of the address."""
    price = links.Gone(say("errors stand against leaves; the price α is a control of the tree"), LEAVES)
    reduced = links.Gone(say("subtrees are chosen by cross-validation; `reduced_error` prunes by held-out rows"))
    return [
        ACROSS.entry._replace(read=links.one_of_or_former((DEPTH, LEAVES), {"alpha": price})),
        CHOICE.entry._replace(read=links.one_of_or_former(RULES, {"reduced": reduced})),
        Entry(SIZE, 1, whole_number(1, MOST_LEAVES), name="size", only=Choice(RULE, (BY_HAND,))),
    ]


# ---- which subtree is shown


def pruned(whole: GrownTree) -> GrownTree:
    """The subtree to show; the whole tree where there is no rule, or its choice is not known yet."""
    if st.session_state[RULE] == WHOLE or not growing.is_whole_cart(whole):
        return whole
    if not compilation.is_ready(learners.CART.kind.stage):
        return whole
    at = _number(whole)
    return whole if at is None else _subtree(whole, float(_path(whole).alpha[at]))


def _number(whole: GrownTree) -> int | None:
    """Number of the chosen tree in the sequence; None while it is not known."""
    if st.session_state[RULE] == BY_HAND:
        sizes = _path(whole).n_leaves
        return int(np.flatnonzero(sizes <= max(st.session_state[SIZE], 1))[0])
    errors = _sequence(whole)
    if errors is None:
        return None
    return errors.least if st.session_state[RULE] == LEAST else errors.one_standard_error


@of_table(max_entries=32)
def _subtree(whole: GrownTree, alpha: float) -> GrownTree:
    """The pruned tree with all that the whole one has; itself where nothing is pruned."""
    tree = prune(whole.sharp, alpha)
    if tree.n_nodes == whole.tree.n_nodes:
        return whole
    key = f"{whole.key} alpha {alpha!r}"
    pruned_tree = join_data(key, FittedTree(tree, None), whole.dataset, whole.source)
    return pruned_tree._replace(pruned_from=whole.tree.n_leaves)


@of_table(max_entries=32)
def _path(whole: GrownTree) -> PruningPath:
    return pruning_path(whole.sharp)


def work_of(whole: GrownTree) -> Work:
    """The work of cross-validating all subtrees."""
    return Work(f"{whole.key} pruning", sequence_parts(FOLDS), partial(_validate, whole))


def _may_begin(whole: GrownTree) -> bool:
    """Whether cross-validation is little work, or was asked for."""
    return watch.may_begin([work_of(whole).key], whole.dataset.X.size * FOLDS, LARGE)


def _sequence(whole: GrownTree) -> PruningSequence | None:
    """The cross-validated sequence; None while it is not there, but its job is begun."""
    return watch.outcome(work_of(whole), beside=True).value if _may_begin(whole) else None


def _validate(whole: GrownTree, progress: Progress) -> PruningSequence | None:
    compilation.wait(learners.CART.kind.stage)
    fit = growing.Fit(whole.dataset, *whole.source)
    with workers(fit.X.nbytes) as executor:
        return pruning_sequence(fit.estimator, fit.X, fit.y, fit.folds(FOLDS), progress, fit.weight, executor)


def line(whole: GrownTree, shown: GrownTree) -> None:
    """Draw above the tree that it is pruned, with the way back; how far a rule is that is still to choose."""
    rule = st.session_state[RULE]
    if rule == WHOLE or not growing.is_whole_cart(whole):
        return
    values = {"rule": say(RULES[rule]), "left": count(shown.tree.n_leaves), "of": count(whole.tree.n_leaves)}
    text = say("Pruned: {rule}, {left} of {of} leaves.", **values)
    if rule != BY_HAND and _sequence(whole) is None:
        text = say("The whole tree, until cross-validation chooses a size.")
    with st.container(horizontal=True, vertical_alignment="center", key="pruned"):
        st.markdown(f":material/content_cut: {text}", width="stretch")
        st.button(
            say("Whole tree"),
            icon=":material/undo:",
            on_click=callback(assign),
            args=(
                RULE,
                WHOLE,
            ),
        )
    if rule != BY_HAND:
        _draw_progress(whole)


def _draw_progress(whole: GrownTree) -> None:
    """Draw how far cross-validation is, or the button that begins it."""
    work, title = work_of(whole), say("**Cross-validating the sizes**")
    if _may_begin(whole):
        line = Line(work.key, title, lambda job: Far(job.share, title, job.seconds_left))
        note.result(work, line, say("Cross-validation was stopped."), say("No size can be chosen."))
    else:
        watch.offer([work.key], _amount(FOLDS + 1, whole), say("Cross-validate"))


def _amount(n_trees: int, whole: GrownTree) -> str:
    return say("{n_trees} trees on up to {n_rows} rows each", n_trees=n_trees, n_rows=count(len(whole.dataset.y)))


# ---- the tab


def body(whole: GrownTree, shown: GrownTree) -> None:
    """Draw the tab: the errors, and below them what they are drawn against."""
    if ACROSS.value == DEPTH:
        _draw_depths(AllDepths(whole))
    elif not growing.is_whole_cart(whole):
        st.caption(say("Only CART can be cut back step by step: choose Depth below."))
    elif whole.tree.n_leaves < 2:
        st.caption(say("This tree is a lone root: there is nothing to prune."))
    else:
        sizes = _path(whole).n_leaves.tolist()
        if st.session_state[RULE] not in (ONE_ERROR, LEAST):  # else it stands above the tree
            _draw_progress(whole)
        _draw_curve(_leaves_curve(whole, shown), whole, whole.key, lambda at: _set_size(sizes[at]))
        CHOICE.draw(horizontal=True)
        if len(sizes) > 1:
            st.session_state[SLIDER] = shown.tree.n_leaves
            slider(
                say("Leaves"), key=SLIDER, options=sizes[::-1], default=sizes[0],
                on_change=callback(lambda: _set_size(st.session_state[SLIDER])),
            )  # fmt: skip
    ACROSS.draw()


def _set_size(n_leaves: int) -> None:
    st.session_state[SIZE], st.session_state[RULE] = n_leaves, BY_HAND


def _leaves_curve(whole: GrownTree, shown: GrownTree) -> SizeCurve:
    sizes, found, (training, held) = _path(whole).n_leaves, _sequence(whole), _errors(whole)
    at = next(iter(np.flatnonzero(sizes == shown.tree.n_leaves).tolist()), None)
    validated = None if found is None else found.validated
    return SizeCurve(LEAVES, sizes, training, held, validated, at, whole.dataset.is_classification)


@of_table(max_entries=32)
def _errors(whole: GrownTree) -> tuple[SubtreeErrors, SubtreeErrors | None]:
    """The errors of all subtrees on the training rows, and on those held out, if there are any."""
    data, held = whole.dataset, whole.held

    def of(rows: np.ndarray) -> SubtreeErrors:
        return subtree_errors(whole.sharp, data.X[rows], data.y[rows], weight=data.weights_of(rows))

    return of(~held), of(held) if held.any() else None


def _draw_curve(curve: SizeCurve, whole: GrownTree, key: str, take: Callable[[int], None]) -> None:
    """Draw the errors; `take` is called with the number of the tree that is chosen (a callback)."""

    def pick(number: str) -> None:
        take(int(number))
        st.session_state[TAKEN] = True

    picture = error_curve.error_picture(curve)
    width, height = error_curve.SIZE
    image = {"href": pictures.as_address(picture.draw(is_dark())), "width": width, "height": height}
    card = error_curve.card(curve, f"{key} {curve.across}") | {
        "still": [["image", image, ""]],
        "keys": say("Arrows go from tree to tree, Enter shows one."),
        "most": WIDEST,
    }
    bars_canvas(card, key=f"errors by {curve.across}", on_pick=callback(pick))
    words = say("Click a point for the tree of that size. The band is one standard error on each side.")
    together = drawer.together(whole.table, "folds")
    st.caption(f"{words} {together}")
    with st.container(horizontal=True):
        pictures.save(picture.draw(False), f"error-by-{curve.across}.svg")
        pictures.save(lambda: to_csv(error_curve.error_table(curve)), f"error-by-{curve.across}.csv")


# ---- trees of each depth, of any learner


class AllDepths(NamedTuple):
    """The trees of all depths of a tree's settings."""

    whole: GrownTree

    @property
    def is_searched(self) -> bool:
        """Whether each tree is searched for."""
        return learners.LEARNERS[self.whole.source.model.name].is_searched

    @property
    def most(self) -> int:
        """The greatest depth that the settings allow; of a search a few, or that of the tree on the page."""
        model = self.whole.source.model
        most = int(learners.depth_of(model.name, self.whole.table.target)[1].high)
        return min(most, max(DEEPEST_SEARCH, model.value(DEPTH) or 1)) if self.is_searched else most

    @property
    def n_folds(self) -> int:
        """Number of folds: searches take their time."""
        return FOLDS_OF_SEARCH if self.is_searched else FOLDS

    @property
    def work(self) -> Work:
        """The work of growing them, for which the depth of the tree on the page is nothing."""
        model = self.whole.source.model
        settings = tuple((key, None if key == DEPTH else value) for key, value in model.settings)
        free = tree_key(self.whole.table, self.whole.source.holdout, Model(model.name, settings))
        return Work(f"{free} depths {self.most}", PARTS * (self.n_folds + 1), self.errors)

    def errors(self, progress: Progress) -> DepthErrors | None:
        """Their errors."""
        data, source, held = self.whole.table, self.whole.source, self.whole.held
        compilation.wait(learners.LEARNERS[source.model.name].kind.stage)
        fit = growing.Fit(data, *source)
        plan = DepthPlan(self.most, fit.folds(self.n_folds), not self.is_searched)
        judges = WeighedSamples(data.X[held], data.y[held], data.weights_of(held)) if held.any() else None
        with workers(fit.X.nbytes) as executor:
            samples = WeighedSamples(fit.X, fit.y, fit.weight)
            return depth_errors(fit.estimator, samples, plan, judges, progress, executor)

    def curve(self, found: DepthErrors) -> SizeCurve:
        """The errors against depth, with the tree of the page marked."""
        limit, deepest = self.whole.source.model.value(DEPTH), int(found.depth[0])
        at = 0 if limit is None else deepest - min(limit, deepest)
        is_share = self.whole.table.is_classification
        return SizeCurve(DEPTH, found.depth, found.training, found.held, found.validated, at, is_share)

    def take(self, depth: int) -> None:
        """Have the controls grow the tree of this depth, and show all of it (a callback)."""
        key, _ = learners.depth_of(self.whole.source.model.name, self.whole.table.target)
        st.session_state[key], st.session_state[RULE] = depth, WHOLE


def may_grow(depths: AllDepths) -> bool:
    """Whether the trees are little work, or were asked for."""
    long = LONG * learners.LEARNERS[depths.whole.source.model.name].long
    return watch.may_begin([depths.work.key], depths.whole.table.X.size * depths.n_folds, long)


def _draw_depths(depths: AllDepths) -> None:
    work, title = depths.work, say("**Growing trees of every depth**")
    if not may_grow(depths):
        watch.offer([work.key], _amount(depths.most * (depths.n_folds + 1), depths.whole), say("Grow them"))
        return
    line = Line(work.key, title, lambda job: Far(job.share, title, job.seconds_left))
    found = note.result(work, line, say("Growing the trees was stopped."), say("There are no errors by depth."))
    if found is not None:
        take = lambda number: depths.take(int(found.depth[number]))  # noqa: E731
        _draw_curve(depths.curve(found), depths.whole, work.key, take)
