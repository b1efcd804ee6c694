"""Decisions of one tree by what errors cost, on the rows held out: on the pages Tree and Questionnaire."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.decisions.decision import JudgedRows, rows_held_out, unweight_shares
from espalier.language import say
from pages.shared.app import address
from pages.shared.app.address import Entry
from pages.shared.decisions import controls, section
from pages.shared.decisions.section import DecidingModel
from pages.shared.tree import results
from pages.shared.tree.results import GrownTree

OPENED = "decisions-of-tree"  # key of the session state


def url_entries(dataset: Dataset) -> list[Entry]:
    """Threshold, prevalence and groups, as parts of the address; the costs are there as settings of trees."""
    if not dataset.is_classification:
        return []
    shares = [one for one in controls.url_entries(dataset) if one.key in controls.COSTS]
    return [*shares, *section.group_entries(dataset, section.GROUPS)]


def draw(grown: GrownTree, has_costs: bool) -> None:
    """Draw the section for a tree; `has_costs`: costs are settings of its learner."""
    draw_held_out(deciding(grown), grown.table, grown.held, has_costs)


def deciding(grown: GrownTree) -> DecidingModel:
    """The tree as a model whose answers to the rows held out are decided on."""

    def rows() -> JudgedRows:
        held = np.flatnonzero(grown.held)
        return rows_held_out(grown.table, held, unweight_shares(results.answers(grown)[held], weight_of(grown)))

    return DecidingModel(grown.key, say("The tree"), 0, rows)


def weight_of(grown: GrownTree) -> np.ndarray | None:
    """(n_classes,) how much a row of each class counted as the tree grew; None: the same."""
    return None if grown.class_weight is None else results.prices(grown).weight


def draw_held_out(model: DecidingModel, dataset: Dataset, held: np.ndarray, has_costs: bool) -> None:
    """Draw the section for one model and the rows (n_samples,) that were held out from it."""
    if not held.any():
        st.info(say("No rows are held out to judge it by. Hold some out under More settings."))
        return
    left, right = st.columns([2, 3], gap="medium")
    with left, st.container(border=True, key="decision box"):
        if has_costs:
            st.caption(say("Which class is worse to mistake, and how much, is one of the settings of the tree."))
        else:
            controls.draw_costs(dataset)
        if controls.code_of(dataset) is not None:
            controls.draw_shares()
    with right:
        st.caption(
            say("The answers to the rows held out, decided by what errors cost; shares are those of equal rows.")
        )
    section.draw_results(dataset, [model])


def is_asked(dataset: Dataset) -> bool:
    """Whether costs, shares or groups were chosen: the section is then open, and a report has it."""
    return dataset.is_classification and address.are_set(url_entries(dataset))


def is_open(dataset: Dataset) -> bool:
    """Whether the section was opened, or something in it was chosen."""
    return dataset.is_classification and (bool(st.session_state.get(OPENED)) or is_asked(dataset))
