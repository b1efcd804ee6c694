"""Tree A beside the tree of the page: grown on the same table, on another one, or read from a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from espalier.data import Dataset
from espalier.data.dataset import Feature
from espalier.data.folds import held_out
from espalier.data.samples import title_of
from espalier.display.theme import count
from espalier.kinds import SomeTree
from espalier.language import say
from espalier.tree.differences import TreeColumns, match_columns
from espalier.trees import Tree
from pages.shared.app.frame import plain
from pages.shared.data import library
from pages.shared.models import targets
from pages.shared.tree import growing
from pages.shared.tree.by_hand import changes
from pages.shared.tree.results import GrownTree
from pages.shared.tree.two import kept
from pages.shared.tree.two.kept import KeptTree

MOST_NAMED = 8


class TreeA(NamedTuple):
    """Tree A on the columns of the page's table, behind which may stand columns that the table does not have."""

    key: str  # names the tree
    title: str
    record: SomeTree
    features: tuple[Feature, ...]
    target: Feature  # with the classes that only A knows
    notes: tuple[str, ...]  # on the table of A, and on what does not match
    grown: GrownTree | None  # None if it comes from a file, or from another table

    def rows(self, grown: GrownTree) -> np.ndarray:
        """Rows of the page's table, (n_samples, n_features), with missing values in columns that it lacks."""
        X = grown.table.X
        gaps = np.full((len(X), len(self.features) - X.shape[1]), np.nan)
        return np.asfortranarray(np.hstack([X, gaps]))


def tree_a(one: KeptTree, grown: GrownTree) -> TreeA | None:
    """Tree A for the tree of the page; None while it grows, or if it cannot be compared, which the page says."""
    if one.file:
        return _of_file(one, grown)
    table, notes = _table(one, grown.table)
    holdout = grown.source.holdout
    try:
        refused = targets.why_not(one.model, table, lambda: ~held_out(table, holdout))
    except ValueError as wrong:  # rows held out by a column that the other table does not have
        refused = plain(str(wrong))
    if refused:
        st.info(refused)
        return None
    first = growing.beside(table, holdout, one.model)
    if first is None:
        return None
    first = changes.changed(first, one.edits).tree
    if table.digest == grown.table.digest:
        return TreeA(first.key, one.title, first.record, grown.table.features, grown.table.target, notes, first)
    title = say("{title}, on {table} ({n} rows)", title=one.title, table=title_of(table), n=count(len(table.y)))
    return _laid(first.key, title, first.record, TreeColumns(table.features, table.target), grown, notes)


def _table(one: KeptTree, present: Dataset) -> tuple[Dataset, tuple[str, ...]]:
    """The table that A was kept with; the present one if it is not here any more, with a note."""
    own = library.find(one.table) if one.table else present
    return (
        (present, (say("The table of A is not on this server any more: A is grown on the table in use."),))
        if own is None
        else (own, ())
    )


def _of_file(one: KeptTree, grown: GrownTree) -> TreeA | None:
    read = kept.found(one.file)
    if read is None:
        st.info(
            say(
                "Tree A came from the file {name}, which is not in this session. Stop comparing, and load it "
                "again.",
                name=plain(one.title),
            )
        )
        return None
    return _laid(read.digest, one.title, read.tree, read.columns, grown, ())


def _laid(
    key: str, title: str, record: SomeTree, own: TreeColumns, grown: GrownTree, notes: tuple[str, ...]
) -> TreeA | None:
    """The tree on the columns of the page's table, by name; None if that cannot be, which the page says."""
    data = grown.table
    if _names(own) == _names(TreeColumns(data.features, data.target)):
        return TreeA(key, title, record, data.features, data.target, notes, None)
    if not isinstance(record, Tree):
        st.info(
            say(
                "The tables of A and B have other columns. Only a tree whose splits ask for one "
                "column each can be laid on another table: take a CART or an optimal tree as A."
            )
        )
        return None
    try:
        found = match_columns(record, own, TreeColumns(data.features, data.target))
    except ValueError as wrong:
        st.info(say("A and B cannot be compared: {why}.", why=plain(str(wrong))))
        return None
    parts = (
        (_absent_columns_note, found.absent),
        (_strange_categories_note, found.strange),
        (_classes_note, found.classes),
    )
    notes += tuple(said(names) for said, names in parts if names)
    return TreeA(key, title, found.tree, found.features, found.target, notes, None)


def _names(columns: TreeColumns) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.name, one.categories) for one in (*columns.features, columns.target)]


def _absent_columns_note(names: Sequence[str]) -> str:
    """Note on columns that A asks for and the table does not have."""
    return say(
        "The table has no column {names}: there A sends rows where missing values go.", names=_first_names(names)
    )


def _strange_categories_note(names: Sequence[str]) -> str:
    """Note on categories that only one side knows."""
    return say("Categories that only A or only the table knows: {names}.", names=_first_names(names))


def _classes_note(names: Sequence[str]) -> str:
    """Note on classes that only A knows."""
    return say("Classes that only A knows: {names}.", names=_first_names(names))


def _first_names(names: Sequence[str]) -> str:

    shown = ", ".join(names[:MOST_NAMED])
    return (
        say("{shown} and {MOST_NAMED} more", shown=shown, MOST_NAMED=count(len(names) - MOST_NAMED))
        if len(names) > MOST_NAMED
        else shown
    )
