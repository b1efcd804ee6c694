"""The kinds of exercises, and series of them that a seed decides."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from espalier.practice import forests, impurities, pruning, searches, surfaces, trees
from espalier.practice.exercise import Exercise, drawn

KINDS: dict[str, Callable[[random.Random, int], Exercise | None]] = {
    "impurity": impurities.impurity,
    "gain": impurities.gain,
    "split": impurities.split,
    "node": trees.node,
    "route": trees.route,
    "region": trees.region,
    "surface": surfaces.surface,
    "drawing": surfaces.drawing,
    "pruning": pruning.pruning,
    "errors": searches.errors,
    "surrogate": searches.surrogate,
    "votes": forests.votes,
    "variance": forests.variance,
}
LEVELS = (1, 2, 3)


def exercise(kind: str, level: int, seed: int) -> Exercise:
    """Return the exercise of a kind, a level from 1 to 3, and a seed: the same ones give the same exercise.

    Raises ValueError for another kind or level.

    >>> str(exercise("impurity", 1, 0).ask)
    'A node has these rows. How large is its gini?'
    """
    if kind not in KINDS:
        raise ValueError(f"there is no kind {kind!r} of exercise; there are {', '.join(KINDS)}")
    if level not in LEVELS:
        raise ValueError(f"the level is {level}; it must be 1, 2 or 3")
    return drawn(KINDS[kind], level, f"{kind} {level} {seed}")


def series(kinds: Sequence[str], seed: int, n: int = 10) -> list[str]:
    """Return the kinds of n exercises in a row: each kind as often as the others, but for one.

    >>> sorted(series(["gain", "votes"], 7, 4))
    ['gain', 'gain', 'votes', 'votes']
    """
    draw, order = random.Random(f"series {seed}"), sorted(kinds, key=list(KINDS).index)
    dealt: list[str] = []
    while len(dealt) < n:
        draw.shuffle(order)
        dealt += order
    return dealt[:n]
