"""Approximation trees in words: how sure each split is, which splits came close, and where to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from espalier.analysis.approximation.fidelity import FidelityLevel
from espalier.analysis.tree.rules import ALL, Bound
from espalier.data.dataset import Feature
from espalier.learners.approximation import Considered
from espalier.trees import LEAF, Tree, depths
from espalier.views.text.trees import phrase
from espalier.views.theme import number, percent

DECIDED, EXACT, THRESHOLD, COLUMN = "decided", "exact", "threshold open", "column open"
TAKEN = {"best": "the best so far was taken", "order": "the first column not found to be worse was taken"}


class SplitTerms(NamedTuple):
    """How the splits were found."""

    alpha: float
    is_exact: bool
    at_limit: str  # "best" or "order"
    is_whole: bool = True  # whether growing was not stopped


class SplitFacts(NamedTuple):
    """A tree, what was considered for it, and how."""

    tree: Tree
    considered: Considered
    features: Sequence[Feature]
    missing: np.ndarray  # (n_features,) bool: which of them have missing values
    terms: SplitTerms


def asks(told: SplitFacts, runner: int) -> str:
    """What a runner asks of the rows that go left: "petal width ≤ 0.8"."""
    runners = told.considered.runners
    threshold, feature = float(runners.threshold[runner]), int(runners.feature[runner])
    missing = bool(runners.missing_left[runner])
    if np.isnan(threshold):
        bound = Bound(feature, categories=ALL & int(runners.categories[runner]), missing=missing)
    else:
        bound = Bound(feature, high=threshold, missing=missing)
    return phrase(bound, told.features, told.missing)


def status(told: SplitFacts, node: int) -> str:
    """How sure the split of a node is: one of the words above, or nothing at a leaf.

    A column is open where one of the runners, on another column, was not found to be worse than the best.
    """
    if told.tree.feature[node] == LEAF:
        return ""
    if told.considered.decided[node]:
        return EXACT if told.terms.is_exact else DECIDED
    rivals = _not_worse(told, node)
    return COLUMN if (told.considered.runners.feature[rivals] != told.tree.feature[node]).any() else THRESHOLD


def _not_worse(told: SplitFacts, node: int) -> np.ndarray:
    """Runners of a node, beside the one taken, each of which alone is not found to be worse."""
    start, p = told.considered.runners.start, told.considered.runners.p_value
    rivals = np.arange(start[node] + 1, start[node + 1])
    return rivals[np.isnan(p[rivals]) | (p[rivals] > told.terms.alpha)]


def undecided(told: SplitFacts) -> list[int]:
    """Splits that the test did not decide, in the order of the tree's nodes."""
    return np.flatnonzero((told.tree.feature != LEAF) & ~told.considered.decided).tolist()


def verdict(told: SplitFacts, node: int, escaped: Callable[[str], str] = str) -> str:
    """How the split of a node was found, and how sure it is, in Markdown; `escaped` treats text from the data."""
    considered = told.considered
    if told.tree.feature[node] == LEAF:
        return _why_leaf(told, node)
    if told.terms.is_exact:
        return _exactly(told, node)
    n, rounds, p = (int(v[node]) for v in (considered.n_samples, considered.n_rounds, considered.n_prospects))
    alpha, in_rounds = percent(told.terms.alpha), f" in {rounds} rounds" if rounds > 1 else ""
    chance = _chance(float(considered.p_value[node]))
    if considered.decided[node]:
        return (
            f"**The test decided with {n:,} made-up cases**{in_rounds}: the chance that others like them would "
            f"prefer another of the {p:,} splits tried is at most {chance}, less than α = {alpha}."
        )
    left = p - int(considered.n_discarded[node])
    tried = f" of {p:,} tried" if left < p else ""
    return (
        f"{_what_is_open(told, node, escaped)} After {n:,} made-up cases {left:,} splits{tried} were still in the "
        f"running; {TAKEN[told.terms.at_limit]}."
    )


def _is_stopped(told: SplitFacts, node: int) -> bool:
    """Whether a leaf would have been split, had growing not been stopped."""
    start = told.considered.runners.start
    return bool(start[node + 1] > start[node])


def _why_leaf(told: SplitFacts, node: int) -> str:
    if _is_stopped(told, node):
        return "A leaf for now: growing was stopped before it was split."
    if not (told.terms.is_whole or told.considered.n_prospects[node]):
        return "A leaf: growing was stopped before any split was tried here."
    if told.considered.n_prospects[node]:
        return "A leaf: no split of these rows changes what the model says on average."
    if depths(told.tree)[node] == told.tree.depth:
        return "A leaf at the end of the questions allowed: no split was tried here."
    return "A leaf: too few rows, or none that differ, so no split was tried here."


def _exactly(told: SplitFacts, node: int) -> str:
    if not told.considered.decided[node]:
        return f"**An exact tie** of the best splits; {TAKEN['best']}."
    gap = float(told.considered.gap[node])
    rival = "" if np.isnan(gap) else f" The best rival lowers the impurity by {number(gap)} less."
    return f"**Found exactly:** the split that sampling without end would find.{rival}"


def _what_is_open(told: SplitFacts, node: int, escaped: Callable[[str], str]) -> str:
    rivals = _not_worse(told, node)
    other = rivals[told.considered.runners.feature[rivals] != told.tree.feature[node]]
    if len(other):
        return (
            f"**Do not rely on the column:** asking whether {escaped(asks(told, int(other[0])))} was not found "
            "to be worse, and other made-up cases may prefer it."
        )
    is_number = not np.isnan(told.considered.runners.threshold[told.considered.runners.start[node]])
    what, which = (
        ("thresholds", "the exact number") if is_number else ("groupings", "which categories go together")
    )
    if _unlisted(told, node) < told.terms.alpha:
        return f"**Many {what} do equally well here; only {which} is uncertain.**"
    return f"**Many {what} do about equally well here; probably only {which} is uncertain.**"


def _unlisted(told: SplitFacts, node: int) -> float:
    """The chances of the rivals that are no runners, summed: no one of them has a greater chance."""
    start, p = told.considered.runners.start, told.considered.runners.p_value
    return float(told.considered.p_value[node] - np.nansum(p[start[node] : start[node + 1]]))


def _chance(p: float) -> str:
    return percent(p) if p >= 1e-3 else "<0.1 %"


def sureness(told: SplitFacts) -> str:
    """All splits in a sentence: how many the test decided, and what is open in the others."""
    splits = np.flatnonzero(told.tree.feature != LEAF).tolist()
    if not splits and _is_stopped(told, 0):
        return "It asks nothing yet: growing was stopped."
    if not splits:
        return "The tree asks nothing: no split changes what the model says."
    if told.terms.is_exact and not undecided(told):
        return "Every split is the one that sampling without end would find: no chance is involved."
    found = [status(told, node) for node in splits]
    n, sure = len(splits), sum(one in (DECIDED, EXACT) for one in found)
    if sure == n:
        return f"All {n} splits were decided by the test." if n > 1 else "The one split was decided by the test."
    threshold, column = found.count(THRESHOLD), found.count(COLUMN)
    counts = ((threshold, "the exact threshold is uncertain"), (column, "another column may do as well"))
    opened = [f"in {count} {what}" for count, what in counts if count]
    decided = f"{sure} of {n} splits were decided by the test; {' and '.join(opened)} (marked **?** in the tree)."
    if sure:
        return decided
    if not column:
        return f"**Read its thresholds with care: other made-up cases may put them elsewhere.** {decided}"
    return f"**Read this tree with care: other made-up cases may well give another one.** {decided}"


def enough_words(levels: Sequence[FidelityLevel], enough: int, deepest: int) -> str:
    """Where to stop, in Markdown; `deepest` is the depth that was allowed."""
    last = levels[-1].depth
    if last == 0:
        return "The tree asks nothing, so there is no depth to choose."
    if enough < last:
        return (
            f"**Depth {enough} is enough:** all deeper levels together take away less than 2 % of what a tree "
            "without questions misses."
        )
    if last == deepest:
        return f"**Still gaining at depth {last}:** allow more questions to follow the model more closely."
    all_add = "The one level adds" if last == 1 else f"All {last} levels add"
    return f"**{all_add} something;** the rows allow no deeper tree."


def runners_table(told: SplitFacts, node: int) -> pd.DataFrame:
    """The splits of a node that came closest, the one taken first: its gain, its chance to win, what it asks."""
    runners = told.considered.runners
    rows = range(int(runners.start[node]), int(runners.start[node + 1]))
    names = [told.features[int(runners.feature[i])].name for i in rows]
    chances = ["best" if np.isnan(p) else _chance(p) for p in runners.p_value[rows].tolist()]
    return pd.DataFrame(
        {
            "gain": runners.decrease[rows],
            **({} if told.terms.is_exact else {"chance": chances}),
            "asks": [asks(told, i).removeprefix(name).strip() for i, name in zip(rows, names, strict=True)],
            "column": [f"{name} ✓" if i == rows[0] else name for i, name in zip(rows, names, strict=True)],
        }
    )


def splits_table(told: SplitFacts) -> pd.DataFrame:
    """Every split of the tree: how sure it is, with how many made-up cases, and which rival came closest."""
    considered, start = told.considered, told.considered.runners.start
    splits = np.flatnonzero(told.tree.feature != LEAF).tolist()
    rivals = [asks(told, int(start[i]) + 1) if start[i + 1] - start[i] > 1 else "none" for i in splits]
    return pd.DataFrame(
        {
            "node": splits,
            "depth": depths(told.tree)[splits],
            "asks": [asks(told, int(start[i])) for i in splits],
            "sure": [status(told, i) for i in splits],
            "made-up cases": considered.n_samples[splits],
            "sum of p": considered.p_value[splits],
            "ahead by": considered.gap[splits],
            "closest rival": rivals,
            "splits tried": considered.n_prospects[splits],
        }
    )
