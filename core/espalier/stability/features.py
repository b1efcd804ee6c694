"""The features that trees use at each depth: a table of shares, darker for more trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from espalier.display import ink, svg
from espalier.display.theme import percent
from espalier.display.tree.small_tree import squeezed
from espalier.language import say
from espalier.stability.bars import colour_of

WIDTH, LINE, HEAD, PAD = 330, 24, 22, 4
NAMES, LETTER = 118, 7.1  # pixels for the features' names; average width of a letter
LEAST_SIGN = 48  # pixels of a cell that has room for a percent sign
MOST = 8  # features with a line of their own


def listed_features(shares: np.ndarray) -> list[int]:
    """Return the features with a line of their own, those used most and nearest to the root first.

    Shares as below.
    """
    weight = 0.5 ** np.arange(len(shares)) @ shares
    order = np.argsort(-weight, kind="stable")
    return [int(f) for f in order[:MOST] if weight[f] > 0]


def reached(shares: np.ndarray) -> np.ndarray:
    """Return the shares down to the deepest split of any tree, at least those of the root."""
    asked = np.flatnonzero(shares.any(axis=1))
    return shares[: max(len(asked) and int(asked[-1]) + 1, 1)]


def features_table(shares: np.ndarray, names: Sequence[str], which: Sequence[int], place: int, dark: bool) -> str:
    """Return the SVG of shares (n_depths, n_features) of trees that use the features `which` at each depth.

    `place` is the learner's, and gives its colour.
    """
    height = HEAD + LINE * max(len(which), 1) + PAD
    parts = [*_heads(len(shares), dark), *_cells(shares, names, which, place, dark)]
    return svg.picture(parts, (WIDTH, height), 13)


def _column(n_depths: int) -> float:
    return (WIDTH - NAMES) / n_depths


def _heads(n_depths: int, dark: bool) -> Iterator[str]:
    text = ink.TEXT[ink.theme_of(dark)]
    for depth in range(n_depths):
        x = NAMES + (depth + 0.5) * _column(n_depths)
        words = say("root") if depth == 0 else say("depth {n}", n=depth)
        words = words if n_depths <= 4 else str(depth)
        yield svg.text(x, 14, words, text, text_anchor="middle", opacity=0.75)


def _cells(
    shares: np.ndarray, names: Sequence[str], which: Sequence[int], place: int, dark: bool
) -> Iterator[str]:
    wide = _column(len(shares))
    paper, text = ink.PAPER[ink.theme_of(dark)], ink.TEXT[ink.theme_of(dark)]
    for line, feature in enumerate(which):
        y = HEAD + LINE * line
        name = squeezed(names[feature], int((NAMES - 8) / LETTER))
        yield svg.text(NAMES - 8, y + 16, name, text, text_anchor="end")
        for depth, share in enumerate(shares[:, feature].tolist()):
            x = NAMES + depth * wide
            fill = ink.mixed(colour_of(place, dark), paper, 0.06 + 0.94 * share)
            yield svg.rectangle((x + 1, y, wide - 2, LINE - 2), fill, rx=2)
            if share:
                words = _whole_percent(share, wide)
                yield svg.text(x + wide / 2, y + 16, words, ink.readable_on(fill), text_anchor="middle")


def _whole_percent(share: float, width: float) -> str:
    """Return a share in whole percents, without the sign if there is little room."""
    text = "<1" if share < 0.005 else ">99" if 0.995 <= share < 1 else f"{100 * share:.0f}"
    return text if width < LEAST_SIGN else f"{text} %"


def alt(shares: np.ndarray, names: Sequence[str], which: Sequence[int]) -> str:
    """Return the table in sentences: for each depth, the features by the share of trees that use them."""
    parts = []
    for depth, row in enumerate(shares):
        asked = [f"{names[f]} {percent(float(row[f]))}" for f in sorted(which, key=lambda f: -row[f]) if row[f]]
        place = say("At the root") if depth == 0 else say("At depth {n}", n=depth)
        parts.append(f"{place}: {', '.join(asked) or say('nothing')}.")
    return " ".join(parts)
