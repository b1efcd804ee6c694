"""The controls of the inspector that change a node by hand, and the line above a tree that was changed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from espalier.analysis.tree.edits.acts import (
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
from espalier.analysis.tree.nodes import ImpurityCurve, splits_as_good
from espalier.data.features import column_name, column_parts
from espalier.trees import LEAF, Tree, path_to
from espalier.views.optimal.words import SearchGoal, proof_words
from espalier.views.text.edits import change_words, refused_words
from pages.shared.app.frame import callback, plain
from pages.shared.models.of_columns import carried
from pages.shared.tree import results
from pages.shared.tree.by_hand import changes
from pages.shared.tree.by_hand.changes import Changed
from pages.shared.tree.results import GrownTree
from pages.shared.words.tree import by_hand as words
from pages.shared.words.tree import of_columns

LEVELS = (1, 2, 3, 4, 5)  # of a branch that is regrown
USUAL = (2, 3)  # least and most levels that are proposed
DRAWER = "regrow"  # key of the drawer
LEVELS_KEY = "levels-regrown"  # of the widget


def line(change: Changed) -> None:
    """Above the tree: what was changed by hand, what does not fit, and the way back."""
    if not (change.text and changes.is_offered(change.tree)):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="changed by hand"):
        said = words.WAITS if change.is_early or change.awaited else words.summary(written(change.tree))
        st.markdown(f":material/edit: {said}", width="stretch")
        st.button(words.ALL_BACK, icon=":material/undo:", on_click=callback(_take_all_back))
    _proof_of_given(change.tree)
    if st.session_state.get(carried.SPLITS):
        st.caption(of_columns.SPLITS_ELSEWHERE)
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
            words.on_the_way([plain(line) for line in change_words(grown.sharp, grown.dataset.features, passed)])
        )


def buttons(grown: GrownTree, node: int, shown: ImpurityCurve, ranked: list[ImpurityCurve]) -> None:
    """Draw the buttons that change the node; `shown` is the curve beside them, `ranked` are all by their gain."""
    if not changes.is_offered(grown):
        st.caption(words.NOT_HERE)
        return
    if grown.parameters.get("monotonic_cst") is not None:
        st.caption(words.DIRECTED)
        return
    own = int(grown.tree.feature[node])
    with st.container(horizontal=True, gap="xsmall", key="by hand"):
        _other_column(grown, node, shown, ranked)
        if own == LEAF:
            _button(grown, node, words.GROW, words.GROW_HELP, Edit("", GROW))
        else:
            name = column_name(grown.dataset.features[own])
            _button(grown, node, words.without(plain(name)), words.without_help(name), _without(grown, node, own))
            _button(grown, node, words.LEAF, words.LEAF_HELP, Edit("", MADE_LEAF))
        _regrow(grown, node)
        back(grown, node)
    _branch_proof(grown, node)


def _regrow(grown: GrownTree, node: int) -> None:
    """The drawer that grows the branch anew, to a depth of its own."""
    drawer = st.popover(words.REGROW, help=words.REGROW_HELP, key=DRAWER, on_change="rerun")
    if not drawer.open:
        return
    with drawer:
        below = grown.tree.depth - len(path_of(grown.tree, node))
        st.session_state.setdefault(LEVELS_KEY, min(max(below, USUAL[0]), USUAL[1]))
        levels = st.segmented_control(words.LEVELS, LEVELS, key=LEVELS_KEY, required=True)
        levels = int(levels or LEVELS[0])
        with st.container(horizontal=True, gap="xsmall"):
            _button(grown, node, words.GREEDILY, words.GREEDILY_HELP, Edit("", GREEDY, depth=levels), _take)
            if grown.dataset.is_classification:
                _button(grown, node, words.OPTIMALLY, words.OPTIMALLY_HELP, Edit("", BEST, depth=levels), _take)


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
    st.markdown(f":material/{icon}: {words.of_branch(proof_words(proof, goal))}")


def back(grown: GrownTree, node: int) -> None:
    """Draw the button that takes back what was changed at the node and below it, if anything was."""
    if not changes.is_offered(grown):
        return
    path = path_of(grown.tree, node)
    if any(edit.path.startswith(path) for edit in edits_of(changes.text())):
        st.button(
            words.BACK, icon=":material/undo:", help=words.BACK_HELP, key="back by hand",
            on_click=callback(changes.take_back), args=(grown, node),
        )  # fmt: skip


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
    _button(grown, node, words.split_on(plain(name), is_second, is_as_good), words.split_on_help(name), edit)


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
            words.SETS, codes, default=first, format_func=lambda code: names[code],
            key=f"set {grown.key} {node} {curve.feature}",
        )  # fmt: skip
        edit = Edit("", SET, (curve.feature,), categories=sum(1 << code for code in chosen))
        st.button(
            words.TAKE_SET, key="take set", disabled=not 0 < len(chosen) < len(codes),
            on_click=callback(changes.put), args=(grown, node, edit),
        )  # fmt: skip
