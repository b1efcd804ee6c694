"""The grown tree: one immutable record of arrays that every learner makes and every view reads.

Numba reads a `Tree` as it is (`tree.threshold[node]` inside a kernel). A tree knows no names, no data and
no parameters: those stand beside it, in the `Dataset` and the estimator.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

LEAF = -1
LINKS = ("identity", "log", "logistic", "softmax")

AnyTree: TypeAlias = "Tree | CultivatedTree"
T = TypeVar("T", "Tree", "CultivatedTree")


# What both kinds of tree answer to, by the names that scikit-learn's trees have for the same.
_LEFT = property(attrgetter("left"), doc="``left``, as scikit-learn calls it.")
_RIGHT = property(attrgetter("right"), doc="``right``, as scikit-learn calls it.")
_COUNT = property(attrgetter("n_nodes"), doc="``n_nodes``, as scikit-learn calls it.")
_SAMPLES = property(attrgetter("n_samples"), doc="``n_samples``, as scikit-learn calls it.")
_WEIGHT = property(attrgetter("weight"), doc="``weight``, as scikit-learn calls it.")
_DEPTH = property(attrgetter("depth"), doc="``depth``, as scikit-learn calls it.")
_CAPACITY = property(attrgetter("n_nodes"), doc="``n_nodes``: there is no room for more.")
_CLASSES = property(lambda tree: np.array(tree.value.shape[1:]), doc="(1,): classes, or 1 for a number.")


class Surrogates(NamedTuple):
    """Splits that stand in where the value of a node's own split is missing, node after node, the best one first.

    The first whose value is known decides; where none is, ``missing_left`` does (Breiman et al. 1984, section
    5.3). Each sends a sample as the splits of a `Tree` do; `reversed` turns left and right around. A category that
    was not there when a split was chosen counts as missing, as in rpart: for a surrogate, and for the node's own.
    """

    start: np.ndarray  # (n_nodes + 1,) int32: node i has surrogates ``start[i]:start[i + 1]``, most nodes none
    own_seen: np.ndarray  # (n_nodes,) uint64; bit c set: the node's own split on categories saw category c
    feature: np.ndarray  # (n_surrogates,) int32; column of X
    threshold: np.ndarray  # (n_surrogates,) float64; nan for categories
    categories: np.ndarray  # (n_surrogates,) uint64; bit c set: category c passes; 0 for a threshold
    seen: np.ndarray  # (n_surrogates,) uint64; bit c set: category c was seen; 0 for a threshold
    reversed: np.ndarray  # (n_surrogates,) bool: what passes goes right
    agreement: np.ndarray  # (n_surrogates,) float64: share of the weight, both values known, sent the same way


class Tree(NamedTuple):
    """A binary decision tree in preorder: node 0 is the root, and a subtree is a slice of every array.

    A sample with a threshold goes left on ``x <= threshold``; at a split on categories it goes left if the
    bit of its category is set; a missing value (nan) goes as the node's surrogates say, and where none can,
    where ``missing_left`` says.
    """

    feature: np.ndarray  # (n_nodes,) int32; column of X that the node splits on, -1 at a leaf
    threshold: np.ndarray  # (n_nodes,) float64; nan at a leaf and at a split on categories
    left: np.ndarray  # (n_nodes,) int32; node + 1, or -1 at a leaf
    right: np.ndarray  # (n_nodes,) int32; -1 at a leaf
    categories: np.ndarray  # (n_nodes,) uint64; bit c set: category c goes left; 0 elsewhere
    missing_left: np.ndarray  # (n_nodes,) bool; where a missing value goes; False at a leaf
    n_samples: np.ndarray  # (n_nodes,) int64; samples in the node
    weight: np.ndarray  # (n_nodes,) float64; the samples' summed weight
    value: np.ndarray  # (n_nodes, n_outputs) float64; class shares (rows sum to 1), or the mean (median)
    impurity: np.ndarray  # (n_nodes,) float64; of the node, per unit of weight
    surrogates: Surrogates

    children_left, children_right, node_count = _LEFT, _RIGHT, _COUNT
    n_node_samples, weighted_n_node_samples, max_depth = _SAMPLES, _WEIGHT, _DEPTH
    capacity, n_classes = _CAPACITY, _CLASSES

    @property
    def has_surrogates(self) -> bool:
        """Whether any node has surrogate splits."""
        return len(self.surrogates.feature) > 0

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.feature == LEAF))

    @property
    def depth(self) -> int:
        """Depth of the deepest leaf; a lone root has depth 0."""
        return int(depths(self).max())

    def __reduce__(self):
        # Pickle and deepcopy would hand back writeable arrays.
        return make_tree, (*self[:-1], tuple(self.surrogates))


class Decisions(NamedTuple):
    """The decisions of all nodes of a `CultivatedTree`, node after node, the one with the least impurity first.

    A decision on a number sends a sample left as far as its value is at most the cuts; one on categories as far
    as its category stands no later than the cuts in the order given. `reversed` turns left and right around.
    """

    start: np.ndarray  # (n_nodes + 1,) int32: node i has decisions ``start[i]:start[i + 1]``, none at a leaf
    feature: np.ndarray  # (n_decisions,) int32; column of X
    threshold: np.ndarray  # (n_decisions,) float64: the best cut t0; nan for categories
    reversed: np.ndarray  # (n_decisions,) bool: what is at most the cuts goes right
    share: np.ndarray  # (n_decisions,) float64: part of the node's pooled decision; a node's shares sum to 1
    missing_left: np.ndarray  # (n_decisions,) float64: fraction of a missing value that goes left
    impurity: np.ndarray  # (n_decisions,) float64: mean impurity after splitting at its cuts, h_j


class Cuts(NamedTuple):
    """The neighbourhoods T(t0) of all decisions of a `CultivatedTree`, one after the other."""

    start: np.ndarray  # (n_decisions + 1,) int32: the cuts of decision d are ``start[d]:start[d + 1]``
    value: np.ndarray  # (n_cuts,) float64: thresholds, ascending; or codes of categories in their order
    weight: np.ndarray  # (n_cuts,) float64: phi of each cut; a category may have 0


class CultivatedTree(NamedTuple):
    """A binary tree of ensemble modules, in preorder (Nalenz & Augustin 2021, section 3).

    A node pools its decisions: of a sample's fraction in the node, ``sum of share * psi`` goes to the left
    child and the rest to the right one, where psi is the part of a decision's cuts, by weight, that the
    sample's value is at most. Leaves are no boxes: a sample is in many of them.
    """

    left: np.ndarray  # (n_nodes,) int32; node + 1, or -1 at a leaf
    right: np.ndarray  # (n_nodes,) int32; -1 at a leaf
    n_samples: np.ndarray  # (n_nodes,) int64; samples of which any fraction is in the node
    weight: np.ndarray  # (n_nodes,) float64; the samples' summed weight, fractions counted as such
    value: np.ndarray  # (n_nodes, n_outputs) float64; class shares (rows sum to 1), or the mean
    impurity: np.ndarray  # (n_nodes,) float64; gini or variance, per unit of weight
    decisions: Decisions
    cuts: Cuts

    children_left, children_right, node_count = _LEFT, _RIGHT, _COUNT
    n_node_samples, weighted_n_node_samples, max_depth = _SAMPLES, _WEIGHT, _DEPTH
    capacity, n_classes = _CAPACITY, _CLASSES

    @property
    def feature(self) -> np.ndarray:
        """(n_nodes,) int32: the feature of each node's first decision, -1 at a leaf."""
        first = np.append(self.decisions.feature, LEAF)[self.decisions.start[:-1]]
        return np.where(self.left == LEAF, LEAF, first).astype(np.int32)

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.left)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.left == LEAF))

    @property
    def depth(self) -> int:
        """Depth of the deepest leaf; a lone root has depth 0."""
        return int(depths(self).max())

    def __reduce__(self):
        return make_cultivated, (*self[:6], tuple(self.decisions), tuple(self.cuts))


class Forest(NamedTuple):
    """Trees, and how their values become one prediction.

    "votes": each tree votes for its first greatest class; "mean": its values are averaged; "sum": they are added
    to `start`, and the link turns these scores into a prediction (a boosted forest).
    """

    trees: tuple[Tree | CultivatedTree, ...]
    weight: np.ndarray  # (n_trees,) float64: how much a tree counts; they sum to 1, but for a sum, where each is 1
    combine: str  # "votes", "mean" or "sum"
    prior: np.ndarray  # (n_classes,) float64: share of each class in training, which breaks ties; none for numbers
    start: np.ndarray  # (n_scores,) float64: the scores before the first tree; zeros unless it is a sum
    link: str  # "identity"; of a sum also "log" (of a number), "logistic" (log odds of class 1) or "softmax"

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.trees)

    @property
    def n_outputs(self) -> int:
        """Number of classes, or 1 for a number."""
        return 2 if self.link == "logistic" else len(self.start)

    def __reduce__(self):
        if self.combine == "sum":
            return make_sum, (self.trees, self.start, self.link, self.prior)
        return make_forest, (self.trees, self.weight, self.combine, self.prior)


def make_forest(
    trees: Iterable[Tree | CultivatedTree], weight: ArrayLike, combine: str, prior: ArrayLike
) -> Forest:
    """Forest of trees that vote or are averaged ("votes", "mean"); the weights (n_trees,) are scaled to sum to 1.

    Raises ValueError for another way to combine.
    """
    if combine not in ("votes", "mean"):
        raise ValueError(
            f"combine is {combine!r}; it must be votes or mean (make_sum makes a forest that adds up)"
        )
    trees = tuple(trees)
    weight, prior = _arrays([weight, prior], ("f8", "f8"))
    start = read_only(np.zeros(trees[0].value.shape[1]))
    return Forest(trees, read_only(weight / weight.sum()), combine, prior, start, "identity")


def make_sum(trees: Iterable[Tree], start: ArrayLike, link: str, prior: ArrayLike) -> Forest:
    """Forest whose trees' values are added to the scores `start` (n_scores,), and pass through the link.

    Raises ValueError for an unknown link.
    """
    if link not in LINKS:
        raise ValueError(f"link is {link!r}; it must be one of {', '.join(LINKS)}")
    trees = tuple(trees)
    start, prior = _arrays([start, prior], ("f8", "f8"))
    return Forest(trees, read_only(np.ones(len(trees))), "sum", prior, start, link)


def make_tree(*fields: Any) -> Tree:
    """Tree of the given arrays, in the order of the fields, each with its dtype and read-only.

    The last may be the fields of its surrogates; without it the tree has none.
    """
    dtypes = ("i4", "f8", "i4", "i4", "u8", "?", "i8", "f8", "f8", "f8")
    nodes, pool = fields[: len(dtypes)], fields[len(dtypes) :]
    of_pool = ("i4", "u8", "i4", "f8", "u8", "u8", "?", "f8")
    surrogates = _arrays(pool[0] if pool else _no_surrogates(len(nodes[0])), of_pool)
    return Tree._make([*_arrays(nodes, dtypes), Surrogates(*surrogates)])


def _no_surrogates(n_nodes: int) -> list[np.ndarray]:
    return [np.zeros(n_nodes + 1), np.zeros(n_nodes), *[np.empty(0)] * (len(Surrogates._fields) - 2)]


def make_cultivated(left, right, n_samples, weight, value, impurity, decisions, cuts) -> CultivatedTree:
    """CultivatedTree of the given arrays, `decisions` and `cuts` in the order of their fields; read-only."""
    nodes = (left, right, n_samples, weight, value, impurity)
    pools = (
        Decisions(*_arrays(decisions, ("i4", "i4", "f8", "?", "f8", "f8", "f8"))),
        Cuts(*_arrays(cuts, ("i4", "f8", "f8"))),
    )
    return CultivatedTree._make([*_arrays(nodes, ("i4", "i4", "i8", "f8", "f8", "f8")), *pools])


def softened(tree: Tree) -> CultivatedTree:
    """The cultivated tree that predicts exactly as `tree`: one decision of one cut at every split.

    A split on categories becomes a cut in an order that puts those going left first. All 64 codes stand in it,
    because a category that the split does not send left goes right, not where what is unknown goes. Raises
    ValueError for any other kind of tree, and for surrogate splits, which modules do not have.
    """
    _refuse_others(tree, (Tree,), "softened")
    if tree.has_surrogates:
        raise ValueError("a cultivated tree has no surrogate splits; grow the tree without missing='surrogate'")
    splits = np.flatnonzero(tree.feature != LEAF)
    cuts = [_cuts_of_split(tree, int(node)) for node in splits]
    left, right = tree.left[splits], tree.right[splits]
    after = tree.weight[left] * tree.impurity[left] + tree.weight[right] * tree.impurity[right]
    decisions = Decisions(
        start=np.searchsorted(splits, np.arange(tree.n_nodes + 1)),
        feature=tree.feature[splits],
        threshold=tree.threshold[splits],
        reversed=np.zeros(len(splits), dtype=bool),
        share=np.ones(len(splits)),
        missing_left=tree.missing_left[splits],
        impurity=after / tree.weight[splits],
    )
    values, weights = ([np.empty(0), *arrays] for arrays in (zip(*cuts, strict=True) if cuts else ((), ())))
    start = np.cumsum([len(v) for v in values])
    nodes = (tree.left, tree.right, tree.n_samples, tree.weight, tree.value, tree.impurity)
    return make_cultivated(*nodes, decisions, (start, np.concatenate(values), np.concatenate(weights)))


def _refuse_others(tree: object, kinds: tuple[type, ...], name: str) -> None:
    if not isinstance(tree, kinds):
        raise ValueError(f"{name} knows no {type(tree).__name__}: give it the tree of a CART learner")


def _cuts_of_split(tree: Tree, node: int) -> tuple[np.ndarray, np.ndarray]:
    """Values and weights of the cuts of a softened split."""
    if not np.isnan(tree.threshold[node]):
        return tree.threshold[[node]], np.ones(1)
    codes = np.arange(64)
    goes_left = (tree.categories[node] >> codes.astype(np.uint64)) & np.uint64(1) == 1
    weight = np.zeros(len(codes))
    weight[np.count_nonzero(goes_left) - 1] = 1.0
    return np.append(codes[goes_left], codes[~goes_left]).astype(float), weight


def _arrays(arrays: Iterable[ArrayLike], dtypes: tuple[str, ...]) -> list[np.ndarray]:
    return [read_only(np.ascontiguousarray(a, dtype=d)) for a, d in zip(arrays, dtypes, strict=True)]


def read_only(array: np.ndarray) -> np.ndarray:
    """View of the array that cannot be written."""
    view = array.view()
    view.flags.writeable = False
    return view


def is_leaf(tree: AnyTree) -> np.ndarray:
    """(n_nodes,) bool: which nodes are leaves."""
    return tree.left == LEAF


def is_category_split(tree: Tree) -> np.ndarray:
    """(n_nodes,) bool: which nodes split on a set of categories."""
    return (tree.feature != LEAF) & np.isnan(tree.threshold)


def parents(tree: AnyTree) -> np.ndarray:
    """(n_nodes,) int32: the parent of each node, -1 for the root."""
    parent = np.full(tree.n_nodes, -1, np.int32)
    inner = np.flatnonzero(tree.left != LEAF)
    parent[tree.left[inner]] = inner
    parent[tree.right[inner]] = inner
    return parent


def depths(tree: AnyTree) -> np.ndarray:
    """(n_nodes,) int32: distance of each node from the root."""
    depth = np.zeros(tree.n_nodes, np.int32)
    for node, parent in enumerate(parents(tree)):
        if parent >= 0:  # preorder: a parent stands before its children
            depth[node] = depth[parent] + 1
    return depth


def subtree_end(tree: AnyTree, node: int) -> int:
    """One past the last node of the subtree at `node`: the subtree is the slice ``node:subtree_end``."""
    while tree.right[node] != LEAF:
        node = int(tree.right[node])
    return node + 1


def path_to(tree: AnyTree, node: int) -> list[int]:
    """Nodes from the root to `node`, both included."""
    parent = parents(tree)
    path = [node]
    while parent[path[-1]] >= 0:
        path.append(int(parent[path[-1]]))
    return path[::-1]


def prune_to(tree: T, keep_split: np.ndarray) -> T:
    """Tree in which a node whose ``keep_split`` (n_nodes,) bool is False is a leaf; ValueError for other kinds."""
    _refuse_others(tree, (Tree, CultivatedTree), "prune_to")
    kept, is_split = [], []
    node = 0
    while node < tree.n_nodes:
        split = bool(tree.left[node] != LEAF and keep_split[node])
        kept.append(node)
        is_split.append(split)
        node = node + 1 if split else subtree_end(tree, node)
    kept, is_split = np.array(kept), np.array(is_split)
    number = np.full(tree.n_nodes + 1, LEAF)  # the last entry answers for child -1
    number[kept] = np.arange(len(kept))
    children = {"left": number[tree.left[kept]], "right": number[tree.right[kept]]}
    own = {name: getattr(tree, name)[kept] for name in ("n_samples", "weight", "value", "impurity")}
    return _as_pruned(tree, kept, is_split, own | {n: np.where(is_split, c, LEAF) for n, c in children.items()})


def _as_pruned(tree: T, kept: np.ndarray, is_split: np.ndarray, nodes: dict[str, np.ndarray]) -> T:
    """The pruned tree, given the arrays that both kinds of tree have."""
    if isinstance(tree, CultivatedTree):
        decisions = _some(tree.decisions, kept, is_split)
        taken = _spans(tree.decisions.start, kept[is_split])
        cuts = _some(tree.cuts, taken, np.ones(len(taken), dtype=bool))
        return make_cultivated(**nodes, decisions=decisions, cuts=cuts)
    otherwise = {"feature": LEAF, "threshold": np.nan, "categories": np.uint64(0), "missing_left": False}
    splits = {name: np.where(is_split, getattr(tree, name)[kept], leaf) for name, leaf in otherwise.items()}
    start, *pool = _some((tree.surrogates.start, *tree.surrogates[2:]), kept, is_split)
    seen = np.where(is_split, tree.surrogates.own_seen[kept], np.uint64(0))
    own = {**splits, **nodes, "surrogates": [start, seen, *pool]}
    return make_tree(*(own[name] for name in tree._fields))


def _spans(start: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Positions of all that the chosen owners have in a ragged pool."""
    spans = (np.arange(int(start[i]), int(start[i + 1])) for i in chosen)
    return np.concatenate([np.arange(0), *spans]).astype(np.int64)


def _some(pool: tuple[np.ndarray, ...], owners: np.ndarray, has_any: np.ndarray) -> list[np.ndarray]:
    """A ragged pool (start, fields), for these owners alone; those that have nothing any more get no entry."""
    taken = _spans(pool[0], owners[has_any])
    sizes = np.where(has_any, np.diff(pool[0])[owners], 0)
    return [np.append(0, np.cumsum(sizes)), *(array[taken] for array in pool[1:])]
