"""A person's answers as a short text for the address: "2a1.75_3u" is feature 2 above 1.75, 3 not known.

A token is the number of a feature and a letter: a (above), b (at most; "below or equal"), v (the value itself),
o (one of these categories, as a hexadecimal mask), k (known, no more), u (not known).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from espalier.data.dataset import Feature
from espalier.language import say, to_say
from espalier.questionnaire.questionnaire import Answer, unknown, value_answer, value_of
from espalier.tree.rules import ALL, Bound
from pages.shared.app.address import Entry

ANSWERS = to_say("answers as this page writes them, of columns that these data have")

SAID, FILLED = "said", "filled"  # keys of the address: answers in their order; further values for the full model
JOINT = "_"
MOST = 200  # answers in an address
DATA = "data-asked-about"  # key of the session state: their digest
_TOKEN = re.compile(r"(\d{1,5})([abvoku])([-+.0-9a-f]*)", re.ASCII)


def url_entries(features: Sequence[Feature]) -> list[Entry]:
    """Both texts as parts of the address; they mean nothing for other data."""
    return [Entry(SAID, "", _reader(features)), Entry(FILLED, "", _reader(features))]


def _reader(features: Sequence[Feature]) -> Callable[[str], str]:
    def read(text: str) -> str:
        return written(parsed(text, features))

    return read


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
    if len(tokens) > MOST:
        raise ValueError(say("at most {most} answers", most=MOST))
    return [_answer(token, features) for token in tokens]


def _answer(token: str, features: Sequence[Feature]) -> Answer:
    match = _TOKEN.fullmatch(token)
    if not match or int(match[1]) >= len(features):
        raise ValueError(say(ANSWERS))
    feature, letter, rest = int(match[1]), match[2], match[3]
    if letter in "uk":
        if rest:
            raise ValueError(say(ANSWERS))
        return unknown(feature) if letter == "u" else Answer(Bound(feature, missing=False))
    if letter == "o":
        return Answer(Bound(feature, categories=_mask(rest, features[feature]), missing=False))
    number = _finite(rest)
    if letter == "v":
        return _value(feature, number, features[feature])
    low, high = (number, math.inf) if letter == "a" else (-math.inf, number)
    return Answer(Bound(feature, low, high, missing=False))


def _mask(text: str, feature: Feature) -> int:
    n = len(feature.categories)
    if not re.fullmatch("[0-9a-f]{1,16}", text) or not 0 < int(text, 16) < 1 << n:
        raise ValueError(say(ANSWERS))
    return int(text, 16)


def _finite(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(say(ANSWERS))
    return number


def _value(feature: int, number: float, whose: Feature) -> Answer:
    if whose.categories and number not in range(len(whose.categories)):
        raise ValueError(say(ANSWERS))
    return value_answer(feature, number, whose)


# ---- in the session


def drop_invalid(digest: str, linked: bool) -> None:
    """Forget answers on other data, unless a link has just brought answers on these."""
    if st.session_state.setdefault(DATA, digest) != digest and not linked:
        start_again()
    st.session_state[DATA] = digest


def answers(features: Sequence[Feature]) -> list[Answer]:
    """Return the answers so far."""
    return _of_session(SAID, features)


def filled(features: Sequence[Feature]) -> dict[int, float]:
    """Further values that the full model is asked with, by feature."""
    return {a.bound.feature: value_of(a) for a in _of_session(FILLED, features)}


def _of_session(key: str, features: Sequence[Feature]) -> list[Answer]:
    try:
        return parsed(st.session_state[key], features)
    except ValueError:  # Undo brought back answers on other data
        st.session_state[key] = ""
        return []


def note_answer(answer: Answer) -> None:
    """Add an answer (a callback); the same one once more, of a second click, adds nothing."""
    token, text = _token(answer), st.session_state[SAID]
    if text.rsplit(JOINT, 1)[-1] != token:
        st.session_state[SAID] = JOINT.join([text, token] if text else [token])


def keep(n: int) -> None:
    """Take back all answers but the first `n` (a callback)."""
    tokens = st.session_state[SAID].split(JOINT)
    st.session_state[SAID] = JOINT.join(tokens[:n])


def back() -> None:
    """Take the last answer back (a callback)."""
    st.session_state[SAID] = st.session_state[SAID].rpartition(JOINT)[0]


def fill(feature: int, value: float | None, features: Sequence[Feature]) -> None:
    """Set a further value, or with None let go of it (a callback)."""
    values: dict[int, Any] = filled(features) | {feature: value}
    st.session_state[FILLED] = written(
        [value_answer(f, v, features[f]) for f, v in values.items() if v is not None]
    )


def start_again() -> None:
    """Take all answers back (a callback)."""
    st.session_state[SAID] = st.session_state[FILLED] = ""
