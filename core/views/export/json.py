"""A tree as a JSON document, and back again without a bit lost.

The document, version 1::

    {"format": "espalier-tree", "version": 1,
     "features": [{"name": "petal width", "kind": "number", "categories": []}, …],
     "target": {"name": "species", "kind": "category", "categories": ["setosa", …]},
     "nodes": [{"feature": 0, "threshold": 0.8, "left": 1, "right": 2, "missing_left": false,
                "n_samples": 150, "weight": 150.0, "value": [0.3, …], "impurity": 0.66}, …]}

Nodes stand in preorder, the root first; `feature`, `left` and `right` are positions in their lists. A leaf
has only the last four keys. In place of `threshold`, a split on categories has `categories_left`, the
positions of the categories that go left, and `others_left`: whether codes past the last category go left too.
The threshold "inf" parts known values from missing ones. `value` holds the class shares, or the mean.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from typing import Any, get_args

import numpy as np

from core.analysis.rules import ALL, N_BITS
from core.data.dataset import Feature, Kind
from core.trees import LEAF, Tree, check_tree, make_tree

FORMAT, VERSION = "espalier-tree", 1
LARGEST = sys.float_info.max
INFINITE = {"inf": math.inf, "-inf": -math.inf}


def to_json(tree: Tree, features: Sequence[Feature], target: Feature) -> str:
    """The document, one node a line; floats are written so that they read back exactly."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "features": [f._asdict() for f in features],
        "target": target._asdict(),
    }
    lines = [f"{_text(key)}: {_text(value)}" for key, value in head.items()]
    nodes = ",\n".join(_text(_node(tree, features, node)) for node in range(tree.n_nodes))
    return "{" + ",\n".join(lines) + ',\n"nodes": [\n' + nodes + "\n]}\n"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _node(tree: Tree, features: Sequence[Feature], node: int) -> dict[str, Any]:
    facts = {
        "n_samples": int(tree.n_samples[node]),
        "weight": float(tree.weight[node]),
        "value": tree.value[node].tolist(),
        "impurity": float(tree.impurity[node]),
    }
    if tree.feature[node] == LEAF:
        return facts
    feature = int(tree.feature[node])
    ways = {
        "left": int(tree.left[node]),
        "right": int(tree.right[node]),
        "missing_left": bool(tree.missing_left[node]),
    }
    return {"feature": feature, **_test(tree, node, len(features[feature].categories)), **ways, **facts}


def _test(tree: Tree, node: int, n_categories: int) -> dict[str, Any]:
    threshold, mask = float(tree.threshold[node]), int(tree.categories[node])
    if not math.isnan(threshold):
        return {"threshold": str(threshold) if math.isinf(threshold) else threshold}
    others_left = mask >> n_categories == ALL >> n_categories
    n = n_categories if others_left else N_BITS
    return {"categories_left": [c for c in range(n) if mask >> c & 1], "others_left": others_left}


def from_json(text: str) -> tuple[Tree, tuple[Feature, ...], Feature]:
    """Tree, features and target of a document. Raises ValueError that says what is wrong, and where."""
    document = _Place(_parsed(text), "")
    if document.value.__class__ is not dict or document.value.get("format") != FORMAT:
        raise ValueError(f'this is no tree from Espalier: "format" should be "{FORMAT}"')
    if document["version"].value != VERSION:
        raise ValueError(f"version is {document['version'].value!r}, but only version {VERSION} can be read")
    features = tuple(_feature(place) for place in document["features"].items())
    target = _feature(document["target"])
    rows = [_row(place, features, target) for place in document["nodes"].items()]
    if not rows:
        raise ValueError("nodes: a tree has at least one node")
    # As objects: beside small ints, NumPy would read a mask of 64 bits as a float.
    tree = make_tree(*(np.array(column, dtype=object) for column in zip(*rows, strict=True)))
    check_tree(tree)
    return tree, features, target


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}, column {error.colno}: not JSON ({error.msg})") from None
    except RecursionError:
        raise ValueError("not a tree: brackets are nested too deeply") from None


def _refuse(word: str) -> None:
    raise ValueError(f'{word} is no JSON number: a threshold may be the text "inf"')


class _Place:
    """A value inside the document, and the way to it for messages, such as ``nodes[3].threshold``."""

    def __init__(self, value: Any, path: str):
        self.value, self.path = value, path

    def fail(self, expected: str) -> ValueError:
        shown = json.dumps(self.value, ensure_ascii=False)
        shown = shown if len(shown) <= 40 else shown[:39] + "…"
        return ValueError(f"{self.path or 'document'}: expected {expected}, found {shown}")

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def __getitem__(self, key: str) -> _Place:
        if not isinstance(self.value, dict):
            raise self.fail("an object")
        if key not in self.value:
            raise ValueError(f"{self.path or 'document'}: {key!r} is missing")
        return _Place(self.value[key], f"{self.path}.{key}".lstrip("."))

    def items(self) -> list[_Place]:
        if not isinstance(self.value, list):
            raise self.fail("a list")
        return [_Place(value, f"{self.path}[{i}]") for i, value in enumerate(self.value)]

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.fail("a text")
        return self.value

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.fail("true or false")
        return self.value

    def whole(self, stop: int, what: str) -> int:
        if type(self.value) is not int or not 0 <= self.value < stop:
            raise self.fail(what)
        return self.value

    def number(self) -> float:
        # An int may be too large for a float: compare before converting.
        if type(self.value) not in (int, float) or not -LARGEST <= self.value <= LARGEST:
            raise self.fail("a finite number")
        return float(self.value)


def _feature(place: _Place) -> Feature:
    kind = place["kind"].text()
    if kind not in get_args(Kind):
        raise place["kind"].fail(f"one of {', '.join(get_args(Kind))}")
    categories = tuple(item.text() for item in place["categories"].items())
    if len(set(categories)) < len(categories):
        raise place["categories"].fail("names that differ")
    return Feature(place["name"].text(), kind, categories)  # type: ignore[arg-type]


def _row(place: _Place, features: tuple[Feature, ...], target: Feature) -> tuple:
    facts = (
        place["n_samples"].whole(2**63, "a number of samples"),
        _not_negative(place["weight"]),
        _value(place["value"], target),
        _not_negative(place["impurity"]),
    )
    if "feature" not in place:
        return (LEAF, math.nan, LEAF, LEAF, 0, False, *facts)
    feature = place["feature"].whole(len(features), f"a number of a feature, 0 to {len(features) - 1}")
    threshold, categories = _parting(place, features[feature])
    left, right = (place[key].whole(2**31 - 1, "a number of a node") for key in ("left", "right"))
    return (feature, threshold, left, right, categories, place["missing_left"].boolean(), *facts)


def _parting(place: _Place, feature: Feature) -> tuple[float, int]:
    if "categories_left" not in place:
        threshold = place["threshold"]
        is_infinite = isinstance(threshold.value, str) and threshold.value in INFINITE
        return (INFINITE[threshold.value] if is_infinite else threshold.number()), 0
    allowed = f"a number of a category, 0 to {N_BITS - 1}"
    mask = sum({1 << c.whole(N_BITS, allowed) for c in place["categories_left"].items()})
    n = len(feature.categories)
    return math.nan, mask | (ALL >> n << n if place["others_left"].boolean() else 0)


def _value(place: _Place, target: Feature) -> list[float]:
    value = [item.number() for item in place.items()]
    if len(value) != max(len(target.categories), 1):
        raise place.fail(f"{max(len(target.categories), 1)} numbers")
    if target.categories and (min(value) < 0 or not math.isclose(sum(value), 1, abs_tol=1e-6)):
        raise place.fail("shares from 0 to 1 that sum to 1")
    return value


def _not_negative(place: _Place) -> float:
    if place.number() < 0:
        raise place.fail("a number not below 0")
    return place.number()
