"""A wall of each forest's trees as icicles, which a click enlarges and opens on the page Tree."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import streamlit as st

from espalier.display.parts import Picture
from espalier.display.text.trees import join
from espalier.display.tree import small_tree
from espalier.forests.agreement import likeness_order
from espalier.forests.wall import WallTree, wall_card
from espalier.grown import GrownForest
from espalier.language import say, to_say
from espalier.trees import depths, prune_to
from pages.shared.app import address, links, pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, is_dark, plain
from pages.shared.app.links import one_of, whole
from pages.shared.app.store import of_table
from pages.shared.canvas.components import bars_canvas
from pages.shared.data import library
from pages.shared.forests import results, sentences
from pages.shared.models import forests
from pages.shared.models.forests import MARKS, SIDES, title

SHOWN = 108  # trees of a wall at first and for each "more"
MOST_TREES = 100_000  # that the address counts
DRAWN_DEPTH, WIDE = 4, 190  # deeper splits are left out of a drawn tree; pixels of a question
TYPICAL = 0  # in place of a number: the tree that answers most like all others
MOST_ROOTS = 3  # features at the root that are named
PAGES = "walls-of-trees"  # key of the session state: by key of a forest, how many are drawn
HOW_TO_READ = to_say(
    "Trees hang from their roots: a node's width shows its rows, a leaf's colour its class. Trees that answer "
    "alike are neighbours. Click one to see its questions."
)


def url_entries() -> list[Entry]:
    """The tree that is looked at, as part of the address."""
    return [
        Entry("wall", SIDES[0], one_of(SIDES), undo=False, stays=True, name="side"),
        Entry("wall-tree", TYPICAL, whole(0, MOST_TREES), undo=False, stays=True, name="tree"),
        links.gone_entry("order", say("trees that answer alike are neighbours")),
    ]


def draw(pair: list[GrownForest]) -> None:
    """Draw the walls of both forests, and below the tree that is looked at."""
    data = pair[0].dataset
    if data.is_classification:
        pictures.legend(data, sentences.colours(data))
    else:
        st.caption(sentences.colours(data))
    for column, side, one in zip(st.columns(2, gap="medium"), SIDES, pair, strict=True):
        with column:
            meaning = say(HOW_TO_READ) if side == SIDES[0] else None
            st.markdown(f"**{MARKS[side]} {title(side)}** · {roots(one)}", help=meaning)
            _draw_wall(one, side)
    one = pair[SIDES.index(st.session_state["wall"])]
    number = _number_shown(one)
    left, right = st.columns([1, 2], gap="medium")
    with left:
        _draw_words(one, number)
    with right:
        draw_tree(one, number)


def _number_shown(one: GrownForest) -> int:
    """The tree that is chosen, counted from 0; at first the one that is most like all others."""
    if st.session_state["wall-tree"] != TYPICAL:
        return min(st.session_state["wall-tree"], one.forest.n_trees) - 1
    return 0 if one.is_sum else int(results.matrix_of(one).mean(axis=0).argmax())


def _draw_wall(one: GrownForest, side: str) -> None:
    order, state = _order(one), st.session_state
    n_shown = state.get(PAGES, {}).get(one.key, SHOWN)
    trees = []
    for n in order[:n_shown].tolist():
        tree, target = _step_or_tree(one, n)
        trees.append(WallTree(n + 1, tree, target, f"{say('Tree {number}', number=n + 1)}: {_size(one, n)}"))
    number = str(_number_shown(one) + 1) if state["wall"] == side else ""
    card = wall_card(trees, f"wall {one.key} {len(trees)}", number, is_dark())
    with st.container(key=f"wall of {side}"):
        st.html(
            f"<style>.st-key-wall-of-{side} {{ aspect-ratio: {card['width']} / {card['height'] + 12} }}</style>"
        )
        bars_canvas(card, key=f"wall {side}", on_pick=callback(lambda number: _pick(side, int(number))))
    if left := len(order) - len(trees):
        label, pages = say("Show {n} more", n=min(left, SHOWN)), {one.key: n_shown + SHOWN}
        st.button(
            label, icon=":material/expand_more:", key=f"more of wall {side}", type="tertiary",
            on_click=callback(lambda: state.update({PAGES: state.get(PAGES, {}) | pages})),
        )  # fmt: skip


def _pick(side: str, number: int) -> None:
    st.session_state["wall"], st.session_state["wall-tree"] = side, number


def _draw_words(one: GrownForest, number: int) -> None:
    """Draw the number, size and error of a tree, counted from 0, and the way to its own page."""
    name = say("Tree {number} of forest {side}", number=number + 1, side=title(st.session_state["wall"]))
    typical = [say("the most typical")] if st.session_state["wall-tree"] == TYPICAL and not one.is_sum else []
    st.markdown(" · ".join([f"**{name}**", *typical, _size(one, number)]), width="content")
    if one.is_sum:
        st.caption(sentences.no_votes(one))
        return
    st.page_link(
        "pages/tree.py", label=say("Open tree {number}", number=number + 1), icon=":material/account_tree:",
        query_params=link_to(one, number + 1),
    )  # fmt: skip


def roots(one: GrownForest) -> str:
    """Features at the roots of the trees, each with its number of trees, in words."""
    counts = Counter(int(tree.feature[0]) for tree in one.forest.trees if tree.feature[0] >= 0)
    if not counts:
        return say("No tree asks anything.")
    parts = [f"{plain(one.dataset.features[f].name)} {n} ×" for f, n in counts.most_common(MOST_ROOTS)]
    if len(counts) > MOST_ROOTS:
        parts.append(say("{n} others", n=len(counts) - MOST_ROOTS))
    return say("first question: {questions}", questions=join(parts, "and"))


@of_table(max_entries=16)
def _order(one: GrownForest) -> np.ndarray:
    """The numbers of the trees, from 0: those that answer alike are neighbours, steps of a sum as they grew."""
    return np.arange(one.forest.n_trees) if one.is_sum else likeness_order(results.matrix_of(one))


def first_trees(one: GrownForest, n: int) -> list[Picture]:
    """The first n trees of the wall, in its order."""
    numbers = _order(one)[:n].tolist()
    return [_picture(one, number)[0]._replace(caption=_size(one, number)) for number in numbers]


def _step_or_tree(one: GrownForest, number: int) -> tuple[Any, Any]:
    """A tree and what its leaves say."""
    return results.step_of(one, number) if one.is_sum else (one.forest.trees[number], one.dataset.target)


def draw_tree(one: GrownForest, number: int, file: str = "") -> None:
    """Draw the first questions of a tree; a button saves them as this file."""
    picture, width = _picture(one, number)
    pictures.draw(picture, width, file)


def _picture(one: GrownForest, number: int) -> tuple[Picture, int]:
    """The first questions of a tree, and the pixels that it is wide, so that most names are whole."""
    tree, target = _step_or_tree(one, number)
    upper: Any = prune_to(tree, depths(tree) < DRAWN_DEPTH) if tree.depth > DRAWN_DEPTH else tree
    width = small_tree.LEAF_WIDTH + WIDE * max(upper.depth, 1)
    return small_tree.tree_picture(upper, one.dataset.features, target, size=(width, small_tree.LINE)), width


def _size(one: GrownForest, number: int) -> str:
    """Size and error of a tree, and the round and class of a step."""
    tree, error, parts = one.forest.trees[number], results.own_errors(one)[number], []
    if one.has_rounds:
        parts.append(say("round {number}", number=number // one.trees_a_round + 1))
    if one.has_rounds and one.trees_a_round > 1:
        parts.append(plain(one.dataset.classes[results.class_of(one, number)]))
    parts.append(
        say(
            "1 leaf, depth {depth}" if tree.n_leaves == 1 else "{n_leaves} leaves, depth {depth}",
            n_leaves=tree.n_leaves,
            depth=tree.depth,
        )
    )
    if np.isfinite(error):
        parts.append(say("error {text}", text=results.error_text(one, float(error))))
    return " · ".join(parts)


def link_to(one: GrownForest, number: int) -> dict[str, str]:
    """Address of the Tree page with this tree: the forest's settings, and the tree's number from 1 on."""
    side = st.session_state["wall"]
    place = {"model": "forest", "side": side, "number": str(number)}
    return address.texts(forests.entries_of(side)) | {library.PARAMETER: library.key_of(one.dataset)} | place
