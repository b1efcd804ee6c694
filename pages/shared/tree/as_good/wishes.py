"""A tree as a person wishes among those as good: with some columns, without others, beginning with one."""

from __future__ import annotations

import math
from typing import NamedTuple

import streamlit as st

from espalier.learners.optimal.as_good.building import TreeBuilding, text_of
from espalier.learners.optimal.as_good.graph import SizeCount
from espalier.learners.optimal.as_good.nodes import shape_of, splits_of
from espalier.learners.optimal.as_good.surveys import NEVER
from espalier.learners.optimal.as_good.wishes import Wish, WishedTrees
from espalier.learners.optimal.tree_builder import Shape
from espalier.views.optimal import words as optimal_words
from espalier.views.optimal.as_good import front_words, trees_words
from espalier.views.theme import count
from espalier.views.tree import small_tree
from pages.shared.app import pictures
from pages.shared.app.frame import callback, guarded, is_dark, plain
from pages.shared.app.table_results import of_table
from pages.shared.canvas.slider import whole_page
from pages.shared.tree import results
from pages.shared.tree.as_good.building import OWN, RECORD
from pages.shared.tree.fits import AsGood
from pages.shared.tree.results import GrownTree
from pages.shared.words.tree import as_good as words
from pages.shared.words.tree import page as page_words

ASKED, AVOIDED, FIRST, SPLITS, WHICH = "wish-asked", "wish-avoided", "wish-first", "wish-splits", "wish-which"
DRAWN = "wish-drawn"  # key of the session state: number of the draw
TABLE = "wish-table"  # key of the session state: names of the columns that the wish is about
NO_MATTER = -1  # in place of a column, or a number of splits
MOST = 3  # columns to have, and as many to do without
BEST, SMALLEST, CHANCE = "best", "smallest", "chance"


class ShownTree(NamedTuple):
    """Which of the trees is shown."""

    word: str
    draw: int = 0  # its number, where it is drawn by chance


class WishAnswer(NamedTuple):
    """The trees that come nearest to a wish, and one of them."""

    n_trees: int
    n_unmet: int  # parts of the wish that each of them breaks
    sizes: tuple[SizeCount, ...]
    record: str  # of the one that was chosen, as `TreeBuilding` writes it
    shape: Shape
    asked: tuple[int, ...]  # its columns, the first one first


@st.fragment(key="wished tree")
@guarded
def section(grown: GrownTree, others: AsGood) -> None:
    """The controls of the wish, and one of the trees that fulfil it; a control reruns only this."""
    if others.trees.n_trees == 1:
        return
    st.markdown(words.WISH)
    st.caption(words.WISH_CAPTION)
    names = [feature.name for feature in grown.dataset.features]
    left, right = st.columns([2, 3], gap="medium")
    with left:
        wish = _wish(others, names)
        which = _which()
    with right:
        key = f"{grown.key} {st.session_state['slack']} wish {wish} {which}"
        found = _answer(key, wish, which, others)
        _draw(grown, others, wish, found)


def _wish(others: AsGood, names: list[str]) -> Wish:
    """The controls, whose columns are those that some tree asks about."""
    n = others.trees.n_trees
    used = sorted(
        (feature for feature, without in enumerate(others.without) if without < n), key=others.without.__getitem__
    )
    labels = {
        feature: words.wished_column(names[feature], trees_words(n - others.without[feature])) for feature in used
    }
    parting = [feature for feature, least in enumerate(others.trees.root.least) if least < NEVER]
    _let_go(used, parting, names)
    asked = _columns(words.WITH, ASKED, [one for one in used if one not in st.session_state[AVOIDED]], labels)
    avoided = _columns(words.WITHOUT, AVOIDED, [one for one in used if one not in asked], labels)
    first = _one(words.FIRST, FIRST, {feature: names[feature] for feature in parting})
    splits = _one(words.SPLITS, SPLITS, {n: page_words.splits(n) for n in _numbers_of_splits(others)})
    return Wish(tuple(asked), tuple(avoided), first, splits)


def _one(label: str, key: str, names: dict[int, str]) -> int | None:
    """A control with these options by name; None for no matter which."""
    names = {NO_MATTER: words.ANY} | names
    chosen = st.selectbox(label, list(names), key=key, format_func=names.__getitem__)
    return None if chosen == NO_MATTER else chosen


def _columns(label: str, key: str, options: list[int], labels: dict[int, str]) -> list[int]:
    return st.multiselect(
        label, options, key=key, format_func=labels.__getitem__, max_selections=MOST, placeholder=words.ANY
    )


def _let_go(used: list[int], parting: list[int], names: list[str]) -> None:
    """Let go of wishes for another table, and of columns that no tree asks about, or that part no rows."""
    state, is_same = st.session_state, st.session_state.get(TABLE) == names
    for key in (ASKED, AVOIDED):
        state[key] = [one for one in state.get(key, []) if is_same and one in used]
    if not is_same or state.get(FIRST) not in parting:
        state[FIRST] = NO_MATTER
    state[TABLE] = names


def _numbers_of_splits(others: AsGood) -> list[int]:
    """The limits of splits that leave out some trees."""
    sizes = sorted({size.n_splits for size in others.trees.sizes})
    if st.session_state.get(SPLITS) not in sizes[:-1]:
        st.session_state[SPLITS] = NO_MATTER
    return sizes[:-1]


def _which() -> ShownTree:
    """Which of the trees is shown."""
    titles = {BEST: words.WHICH_BEST, SMALLEST: words.WHICH_SMALLEST, CHANCE: words.WHICH_CHANCE}
    st.session_state.setdefault(WHICH, BEST)
    chosen = st.segmented_control(
        words.WHICH, list(titles), key=WHICH, format_func=titles.__getitem__, required=True
    )
    if chosen != CHANCE:
        return ShownTree(chosen or BEST)
    st.button(words.DRAW_AGAIN, key="wish again", icon=":material/casino:", on_click=callback(_draw_again))
    return ShownTree(CHANCE, st.session_state.get(DRAWN, 0))


def _draw_again() -> None:
    st.session_state[DRAWN] = st.session_state.get(DRAWN, 0) + 1


@of_table(max_entries=32)
def _answer(key: str, _wish: Wish, _which: ShownTree, _others: AsGood) -> WishAnswer:
    found = WishedTrees(_others.trees, _wish)
    by_word = {SMALLEST: lambda: found.smallest, CHANCE: lambda: found.draw(_which.draw)}
    number = by_word.get(_which.word, lambda: 0)()
    tree, feature = found.tree(number), _others.trees.questions.feature
    asked = dict.fromkeys(feature[split.place] for split in splits_of(tree))
    record = text_of(_others.trees, tree)
    return WishAnswer(found.n_trees, found.n_unmet, tuple(found.sizes), record, shape_of(tree), tuple(asked))


def _draw(grown: GrownTree, others: AsGood, wish: Wish, found: WishAnswer) -> None:
    """Draw how many trees there are, one of them, and what it breaks of the wish, if anything."""
    counted, data = results.prices(grown).are_equal, grown.dataset
    every = trees_words(others.trees.n_trees)
    if found.n_unmet:
        st.warning(
            words.wish_unmet(every, trees_words(found.n_trees), "\n".join(_unmet(grown, others, wish, found)))
        )
    else:
        st.markdown(words.wish_met(count(found.n_trees), every, front_words(found.sizes, counted)))
    near = others.built(found.shape)
    drawn = small_tree.small_tree(near.tree, data.features, data.target, is_dark())
    pictures.show(drawn, small_tree.alt(near.tree, data.features, data.target), small_tree.width_of(near.tree))
    st.markdown(words.wished(optimal_words.amount(near.objective, counted), page_words.splits(near.n_splits)))
    st.button(
        words.SHOW,
        help=words.WISH_SHOW_HELP,
        key="wish show",
        icon=":material/visibility:",
        on_click=callback(_show),
        args=(found.record,),
    )


def _unmet(grown: GrownTree, others: AsGood, wish: Wish, found: WishAnswer) -> list[str]:
    """What the tree breaks of the wish, each as a line."""
    names = [plain(feature.name) for feature in grown.dataset.features]
    lines = [words.lacks(names[one]) for one in wish.asked if one not in found.asked]
    lines += [words.has(names[one]) for one in wish.avoided if one in found.asked]
    if wish.first is not None and found.asked[:1] != (wish.first,):
        lines.append(words.begins(names[wish.first]) + _first_from(grown, others, wish.first))
    return lines


def _first_from(grown: GrownTree, others: AsGood, first: int) -> str:
    """From which errors on a tree begins with this column; empty where one as good does."""
    closed = {one.feature: one for one in TreeBuilding(others.trees).closed("")}.get(first)
    if closed is None or not math.isfinite(closed.objective):
        return ""
    counted = results.prices(grown).are_equal
    least, more = optimal_words.amount(closed.objective, counted), closed.objective - others.best
    least = least if closed.is_exact else words.at_least(least)
    return words.first_from(least, optimal_words.amount(more, counted))


def _show(record: str) -> None:
    st.session_state[RECORD], st.session_state["tree"] = record, OWN
    whole_page()
