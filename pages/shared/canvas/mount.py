"""A browser component of the app: what is sent of it at every run is its data, as text, and little else.

Its code and its styles are at an address of their own (`display/components`). The data go as bytes, which
Streamlit passes on as they are: it would look for tables in anything else, and write it as text twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from espalier.display.components import loader
from espalier.language import spoken

Mount = Callable[..., Any]


def mount(name: str, html: str = "") -> Mount:
    """The component of the folder of this name: a function of its data, and of what Streamlit's take.

    It draws into the element `html`, of the class "espalier-name".
    """
    element = html or f'<div class="espalier-{name}"></div>'
    # Streamlit takes a text of one line for the name of a file.
    mounted = component(f"espalier_{name}", html=f"{element}\n", js=loader(f"{name}/main.js"))

    def draw(data: Mapping[str, Any], **terms: Any) -> Any:
        return mounted(data=packed({**data, "spoken": spoken()}), **{"height": "content", **terms})

    return draw


def packed(data: Mapping[str, Any]) -> bytes:
    """The data as they travel.

    >>> packed({"at": 1, "name": "Länge"})
    b'{"at":1,"name":"L\\xc3\\xa4nge"}'
    """
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def reported(key: str, name: str) -> Any:
    """What the component of this key says under a name, which is to be checked; None where it says nothing."""
    state: Any = st.session_state.get(key)
    return state.get(name) if hasattr(state, "get") else None
