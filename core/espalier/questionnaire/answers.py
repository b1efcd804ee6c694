"""A person's answers as a short text of an address: "2a1.75_3u" is feature 2 above 1.75, 3 not known.

A token is the number of a feature and a letter: a (above), b (at most; "below or equal"), v (the value itself),
o (one of these categories, as a hexadecimal mask), k (known, no more), u (not known).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from espalier.data.dataset import Feature
from espalier.language import say
from espalier.questionnaire.questionnaire import Answer, unknown, value_answer, value_of
from espalier.tree.rules import ALL, Bound

JOINT = "_"
MOST = 200  # answers in a text
_TOKEN = re.compile(r"(\d{1,5})([abvoku])([-+.0-9a-f]*)", re.ASCII)


def write_answers(answers: Sequence[Answer]) -> str:
    """Return the answers as a text."""
    return JOINT.join(token_of(answer) for answer in answers)


def token_of(answer: Answer) -> str:
    """Return the answer as a text."""
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


def read_answers(text: str, features: Sequence[Feature]) -> list[Answer]:
    """Return the answers of a text. Raises ValueError, with what is accepted, for any other text."""
    tokens = text.split(JOINT) if text else []
    answers = [_answer(token, features) for token in tokens[:MOST]]
    if len(tokens) > MOST or None in answers:
        raise ValueError(say("at most {most} answers as this page writes them, on these columns", most=MOST))
    return [answer for answer in answers if answer is not None]


def _answer(token: str, features: Sequence[Feature]) -> Answer | None:
    """Return the answer of a token; None for any other text."""
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
