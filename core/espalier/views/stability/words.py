"""Stability in words: how many structures, how sure that is, and in what two trees differ."""

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

RARE = 0.05  # chance of a new structure from which on the number of structures is said to grow with the draws


def summary(level: StructureLevel) -> str:
    """The structures down to a depth, in a line of Markdown."""
    n, (low, high) = level.n_structures, level.interval
    of = f"of {int(level.counts.sum()):,} trees {upper(level.depth)}"
    many = f"**{n:,} {'structure' if n == 1 else 'structures'}** {of}"
    if n == int(level.counts.sum()) > 1:
        return f"{many}: no two are alike"
    share = f"the most frequent **{percent(level.top_share)}** ({_range(low, high)})"
    return f"{many} · {share} · entropy {number(level.entropy, 2)} {'bit' if level.entropy == 1 else 'bits'}"


def _range(low: float, high: float) -> str:
    """An interval of shares, in whole percents; never 100 % for what is less."""
    ends = (f"{100 * low:.0f}", f"{100 * high:.0f}")
    return f"{ends[0]} to {ends[1]} %"


def confidence(level: StructureLevel, n_trees: int) -> str:
    """How far the number of structures can be relied on: by the chance that one more tree brings a new one."""
    if n_trees == 1:
        return "One tree so far, and none to compare it with."
    if level.n_structures == 1:
        return f"All {n_trees:,} trees are alike {upper(level.depth)}."
    if level.unseen > RARE:
        return (
            f"About {percent(round(level.unseen, 2))} of further draws would bring a structure of their own: "
            "there are more structures than are counted here."
        )
    return "Hardly any further draw would bring a new structure: they are about all that there are."


def where(way: Sequence[bool]) -> str:
    """A place in a tree, by the answers that lead there."""
    if not way:
        return "at the root"
    return "after " + ", ".join("yes" if left else "no" for left in way)


def differs(tree: AnyTree, other: AnyTree, found: FirstDifference | None, features: Sequence[Feature]) -> str:
    """The first difference of a tree from the most frequent one, `other`, in a sentence; empty without one."""
    if found is None:
        return ""
    place = where(found.way).capitalize()
    if found.what == "leaf":
        return f"{place} it stops, where the most frequent asks “{asked(other, features, found.other)}”."
    question = asked(tree, features, found.node)
    if found.what == "split":
        return f"{place} it asks “{question}”, where the most frequent stops."
    return f"{place} it asks “{question}”, the most frequent “{asked(other, features, found.other)}”."


def repeated(n_structures: np.ndarray, top_share: np.ndarray, same_top: np.ndarray, depth: int) -> str:
    """What repeating shows, of one depth: all (n_batches,)."""
    counts = join([f"{n:,}" for n in n_structures.tolist()], "and")
    shares = join([percent(share) for share in top_share.tolist()], "and")
    alike = "the same one each time" if same_top.all() else "not the same one each time"
    place = upper(depth)
    return f"{place[:1].upper()}{place[1:]}: {counts} structures; the most frequent has {shares}, and is {alike}."


def coverage(name: str, samples: float, share: float, n: int) -> str:
    """A window around the cut and what it covers, in words."""
    width = f"{number(samples)} row{'s' * (samples != 1)} on either side"
    return f"{name} ({width}): {percent(share)} of {n:,}"


def needed(samples: int, share: float) -> str:
    """How wide a window covers this share of the thresholds."""
    if samples == 0:
        return f"t₀, and the gap it stands in, cover {percent(share)}"
    return f"{samples:,} row{'s' * (samples != 1)} on either side would cover {percent(share)}"
