"""A student's answers as a text of an address, and a teacher's texts as Markdown that is safe for others."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

MOST_ANSWERS = 2_000  # characters


def read_answers(text: str) -> dict[int, str]:
    """Return answers by step, from their text in an address; what is no answer is left out.

    >>> read_answers("2-1_5-petal%20length_x")
    {2: '1', 5: 'petal length'}
    """
    parts = [part.partition("-") for part in text[:MOST_ANSWERS].split("_")]
    return {
        int(step): unquote(answer) for step, dash, answer in parts if dash and re.fullmatch("[1-9][0-9]?", step)
    }


def written_answers(given: dict[int, str]) -> str:
    """Return the text of answers in an address.

    >>> written_answers({2: "1", 5: "a_b"})
    '2-1_5-a%5Fb'
    """
    return "_".join(f"{step}-{quote(answer).replace('_', '%5F')}" for step, answer in sorted(given.items()))


def safe_text(text: str) -> str:
    r"""Return Markdown of a text that a teacher wrote, safe for others to see.

    >>> safe_text("**Look** at [this](http://x.example) <b>:red[a]")
    '**Look** at \\[this\\](http\u200b://x.example) \\<b>\\:red\\[a\\]'
    """
    text = re.sub(r"([\[\]<])", r"\\\1", text)
    return re.sub(r":(?=[a-z])", r"\\:", text).replace("://", "\u200b://")
