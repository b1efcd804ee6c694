"""A | B below the tree: both surfaces on the same axes, the scores, and in how many rows the answers differ."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.data.dataset import held_out
from espalier.views.boundaries.plane import ringed
from pages.shared.app.frame import callback, plain
from pages.shared.canvas.surface import surface_canvas
from pages.shared.models import targets
from pages.shared.tree import explorer, growing, report, results
from pages.shared.tree.by_hand import changes
from pages.shared.tree.results import GrownTree
from pages.shared.tree.two import kept
from pages.shared.words.tree import page as page_words
from pages.shared.words.tree import two as words

KEYS = ("surface-a", "surface-b")
HEIGHT = 400  # pixels of a surface


def draw(grown: GrownTree) -> None:
    """Draw both trees; nothing while there is no tree A."""
    target = grown.table.target
    one = kept.kept(target)
    if one is None:
        return
    st.markdown(words.TITLE)
    data, holdout = grown.table, grown.source.holdout
    if refused := targets.why_not(one.model, data, ~held_out(data, holdout)):
        st.info(refused)
        return
    first = growing.beside(data, holdout, one.model)
    if first is None:
        return
    first = changes.changed(first, one.edits).tree
    differ = _differ(first, grown)
    st.markdown(_difference(first, grown, differ))
    titles = (one.title, kept.present(target))
    for i, (side, tree) in enumerate(zip(st.columns(2, gap="medium"), (first, grown), strict=True)):
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
