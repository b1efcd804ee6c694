"""Parameters of a link that no page reads: they are kept, and said where they look like a slip."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from espalier.language import say

OF_NO_PAGE = frozenset(  # that stand in the URL beside those of a page
    ("data", "draft", "lang", "figure", "embed", "embed_options", "present", "lesson", "step", "answers", "by")
)
NEAR = 0.75  # of difflib's ratio: one letter of four is another, or two have changed places


def notes(given: Iterable[str], known: Iterable[str]) -> list[str]:
    """Notes on names that a page nearly knows; others, such as those that a mailing adds, are not ours.

    >>> notes(["depth", "sede", "utm_source"], ["depth", "seed"])
    ['sede: this page has no such part of a link; perhaps seed is meant']
    """
    known = list(known)
    strange = [name for name in given if name not in OF_NO_PAGE.union(known)]
    nearest = {name: get_close_matches(name, known, 1, NEAR) for name in strange}
    return [
        say(
            "{parameter}: this page has no such part of a link; perhaps {nearest} is meant",
            parameter=name[:40],
            nearest=near[0],
        )
        for name, near in nearest.items()
        if near
    ]
