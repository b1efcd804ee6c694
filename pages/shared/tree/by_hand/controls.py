"""The controls of the inspector that change a node by hand, and the line above a tree that was changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from espalier.data.features import column_name, column_parts
from espalier.display.text.splits import change_words, refused_words
from espalier.language import say
from espalier.optimal import SearchGoal, proof_words
from espalier.tree.edits import (
    BEST,
    COLUMN,
    CUT,
    GREEDY,
    GROW,
    MADE_LEAF,
    SET,
    WITHOUT,
    Edit,
    edits_of,
    path_of,
)
from espalier.tree.nodes import ImpurityCurve, splits_as_good
from espalier.trees import LEAF, Tree, path_to
from pages.shared.app.frame import callback, plain
from pages.shared.models.of_columns import carried
from pages.shared.tree import results, selection
from pages.shared.tree.by_hand import changes
from pages.shared.tree.by_hand.changes import Changed
from pages.shared.tree.results import GrownTree

LEVELS = (1, 2, 3, 4, 5)  # of a branch that is regrown
USUAL = (2, 3)  # least and most levels that are proposed
DRAWER = "regrow"  # key of the drawer
LEVELS_KEY = "levels-regrown"  # of the widget


def line(change: Changed) -> None:
    """Above the tree: what was changed by hand, what does not fit, and the way back."""
    if not (change.text and changes.is_offered(change.tree)):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="changed by hand"):
        said = (
            say("The changes by hand are being made.")
            if change.is_early or change.awaited
            else _summary(written(change.tree))
        )
        st.markdown(f":material/edit: {said}", width="stretch")
        st.button(say("Take all changes back"), icon=":material/undo:", on_click=callback(_take_all_back))
    _proof_of_given(change.tree)
    if st.session_state.get(carried.SPLITS):
        st.caption(
            say(
                "CART and optimal trees on other pages also begin with the splits chosen by hand and "
                "with the splits above them. Leaves made by hand and branches grown anew stay on "
                "this page."
            )
        )
    for refused in change.refused:
        st.warning(plain(refused_words(refused)))
    changes.progress(change)


def _proof_of_given(grown: GrownTree) -> None:
    """What is proved of an optimal tree that begins with the splits by hand."""
    proof, model = grown.given, grown.source.model
    if proof is None:
        return
    goal = SearchGoal(model.value("depth"), model.value("splits"), counted=results.prices(grown).are_equal)
    icon = "verified" if proof.proved else "hourglass_top"
    st.markdown(f":material/{icon}: {proof_words(proof, goal)}")


def written(grown: GrownTree) -> list[str]:
    """The changes of a tree in words, Markdown."""
    return [plain(line) for line in change_words(grown.sharp, grown.dataset.features, grown.by_hand or {})]


def _take_all_back() -> None:
    st.session_state[changes.EDITS] = ""


def on_the_way(grown: GrownTree, node: int) -> None:
    """Say which nodes on the way to this one were changed by hand."""
    passed = {at: edit for at, edit in (grown.by_hand or {}).items() if at in path_to(grown.tree, node)}
    if passed:
        st.caption(
            say(
                "On the way, changed by hand: {changes}.",
                changes="; ".join(
                    [plain(line) for line in change_words(grown.sharp, grown.dataset.features, passed)]
                ),
            )
        )


def buttons(grown: GrownTree, node: int, shown: ImpurityCurve, ranked: list[ImpurityCurve]) -> None:
    """Draw the buttons that change the node; `shown` is the curve beside them, `ranked` are all by their gain."""
    if not changes.is_offered(grown):
        st.caption(say(selection.NOT_HERE))
        return
    if grown.parameters.get("monotonic_cst") is not None:
        st.caption(
            say(
                "Splits cannot be chosen by hand while columns are monotone, that is, while a "
                "prediction may only rise, or only fall, with a column."
            )
        )
        return
    own = int(grown.tree.feature[node])
    with st.container(horizontal=True, gap="xsmall", key="by hand"):
        _other_column(grown, node, shown, ranked)
        if own == LEAF:
            _button(
                grown,
                node,
                say("Grow on"),
                say("The learner splits this leaf once more, even if the depth that is set forbids it."),
                Edit("", GROW),
            )
        else:
            name = column_name(grown.dataset.features[own])
            _button(
                grown,
                node,
                say("Without {column}", column=plain(name)),
                say(
                    "The learner grows this branch anew, without a question about {column} here or below.",
                    column=name,
                ),
                _without(grown, node, own),
            )
            _button(
                grown,
                node,
                say("Make a leaf"),
                say("Ends the tree here: the node answers for all rows below it."),
                Edit("", MADE_LEAF),
            )
        _regrow(grown, node)
        back(grown, node)
    _branch_proof(grown, node)


def _regrow(grown: GrownTree, node: int) -> None:
    """The drawer that grows the branch anew, to a depth of its own."""
    drawer = st.popover(
        say("Regrow this branch"),
        help=say("Grows everything below this node anew, as deep as you like, whatever depth is set."),
        key=DRAWER,
        on_change="rerun",
    )
    if not drawer.open:
        return
    with drawer:
        below = grown.tree.depth - len(path_of(grown.tree, node))
        st.session_state.setdefault(LEVELS_KEY, min(max(below, USUAL[0]), USUAL[1]))
        levels = st.segmented_control(
            say("Levels below this node, at most"), LEVELS, key=LEVELS_KEY, required=True
        )
        levels = int(levels or LEVELS[0])
        with st.container(horizontal=True, gap="xsmall"):
            _button(
                grown,
                node,
                say("Greedily"),
                say("As CART does it: the best split here, then the best splits below it."),
                Edit("", GREEDY, depth=levels),
                _take,
            )
            if grown.dataset.is_classification:
                _button(
                    grown,
                    node,
                    say("Optimally"),
                    say(
                        "The branch with the fewest errors of all branches of this depth; a search of five "
                        "seconds at most."
                    ),
                    Edit("", BEST, depth=levels),
                    _take,
                )


def _take(grown: GrownTree, node: int, edit: Edit) -> None:
    st.session_state[DRAWER] = False  # it would cover the answer
    changes.put(grown, node, edit)


def _branch_proof(grown: GrownTree, node: int) -> None:
    """What is proved of the branch, if it was regrown optimally."""
    proof = (grown.proofs or {}).get(node)
    if proof is None or grown.by_hand is None:
        return
    goal = SearchGoal(grown.by_hand[node].depth, None, counted=results.prices(grown).are_equal)
    icon = "verified" if proof.proved else "hourglass_top"
    st.markdown(
        f":material/{icon}: "
        + say("**This branch alone**, on the rows that come here. {proof}", proof=proof_words(proof, goal))
    )


def back(grown: GrownTree, node: int) -> None:
    """Draw the button that takes back what was changed at the node and below it, if anything was."""
    if not (changes.text() and changes.is_offered(grown)):
        return
    path = path_of(grown.tree, node)
    if any(edit.path.startswith(path) for edit in edits_of(changes.text())):
        st.button(
            say("Back to the learner's split"),
            icon=":material/undo:",
            help=say("Takes back what was changed by hand at this node and below it."),
            key="back by hand",
            on_click=callback(changes.take_back),
            args=(grown, node),
        )


def _without(grown: GrownTree, node: int, column: int) -> Edit:
    """The edit that leaves a column out, with all of its parts, beside those that this node leaves out already."""
    before = (grown.by_hand or {}).get(node)
    left_out = before.features if before is not None and before.kind == WITHOUT else ()
    return Edit("", WITHOUT, tuple(column_parts(grown.dataset.features, {*left_out, column})))


def _other_column(grown: GrownTree, node: int, shown: ImpurityCurve, ranked: list[ImpurityCurve]) -> None:
    """The button that splits on the column that is ticked, or where that is the node's own on the second best."""
    own = int(grown.tree.feature[node])
    others = [curve for curve in ranked if curve.feature != own and curve.best >= 0]
    is_second = shown.feature == own
    chosen = next(iter(others), None) if is_second else shown
    tree = grown.tree
    ties = []
    if own != LEAF and isinstance(tree, Tree):
        ties = splits_as_good(ranked, own, float(tree.threshold[node]))
    is_as_good = is_second and any(curve is chosen for curve, _ in ties)
    if chosen is None or chosen.best < 0:
        return
    name = grown.dataset.features[chosen.feature].name
    edit = Edit("", COLUMN, (chosen.feature,))
    _button(
        grown,
        node,
        say(
            "{is_as_good}plit on {column}",
            is_as_good=say("As good: s") if is_as_good else say("Second best: s") if is_second else say("S"),
            column=plain(name),
        ),
        say("Takes the best split on {column} here; the learner grows the branches below.", column=name),
        edit,
    )


def _button(
    grown: GrownTree, node: int, label: str, help_: str, edit: Edit, take: Callable[..., None] = changes.put
) -> None:
    st.button(label, help=help_, key=f"by hand {edit.kind}", on_click=callback(take), args=(grown, node, edit))


def taker(grown: GrownTree, node: int, curve: ImpurityCurve) -> Callable[[int], None] | None:
    """What to do with the number of a cut that was taken on the node's curve; None where none can be taken."""
    if not changes.is_offered(grown) or grown.parameters.get("monotonic_cst") is not None:
        return None
    cuts = np.flatnonzero(np.isfinite(curve.threshold))
    return lambda i: changes.put(grown, node, _cut(curve, int(cuts[i])))


def _cut(curve: ImpurityCurve, i: int) -> Edit:
    if len(curve.order):
        first = curve.order[: int(curve.threshold[i])].tolist()
        return Edit("", SET, (curve.feature,), categories=sum(1 << int(code) for code in first))
    return Edit("", CUT, (curve.feature,), threshold=float(curve.threshold[i]))


def sets(grown: GrownTree, node: int, curve: ImpurityCurve) -> None:
    """Draw the choice of the categories that go left."""
    if taker(grown, node, curve) is None:
        return
    names = grown.dataset.features[curve.feature].categories
    codes = sorted(int(code) for code in curve.order)
    first = [int(code) for code in curve.order[: int(curve.threshold[curve.best])]]
    with st.container(horizontal=True, vertical_alignment="bottom", key="set by hand"):
        chosen = st.multiselect(
            say("Categories that go left"), codes, default=first, format_func=lambda code: names[code],
            key=f"set {grown.key} {node} {curve.feature}",
        )  # fmt: skip
        edit = Edit("", SET, (curve.feature,), categories=sum(1 << code for code in chosen))
        st.button(
            say("Split like this"), key="take set", disabled=not 0 < len(chosen) < len(codes),
            on_click=callback(changes.put), args=(grown, node, edit),
        )  # fmt: skip


def _summary(changes: Sequence[str]) -> str:
    """Line above a tree that was changed by hand; the changes are Markdown."""
    n = len(changes)
    if not n:
        return say("**None of your changes by hand fits this tree:** it has no such nodes.")
    few = "; ".join(changes[:3]) + (say("; and {n} more", n=n - 3) if n > 3 else "")
    return (
        say("**1 change by hand**: {few}.", few=few)
        if n == 1
        else say("**{n} changes by hand**: {few}.", n=n, few=few)
    )
