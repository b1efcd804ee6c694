"""The tree that edits make: splits chosen by hand, and below them whatever the learner grows on the rows there.

Branches are grown by the learner, by CART, or as the optimal tree of their samples (`best_branch`).
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from espalier.language import Refusal
from espalier.learners.base import TrainingData, count_of
from espalier.learners.cart import CartClassifier, CartRegressor
from espalier.learners.forced_splits import (
    TreeSplit,
    branch_of,
    deal_splits,
    goes_left,
    graft,
    limits_of_branch,
    split_node,
)
from espalier.learners.missing import fill_in, fills_of, routed_as_filled
from espalier.learners.optimal import OptimalClassifier, Proof
from espalier.progress import Progress
from espalier.tree.edits import (
    BEST,
    COLUMN,
    CUT,
    GREEDY,
    GROW,
    MADE_LEAF,
    SET,
    WITHOUT,
    Edit,
    Edits,
    node_at,
)
from espalier.tree.impurity import node_impurity, sides, target
from espalier.tree.nodes import rows_in
from espalier.trees import LEAF, Tree, prune_to, read_only

SharpLearner: TypeAlias = "CartClassifier | CartRegressor | OptimalClassifier"
SECONDS = 5  # of a search: then it is the best branch that was found


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
    the samples there, which is looked for in `SECONDS` at most; a change below it takes its proof
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
    fills = None
    if not isinstance(learner, OptimalClassifier) and learner.missing == "impute":
        fills = fills_of(training, learner.is_categorical_, learner.impute_with)
    if fills is not None:  # splits are chosen on the completed table
        training = training._replace(X=fill_in(training.X, fills, learner.is_categorical_))
    growth = _Growth(learner, training, progress, {}, {})
    edits_so_far: list[Edit] = []
    refusals: list[EditRefused] = []
    for edit in edits:
        try:
            tree = _apply_edit(growth, tree, edit, edits_so_far)
            edits_so_far.append(edit)
        except EditRefused as why:
            refusals.append(why)
    tree = tree if fills is None else routed_as_filled(tree, fills)
    edits_at = {node: edit for edit in edits_so_far if (node := node_at(tree, edit.path)) is not None}
    proofs = {
        node: growth.proofs[edit.path]
        for node, edit in edits_at.items()
        # as the search left it
        if edit.kind == BEST and not any(e.path.startswith(edit.path) for e in edits_so_far if e is not edit)
    }
    return EditedTree(tree, edits_at, tuple(refusals), proofs, growth.given.get(len(edits_so_far)))


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


def _apply_edit(growth: _Growth, tree: Tree, edit: Edit, done: list[Edit]) -> Tree:
    _check(growth, edit)
    above = [e for e in (*done, edit) if e.kind == WITHOUT and edit.path.startswith(e.path)]
    without = tuple(sorted({feature for e in above for feature in e.features}))
    node = node_at(tree, edit.path)
    if node is None:
        raise EditRefused(edit, "the tree has no such node")
    if edit.kind == MADE_LEAF:
        return prune_to(tree, np.arange(tree.n_nodes) != node)
    rows = np.flatnonzero(rows_in(tree, growth.training.X, node))
    place = _Place(rows, len(edit.path), _splits_left(growth, tree, node), without)
    if edit.kind in (GROW, WITHOUT):
        return graft(tree, node, _grow_branch(growth, place, at_least=int(edit.kind == GROW)))
    if edit.kind in (GREEDY, BEST):
        return graft(tree, node, _anew(growth, place, edit))
    split = _split_of(growth, place, edit)
    if _is_own(tree, node, split, growth.learner.is_categorical_):
        return tree
    if (best := _begin_tree(growth, tree, edit.path, split, done)) is not None:
        return best
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


# ---- splits


def _split_of(growth: _Growth, place: _Place, edit: Edit) -> TreeSplit:
    if edit.kind not in (CUT, SET):
        return _best_on(growth, place, edit)
    feature, is_cut = edit.features[0], edit.kind == CUT
    split = TreeSplit(feature, edit.threshold if is_cut else np.nan, 0 if is_cut else edit.categories, False)
    split = split._replace(missing_left=_missing_left(growth, place, split))
    left = goes_left(growth.training.X[place.rows, feature], split)
    if left.all() or not left.any():
        raise EditRefused(edit, "all rows there would go to the same side")
    return split


def _missing_left(growth: _Growth, place: _Place, split: TreeSplit) -> bool:
    """Whether missing values go left: to the side that gives less impurity, else to the larger one."""
    training, rows = growth.training, place.rows
    values, weight = training.X[rows, split.feature], training.weight[rows]
    left = goes_left(values, split)
    has_value = ~np.isnan(values)
    larger = bool(weight[left & has_value].sum() >= weight[~left & has_value].sum())
    if has_value.all():
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


def _best_on(growth: _Growth, place: _Place, edit: Edit) -> TreeSplit:
    """The best split of CART on the edit's column."""
    training, feature = growth.training, edit.features[0]
    stump = _limit_learner(_cart(growth), training, place)
    stump.set_params(max_depth=1, max_leaf_nodes=None, ccp_alpha=0.0, min_impurity_decrease=0.0)
    rest = tuple(f for f in range(training.X.shape[1]) if f != feature)
    tree = stump.grow(_part(training, place.rows, rest), growth.progress).tree_
    if tree.feature[0] == LEAF:
        raise EditRefused(edit, "no split on this column parts the rows there to any use")
    at = tree.feature[0], tree.threshold[0], tree.categories[0], tree.missing_left[0]
    return TreeSplit(int(at[0]), float(at[1]), int(at[2]), bool(at[3]))


def _cart(growth: _Growth) -> CartClassifier | CartRegressor:
    """The learner, or CART in place of the search for optimal trees."""
    learner, training = growth.learner, growth.training
    if not isinstance(learner, OptimalClassifier):
        return learner
    cart = CartClassifier(categories="one-vs-rest", categorical_features=learner.is_categorical_)
    cart.prepare(training.X, training.y, training.weight)
    return cart


def _is_own(tree: Tree, node: int, split: TreeSplit, is_categorical: np.ndarray) -> bool:
    """Whether the node is split in this way already."""
    if tree.feature[node] != split.feature:
        return False
    if is_categorical[split.feature]:
        return int(tree.categories[node]) == split.categories
    return bool(tree.threshold[node] == split.threshold)


def _begin_tree(growth: _Growth, tree: Tree, path: str, split: TreeSplit, done: list[Edit]) -> Tree | None:
    """The optimal tree that begins with all splits by hand, in one search for all branches below them.

    None for other learners, beside other edits, and where splits cannot be forced: where a column of theirs has
    missing values, whose way a forced split does not choose, where they are as deep as the tree may be, and where
    a leaf would be lighter than allowed.
    """
    learner, training, splits = growth.learner, growth.training, _given_splits(tree, path, split, done)
    if splits is None or not isinstance(learner, OptimalClassifier):
        return None
    is_deep = len(splits) > learner.split_limit or max(map(len, splits)) >= learner.max_depth
    if is_deep or np.isnan(training.X[:, [own.feature for own in splits.values()]]).any():
        return None
    forced_splits = {path: _forced_split(learner, own) for path, own in splits.items()}
    try:
        best = copy.copy(learner).set_params(forced_splits=forced_splits).grow(training, growth.progress)
    except ValueError:  # too little weight in a leaf
        return None
    missing_left = best.tree_.missing_left.copy()  # no row of these data has gone this way
    for path, own in splits.items():
        missing_left[node_at(best.tree_, path)] = own.missing_left
    growth.given[len(done) + 1] = best.proof_
    return best.tree_._replace(missing_left=read_only(missing_left))


def _given_splits(tree: Tree, path: str, split: TreeSplit, done: Sequence[Edit]) -> dict[str, TreeSplit] | None:
    """Return a new split and those above it or by hand, by path, parents first; None where others were edited.

    Splits above one by hand are given, too: they stay as the person saw them.
    """
    if any(edit.kind not in (CUT, SET, COLUMN) for edit in done):
        return None
    paths = {edit.path[:n] for edit in done for n in range(len(edit.path) + 1)} | {
        path[:n] for n in range(len(path))
    }
    splits = {path: split}
    for above in paths - {path}:
        node = node_at(tree, above)
        if node is not None and tree.feature[node] != LEAF and not above.startswith(path):
            splits[above] = TreeSplit(
                int(tree.feature[node]),
                float(tree.threshold[node]),
                int(tree.categories[node]),
                bool(tree.missing_left[node]),
            )
    return {path: splits[path] for path in sorted(splits, key=lambda path: (len(path), path))}


def _forced_split(learner: OptimalClassifier, split: TreeSplit) -> tuple:
    """Return the split as `forced_splits` has it."""
    if not learner.is_categorical_[split.feature]:
        return split.feature, split.threshold
    names = None if learner.frame_ is None else learner.frame_.categories[split.feature]
    codes = [code for code in range(64) if split.categories >> code & 1]
    return split.feature, [code if names is None else names[code] for code in codes]


# ---- branches


def _split_branch(growth: _Growth, place: _Place, own: Tree, split: TreeSplit) -> Tree:
    """The branch with this split at its root, below it what the learner grows; `own` is the one that was there."""
    left = goes_left(growth.training.X[place.rows, split.feature], split)
    shares = deal_splits(place.splits, float(left.mean()))
    branches = [
        _grow_branch(growth, place._replace(rows=place.rows[side], depth=place.depth + 1, splits=splits))
        for side, splits in zip((left, ~left), shares, strict=True)
    ]
    return split_node(own, split, *branches)


def _splits_left(growth: _Growth, tree: Tree, node: int) -> int | None:
    """Most splits of the branch at the node; None for no limit."""
    learner = growth.learner
    if isinstance(learner, OptimalClassifier):
        limit = learner.max_splits
    else:
        limit = None if learner.max_leaf_nodes is None else learner.max_leaf_nodes - 1
    if limit is None:
        return None
    return max(limit - tree.n_leaves + branch_of(tree, node).n_leaves, 0)


def _grow_branch(growth: _Growth, place: _Place, at_least: int = 0) -> Tree:
    """The branch that the learner grows on the rows of the place; `at_least` so deep, whatever its limits."""
    branch_learner = _limit_learner(growth.learner, growth.training, place, at_least)
    tree = branch_learner.grow(_part(growth.training, place.rows, place.without), growth.progress).tree_
    no_depth = growth.learner.max_depth is not None and growth.learner.max_depth <= place.depth
    if (no_depth or place.splits == 0) and not at_least:
        return prune_to(tree, np.zeros(tree.n_nodes, dtype=bool))
    return tree


def _anew(growth: _Growth, place: _Place, edit: Edit) -> Tree:
    """The branch to the depth of the edit: by CART, or the best one, whose proof is kept."""
    part = _part(growth.training, place.rows, place.without)
    if edit.kind == GREEDY:
        cart = _limit_learner(_cart(growth), growth.training, place, at_least=1)
        return cart.set_params(max_depth=edit.depth).grow(part, growth.progress).tree_
    if isinstance(growth.learner, CartRegressor):
        raise EditRefused(edit, "only a branch that predicts classes can be searched for the best one")
    search = search_for(growth.learner, growth.training).set_params(
        max_depth=edit.depth,
        max_splits=None if place.splits is None else max(place.splits, 1),
        min_weight_fraction_leaf=least_share(growth.learner, growth.training, place.rows),
    )
    criterion = getattr(growth.learner, "criterion", "gini")
    tree, growth.proofs[edit.path] = best_branch(search, part, criterion, growth.progress)
    return tree


def search_for(learner: CartClassifier | OptimalClassifier, training: TrainingData) -> OptimalClassifier:
    """Return the search for optimal trees on these data: the learner itself, or one with CART's categories.

    Where leaves have a least weight, one category is parted from all others: sets of them do not go with it.
    """
    if isinstance(learner, OptimalClassifier):
        return copy.copy(learner).set_params(time_limit=SECONDS)
    is_limited = least_share(learner, training, np.arange(len(training.y))) > 0
    search = OptimalClassifier(
        time_limit=SECONDS,
        categorical_features=learner.is_categorical_,
        categories="one-vs-rest" if is_limited else "subset",
    )
    search.prepare(training.X, training.y, training.weight)
    return search


def least_share(learner: SharpLearner, training: TrainingData, rows: np.ndarray) -> float:
    """Return the least share of the weight of these samples that a leaf must have by the learner's limits.

    A least number of samples becomes a share as if all weighed the same.
    """
    part = float(training.weight.sum() / training.weight[rows].sum())
    least = learner.min_weight_fraction_leaf * part
    if isinstance(learner, OptimalClassifier):
        return least
    n = count_of(learner.min_samples_leaf, len(training.y))
    return max(least, n / len(rows)) if n > 1 else least


def best_branch(
    search: OptimalClassifier, part: TrainingData, criterion: str, progress: Progress | None
) -> tuple[Tree, Proof]:
    """Return the best tree on samples that the search was prepared for, or some of them, and its proof.

    `search` has the limits on the branch; `criterion` names the impurity that its nodes are described by.
    """
    result = search.grow(part, progress)
    tree, classes = result.tree_, np.arange(len(search.classes_))
    impurity = [node_impurity(target(classes, share, criterion, len(classes))) for share in tree.value]
    return tree._replace(impurity=read_only(np.array(impurity))), result.proof_


def _limit_learner(
    learner: SharpLearner, training: TrainingData, place: _Place, at_least: int = 0
) -> SharpLearner:
    """The learner with the limits that the whole tree's leave to this branch."""
    part = float(training.weight.sum() / training.weight[place.rows].sum())
    if not isinstance(learner, OptimalClassifier):
        limits = limits_of_branch(learner, len(training.y), place.depth, place.splits, part, at_least)
        return copy.copy(learner).set_params(**limits)
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
