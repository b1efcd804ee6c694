"""Texts on two trees side by side, A | B."""

from __future__ import annotations

from collections.abc import Mapping

LETTERS = ("A", "B")
KEEP = "Keep as A"
KEEP_HELP = (
    "Compares two trees: this one is kept as A. Then change the learner or its settings, and the new tree stands "
    "below as B, beside A and on the same axes."
)
CANNOT_BE_KEPT = "A tree of a forest, or one that was pruned on the tab Error by size, cannot be kept as A."
END = "Stop comparing"
END_HELP = "Lets go of tree A. Tree B, which the controls in the rail describe, stays."
TITLE = "#### A | B"
DIFFER = "the trees differ"
SETTINGS_OF_A = "a learner and its settings, as Keep as A writes them"
GROWING = "**Growing tree A**"


def title(learner: str, settings: Mapping[str, str], is_by_hand: bool) -> str:
    """Title of a tree: its learner, and what is set otherwise than by default."""
    parts = [learner, *(f"{name} {text}" for name, text in settings.items())]
    return ", ".join([*parts, "changed by hand"] if is_by_hand else parts)


def side(letter: str, name: str, n_leaves: int, scores: str) -> str:
    """Line above a surface; the name is Markdown."""
    return f"**{letter}: {name}**, {n_leaves} {'leaf' if n_leaves == 1 else 'leaves'}  \n:small[{scores}]"


def difference(gaps: Mapping[str, float], is_share: bool, n_rows: int, n: int) -> str:
    """The line between both: how much better B is on which rows, and where answers differ."""
    score = "accuracy" if is_share else "R²"
    parts = [f"{kind} {_gap(gap, is_share)}" for kind, gap in gaps.items()]
    differ = f"{n_rows:,} of {n:,} rows are answered differently"
    return f"**B compared with A:** {score} {', '.join(parts)} · {differ}"


def _gap(gap: float, is_share: bool) -> str:
    if is_share:
        return f"{100 * gap:+.1f} points" if round(100 * gap, 1) else "the same"
    return f"{gap:+.3f}" if round(gap, 3) else "the same"
