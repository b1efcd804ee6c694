"""The one selection of tree, surface and inspector: a node, perhaps a row on its way down, and the axes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import streamlit as st

from espalier.data.dataset import Feature
from espalier.data.roles import RowRoles
from espalier.display import tables
from espalier.display.theme import count
from espalier.display.tree import figures
from espalier.grown import GrownTree
from espalier.language import say, to_say
from espalier.predict import leaves
from espalier.tree.alignment import find_counterpart
from pages.shared.app import pictures
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.links import whole
from pages.shared.canvas.components import data_table
from pages.shared.tree import results

LAST = "last-tree"  # key of the session state: the tree that the selection belongs to


def url_entries() -> list[Entry]:
    """The selection as part of the address; no step of Undo."""
    return [
        Entry("node", 0, whole(0, 10**9), undo=False),
        row_entry(),
    ]


def drop_invalid(grown: GrownTree, linked: bool) -> list[str]:
    """Make the selection one of this tree; notes on parts of a link (`linked`) that are not.

    After a change of the tree a node stays selected where the same questions still lead to it.
    """
    last = st.session_state.get(LAST)
    st.session_state[LAST] = grown
    if last is None or linked:
        return _check(grown)
    if last.key != grown.key:
        if last.table.digest != grown.table.digest:
            select_node(0)
        elif (row := chosen_row()) is not None:
            select_row(grown, row)
        elif last.dataset.digest != grown.dataset.digest:  # other sums stand where those of the last tree stood
            select_node(0)
        elif st.session_state["node"]:  # the root stays the root
            st.session_state["node"] = find_counterpart(last.tree, grown.tree, st.session_state["node"]) or 0
    return []


def select_node(node: int) -> None:
    """Select a node; the sample that was selected is let go."""
    st.session_state["node"] = node
    choose_row(None)


def select_row(grown: GrownTree, row: int) -> None:
    """Select a sample, and the leaf that it falls into; of several leaves, the one that has most of it."""
    st.session_state["node"] = int(leaves(grown.record, grown.table.X[row : row + 1])[0])
    choose_row(row)


def _check(grown: GrownTree) -> list[str]:
    notes = []
    if not 0 <= st.session_state["node"] < grown.tree.n_nodes:
        notes.append(
            say(
                "node={node}: this tree has nodes 0 to {most}",
                node=st.session_state["node"],
                most=grown.tree.n_nodes - 1,
            )
        )
        st.session_state["node"] = 0
    notes += drop_invalid_row(len(grown.dataset.y))
    if (row := chosen_row()) is not None:
        select_row(grown, row)
    return notes


# ---- the chosen row, as people count: from 1, in the address, in lists and in words; inside, rows count from 0

ROW = "row"  # in the address and the session state; also of the box in which its number is typed


def row_entry() -> Entry:
    """The number of the chosen row, as part of the address."""
    return Entry(ROW, None, whole(1, 10**9, optional=True), undo=False)


def chosen_row() -> int | None:
    """The chosen row, counted from 0."""
    number = st.session_state[ROW]
    return None if number is None else number - 1


def choose_row(row: int | None) -> None:
    """Choose a row, counted from 0, or none (a callback too)."""
    st.session_state[ROW] = None if row is None else row + 1


def drop_invalid_row(n: int) -> list[str]:
    """Let go of a row that n rows do not have; a note on it."""
    number = st.session_state[ROW]
    if number is None or number <= n:
        return []
    st.session_state[ROW] = None
    return [say("row={number}: these data have rows 1 to {n}", number=number, n=count(n))]


def row_number_input(n: int, width: int, roles: RowRoles) -> None:
    """A box for the number of one of n rows, with the label of the chosen one beside it if rows have labels."""
    st.number_input(
        say("Row"), min_value=1, max_value=n, value=None, key=ROW, placeholder=say("1 to {n}", n=n), width=width,
        help=say("Rows are counted from 1, as in the tables."),
    )  # fmt: skip
    row = chosen_row()
    if row is not None and row < n and roles.labels is not None and (label := roles.labels.texts[row]):
        st.caption(plain(label), width="content")


# ---- rows in a node, for both inspectors: the spread of their target, and the one that is picked

MOST_OFFERS = 10  # columns of a node that stand on a sheet of paper
MAX_LISTED = 1_000  # rows of a node that are listed
NOT_HERE = to_say("Splits are chosen by hand in trees of CART and, of classes, in optimal trees.")
ONE_TARGET = to_say("All rows here have the same target: there is nothing left to tell apart.")
NO_COLUMN = to_say("No split may ask about any column: take some out of the list under More settings.")
WITHOUT_LEFT_OUT = to_say(" Columns that no split may ask about are not shown.")


def left_out(grown: GrownTree) -> tuple[int, ...]:
    """The columns that no split of the tree asks about."""
    return tuple(grown.parameters.get("forbidden_features") or ())


def leaves_none(grown: GrownTree) -> bool:
    """Whether no column is left to ask about."""
    return len(left_out(grown)) == len(grown.dataset.features)


def ticked(key: str) -> int | None:
    """The row of a table that is ticked on the page."""
    state: Any = st.session_state.get(key)
    return next(iter(state.selection.rows), None) if hasattr(state, "selection") else None


def target(grown: GrownTree, node: int, inside: np.ndarray) -> None:
    """The target in the node beside all rows; `inside` (n_samples,) has its rows, or their fractions."""
    tree, data = grown.tree, grown.dataset
    if data.is_classification:
        picture = figures.class_bars(tree.value[node], tree.value[0], data.target)
    else:
        trained = ~grown.held
        y, inside, weight = data.y[trained], inside[trained], data.weights_of(trained)
        picture = figures.target_histogram(y, inside, data.target, float(tree.value[node, 0]), weight)
    pictures.plot(picture, "target")


def features(grown: GrownTree) -> list[int]:
    """The features that a table of rows has: all, or of thousands those that the tree asks about first."""
    return tables.on_page(len(grown.table.features), results.features_used(grown))


def pick(grown: GrownTree, rows: np.ndarray, key: str) -> None:
    """Select the one of these rows that was ticked in their table (a callback)."""
    picked = st.session_state[key].selection.rows
    if picked and picked[0] < len(rows):
        select_row(grown, int(rows[picked[0]]))


def rows(grown: GrownTree, node: int, here: np.ndarray, fraction: np.ndarray | None = None) -> None:
    """List these rows of the node, with their fractions (n_samples,) if there are some; a click selects one."""
    shown, key = here[:MAX_LISTED], f"rows {grown.key} {node}"
    parts = None if fraction is None else fraction[shown]
    bar = st.column_config.ProgressColumn(format="percent", min_value=0.0, max_value=1.0, width=110)
    data_table(
        tables.listed(grown.table, shown, grown.held, parts, features(grown), results.answers(grown, shown)),
        hide_index=True,
        height=300,
        column_config={say("fraction"): bar},
        key=key,
        on_select=callback(lambda: pick(grown, shown, key)),
        selection_mode="single-row",
        alt=say("Rows in the selected node"),
    )
    n, most = len(here), count(MAX_LISTED)
    few = say("The first {most} of {n} rows. ", most=most, n=count(n)) if n > MAX_LISTED else ""
    left_off = tables.left_off(len(grown.table.features), say("first those that the tree has most use for"))
    st.caption(f"{few}{say('Tick a row to follow it through the tree.')} {left_off}")


# ---- the two features that a plane is drawn over: chosen by the person, or by what the page shows

MOST_LEVELS = 12  # categories of an axis that is taken unasked, if there are two others
AUTO, NONE = "", "-"  # choices of an axis beside the features' names


def axis_entries() -> list[Entry]:
    """Both axes as parts of the address, the same on every page."""
    return [Entry("x", AUTO, str, undo=False), Entry("y", AUTO, str, undo=False)]


def drop_invalid_axes(features: Sequence[Feature]) -> list[str]:
    """Let go of axes that these features do not have; a note on each."""
    notes, names = [], {feature.name for feature in features}
    for key, allowed in (("x", {AUTO, *names}), ("y", {AUTO, NONE, *names})):
        if st.session_state[key] not in allowed:
            notes.append(say("{key}={name}: these data have no such column", key=key, name=st.session_state[key]))
            st.session_state[key] = AUTO
    return notes


def legible(features: Sequence[Feature], best: Sequence[int], asked: Collection[int]) -> list[int]:
    """Features, the best first, but last those of so many categories that no plane shows them well.

    Only where two others are `asked`: a plane without what the tree asks would show nothing of it.
    """
    crowded = [f for f in best if len(features[f].categories) > MOST_LEVELS]
    clear = [f for f in best if f not in crowded]
    return [*clear, *crowded] if sum(f in asked for f in clear) >= 2 else list(best)


def chosen_axes(names: Sequence[str], best: Sequence[int]) -> tuple[int, ...]:
    """The features on the axes, one or two: those chosen, else the first of `best`, the most telling first."""
    x, y = st.session_state["x"], st.session_state["y"]
    first = names.index(x) if x != AUTO else next(f for f in best if y in (AUTO, NONE) or f != names.index(y))
    second = next((f for f in best if f != first), None) if y == AUTO else None if y == NONE else names.index(y)
    return (first,) if second in (None, first) else (first, second)


def pick_axes(names: Sequence[str], axes: tuple[int, ...]) -> None:
    """The choice of both axes, in a line; `axes` are those that are `chosen` now."""
    shown = {"x": names[axes[0]], "y": names[axes[1]] if len(axes) == 2 else say("none", context="axis")}
    for key, others in (("x", []), ("y", [NONE])):
        st.session_state[key] = st.session_state[key]  # a widget knows it by its words, which change
        texts = {
            AUTO: say("↔ {name} (auto)" if key == "x" else "↕ {name} (auto)", name=shown[key]),
            NONE: say("↕ none"),
        }
        st.selectbox(
            app_sentences.AXES[key], [AUTO, *others, *names], key=key, label_visibility="collapsed",
            format_func=lambda name, texts=texts: texts.get(name) or name,
        )  # fmt: skip
