"""The changes by hand of the session's tree, and the tree that they make.

Their record is a short text in the session state and in the address; `espalier.tree.edits` reads it.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from espalier.data import Filter, FilterError, filter_of
from espalier.data.dataset import columns_of
from espalier.data.filters import ALL, LONGEST
from espalier.data.subset import check_part, mask_of
from espalier.language import say
from espalier.learners.catalogue.estimators import GivenSplit, splits_in_text
from espalier.progress import Progress
from espalier.tree.editing import EditedTree, EditRefused, edited
from espalier.tree.edits import (
    BEST,
    COLUMN,
    CUT,
    SET,
    Edit,
    add_edit,
    edits_of,
    path_of,
    text_of,
    without_edits,
)
from espalier.tree.rules import filter_of_node
from espalier.trees import Tree, path_to
from pages.shared.app.address import Choice, Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.table_results import of_table
from pages.shared.data import library
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Work
from pages.shared.models import learners
from pages.shared.models.of_columns import carried
from pages.shared.tree import fits, results
from pages.shared.tree.fits import FittedTree
from pages.shared.tree.results import GrownTree

EDITS = carried.EDITS  # key of the session state: the record's text
TABLE = carried.TABLE  # key of the session state: columns of the table that the record is of
SMALL = {"cart": 200_000, "optimal": 2_000}  # values of a table whose branches are grown at once
LEARNERS = tuple(SMALL)


class Changed(NamedTuple):
    """A tree with the changes that fit it."""

    tree: GrownTree
    refused: tuple[EditRefused, ...] = ()
    awaited: str = ""  # key of the job that grows it
    text: str = ""  # of the record that it was asked for
    is_early: bool = False  # whether the engine is not there yet


def url_entries() -> list[Entry]:
    """The record as part of the address."""
    return [Entry(EDITS, "", _read, only=Choice("learner", LEARNERS))]


def _read(text: str) -> str:
    return text_of(edits_of(text))


def is_offered(grown: GrownTree) -> bool:
    """Whether the tree is one that can be changed by hand."""
    is_ours = grown.source.model.name in LEARNERS and (grown.proof is None or grown.dataset.is_classification)
    return is_ours and isinstance(grown.tree, Tree) and grown.sums is None


def text() -> str:
    """The record's text."""
    return st.session_state[EDITS]


def put(grown: GrownTree, node: int, edit: Edit) -> None:
    """Have this edit at the node, whatever its path says (a callback)."""
    st.session_state[EDITS] = text_of(add_edit(edits_of(text()), edit._replace(path=path_of(grown.tree, node))))


def take_back(grown: GrownTree, node: int) -> None:
    """Take back the edits at the node and below it (a callback)."""
    st.session_state[EDITS] = text_of(without_edits(edits_of(text()), path_of(grown.tree, node)))


def let_go(grown: GrownTree, linked: bool) -> None:
    """A table of other columns came: the edits go, unless a link has brought them."""
    columns = [feature.name for feature in grown.table.features]
    last, st.session_state[TABLE] = st.session_state.get(TABLE), columns
    if last not in (None, columns) and not linked:
        st.session_state[EDITS] = ""


def changed(whole: GrownTree, record: str | None = None) -> Changed:
    """The tree with the changes of the record, the session's if none is given; itself while they are awaited."""
    if record is None and not text():
        st.session_state[carried.SPLITS] = ""
        return Changed(whole)
    if record is None:
        change = changed(whole, text())
        if not (change.awaited or change.is_early):
            st.session_state[carried.SPLITS] = splits_in_text(_given(change.tree))
        return change
    if not record or not is_offered(whole):
        return Changed(whole, text=record)
    searched = any(edit.kind == BEST for edit in edits_of(record))
    kinds = {whole.source.model.name, *(["optimal"] if searched else [])}
    if not all(compilation.is_ready(learners.LEARNERS[kind].kind.stage) for kind in kinds):
        return Changed(whole, text=record, is_early=True)
    key = f"{whole.key} edits {record}"
    if whole.dataset.X.size <= min(SMALL[kind] for kind in kinds):
        made = _edited(key, record, whole)
    else:
        made = watch.outcome(Work(key, 1, partial(_made, whole, record)), beside=True).value
    if made is None:
        return Changed(whole, awaited=key, text=record)
    return Changed(_with_data(key, made, whole), made.refused, text=record)


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


def progress(change: Changed) -> None:
    """Draw how far the branches are, or why there are none."""
    if not change.awaited:
        return
    ended = watch.found(change.awaited)
    if ended is None:
        note.progress(
            [
                Line(
                    change.awaited,
                    say("**Growing the branches below your splits**"),
                    lambda job: Far(job.share, say("**Growing the branches below your splits**")),
                )
            ]
        )
    else:
        note.ended(
            change.awaited,
            ended,
            say("Growing was stopped: the tree is without the changes by hand."),
            say("The changes by hand could not be made."),
            goes_on=False,
        )


@of_table(max_entries=64)
def _edited(key: str, record: str, _whole: GrownTree) -> EditedTree:
    return _made(_whole, record)


def _made(whole: GrownTree, record: str, progress: Progress | None = None) -> EditedTree:
    fit = fits.Fit(whole.dataset, *whole.source)
    training = fit.estimator.prepare(fit.X, fit.y, fit.weight).of_positive_weight()
    tree = whole.sharp
    if whole.dataset.is_classification:  # branches have shares of the classes that the training rows have
        tree = tree._replace(value=tree.value[:, np.unique(fit.y).astype(int)])
    made = edited(fit.estimator, training, tree, edits_of(record), progress)
    return made._replace(tree=fit.all_classes(made.tree))


@of_table(max_entries=64)
def _with_data(key: str, _made: EditedTree, _whole: GrownTree) -> GrownTree:
    if not _made.by_hand and _made.tree.n_nodes == _whole.tree.n_nodes and not _grew(_made, _whole):
        return _whole
    grown = results.with_data(key, FittedTree(_made.tree, None), _whole.dataset, _whole.source)
    return grown._replace(by_hand=_made.by_hand, proofs=_made.proofs, given=_made.given)


def _grew(made: EditedTree, whole: GrownTree) -> bool:
    return not np.array_equal(made.tree.feature, whole.tree.feature)


# ---- the button that makes the way to a node the filter: a tree then grows on the node's rows alone


def button(grown: GrownTree, node: int) -> None:
    """Draw it, below the root; where it can do nothing, it says why."""
    if node == 0:
        return
    rows, why_not = ALL, ""
    try:
        rows = _rows(grown, node)
    except FilterError as error:
        why_not = str(error)
    st.button(
        say("Grow on this node's rows"),
        icon=":material/filter_alt:",
        key="grow on rows",
        disabled=bool(why_not),
        help=plain(why_not)
        or say(
            "Makes the way to this node the filter: every page then works on these rows alone. *Undo* or *All "
            "rows* leads back."
        ),
        on_click=callback(_take),
        args=(rows.text,),
    )


def _rows(grown: GrownTree, node: int) -> Filter:
    """The filter of the node's rows, with the one that is there. Raises FilterError where there is none."""
    here = results.rows_in(grown, node)
    if grown.is_cultivated or grown.sums is not None:
        raise FilterError(
            say("The way to this node is no list of conditions on columns, so that no filter takes just its rows.")
        )
    path = filter_of_node(grown.sharp, node, grown.dataset.features, results.missing(grown))
    if not np.array_equal(mask_of(grown.dataset, path), here):
        raise FilterError(
            say(
                "Other columns stand in for missing values on the way to this node, so that no "
                "filter takes just its rows. Grow the tree with another way of missing values."
            )
        )
    check_part(grown.dataset, here)
    key = library.chosen_key()
    before = ALL if library.refusal(key) else filter_of(library.divided(key)[1])
    both = before.both(path).in_short(columns_of(grown.dataset))
    if len(both.text) > LONGEST:
        raise FilterError(
            say("The way to this node is too long for an address. Choose a node nearer to the root.")
        )
    return both


def _take(rows: str) -> None:
    """Take these rows; changes by hand were of another tree (a callback)."""
    st.session_state[EDITS] = ""
    library.take(library.with_rows(library.chosen_key(), rows))
