"""The nodes of an ONNX ensemble, of either version, as ours.

The operators are those of ai.onnx.ml: TreeEnsembleClassifier and TreeEnsembleRegressor (version 3, with
leaves among the nodes), and TreeEnsemble (version 5, leaves in lists of their own).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from espalier.language import Phrase, Refusal, to_say
from espalier.learners.imports.nodes import DAMAGED, FileNodes
from espalier.learners.imports.refusals import CATEGORIES, MOST_CODES, QUESTION
from espalier.learners.imports.thresholds import at_most_as_float32, below, below_as_float32

ALONE = to_say("some of the nodes belong to no tree")
AT_MOST, BELOW, AT_LEAST, ABOVE, EQUAL, OTHER, MEMBER = range(7)  # as version 5 numbers them
LEAF_MODE = 7
MODES = {
    b"BRANCH_LEQ": AT_MOST, b"BRANCH_LT": BELOW, b"BRANCH_GTE": AT_LEAST, b"BRANCH_GT": ABOVE, b"BRANCH_EQ": EQUAL,
    b"BRANCH_NEQ": OTHER, b"LEAF": LEAF_MODE,
}  # fmt: skip


class OnnxNodes(NamedTuple):
    """Nodes of all trees, with leaves among them; a question has the answers true and false."""

    feature: np.ndarray
    threshold: np.ndarray
    mode: np.ndarray  # LEAF_MODE at a leaf
    true: np.ndarray  # position of the node for the answer true
    false: np.ndarray
    missing_true: np.ndarray  # bool
    value: np.ndarray  # (n, n_outputs)
    root: np.ndarray  # (n_trees,)
    sets: np.ndarray | None = None  # (n,) uint64, the codes for which a question for members has the answer true


def version_3(facts: dict[str, Any], ids: str, n_outputs: int) -> OnnxNodes:
    """Return the nodes of a TreeEnsembleClassifier (`ids` is "class") or a TreeEnsembleRegressor ("target")."""
    tree, node = (np.asarray(facts[name], np.int64) for name in ("nodes_treeids", "nodes_nodeids"))
    width = int(node.max(initial=0)) + 1
    keys = tree * width + node
    order = np.argsort(keys, kind="stable")

    def place(trees: np.ndarray, nodes: np.ndarray) -> np.ndarray:
        wanted = trees * width + nodes
        at = order[np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)]
        return np.where(keys[at] == wanted, at, len(keys))  # one that is not there is refused later

    unknown = [name for name in facts["nodes_modes"] if name not in MODES]
    if unknown:
        raise Refusal(QUESTION, name=str(unknown[0]))
    value = np.zeros((len(keys), n_outputs))
    leaf = place(*(np.asarray(facts[f"{ids}_{name}"], np.int64) for name in ("treeids", "nodeids")))
    weights = _either(facts, f"{ids}_weights")
    if leaf.max(initial=0) < len(keys):
        np.add.at(value, (leaf, np.asarray(facts[f"{ids}_ids"], np.int64)), weights)
    first = np.unique(tree, return_index=True)[1]  # the first node of a tree is its root
    return OnnxNodes(
        np.asarray(facts["nodes_featureids"], np.int64),
        _either(facts, "nodes_values"),
        np.array([MODES[name] for name in facts["nodes_modes"]], np.int64),
        place(tree, np.asarray(facts["nodes_truenodeids"], np.int64)),
        place(tree, np.asarray(facts["nodes_falsenodeids"], np.int64)),
        np.asarray(facts.get("nodes_missing_value_tracks_true") or np.zeros(len(keys)), bool),
        value,
        first,
    )


def _either(facts: dict[str, Any], name: str) -> np.ndarray:
    """Return numbers, which stand as such, or as a tensor of doubles."""
    return np.asarray(facts[name] if name in facts else facts[f"{name}_as_tensor"], np.float64)


def version_5(facts: dict[str, Any], n_outputs: int, with_sets: bool = False) -> OnnxNodes:
    """Return the nodes of a TreeEnsemble; questions for members, which no code here answers for every number, only
    `with_sets`.
    """
    splits, mode = np.asarray(facts["nodes_splits"], np.float64), np.asarray(facts["nodes_modes"], np.int64)
    if mode.max(initial=0) > (MEMBER if with_sets else OTHER):
        raise Refusal(QUESTION, name="BRANCH_MEMBER")
    n, n_leaves = len(splits), len(facts["leaf_weights"])
    leaf = np.arange(n_leaves)
    value = np.zeros((n + n_leaves, n_outputs))
    value[n + leaf, np.asarray(facts["leaf_targetids"], np.int64)] = np.asarray(facts["leaf_weights"], np.float64)

    def child(side: str) -> np.ndarray:
        at, is_leaf = (np.asarray(facts[f"nodes_{side}{kind}"], np.int64) for kind in ("nodeids", "leafs"))
        return np.append(at + n * (is_leaf != 0), np.full(n_leaves, -1))

    def with_leaves(values: Any, kind: Any) -> np.ndarray:
        return np.append(np.asarray(values, kind), np.zeros(n_leaves, kind))

    return OnnxNodes(
        with_leaves(facts["nodes_featureids"], np.int64),
        with_leaves(splits, np.float64),
        np.append(mode, np.full(n_leaves, LEAF_MODE)),
        child("true"),
        child("false"),
        with_leaves(facts.get("nodes_missing_value_tracks_true") or np.zeros(n), bool),
        value,
        np.asarray(facts["tree_roots"], np.int64),
        with_leaves(_sets(facts, mode), np.uint64) if with_sets else None,
    )


def _sets(facts: dict[str, Any], mode: np.ndarray) -> np.ndarray:
    """Return the set of each question for members: their values stand in one list, nan after those of each."""
    sets, values = np.zeros(len(mode), np.uint64), iter(np.asarray(facts.get("membership_values", []), np.float64))
    for node in np.flatnonzero(mode == MEMBER):
        codes = []
        while not np.isnan(value := next(values)):
            codes.append(int(value))
        if any(not 0 <= code < MOST_CODES for code in codes):
            raise Refusal(CATEGORIES, n=MOST_CODES)
        sets[node] = sum(1 << code for code in set(codes))
    return sets


def our_nodes(theirs: OnnxNodes, is_float32: bool) -> FileNodes:
    """Return the nodes, each question as ``x <= threshold``; one for a single value becomes two."""
    at_most, under = (at_most_as_float32, below_as_float32) if is_float32 else (np.asarray, below)
    is_split, mode = theirs.mode != LEAF_MODE, theirs.mode
    there = np.concatenate([theirs.root, theirs.true[is_split], theirs.false[is_split]])
    if not np.isin(np.arange(len(mode)), there).all():
        raise Refusal(DAMAGED, what=Phrase(ALONE, {}))
    is_strict = np.isin(mode, (BELOW, AT_LEAST))
    is_turned = np.isin(mode, (AT_LEAST, ABOVE))  # what is at most the threshold has the answer false
    is_point = np.isin(mode, (EQUAL, OTHER))
    true, false = (
        np.where(mode == OTHER, theirs.false, theirs.true),
        np.where(mode == OTHER, theirs.true, theirs.false),
    )
    upper = np.where(is_strict, under(theirs.threshold), at_most(theirs.threshold))
    upper = np.where(mode == MEMBER, np.nan, upper)
    sets = np.zeros(len(mode), np.uint64) if theirs.sets is None else theirs.sets
    point = np.flatnonzero(is_point)
    n, extra = len(mode), np.arange(len(point))
    left, right = np.where(is_turned, false, true), np.where(is_turned, true, false)
    left[point] = n + extra
    missing_left = theirs.missing_true != is_turned
    missing_left[mode == OTHER] = False  # nan differs from every value
    return FileNodes(
        np.append(theirs.feature, theirs.feature[point]),
        np.append(upper, under(theirs.threshold[point])),
        np.append(np.where(is_split, left, -1), false[point]),
        np.append(np.where(is_split, right, -1), true[point]),
        np.append(missing_left & is_split, np.zeros(len(point), bool)),
        np.vstack(
            [
                np.where(is_split[:, None], np.nan, theirs.value),
                np.full((len(point), theirs.value.shape[1]), np.nan),
            ]
        ),
        np.append(sets, np.zeros(len(point), np.uint64)),
    )
