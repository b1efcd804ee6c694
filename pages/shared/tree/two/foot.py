"""The foot of the Tree page's rail: the switch of A | B, Undo and Reset."""

from __future__ import annotations

import streamlit as st

from espalier.data import Dataset
from pages.shared.app.address import Entry
from pages.shared.models import rail
from pages.shared.tree.two import kept


def draw(page: str, dataset: Dataset, entries: list[Entry]) -> None:
    """Draw it; Reset leaves the learner as it is."""
    with st.sidebar:
        kept.controls(dataset.target)
        rail.undo_and_reset(page, [entry for entry in entries if entry.key != "learner"])
