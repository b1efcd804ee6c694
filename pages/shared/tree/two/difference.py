"""What differs between A and B: in sentences, in two pictures with marks, and by the rows that it changes."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier import predict
from espalier.display.theme import count
from espalier.display.tree import difference as words
from espalier.display.tree.difference import ComparedTrees, DifferenceHeading, changed_rows, rows_table
from espalier.language import as_spoken, say
from espalier.tree.alignment import NONE
from espalier.tree.differences import TreeDifference, sharp_of, tree_difference
from pages.shared.app import chosen_row, pictures
from pages.shared.app.frame import callback, plain
from pages.shared.app.table_results import of_table
from pages.shared.canvas.data_table import data_table
from pages.shared.tree import selection
from pages.shared.tree import sentences as tree_sentences
from pages.shared.tree.exports import menu as exports
from pages.shared.tree.results import GrownTree
from pages.shared.tree.two.first import TreeA

MOST_LISTED, MOST_TOLD, MOST_DRAWN = 1_000, 12, 100  # rows in a table, sentences, and leaves of a picture
MOST_BESIDE = 420  # pixels of a picture beside the other one; wider ones stand below each other


def found(first: TreeA, grown: GrownTree) -> TreeDifference | None:
    """The difference of A and the tree of the page on its table; None if the trees are too large."""
    try:
        return _found(first, grown)
    except ValueError:
        return None


@of_table(max_entries=32)
def _found(first: TreeA, grown: GrownTree) -> TreeDifference:
    sizes = tuple(len(feature.categories) for feature in first.features)
    return tree_difference(first.record, grown.record, first.rows(grown), sizes)


def draw(first: TreeA, grown: GrownTree, titles: tuple[str, str]) -> None:
    """Draw it: the sentences, the pictures, the rows and the report."""
    st.markdown(say("##### What differs"))
    for note in first.notes:
        st.caption(plain(note))
    differs = found(first, grown)
    if differs is None:
        st.info(say("The trees are too large to lay one over the other. Choose a smaller depth."))
        return
    both = _both(first, grown, differs)
    if both is None:
        st.markdown(plain(words.answers_words(differs, first.target)))
        st.caption(
            say(
                "One of the trees has no splits on single columns, so that only the answers are "
                "compared: rows of a cultivated tree take several ways, and splits of an oblique one "
                "weigh several columns."
            )
        )
    else:
        _sentences(both)
        _pictures(first, grown, both)
    _rows(first, grown, differs, both)
    if both is not None:
        _save(first, grown, both, titles)


def _both(first: TreeA, grown: GrownTree, differs: TreeDifference) -> ComparedTrees | None:
    a, b = sharp_of(first.record), sharp_of(grown.record)
    if a is None or b is None:
        return None
    return ComparedTrees(a, b, first.features, first.target, differs)


def _sentences(both: ComparedTrees) -> None:
    found = both.difference
    lead = [
        words.counts_words(both),
        words.answers_words(found, both.target),
        words.space_words(found, bool(both.target.categories)),
    ]
    st.markdown(plain(" ".join(part for part in lead if part)))
    st.caption(
        plain(words.cost_words(found)),
        help=say(
            "B is laid over A from the root down in the way that costs least. A split of one "
            "tree alone costs 1. A split over one on the same column costs the share of all rows "
            "between both thresholds, over one on another column 1. Leaves of different classes "
            "cost 1/2, of different numbers up to 1/2. The sides of a split on another column, "
            "or on categories, may be exchanged."
        ),
    )
    told = words.changes_to_tell(both)
    st.markdown("\n".join(f"- {plain(words.change_words(both, one))}" for one in told[:MOST_TOLD]))
    if len(told) > MOST_TOLD:
        with st.expander(_more_changes(len(told) - MOST_TOLD)):
            st.markdown("\n".join(f"- {plain(words.change_words(both, one))}" for one in told[MOST_TOLD:]))


def _pictures(first: TreeA, grown: GrownTree, both: ComparedTrees) -> None:
    if max(both.a.n_leaves, both.b.n_leaves) > MOST_DRAWN:
        st.caption(
            say(
                "Trees of more than {most} leaves are not drawn here; the sentences and the rows are complete.",
                most=MOST_DRAWN,
            )
        )
        return
    pictures.draw(words.legend(), 620)
    leaves = _leaves(first, grown, both)
    widest = max(words.width_of(tree) for tree in (both.a, both.b))
    sides = st.columns(2, gap="medium") if widest <= MOST_BESIDE else [st.container(), st.container()]
    for i, side in enumerate(sides):
        with side:
            is_a = i == 0
            st.markdown(f"**{tree_sentences.LETTERS[i]}**")
            tree = both.a if is_a else both.b
            pictures.draw(words.marked_picture(both, is_a, leaves[i]), round(words.width_of(tree)))


def _leaves(first: TreeA, grown: GrownTree, both: ComparedTrees) -> list[int]:
    """The leaves of the chosen row in A and B."""
    row = chosen_row.chosen()
    if row is None:
        return [NONE, NONE]
    x = first.rows(grown)[[row]]
    return [int(predict.leaves(tree, x)[0]) for tree in (both.a, both.b)]


def _rows(first: TreeA, grown: GrownTree, differs: TreeDifference, both: ComparedTrees | None) -> None:
    rows = changed_rows(differs)
    if not len(rows):
        return
    st.markdown(say("**Rows that change their answer** ({n})", n=count(len(rows))))
    key = f"changed {first.key} {grown.key}"
    data_table(
        _table(first, grown, differs, both, rows),
        hide_index=True,
        height=min(300, 39 + 35 * len(rows)),
        key=key,
        on_select=callback(lambda: selection.pick(grown, rows, key)),
        selection_mode="single-row",
        alt=say("Rows that A and B answer differently, with both answers and the split at fault"),
    )
    st.caption(_tick_line(MOST_LISTED, len(rows)))


def _table(first: TreeA, grown: GrownTree, differs: TreeDifference, both: ComparedTrees | None, rows: np.ndarray):
    shown = selection.features(grown)
    return rows_table(grown.table, differs, first.target, both, rows[:MOST_LISTED], grown.held, shown)


def _save(first: TreeA, grown: GrownTree, both: ComparedTrees, titles: tuple[str, str]) -> None:
    name = pictures.file_name(grown.table.name)
    heading = DifferenceHeading(
        say("Two trees on {table}", table=grown.table.name), titles, first.notes, exports.link_in_report()
    )
    st.download_button(
        say("Save the difference"),
        as_spoken(lambda: report(first, grown, both, heading)),
        f"difference-{name or 'data'}.html",
        "text/html",
        on_click="ignore",
        key="save difference",
        icon=":material/download:",
        help=say("A page of its own (HTML) with the sentences, both pictures and the rows; it needs no internet."),
    )


def report(first: TreeA, grown: GrownTree, both: ComparedTrees, heading: DifferenceHeading) -> str:
    """The difference as a document of its own."""
    rows = changed_rows(both.difference)
    return words.sheet(both, heading, _table(first, grown, both.difference, both, rows))


def _more_changes(n: int) -> str:
    """Label of the changes after the first ones."""
    return say("{n} more change" if n == 1 else "{n} more changes", n=count(n))


def _tick_line(most: int, n: int) -> str:
    """Line below the table of rows."""
    first = say("The first {most} of {n} rows. ", most=count(most), n=count(n)) if n > most else ""
    return say("{first}Tick a row to see its way through both trees.", first=first)
