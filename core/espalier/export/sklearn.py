"""A grown tree as a genuine tree of scikit-learn, for the many programs that read only those."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from espalier.data.dataset import Feature
from espalier.kinds import KINDS
from espalier.learners.description import describe_tree
from espalier.learners.frames import quote_all
from espalier.learners.imports.nodes import is_sklearn_float32, rounded_down
from espalier.predict import shares
from espalier.tree.rules import boxed, leaf_bounds, refuse_surrogates
from espalier.trees import CultivatedTree, Tree, is_category_split, is_leaf

CLASS_CRITERIA = ("gini", "entropy", "log_loss")
MIDPOINT_ERROR = 2.0**-50  # of what is midway between two numbers of few digits
NUMBER_CRITERIA = ("squared_error", "absolute_error", "poisson")


def to_sklearn(
    model: Any,
    features: Sequence[Feature] | None = None,
    target: Feature | None = None,
    criterion: str | None = None,
    X: np.ndarray | pd.DataFrame | None = None,
) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Return a fitted DecisionTreeClassifier, or DecisionTreeRegressor for a number, with the nodes of a tree.

    scikit-learn rounds every value it is given to float32 before it compares it (a version that does not gets the
    thresholds as they are). Thresholds are therefore rounded down to float32, and this holds for every X, missing
    values and values at a threshold included: the result predicts of X what the tree predicts of
    ``X.astype(np.float32)``. A value that float32 cannot hold may thus change sides if it is within half a unit of
    the 24th binary digit of a threshold: 0.8 is at most 0.8, but as a float32 it is 0.800000012. Thresholds
    halfway between two training values part these two in float32, too, unless both round to the same float32: then
    the split is lost. A `LostSplits` warning says where that is so.

    Parameters
    ----------
    model : a fitted estimator, whose columns and classes the result has; or a tree. Without splits on sets of
        categories, which scikit-learn does not have
    features : columns of X, for a tree; None for as many as the tree needs
    target : its categories become ``classes_``; None for those of the estimator, of a tree for classes 0, 1, …, or
        a number where a node has one value
    X : rows by which lost splits are looked for, such as the training rows, (n_samples, n_features), a DataFrame
        for an estimator that was fitted to one: the warning comes if any of them is answered otherwise. Without X,
        it comes for a leaf that no row reaches any more, and for thresholds with more digits than float32 has
    criterion : name of the impurity, "gini" or "entropy" ("log_loss") of classes, which is measured on the class
        shares of each node; "squared_error", "absolute_error" or "poisson" of a number, which only names what the
        tree holds. None for the first

    Raises
    ------
    ValueError : for a split on a set of categories, surrogate splits, a cultivated tree, or a criterion that
        scikit-learn lacks

    Examples
    --------
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> from sklearn.tree import export_text
    >>> iris = samples.load("iris")
    >>> theirs = to_sklearn(CartClassifier(max_depth=1).fit(iris.X, iris.y).tree_, iris.features, iris.target)
    >>> print(export_text(theirs, feature_names=[feature.name for feature in iris.features]))
    |--- petal length <= 2.45
    |   |--- class: setosa
    |--- petal length >  2.45
    |   |--- class: versicolor
    """
    labels = getattr(model, "classes_", None) if target is None else None  # as they are, of any type
    tree: Any = model
    if not isinstance(model, KINDS):
        tree, features, target = describe_tree(model, features, target)
    boxed(tree, "a tree of scikit-learn")
    if isinstance(tree, CultivatedTree):
        raise ValueError("a cultivated tree sends a row both ways in fractions, and scikit-learn's trees cannot")
    refuse_surrogates(tree, "a tree of scikit-learn")
    columns = _columns(tree, features)
    _refuse_category_splits(tree, columns)
    classes = _classes(tree, target) if labels is None else labels
    choices = NUMBER_CRITERIA if classes is None else CLASS_CRITERIA
    if criterion is not None and criterion not in choices:
        raise ValueError(f"criterion is {criterion!r}; for this target it must be one of {', '.join(choices)}")
    criterion = criterion or choices[0]
    impurity = tree.impurity if classes is None else class_impurity(tree.value, criterion)
    if is_sklearn_float32() and (words := _lost_words(model, tree, columns, X)):
        warnings.warn(
            f"{words}. scikit-learn compares numbers as float32, of about 7 digits; subtract a number from the "
            "column, or take another export",
            LostSplits,
            stacklevel=2,
        )
    estimator = _estimator(classes, criterion)
    _give_tree(estimator, tree, impurity, len(columns))
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        estimator.feature_names_in_ = names
    return estimator


def class_impurity(shares: np.ndarray, criterion: str) -> np.ndarray:
    """Return the impurity of nodes, (n_nodes,), from their class shares (n_nodes, n_classes); entropy in bits."""
    if criterion == "gini":
        return 1 - (shares**2).sum(axis=1)
    return -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(axis=1) + 0.0  # never -0.0


def _columns(tree: Tree, features: Sequence[Feature] | None) -> Sequence[Feature]:
    n = int(tree.feature.max()) + 1
    if features is None:
        return [Feature(f"x{column}") for column in range(max(n, 1))]
    if len(features) < n:
        raise ValueError(f"the tree splits on column {n - 1}, but features has {len(features)} entries")
    return features


def _refuse_category_splits(tree: Tree, columns: Sequence[Feature]) -> None:
    features = np.unique(tree.feature[is_category_split(tree)])
    if len(features):
        names = ", ".join(repr(columns[column].name) for column in features)
        raise ValueError(
            f"the tree splits {names} by sets of categories, and scikit-learn's trees only split numbers; grow it "
            "with categorical_features=None on numbers, for example a column of 0 and 1 for each category"
        )


def _classes(tree: Tree, target: Feature | None) -> np.ndarray | None:
    """Return the labels, (n_classes,); None for regression."""
    n = tree.value.shape[1]
    if target is None:
        return np.arange(n) if n > 1 else None
    if max(len(target.categories), 1) != n:
        raise ValueError(
            f"a node has {n} values, but the target {target.name!r} has {len(target.categories)} classes"
        )
    return np.array(target.categories) if target.categories else None


def _estimator(classes: np.ndarray | None, criterion: str) -> Any:
    if classes is None:
        return DecisionTreeRegressor(criterion=criterion)  # type: ignore[arg-type]
    estimator: Any = DecisionTreeClassifier(criterion=criterion)  # type: ignore[arg-type]
    estimator.classes_, estimator.n_classes_ = classes, np.intp(len(classes))
    return estimator


def _give_tree(estimator: Any, tree: Tree, impurity: np.ndarray, n_features: int) -> None:
    """Give the estimator the tree's nodes, as if it had been fitted to this many features."""
    # The class of the nodes' record, and its fields, are private to scikit-learn: a stump shows them.
    stump = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1]).tree_
    nodes = _nodes(tree, impurity, stump.__getstate__()["nodes"].dtype)
    values = np.ascontiguousarray(tree.value[:, None, :])
    state = {"max_depth": tree.depth, "node_count": tree.n_nodes, "nodes": nodes, "values": values}
    estimator.tree_ = type(stump)(n_features, np.array([tree.value.shape[1]], dtype=np.intp), 1)
    estimator.tree_.__setstate__(state)
    estimator.n_features_in_ = estimator.max_features_ = n_features
    estimator.n_outputs_ = 1


def _nodes(tree: Tree, impurity: np.ndarray, dtype: np.dtype) -> np.ndarray:
    leaf = is_leaf(tree)
    thresholds = rounded_down(tree.threshold) if is_sklearn_float32() else tree.threshold  # as they are compared
    nodes = np.zeros(tree.n_nodes, dtype)
    nodes["left_child"], nodes["right_child"] = tree.left, tree.right
    nodes["feature"] = np.where(leaf, -2, tree.feature)
    nodes["threshold"] = np.where(leaf, -2.0, thresholds)
    nodes["impurity"], nodes["missing_go_to_left"] = impurity, tree.missing_left
    nodes["n_node_samples"], nodes["weighted_n_node_samples"] = tree.n_samples, tree.weight
    return nodes


# ---- lost splits


class LostSplits(UserWarning):
    """Warning: float32 does not tell apart what a tree's thresholds part."""


def _lost_words(model: Any, tree: Tree, columns: Sequence[Feature], X: Any) -> str:
    """Return what is lost, or may be, in words; empty if nothing is."""
    if X is not None:
        n, n_all = _changed_rows(model, tree, X)
        return f"{n:,} of {n_all:,} rows are answered otherwise by the tree of scikit-learn" if n else ""
    if leaves := _lost_leaves(tree):
        names = quote_all(sorted({columns[feature].name for feature in leaves.values()}))
        return f"no row reaches the leaf {min(leaves)} of the tree of scikit-learn: thresholds of {names} meet"
    long = np.flatnonzero([_is_long(threshold) for threshold in tree.threshold.tolist()])
    if not len(long):
        return ""
    names = quote_all(sorted({columns[int(tree.feature[node])].name for node in long}))
    return (
        f"thresholds of {names} have more digits than float32, such as {float(tree.threshold[long[0]])!r}: values "
        "on both sides of them may be one number there, so that the split is lost; give X, the training rows, to "
        "find out"
    )


def _changed_rows(model: Any, tree: Tree, X: Any) -> tuple[int, int]:
    """Return how many rows of X the tree answers otherwise once they are float32, and how many rows there are."""
    frame = getattr(model, "frame_", None)
    codes = frame.coded(X) if frame is not None and isinstance(X, pd.DataFrame) else X
    rows = np.asarray(codes, dtype=np.float64)
    with np.errstate(over="ignore"):
        theirs = rows.astype(np.float32).astype(np.float64)
    differs = (shares(tree, np.asfortranarray(rows)) != shares(tree, np.asfortranarray(theirs))).any(axis=1)
    return int(np.count_nonzero(differs)), len(rows)


def _lost_leaves(tree: Tree) -> dict[int, int]:
    """Return the leaves that rows reach, and would not with thresholds in float32, and the feature that is why."""
    leaves = {}
    for leaf, bounds in leaf_bounds(tree):
        strict = [bound for bound in bounds if not bound.missing]
        low, high = (rounded_down(np.array([getattr(bound, end) for bound in strict])) for end in ("low", "high"))
        shut = np.flatnonzero(low >= high)
        if len(shut) and not any(bound.is_empty for bound in strict):
            leaves[leaf] = strict[int(shut[0])].feature
    return leaves


def _is_long(threshold: float) -> bool:
    """Return whether a threshold has more digits than float32 holds, but for the rounding of a midpoint."""
    if not math.isfinite(threshold):
        return False
    with np.errstate(over="ignore", under="ignore"):
        short = float(str(np.float32(threshold)))
    return not math.isclose(short, threshold, rel_tol=MIDPOINT_ERROR)
