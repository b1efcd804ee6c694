"""A wall of a forest's trees, drawn small, each with a link to the Tree page."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.display.parts import Picture
from espalier.display.text.trees import join
from espalier.display.theme import number, percent
from espalier.display.tree import small_tree
from espalier.language import Texts, say
from espalier.trees import depths, prune_to
from pages.shared.app import address, pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.links.readers import one_of
from pages.shared.data import library
from pages.shared.forests import results, sentences
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models import forests
from pages.shared.models.forests import SIDES, title

ORDERS = Texts({"grown": "As they grew", "best": "The best first"})

SHOWN, ABREAST = 12, 3  # trees at first and for each "more"; pictures in a line
DRAWN_DEPTH = 3  # deeper splits are left out of the small pictures
MOST_ROOTS = 4  # features at the root that are named
PAGES = "walls-of-trees"  # key of the session state: (key of the forest, how many are drawn)


def url_entries() -> list[Entry]:
    """Which forest's trees are shown, and in what order, as part of the address."""
    return [
        Entry("wall", SIDES[0], one_of(SIDES), undo=False, stays=True, name="side"),
        Entry("order", "grown", one_of(ORDERS), undo=False, stays=True),
    ]


def draw(pair: list[GrownForest]) -> None:
    """Draw the trees of one of the forests, and their first questions."""
    with st.container(horizontal=True, vertical_alignment="center"):
        names = {side: sentences.forest_name(title(side)) for side in SIDES}
        controls = [("wall", say("Forest"), names), ("order", say("Order"), ORDERS)]
        is_sum = pair[SIDES.index(st.session_state["wall"])].is_sum
        for key, label, texts in controls[: 1 if is_sum else 2]:  # steps of a sum have no errors of their own
            st.segmented_control(
                label,
                list(texts),
                format_func=texts.__getitem__,
                key=key,
                required=True,
                label_visibility="collapsed",
            )
    one = pair[SIDES.index(st.session_state["wall"])]
    st.markdown(roots(one))
    if one.is_sum:
        st.caption(
            say(
                "Each is a step that corrects the sum before it: leaves say how far. See *{TAB}*.",
                TAB=say("Round by round"),
            )
            if one.has_rounds
            else say(sentences.MEAN_OF_LOG_ODDS)
        )
    order = _order(one)
    shown = order[: _n_shown(one)]
    st.caption(say(sentences.HOW_TO_READ))
    for start in range(0, len(shown), ABREAST):
        for column, number_ in zip(st.columns(ABREAST), shown[start : start + ABREAST], strict=False):
            with column, st.container(border=True, height="stretch"):
                _picture(one, int(number_))
    if len(shown) < len(order):
        left = len(order) - len(shown)
        label = say("Show {n} more of {left}", n=min(left, SHOWN), left=left)
        st.button(label, icon=":material/expand_more:", on_click=callback(_show_more), args=(one.key, len(shown)))


def roots(one: GrownForest) -> str:
    """Features at the roots of the trees, in words."""
    counts = Counter(int(tree.feature[0]) for tree in one.forest.trees if tree.feature[0] >= 0)
    if not counts:
        return say("No tree asks anything: each is a lone root.")
    names = [plain(feature.name) for feature in one.dataset.features]
    features, numbers = zip(*counts.most_common(MOST_ROOTS), strict=True)
    n_others = len(counts) - len(features)
    return _roots_sentence([names[f] for f in features], list(numbers), n_others, one.forest.n_trees)


def _order(one: GrownForest) -> np.ndarray:
    if one.is_sum or st.session_state["order"] == "grown":
        return np.arange(one.forest.n_trees)
    return np.argsort(results.own_errors(one), kind="stable")


class WallTree(NamedTuple):
    """The first questions of a tree of a forest, as a small picture."""

    picture: Picture  # its size and its own error are the caption
    width: int  # pixels


def first_trees(one: GrownForest, n: int) -> list[WallTree]:
    """The first n trees of the wall, in its order."""
    return [_drawn(one, int(number_)) for number_ in _order(one)[:n]]


def _drawn(one: GrownForest, number_: int) -> WallTree:
    data = one.dataset
    tree, target = sentences.step_of(one, number_) if one.is_sum else (one.forest.trees[number_], data.target)
    upper = _upper(tree)
    picture = small_tree.tree_picture(upper, data.features, target)._replace(caption=_size(one, number_))
    return WallTree(picture, small_tree.width_of(upper))


def _picture(one: GrownForest, number_: int) -> None:
    drawn = _drawn(one, number_)
    pictures.draw(drawn.picture, drawn.width)
    st.space("stretch")
    st.caption(drawn.picture.caption)
    if one.is_sum:
        return
    label = say("Open tree {number}", number=number_ + 1)
    st.page_link(
        "pages/tree.py", label=label, icon=":material/account_tree:", query_params=link_to(one, number_ + 1),
        help=say("Graph, surface and every split of this tree"),
    )  # fmt: skip


def _upper(tree: Any) -> Any:
    """The first questions of a tree that has too many for a small picture."""
    return prune_to(tree, depths(tree) < DRAWN_DEPTH) if tree.depth > DRAWN_DEPTH else tree


def _size(one: GrownForest, number_: int) -> str:
    tree, error = one.forest.trees[number_], results.own_errors(one)[number_]
    parts = [sentences.round_words(one, number_)] if one.has_rounds else []
    parts.append(_tree_size(tree.n_leaves, tree.depth, DRAWN_DEPTH))
    if np.isfinite(error):
        value = float(error)
        parts.append(say("error {text}", text=percent(value) if one.dataset.is_classification else number(value)))
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


def _n_shown(one: GrownForest) -> int:
    kept, n_shown = st.session_state.get(PAGES, (one.key, SHOWN))
    return n_shown if kept == one.key else SHOWN


def _show_more(key: str, n_shown: int) -> None:
    st.session_state[PAGES] = (key, n_shown + SHOWN)


def _roots_sentence(names: list[str], counts: list[int], n_others: int, n_trees: int) -> str:
    """Features at the roots, each with its number of trees."""
    parts = [f"**{name}** {n} ×" for name, n in zip(names, counts, strict=True)]
    if n_others:
        parts.append(
            say("1 other column") if n_others == 1 else say("{n_others} other columns", n_others=n_others)
        )
    questions = join(parts, "and")
    if n_trees == 1:
        return say("Of 1 tree, the first question is about {questions}.", questions=questions)
    return say(
        "Of {n_trees} trees, the first question is about {questions}.", n_trees=n_trees, questions=questions
    )


def _tree_size(n_leaves: int, depth: int, drawn_depth: int) -> str:
    """Size of a tree, and the depth down to which it is drawn."""
    text = (
        say("1 leaf, depth {depth}", depth=depth)
        if n_leaves == 1
        else say("{n_leaves} leaves, depth {depth}", n_leaves=n_leaves, depth=depth)
    )
    return (
        say("{text} · drawn to depth {drawn_depth}", text=text, drawn_depth=drawn_depth)
        if depth > drawn_depth
        else text
    )
