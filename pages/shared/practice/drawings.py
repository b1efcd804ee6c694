"""Drawings of trees on x and y, and of their surfaces."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from espalier.data.dataset import ClassMarks, Feature
from espalier.display.tree import small_tree
from espalier.language import say
from espalier.practice.exercises import COLUMNS, LETTERS, WIDE, read_shape, tree_of
from espalier.trees import Tree
from pages.shared.app import pictures

FEATURES = [Feature(name) for name in COLUMNS]
ENDS = ((0, WIDE), (0, WIDE))
OPEN, GREY = "?", 7  # in a leaf that has no letter yet; its colour, of the palette


def tree(drawn: Tree) -> None:
    """Draw a tree whose leaves have letters."""
    _tree(drawn, _letters(drawn))
    st.caption(say("If the condition holds, follow the upper branch."))


def drawn(answer: str) -> None:
    """Draw the tree of a text, without letters; nothing for a text of no tree."""
    shape = read_shape(answer)
    if shape is not None:
        tree_so_far = tree_of(shape)
        n = tree_so_far.n_leaves
        _tree(tree_so_far, Feature("leaf", "category", (OPEN,) * n, marks=ClassMarks(colours=(GREY,) * n)))


def _tree(drawn: Tree, target: Feature) -> None:
    pictures.draw(small_tree.tree_picture(drawn, FEATURES, target), small_tree.width_of(drawn))


def surfaces(trees: Sequence[Tree], names: Sequence[object]) -> None:
    """Draw the surfaces of trees, side by side where there are several, each below its name."""
    if not trees:
        return
    for column, one, name in zip(st.columns(len(trees)), trees, names or [""], strict=False):
        with column:
            if name:
                st.markdown(f"**{name}**")
            picture = small_tree.plane_picture(one, FEATURES, _letters(one), ENDS)
            pictures.draw(picture, small_tree.PLANE_WIDTH)


def _letters(drawn: Tree) -> Feature:
    """The letters of a tree's leaves, as its target."""
    return Feature("leaf", "category", tuple(LETTERS[: drawn.value.shape[1]]))
