"""Hypothesis strategies: trees, names and samples that no learner would make."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from espalier.data.dataset import Feature
from espalier.leaf_models import ModelTree, make_leaf_models
from espalier.trees import Tree, is_category_split, make_tree

NAMES = ("x", "x", "petal width", "class", "def", "größe", "²", "a'b", 'say "hi"', "back\\slash", "x_2", "x (2)")
NAMES += ("two\nlines", "", "1st", "number", "isnan", "sample", "Ａ", "a", "🌳", "{0}", "%s", "--", "*/", "</b>")
LEVELS = ("none", "mild", "it's", "x\\y", 'a"b', "1", "2.5", "ü", "{}", "*/")


@st.composite
def features(draw) -> tuple[Feature, ...]:
    """One to four features of all kinds; categories without names among them."""
    found = []
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4)):
        kind = draw(st.sampled_from(["number", "category", "ordered", "yes/no"]))
        n = {"number": 0, "yes/no": 2}.get(kind) or draw(st.integers(2, 6))
        names = draw(st.permutations(LEVELS))[:n] if kind != "number" else ()
        found.append(Feature(name, kind, tuple(names)))
    return tuple(found)


def targets() -> st.SearchStrategy[Feature]:
    classes = st.integers(2, 4).flatmap(
        lambda n: st.permutations(["yes", "no", "it's", "a\nb"]).map(lambda p: p[:n])
    )
    return st.one_of(
        st.just(Feature("y")), classes.map(lambda names: Feature('the "target"', "category", tuple(names)))
    )


THRESHOLDS = st.one_of(
    st.sampled_from([0.1, 1 / 3, -0.0, 1e-300, 1e17, math.inf, 2.5]), st.floats(-10, 10, allow_nan=False)
)


@st.composite
def trees(draw, columns: tuple[Feature, ...], target: Feature, max_splits: int = 7) -> Tree:
    """A tree in preorder that splits on the columns at random; each split takes its children's sums."""
    rows: list[list] = []

    def grow(splits: int) -> int:
        node = len(rows)
        rows.append([-1, math.nan, -1, -1, 0, False])
        if splits > 0:
            feature = draw(st.integers(0, len(columns) - 1))
            test = draw(_tests(columns[feature]))
            left_splits = draw(st.integers(0, splits - 1))
            left, right = grow(left_splits), grow(splits - 1 - left_splits)
            rows[node] = [feature, test[0], left, right, test[1], draw(st.booleans())]
        return node

    grow(draw(st.integers(0, max_splits)))
    arrays = list(zip(*rows, strict=True))
    n, n_outputs = len(rows), max(len(target.categories), 1)
    numbers = draw(st.lists(st.integers(1, 9), min_size=n * n_outputs, max_size=n * n_outputs))
    value = np.array(numbers, dtype=float).reshape(n, n_outputs)
    if target.categories:
        value /= value.sum(axis=1, keepdims=True)
    size = np.arange(1, n + 1)
    return make_tree(
        *(np.array(a, dtype="u8" if i == 4 else None) for i, a in enumerate(arrays)),
        size,
        size * 0.5,
        value,
        size / 7,
    )


@st.composite
def any_trees(draw, columns: tuple[Feature, ...], target: Feature) -> Tree:
    """A tree with or without surrogate splits."""
    tree = draw(trees(columns, target))
    return draw(with_surrogates(tree, columns)) if draw(st.booleans()) else tree


QUARTERS = st.integers(-12, 12).map(lambda n: n / 4)


@st.composite
def model_trees(draw, columns: tuple[Feature, ...], target: Feature) -> ModelTree:
    """A tree with a formula of any features in each leaf, categories among them."""
    tree = draw(trees(columns, target, max_splits=3))
    n_classes = len(target.categories)
    link = draw(st.sampled_from(["softmax", "logistic"] if n_classes == 2 else ["softmax"])) if n_classes else ""
    n_scores = n_classes if link == "softmax" else 1
    scores = st.lists(QUARTERS, min_size=n_scores, max_size=n_scores)
    intercept, start, terms = [], [0], []
    for feature in tree.feature.tolist():
        used = sorted(draw(st.sets(st.integers(0, len(columns) - 1)))) if feature < 0 else []
        for one in used:
            low, high = sorted(draw(st.lists(QUARTERS, min_size=2, max_size=2)))
            terms.append((one, draw(scores), low, high))
        intercept.append(draw(scores) if feature < 0 else [math.nan] * n_scores)
        start.append(len(terms))
    fields = zip(*terms, strict=True) if terms else ([], np.empty((0, n_scores)), [], [])
    fill = draw(st.lists(QUARTERS, min_size=len(columns), max_size=len(columns)))
    ends = ([-math.inf] * n_scores, [math.inf] * n_scores) if link else ([-5.0], [7.5])
    return ModelTree(tree, make_leaf_models(intercept, start, *fields, fill, *ends, link or "identity"))


@st.composite
def with_surrogates(draw, tree: Tree, columns: tuple[Feature, ...]) -> Tree:
    """The same tree with up to two surrogates at each split, on any features, of categories seen or never seen."""
    rows, start = [], [0]
    seen = st.one_of(st.just(2**64 - 1), st.integers(1, 63))
    own_seen = [draw(seen) if is_category else 0 for is_category in is_category_split(tree)]
    for own in tree.feature.tolist():
        for _ in range(draw(st.integers(0, 2)) if own >= 0 else 0):
            feature = draw(st.integers(0, len(columns) - 1))
            agreement = draw(st.integers(1, 9)) / 9
            threshold, mask = draw(_tests(columns[feature]))
            saw = draw(seen) if math.isnan(threshold) else 0
            rows.append((feature, threshold, mask, saw, draw(st.booleans()), agreement))
        start.append(len(rows))
    fields = zip(*rows, strict=True) if rows else [()] * 6
    return make_tree(*tree[:-1], [start, *(np.array(field, dtype=object) for field in (own_seen, *fields))])


def _tests(feature: Feature) -> st.SearchStrategy[tuple[float, int]]:
    n = len(feature.categories)
    if feature.kind == "category":
        others = 2**64 - 2**n  # codes past the last category go left too
        masks = st.one_of(st.integers(1, 2**n - 1), st.integers(0, 2**n - 1).map(lambda mask: mask | others))
        return masks.map(lambda mask: (math.nan, mask))
    if n:
        return st.sampled_from([c + 0.5 for c in range(n - 1)] + [math.inf]).map(lambda t: (t, 0))
    return THRESHOLDS.map(lambda t: (t, 0))


@st.composite
def samples(draw, columns: tuple[Feature, ...], tree: Tree, n: int = 12) -> np.ndarray:
    """(n, n_features) values: codes, numbers, thresholds themselves and their neighbours, missing."""
    X = np.full((n, len(columns)), np.nan)
    for j, feature in enumerate(columns):
        cuts = [float(t) for t in tree.threshold[tree.feature == j] if math.isfinite(t)]
        near = [v for t in cuts for v in (t, np.nextafter(t, 99), np.nextafter(t, -99))]
        known = st.sampled_from([*near, 0.0, 1e9]) if near else st.floats(-10, 10)
        if feature.categories:
            known = st.integers(0, len(feature.categories) - 1).map(float)
        X[:, j] = draw(st.lists(st.one_of(known, st.just(math.nan)), min_size=n, max_size=n))
    return X
