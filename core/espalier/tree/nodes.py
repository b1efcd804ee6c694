"""A node and its samples: the rows in it, and its impurity after each possible split; the splits of all nodes."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.leaf_models import ModelTree, terms_at
from espalier.oblique import ObliqueTree
from espalier.predict import leaves
from espalier.tree.impurity import (
    FREE,
    POISSON,
    REGRESSION,
    Sides,
    SortedTarget,
    SplitRules,
    answers_of_sides,
    node_impurity,
    sides,
    sides_of_all,
    target,
)
from espalier.tree.rules import boxed
from espalier.trees import LEAF, AnyTree, CultivatedTree, Tree, depths, is_leaf, subtree_end

MAX_POINTS = 400  # of a curve that is only displayed
MAX_CELLS = 4_000_000  # rows times features that `impurity_curves` reads, for an answer within half a second
TOGETHER = 20_000  # rows times features whose curves are computed together
BARELY = 1e-9  # of a bin: rounding errors of the range that bins cover
TIE = 1e-12  # gains less far apart are equal: they differ by rounding
SLOWER = {"absolute_error": 10}  # factor on the time per cell


class ImpurityCurve(NamedTuple):
    """Impurity of a node's samples after each possible split on one feature."""

    feature: int
    threshold: np.ndarray  # (m,) ascending; of categories, how many go left; inf: known left, missing right
    impurity: np.ndarray  # (m,) P I_L + (1 - P) I_R, P the share of weight going left
    left_weight: np.ndarray  # (m,)
    missing_left: np.ndarray  # (m,) bool: the better side for missing values
    order: np.ndarray  # (k,) int64 category codes as they go left one by one; empty for thresholds
    node_impurity: float  # of the samples before the split
    n_samples: int  # number of the curve's samples
    is_of_known: bool = (
        False  # whether its sides are of samples with a value alone, where surrogates decide on others
    )

    @property
    def best(self) -> int:
        """The first position of the least impurity; -1 if no split exists."""
        return int(np.argmin(self.impurity)) if len(self.impurity) else -1

    @property
    def gain(self) -> float:
        """The decrease of impurity by the best split; 0 if no split exists."""
        return self.node_impurity - float(self.impurity[self.best]) if len(self.impurity) else 0.0


def splits_as_good(
    curves: Sequence[ImpurityCurve], own: int, threshold: float
) -> list[tuple[ImpurityCurve, float]]:
    """Return the other splits of a node that gain as much as its own, each as a curve and a threshold of it.

    `own` is the feature of its split, `threshold` that of numbers. None where another split gains more, since then
    it was not the gain that chose.
    """
    mine = next((curve for curve in curves if curve.feature == own and curve.best >= 0), None)
    if mine is None:
        return []
    least, room = float(mine.impurity[mine.best]), TIE * max(mine.node_impurity, 1.0)
    if any(curve.best >= 0 and curve.impurity[curve.best] < least - room for curve in curves):
        return []
    ties_of_curves = []
    for curve in curves:
        own_cut = -1
        if curve is mine:
            with np.errstate(invalid="ignore"):  # an infinite one parts the missing values from all others
                gap = np.where(curve.threshold == threshold, 0.0, np.abs(curve.threshold - threshold))
            own_cut = mine.best if len(curve.order) or not np.isfinite(gap).any() else int(np.nanargmin(gap))
        ties = np.flatnonzero(curve.impurity <= least + room)
        ties_of_curves += [(curve, float(curve.threshold[i])) for i in ties.tolist() if i != own_cut]
    return ties_of_curves


def rows_in(tree: Tree, X: np.ndarray, node: int) -> np.ndarray:
    """Return which rows of X pass through `node`, (n_samples,) bool."""
    below = np.zeros(tree.n_nodes, dtype=bool)
    below[node : subtree_end(tree, node)] = True
    return below[leaves(tree, X)]


def has_missing(X: np.ndarray) -> np.ndarray:
    """Return which columns of X have a missing value, (n_features,) bool."""
    return np.asarray(np.isnan(X).any(axis=0))


def cut_of(tree: Tree, node: int, curve: ImpurityCurve) -> float | None:
    """Return the tree's split of `node` as a value of ``ImpurityCurve.threshold``; None if on another feature."""
    if tree.feature[node] != curve.feature:
        return None
    if not len(curve.order):
        return float(tree.threshold[node])
    left = (int(tree.categories[node]) >> curve.order.astype(object) & 1).astype(bool)
    k = int(np.count_nonzero(left))
    if left[:k].all():
        return float(k)
    return float(len(left) - k) if left[-k:].all() else None  # the same split with sides swapped


def impurity_curve(
    x: np.ndarray, y: np.ndarray, weight: np.ndarray | None, criterion: str, n_classes: int = 0
) -> ImpurityCurve:
    """Return the impurity after splitting at each midpoint of the values x (n,), where nan is missing.

    y (n,) are class codes below `n_classes`, or with ``n_classes=0`` numbers; `weight` (n,) or None for ones.
    At every threshold, missing values go to the side that makes the impurity less.
    """
    return _threshold_curve(0, x, target(y, weight, criterion, n_classes))


def category_curve(
    codes: np.ndarray, y: np.ndarray, weight: np.ndarray | None, criterion: str, n_classes: int = 0
) -> ImpurityCurve:
    """Return the impurity after sending categories left one by one, in order of their mean target.

    That order contains the best subset for two classes and squared error (Breiman et al. 1984). For more
    classes, each gives an order by its share, and the order with the least impurity is kept.
    """
    return _category_curve(0, codes, target(y, weight, criterion, n_classes))


def impurity_curves(
    dataset: Dataset,
    rows: np.ndarray,
    weight: np.ndarray | None,
    criterion: str,
    rules: SplitRules = FREE,
) -> list[ImpurityCurve]:
    """Return curves of all features over a node's rows (bool or numbers), the one with the least impurity first.

    Under "gain_ratio", curves with at least the average gain come first, by `ratio`.
    `weight` is (n_samples,) of the whole data set, or None. Splits that the `rules` forbid are left out. Curves of
    more than `MAX_POINTS` are thinned; their least point is kept. If rows times features exceed `MAX_CELLS`, the
    curves are of a random part of the rows, always the same one: compare ``ImpurityCurve.n_samples``.
    """
    rows = _some(np.flatnonzero(rows) if rows.dtype == np.bool_ else rows, len(dataset.features), criterion)
    node = target(dataset.y[rows], None if weight is None else weight[rows], criterion, len(dataset.classes))
    curves = [thin(curve) for curve in _all_curves(dataset, rows, node, rules)]
    if criterion == "gain_ratio":
        return _rank_by_ratio(curves, float(node.weight.sum()))
    return sorted(curves, key=lambda c: float(c.impurity[c.best]) if len(c.impurity) else np.inf)


def _all_curves(
    dataset: Dataset, rows: np.ndarray, node: SortedTarget, rules: SplitRules
) -> Iterator[ImpurityCurve]:
    """Yield the curve of every feature in turn; columns are taken a few at a time, for tables with thousands."""
    step, categorical = max(TOGETHER // max(len(rows), 1), 1), dataset.categorical
    for first in range(0, len(categorical), step):
        x = np.ascontiguousarray(dataset.X[rows, first : first + step].T)
        is_plain = not categorical[first : first + step].any() and not rules.direction[first : first + step].any()
        if is_plain and not np.isnan(x).any() and len(rows):
            yield from curves_of_numbers(first, x, node)
        else:
            yield from (
                curve_of(f, bool(categorical[f]), values, node, rules) for f, values in enumerate(x, first)
            )


def curves_of_numbers(first: int, x: np.ndarray, node: SortedTarget) -> list[ImpurityCurve]:
    """Return `curve_of` the features from `first` on, with values x (n_features, n), n > 0, none missing."""
    order = np.argsort(x, axis=1)
    values = np.take_along_axis(x, order, axis=1)
    is_cut = values[:, :-1] != values[:, 1:]
    threshold = midpoint(values[:, :-1], values[:, 1:])
    impurity, left_weight = sides_of_all(node, order)
    before, from_left, no_order = node_impurity(node), np.zeros(x.shape[1], dtype=bool), np.empty(0, np.int64)
    return [
        ImpurityCurve(f, t[cut], i[cut], w[cut], from_left[: np.count_nonzero(cut)], no_order, before, x.shape[1])
        for f, (cut, t, i, w) in enumerate(zip(is_cut, threshold, impurity, left_weight, strict=True), first)
    ]


def curve_of(
    feature: int, is_category: bool, x: np.ndarray, node: SortedTarget, rules: SplitRules = FREE
) -> ImpurityCurve:
    """Return the `impurity_curve` or `category_curve` of the values x (n,) of a feature and the node's target."""
    if rules.by_surrogates and np.isnan(x).any():
        return _curve_of_known(feature, is_category, x, node)
    return _category_curve(feature, x, node) if is_category else _threshold_curve(feature, x, node, rules)


def _curve_of_known(feature: int, is_category: bool, x: np.ndarray, node: SortedTarget) -> ImpurityCurve:
    """Return the curve by which a split with surrogates is chosen, of the samples that have a value.

    So the impurity falls by the decrease among these, times their share of the weight.
    """
    has_value = ~np.isnan(x)
    part = node.only(has_value)
    curve = curve_of(feature, is_category, x[has_value], part)
    before, share = node_impurity(node), float(part.weight.sum() / node.weight.sum())
    after = before - share * (curve.node_impurity - curve.impurity)
    return curve._replace(impurity=after, node_impurity=before, n_samples=len(x), is_of_known=True)


def ratio(curve: ImpurityCurve, weight: float) -> float:
    """Return the gain ratio of a curve's best split among samples of this weight; 0 if no split exists.

    It is the gain over the split information, which is the entropy in bits of the shares of weight that go left
    and right (Quinlan 1993, section 2.2). The curve is of entropy.
    """
    if not len(curve.impurity):
        return 0.0
    share = float(curve.left_weight[curve.best]) / weight
    information = -(share * np.log2(share) + (1 - share) * np.log2(1 - share))
    return max(curve.gain, 0.0) / float(information)


def _rank_by_ratio(curves: list[ImpurityCurve], weight: float) -> list[ImpurityCurve]:
    """Return the curves in the order in which `kernels.cart.best_split` chooses; those without a split last."""
    gains = [curve.gain for curve in curves if len(curve.impurity)]
    average = float(np.mean(gains)) if gains else 0.0

    def rank(curve: ImpurityCurve) -> tuple[bool, bool, float]:
        return not len(curve.impurity), curve.gain < average - TIE, -round(ratio(curve, weight), 12)

    return sorted(curves, key=rank)


def _some(rows: np.ndarray, n_features: int, criterion: str) -> np.ndarray:
    most = max(MAX_CELLS // SLOWER.get(criterion, 1) // max(n_features, 1), 1_000)
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(0).choice(rows, most, replace=False))


def thin(curve: ImpurityCurve, max_points: int = MAX_POINTS) -> ImpurityCurve:
    """Return the curve with at most `max_points`: the least and greatest point of each stretch; ends are kept."""
    n = len(curve.threshold)
    if n <= max_points or len(curve.order):
        return curve
    edges = np.linspace(0, n, max_points // 2, dtype=np.int64)[:-1]
    least = _first_where_least(curve.impurity, edges)
    greatest = _first_where_least(-curve.impurity, edges)
    keep = np.unique(np.concatenate([[0, n - 1], least, greatest]))
    names = ("threshold", "impurity", "left_weight", "missing_left")
    return curve._replace(**{name: getattr(curve, name)[keep] for name in names})


def _first_where_least(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    least = np.minimum.reduceat(values, edges)
    stretch = np.searchsorted(edges, np.arange(len(values)), side="right") - 1
    hit = np.flatnonzero(values == least[stretch])
    return hit[np.unique(stretch[hit], return_index=True)[1]]


def midpoint(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return thresholds that separate `low` from `high`: midpoints, or `low` if rounding moves them outside."""
    middle = low / 2 + high / 2
    return np.where((low <= middle) & (middle < high), middle, low)


def _threshold_curve(feature: int, x: np.ndarray, node: SortedTarget, rules: SplitRules = FREE) -> ImpurityCurve:
    order = np.argsort(x)  # missing values last
    n_known = len(x) - int(np.isnan(x).sum())
    values = x.take(order[:n_known])
    cuts = np.flatnonzero(values[:-1] != values[1:]) + 1
    threshold = midpoint(values[cuts - 1], values[cuts])
    if 0 < n_known < len(x):
        cuts, threshold = np.append(cuts, n_known), np.append(threshold, np.inf)
    search = _CutSearch(feature, node, n_known, rules)
    (impurity, left_weight), missing_left = _better_side(search, order, cuts)
    possible = np.isfinite(impurity)
    no_order = np.empty(0, np.int64)
    return ImpurityCurve(
        feature, threshold[possible], impurity[possible], left_weight[possible], missing_left[possible], no_order,
        node_impurity(node), len(x),
    )  # fmt: skip


class _CutSearch(NamedTuple):
    """What the impurity after cuts of one feature depends on, beside the order of the samples."""

    feature: int
    node: SortedTarget
    known: int  # samples with a value
    rules: SplitRules


def _better_side(search: _CutSearch, order: np.ndarray, cuts: np.ndarray) -> tuple[Sides, np.ndarray]:
    """Return the sides of the cuts, and whether missing values go left; a forbidden cut has the impurity inf."""
    if not len(cuts):
        return Sides(np.empty(0), np.empty(0)), np.empty(0, dtype=bool)
    right = _admitted_sides(search, order, cuts, cuts == search.known)
    n_missing = len(order) - search.known
    if not n_missing or search.rules.beyond:
        return right, np.zeros(len(cuts), dtype=bool)
    apart = np.zeros(len(cuts), dtype=bool)
    left = _admitted_sides(search, np.roll(order, n_missing), cuts + n_missing, apart)
    better = (left.impurity < right.impurity) & (cuts < search.known)
    impurity = np.where(better, left.impurity, right.impurity)
    return Sides(impurity, np.where(better, left.left_weight, right.left_weight)), better


def _admitted_sides(search: _CutSearch, order: np.ndarray, cuts: np.ndarray, apart: np.ndarray) -> Sides:
    """Return the sides of the cuts; missing values that a cut sets `apart` (m,) have no place in a direction."""
    both = sides(search.node, order, cuts)
    if not search.rules.direction_of(search.feature):
        return both
    is_admitted = search.rules.admits(search.feature, *answers_of_sides(search.node, order, cuts))
    return both._replace(impurity=np.where(is_admitted | apart, both.impurity, np.inf))


def _category_curve(feature: int, codes: np.ndarray, node: SortedTarget) -> ImpurityCurve:
    there = codes[~np.isnan(codes)].astype(np.int64)
    present = np.unique(there)
    orders = [present[np.argsort(m, kind="stable")] for m in _category_means(codes, present, node)]
    curves = [_ordered_curve(feature, codes, order, node) for order in orders]
    return min(curves, key=lambda c: float(c.impurity[c.best]) if len(c.impurity) else np.inf)


def _category_means(codes: np.ndarray, present: np.ndarray, node: SortedTarget) -> np.ndarray:
    """Return the sort keys of categories, (n_orders, n_present): one order, or one for each of many classes."""
    n_columns = len(node.sums)
    columns = range(n_columns) if n_columns > 2 and node.criterion not in (*REGRESSION, POISSON) else [1]
    inside = codes[:, None] == present
    weight = np.maximum(node.weight @ inside, 1e-300)
    return np.array([(node.sums[min(k, n_columns - 1)] @ inside) / weight for k in columns])


def _ordered_curve(feature: int, codes: np.ndarray, order: np.ndarray, node: SortedTarget) -> ImpurityCurve:
    place = np.full(int(order.max(initial=0)) + 1, 0)
    place[order] = np.arange(len(order))
    x = np.full(len(codes), np.nan)
    is_known = ~np.isnan(codes)
    x[is_known] = place[codes[is_known].astype(np.int64)]
    curve = _threshold_curve(feature, x, node)
    return curve._replace(threshold=np.arange(1.0, len(curve.threshold) + 1), order=order)


class ClassStrip(NamedTuple):
    """A node's samples along one feature, by class: the histogram beneath its impurity curve."""

    centre: np.ndarray  # (n_bins,) of each bin; for categories, their codes in the curve's order
    width: float
    weight: np.ndarray  # (n_classes, n_bins) weight of the samples; one row for regression


def strip(
    dataset: Dataset,
    rows: np.ndarray,
    weight: np.ndarray | None,
    curve: ImpurityCurve,
    cut: float | None = None,
    n_bins: int = 40,
) -> ClassStrip:
    """Return the histogram of a node's rows (bool or numbers) along the curve's feature, without missing values.

    Numbers have equal bins over the values of all samples, `n_bins` and perhaps one more: one of them ends at the
    `cut`, or for None at the best one, so that none has rows of both sides. Categories have a bin for each code.
    """
    x = dataset.X[rows, curve.feature]
    has_value = ~np.isnan(x)
    if dataset.features[curve.feature].categories:
        centre, width = _codes(dataset, curve), 1.0
        bins = np.argsort(centre)[x[has_value].astype(np.int64)]
    else:
        best = float(curve.threshold[curve.best]) if curve.best >= 0 else math.nan
        edge, left, width = _edge(dataset.X[:, curve.feature], best if cut is None else cut, n_bins)
        right = max(bins_up_to(float(np.nanmax(dataset.X[:, curve.feature])), edge, width), 1)
        centre = edge + width * (np.arange(-left, right) + 0.5)
        bins = np.clip(bins_beside(edge, width, x[has_value]) + left, 0, left + right - 1)
    groups = max(len(dataset.classes), 1)
    group = dataset.y[rows][has_value] if dataset.classes else np.zeros(np.count_nonzero(has_value), np.int64)
    weights = None if weight is None else weight[rows][has_value]
    cells = np.bincount(group * len(centre) + bins, weights, minlength=groups * len(centre))
    return ClassStrip(centre, width, cells.reshape(groups, len(centre)))


def _codes(dataset: Dataset, curve: ImpurityCurve) -> np.ndarray:
    codes = np.arange(len(dataset.features[curve.feature].categories))
    return np.concatenate([curve.order, np.setdiff1d(codes, curve.order)]) if len(curve.order) else codes


def _edge(column: np.ndarray, cut: float, n_bins: int) -> tuple[float, int, float]:
    """Return an edge of bins over a column, how many bins end there or before, and their width."""
    low, high = float(np.nanmin(column)), float(np.nanmax(column))
    width = (high - low) / n_bins or 1.0
    return (cut, max(bins_up_to(cut, low, width), 1), width) if low <= cut < high else (low, 0, width)


def bins_up_to(high: float, low: float, width: float) -> int:
    """Return how many bins of this width reach from `low` to `high`, or just beyond it."""
    return max(math.ceil((high - low) / width - BARELY), 0)


def bins_beside(edge: float | np.ndarray, width: float | np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the number of each value's bin, counted from an edge: from 0 on to its right, below 0 to its left.

    Each bin holds its upper end, so that the bins left of a cut have just the samples that go left.

    >>> bins_beside(2.5, 1.0, np.array([1.5, 1.6, 2.5, np.nextafter(2.5, 3), 3.5, 3.6]))
    array([-2, -1, -1,  0,  0,  1])
    """
    place = np.ceil((x - edge) / width).astype(np.int64) - 1
    return np.where(x <= edge, np.minimum(place, -1), np.maximum(place, 0))


# ---- columns of many categories

MANY_LEVELS = 5  # categories, from which on there may be too many
FEW_ROWS = 10  # rows per category on average, below which a category's share is mostly chance


def has_many_levels(n_categories: int, n_samples: int) -> bool:
    """Return whether a column has so many categories for its samples that it may win splits by chance.

    The number of sets grows exponentially with the categories, so that a set that suits the samples at hand is
    easily found among them. Here that is `MANY_LEVELS` or more categories with fewer than `FEW_ROWS` samples each,
    on average.

    >>> has_many_levels(30, 200), has_many_levels(30, 2000), has_many_levels(3, 10)
    (True, False, False)
    """
    return n_categories >= MANY_LEVELS and n_samples < FEW_ROWS * n_categories


# ---- the features that a tree splits on


def features_of(tree: AnyTree | ObliqueTree) -> list[int]:
    """Return the features that the tree splits on, each once, ascending."""
    features = tree.decisions.feature if isinstance(tree, CultivatedTree) else tree.feature[tree.left != LEAF]
    more = tree.terms.feature if isinstance(tree, ObliqueTree) else features[:0]
    return sorted({*features.tolist(), *more.tolist()})  # quicker than np.unique of the few nodes of a page's tree


def most_used(tree: AnyTree | ModelTree | ObliqueTree, n_features: int) -> list[int]:
    """Return all features, those that the tree has most use for first.

    Judged by the impurity that their splits take away, options by their shares, and a slanted split for each
    feature that it weighs; in a model tree also by how far its formulas reach, over its leaves by their weight.
    Splits and formulas count alike.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> most_used(CartClassifier(max_depth=2).fit(iris.X, iris.y).tree_, 4)
    [2, 3, 0, 1]
    """
    if isinstance(tree, ModelTree):
        parts = [_gains(tree.tree, n_features), _reaches(tree, n_features)]
        gain = sum((part / max(part.sum(), 1e-300) for part in parts), np.zeros(n_features))
    else:
        gain = _gains(tree, n_features)
    return np.argsort(-gain, kind="stable").tolist()


def _gains(tree: AnyTree | ObliqueTree, n_features: int) -> np.ndarray:
    """Return the weighted impurity that the splits on each feature take away, (n_features,)."""
    inner = np.flatnonzero(tree.left != LEAF)
    loss = tree.weight * tree.impurity
    gain, feature = loss[inner] - loss[tree.left[inner]] - loss[tree.right[inner]], tree.feature[inner]
    if isinstance(tree, CultivatedTree):
        feature = tree.decisions.feature
        gain = np.repeat(gain, np.diff(tree.decisions.start)[inner]) * tree.decisions.share
    if isinstance(tree, ObliqueTree):
        n_terms = np.diff(tree.terms.start)[inner]
        more = np.repeat(gain, n_terms)
        alone = n_terms == 0
        feature = np.append(feature[alone], tree.terms.feature)
        gain = np.append(gain[alone], more)
    return np.bincount(feature, gain, minlength=n_features)


def _reaches(model: ModelTree, n_features: int) -> np.ndarray:
    """Return how far the formulas of all leaves reach in each feature, by the leaves' weight, (n_features,)."""
    total = np.zeros(n_features)
    for leaf in np.flatnonzero(is_leaf(model.tree)).tolist():
        for term in terms_at(model.models, leaf):
            total[term.feature] += model.tree.weight[leaf] * term.reach
    return total


# ---- the order in which a tree comes about, one split after the other


def growth_order(tree: AnyTree, order: str = "gain") -> np.ndarray:
    """Return (n_nodes,) int64: the place of each split in the order of growth, from 0 on; -1 at a leaf.

    A node is split after its parent. "gain": of the nodes that may be split next, the one whose split takes most
    off the impurity of the whole tree, as a tree with a limit of leaves grows; "depth": level by level, from left
    to right; "found": down to the leftmost leaf first, as CART finds its splits. Raises ValueError for another
    order, and TypeError for trees without boxes.

    >>> import numpy as np
    >>> from espalier.learners import CartClassifier
    >>> X = np.arange(6.0)[:, None]
    >>> tree = CartClassifier().fit(X, [0, 1, 1, 2, 2, 2]).tree_
    >>> tree.left.tolist()
    [1, 2, -1, -1, -1]
    >>> growth_order(tree).tolist()
    [0, 1, -1, -1, -1]
    """
    tree = boxed(tree, "the order of growth")
    splits = np.flatnonzero(~is_leaf(tree))
    if order == "found":
        sequence = splits.tolist()
    elif order == "depth":
        sequence = splits[np.argsort(depths(tree)[splits], kind="stable")].tolist()
    elif order == "gain":
        sequence = _best_first(tree)
    else:
        raise ValueError(f"order={order!r}: a tree grows by gain, by depth, or as found")
    places = np.full(tree.n_nodes, LEAF, np.int64)
    places[sequence] = np.arange(len(sequence))
    return places


def impurity_left(tree: AnyTree, places: np.ndarray) -> np.ndarray:
    """Return (n_leaves,) float64: the mean impurity of the leaves, by weight, after 0, 1, … splits.

    `places` is the order of growth (`growth_order`).

    >>> import numpy as np
    >>> from espalier.learners import CartClassifier
    >>> tree = CartClassifier().fit(np.arange(4.0)[:, None], [0, 0, 1, 1]).tree_
    >>> impurity_left(tree, growth_order(tree)).tolist()
    [0.5, 0.0]
    """
    tree = boxed(tree, "the impurity that is left")
    rest = tree.weight * tree.impurity
    sequence = np.flatnonzero(places != LEAF)
    sequence = sequence[np.argsort(places[sequence])]
    gain = rest[sequence] - rest[tree.left[sequence]] - rest[tree.right[sequence]]
    left = rest[0] - np.append(0.0, np.cumsum(gain))
    return np.maximum(left, 0.0) / tree.weight[0]


def _best_first(tree: AnyTree) -> list[int]:
    rest = tree.weight * tree.impurity
    gain = rest - rest[tree.left] - rest[tree.right]  # of a leaf it means nothing, and is not asked for
    waiting, sequence = [(-gain[0], 0)], []
    while waiting:
        _, node = heapq.heappop(waiting)
        if tree.left[node] != LEAF:
            sequence.append(node)
            for child in (int(tree.left[node]), int(tree.right[node])):
                heapq.heappush(waiting, (-gain[child], child))
    return sequence
