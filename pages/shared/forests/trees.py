"""A wall of a forest's trees, drawn small, each with the way to the page where it is questioned like any tree."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import streamlit as st

from espalier.trees import depths, prune_to
from espalier.views.text.trees import join
from espalier.views.theme import number, percent
from espalier.views.tree import small_tree
from pages.shared.app import address, pictures
from pages.shared.app.address import Entry, one_of
from pages.shared.app.frame import callback, is_dark, plain
from pages.shared.data import library
from pages.shared.forests import results
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models import forests
from pages.shared.models.forests import SIDES, title

SHOWN, ABREAST = 12, 3  # trees at first and for each "more"; pictures in a line
DRAWN_DEPTH = 3  # deeper splits are left out of the small pictures
MOST_ROOTS = 4  # features at the root that are named
PAGES = "walls of trees"  # key of the session state: (key of the forest, how many are drawn)
ORDERS = {"grown": "As they grew", "best": "The best first"}


def url_entries() -> list[Entry]:
    """Which forest's trees are shown, and in what order, as part of the address."""
    return [
        Entry("wall", SIDES[0], one_of(SIDES), undo=False, stays=True, name="side"),
        Entry("order", "grown", one_of(ORDERS), undo=False, stays=True),
    ]


def draw(planted: list[GrownForest]) -> None:
    """The trees of one of the forests, and which questions they begin with."""
    with st.container(horizontal=True, vertical_alignment="center"):
        names = {side: f"Forest {title(side)}" for side in SIDES}
        for key, label, words in (("wall", "Forest", names), ("order", "Order", ORDERS)):
            st.segmented_control(
                label,
                list(words),
                format_func=words.__getitem__,
                key=key,
                required=True,
                label_visibility="collapsed",
            )
    one = planted[SIDES.index(st.session_state["wall"])]
    st.markdown(_roots(one))
    order = _order(one)
    shown = order[: _n_shown(one)]
    st.caption("Questions from left to right; a row that answers yes goes up. Names are shortened to fit.")
    for start in range(0, len(shown), ABREAST):
        for column, number_ in zip(st.columns(ABREAST), shown[start : start + ABREAST], strict=False):
            with column, st.container(border=True, height="stretch"):
                _picture(one, int(number_))
    if len(shown) < len(order):
        left = len(order) - len(shown)
        words = f"Show {min(left, SHOWN)} more of {left}"
        st.button(words, icon=":material/expand_more:", on_click=callback(_show_more), args=(one.key, len(shown)))


def _roots(one: GrownForest) -> str:
    """Which features the trees ask first, in words."""
    counts = Counter(int(tree.feature[0]) for tree in one.forest.trees if tree.feature[0] >= 0)
    if not counts:
        return "No tree asks anything: each is a lone root."
    names = [plain(feature.name) for feature in one.dataset.features]
    told = [f"**{names[f]}** {n} ×" for f, n in counts.most_common(MOST_ROOTS)]
    rest = len(counts) - len(told)
    told += [f"{rest} other feature{'s' * (rest > 1)}"] if rest else []
    n = one.forest.n_trees
    return f"Of {n} tree{'s' * (n > 1)}, the first question is about {join(told, 'and')}."


def _order(one: GrownForest) -> np.ndarray:
    if st.session_state["order"] == "grown":
        return np.arange(one.forest.n_trees)
    return np.argsort(results.own_errors(one), kind="stable")


def _picture(one: GrownForest, number_: int) -> None:
    data, tree = one.dataset, one.forest.trees[number_]
    drawn = _upper(tree)
    svg = small_tree.small_tree(drawn, data.features, data.target, is_dark())
    pictures.show(svg, small_tree.alt(drawn, data.features, data.target), small_tree.width_of(drawn))
    st.space("stretch")
    st.caption(_size(one, number_))
    label = f"Open tree {number_ + 1}"
    st.page_link(
        "pages/tree.py", label=label, icon=":material/account_tree:", query_params=link_to(one, number_ + 1),
        help="Graph, surface and every split of this tree",
    )  # fmt: skip


def _upper(tree: Any) -> Any:
    """The first questions of a tree that has too many for a small picture."""
    return prune_to(tree, depths(tree) < DRAWN_DEPTH) if tree.depth > DRAWN_DEPTH else tree


def _size(one: GrownForest, number_: int) -> str:
    tree, error = one.forest.trees[number_], results.own_errors(one)[number_]
    parts = [f"{tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}, depth {tree.depth}"]
    parts += [f"drawn to depth {DRAWN_DEPTH}"] if tree.depth > DRAWN_DEPTH else []
    if np.isfinite(error):
        said = percent(float(error)) if one.dataset.is_classification else number(float(error))
        parts.append(f"error {said}")
    weight = float(one.forest.weight[number_]) * one.forest.n_trees
    return " · ".join(parts + ([f"its vote counts {number(weight)}"] if abs(weight - 1) > 1e-9 else []))


def link_to(one: GrownForest, number_: int) -> dict[str, str]:
    """The address of the tree page that shows this tree: the forest's recipe, and its number from 1 on."""
    side = st.session_state["wall"]
    return address.texts(forests.entries_of(side)) | {
        library.PARAMETER: library.key_of(one.dataset),
        "model": "forest",
        "side": side,
        "number": str(number_),
    }


def _n_shown(one: GrownForest) -> int:
    kept, n_shown = st.session_state.get(PAGES, (one.key, SHOWN))
    return n_shown if kept == one.key else SHOWN


def _show_more(key: str, n_shown: int) -> None:
    st.session_state[PAGES] = (key, n_shown + SHOWN)
