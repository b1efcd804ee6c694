"""A | B below the tree: both surfaces on the same axes, the scores, and what differs between the trees."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.views.boundaries.plane import ringed
from pages.shared.app.frame import callback, plain
from pages.shared.canvas.surface import surface_canvas
from pages.shared.tree import explorer, report, results
from pages.shared.tree.results import GrownTree
from pages.shared.tree.two import difference, first, kept
from pages.shared.words.tree import page as page_words
from pages.shared.words.tree import two as words

KEYS = ("surface-a", "surface-b")
HEIGHT = 400  # pixels of a surface


def draw(grown: GrownTree) -> None:
    """Draw both trees and what differs; nothing while there is no tree A."""
    target = grown.table.target
    one = kept.kept(target)
    if one is None:
        if st.session_state[kept.A]:
            st.info(words.OTHER_TARGET)
        return
    st.markdown(words.TITLE)
    a = first.tree_a(one, grown)
    if a is None:
        return
    titles = (a.title, kept.present(target))
    if a.grown is None:
        st.markdown(words.sides(plain(titles[0]), plain(titles[1])))
    else:
        _beside(a.grown, grown, titles)
    difference.draw(a, grown, titles)


def _beside(one: GrownTree, grown: GrownTree, titles: tuple[str, str]) -> None:
    """Scores and surfaces of two trees that were grown on the same table."""
    differ = _differ(one, grown)
    st.markdown(_difference(one, grown, differ))
    for i, (side, tree) in enumerate(zip(st.columns(2, gap="medium"), (one, grown), strict=True)):
        with side:
            st.markdown(
                words.side(words.LETTERS[i], plain(titles[i]), tree.tree.n_leaves, report.scores_in_short(tree))
            )
            _surface(tree, grown, differ, KEYS[i])


def _differ(first: GrownTree, second: GrownTree) -> np.ndarray:
    """(n_samples,) bool: rows that the trees answer differently."""
    both = [results.answers(tree) for tree in (first, second)]
    if first.dataset.is_classification:
        return both[0].argmax(axis=1) != both[1].argmax(axis=1)
    return ~np.isclose(both[0][:, 0], both[1][:, 0])


def _difference(first: GrownTree, second: GrownTree, differ: np.ndarray) -> str:
    """The differences in one line: of the scores, and the number of rows."""
    scores = [report.headlines(tree) for tree in (first, second)]
    gaps = {page_words.ROWS[kind]: scores[1][kind].tree - scores[0][kind].tree for kind in scores[0]}
    return words.difference(gaps, first.dataset.is_classification, int(differ.sum()), len(differ))


def _surface(tree: GrownTree, shown: GrownTree, differ: np.ndarray, key: str) -> None:
    axes, is_shown = explorer.plane_of(shown), tree.key == shown.key
    drawn = ringed(results.surface(tree, axes, explorer.like(tree, axes)), differ, words.DIFFER)
    surface_canvas(
        drawn,
        key=key,
        tree=results.cards(shown)["id"] if is_shown else None,
        channel=explorer.CHANNEL,
        show=st.session_state["show"],
        on_pick=callback(lambda spot: explorer.pick(shown, axes, spot) if spot or is_shown else None),
        height=HEIGHT,
    )
