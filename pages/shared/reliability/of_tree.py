"""What would change a tree's answer to the chosen row, with the region of recourse over the surface's axes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.grown import GrownTree
from espalier.language import say
from espalier.predict import shares
from pages.shared.reliability import changing
from pages.shared.reliability.changing import RowStory
from pages.shared.tree import explorer, selection

OPENED = "changes-of-row"  # key of the session state


class AnsweringTree(NamedTuple):
    """A tree that answers as a fitted estimator does."""

    tree_: Any
    classes_: np.ndarray  # (n_classes,) numbers of the data's classes; empty for a number

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Shares of the classes, (n_samples, n_classes)."""
        return shares(self.tree_, X)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Numbers, (n_samples,)."""
        return shares(self.tree_, X)[:, 0]


def draw(grown: GrownTree) -> None:
    """Draw the section for the chosen row; only what is opened is worked out."""
    row = selection.chosen_row()
    if row is None or grown.models is not None:
        return
    title, is_asked = say("What would change the answer to this row?"), bool(changing.key().strip())
    section = st.expander(title, expanded=is_asked, on_change="rerun", key=OPENED)
    if section.open and (row_story := of_row(grown)) is not None:
        with section:
            changing.draw(row, *row_story, grown.record)


def of_row(grown: GrownTree) -> RowStory | None:
    """The story of the chosen row; None without a row, and where leaves have formulas."""
    row = selection.chosen_row()
    if row is None or grown.models is not None:
        return None
    tree = AnsweringTree(grown.record, np.arange(len(grown.table.classes)))
    axes = explorer.plane_of(grown) if grown.sums is None else ()
    return changing.row_story(grown.key, tree, grown.table, row, axes)
