"""The tree that edits make: splits chosen by hand, and below them whatever the learner grows on the rows there."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from espalier.language import Refusal
from espalier.learners.base import TrainingData
from espalier.learners.cart import CartClassifier, CartRegressor
from espalier.learners.forced_splits import (
    HandSplit,
    LimitedBranch,
    branch_of,
    deal_splits,
    goes_left,
    graft,
    limits_of_branch,
    split_node,
)
from espalier.learners.missing import fill_in, fills_of, routed_as_filled
from espalier.learners.optimal import OptimalClassifier, Proof
from espalier.predict import leaves
from espalier.progress import Progress
from espalier.tree.edits.acts import (
    BEST,
    CUT,
    GREEDY,
    GROW,
    MADE_LEAF,
    SET,
    WITHOUT,
    Edit,
    Edits,
    begun_tree,
    given_splits,
    node_at,
)
from espalier.tree.edits.best_branches import BestBranch, SharpLearner, best_branch, least_share, search_for
from espalier.tree.impurity import sides, target
from espalier.trees import LEAF, Tree, prune_to, subtree_end


class EditRefused(Refusal):
    """An edit that these data, this tree or this learner do not allow; says why."""

    def __init__(self, edit: Edit, text: str, /, **values: object):
        """`text` and `values` are the reason, as of any `Refusal`."""
        super().__init__(text, **values)
        self.edit = edit

    def __reduce__(self):
        return EditRefused, (self.edit, self.phrase.text), self.__dict__


class EditedTree(NamedTuple):
    """A tree that was changed by hand."""

    tree: Tree
    by_hand: dict[int, Edit]  # by node of this tree: what was chosen there
    refused: tuple[EditRefused, ...]  # edits that do not fit; the tree is without them
    proofs: Mapping[int, Proof]  # by node: of branches of BEST, on the samples there
    given: Proof | None = (
        None  # of the whole tree, among those with the splits by hand; None: it is not searched so
    )


class _Growth(NamedTuple):
    """What branches are grown with."""

    learner: SharpLearner
    training: TrainingData
    progress: Progress | None
    proofs: dict[str, Proof]  # of branches that were searched for, by the way to them
    given: dict[int, Proof]  # of whole trees that begin with splits by hand, by how many edits they have


class _Place(NamedTuple):
    """A node whose branch is to be grown anew."""

    rows: np.ndarray  # numbers of the samples there
    depth: int
    splits: int | None  # most splits of the branch; None for no limit
    without: tuple[int, ...]  # columns that are not to be asked


def edited(
    learner: SharpLearner, training: TrainingData, tree: Tree, edits: Edits, progress: Progress | None = None
) -> EditedTree:
    """Return the tree with the edits, from the root down; without any it is the tree itself.

    `learner` is one whose `prepare` gave `training` (samples of positive weight), and `tree` grew from these.

    Below a split by hand the learner grows both branches on the rows that come there, as deep as its limits on
    depth, splits and leaf sizes leave; GROW allows at least one level more. Limits on leaves or splits are dealt
    out to the two branches by their rows. The split of a COLUMN is the best one of CART there (of an optimal
    tree, by gini), and the columns of WITHOUT are not asked in that branch. GREEDY and BEST grow a branch anew to
    a depth of its own, within the other limits: by CART (of an optimal tree, by gini), or as the optimal tree of
    the samples there, which is looked for in `best_branches.SECONDS` at most; a change below it takes its proof
    away. A split by hand sends missing values to the side that gives less impurity, or where there are none to
    the larger side, and has no surrogate splits. Where an edit is the tree's own split nothing changes. An edit
    that does not fit is left out; `refused` says why. Where all edits of an optimal tree are splits, the tree is
    the best of all that begin with them and with the splits above them (`forced_splits`), however many splits each
    branch has, and `given` is its proof.

    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> learner = CartClassifier(max_depth=2)
    >>> training = learner.prepare(iris.X, iris.y)
    >>> tree = learner.grow(training).tree_
    >>> own = edited(learner, training, tree, (Edit("", CUT, (3,), 1.75),))
    >>> own.tree.feature.tolist(), float(own.tree.threshold[0]), list(own.by_hand)
    ([3, 2, -1, -1, 2, -1, -1], 1.75, [0])
    """
    fills = _fills(learner, training)
    if fills is not None:  # splits are chosen on the completed table
        training = training._replace(X=fill_in(training.X, fills, learner.is_categorical_))
    growth = _Growth(learner, training, progress, {}, {})
    done: list[Edit] = []
    refused: list[EditRefused] = []
    for edit in edits:
        try:
            tree = _with_edit(growth, tree, edit, done)
            done.append(edit)
        except EditRefused as why:
            refused.append(why)
    tree = tree if fills is None else routed_as_filled(tree, fills)
    by_hand = {node: edit for edit in done if (node := node_at(tree, edit.path)) is not None}
    whole = {node: growth.proofs[edit.path] for node, edit in by_hand.items() if _is_searched(edit, done)}
    return EditedTree(tree, by_hand, tuple(refused), whole, growth.given.get(len(done)))


def _is_searched(edit: Edit, done: list[Edit]) -> bool:
    """Whether the branch is as the search left it."""
    return edit.kind == BEST and not any(one.path.startswith(edit.path) for one in done if one is not edit)


def _fills(learner: SharpLearner, training: TrainingData) -> np.ndarray | None:
    """The values that stand in for missing ones, (n_features,); None where the learner fills in none."""
    if isinstance(learner, OptimalClassifier) or learner.missing != "impute":
        return None
    return fills_of(training, learner.is_categorical_, learner.impute_with)


def _without(done: list[Edit], edit: Edit) -> tuple[int, ...]:
    """The columns that edits above this one do without, and its own."""
    above = [one for one in (*done, edit) if one.kind == WITHOUT and edit.path.startswith(one.path)]
    return tuple(sorted({feature for one in above for feature in one.features}))


def _with_edit(growth: _Growth, tree: Tree, edit: Edit, done: list[Edit]) -> Tree:
    _check(growth, edit)
    without = _without(done, edit)
    node = node_at(tree, edit.path)
    if node is None:
        raise EditRefused(edit, "the tree has no such node")
    if edit.kind == MADE_LEAF:
        return prune_to(tree, np.arange(tree.n_nodes) != node)
    place = _Place(_rows_in(growth, tree, node), len(edit.path), _splits_left(growth, tree, node), without)
    if edit.kind in (GROW, WITHOUT):
        return graft(tree, node, _grown(growth, place, at_least=int(edit.kind == GROW)))
    if edit.kind in (GREEDY, BEST):
        return graft(tree, node, _anew(growth, place, edit))
    split = _split_of(growth, place, edit)
    if _is_own(tree, node, split, growth.learner.is_categorical_):
        return tree
    if (begun := _begun(growth, tree, edit.path, split, done)) is not None:
        return begun
    return graft(tree, node, _split_branch(growth, place, branch_of(tree, node), split))


def _check(growth: _Growth, edit: Edit) -> None:
    n = growth.training.X.shape[1]
    if any(feature >= n for feature in edit.features):
        raise EditRefused(edit, "the data have no column {column}", column=max(edit.features) + 1)
    if getattr(growth.learner, "monotonic_cst", None) is not None:
        raise EditRefused(
            edit, "columns with a direction leave no room for splits by hand; take the directions away"
        )
    is_category = bool(edit.features) and bool(growth.learner.is_categorical_[edit.features[0]])
    if edit.kind == CUT and is_category:
        raise EditRefused(edit, "this column has categories without an order; choose a set of them, no threshold")
    if edit.kind == SET and not is_category:
        raise EditRefused(edit, "this column has numbers; choose a threshold, no set of categories")


def _rows_in(growth: _Growth, tree: Tree, node: int) -> np.ndarray:
    leaf = leaves(tree, growth.training.X)
    return np.flatnonzero((leaf >= node) & (leaf < subtree_end(tree, node)))


# Splits ----------------------------------------------------------------------------------------------


def _split_of(growth: _Growth, place: _Place, edit: Edit) -> HandSplit:
    if edit.kind not in (CUT, SET):
        return _best_on(growth, place, edit)
    feature, is_cut = edit.features[0], edit.kind == CUT
    split = HandSplit(feature, edit.threshold if is_cut else np.nan, 0 if is_cut else edit.categories, False)
    split = split._replace(missing_left=_missing_left(growth, place, split))
    left = goes_left(growth.training.X[place.rows, feature], split)
    if left.all() or not left.any():
        raise EditRefused(edit, "all rows there would go to the same side")
    return split


def _missing_left(growth: _Growth, place: _Place, split: HandSplit) -> bool:
    """Whether missing values go left: to the side that gives less impurity, else to the larger one."""
    training, rows = growth.training, place.rows
    values, weight = training.X[rows, split.feature], training.weight[rows]
    left = goes_left(values, split)
    known = ~np.isnan(values)
    larger = bool(weight[left & known].sum() >= weight[~left & known].sum())
    if known.all():
        return larger
    impurities = [
        _impurity(growth, rows, goes_left(values, split._replace(missing_left=s))) for s in (True, False)
    ]
    return larger if impurities[0] == impurities[1] else impurities[0] < impurities[1]


def _impurity(growth: _Growth, rows: np.ndarray, left: np.ndarray) -> float:
    """Mean impurity of both sides, by the learner's criterion."""
    y, weight = growth.training.y[rows], growth.training.weight[rows]
    n_classes = len(getattr(growth.learner, "classes_", ()))
    criterion = getattr(growth.learner, "criterion", "gini").replace("friedman_mse", "squared_error")
    here = target(y, weight, criterion, n_classes)
    cut = np.array([max(int(left.sum()), 1)])
    return float(sides(here, np.argsort(~left, kind="stable"), cut).impurity[0])


def _best_on(growth: _Growth, place: _Place, edit: Edit) -> HandSplit:
    """The best split of CART on the edit's column."""
    training, feature = growth.training, edit.features[0]
    stump = _limited(_cart(growth), training, place)
    stump.set_params(max_depth=1, max_leaf_nodes=None, ccp_alpha=0.0, min_impurity_decrease=0.0)
    others = [f for f in range(training.X.shape[1]) if f != feature]
    tree = stump.grow(_part(training, place.rows, tuple(others)), growth.progress).tree_
    if tree.feature[0] == LEAF:
        raise EditRefused(edit, "no split on this column parts the rows there to any use")
    at = tree.feature[0], tree.threshold[0], tree.categories[0], tree.missing_left[0]
    return HandSplit(int(at[0]), float(at[1]), int(at[2]), bool(at[3]))


def _cart(growth: _Growth) -> CartClassifier | CartRegressor:
    """The learner, or CART in place of the search for optimal trees."""
    learner, training = growth.learner, growth.training
    if not isinstance(learner, OptimalClassifier):
        return learner
    cart = CartClassifier(categories="one-vs-rest", categorical_features=learner.is_categorical_)
    cart.prepare(training.X, training.y, training.weight)
    return cart


def _is_own(tree: Tree, node: int, split: HandSplit, is_categorical: np.ndarray) -> bool:
    """Whether the node is split in this way already."""
    if tree.feature[node] != split.feature:
        return False
    if is_categorical[split.feature]:
        return int(tree.categories[node]) == split.categories
    return bool(tree.threshold[node] == split.threshold)


def _begun(growth: _Growth, tree: Tree, path: str, split: HandSplit, done: list[Edit]) -> Tree | None:
    """The optimal tree that begins with all splits by hand; None for other learners, and beside other edits."""
    given = given_splits(tree, path, split, done)
    if given is None or not isinstance(growth.learner, OptimalClassifier):
        return None
    found = begun_tree(growth.learner, growth.training, given, growth.progress)
    if found is None:
        return None
    growth.given[len(done) + 1] = found.proof
    return found.tree


# Branches --------------------------------------------------------------------------------------------


def _split_branch(growth: _Growth, place: _Place, own: Tree, split: HandSplit) -> Tree:
    """The branch with this split at its root, below it what the learner grows; `own` is the one that was there."""
    left = goes_left(growth.training.X[place.rows, split.feature], split)
    shares = deal_splits(place.splits, float(left.mean()))
    branches = [
        _grown(growth, place._replace(rows=place.rows[side], depth=place.depth + 1, splits=splits))
        for side, splits in zip((left, ~left), shares, strict=True)
    ]
    return split_node(own, split, *branches)


def _splits_left(growth: _Growth, tree: Tree, node: int) -> int | None:
    """Most splits of the branch at the node; None for no limit."""
    limit = _most_splits(growth.learner)
    if limit is None:
        return None
    outside = tree.n_leaves - 1 - branch_of(tree, node).n_leaves + 1
    return max(limit - outside, 0)


def _most_splits(learner: SharpLearner) -> int | None:
    if isinstance(learner, OptimalClassifier):
        return learner.max_splits
    return None if learner.max_leaf_nodes is None else learner.max_leaf_nodes - 1


def _grown(growth: _Growth, place: _Place, at_least: int = 0) -> Tree:
    """The branch that the learner grows on the rows of the place; `at_least` so deep, whatever its limits."""
    limited = _limited(growth.learner, growth.training, place, at_least)
    tree = limited.grow(_part(growth.training, place.rows, place.without), growth.progress).tree_
    no_depth = growth.learner.max_depth is not None and growth.learner.max_depth <= place.depth
    if (no_depth or place.splits == 0) and not at_least:
        return prune_to(tree, np.zeros(tree.n_nodes, dtype=bool))
    return tree


def _anew(growth: _Growth, place: _Place, edit: Edit) -> Tree:
    """The branch to the depth of the edit: by CART, or the best one, whose proof is kept."""
    part = _part(growth.training, place.rows, place.without)
    if edit.kind == GREEDY:
        cart = _limited(_cart(growth), growth.training, place, at_least=1)
        return cart.set_params(max_depth=edit.depth).grow(part, growth.progress).tree_
    if isinstance(growth.learner, CartRegressor):
        raise EditRefused(edit, "only a branch that predicts classes can be searched for the best one")
    search = search_for(growth.learner, growth.training).set_params(
        max_depth=edit.depth,
        max_splits=None if place.splits is None else max(place.splits, 1),
        min_weight_fraction_leaf=least_share(growth.learner, growth.training, place.rows),
    )
    branch: BestBranch = best_branch(search, part, getattr(growth.learner, "criterion", "gini"), growth.progress)
    growth.proofs[edit.path] = branch.proof
    return branch.tree


def _limited(learner: SharpLearner, training: TrainingData, place: _Place, at_least: int = 0) -> SharpLearner:
    """The learner with the limits that the whole tree's leave to this branch."""
    part = float(training.weight.sum() / training.weight[place.rows].sum())
    branch = LimitedBranch(place.depth, place.splits, part)
    if not isinstance(learner, OptimalClassifier):
        return copy.copy(learner).set_params(**limits_of_branch(learner, len(training.y), branch, at_least))
    return copy.copy(learner).set_params(
        max_depth=max(learner.max_depth - place.depth, 1),
        min_weight_fraction_leaf=learner.min_weight_fraction_leaf * part,
        max_splits=None if place.splits is None else max(place.splits, at_least, 1),
    )


def _part(training: TrainingData, rows: np.ndarray, without: tuple[int, ...]) -> TrainingData:
    """These samples; the columns to do without have one value, so that no split can be made on them."""
    X = np.asfortranarray(training.X[rows])
    X[:, list(without)] = 0.0
    return TrainingData(X, training.y[rows], training.weight[rows])
