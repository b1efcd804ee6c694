"""Compose a tree from a given split and two subtrees."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np

from espalier.trees import LEAF, CultivatedTree, Cuts, Decisions, Tree, make_cultivated, make_tree, softened

T = TypeVar("T", Tree, CultivatedTree)


class RootQuestion(NamedTuple):
    """A yes/no question about a sample; yes goes left. Fields as in `espalier.data.binarise.Questions`."""

    feature: int
    threshold: float  # nan for categories
    categories: int  # 0 for a threshold
    missing_left: bool


def graft(question: RootQuestion, stump: T, left: T, right: T) -> T:
    """Return the tree with this question at its root, `left` below the answer yes and `right` below no.

    `stump` is any tree of all samples; its root gives the new root's value, weight and impurity.
    """
    split = _split(question, stump)
    if isinstance(left, CultivatedTree):
        trees: Any = (softened(split), left, right)
        decisions = _joined([tree.decisions for tree in trees], [1, left.n_nodes, right.n_nodes])
        cuts = _joined([tree.cuts for tree in trees], [len(tree.decisions.feature) for tree in trees])
        return make_cultivated(**_nodes(*trees), decisions=decisions, cuts=cuts)
    names = Tree._fields[:-1]  # trees of forests have no surrogates
    own = {name: [getattr(tree, name) for tree in (split, left, right)] for name in names}
    own = {name: np.concatenate([at_root[:1], *below]) for name, (at_root, *below) in own.items()}
    return make_tree(*({**own, **_nodes(split, left, right)}[name] for name in names))


def _split(question: RootQuestion, stump: Tree | CultivatedTree) -> Tree:
    """Return the question as a tree of three nodes; its leaves are placeholders."""
    own = (stump.n_samples[0], stump.weight[0], stump.value[0], stump.impurity[0])
    return make_tree(
        [question.feature, LEAF, LEAF], [question.threshold, np.nan, np.nan], [1, LEAF, LEAF], [2, LEAF, LEAF],
        [question.categories, 0, 0], [question.missing_left, False, False], *([value] * 3 for value in own),
    )  # fmt: skip


def _nodes(split: Any, left: Any, right: Any) -> dict[str, np.ndarray]:
    """Return the fields common to both kinds of trees: the first tree's root, then all nodes of the others."""
    sides, first = (left, right), (1, 1 + left.n_nodes)
    names = ("n_samples", "weight", "value", "impurity")
    nodes = {name: [getattr(split, name)[:1], *(getattr(side, name) for side in sides)] for name in names}
    for name, child in zip(("left", "right"), first, strict=True):
        below = [getattr(side, name) for side in sides]
        moved = [np.where(at == LEAF, LEAF, at + by) for at, by in zip(below, first, strict=True)]
        nodes[name] = [np.array([child]), *moved]
    return {name: np.concatenate(arrays) for name, arrays in nodes.items()}


def _joined(pools: list[Decisions] | list[Cuts], n_owners: list[int]) -> list[np.ndarray]:
    """Concatenate ragged pools, of each only its first owners (as many as given)."""
    sizes = [np.diff(pool.start)[:n] for pool, n in zip(pools, n_owners, strict=True)]
    arrays = zip(*(pool[1:] for pool in pools), strict=True)
    return [np.append(0, np.cumsum(np.concatenate(sizes))), *(np.concatenate(each) for each in arrays)]
