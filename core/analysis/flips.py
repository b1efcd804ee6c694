"""The smallest change of a sample that changes what a model says of it.

Of a tree it is exact: every leaf is a box, and the nearest point of a box is known. Of any other model changes of
one feature are tried at all values that could matter, which for forests and cultivated trees are the thresholds
that they ask about. That finds the least change of a single feature, but not whether several small ones do it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from core.analysis.rules import Bound, admits, admitted, leaf_bounds
from core.data.dataset import Dataset
from core.trees import LEAF, AnyTree, CultivatedTree, Forest, Tree

MOST_VALUES = 256  # of one feature that are tried
MOST_CHANGED = 5  # features of a change that is sought step by step
UNKNOWN_COST = 1.0  # spans that it takes to make a missing value known, or to change a category

Says = Callable[[np.ndarray], np.ndarray]  # X (n, n_features) -> what a model says (n, n_outputs)
Differs = Callable[[np.ndarray], np.ndarray]  # answers (n, n_outputs) -> (n,) bool: whether they count as another


class Change(NamedTuple):
    """Another value for one feature of a sample."""

    feature: int
    before: float
    after: float  # the nearest value that does it
    spans: float  # how far that is, in units of the range of the feature; see `UNKNOWN_COST`
    bound: Bound  # what the value has to keep to


class Flip(NamedTuple):
    """A change after which the model says something else."""

    changes: tuple[Change, ...]
    answer: np.ndarray  # (n_outputs,) what it says then
    is_exact: bool  # whether there is none that is smaller

    @property
    def spans(self) -> float:
        """How far all changes are together."""
        return math.fsum(change.spans for change in self.changes)


def spans_of(dataset: Dataset) -> np.ndarray:
    """(n_features,): the range of every feature in the data, 1 where it has none."""
    spans = np.ones(len(dataset.features))
    for f in range(len(dataset.features)):
        known = dataset.X[np.isfinite(dataset.X[:, f]), f]
        if len(known) and known.max() > known.min():
            spans[f] = known.max() - known.min()
    return spans


def other_class(answer: int) -> Differs:
    """Whether answers have another greatest share than class `answer`."""
    return lambda answers: answers.argmax(axis=1) != answer


def off_by(answer: float, least: float) -> Differs:
    """Whether numbers are at least `least` from `answer`."""
    return lambda answers: np.abs(answers[:, 0] - answer) >= least


# ---- trees: exact


def nearest_leaf(tree: Tree, dataset: Dataset, x: np.ndarray, differs: Differs) -> Flip | None:
    """The smallest change of x (n_features,) into another leaf that says something else; None where no leaf does.

    The smallest is that of the fewest features; of those the one of the fewest spans, summed; of those the leaf
    that stands first. Data give the spans and which features are categories.
    """
    spans, found = spans_of(dataset), []
    other = differs(tree.value)
    for leaf, demands in leaf_bounds(tree):
        changes = _into(demands, dataset, x, spans) if other[leaf] else None
        if changes is not None:
            found.append(Flip(changes, tree.value[leaf], True))
    return min(found, key=lambda flip: (len(flip.changes), flip.spans), default=None)


def _into(
    demands: Sequence[Bound], dataset: Dataset, x: np.ndarray, spans: np.ndarray
) -> tuple[Change, ...] | None:
    """What brings x into a leaf; None where nothing does."""
    changes = []
    for bound in demands:
        if admits(bound, x[[bound.feature]])[0]:
            continue
        change = nearest(bound, dataset, float(x[bound.feature]), float(spans[bound.feature]))
        if change is None:
            return None
        changes.append(change)
    return tuple(changes)


def nearest(bound: Bound, dataset: Dataset, value: float, span: float) -> Change | None:
    """The change to the nearest value that the bound admits; None where it admits none but a missing one."""
    feature = dataset.features[bound.feature]
    if feature.categories:
        return _nearest_category(bound, len(feature.categories), value, feature.kind == "category")
    if bound.is_empty:
        return None
    if math.isnan(value):
        after = bound.high if math.isfinite(bound.high) else bound.low
        after = after if math.isfinite(after) else 0.0  # any known value
        return Change(bound.feature, value, _inside(bound, after), UNKNOWN_COST, bound)
    after = _inside(bound, value)
    return Change(bound.feature, value, after, abs(after - value) / span, bound)


def _inside(bound: Bound, value: float) -> float:
    """The value, or the nearest one above the lower and up to the upper end."""
    return min(max(value, float(np.nextafter(bound.low, math.inf))), bound.high)


def _nearest_category(bound: Bound, n: int, value: float, is_unordered: bool) -> Change | None:
    codes = admitted(bound, n)
    if not codes:
        return None
    if math.isnan(value) or is_unordered:
        return Change(bound.feature, value, float(codes[0]), UNKNOWN_COST, bound)
    after = min(codes, key=lambda code: abs(code - value))
    return Change(bound.feature, value, float(after), abs(after - value) / max(n - 1, 1), bound)


# ---- any model: feature by feature


def cuts_of(model: AnyTree | Forest | None, n_features: int) -> list[np.ndarray]:
    """For every feature the thresholds that a model asks about, ascending; none without a model."""
    trees = model.trees if isinstance(model, Forest) else () if model is None else (model,)
    found: list[list[np.ndarray]] = [[np.empty(0)] for _ in range(n_features)]
    for tree in trees:
        feature, value = _cuts_in(tree)
        for f in np.unique(feature):
            found[f].append(value[feature == f])
    return [np.unique(np.concatenate(parts)) for parts in found]


def _cuts_in(tree: AnyTree) -> tuple[np.ndarray, np.ndarray]:
    """Feature and value of every threshold of a tree; not of splits on categories."""
    if isinstance(tree, CultivatedTree):
        feature = np.repeat(tree.decisions.feature, np.diff(tree.cuts.start))
        ordered = ~np.isnan(np.repeat(tree.decisions.threshold, np.diff(tree.cuts.start)))
        return feature[ordered], tree.cuts.value[ordered]
    splits = (tree.feature != LEAF) & np.isfinite(tree.threshold)
    return tree.feature[splits], tree.threshold[splits]


def values_to_try(dataset: Dataset, feature: int, cuts: np.ndarray, most: int = MOST_VALUES) -> np.ndarray:
    """One value on either side of every cut, the smallest that pass it, ascending; all codes of categories.

    Of more than `most` cuts those at even steps of their ranks. Without cuts: values of the data, so chosen too.
    """
    names = dataset.features[feature].categories
    if names:
        return np.arange(float(len(names)))
    x = dataset.X[:, feature]
    known = cuts if len(cuts) else np.unique(x[np.isfinite(x)])
    if len(known) > most // 2:
        known = known[np.unique(np.linspace(0, len(known) - 1, most // 2).round().astype(int))]
    return np.unique(np.concatenate([known, np.nextafter(known, math.inf)]))


class Search(NamedTuple):
    """What a search among changes of single features goes by."""

    dataset: Dataset
    values: list[np.ndarray]  # for each feature, the values to try
    says: Says
    differs: Differs


def search(dataset: Dataset, model: AnyTree | Forest | None, says: Says, differs: Differs) -> Search:
    """A search for changes after which what `says` tells `differs`, at the thresholds of the model."""
    cuts = cuts_of(model, len(dataset.features))
    values = [
        np.empty(0) if model is not None and not len(cut) and not names else values_to_try(dataset, f, cut)
        for f, (cut, names) in enumerate(zip(cuts, (f.categories for f in dataset.features), strict=True))
    ]
    return Search(dataset, values, says, differs)


def single_changes(found: Search, x: np.ndarray) -> list[Flip]:
    """For each feature by which alone it can be done, the nearest change; the smallest first.

    Exact for the feature where all its values are tried: where it has no more cuts than half of `MOST_VALUES`.
    """
    flips = [flip for f in range(len(x)) if (flip := _along(found, x, f)[0]) is not None]
    return sorted(flips, key=lambda flip: (flip.spans, flip.changes[0].feature))


def _along(found: Search, x: np.ndarray, feature: int) -> tuple[Flip | None, np.ndarray, np.ndarray]:
    """The nearest change of a feature that does it; and what is said at all values tried."""
    values = found.values[feature]
    if not len(values):
        return None, values, np.empty((0, 1))
    varied = np.tile(x, (len(values), 1))
    varied[:, feature] = values
    answers = found.says(varied)
    does = np.flatnonzero(found.differs(answers))
    if not len(does):
        return None, values, answers
    cost = _cost(found.dataset, feature, float(x[feature]), values[does])
    best = int(does[np.argmin(cost)])
    change = Change(feature, float(x[feature]), float(values[best]), float(cost.min()), Bound(feature))
    return Flip((change._replace(bound=_reach_of(values, found.differs(answers), best, feature)),),
                answers[best], False), values, answers  # fmt: skip


def _cost(dataset: Dataset, feature: int, before: float, after: np.ndarray) -> np.ndarray:
    """(n,) spans from a value to others."""
    kind = dataset.features[feature].kind
    if math.isnan(before) or kind == "category":
        return np.where(after == before, 0.0, UNKNOWN_COST)
    return np.abs(after - before) / spans_of(dataset)[feature]


def _reach_of(values: np.ndarray, does: np.ndarray, best: int, feature: int) -> Bound:
    """The run of values around the best one that do it too: from above one value up to another."""
    first, last = best, best
    while first > 0 and does[first - 1]:
        first -= 1
    while last + 1 < len(values) and does[last + 1]:
        last += 1
    low = -math.inf if first == 0 else float(np.nextafter(values[first], -math.inf))
    return Bound(feature, low, math.inf if last == len(values) - 1 else float(values[last]))


def step_by_step(found: Search, x: np.ndarray, score: Callable[[np.ndarray], np.ndarray]) -> Flip | None:
    """A change of a few features, one after the other: each the one that raises `score` of the answers most.

    For samples that no change of a single feature flips; None where `MOST_CHANGED` of them do not either.
    """
    at, changed = np.array(x, dtype=np.float64), []
    for _ in range(MOST_CHANGED):
        singles = [
            flip for f in range(len(x)) if f not in changed and (flip := _along(found, at, f)[0]) is not None
        ]
        if singles:
            last = min(singles, key=lambda flip: flip.spans)
            at[last.changes[0].feature] = last.changes[0].after
            return Flip(_changes(found.dataset, x, at), last.answer, False)
        step = _best_step(found, at, score, changed)
        if step is None:
            return None
        at[step[0]], changed = step[1], [*changed, step[0]]
    return None


def _best_step(found: Search, at: np.ndarray, score, changed: list[int]) -> tuple[int, float] | None:
    """The feature and its nearest value that raise the score most; None where nothing raises it."""
    best, most = None, float(score(found.says(at[None, :]))[0]) + 1e-9
    for f in range(len(at)):
        _, values, answers = _along(found, at, f) if f not in changed else (None, np.empty(0), np.empty((0, 1)))
        if len(values) and (scores := score(answers)).max() > most:
            top = np.flatnonzero(scores >= scores.max() - 1e-12)
            cost = _cost(found.dataset, f, float(at[f]), values[top])
            best, most = (f, float(values[top[np.argmin(cost)]])), float(scores.max())
    return best


def _changes(dataset: Dataset, before: np.ndarray, after: np.ndarray) -> tuple[Change, ...]:
    differ = np.flatnonzero(~((before == after) | (np.isnan(before) & np.isnan(after)))).tolist()
    return tuple(
        Change(f, float(before[f]), float(after[f]),
               float(_cost(dataset, f, float(before[f]), after[[f]])[0]), _one_value(dataset, f, before, after))
        for f in differ
    )  # fmt: skip


def _one_value(dataset: Dataset, f: int, before: np.ndarray, after: np.ndarray) -> Bound:
    """At least, or at most, the value after."""
    if dataset.features[f].categories or np.isnan(before[f]):
        return Bound(f, float(np.nextafter(after[f], -math.inf)), float(after[f]))
    if after[f] > before[f]:
        return Bound(f, float(np.nextafter(after[f], -math.inf)))
    return Bound(f, high=float(after[f]))


# ---- what would be said along a feature


class Strip(NamedTuple):
    """What a model says as one feature of a sample runs over its range, all others held."""

    feature: int
    values: np.ndarray  # (n,) ascending
    answers: np.ndarray  # (n, n_outputs)


def strip(dataset: Dataset, says: Says, x: np.ndarray, feature: int, n: int = 60) -> Strip:
    """The strip of a feature: of a number in n even steps over its range in the data and to the sample's value."""
    names = dataset.features[feature].categories
    if names:
        values = np.arange(float(len(names)))
    else:
        known = np.append(dataset.X[:, feature], x[feature])
        known = known[np.isfinite(known)]
        values = np.linspace(known.min(), known.max(), n) if len(known) else np.empty(0)
    varied = np.tile(x, (len(values), 1))
    varied[:, feature] = values
    return Strip(feature, values, says(varied) if len(values) else np.empty((0, 1)))
