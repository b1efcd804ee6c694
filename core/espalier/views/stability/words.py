"""Stability in words: the number of structures, its reliability, and the differences of two trees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from espalier.analysis.stability.stability import FirstDifference, StructureLevel
from espalier.data.dataset import Feature
from espalier.trees import AnyTree
from espalier.views.stability.bars import upper
from espalier.views.text.trees import join
from espalier.views.theme import number, percent
from espalier.views.tree.small_tree import asked

RARE = 0.05  # chance of a new structure: if it is greater, the text says that the number grows with the draws


def summary(level: StructureLevel) -> str:
    """Return the structures down to a depth, in a line of Markdown."""
    n, (low, high) = level.n_structures, level.interval
    of = f"of {int(level.counts.sum()):,} trees {upper(level.depth)}"
    many = f"**{n:,} {'structure' if n == 1 else 'structures'}** {of}"
    if n == int(level.counts.sum()) > 1:
        return f"{many}: no two are alike"
    share = f"the most frequent **{percent(level.top_share)}** ({_range(low, high)})"
    return f"{many} · {share} · entropy {number(level.entropy, 2)} {'bit' if level.entropy == 1 else 'bits'}"


def _range(low: float, high: float) -> str:
    """Return an interval of shares, in whole percents; only 1 becomes 100 %."""
    ends = (f"{100 * low:.0f}", f"{100 * high:.0f}")
    return f"{ends[0]} to {ends[1]} %"


def confidence(level: StructureLevel, n_trees: int) -> str:
    """Return how reliable the number of structures is, by the chance that one more tree has a new one."""
    if n_trees == 1:
        return "One tree so far, and none to compare it with."
    if level.n_structures == 1:
        return f"All {n_trees:,} trees are alike {upper(level.depth)}."
    if level.unseen > RARE:
        return (
            f"About {percent(round(level.unseen, 2))} of further draws would bring a new structure: "
            "there are more structures than are counted here."
        )
    return "Hardly any further draw would bring a new structure: these are nearly all of them."


def where(way: Sequence[bool]) -> str:
    """Return a place in a tree, by the answers that lead there."""
    if not way:
        return "at the root"
    return "after " + ", ".join("yes" if left else "no" for left in way)


def differs(tree: AnyTree, other: AnyTree, difference: FirstDifference | None, features: Sequence[Feature]) -> str:
    """Return the first difference of a tree from the most frequent one, `other`, in a sentence.

    Empty without one.
    """
    if difference is None:
        return ""
    place = where(difference.way).capitalize()
    if difference.what == "leaf":
        return f"{place} it stops, where the most frequent asks “{asked(other, features, difference.other)}”."
    question = asked(tree, features, difference.node)
    if difference.what == "split":
        return f"{place} it asks “{question}”, where the most frequent stops."
    return f"{place} it asks “{question}”, the most frequent “{asked(other, features, difference.other)}”."


def repeated(n_structures: np.ndarray, top_share: np.ndarray, same_top: np.ndarray, depth: int) -> str:
    """Return the result of repetitions at one depth; arrays are (n_batches,)."""
    counts = join([f"{n:,}" for n in n_structures.tolist()], "and")
    shares = join([percent(share) for share in top_share.tolist()], "and")
    alike = "the same one each time" if same_top.all() else "not the same one each time"
    place = upper(depth)
    return f"{place[:1].upper()}{place[1:]}: {counts} structures; the most frequent has {shares}, and is {alike}."


def coverage(name: str, samples: float, share: float, n: int) -> str:
    """Return a window around the cut and its coverage, in words."""
    width = f"{number(samples)} row{'s' * (samples != 1)} on either side"
    return f"{name} ({width}): {percent(share)} of {n:,}"


def needed(samples: int, share: float) -> str:
    """Return the width of the window that covers this share of the thresholds."""
    if samples == 0:
        return f"t₀ and the gap around it cover {percent(share)}"
    return f"{samples:,} row{'s' * (samples != 1)} on either side would cover {percent(share)}"
