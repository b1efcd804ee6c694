"""The settings of a kind of model (`learners.catalogue`) as parts of the address and as widgets, on any page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from espalier.learners.catalogue import Setting
from pages.shared.app.address import one_of, whole, yes_or_no


def reader(setting: Setting) -> Callable[[str], Any]:
    """Reader of the setting's values in the address."""
    if setting.options:
        return one_of([name for name, _ in setting.options])
    if isinstance(setting.default, bool):
        return yes_or_no
    return whole(setting.low, setting.high, optional=bool(setting.no_number))


def draw(key: str, setting: Setting) -> None:
    """The widget of a setting; its value stands in the session state under the key."""
    told: dict[str, Any] = {"key": key, "help": setting.words}
    if setting.options:
        words = dict(setting.options)
        st.selectbox(setting.label, list(words), format_func=words.__getitem__, **told)
    elif isinstance(setting.default, bool):
        st.toggle(setting.label, **told)
    else:
        free = {"value": None, "placeholder": setting.no_number} if setting.no_number else {}
        st.number_input(setting.label, min_value=setting.low, max_value=setting.high, **free, **told)


def value(key: str, setting: Setting) -> Any:
    """The value set; an emptied box of a number that there has to be means the default."""
    found = st.session_state.get(key, setting.default)
    return setting.default if found is None and not setting.no_number else found
