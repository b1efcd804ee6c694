"""How often a split comes back, by walking down both trees from their roots, one pair after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from espalier.trees import LEAF, AnyTree

Equal = Callable[[Any, int, Any, int], bool]  # of two splits


def by_feature(tree: Any, node: int, other: Any, there: int) -> bool:
    """Whether both splits ask the same feature."""
    return tree.feature[node] == other.feature[there]


def exactly(tree: Any, node: int, other: Any, there: int) -> bool:
    """Whether both splits are the same."""
    cuts = tree.threshold[node], other.threshold[there]
    same = cuts[0] == cuts[1] or (cuts[0] != cuts[0] and cuts[1] != cuts[1])
    sets = tree.categories[node] == other.categories[there]
    return by_feature(tree, node, other, there) and bool(same and sets)


def within(widths: Sequence[float]) -> Equal:
    """Whether both splits ask the same feature, at thresholds no farther apart than its width."""

    def near(tree: Any, node: int, other: Any, there: int) -> bool:
        apart = abs(tree.threshold[node] - other.threshold[there])
        return by_feature(tree, node, other, there) and apart <= widths[int(tree.feature[node])]

    return near


def counts(tree: Any, others: Sequence[AnyTree], are_equal: Equal) -> list[int]:
    """In how many of the others each node's split comes back."""
    found = Counter(node for other in others for node in coming_back(tree, 0, other, 0, are_equal))
    return [found[node] for node in range(tree.n_nodes)]


def coming_back(tree: Any, node: int, other: Any, there: int, are_equal: Equal) -> Iterator[int]:
    """The nodes of the subtree whose splits come back in the other subtree."""
    if tree.left[node] == LEAF or other.left[there] == LEAF or not are_equal(tree, node, other, there):
        return
    yield node
    for side in (tree.left, other.left), (tree.right, other.right):
        yield from coming_back(tree, int(side[0][node]), other, int(side[1][there]), are_equal)
