"""The controls of unusual rows: the number of trees, the share of unusual rows, the chance."""

from __future__ import annotations

import streamlit as st

from espalier.views.forests.isolation_code import Settings
from pages.shared.app import chosen_row
from pages.shared.app.address import Entry
from pages.shared.app.links.readers import decimal, whole
from pages.shared.canvas import axis_choice
from pages.shared.models.rail import BIG
from pages.shared.words import unusual as words

TREES, SHARE, CHANCE = "isolation-trees", "unusual-share", "isolation-chance"  # keys of the session state
MOST_TREES = 1_000
DEFAULT = Settings()


def url_entries() -> list[Entry]:
    """The controls, the chosen row and the axes, as parts of the address."""
    return [
        Entry(TREES, DEFAULT.n_estimators, whole(1, MOST_TREES)),
        Entry(SHARE, 100 * DEFAULT.contamination, decimal(0.1, 50.0)),
        Entry(CHANCE, DEFAULT.random_state, whole(0, BIG)),
        chosen_row.entry(),
        *axis_choice.url_entries(),
    ]


def draw() -> None:
    """Draw the controls in a line."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="unusual bar"):
        st.number_input(
            words.SHARE, 0.1, 50.0, step=0.5, format="%.1f", key=SHARE, help=words.SHARE_HELP, width=180
        )
        st.number_input(words.TREES, 1, MOST_TREES, step=50, key=TREES, help=words.TREES_HELP, width=150)
        st.number_input(words.CHANCE, 0, BIG, step=1, key=CHANCE, help=words.CHANCE_HELP, width=150)


def settings() -> Settings:
    """The settings that the controls stand for."""
    state = st.session_state
    return Settings(
        state[TREES] or DEFAULT.n_estimators,
        (state[SHARE] or 100 * DEFAULT.contamination) / 100,
        state[CHANCE] or 0,
    )
