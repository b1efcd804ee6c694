"""A person's answers in the address of the page, and the ways to add one and to take some back."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from espalier.data.dataset import Feature
from espalier.language import say
from espalier.questionnaire.answers import JOINT, parsed, token_of, written
from espalier.questionnaire.questionnaire import Answer
from pages.shared.app.address import Entry
from pages.shared.app.links import gone

SAID, FILLED = "said", "filled"  # keys of the address: the answers in their order; a form that has gone
DATA = "data-asked-about"  # key of the session state: their digest


def url_entries(features: Sequence[Feature]) -> list[Entry]:
    """The answers as a part of the address; they mean nothing for other data."""
    former = gone.entry(FILLED, say("the page Ask it asks a full model about a row of your own"))
    return [Entry(SAID, "", lambda text: written(parsed(text, features))), former]


def drop_invalid(digest: str, linked: bool) -> None:
    """Forget answers on other data, unless a link has just brought answers on these."""
    if st.session_state.setdefault(DATA, digest) != digest and not linked:
        start_again()
    st.session_state[DATA] = digest


def answers(features: Sequence[Feature]) -> list[Answer]:
    """Return the answers so far."""
    try:
        return parsed(st.session_state[SAID], features)
    except ValueError:  # Undo brought back answers on other data
        st.session_state[SAID] = ""
        return []


def note_answer(answer: Answer) -> None:
    """Add an answer (a callback); the same one once more, of a second click, adds nothing."""
    token, text = token_of(answer), st.session_state[SAID]
    if text.rsplit(JOINT, 1)[-1] != token:
        st.session_state[SAID] = JOINT.join([text, token] if text else [token])


def keep(n: int) -> None:
    """Take back all answers but the first `n` (a callback)."""
    st.session_state[SAID] = JOINT.join(st.session_state[SAID].split(JOINT)[:n])


def back() -> None:
    """Take the last answer back (a callback)."""
    st.session_state[SAID] = st.session_state[SAID].rpartition(JOINT)[0]


def start_again() -> None:
    """Take all answers back (a callback)."""
    st.session_state[SAID] = ""
