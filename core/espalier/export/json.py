"""A tree as a JSON document, and back again without a bit lost.

The document, version 1, and 2 if there are surrogate splits::

    {"format": "espalier-tree", "version": 1,
     "features": [{"name": "petal width", "kind": "number", "categories": []}, …],
     "target": {"name": "species", "kind": "category", "categories": ["setosa", …]},
     "nodes": [{"feature": 0, "threshold": 0.8, "left": 1, "right": 2, "missing_left": false,
                "n_samples": 150, "weight": 150.0, "value": [0.3, …], "impurity": 0.66}, …]}

A feature of a file also has `is_whole`, and `origin`: the `name` and `position` of its column there, `alike`
(other columns of this name), the texts read as `missing`, the `format` of its numbers (null: it holds words),
whether texts that are not numbers were read as missing (`is_lossy`), and the values `pooled` as its last category;
a column of yes and no the pairs of `spellings` (a text in the file, and the one that it was read as), if any; a
column whose value stands once for a block of rows says so (`is_filled`).
A feature whose last category stands for several values of a DataFrame lists them as `pooled`, and a target whose
classes are text that looks like numbers, or True and False, says so as `labels`: "text" or "truth".
A number of a table has its `spread`, the greatest value less the least one, by which texts round.
A feature made of dates or times has a `moment`: the `column`, the `part`, the order of day and month (`form`), the
`unit` in seconds, and the day (from 1970) `since` which it counts. A target may have `marks`: the position of the
class that counts (`positive`, or null), who says so (`by`: a choice, its name, its rarity), and the places of the
classes in the palette (`colours`, empty for their order).

Nodes are in preorder, the root first; `feature`, `left` and `right` are positions in their lists. A leaf
has only the last four keys. In place of `threshold`, a split on categories has `categories_left`, the
positions of the categories that go left, and `others_left`: whether codes past the last category go left too.
Where a node has surrogate splits for missing values, `surrogates` lists them, the best one first: each a
`feature`, its `threshold` or `categories_left` and `others_left`, the `agreement`, and `reversed`, where left is
right. A split on categories of such a node, and a surrogate on categories, have `categories_seen`: any other
category counts as missing.
The threshold "inf" separates known values from missing ones. `value` holds the class shares, or the mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.export.cultivated import json
from espalier.export.document import DocumentPlace, feature, head, node_facts, not_negative, parsed, value, written
from espalier.export.model_trees import json as formulas
from espalier.export.oblique import json as oblique_json
from espalier.leaf_models import ModelTree
from espalier.learners.description import describe_tree
from espalier.oblique import ObliqueTree
from espalier.tree.rules import ALL, N_BITS
from espalier.tree_checks import check_tree
from espalier.trees import LEAF, AnyTree, CultivatedTree, Surrogates, Tree, make_tree

FORMAT, VERSION, WITH_SURROGATES = "espalier-tree", 1, 2
INFINITE = {"inf": math.inf, "-inf": -math.inf}


def to_json(model: Any, features: Sequence[Feature] | None = None, target: Feature | None = None) -> str:
    """Return the document, one node a line; `model` is a fitted estimator, or its tree with features and target.

    Cultivated and oblique trees have formats of their own, see `cultivated.json` and `oblique.json`; a model tree
    has that of a tree with more in it, see `model_trees.json`. Raises ValueError for a forest, and for features
    and target that do not fit the tree.
    """
    tree, features, target = describe_tree(model, features, target)
    if isinstance(tree, ModelTree):
        nodes = [_node(tree.tree, features, node) | formulas.written(tree, node) for node in range(tree.n_nodes)]
        first = head(formulas.FORMAT, VERSION, features, target) | formulas.facts(tree.models)
        return written(first, nodes)
    if isinstance(tree, ObliqueTree):
        return oblique_json.to_json(tree, features, target)
    if isinstance(tree, CultivatedTree):
        return json.to_json(tree, features, target)
    nodes = [_node(tree, features, node) for node in range(tree.n_nodes)]
    version = WITH_SURROGATES if tree.has_surrogates else VERSION
    return written(head(FORMAT, version, features, target), nodes)


def _node(tree: Tree, features: Sequence[Feature], node: int) -> dict[str, Any]:
    facts = node_facts(tree, node)
    if tree.feature[node] == LEAF:
        return facts
    feature = int(tree.feature[node])
    ways = {
        "left": int(tree.left[node]),
        "right": int(tree.right[node]),
        "missing_left": bool(tree.missing_left[node]),
    }
    pool, (first, stop) = tree.surrogates, tree.surrogates.start[node : node + 2]
    test = _test(tree.threshold[node], tree.categories[node], len(features[feature].categories))
    seen = _seen(tree.threshold[node], pool.own_seen[node]) if pool.own_seen[node] else {}
    more = {"surrogates": [_surrogate(pool, at, features) for at in range(first, stop)]} if first < stop else {}
    return {"feature": feature, **test, **seen, **ways, **more, **facts}


def _seen(threshold: float, mask: int) -> dict[str, Any]:
    codes = [code for code in range(N_BITS) if int(mask) >> code & 1]
    return {"categories_seen": codes} if math.isnan(threshold) else {}


def _surrogate(pool: Surrogates, at: int, features: Sequence[Feature]) -> dict[str, Any]:
    feature = int(pool.feature[at])
    test = _test(pool.threshold[at], pool.categories[at], len(features[feature].categories))
    test |= _seen(pool.threshold[at], pool.seen[at])
    facts = {"reversed": bool(pool.reversed[at]), "agreement": float(pool.agreement[at])}
    return {"feature": feature, **test, **facts}


def _test(threshold: float, mask: int, n_categories: int) -> dict[str, Any]:
    threshold, mask = float(threshold), int(mask)
    if not math.isnan(threshold):
        return {"threshold": str(threshold) if math.isinf(threshold) else threshold}
    others_left = mask >> n_categories == ALL >> n_categories
    n = n_categories if others_left else N_BITS
    return {"categories_left": [c for c in range(n) if mask >> c & 1], "others_left": others_left}


def from_json(text: str) -> tuple[AnyTree | ModelTree | ObliqueTree, tuple[Feature, ...], Feature]:
    """Return the tree, features and target of a document. Raises ValueError that says what is wrong and where."""
    document = DocumentPlace(parsed(text), "")
    form = document.value.get("format") if isinstance(document.value, dict) else None
    if form not in (FORMAT, json.FORMAT, formulas.FORMAT, oblique_json.FORMAT):
        raise ValueError(f'this is no tree from Espalier: "format" should be "{FORMAT}"')
    versions = (VERSION, WITH_SURROGATES) if form == FORMAT else (VERSION,)
    if document["version"].value not in versions:
        known = " or ".join(map(str, versions))
        raise ValueError(f"version is {document['version'].value!r}, but only version {known} can be read")
    features = tuple(feature(place) for place in document["features"].items())
    target = feature(document["target"])
    nodes = document["nodes"].items()
    if not nodes:
        raise ValueError("nodes: a tree has at least one node")
    if form == oblique_json.FORMAT:
        return oblique_json.read(document, features, target), features, target
    if form == json.FORMAT:
        return json.read(nodes, features, target), features, target
    tree = _read(nodes, features, target)
    if form == formulas.FORMAT:
        return formulas.read(tree, document, features), features, target
    return tree, features, target


def _read(nodes: list[DocumentPlace], features: tuple[Feature, ...], target: Feature) -> Tree:
    rows = [_row(place, features, target) for place in nodes]
    # As objects: beside small ints, NumPy would read a mask of 64 bits as a float.
    pool = _surrogates(nodes, features)
    tree = make_tree(*(np.array(column, dtype=object) for column in zip(*rows, strict=True)), pool)
    check_tree(tree)
    return tree


def _surrogates(nodes: list[DocumentPlace], features: tuple[Feature, ...]) -> list[np.ndarray]:
    own = [place["surrogates"].items() if "surrogates" in place else [] for place in nodes]
    rows = [_surrogate_row(place, features) for places in own for place in places]
    fields = list(zip(*rows, strict=True)) if rows else [()] * 6
    start = np.append(0, np.cumsum([len(places) for places in own]))
    seen = [_mask_seen(place, bool(places)) for place, places in zip(nodes, own, strict=True)]
    return [start, *(np.array(field, dtype=object) for field in (seen, *fields))]


def _surrogate_row(place: DocumentPlace, features: tuple[Feature, ...]) -> tuple:
    at = place["feature"].whole(len(features), f"a number of a feature, 0 to {len(features) - 1}")
    facts = place["reversed"].boolean(), not_negative(place["agreement"])
    return (at, *_parting(place, features[at]), _mask_seen(place, True), *facts)


def _mask_seen(place: DocumentPlace, is_asked: bool) -> int:
    """Return the categories that a split saw; all where an older document does not say, but it `is_asked`."""
    if "categories_seen" in place:
        return _mask(place["categories_seen"])
    return ALL if is_asked and "categories_left" in place else 0


def _mask(place: DocumentPlace) -> int:
    allowed = f"a number of a category, 0 to {N_BITS - 1}"
    return sum({1 << c.whole(N_BITS, allowed) for c in place.items()})


def _row(place: DocumentPlace, features: tuple[Feature, ...], target: Feature) -> tuple:
    facts = (
        place["n_samples"].whole(2**63, "a number of samples"),
        not_negative(place["weight"]),
        value(place["value"], target),
        not_negative(place["impurity"]),
    )
    if "feature" not in place:
        return (LEAF, math.nan, LEAF, LEAF, 0, False, *facts)
    at = place["feature"].whole(len(features), f"a number of a feature, 0 to {len(features) - 1}")
    threshold, categories = _parting(place, features[at])
    left, right = (place[key].whole(2**31 - 1, "a number of a node") for key in ("left", "right"))
    return (at, threshold, left, right, categories, place["missing_left"].boolean(), *facts)


def _parting(place: DocumentPlace, of: Feature) -> tuple[float, int]:
    if "categories_left" not in place:
        threshold = place["threshold"]
        is_infinite = isinstance(threshold.value, str) and threshold.value in INFINITE
        return (INFINITE[threshold.value] if is_infinite else threshold.number()), 0
    mask = _mask(place["categories_left"])
    n = len(of.categories)
    return math.nan, mask | (ALL >> n << n if place["others_left"].boolean() else 0)
