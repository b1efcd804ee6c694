"""A tree from elsewhere on the columns of another table: features, categories and classes are matched by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.language import say
from espalier.tree.difference.alignment import NONE
from espalier.tree.rules import ALL, N_BITS
from espalier.trees import LEAF, Tree, make_tree


class TreeColumns(NamedTuple):
    """Features and target that a tree was grown on, or those of a table."""

    features: Sequence[Feature]
    target: Feature


class MatchedTree(NamedTuple):
    """A tree whose columns are those of a table, behind which stand columns that the table does not have."""

    tree: Tree
    features: tuple[Feature, ...]  # of the table, then those that the tree asks for and the table does not have
    target: Feature  # of the table, with the classes behind its own that only the tree knows
    absent: tuple[str, ...]  # names of features that the tree asks for and the table does not have
    strange: tuple[str, ...]  # categories that only one of both knows: "colour: red"
    classes: tuple[str, ...]  # classes that only the tree knows

    def widened(self, X: np.ndarray) -> np.ndarray:
        """Return rows of the table (n_samples, n_features) with missing values in the columns it does not have."""
        gaps = np.full((len(X), len(self.features) - X.shape[1]), np.nan)
        return np.asfortranarray(np.hstack([X, gaps]))


def matched(tree: Tree, own: TreeColumns, table: TreeColumns) -> MatchedTree:
    """Return a tree on the columns of a table; `own` are those that it was grown on.

    A feature of the tree that the table does not have, or has as numbers in place of categories, is missing in
    every row: there the tree sends rows where missing values go. A category that the tree does not know goes where
    it sends codes past its last one. Raises ValueError where one target is a number and the other a class, for
    targets of other names, and for a tree with surrogate splits whose columns are others.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> tree = CartClassifier(max_depth=1).fit(iris.X, iris.y).tree_
    >>> table = TreeColumns(iris.features[::-1], iris.target)
    >>> turned = matched(tree, TreeColumns(iris.features, iris.target), table)
    >>> int(tree.feature[0]), int(turned.tree.feature[0]), turned.absent
    (2, 1, ())
    """
    ours, goal = own.features, own.target
    theirs, other = table.features, table.target
    _check_targets(goal, other)
    used = sorted(set(tree.feature[tree.feature != LEAF].tolist()))
    places = {f: _place(ours[f], theirs) for f in range(len(ours))}  # NONE: the table does not have it
    absent = [f for f in used if places[f] == NONE]
    if tree.has_surrogates and (absent or [places[f] for f in places] != list(range(len(theirs)))):
        raise ValueError(
            say(
                "the tree has surrogate splits, and its table has other columns than this one: compare it on its "
                "own columns, or grow it without surrogates"
            )
        )
    features = (*theirs, *(ours[f] for f in absent))
    at = places | {f: len(theirs) + i for i, f in enumerate(absent)}
    target, value = _on_classes(tree.value, goal, other)
    moved = tree._replace(value=value)
    for f in used:
        moved = _with_feature(tree, moved, f, at[f], ours[f], features[at[f]])
    strange = [name for f in used if f not in absent for name in _strange(ours[f], features[at[f]])]
    new = tuple(name for name in goal.categories if name not in other.categories)
    return MatchedTree(
        make_tree(*moved), features, target, tuple(ours[f].name for f in absent), tuple(strange), new
    )


def _check_targets(own: Feature, table: Feature) -> None:
    if own.name != table.name:
        known = {"own": repr(own.name), "target": repr(table.name)}
        raise ValueError(say("the tree predicts {own}, and the target of this table is {target}", **known))
    if bool(own.categories) == bool(table.categories):
        return
    if own.categories:
        raise ValueError(say("the tree predicts a class, and {target} is a number here", target=repr(own.name)))
    raise ValueError(say("the tree predicts a number, and {target} is a class here", target=repr(own.name)))


def _place(feature: Feature, theirs: Sequence[Feature]) -> int:
    """Return the place of the column of this name, if it has values of the same sort."""
    alike = (
        i
        for i, other in enumerate(theirs)
        if other.name == feature.name and bool(other.categories) == bool(feature.categories)
    )
    return next(alike, NONE)


def _with_feature(whole: Tree, tree: Tree, feature: int, place: int, own: Feature, other: Feature) -> Tree:
    """Return the tree with its splits on a feature, as `whole` has them, on this column and its categories."""
    at = whole.feature == feature
    tree = tree._replace(feature=np.where(at, place, tree.feature))
    if own.categories == other.categories:
        return tree
    masks, cuts = tree.categories.copy(), tree.threshold.copy()
    for node in np.flatnonzero(at):
        masks[node], cuts[node] = np.uint64(_mask(whole, int(node), own, other)), np.nan
    return tree._replace(categories=masks, threshold=cuts)


def _mask(tree: Tree, node: int, own: Feature, other: Feature) -> int:
    """Return which codes of the other column go left at a split on categories of one's own."""
    threshold = tree.threshold[node]
    mask = int(tree.categories[node])
    if not np.isnan(threshold):  # a split on an order is one on the set of its first categories
        mask = sum(1 << code for code in range(N_BITS) if code <= threshold)
    others_left = bool(mask >> len(own.categories) & 1) if len(own.categories) < N_BITS else False
    known = {name: bool(mask >> code & 1) for code, name in enumerate(own.categories)}
    n = len(other.categories)
    found = sum(1 << code for code, name in enumerate(other.categories) if known.get(name, others_left))
    return found | (ALL >> n << n if others_left else 0)


def _strange(own: Feature, other: Feature) -> list[str]:
    only = set(own.categories) ^ set(other.categories)
    return [f"{own.name}: {name}" for name in (*own.categories, *other.categories) if name in only]


def _on_classes(value: np.ndarray, own: Feature, table: Feature) -> tuple[Feature, np.ndarray]:
    """Return the table's target, with the tree's other classes, and the tree's shares in that order."""
    if own.categories == table.categories:
        return table, value
    names = (*table.categories, *(name for name in own.categories if name not in table.categories))
    shares = np.zeros((len(value), len(names)))
    shares[:, [names.index(name) for name in own.categories]] = value
    return table._replace(categories=names), shares
