"""A wall of each forest's trees as icicles, which a click enlarges and opens on the page Tree."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import streamlit as st

from espalier.display.parts import Picture
from espalier.display.text.trees import join
from espalier.display.theme import number
from espalier.display.tree import small_tree
from espalier.forests.wall import WallTree, wall_card
from espalier.language import Texts, say
from espalier.trees import depths, prune_to
from pages.shared.app import address, pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, is_dark, plain
from pages.shared.app.links.readers import one_of, whole
from pages.shared.canvas.curve import bars_canvas
from pages.shared.data import library
from pages.shared.forests import agreement, results, sentences
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models import forests
from pages.shared.models.forests import MARKS, SIDES, title

ORDERS = Texts({"alike": "Like beside like", "grown": "As they grew", "best": "The best first"})

ORDER = "order"  # key of the choice of an order, which stands in the drawer
SHOWN = 108  # trees of a wall at first and for each "more"
MOST_TREES = 100_000  # that the address counts
DRAWN_DEPTH = 4  # deeper splits are left out of the small pictures
TYPICAL = 0  # in place of a number: the tree that answers most like all others
MOST_ROOTS = 3  # features at the root that are named
PAGES = "walls-of-trees"  # key of the session state: by key of a forest, how many are drawn


def url_entries() -> list[Entry]:
    """The tree that is looked at, and the order of the walls, as part of the address."""
    return [
        Entry("wall", SIDES[0], one_of(SIDES), undo=False, stays=True, name="side"),
        Entry("wall-tree", TYPICAL, whole(0, MOST_TREES), undo=False, stays=True, name="tree"),
        Entry(ORDER, "alike", one_of(ORDERS), undo=False, stays=True),
    ]


def draw(pair: list[GrownForest]) -> None:
    """Draw the walls of both forests, and below the tree that is looked at."""
    for column, side, one in zip(st.columns(2, gap="medium"), SIDES, pair, strict=True):
        with column:
            meaning = say(sentences.HOW_TO_READ_WALL) if side == SIDES[0] else None
            st.markdown(f"**{MARKS[side]} {title(side)}** · {roots(one)}", help=meaning)
            _wall(one, side)
    one = pair[SIDES.index(st.session_state["wall"])]
    number_ = _looked_at(one)
    left, right = st.columns([1, 2], gap="medium")
    with left:
        _say_tree(one, number_)
    with right:
        pictures.draw(_drawn(one, number_), int(1.3 * small_tree.width_of(_upper(_tree(one, number_)[0]))))


def pick_order() -> None:
    """Draw the choice of the walls' order."""
    st.segmented_control(
        say("Order of the trees"), list(ORDERS), format_func=ORDERS.__getitem__, key=ORDER, required=True
    )


def _looked_at(one: GrownForest) -> int:
    """The tree that is chosen, counted from 0; at first the one that is most like all others."""
    if st.session_state["wall-tree"] != TYPICAL:
        return min(st.session_state["wall-tree"], one.forest.n_trees) - 1
    return 0 if one.is_sum else int(agreement.likeness_of(one).mean(axis=0).argmax())


def _wall(one: GrownForest, side: str) -> None:
    order, dark = _order(one), is_dark()
    first = order[: st.session_state.get(PAGES, {}).get(one.key, SHOWN)].tolist()
    names = [say("Tree {number}", number=n + 1) for n in first]
    trees = [
        WallTree(n + 1, *_tree(one, n), f"{name}: {_size(one, n)}") for n, name in zip(first, names, strict=True)
    ]
    number = str(_looked_at(one) + 1) if st.session_state["wall"] == side else ""
    card = wall_card(trees, f"wall {one.key} {st.session_state[ORDER]} {len(first)}", number, dark)
    with st.container(key=f"wall of {side}"):
        st.html(
            f"<style>.st-key-wall-of-{side} {{ aspect-ratio: {card['width']} / {card['height'] + 12} }}</style>"
        )
        bars_canvas(card, key=f"wall {side}", on_pick=callback(lambda number: _pick(side, int(number))))
    if left := len(order) - len(first):
        label = say("Show {n} more of {left}", n=min(left, SHOWN), left=left)
        st.button(
            label, icon=":material/expand_more:", key=f"more of wall {side}", type="tertiary",
            on_click=callback(_show_more), args=(one.key, len(first)),
        )  # fmt: skip


def _pick(side: str, number: int) -> None:
    st.session_state["wall"], st.session_state["wall-tree"] = side, number


def _say_tree(one: GrownForest, number: int) -> None:
    """Draw the number, size and error of a tree, counted from 0, and the way to its own page."""
    side = st.session_state["wall"]
    name = say("Tree {number} of forest {side}", number=number + 1, side=title(side))
    typical = [say("the most typical")] if st.session_state["wall-tree"] == TYPICAL and not one.is_sum else []
    st.markdown(" · ".join([f"**{name}**", *typical, _size(one, number)]), width="content")
    if one.is_sum:
        st.caption(
            say("A step that corrects the sum before it.") if one.has_rounds else say(sentences.MEAN_OF_LOG_ODDS)
        )
        return
    st.page_link(
        "pages/tree.py", label=say("Open tree {number}", number=number + 1), icon=":material/account_tree:",
        query_params=link_to(one, number + 1),
    )  # fmt: skip


def roots(one: GrownForest) -> str:
    """Features at the roots of the trees, in words."""
    counts = Counter(int(tree.feature[0]) for tree in one.forest.trees if tree.feature[0] >= 0)
    if not counts:
        return say("No tree asks anything: each is a lone root.")
    names = [plain(feature.name) for feature in one.dataset.features]
    features, numbers = zip(*counts.most_common(MOST_ROOTS), strict=True)
    n_others = len(counts) - len(features)
    return _roots_sentence([names[f] for f in features], list(numbers), n_others)


def _order(one: GrownForest) -> np.ndarray:
    """The numbers of the trees, from 0, in the order of the walls; steps of a sum stay as they grew."""
    if one.is_sum or st.session_state[ORDER] == "grown":
        return np.arange(one.forest.n_trees)
    if st.session_state[ORDER] == "best":
        return np.argsort(results.own_errors(one), kind="stable")
    return agreement.alike_order(one)


def first_trees(one: GrownForest, n: int) -> list[Picture]:
    """The first n trees of the wall, in its order."""
    return [_drawn(one, int(number_)) for number_ in _order(one)[:n]]


def _tree(one: GrownForest, number_: int) -> tuple[Any, Any]:
    """A tree and what its leaves say."""
    if one.is_sum:
        return sentences.step_of(one, number_)
    return one.forest.trees[number_], one.dataset.target


def _drawn(one: GrownForest, number_: int) -> Picture:
    tree, target = _tree(one, number_)
    picture = small_tree.tree_picture(_upper(tree), one.dataset.features, target)
    return picture._replace(caption=_size(one, number_))


def _upper(tree: Any) -> Any:
    """The first questions of a tree that has too many for a small picture."""
    return prune_to(tree, depths(tree) < DRAWN_DEPTH) if tree.depth > DRAWN_DEPTH else tree


def _size(one: GrownForest, number_: int) -> str:
    tree, error = one.forest.trees[number_], results.own_errors(one)[number_]
    parts = [sentences.round_words(one, number_)] if one.has_rounds else []
    parts.append(
        say(
            "1 leaf, depth {depth}" if tree.n_leaves == 1 else "{n_leaves} leaves, depth {depth}",
            n_leaves=tree.n_leaves,
            depth=tree.depth,
        )
    )
    if np.isfinite(error):
        parts.append(say("error {text}", text=results.error_text(one, float(error))))
    weight = 1.0 if one.is_sum else float(one.forest.weight[number_]) * one.forest.n_trees
    return " · ".join(
        [*parts, *([say("its vote counts {weight}", weight=number(weight))] if abs(weight - 1) > 1e-9 else [])]
    )


def link_to(one: GrownForest, number_: int) -> dict[str, str]:
    """Address of the Tree page with this tree: the forest's settings, and the tree's number from 1 on."""
    side = st.session_state["wall"]
    return address.texts(forests.entries_of(side)) | {
        library.PARAMETER: library.key_of(one.dataset),
        "model": "forest",
        "side": side,
        "number": str(number_),
    }


def _show_more(key: str, n_shown: int) -> None:
    st.session_state[PAGES] = {**st.session_state.get(PAGES, {}), key: n_shown + SHOWN}


def _roots_sentence(names: list[str], counts: list[int], n_others: int) -> str:
    """Features at the roots, each with its number of trees."""
    parts = [f"{name} {n} ×" for name, n in zip(names, counts, strict=True)]
    if n_others:
        parts.append(
            say("1 other column") if n_others == 1 else say("{n_others} other columns", n_others=n_others)
        )
    return say("first question: {questions}", questions=join(parts, "and"))
