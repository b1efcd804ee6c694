"""Sentences that several parts of a page say."""

from __future__ import annotations

from collections.abc import Iterable

from espalier.language import Texts, in_style, say

AXES = Texts({"x": "Horizontal axis", "y": "Vertical axis"})


def unreadable_value(parameter: str, text: str, expected: str) -> str:
    """Note on a value that could not be read."""
    return say("{parameter}={text} should be {expected}", parameter=parameter, text=text, expected=expected)


def accepted_words(options: Iterable[str]) -> str:
    """Words that a parameter accepts."""
    return say("one of ") + ", ".join(option for option in options if option)


def times_worse(factor: float) -> str:
    """How many times worse a mistake is, on a slider."""
    return say("{factor} times", factor=in_style(f"{factor:g}"))


def percentage(share: int) -> str:
    """A share on a slider."""
    return f"{share} %"


def list_of_kinds(pairs: Iterable[tuple[str, str]]) -> str:
    """Titles and explanations, as a list in a help text; Markdown."""
    return "\n".join((f"- **{title}.** {text}" for title, text in pairs))
