"""Hands on the tree: the changes by hand, the tree that they make, and the controls of a node.

The record of changes is a short text in the session state and in the address; `espalier.tree.edits` reads it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from espalier.data import Filter, FilterError, filter_of
from espalier.data.dataset import column_name, column_parts, columns_of
from espalier.data.filters import ALL, LONGEST
from espalier.data.subset import check_part, mask_of
from espalier.display.text.splits import change_words, refused_words
from espalier.grown import FittedTree, GrownTree, join_data
from espalier.language import say
from espalier.learners.catalogue.estimators import GivenSplit, splits_in_text
from espalier.learners.optimal import Proof
from espalier.optimal import SearchGoal, proof_words
from espalier.progress import Progress
from espalier.tree.editing import EditedTree, EditRefused, edited
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
    add_edit,
    edits_of,
    path_of,
    text_of,
    without_edits,
)
from espalier.tree.nodes import ImpurityCurve, splits_as_good
from espalier.tree.rules import filter_of_node
from espalier.trees import LEAF, Tree, path_to
from pages.shared.app.address import Choice, Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.store import of_table
from pages.shared.data import library
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Work
from pages.shared.models import carried, learners
from pages.shared.tree import growing, results, selection

EDITS = carried.EDITS  # key of the session state: the record's text
TABLE = carried.TABLE  # key of the session state: columns of the table that the record is of
SMALL = {"cart": 200_000, "optimal": 2_000}  # values of a table whose branches are grown at once
LEVELS = (1, 2, 3, 4, 5)  # of a branch that is regrown
USUAL = (2, 3)  # least and most levels that are proposed
DRAWER, LEVELS_KEY = "regrow", "levels-regrown"  # keys of the drawer, and of its widget


class Changed(NamedTuple):
    """A tree with the changes that fit it."""

    tree: GrownTree
    refused: tuple[EditRefused, ...] = ()
    awaited: Work | None = None  # that grows it
    text: str = ""  # of the record that it was asked for
    is_early: bool = False  # whether the engine is not there yet


def url_entries() -> list[Entry]:
    """The record as part of the address."""
    return [Entry(EDITS, "", lambda text: text_of(edits_of(text)), only=Choice("learner", tuple(SMALL)))]


def is_offered(grown: GrownTree) -> bool:
    """Whether the tree is one that can be changed by hand."""
    is_ours = grown.source.model.name in SMALL and (grown.proof is None or grown.dataset.is_classification)
    return is_ours and isinstance(grown.tree, Tree) and grown.sums is None


def _put(grown: GrownTree, node: int, edit: Edit) -> None:
    """Have this edit at the node, whatever its path says (a callback)."""
    if edit.kind == WITHOUT:  # with all parts of the column, and beside those that this node leaves out already
        before = (grown.by_hand or {}).get(node)
        left_out = before.features if before is not None and before.kind == WITHOUT else ()
        numbers = column_parts(grown.dataset.features, {*left_out, *edit.features})
        edit = edit._replace(features=tuple(numbers))
    st.session_state[DRAWER] = False  # it would cover the answer
    st.session_state[EDITS] = text_of(
        add_edit(edits_of(st.session_state[EDITS]), edit._replace(path=path_of(grown.tree, node)))
    )


def _take_back(path: str) -> None:
    """Take back the edits at this node and below it (a callback)."""
    st.session_state[EDITS] = text_of(without_edits(edits_of(st.session_state[EDITS]), path))


# ---- the tree that they make


def let_go(grown: GrownTree, linked: bool) -> None:
    """A table of other columns came: the edits go, unless a link has brought them."""
    columns = [feature.name for feature in grown.table.features]
    last, st.session_state[TABLE] = st.session_state.get(TABLE), columns
    if last not in (None, columns) and not linked:
        st.session_state[EDITS] = ""


def changed(whole: GrownTree, record: str | None = None) -> Changed:
    """The tree with the changes of the record, the session's if none is given; itself while they are awaited."""
    if record is None:
        change = changed(whole, st.session_state[EDITS])
        if not (change.awaited or change.is_early):
            st.session_state[carried.SPLITS] = splits_in_text(_given(change.tree)) if change.text else ""
        return change
    if not record or not is_offered(whole):
        return Changed(whole, text=record)
    searched = any(edit.kind == BEST for edit in edits_of(record))
    kinds = {whole.source.model.name, *(["optimal"] if searched else [])}
    if not all(compilation.is_ready(learners.LEARNERS[kind].kind.stage) for kind in kinds):
        return Changed(whole, text=record, is_early=True)
    work = Work(f"{whole.key} edits {record}", 1, partial(_make, whole, record))
    if whole.dataset.X.size <= min(SMALL[kind] for kind in kinds):
        made = _edited(work.key, record, whole)
    else:
        made = watch.outcome(work, beside=True).value
    if made is None:
        return Changed(whole, awaited=work, text=record)
    return Changed(_with_data(work.key, made, whole), made.refused, text=record)


@of_table(max_entries=64)
def _edited(key: str, record: str, _whole: GrownTree) -> EditedTree:
    return _make(_whole, record)


def _make(whole: GrownTree, record: str, progress: Progress | None = None) -> EditedTree:
    fit = growing.Fit(whole.dataset, *whole.source)
    training = fit.estimator.prepare(fit.X, fit.y, fit.weight).of_positive_weight()
    tree = whole.sharp
    if whole.dataset.is_classification:  # branches have shares of the classes that the training rows have
        tree = tree._replace(value=tree.value[:, np.unique(fit.y).astype(int)])
    made = edited(fit.estimator, training, tree, edits_of(record), progress)
    return made._replace(tree=fit.all_classes(made.tree))


@of_table(max_entries=64)
def _with_data(key: str, _made: EditedTree, _whole: GrownTree) -> GrownTree:
    if not _made.by_hand and np.array_equal(_made.tree.feature, _whole.tree.feature):
        return _whole
    grown = join_data(key, FittedTree(_made.tree, None), _whole.dataset, _whole.source)
    return grown._replace(by_hand=_made.by_hand, proofs=_made.proofs, given=_made.given)


def _given(grown: GrownTree) -> dict[str, GivenSplit]:
    """The splits chosen by hand and those above them, by path, as other pages are to keep them."""
    tree, by_hand = grown.tree, grown.by_hand or {}
    chosen = [node for node, edit in by_hand.items() if edit.kind in (CUT, SET, COLUMN)]
    nodes = sorted({node for at in chosen for node in path_to(tree, at)})
    return {path_of(tree, node): _named(grown, node) for node in nodes if tree.feature[node] >= 0}


def _named(grown: GrownTree, node: int) -> GivenSplit:
    tree = grown.sharp
    feature, bits = grown.dataset.features[tree.feature[node]], int(tree.categories[node])
    left = tuple(name for code, name in enumerate(feature.categories) if bits >> code & 1)
    return GivenSplit(feature.name, left if bits else float(tree.threshold[node]))


def line(change: Changed) -> None:
    """Draw above the tree what was changed by hand, what does not fit, and the way back."""
    grown = change.tree
    if not (change.text and is_offered(grown)):
        return
    changes = [plain(one) for one in change_words(grown.sharp, grown.dataset.features, grown.by_hand or {})]
    few = "; ".join([*changes[:3], *([say("{n} more", n=len(changes) - 3)] if len(changes) > 3 else [])])
    words = say("**{n} changes by hand**: {few}.", n=len(changes), few=few)
    if change.is_early or change.awaited:
        words = say("The changes by hand are being made.")
    elif len(changes) < 2:
        words = say("**1 change by hand**: {few}.", few=few) if changes else say("**No change by hand fits.**")
    with st.container(horizontal=True, vertical_alignment="center", key="changed by hand"):
        st.markdown(f":material/edit: {words}", width="stretch")
        st.button(
            say("Take all changes back"), icon=":material/undo:", on_click=callback(_take_back), args=("",),
            help=say("CART and optimal trees of other pages begin with splits chosen here, too."),
        )  # fmt: skip
    if grown.given is not None:
        depth, splits = (grown.source.model.value(name) for name in ("depth", "splits"))
        _draw_proof(grown.given, SearchGoal(depth, splits, results.prices(grown).are_equal))
    for refused in change.refused:
        st.warning(plain(refused_words(refused)))
    if change.awaited:
        title = say("**Growing the branches below your splits**")
        note.result(
            change.awaited, Line(change.awaited.key, title, lambda job: Far(job.share, title)),
            say("Growing was stopped: the tree is without the changes by hand."),
            say("The changes by hand could not be made."),
        )  # fmt: skip


def _draw_proof(proof: Proof, goal: SearchGoal, about: str = "") -> None:
    icon = "verified" if proof.proved else "hourglass_top"
    st.markdown(f":material/{icon}: {about}{proof_words(proof, goal)}")


# ---- the controls of a node


def buttons(grown: GrownTree, node: int, shown: ImpurityCurve, ranked: list[ImpurityCurve]) -> None:
    """Draw the buttons that change the node; `shown` is the curve beside them, `ranked` are all by their gain."""
    if not is_offered(grown):
        st.caption(say(selection.NOT_HERE))
        return
    if grown.parameters.get("monotonic_cst") is not None:
        st.caption(say("Splits cannot be chosen by hand while columns are monotone."))
        return
    own = int(grown.tree.feature[node])
    draw = partial(_draw_button, grown, node)
    with st.container(horizontal=True, gap="xsmall", key="by hand"):
        _draw_other_column(grown, node, shown, ranked)
        if own == LEAF:
            draw(say("Grow on"), Edit("", GROW), say("Splits this leaf once more, whatever depth is set."))
        else:
            name = column_name(grown.dataset.features[own])
            edit = Edit("", WITHOUT, (own,))
            draw(say("Without {column}", column=plain(name)), edit, say("Grows this branch anew without it."))
            draw(say("Make a leaf"), Edit("", MADE_LEAF), say("Ends the tree here."))
        drawer = st.popover(
            say("Regrow this branch"), key=DRAWER, on_change="rerun",
            help=say("Grows all below this node anew, as deep as you like."),
        )  # fmt: skip
        if drawer.open:
            with drawer:
                below = grown.tree.depth - len(path_of(grown.tree, node))
                st.session_state.setdefault(LEVELS_KEY, min(max(below, USUAL[0]), USUAL[1]))
                levels = int(
                    st.segmented_control(say("Levels, at most"), LEVELS, key=LEVELS_KEY, required=True) or 1
                )
                draw(say("Greedily"), Edit("", GREEDY, depth=levels), say("As CART does it."))
                if grown.dataset.is_classification:
                    words = say("With the fewest errors of this depth; searches five seconds at most.")
                    draw(say("Optimally"), Edit("", BEST, depth=levels), words)
        if st.session_state[EDITS]:
            back(grown, node)
    proof = (grown.proofs or {}).get(node)
    if proof is not None and grown.by_hand is not None:
        goal = SearchGoal(grown.by_hand[node].depth, None, results.prices(grown).are_equal)
        _draw_proof(proof, goal, f"{say('**This branch alone.**')} ")


def back(grown: GrownTree, node: int) -> None:
    """Draw the button that takes back what was changed at the node and below it, if anything was."""
    path = path_of(grown.tree, node)
    if is_offered(grown) and any(edit.path.startswith(path) for edit in edits_of(st.session_state[EDITS])):
        st.button(
            say("Back to the learner's split"), icon=":material/undo:", key="back by hand",
            on_click=callback(_take_back), args=(path,),
        )  # fmt: skip


def _draw_other_column(grown: GrownTree, node: int, shown: ImpurityCurve, ranked: list[ImpurityCurve]) -> None:
    """Draw the button that splits on the column that is ticked, or on the second best where it is the node's."""
    tree, own = grown.tree, int(grown.tree.feature[node])
    others = [curve for curve in ranked if curve.feature != own and curve.best >= 0]
    is_second = shown.feature == own
    curve = next(iter(others), None) if is_second else shown
    if curve is None or curve.best < 0:
        return
    ties = []
    if is_second and own != LEAF and isinstance(tree, Tree):
        ties = [tie for tie, _ in splits_as_good(ranked, own, float(tree.threshold[node]))]
    is_as_good = any(tie is curve for tie in ties)
    label = say(
        "{is_as_good}plit on {column}",
        is_as_good=say("As good: s") if is_as_good else say("Second best: s") if is_second else say("S"),
        column=plain(grown.dataset.features[curve.feature].name),
    )
    words = say("Takes the best split on it; the learner grows the branches below.")
    _draw_button(grown, node, label, Edit("", COLUMN, (curve.feature,)), words)


def _draw_button(grown: GrownTree, node: int, label: str, edit: Edit, words: str) -> None:
    st.button(label, help=words, key=f"by hand {edit.kind}", on_click=callback(_put), args=(grown, node, edit))


def taker(grown: GrownTree, node: int, curve: ImpurityCurve) -> Callable[[int], None] | None:
    """What to do with the number of a cut that was taken on the node's curve; None where none can be taken."""
    if not is_offered(grown) or grown.parameters.get("monotonic_cst") is not None:
        return None
    cuts = np.flatnonzero(np.isfinite(curve.threshold))
    return lambda i: _put(grown, node, cut_of(curve, int(cuts[i])))


def cut_of(curve: ImpurityCurve, i: int) -> Edit:
    """The edit of a cut of a curve: a threshold, or of categories those before it."""
    if len(curve.order):
        first = curve.order[: int(curve.threshold[i])].tolist()
        return Edit("", SET, (curve.feature,), categories=sum(1 << int(code) for code in first))
    return Edit("", CUT, (curve.feature,), threshold=float(curve.threshold[i]))


# ---- a tree of a node's rows alone


def filter_button(grown: GrownTree, node: int) -> None:
    """Draw the button that makes the way to a node the filter, below the root; where it cannot, it says why."""
    if node == 0:
        return
    rows, why_not = "", ""
    try:
        rows = _filter_of(grown, node).text
    except FilterError as error:
        why_not = plain(str(error))
    st.button(
        say("Grow on this node's rows"), icon=":material/filter_alt:", key="grow on rows", disabled=bool(why_not),
        help=why_not or say("Makes the way to this node the filter of every page."),
        on_click=callback(_take_rows), args=(rows,),
    )  # fmt: skip


def _filter_of(grown: GrownTree, node: int) -> Filter:
    """The filter of the node's rows, with the one that is there. Raises FilterError where there is none."""
    none = FilterError(say("No filter takes just this node's rows."))
    if grown.is_cultivated or grown.sums is not None:
        raise none
    here = results.rows_in(grown, node)
    path = filter_of_node(grown.sharp, node, grown.dataset.features, results.missing(grown.dataset))
    if not np.array_equal(mask_of(grown.dataset, path), here):  # other columns stand in for missing values
        raise none
    check_part(grown.dataset, here)
    key = library.chosen_key()
    before = ALL if library.refusal(key) else filter_of(library.divided(key)[1])
    both = before.both(path).in_short(columns_of(grown.dataset))
    if len(both.text) > LONGEST:
        raise none
    return both


def _take_rows(rows: str) -> None:
    """Take these rows; changes by hand were of another tree (a callback)."""
    st.session_state[EDITS] = ""
    library.take(library.with_rows(library.chosen_key(), rows))
