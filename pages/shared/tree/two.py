"""Two trees: A, which is kept while the controls go on to B, and what differs between them.

The address has A as the query of a page of its own (`beside=model=optimal&table=iris&depth=2`), with the text of
its table, which stays when the filter or the table of the page is another, and without the rows held out, which
both trees share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
import streamlit as st

from espalier import predict
from espalier.data.dataset import Dataset, Feature
from espalier.data.folds import held_out
from espalier.data.samples import title_of
from espalier.display.boundaries.plane import ringed
from espalier.display.theme import count
from espalier.display.tree import difference as words
from espalier.display.tree.difference import ComparedTrees, changed_rows, rows_table
from espalier.grown import GrownTree, why_not
from espalier.language import say
from espalier.learners.catalogue import Model
from espalier.tree.alignment import NONE
from espalier.tree.differences import TreeDifference, sharp_of, tree_difference
from pages.shared.app import address, links, pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.store import of_table
from pages.shared.canvas.components import data_table, surface_canvas
from pages.shared.data import library
from pages.shared.models import drawer, learners
from pages.shared.tree import by_hand, explorer, growing, pruning, report, results, selection

A = "tree-a"  # key of the session state: the text of tree A; empty: there is none
TABLE = "table"  # its table, in the text of tree A
LONGEST = 4_000  # letters of that text
KEYS = ("surface-a", "surface-b")
HEIGHT = 400  # pixels of a surface
MOST_LISTED, MOST_TOLD, MOST_DRAWN = 1_000, 12, 100  # rows in a table, sentences, and leaves of a picture
MOST_BESIDE = 420  # pixels of a picture beside the other one; wider ones stand below each other


def url_entries(target: Feature) -> list[Entry]:
    """Tree A as part of the address."""

    def read(text: str) -> str:
        if text.startswith("file="):
            raise links.Gone(say("a tree from a file is no longer compared; keep a tree of this page as A"))
        if text and (len(text) > LONGEST or _values(text, target) is None):
            raise ValueError(say("a learner and its settings, as Compare with… writes them"))
        return text

    return [Entry(A, "", read, name="beside")]


def controls(target: Feature) -> None:
    """Draw the switch: keep the tree as A, or end the comparison."""
    is_whole = st.session_state.get(pruning.RULE, pruning.WHOLE) == pruning.WHOLE
    is_on = bool(st.session_state[A])
    st.button(
        say("Stop comparing") if is_on else say("Compare with…"),
        icon=":material/close:" if is_on else ":material/compare:",
        on_click=callback(lambda: _put("" if is_on else _text(target))),
        disabled=not is_on and not (is_whole and st.session_state["learner"] in learners.SETTINGS),
        help=say("Keeps this tree as A; what you grow next is B. Not for a tree that a rule prunes."),
        width="stretch", key="compare with",
    )  # fmt: skip


def _text(target: Feature) -> str:
    """The tree that the controls stand for, as the address keeps it."""
    key = library.chosen_key()
    table = library.DEFAULT if library.find(key) is None else key  # that is shown in place of one that is gone
    texts = {"model": st.session_state["learner"], TABLE: table}
    return urlencode(texts | address.texts(_entries(target)))


def _put(text: str) -> None:
    st.session_state[A] = text


def _entries(target: Feature) -> list[Entry]:
    shared = {entry.key for entry in drawer.held_out_entries()}
    return [e for e in learners.url_entries(target) if e.key not in shared] + by_hand.url_entries()


def _values(text: str, target: Feature) -> dict[str, Any] | None:
    """The values of a tree A by their keys; None for a text that says nothing of a tree."""
    given = {key: value for key, value in parse_qsl(text) if key != TABLE}
    values, notes = address.parsed(given, _entries(target))
    values.setdefault(by_hand.EDITS, "")
    there = values["learner"] in learners.SETTINGS and not notes and "model" in given
    serves = there and bool(target.categories) in learners.LEARNERS[values["learner"]].kind.serves
    return values if serves else None


def kept(target: Feature) -> tuple[Model, str, str, str] | None:
    """The model of tree A, the record of its changes by hand, its title, and the text of its table in the address.

    No text is the table of the page; None: there is no tree A for this target.
    """
    values = _values(st.session_state[A], target) if st.session_state[A] else None
    if values is None:
        return None
    name, texts = values["learner"], dict(parse_qsl(st.session_state[A]))
    model = learners.SETTINGS[name].model(target, values)
    return model, values[by_hand.EDITS], _title(name, texts), texts.get(TABLE, "")


def _title(name: str, texts: dict[str, str]) -> str:
    """Title of a tree by its learner and by the settings that are not the defaults."""
    settings = [f"{key} {text}" for key, text in texts.items() if key not in ("model", TABLE, by_hand.EDITS)]
    by_edits = [say("changed by hand")] if by_hand.EDITS in texts else []
    return ", ".join([say(learners.LEARNERS[name].kind.title), *settings, *by_edits])


# ---- both trees, and what differs


def draw(grown: GrownTree) -> None:
    """Draw A beside B, the tree of the page: surfaces and scores, and what differs; nothing while A grows."""
    target = grown.table.target
    tree = kept(target)
    if tree is None:
        st.info(say("Tree A has another kind of target: stop comparing, or go back to its table."))
        return
    st.markdown("#### A | B")
    model, edits, title, table = tree
    first = _grow(model, edits, table, grown)
    if first is None:
        return
    titles = [title, _title(st.session_state["learner"], address.texts(_entries(target)))]
    if first.table.digest == grown.table.digest:
        labels = [f"{letter}: {plain(title)}" for letter, title in zip("AB", titles, strict=True)]
        draw_pair((first, grown), labels, differing(first, grown), grown, KEYS)
    else:
        name, n = title_of(first.table), count(len(first.table.y))
        titles[0] = say("{title}, on {table} ({n} rows)", title=titles[0], table=name, n=n)
        st.markdown(f"**A: {plain(titles[0])}**  \n**B: {plain(titles[1])}**")
    _draw_difference(first, grown)


def _grow(model: Model, edits: str, name: str, grown: GrownTree) -> GrownTree | None:
    """Tree A; None while it grows, or if it cannot be compared, which the page says."""
    table, holdout = (library.find(name) if name else None) or grown.table, grown.source.holdout
    try:
        refused = why_not(model, table, lambda: ~held_out(table, holdout))
    except ValueError as wrong:  # rows held out by a column that the other table does not have
        refused = plain(str(wrong))
    if not refused and _names(table) != _names(grown.table):
        refused = say("The tables of A and B have other columns, so that they cannot be compared.")
    if refused:
        st.info(refused)
        return None
    first = growing.grow_beside(table, holdout, model)
    return None if first is None else by_hand.changed(first, edits).tree


def _names(table: Dataset) -> list[tuple[str, tuple[str, ...]]]:
    return [(feature.name, feature.categories) for feature in (*table.features, table.target)]


def differing(first: GrownTree, second: GrownTree) -> np.ndarray:
    """(n_samples,) bool: rows to which two trees give other classes; of numbers, where nearly all differ, none."""
    if not first.dataset.is_classification:
        return np.zeros(len(first.dataset.y), bool)
    return results.answers(first).argmax(axis=1) != results.answers(second).argmax(axis=1)


def draw_pair(
    trees: Sequence[GrownTree], titles: Sequence[str], differ: np.ndarray, shown: GrownTree, keys: Sequence[str]
) -> None:
    """Draw two trees side by side on the plane of the one shown, with scores, and rings where they differ.

    Titles are Markdown.
    """
    axes = explorer.plane_of(shown)
    for side, tree, title, key in zip(st.columns(2, gap="medium"), trees, titles, keys, strict=True):
        is_shown = tree.key == shown.key
        surface = results.surface(tree, axes, explorer.like(tree, axes))
        with side:
            n = say("{n} leaf" if tree.tree.n_leaves == 1 else "{n} leaves", n=tree.tree.n_leaves)
            st.markdown(f"**{title}**, {n}  \n:small[{report.scores_in_short(tree)}]")
            surface_canvas(
                ringed(surface, differ, say("the trees differ")), key=key, channel=explorer.CHANNEL, height=HEIGHT,
                tree=results.cards(shown)["id"] if is_shown else None, show=st.session_state["show"],
                on_pick=callback(lambda spot, is_shown=is_shown: _pick(shown, axes, spot, is_shown)),
            )  # fmt: skip


def _pick(shown: GrownTree, axes: tuple[int, ...], spot: dict[str, Any] | None, is_shown: bool) -> None:
    if spot or is_shown:
        explorer.pick(shown, axes, spot)


@of_table(max_entries=32)
def _difference(first: GrownTree, grown: GrownTree) -> TreeDifference:
    sizes = tuple(len(feature.categories) for feature in grown.table.features)
    return tree_difference(first.record, grown.record, grown.table.X, sizes)


def _draw_difference(first: GrownTree, grown: GrownTree) -> None:
    """Draw what differs: in sentences, in two pictures with marks, and by the rows that it changes."""
    st.markdown(say("##### What differs"))
    try:
        differs = _difference(first, grown)
    except ValueError:
        st.info(say("The trees are too large to lay one over the other. Choose a smaller depth."))
        return
    a, b, target = sharp_of(first.record), sharp_of(grown.record), grown.table.target
    both = None if a is None or b is None else ComparedTrees(a, b, grown.table.features, target, differs)
    counts = f"{words.counts_words(both)} " if both else ""
    st.markdown(plain(f"{counts}{words.answers_words(differs, target)}"))
    if both:
        changes = words.changes_to_tell(both)
        lines = [f"- {plain(words.change_words(both, change))}" for change in changes[:MOST_TOLD]]
        more = [f"- {say('{n} more', n=len(changes) - MOST_TOLD)}"] if len(changes) > MOST_TOLD else []
        st.markdown("\n".join([*lines, *more]))
        if max(both.a.n_leaves, both.b.n_leaves) <= MOST_DRAWN:
            _draw_pictures(both, grown)
    else:
        st.caption(say("Splits are compared only where both trees ask one column at each."))
    rows = changed_rows(differs)
    if len(rows):
        st.markdown(say("**Rows that change their answer** ({n})", n=count(len(rows))))
        key = f"changed {first.key} {grown.key}"
        some = rows[:MOST_LISTED]
        data_table(
            rows_table(grown.table, differs, target, both, some, grown.held, selection.features(grown)),
            hide_index=True, height=min(300, 39 + 35 * len(rows)), key=key, selection_mode="single-row",
            on_select=callback(lambda: selection.pick(grown, rows, key)),
            alt=say("Rows that A and B answer differently, with both answers and the split at fault"),
        )  # fmt: skip


def _draw_pictures(both: ComparedTrees, grown: GrownTree) -> None:
    """Draw both trees with a sign where they differ, and the ways of the chosen row."""
    pictures.draw(words.legend(), 620)
    row = selection.chosen_row()
    widths = [words.width_of(tree) for tree in (both.a, both.b)]
    is_wide = max(widths) > MOST_BESIDE
    sides = [st.container(), st.container()] if is_wide else st.columns(2, gap="medium")
    for side, letter, tree, width in zip(sides, "AB", (both.a, both.b), widths, strict=True):
        leaf = NONE if row is None else int(predict.leaves(tree, grown.table.X[[row]])[0])
        with side:
            st.markdown(f"**{letter}**")
            pictures.draw(words.marked_picture(both, letter == "A", leaf), round(width))
