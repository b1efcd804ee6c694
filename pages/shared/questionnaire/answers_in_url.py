"""A person's answers as a short text for the address: "2a1.75_3u" is feature 2 above 1.75, 3 not known.

A token is the number of a feature and a letter: a (above), b (at most; "below or equal"), v (the value itself),
o (one of these categories, as a hexadecimal mask), k (known, no more), u (not known).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import streamlit as st

from espalier.data.dataset import Feature
from espalier.language import say
from espalier.questionnaire.questionnaire import Answer, unknown, value_answer, value_of
from espalier.tree.rules import ALL, Bound
from pages.shared.app.address import Entry
from pages.shared.app.links import gone

SAID, FILLED = "said", "filled"  # keys of the address: the answers in their order; a form that has gone
JOINT = "_"
MOST = 200  # answers in an address
DATA = "data-asked-about"  # key of the session state: their digest
_TOKEN = re.compile(r"(\d{1,5})([abvoku])([-+.0-9a-f]*)", re.ASCII)


def url_entries(features: Sequence[Feature]) -> list[Entry]:
    """The answers as a part of the address; they mean nothing for other data."""
    former = gone.entry(FILLED, say("the page Ask it asks a full model about a row of your own"))
    return [Entry(SAID, "", lambda text: written(parsed(text, features))), former]


def written(answers: Sequence[Answer]) -> str:
    """The answers as a text."""
    return JOINT.join(_token(answer) for answer in answers)


def _token(answer: Answer) -> str:
    bound, value = answer.bound, value_of(answer)
    if answer.unknown:
        return f"{bound.feature}u"
    if not math.isnan(value):
        return f"{bound.feature}v{value!r}"
    if bound.categories != ALL:
        return f"{bound.feature}o{bound.categories:x}"
    if math.isfinite(bound.low):
        return f"{bound.feature}a{bound.low!r}"
    return f"{bound.feature}b{bound.high!r}" if math.isfinite(bound.high) else f"{bound.feature}k"


def parsed(text: str, features: Sequence[Feature]) -> list[Answer]:
    """The answers of a text. Raises ValueError, with what is accepted, for any other text."""
    tokens = text.split(JOINT) if text else []
    answers = [_answer(token, features) for token in tokens[:MOST]]
    if len(tokens) > MOST or None in answers:
        raise ValueError(say("at most {most} answers as this page writes them, on these columns", most=MOST))
    return [answer for answer in answers if answer is not None]


def _answer(token: str, features: Sequence[Feature]) -> Answer | None:
    """The answer of a token; None for any other text."""
    match = _TOKEN.fullmatch(token)
    if not match or int(match[1]) >= len(features) or (match[2] in "uk") != (match[3] == ""):
        return None
    feature, letter, rest = int(match[1]), match[2], match[3] or "0"
    if letter == "u":
        return unknown(feature)
    n = len(features[feature].categories)
    if letter == "o":
        mask = int(rest, 16) if re.fullmatch("[0-9a-f]{1,16}", rest) else 0
        return Answer(Bound(feature, categories=mask, missing=False)) if 0 < mask < 1 << n else None
    try:
        number = float(rest)
    except ValueError:
        return None
    if not math.isfinite(number) or (letter == "v" and n and number not in range(n)):
        return None
    if letter == "v":
        return value_answer(feature, number, features[feature])
    low, high = (number if letter == "a" else -math.inf), (number if letter == "b" else math.inf)
    return Answer(Bound(feature, low, high, missing=False))


# ---- in the session


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
    token, text = _token(answer), st.session_state[SAID]
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
