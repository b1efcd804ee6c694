"""The models that a session has brought: which of them is in use, their names, and the way to let go of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from espalier.language import say
from pages.shared.app.frame import callback
from pages.shared.app.store import Store
from pages.shared.own_models import orders, trained

KEY = "ap-onnx"  # digest of the file in use, in the address, in saved sessions and in the session state
SHELF, PICKED, NAME = "own-models", "own-model-picked", "own-model-name"  # keys of the session state
OF_A_MODEL = (orders.CLASSES, orders.COLUMNS, trained.KEY)  # what is set for each by itself
MOST_LETTERS = 60  # of a name


def _shelf() -> dict[str, dict[str, Any]]:
    """Name and settings of each model that the session has brought, by the digest of its file."""
    return st.session_state.setdefault(SHELF, {})


def others() -> list[str]:
    """The digests of the models that the session has brought, without the one in use."""
    return [digest for digest in _shelf() if digest != st.session_state[KEY]]


def settings_of(digest: str) -> dict[str, str]:
    """What is set for a model: the texts of its orders and of the rows that it was trained on."""
    if digest == st.session_state[KEY]:
        return {key: st.session_state[key] for key in OF_A_MODEL}
    return {key: _shelf().get(digest, {}).get(key, "") for key in OF_A_MODEL}


def name_of(digest: str) -> str:
    """The name of a model; "" where it has none."""
    return _shelf().get(digest, {}).get(NAME, "")


def _inert(name: str) -> str:
    """Return a name without marks that mean something in Markdown, HTML or the texts of figures."""
    kept = "".join(letter if letter.isalnum() or letter in "-. " else " " for letter in name)
    return " ".join(kept.split())[:MOST_LETTERS]


def add(digest: str, name: str) -> None:
    """Put a model on the shelf, and use it (a callback); one that is there keeps its settings."""
    _set_aside()
    _shelf().setdefault(digest, {NAME: _inert(name.rpartition(".")[0] or name)})
    _use(digest)


def _set_aside() -> None:
    """Note the settings of the model in use."""
    digest = st.session_state.get(KEY, "")
    if digest:
        _shelf().setdefault(digest, {})
        _shelf()[digest] |= {key: st.session_state[key] for key in OF_A_MODEL}


def _use(digest: str) -> None:
    there: Mapping[str, Any] = _shelf().get(digest, {})
    st.session_state[KEY] = digest
    st.session_state.update({key: there.get(key, "") for key in OF_A_MODEL})


def draw(store: Store[bytes]) -> None:
    """Draw the choice among the session's models, and the name of the one in use with the way to let go of it."""
    digest = st.session_state[KEY]
    if not digest:
        return
    offered = list({digest: None} | dict.fromkeys(_shelf()))
    with st.container(horizontal=True, vertical_alignment="bottom", wrap=False, key="own model bar"):
        st.session_state[PICKED] = digest
        st.selectbox(
            say("Your model"), offered, format_func=lambda one: name_of(one) or say("Your model"), key=PICKED,
            on_change=callback(_pick),
        )  # fmt: skip
        with st.popover(
            "", icon=":material/more_vert:", help=say("Rename it, or remove it"), key="own model menu"
        ):
            st.session_state[NAME] = name_of(digest)
            st.text_input(say("Name"), key=NAME, max_chars=MOST_LETTERS, on_change=callback(_rename))
            st.button(
                say("Remove this model"),
                icon=":material/delete:",
                help=say("This server then forgets the file. Links to it ask for it again."),
                key="remove own model",
                on_click=callback(lambda: _remove(store)),
            )


def _pick() -> None:
    _set_aside()
    _use(st.session_state[PICKED])


def _rename() -> None:
    _shelf().setdefault(st.session_state[KEY], {})[NAME] = _inert(st.session_state[NAME])


def _remove(store: Store[bytes]) -> None:
    digest = st.session_state[KEY]
    store.drop(digest)
    _shelf().pop(digest, None)
    _use(next(iter(_shelf()), ""))
