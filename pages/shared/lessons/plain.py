"""Texts of lessons on a page: emphasis, code and formulas, but no links to elsewhere, pictures or HTML."""

from __future__ import annotations

import re


def shown(text: str) -> str:
    r"""Markdown of a text that a teacher wrote, safe for others to see.

    >>> shown("**Look** at [this](http://x.example) <b>:red[a]")
    '**Look** at \\[this\\](http\u200b://x.example) \\<b>\\:red\\[a\\]'
    """
    escaped = re.sub(r"([\[\]<])", r"\\\1", text)
    return re.sub(r":(?=[a-z])", r"\\:", escaped).replace("://", "\u200b://")
