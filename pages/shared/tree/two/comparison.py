"""A | B below the tree: both surfaces on the same axes, the scores, and what differs between the trees."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from espalier.display.boundaries.plane import ringed
from espalier.display.theme import count
from espalier.language import in_style, say
from pages.shared.app.frame import callback, plain
from pages.shared.canvas.surface import surface_canvas
from pages.shared.tree import explorer, report, results
from pages.shared.tree import sentences as tree_sentences
from pages.shared.tree.results import GrownTree
from pages.shared.tree.two import difference, first, kept

KEYS = ("surface-a", "surface-b")
HEIGHT = 400  # pixels of a surface


def draw(grown: GrownTree) -> None:
    """Draw both trees and what differs; nothing while there is no tree A."""
    target = grown.table.target
    one = kept.kept(target)
    if one is None:
        if st.session_state[kept.A]:
            st.info(
                say(
                    "Tree A is of a table with another kind of target. Stop comparing, or go back to such a table."
                )
            )
        return
    st.markdown("#### A | B")
    a = first.tree_a(one, grown)
    if a is None:
        return
    titles = (a.title, kept.present(target))
    if a.grown is None:
        st.markdown(f"**A: {plain(titles[0])}**  \n**B: {plain(titles[1])}**")
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
                say(
                    "**{letter}: {name}**, {n_leaves} leaf  \n:small[{scores}]"
                    if tree.tree.n_leaves == 1
                    else "**{letter}: {name}**, {n_leaves} leaves  \n:small[{scores}]",
                    letter=tree_sentences.LETTERS[i],
                    name=plain(titles[i]),
                    n_leaves=tree.tree.n_leaves,
                    scores=report.scores_in_short(tree),
                )
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
    gaps = {tree_sentences.ROWS[kind]: scores[1][kind].tree - scores[0][kind].tree for kind in scores[0]}
    return difference_line(gaps, first.dataset.is_classification, int(differ.sum()), len(differ))


def _surface(tree: GrownTree, shown: GrownTree, differ: np.ndarray, key: str) -> None:
    axes, is_shown = explorer.plane_of(shown), tree.key == shown.key
    drawn = ringed(results.surface(tree, axes, explorer.like(tree, axes)), differ, say("the trees differ"))
    surface_canvas(
        drawn,
        key=key,
        tree=results.cards(shown)["id"] if is_shown else None,
        channel=explorer.CHANNEL,
        show=st.session_state["show"],
        on_pick=callback(lambda spot: explorer.pick(shown, axes, spot) if spot or is_shown else None),
        height=HEIGHT,
    )


def difference_line(gaps: Mapping[str, float], is_share: bool, n_rows: int, n: int) -> str:
    """The line between both: how much better B is on which rows, and where answers differ."""
    score = say("accuracy") if is_share else "R²"
    parts = [f"{kind} {_gap(gap, is_share)}" for kind, gap in gaps.items()]
    differ = say("{n_rows} of {n} rows are answered differently", n_rows=count(n_rows), n=count(n))
    return say(
        "**B compared with A:** {score} {parts} · {differ}", score=score, parts=", ".join(parts), differ=differ
    )


def _gap(gap: float, is_share: bool) -> str:

    if is_share:
        return say("{gap} points", gap=in_style(f"{100 * gap:+.1f}")) if round(100 * gap, 1) else say("the same")
    return say("{gap}", gap=in_style(f"{gap:+.3f}")) if round(gap, 3) else say("the same")
