"""A plain document of trees, which a short script writes where a library has no file of its own, as in R.

The document, version 2::

    {"format": "espalier-trees", "version": 2, "library": "R, rpart", "combine": "mean",
     "features": [{"name": "age", "kind": "number"}, …], "classes": ["no", "yes"],
     "trees": [{"feature": [0, -1, -1], "threshold": [4.5, null, null], "left": [1, -1, -1], "right": [2, -1, -1],
                "value": [null, [0.9, 0.1], [0.2, 0.8]], "n": [30, 10, 20]}, …]}

The kind of a feature says what the model's numbers mean: "number"; "category", split by sets of positions among
its `categories`; "date", counted from the beginning of 1970 (UTC) in a `unit` of so many seconds; or "duration",
in a `unit`. Version 1, which had no kinds, is read where nothing depends on what it does not say.

Each list has an entry for every node, the root first; `left` and `right` are positions in the tree, -1 at a leaf.
A row goes left on ``x <= threshold``, or with ``"strict": true`` on ``x < threshold``; at a split on categories,
`threshold` is null and `categories_left` lists their positions. `missing_left` says where a missing value goes, by
default to the side with more rows. `combine` is "votes", "mean" or "sum" (with `start` and `link`); `value` is a
number, or the shares of the classes, and may be null at a split. `n`, the rows in a node, may be left out. Numbers
may be texts, for languages whose JSON would round them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.data.options import DAY, DURATION, HOUR, MINUTE, SECOND, Moment
from espalier.language import Phrase, Refusal, to_say
from espalier.learners.imports.model import ImportedForest, ModelFacts, model_of
from espalier.learners.imports.nodes import CATEGORIES, MOST_CODES, FileNodes, below, join_nodes, trees_of
from espalier.trees import LINKS, Forest, Tree, make_forest, make_sum

FORMAT, VERSIONS = "espalier-trees", (1, 2)
UNITS = {"date": (DAY, SECOND), DURATION: (7 * DAY, DAY, HOUR, MINUTE, SECOND)}
R_LIBRARIES = ("R, rpart", "R, randomForest", "R, ranger")
RPART_MISSING = to_say(
    "a missing value, and a category that a node of the tree never saw, goes with the larger side: rpart's "
    "surrogate splits are not read"
)
FOREST_MISSING = to_say("a missing value goes right at every split: the library itself gives no answer then")
VERSION_1 = to_say(
    "the file is of an earlier version, which does not say {what}; write it again with the present script trees.R"
)
LOSSES = to_say("whether the tree was fitted with a matrix of losses")
CUTOFF = to_say("whether the forest counts its votes by a cutoff")
CLASSES = to_say("which class is which, if the forest votes")
LEVELS = to_say("which categories the column {name} has, in which order")
SPLIT = to_say("the file's trees are damaged: a split on the column {name} is none of its kind, {kind}")
KIND = to_say(
    "the file's column {name} is of the kind {kind}, in units of {unit} seconds, which this program does not know"
)


def is_table(document: Any) -> bool:
    """Return whether a JSON document is one of these."""
    return isinstance(document, dict) and document.get("format") == FORMAT


def read_table_of_trees(document: dict[str, Any]) -> ImportedForest:
    """Return the forest of a document. Raises Refusal for what a forest here cannot be.

    >>> stump = {"feature": [0, -1, -1], "threshold": [0.5, None, None], "left": [1, -1, -1], "right": [2, -1, -1],
    ...          "value": [None, 1.0, 3.0]}
    >>> x = {"name": "x", "kind": "number"}
    >>> head = {"format": "espalier-trees", "version": 2, "combine": "mean", "features": [x]}
    >>> read_table_of_trees(head | {"trees": [stump]}).predict([[0.5], [0.6]]).tolist()
    [1.0, 3.0]
    """
    if document.get("version") not in VERSIONS:
        raise Refusal(
            "the file has version {n} of its format; this program knows 1 and 2", n=str(document.get("version"))
        )
    is_first = document["version"] == 1
    features = tuple(map(_feature_of_version_1 if is_first else _feature, document["features"]))
    classes = tuple(document.get("classes") or ())
    if is_first:
        _check_said(str(document.get("library")), document["combine"], len(classes))
    parts = [_nodes(tree, document, len(classes) or 1) for tree in document["trees"]]
    if any(part.n_samples is None for part in parts):
        parts = [part._replace(n_samples=None) for part in parts]
    nodes, roots = join_nodes(parts)
    _check_splits(nodes, features, is_first)
    trees = trees_of(nodes, roots, len(features))
    library = str(document.get("library", "a table of trees"))
    notes = (
        (Phrase(RPART_MISSING if library == "R, rpart" else FOREST_MISSING, {}),) if library in R_LIBRARIES else ()
    )
    return model_of(_forest(document, trees), ModelFacts(library, features, classes, notes))


def _feature(one: dict[str, Any]) -> Feature:
    """Return a column of version 2. Raises Refusal for a kind or unit that there is not."""
    name, kind, unit = str(one["name"]), one["kind"], int(one.get("unit") or 0)
    if unit in UNITS.get(kind, ()):
        return Feature(name, moment=Moment(name, kind, unit=unit))
    names = tuple(map(str, one.get("categories") or ()))
    if kind in UNITS or kind not in ("number", "category") or bool(names) is (kind == "number"):
        raise Refusal(KIND, name=name, kind=str(kind), unit=unit)
    return Feature(name, kind, names)


def _feature_of_version_1(one: dict[str, Any]) -> Feature:
    names = tuple(map(str, one.get("categories") or ()))
    return Feature(str(one["name"]), "category" if names else "number", names)


def _check_said(library: str, combine: str, n_classes: int) -> None:
    """Raise Refusal where R may have decided by what version 1 does not say, or said the wrong class."""
    unsaid = {"R, rpart": LOSSES, "R, randomForest": CUTOFF, "R, ranger": CLASSES}.get(library)
    if unsaid and n_classes and not (unsaid is CLASSES and combine == "mean"):
        raise Refusal(VERSION_1, what=Phrase(unsaid, {}))


def _check_splits(nodes: FileNodes, features: Sequence[Feature], is_first: bool) -> None:
    """Raise Refusal where a split by a set or by a threshold is on a column of another kind."""
    for column, feature in enumerate(features):
        at = (nodes.left >= 0) & (nodes.feature == column)
        wrong = np.isnan(nodes.threshold[at]) != (feature.kind == "category")
        if wrong.any() and is_first:
            raise Refusal(VERSION_1, what=Phrase(LEVELS, {"name": feature.name}))
        if wrong.any():
            raise Refusal(SPLIT, name=feature.name, kind=feature.kind)


def _nodes(tree: dict[str, Any], document: dict[str, Any], n_outputs: int) -> FileNodes:
    left, right = (np.asarray(tree[side], np.int64) for side in ("left", "right"))
    is_split = left >= 0
    threshold = np.array([math.nan if t is None else float(t) for t in tree["threshold"]])
    threshold = below(threshold) if document.get("strict") else threshold
    count = np.array(tree["n"], np.float64) if tree.get("n") else None
    default = np.zeros(len(left), bool) if count is None else is_split & (count[left] >= count[right])
    nothing = [math.nan] * n_outputs
    value = np.array([nothing if v is None else np.asarray(v, np.float64).ravel() for v in tree["value"]])
    return FileNodes(
        np.where(is_split, np.asarray(tree["feature"], np.int64), 0),
        threshold,
        left,
        right,
        np.asarray(tree.get("missing_left", default), bool),
        value.reshape(len(left), n_outputs),
        np.array([_set(codes) for codes in tree.get("categories_left") or [None] * len(left)], np.uint64),
        count,
    )


def _set(codes: list[int] | None) -> int:
    if codes and max(codes) >= MOST_CODES:
        raise Refusal(CATEGORIES, n=MOST_CODES)
    return sum(1 << int(code) for code in set(codes or ()))


def _forest(document: dict[str, Any], trees: tuple[Tree, ...]) -> Forest:
    if document["combine"] != "sum":
        return make_forest(trees, np.ones(len(trees)), document["combine"], [])
    link = document.get("link", "identity")
    if link not in LINKS:
        raise Refusal("the file's link is {name}, which is none of {names}", name=str(link), names=list(LINKS))
    return make_sum(trees, np.ravel(document.get("start", [0.0] * trees[0].value.shape[1])), link, [])
