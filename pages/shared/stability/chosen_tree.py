"""The tree of the clicked bar beside the most frequent one, and their first difference."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from espalier.display.theme import percent
from espalier.display.tree import small_tree
from espalier.language import say
from espalier.stability.bars import upper
from espalier.trees import AnyTree, depths, prune_to
from pages.shared.app import pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.stability import results, slots
from pages.shared.stability.results import LearnerReplicates

KEY = "bar"  # in the address: place, repetition, depth and number of the tree, such as "1.0.3.17"


def url_entries() -> list[Entry]:
    """The clicked bar, as part of the address."""
    return [Entry(KEY, "", _read, undo=False, stays=True)]


def _read(text: str) -> str:
    if not re.fullmatch(r"[1-3]\.[0-3]\.[1-6]\.\d{1,4}", text):
        raise ValueError(say("four numbers with points between: learner, repetition, depth and tree"))
    return text


def picker(place: int, run: int) -> Callable[[str], None]:
    """Function that chooses a clicked bar, of a learner and one of its runs."""

    def take(bar: str) -> None:
        st.session_state[KEY] = f"{place + 1}.{run}.{bar}"

    return take


def _chosen() -> tuple[int, int, int, int] | None:
    """Place, run, depth and number of the tree of the chosen bar; None without one."""
    text = st.session_state.get(KEY, "")
    if not text:
        return None
    place, run, depth, number = map(int, text.split("."))
    return place - 1, run, depth, number


def selected_bar(learner: LearnerReplicates, run: int) -> str:
    """The bar of this histogram whose tree is shown; empty if it is none of these."""
    chosen = _chosen()
    if chosen is None or chosen[:2] != (learner.place, run) or not _has_level(learner, chosen[2]):
        return ""
    at = _position(learner, run, chosen[3])
    if at is None:
        return ""
    counts, index = results.structure_counts(learner), _index(learner, run)
    bar = counts.charts[index].columns[chosen[2] - 1][int(counts.labels[index][chosen[2] - 1, at])]
    return f"{chosen[2]}.{bar.tree}"


def _has_level(learner: LearnerReplicates, n_levels: int) -> bool:
    return n_levels <= len(results.structure_counts(learner).levels[0])


def _index(learner: LearnerReplicates, run: int) -> int:
    return [trial.run for trial in learner.trials].index(run)


def _position(learner: LearnerReplicates, run: int, number: int) -> int | None:
    """Position of the tree of this number among those of the run; None if it is not there."""
    if run not in [trial.run for trial in learner.trials]:
        return None
    at = np.flatnonzero(learner.runs[_index(learner, run)].numbers == number)
    return int(at[0]) if len(at) else None


def draw(learners: Sequence[LearnerReplicates]) -> None:
    """Draw the chosen tree, or how to choose one."""
    chosen = _chosen()
    learner = next((one for one in learners if chosen and one.place == chosen[0]), None)
    if chosen is None or learner is None or not selected_bar(learner, chosen[1]):
        st.caption(say(":material/touch_app: Click a bar to see its tree."))
        return
    with st.container(border=True, key="chosen tree"):
        _pair(learner, *chosen[1:])


def _pair(learner: LearnerReplicates, run: int, depth: int, number: int) -> None:
    """Draw the tree, and the most frequent one where that is another."""
    counts, index, at = results.structure_counts(learner), _index(learner, run), _position(learner, run, number)
    tree, first = learner.runs[index].trees[at or 0], counts.levels[0][depth - 1].first[0]
    label = int(counts.labels[index][depth - 1, at or 0])
    bar, n = counts.charts[index].columns[depth - 1][label], counts.charts[index].n_trees
    with st.container(horizontal=True, vertical_alignment="center"):
        name = f"{slots.SYMBOLS[learner.place]} {plain(learner.title)}"
        st.markdown(_structure_heading(name, label + 1, upper(depth)), width="stretch")
        st.button(say("Close"), on_click=callback(_close), type="tertiary", icon=":material/close:")
    text = say(
        "{n} of {n_trees} trees ({n_2}); this is tree {number}.",
        n=bar.n_trees,
        n_trees=n,
        n_2=percent(bar.n_trees / n),
        number=number + 1,
    )
    if bar.is_top:
        st.caption(text)
        _picture(learner, tree, depth)
        return
    model = learner.runs[0].trees[int(first)]
    st.caption(f"{text} {plain(results.difference_words(learner, tree, model, depth))}")
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(say(":small[**This one**]"))
        _picture(learner, tree, depth)
    with right:
        st.markdown(say(":small[**The most frequent one**]"))
        _picture(learner, model, depth)


def _picture(learner: LearnerReplicates, tree: AnyTree, depth: int) -> None:
    data = learner.dataset
    upper = _upper(tree, depth)
    picture = small_tree.tree_picture(upper, data.features, data.target)
    pictures.draw(picture, int(1.3 * small_tree.width_of(upper)))


def _upper(tree: Any, depth: int) -> Any:
    """The questions above this depth, which are compared."""
    return prune_to(tree, depths(tree) < depth) if tree.depth > depth else tree


def _close() -> None:
    st.session_state[KEY] = ""


def _structure_heading(learner: str, rank: int, levels: str) -> str:
    """The structure of a bar: its rank from 1 on, and its levels in words."""
    place = say("the most frequent structure") if rank == 1 else say("structure {rank}", rank=rank)
    return f"**{learner}: {place} {levels}**"
