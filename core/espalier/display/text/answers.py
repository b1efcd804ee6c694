"""Answers of a model in words and colours, the same in every view.

Where several classes have the greatest share, none of them is the answer: words name them all, and the colour is
that of none. `predict` gives the first of them by rule (`espalier.ties`), and so do exports. A share of few rows
stands with their number, since "100 %" of one row says little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from espalier.data.dataset import Feature
from espalier.display import ink
from espalier.display.theme import colours_of, percent
from espalier.inert import inert
from espalier.language import say
from espalier.ties import are_tied, leaders

FEW = 10  # rows: a share of fewer comes with their number
MOST_TIED = 4  # classes that are named; of more, so many and how many they are
WHOLE = 1e-6  # a product that is no further from a whole number counts rows


def class_words(target: Feature, shares: np.ndarray, written: Callable[[str], str] = inert) -> str:
    """Return the class with the greatest of the shares (n_classes,): "setosa", or "tie: setosa, versicolor".

    `written` makes each name safe for the place where the words stand.

    >>> kind = Feature("kind", "category", ("a", "b", "c"))
    >>> class_words(kind, np.array([0.5, 0.25, 0.25])), class_words(kind, np.array([0.25, 0.375, 0.375]))
    ('a', 'tie: b, c')
    """
    codes = leaders(shares)
    names = [written(target.categories[k]) for k in codes[: MOST_TIED if len(codes) > 1 else 1]]
    if len(codes) == 1:
        return names[0]
    if (left := len(codes) - len(names)) > 0:
        names.append(say("{n} class more" if left == 1 else "{n} classes more", n=left))
    return say("tie: {classes}", classes=", ".join(names))


def share_words(share: float, n: int | None) -> str:
    """Return a share of n rows: "98 %", of fewer than ten "3 of 4"; n is None where no rows are behind it.

    A share that is no number of rows, because they have weights, stands before them.

    >>> share_words(0.75, 40), share_words(0.75, 4), share_words(0.3, 4), share_words(1.0, 1)
    ('75 %', '3 of 4', '30 % (4 rows)', '1 of 1')
    """
    if n is None or n >= FEW:
        return percent(round(share, 9))
    k = share * n
    if abs(k - round(k)) <= WHOLE:
        return say("{k} of {n}", k=round(k), n=n)
    return say("{share} ({n} row)" if n == 1 else "{share} ({n} rows)", share=percent(round(share, 9)), n=n)


def answer_share(shares: np.ndarray, n: int | None) -> str:
    """Return `share_words` of the greatest of the shares (n_classes,); of classes that tie, that it is of each."""
    words = share_words(float(shares.max()), n)
    return words if len(leaders(shares)) == 1 else say("{share} each", share=words)


def class_answer(target: Feature, shares: np.ndarray, n: int | None, written: Callable[[str], str] = inert) -> str:
    """Return class and share: "setosa, 98 %", "setosa, 3 of 4", or "tie: setosa, versicolor, 2 of 4 each"."""
    return f"{class_words(target, shares, written)}, {answer_share(shares, n)}"


def class_fills(target: Feature, shares: np.ndarray, dark: bool) -> list[str]:
    """Return the colour of each row of shares (n, n_classes): of the class that leads; where some tie, of none."""
    theme = ink.theme_of(dark)
    palette: Sequence[str] = colours_of(target)[theme]
    each = zip(shares.argmax(axis=1).tolist(), are_tied(shares).tolist(), strict=True)
    return [ink.TIE[theme] if tied else palette[k] for k, tied in each]
