"""The conditions of a path through a tree, with repeated splits on a feature combined.

Rule texts and exports both use these bounds, so that they agree.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.data.errors import number_text
from espalier.data.filters import Condition, Filter, day_text
from espalier.data.options import first_day
from espalier.leaf_models import ModelTree
from espalier.oblique import ObliqueTree, terms_of
from espalier.trees import LEAF, AnyTree, CultivatedTree, Tree, is_category_split, path_to

N_BITS = 64
ALL = (1 << N_BITS) - 1


class Bound(NamedTuple):
    """The condition of a path on one feature: ``low < x <= high``, and a category out of a set."""

    feature: int
    low: float = -math.inf
    high: float = math.inf
    categories: int = ALL  # bit c set: category c is admitted
    missing: bool = True  # whether a missing value is admitted

    @property
    def is_threshold(self) -> bool:
        """Whether a finite threshold bounds the feature."""
        return math.isfinite(self.low) or math.isfinite(self.high)

    @property
    def is_empty(self) -> bool:
        """Whether no known value is admitted."""
        return not (self.low < self.high and self.categories)


def boxed(tree: AnyTree | ObliqueTree | ModelTree, purpose: str) -> Tree | CultivatedTree:
    """Return the tree, if each of its questions is about one feature and each leaf has one answer.

    Raises ValueError for an `ObliqueTree` and for a `ModelTree`.

    `purpose` is the beginning of the sentence that says why: "an export to SQL".
    """
    if isinstance(tree, ModelTree):
        raise ValueError(
            f"{purpose} needs one answer in each leaf, and the leaves of a model tree have formulas. Take a CART "
            "tree"
        )
    if isinstance(tree, ObliqueTree):
        raise ValueError(
            f"{purpose} needs splits on one feature each, and an oblique tree weighs several features in a split. "
            "Take a CART tree, or max_terms=1"
        )
    return tree


def step(tree: Tree, node: int, left: bool) -> Bound:
    """Return the condition under which a sample at `node` goes to its left (right) child.

    Where surrogate splits decide about a missing value, it is admitted on both sides. They decide about categories
    that the node never saw, too, and those are admitted on neither side.
    """
    boxed(tree, "a rule")
    feature = int(tree.feature[node])
    is_open = tree.surrogates.start[node] < tree.surrogates.start[node + 1]
    missing = bool(is_open) or bool(tree.missing_left[node]) == bool(left)
    if np.isnan(tree.threshold[node]):
        mask = int(tree.categories[node]) if left else ALL & ~int(tree.categories[node])
        own_codes = int(tree.surrogates.own_seen[node]) if is_open else ALL
        return Bound(feature, categories=mask & own_codes, missing=missing)
    threshold = float(tree.threshold[node])
    low, high = (-math.inf, threshold) if left else (threshold, math.inf)
    return Bound(feature, low, high, missing=missing)


def both(first: Bound, second: Bound) -> Bound:
    """Return the intersection of two bounds on the same feature."""
    return Bound(
        first.feature,
        max(first.low, second.low),
        min(first.high, second.high),
        first.categories & second.categories,
        first.missing and second.missing,
    )


def narrow(demands: list[Bound], bound: Bound) -> list[Bound]:
    """Return the demands, one per feature, joined with another bound; the given list is not changed."""
    features = [demand.feature for demand in demands]
    if bound.feature not in features:
        return [*demands, bound]
    at = features.index(bound.feature)
    return [*demands[:at], both(demands[at], bound), *demands[at + 1 :]]


def bounds(tree: Tree, node: int) -> list[Bound]:
    """Return the conditions to reach `node`: one bound per feature split on above it, in order of first use."""
    demands: list[Bound] = []
    for parent, child in itertools.pairwise(path_to(tree, node)):
        demands = narrow(demands, step(tree, parent, left=child == int(tree.left[parent])))
    return demands


def admitted_codes(bound: Bound, n_categories: int) -> list[int]:
    """Return codes below `n_categories` that the bound admits, ascending."""
    return [c for c in range(n_categories) if bound.low < c <= bound.high and bound.categories >> c & 1]


def all_bounds(tree: Tree) -> Iterator[tuple[int, list[Bound]]]:
    """Yield each node in preorder with its `bounds`, for all nodes in one walk."""
    todo: list[tuple[int, list[Bound]]] = [(0, [])]
    while todo:
        node, demands = todo.pop()
        yield node, demands
        if tree.feature[node] != LEAF:
            for child, left in ((tree.right[node], False), (tree.left[node], True)):
                todo.append((int(child), narrow(demands, step(tree, node, left))))


def leaf_bounds(tree: Tree) -> list[tuple[int, list[Bound]]]:
    """Return each leaf, from left to right, with its bounds."""
    return [(node, demands) for node, demands in all_bounds(tree) if tree.feature[node] == LEAF]


def admits(bound: Bound, x: np.ndarray) -> np.ndarray:
    """Return which values of the feature (numbers or codes; nan: missing) are admitted, (n_samples,) bool."""
    is_admitted = (x > bound.low) & (x <= bound.high)
    if bound.categories != ALL:
        codes = np.where((x >= 0) & (x < N_BITS), x, 0).astype(np.uint64)
        is_admitted &= (codes == x) & (np.uint64(bound.categories) >> codes & np.uint64(1) != 0)
    return np.where(np.isnan(x), bound.missing, is_admitted)


def admits_value(bound: Bound, value: float) -> bool:
    """Return whether one value of the feature is admitted, as `admits` does of many.

    >>> admits_value(Bound(0, low=1.0), 2.0), admits_value(Bound(0, categories=0b101), 1.0)
    (True, False)
    """
    if math.isnan(value):
        return bound.missing
    if not bound.low < value <= bound.high:
        return False
    is_category = 0 <= value < N_BITS and value == int(value)
    return bound.categories == ALL or (is_category and bool(bound.categories >> int(value) & 1))


# ---- the conditions of a path through an oblique tree: bounds on single features, and on weighted sums of several


class Slant(NamedTuple):
    """The condition ``sum of coefficient * x <= threshold`` of a slanted split, or its opposite."""

    feature: tuple[int, ...]
    coefficient: tuple[float, ...]
    threshold: float
    left: bool  # whether the sum is at most the threshold; else it is above


def oblique_step(tree: ObliqueTree, node: int, left: bool) -> Bound | Slant:
    """Return the condition under which a sample at `node` goes to its left (right) child.

    A bound admits a missing value where it admits the fill of the feature.
    """
    feature, coefficient = terms_of(tree, node)
    threshold = float(tree.threshold[node])
    if len(feature):
        return Slant(tuple(feature.tolist()), tuple(coefficient.tolist()), threshold, left)
    own = int(tree.feature[node])
    fill, mask = float(tree.fill[own]), int(tree.categories[node])
    if np.isnan(threshold):
        is_left = bool(mask >> int(fill) & 1)
        return Bound(own, categories=mask if left else ALL & ~mask, missing=is_left == left)
    missing = (fill <= threshold) == left
    return Bound(own, high=threshold, missing=missing) if left else Bound(own, low=threshold, missing=missing)


def all_demands(tree: ObliqueTree) -> list[tuple[Bound | Slant, ...]]:
    """Return the conditions to reach each node, in preorder: a bound for each feature that is split on alone, then
    the slants in their order.

    >>> none, one = [-1, -1], [1.0, 1.0]
    >>> from espalier.oblique import make_oblique
    >>> tree = make_oblique(
    ...     [0, *none], [3.0, np.nan, np.nan], [1, *none], [2, *none], [0, 0, 0], [4, 2, 2], [4, 2, 2],
    ...     [[0.5, 0.5], [1, 0], [0, 1]], [0.5, 0, 0], [1.2, 1.8], ([0, 2, 2, 2], [0, 1], one),
    ... )
    >>> all_demands(tree)[1]
    (Slant(feature=(0, 1), coefficient=(1.0, 1.0), threshold=3.0, left=True),)
    """
    all_bounds: list[list[Bound]] = [[]] * tree.n_nodes
    slants: list[list[Slant]] = [[]] * tree.n_nodes
    for node, left in itertools.product(range(tree.n_nodes), (True, False)):
        if tree.left[node] != LEAF:
            child = int(tree.left[node] if left else tree.right[node])
            more = oblique_step(tree, node, left)
            is_slant = isinstance(more, Slant)
            all_bounds[child] = all_bounds[node] if is_slant else narrow(all_bounds[node], more)
            slants[child] = [*slants[node], more] if is_slant else slants[node]
    return [(*bounds, *sums) for bounds, sums in zip(all_bounds, slants, strict=True)]


# ---- the way to a node as a filter of rows: the node's samples, in the words of conditions on columns


def filter_of_node(
    tree: Tree, node: int, features: Sequence[Feature], missing: np.ndarray | None = None
) -> Filter:
    """Return the filter that takes the samples of a node, and no others.

    `missing` is (n_features,) bool: the features with missing values, which alone are spoken of; None: any may
    have some. Where surrogate splits decide about these, it takes all samples that they might send here. Raises
    ValueError for a tree whose leaves are no boxes.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> tree = CartClassifier(max_depth=2).fit(iris.X, iris.y).tree_
    >>> filter_of_node(tree, 3, iris.features, np.zeros(4, bool)).words
    'petal length > 2.45 and petal width ≤ 1.75'
    """
    all_conditions: list[Condition] = []
    for bound in bounds(tree, node):
        conditions = _conditions(bound, features[bound.feature])
        if missing is not None and not missing[bound.feature]:
            conditions = [condition._replace(missing=False) for condition in conditions if condition.values]
        all_conditions += conditions
    return Filter((tuple(all_conditions),))


def _conditions(bound: Bound, feature: Feature) -> list[Condition]:
    """Return the conditions that a value meets if the bound admits it."""
    if feature.categories:
        return _category_conditions(bound, feature)
    if bound.is_empty:
        return _no_value(bound, feature)
    low, high, conditions = bound.low, bound.high, []
    if math.isfinite(low):
        own = (
            ("ge", _number_words(feature, math.floor(low) + 1.0)) if feature.is_whole else ("gt", number_text(low))
        )
        conditions.append(Condition(feature.name, own[0], (own[1],), bound.missing))
    if math.isfinite(high):
        most = float(math.floor(high)) if feature.is_whole else high
        conditions.append(Condition(feature.name, "le", (_number_words(feature, most),), bound.missing))
    return conditions or ([] if bound.missing else [Condition(feature.name, "out")])


def _no_value(bound: Bound, feature: Feature) -> list[Condition]:
    """Return the conditions of a bound that admits no value, and may not even admit a missing one."""
    missing, value = Condition(feature.name, "in", missing=True), Condition(feature.name, "out")
    return [missing] if bound.missing else [missing, value]


def _number_words(feature: Feature, number: float) -> str:
    since = first_day(feature.moment)
    return number_text(number) if since is None else day_text(number, since)


def _category_conditions(bound: Bound, feature: Feature) -> list[Condition]:
    """Return the condition on a category: the names admitted, or the others, if these are fewer."""
    names = feature.categories
    codes = admitted_codes(bound, len(names))
    rest = sorted(set(range(len(names))) - set(codes))
    if not rest and bound.missing:
        return []
    if len(rest) < len(codes):
        return [Condition(feature.name, "out", tuple(names[c] for c in rest), bound.missing)]
    if not codes:
        return _no_value(bound, feature)
    return [Condition(feature.name, "in", tuple(names[c] for c in codes), bound.missing)]


# ---- the surrogate splits of a node as conditions, and refusals of trees that have any


class Question(NamedTuple):
    """A split of a node, its own or a surrogate: the values that go left and right, and those it knows at all."""

    left: Bound
    right: Bound
    known: Bound  # any number, or the categories that were there when the split was chosen


def surrogate_tests(tree: Tree, node: int) -> list[tuple[Bound, float]]:
    """Return the surrogate splits of a node, the best one first: the values of its feature that go left, and how
    well it stands in for the node's own split, the share of the weight of samples with both values that it sends
    to the same side.

    >>> from espalier.learners import CartClassifier
    >>> X = np.array([[1, 40], [2, 30], [3, 20], [4, 10]])
    >>> tree = CartClassifier(max_depth=1, missing="surrogate").fit(X, [0, 0, 1, 1]).tree_
    >>> bound, agreement = surrogate_tests(tree, 0)[0]
    >>> bound.feature, bound.low, agreement
    (1, 25.0, 1.0)
    """
    pool, (first, stop) = tree.surrogates, tree.surrogates.start[node : node + 2]
    return [(_side_of(tree, at, left=True), float(pool.agreement[at])) for at in range(first, stop)]


def deciders(tree: Tree, node: int, X: np.ndarray) -> np.ndarray:
    """Return how many samples of a node, X (n_samples, n_features), each of its surrogates decides about.

    The last number is of those that go to the larger side, since none of their values is known. (n + 1,) int64.
    """
    own, *surrogates = questions_in_order(tree, node)
    open_rows = ~admits(own.known, X[:, own.known.feature])
    counts = []
    for question in surrogates:
        here = open_rows & admits(question.known, X[:, question.known.feature])
        counts.append(np.count_nonzero(here))
        open_rows &= ~here
    return np.array([*counts, np.count_nonzero(open_rows)], dtype=np.int64)


def questions_in_order(tree: Tree, node: int) -> list[Question]:
    """Return the node's own split and each of its surrogates, the first of which that knows a value decides."""
    return [question_at(tree, node, number) for number in range(n_surrogates(tree, node) + 1)]


def question_at(tree: Tree, node: int, number: int) -> Question:
    """Return the node's own split (number 0), or one of its surrogates, numbered from 1.

    >>> from espalier.learners import CartClassifier
    >>> X = np.array([[1, 40], [2, 30], [3, 20], [4, 10]])
    >>> tree = CartClassifier(max_depth=1, missing="surrogate").fit(X, [0, 0, 1, 1]).tree_
    >>> question_at(tree, 0, 1).left.low, question_at(tree, 0, 1).right.high
    (25.0, 25.0)
    """
    ways = (
        surrogate_step(tree, node, number, left) if number else step(tree, node, left) for left in (True, False)
    )
    left, right = (way._replace(missing=False) for way in ways)
    is_set = left.categories != ALL or right.categories != ALL
    categories = left.categories | right.categories if is_set else ALL
    return Question(left, right, Bound(left.feature, categories=categories, missing=False))


def may_ask_surrogates(tree: Tree, x: np.ndarray) -> bool:
    """Return whether surrogates may decide about a sample x (n_features,), or about what it can be changed into.

    They do where it has a missing value, and where a category is one that a node never saw.
    """
    has_own = np.diff(tree.surrogates.start) > 0
    return bool(tree.has_surrogates and (np.isnan(x).any() or (has_own & is_category_split(tree)).any()))


def refuse_surrogates(tree: Tree, what: str, x: np.ndarray | None = None) -> None:
    """Raise ValueError for a tree with surrogate splits, of which `what` knows nothing.

    Given a sample x (n_features,), only if they `may_ask_surrogates` about it.
    """
    if tree.has_surrogates if x is None else may_ask_surrogates(tree, x):
        raise ValueError(
            f"{what} cannot be had of a tree with surrogate splits, where other columns decide about a missing "
            "value, or a category that the node never saw: grow the tree with missing='side', 'category' or "
            "'impute'"
        )


def n_surrogates(tree: Tree, node: int) -> int:
    """Return the number of surrogate splits of a node."""
    return int(tree.surrogates.start[node + 1] - tree.surrogates.start[node])


def surrogate_step(tree: Tree, node: int, number: int, left: bool) -> Bound:
    """Return the condition under which a node's surrogate split, numbered from 1, sends samples left (right).

    >>> from espalier.learners import CartClassifier
    >>> X = np.array([[1, 40], [2, 30], [3, 20], [4, 10]])
    >>> tree = CartClassifier(max_depth=1, missing="surrogate").fit(X, [0, 0, 1, 1]).tree_
    >>> surrogate_step(tree, 0, 1, left=False).high
    25.0
    """
    return _side_of(tree, int(tree.surrogates.start[node]) + number - 1, left)


def _side_of(tree: Tree, at: int, left: bool) -> Bound:
    pool = tree.surrogates
    feature, threshold = int(pool.feature[at]), float(pool.threshold[at])
    passes = left != bool(pool.reversed[at])
    if np.isnan(threshold):
        mask = int(pool.categories[at]) if passes else ALL & ~int(pool.categories[at])
        return Bound(feature, categories=mask & int(pool.seen[at]), missing=False)
    low, high = (-math.inf, threshold) if passes else (threshold, math.inf)
    return Bound(feature, low, high, missing=False)
