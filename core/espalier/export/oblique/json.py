"""An oblique tree as a JSON document, and back again without a bit lost.

The document, version 1, where `features` and `target` are as in `espalier.export.json`::

    {"format": "espalier-oblique-tree", "version": 1, "features": […], "target": {…},
     "nodes": [{"terms": [{"feature": 3, "coefficient": 1.0}, {"feature": 2, "coefficient": 0.47}],
                "threshold": 3.99, "left": 1, "right": 2,
                "n_samples": 150, "weight": 150.0, "value": [0.3, …], "impurity": 0.66}, …],
     "fill": [5.84, …]}

Nodes are in preorder, the root first. A leaf has only the last four keys. A split on one feature has `feature` in
place of `terms`, and one on categories `categories_left`, the codes that go left, in place of `threshold`. `fill`
has for each feature what a missing value counts as.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.export.document import DocumentPlace, head, node_facts, not_negative, value, written
from espalier.oblique import ObliqueTree, make_oblique, terms_of
from espalier.tree.rules import N_BITS
from espalier.tree_checks import check_oblique
from espalier.trees import LEAF

FORMAT, VERSION = "espalier-oblique-tree", 1


def to_json(tree: ObliqueTree, features: Sequence[Feature], target: Feature) -> str:
    """Return the document, one node a line; floats are written so that they read back exactly."""
    facts = head(FORMAT, VERSION, features, target) | {"fill": tree.fill.tolist()}
    return written(facts, [_node(tree, node) for node in range(tree.n_nodes)])


def _node(tree: ObliqueTree, node: int) -> dict[str, Any]:
    facts = node_facts(tree, node)
    if tree.left[node] == LEAF:
        return facts
    terms = [{"feature": int(f), "coefficient": float(c)} for f, c in zip(*terms_of(tree, node), strict=True)]
    asked: dict[str, Any] = {"terms": terms} if terms else {"feature": int(tree.feature[node])}
    threshold, mask = float(tree.threshold[node]), int(tree.categories[node])
    codes = {"categories_left": [code for code in range(N_BITS) if mask >> code & 1]}
    test = codes if math.isnan(threshold) else {"threshold": threshold}
    return {**asked, **test, "left": int(tree.left[node]), "right": int(tree.right[node]), **facts}


def read(document: DocumentPlace, features: tuple[Feature, ...], target: Feature) -> ObliqueTree:
    """Return the tree of a document. Raises ValueError that says what is wrong and where."""
    fill = [place.number() for place in document["fill"].items()]
    if len(fill) != len(features):
        raise document["fill"].fail(f"{len(features)} numbers, one for each feature")
    nodes = document["nodes"].items()
    terms = [_terms(place, len(features)) if "terms" in place else [] for place in nodes]
    rows = [_row(place, own, features, target) for place, own in zip(nodes, terms, strict=True)]
    pool = [term for own in terms for term in own]
    start = np.cumsum([0, *map(len, terms)])
    made = (start, [feature for feature, _ in pool], [coefficient for _, coefficient in pool])
    fields = (np.array(column, dtype=object) for column in zip(*rows, strict=True))
    tree = make_oblique(*fields, fill, made)
    check_oblique(tree)
    return tree


def _terms(place: DocumentPlace, n: int) -> list[tuple[int, float]]:
    return [(_feature(term["feature"], n), term["coefficient"].number()) for term in place["terms"].items()]


def _feature(place: DocumentPlace, n: int) -> int:
    return place.whole(n, f"a number of a feature, 0 to {n - 1}")


def _row(place: DocumentPlace, terms: list, features: tuple[Feature, ...], target: Feature) -> tuple:
    facts = (
        place["n_samples"].whole(2**63, "a number of samples"),
        not_negative(place["weight"]),
        value(place["value"], target),
        not_negative(place["impurity"]),
    )
    if not terms and "feature" not in place:
        return (LEAF, math.nan, LEAF, LEAF, 0, *facts)
    at = terms[0][0] if terms else _feature(place["feature"], len(features))
    left, right = (place[key].whole(2**31 - 1, "a number of a node") for key in ("left", "right"))
    if "categories_left" not in place:
        return (at, place["threshold"].number(), left, right, 0, *facts)
    allowed = f"a number of a category, 0 to {N_BITS - 1}"
    codes = {code.whole(N_BITS, allowed) for code in place["categories_left"].items()}
    return (at, math.nan, left, right, sum(1 << code for code in codes), *facts)
