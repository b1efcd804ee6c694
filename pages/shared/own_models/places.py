"""Which of a person's own models stands in a place, where the session has brought several."""

from __future__ import annotations

import streamlit as st

from espalier.language import say
from pages.shared.app.address import Choice, Entry
from pages.shared.own_models import shelf, uploads

IN_USE = ""  # the model whose controls are on the left


def entry(place: str, parameter: str) -> Entry:
    """The model of a place as a part of the address; `parameter` is what the URL calls the place."""
    only = Choice(place, (uploads.NAME,))
    return Entry(_key(place), IN_USE, uploads.digest_of, name=f"{parameter}-file", only=only)


def _key(place: str) -> str:
    return f"{place}-own-file"


def digest(place: str) -> str:
    """The digest of the model in a place; empty for the one in use."""
    return st.session_state.get(_key(place), IN_USE)


def draw(place: str) -> None:
    """Draw the choice among the session's models, where there are several."""
    offered = shelf.others()
    chosen = digest(place)
    if chosen == st.session_state[shelf.KEY]:
        chosen = st.session_state[_key(place)] = IN_USE
    if chosen not in (IN_USE, *offered):
        offered.append(chosen)
    if offered:
        names = {one: shelf.name_of(one) or say("Your model") for one in offered}
        names = {IN_USE: shelf.name_of(st.session_state[shelf.KEY]) or say("Your model")} | names
        st.selectbox(
            say("Which of your models"),
            list(names),
            key=_key(place),
            help=say(
                "Several models that you have brought can stand side by side. What each was trained on, and the "
                "order of its columns and classes, are set above, where you choose one model after the "
                "other."
            ),
            format_func=names.__getitem__,
        )
