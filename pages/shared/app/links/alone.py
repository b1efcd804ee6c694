"""The address of a page whose part runs alone."""

from __future__ import annotations

import streamlit as st

from pages.shared.app import address


def save_again() -> None:
    """Save as the page did last: for a part of it that runs alone and knows only its own values."""
    address.save(*st.session_state[address.SAVED])
