"""A cultivated tree as a JSON document, and back again without a bit lost.

The document, version 1, where `features` and `target` are as in `espalier.export.json`::

    {"format": "espalier-cultivated-tree", "version": 1, "features": […], "target": {…},
     "nodes": [{"decisions": [{"feature": 2, "threshold": 2.45, "reversed": false, "share": 1.0,
                               "missing_left": 0.33, "impurity": 0.36, "cuts": [1.9, …], "weights": [0.5, …]}, …],
                "left": 1, "right": 2,
                "n_samples": 150, "weight": 150.0, "value": [0.3, …], "impurity": 0.66}, …]}

Nodes are in preorder, the root first. A leaf has only the last four keys. `cuts` are the neighbourhood T(t0),
ascending, and `weights` their phi; a decision on categories has no `threshold`, and its cuts are positions of
categories in the order in which they go left. `missing_left` is the fraction of a missing value that does. A
threshold or cut that separates known values from missing ones is "inf".
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.export.document import DocumentPlace, head, node_facts, not_negative, value, written
from espalier.trees import LEAF, CultivatedTree, make_cultivated

FORMAT, VERSION = "espalier-cultivated-tree", 1


def to_json(tree: CultivatedTree, features: Sequence[Feature], target: Feature) -> str:
    """Return the document, one node a line; floats are written so that they read back exactly."""
    nodes = [_node(tree, node) for node in range(tree.n_nodes)]
    return written(head(FORMAT, VERSION, features, target), nodes)


def _node(tree: CultivatedTree, node: int) -> dict[str, Any]:
    facts = node_facts(tree, node)
    if tree.left[node] == LEAF:
        return facts
    start, end = tree.decisions.start[node : node + 2].tolist()
    ways = {"left": int(tree.left[node]), "right": int(tree.right[node])}
    return {"decisions": [_decision(tree, d) for d in range(start, end)], **ways, **facts}


def _decision(tree: CultivatedTree, d: int) -> dict[str, Any]:
    start, end = tree.cuts.start[d : d + 2].tolist()
    fields = ("feature", "threshold", "reversed", "share", "missing_left", "impurity")
    facts = {name: getattr(tree.decisions, name)[d].item() for name in fields}
    if math.isnan(facts["threshold"]):
        del facts["threshold"]
    else:
        facts["threshold"] = _written(facts["threshold"])
    return {
        **facts,
        "cuts": [_written(cut) for cut in tree.cuts.value[start:end].tolist()],
        "weights": tree.cuts.weight[start:end].tolist(),
    }


def _written(cut: float) -> float | str:
    return str(cut) if math.isinf(cut) else cut


def _cut(place: DocumentPlace) -> float:
    return math.inf if place.value == "inf" else place.number()


def read(nodes: list[DocumentPlace], features: tuple[Feature, ...], target: Feature) -> CultivatedTree:
    """Return the tree of these nodes. Raises ValueError that says what is wrong and where."""
    modules = [_module(place, features) for place in nodes]
    children = [
        tuple(place[key].whole(len(nodes), "a number of a node") for key in ("left", "right"))
        if module
        else (LEAF, LEAF)
        for place, module in zip(nodes, modules, strict=True)
    ]
    _check_order(nodes, children)
    facts = [_facts(place, target) for place in nodes]
    decisions = [decision for module in modules for decision in module]
    left, right = _columns(children, 2)
    n_samples, weight, says, impurity = _columns(facts, 4)
    made = (_starts(modules), *_columns([decision[:6] for decision in decisions], 6))
    cuts = [[entry for decision in decisions for entry in decision[i]] for i in (6, 7)]
    near = (_starts([decision[6] for decision in decisions]), *cuts)
    return make_cultivated(left, right, n_samples, weight, says, impurity, made, near)


def _columns(rows: Sequence[Sequence[Any]], n: int) -> list[Any]:
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(n)]


def _starts(groups: Sequence[Sequence[Any]]) -> np.ndarray:
    return np.cumsum([0, *map(len, groups)])


def _check_order(nodes: list[DocumentPlace], children: list[tuple[int, ...]]) -> None:
    expected = [0]  # nodes that must come next, in preorder
    for node, (left, right) in enumerate(children):
        if not expected or expected.pop() != node:
            raise ValueError(f"node {node} does not stand where preorder puts it")
        if left == LEAF:
            continue
        if left != node + 1 or not left < right:
            raise ValueError(f"children of node {node} are not in preorder")
        expected += [right, left]
    if expected:
        raise ValueError(f"node {expected[-1]} is a child but does not exist")


def _facts(place: DocumentPlace, target: Feature) -> tuple[Any, ...]:
    return (
        place["n_samples"].whole(2**63, "a number of samples"),
        not_negative(place["weight"]),
        value(place["value"], target),
        not_negative(place["impurity"]),
    )


def _module(place: DocumentPlace, features: tuple[Feature, ...]) -> list[tuple[Any, ...]]:
    """Return the decisions of a node; none of a leaf."""
    if "decisions" not in place:
        return []
    decisions = [_read_decision(item, features) for item in place["decisions"].items()]
    if not math.isclose(sum(decision[3] for decision in decisions), 1, abs_tol=1e-6):
        raise place["decisions"].fail("shares that sum to 1")
    return decisions


def _read_decision(place: DocumentPlace, features: tuple[Feature, ...]) -> tuple[Any, ...]:
    feature = place["feature"].whole(len(features), f"a number of a feature, 0 to {len(features) - 1}")
    threshold = _cut(place["threshold"]) if "threshold" in place else math.nan
    cuts, weights = (
        [read(item) for item in place[key].items()]
        for key, read in (("cuts", _cut), ("weights", DocumentPlace.number))
    )
    if not cuts or len(cuts) != len(weights):
        raise place["weights"].fail("as many weights as cuts, at least one")
    if min(weights) < 0 or not max(weights) > 0:
        raise place["weights"].fail("weights not below 0, and one above")
    if not math.isnan(threshold) and any(a >= b for a, b in itertools.pairwise(cuts)):
        raise place["cuts"].fail("ascending numbers")
    parts = (_part(place["share"]), _part(place["missing_left"]))
    impurity = not_negative(place["impurity"])
    return (feature, threshold, place["reversed"].boolean(), *parts, impurity, cuts, weights)


def _part(place: DocumentPlace) -> float:
    if not 0 <= place.number() <= 1:
        raise place.fail("a number from 0 to 1")
    return place.number()
