"""Stability in words: the number of structures, its reliability, and the differences of two trees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.text.trees import join
from espalier.display.theme import count, number, percent
from espalier.display.tree.small_tree import asked
from espalier.language import say
from espalier.stability.bars import upper
from espalier.stability.stability import FirstDifference, StructureLevel
from espalier.trees import AnyTree

RARE = 0.05  # chance of a new structure: if it is greater, the text says that the number grows with the draws


def summary(level: StructureLevel) -> str:
    """Return the structures down to a depth, in a line of Markdown."""
    n, n_trees = level.n_structures, int(level.counts.sum())
    many = say(
        "**{n} structure** of {n_trees} trees {levels}"
        if n == 1
        else "**{n} structures** of {n_trees} trees {levels}",
        n=count(n),
        n_trees=count(n_trees),
        levels=upper(level.depth),
    )
    if n == n_trees > 1:
        return say("{structures}: no two are alike", structures=many)
    share = say(
        "the most frequent **{share}** ({low} to {high} %)", share=percent(level.top_share), **_ends(level)
    )
    bits = number(level.entropy, 2)
    entropy = say("entropy {bits} bit" if level.entropy == 1 else "entropy {bits} bits", bits=bits)
    return f"{many} · {share} · {entropy}"


def _ends(level: StructureLevel) -> dict[str, str]:
    """Return the interval of the most frequent structure's share, in whole percents."""
    low, high = level.interval
    return {"low": f"{100 * low:.0f}", "high": f"{100 * high:.0f}"}


def confidence(level: StructureLevel, n_trees: int) -> str:
    """Return how reliable the number of structures is, by the chance that one more tree has a new one."""
    if n_trees == 1:
        return say("One tree so far, and none to compare it with.")
    if level.n_structures == 1:
        return say("All {n} trees are alike {levels}.", n=count(n_trees), levels=upper(level.depth))
    if level.unseen > RARE:
        return say(
            "About {share} of further draws would bring a new structure: there are more structures than are "
            "counted here.",
            share=percent(round(level.unseen, 2)),
        )
    return say("Hardly any further draw would bring a new structure: these are nearly all of them.")


def where(way: Sequence[bool]) -> str:
    """Return a place in a tree, by the answers that lead there."""
    if not way:
        return say("at the root")
    return say("after {answers}", answers=", ".join(say("yes" if left else "no") for left in way))


def differs(tree: AnyTree, other: AnyTree, difference: FirstDifference | None, features: Sequence[Feature]) -> str:
    """Return the first difference of a tree from the most frequent one, `other`, in a sentence.

    Empty without one.
    """
    if difference is None:
        return ""
    place = where(difference.way)
    place = f"{place[:1].upper()}{place[1:]}"
    if difference.what == "leaf":
        usual = asked(other, features, difference.other)
        return say("{place} it stops, where the most frequent asks “{usual}”.", place=place, usual=usual)
    question = asked(tree, features, difference.node)
    if difference.what == "split":
        return say("{place} it asks “{question}”, where the most frequent stops.", place=place, question=question)
    usual = asked(other, features, difference.other)
    return say(
        "{place} it asks “{question}”, the most frequent “{usual}”.", place=place, question=question, usual=usual
    )


def repeated(n_structures: np.ndarray, top_share: np.ndarray, same_top: np.ndarray, depth: int) -> str:
    """Return the result of repetitions at one depth; arrays are (n_batches,)."""
    counts = join([count(n) for n in n_structures.tolist()], "and")
    shares = join([percent(share) for share in top_share.tolist()], "and")
    place = upper(depth)
    return say(
        "{levels}: {counts} structures; the most frequent has {shares}, and is the same one each time."
        if same_top.all()
        else "{levels}: {counts} structures; the most frequent has {shares}, and is not the same one each time.",
        levels=f"{place[:1].upper()}{place[1:]}",
        counts=counts,
        shares=shares,
    )


def coverage(name: str, samples: float, share: float, n: int) -> str:
    """Return a window around the cut and its coverage, in words."""
    return say(
        "{window} ({width}): {share} of {n}", window=name, width=_width(samples), share=percent(share), n=count(n)
    )


def _width(samples: float) -> str:
    return say("{n} row on either side" if samples == 1 else "{n} rows on either side", n=number(samples))


def needed(samples: int, share: float) -> str:
    """Return the width of the window that covers this share of the thresholds."""
    if samples == 0:
        return say("t₀ and the gap around it cover {share}", share=percent(share))
    return say("{width} would cover {share}", width=_width(samples), share=percent(share))
