"""The language of a session: the one that its link or its reader chose, else the browser's if it is whole."""

from __future__ import annotations

import streamlit as st

from espalier.language import ENGLISH, LANGUAGES, WHOLE, speak
from pages.shared.app import sentences

PARAMETER = "lang"  # of the URL
CHOSEN = "language"  # key of the session state; empty: nobody has chosen


def begin() -> None:
    """Speak the session's language from now on; to be called wherever Streamlit begins to run code of ours."""
    asked = st.query_params.get(PARAMETER)
    if asked in LANGUAGES:
        st.session_state[CHOSEN] = asked
    speak(st.session_state.get(CHOSEN) or of_browser(st.context.locale))


def of_browser(locale: str | None) -> str:
    """The language for a browser's locale, such as "de-AT"; English if its own is not `WHOLE` yet."""
    code = (locale or "").split("-")[0].lower()
    return code if code in WHOLE else ENGLISH


def parameters() -> dict[str, str]:
    """What a link to the page says of the language: nothing, unless somebody chose it."""
    chosen = st.session_state.get(CHOSEN)
    return {PARAMETER: chosen} if chosen else {}


def note(asked: str) -> str:
    """Note on a link that asks for a language that we do not speak."""
    return sentences.unreadable_value(PARAMETER, asked[:40], sentences.accepted_words(LANGUAGES))


def choose(code: str) -> None:
    """Speak this language in the session from now on, and say so in links (a callback)."""
    st.session_state[CHOSEN] = st.query_params[PARAMETER] = code
    speak(code)
