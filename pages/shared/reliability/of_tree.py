"""What would change a tree's answer to the chosen row, with the region of recourse over the surface's axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.language import say
from espalier.predict import shares
from espalier.reliability import curves, explanation_words
from espalier.reliability.changeable import ChangeAim
from espalier.reliability.curves import ExplanationInputs
from espalier.reliability.explanation import RecoursePlane, Story, recourse_plane, story
from pages.shared.app import chosen_row, pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import is_dark, plain
from pages.shared.app.table_results import of_table
from pages.shared.reliability import changing, sentences
from pages.shared.tree import explorer
from pages.shared.tree.results import GrownTree

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


def url_entries(dataset: Dataset) -> list[Entry]:
    """The changes that are allowed, and what they are to lead to, as parts of the address."""
    return changing.url_entries(dataset)


def follow(dataset: Dataset, linked: bool) -> list[str]:
    """Let the choice of changes go with its columns where the table has changed; notes on those that it lost."""
    return changing.follow(dataset, linked)


def draw(grown: GrownTree) -> None:
    """Draw the section for the chosen row; only what is opened is worked out."""
    row = chosen_row.chosen()
    if row is None or grown.has_formulas:
        return
    asked = any(changing.allowed()) or changing.toward() is not None
    opened = st.expander(
        say("What would change the answer to this row?"), expanded=asked, on_change="rerun", key=OPENED
    )
    if not opened.open:
        return
    with opened:
        _changes(grown, row)


def _changes(grown: GrownTree, row: int) -> None:
    data, key = grown.table, f"{grown.key} {row} {changing.key()}"
    told = _story(key, grown, row)
    changing.draw_goal(data, told)
    st.markdown(plain(explanation_words.counterfactual_words(told, data)))
    changing.draw(data, grown.record)
    axes = explorer.plane_of(grown) if grown.sums is None else ()
    plane = _plane(f"{key} {axes}", grown, told, axes)
    if plane is None:
        st.caption(say("The region of recourse needs a change, two columns, and values of both in this row."))
        return
    picture = curves.recourse_picture(ExplanationInputs(told, data), plane)
    pictures.draw(picture, curves.WIDTH)
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        st.caption(sentences.recourse_caption(data.is_classification), width="stretch")
        pictures.save(picture.draw(is_dark()), f"recourse-of-row-{row + 1}.svg")


class RowOfTree(NamedTuple):
    """What would change a tree's answer to a row, for a sheet of paper."""

    look: ExplanationInputs
    plane: RecoursePlane | None  # None: no two columns change it


def of_row(grown: GrownTree) -> RowOfTree | None:
    """The story of the chosen row; None without a row, and where leaves have formulas."""
    row = chosen_row.chosen()
    if row is None or grown.has_formulas:
        return None
    key = f"{grown.key} {row} {changing.key()}"
    told, axes = _story(key, grown, row), explorer.plane_of(grown) if grown.sums is None else ()
    return RowOfTree(ExplanationInputs(told, grown.table), _plane(f"{key} {axes}", grown, told, axes))


def _answering(grown: GrownTree) -> AnsweringTree:
    return AnsweringTree(grown.record, np.arange(len(grown.table.classes)))


@of_table(max_entries=64)
def _story(key: str, _grown: GrownTree, row: int) -> Story:
    aim = ChangeAim(changing.toward())
    return story(_answering(_grown), _grown.table, _grown.table.X[row], changing.allowed(), aim)


@of_table(max_entries=64)
def _plane(key: str, _grown: GrownTree, _story: Story, axes: Sequence[int]) -> RecoursePlane | None:
    return recourse_plane(_answering(_grown), _grown.table, _story, axes)
