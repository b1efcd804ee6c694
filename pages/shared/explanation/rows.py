"""The rows of a table that explanations are made of, always the same ones."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.shared.app import chosen_row


def drawn(n: int, most: int) -> np.ndarray:
    """Some of n rows, ascending, always the same ones."""
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(0).choice(n, most, replace=False))


def with_chosen(n: int, most: int) -> np.ndarray:
    """Some of n rows, in order, with the chosen one."""
    some, row = drawn(n, most), chosen_row.chosen()
    return some if row is None else np.union1d(some, [row])


def keep_within(key: str, n: int) -> None:
    """Let a number from the address be one that there is."""
    st.session_state[key] = min(max(int(st.session_state.get(key, 1)), 1), n)
