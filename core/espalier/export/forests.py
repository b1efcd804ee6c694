"""A forest as a JSON document, and back again without a bit lost.

The document, version 1::

    {"format": "espalier-forest", "version": 1,
     "features": […], "target": {…},
     "combine": "sum", "link": "softmax", "start": [0.1, -0.3, 0.2], "prior": [0.4, 0.2, 0.4],
     "trees": [{"format": "espalier-tree", "weight": 1.0, "score": 2, "nodes": […]}, …]}

Features, target and nodes are those of a tree's document (`espalier.export.json`), and `weight` says how
much a tree counts. `link` and `start` are those of a boosted sum (`combine` is "sum"), whose trees each add one
number to one of its scores: `score` says to which, and `value` of their nodes holds that number alone. A forest of
another kind has no `score`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.export.document import DocumentPlace, document_text, feature, head, not_negative, parse
from espalier.export.json import from_json, to_json
from espalier.learners.description import describe_forest
from espalier.tree_checks import boxed
from espalier.trees import LINKS, AnyTree, Forest, make_forest, make_sum, read_only

FORMAT, VERSION = "espalier-forest", 1
STEP = Feature("step")  # what a tree of a sum predicts
COMBINATIONS = ("votes", "mean", "sum")


def forest_to_json(model: Any, features: Sequence[Feature] | None = None, target: Feature | None = None) -> str:
    """Return the document, one tree a line; `model` is a fitted estimator, or its forest with features and target.

    Raises ValueError for a tree alone, for features and target that do not fit the forest, and for a sum in which
    a tree adds to several scores at once: none that Espalier grows does.

    >>> from espalier.data import samples
    >>> from espalier.learners import GradientBoostingClassifier
    >>> iris = samples.load("iris")
    >>> model = GradientBoostingClassifier(n_estimators=2).fit(iris.X, iris.y)
    >>> text = forest_to_json(model.forest_, iris.features, iris.target)
    >>> forest, features, target = forest_from_json(text)
    >>> forest.link, forest.n_trees, target.name
    ('softmax', 6, 'species')
    """
    forest, features, target = describe_forest(model, features, target)
    facts = head(FORMAT, VERSION, features, target) | {"combine": forest.combine, "prior": forest.prior.tolist()}
    if forest.combine == "sum":
        facts |= {"link": forest.link, "start": [_finite(score) for score in forest.start.tolist()]}
    trees = [_tree(forest, number, features, target) for number in range(forest.n_trees)]
    return document_text(facts, "trees", trees)


def _finite(score: float) -> float | str:
    """Return the score; of a class that no row had it is the text "-inf"."""
    return score if math.isfinite(score) else "-inf"


def _tree(forest: Forest, number: int, features: Sequence[Feature], target: Feature) -> dict[str, Any]:
    tree, about = forest.trees[number], {"weight": float(forest.weight[number])}
    if forest.combine == "sum":
        score = score_of(tree)
        about |= {"score": score}
        tree, target = tree._replace(value=tree.value[:, [score]]), STEP
    document = json.loads(to_json(tree, features, target))
    return {"format": document["format"], **about, "nodes": document["nodes"]}


def score_of(tree: AnyTree) -> int:
    """Return the score to which a tree of a sum adds. Raises ValueError where it adds to several."""
    scores = np.flatnonzero((tree.value != 0).any(axis=0))
    if len(scores) > 1:
        raise ValueError(f"a tree of the sum adds to the scores {', '.join(map(str, scores))}; expected one score")
    return int(scores[0]) if len(scores) else 0


def forest_from_json(text: str) -> tuple[Forest, tuple[Feature, ...], Feature]:
    """Return the forest, features and target of a document.

    Raises ValueError that says what is wrong and where.
    """
    document = DocumentPlace(parse(text), "")
    form = document.value.get("format") if isinstance(document.value, dict) else None
    if form != FORMAT:
        raise ValueError(f'this is no forest from Espalier: "format" should be "{FORMAT}"')
    if document["version"].value != VERSION:
        raise ValueError(f"version is {document['version'].value!r}, but only version {VERSION} can be read")
    features = tuple(feature(place) for place in document["features"].items())
    target = feature(document["target"])
    combine = document["combine"].choice(COMBINATIONS)
    places = document["trees"].items()
    if not places:
        raise ValueError("trees: a forest has at least one tree")
    prior = [not_negative(place) for place in document["prior"].items()]
    if len(prior) != len(target.categories):
        raise document["prior"].fail(f"{len(target.categories)} shares, one for each class")
    if combine == "sum":
        return _sum(document, prior, target), features, target
    trees = [_read(place, document, document["target"].value) for place in places]
    weights = [not_negative(place["weight"]) for place in places]
    if not sum(weights) > 0:
        raise ValueError("trees: at least one weight must be above 0")
    forest = make_forest(trees, weights, combine, prior)
    if math.isclose(sum(weights), 1):  # then they stay as they are, to the last bit
        forest = forest._replace(weight=read_only(np.array(weights)))
    return forest, features, target


def _sum(document: DocumentPlace, prior: list[float], target: Feature) -> Forest:
    link = document["link"].choice(LINKS)
    start = [-math.inf if place.value == "-inf" else place.number() for place in document["start"].items()]
    n_scores = {"identity": 1, "log": 1, "logistic": 1}.get(link, len(target.categories))
    n_classes = {"identity": 0, "log": 0, "logistic": 2}.get(link, len(target.categories) or None)
    if len(target.categories) != n_classes:
        raise document["link"].fail(f"the link of a sum for {len(target.categories) or 'no'} classes")
    if len(start) != n_scores:
        raise document["start"].fail(f"{n_scores} numbers")
    trees: list[Any] = []
    for place in document["trees"].items():
        score = place["score"].integer(n_scores, f"a number of a score, 0 to {n_scores - 1}")
        tree = _read(place, document, {"name": STEP.name, "kind": STEP.kind, "categories": []})
        value = np.zeros((tree.n_nodes, n_scores))
        value[:, score] = tree.value[:, 0]
        trees.append(tree._replace(value=read_only(value)))
    return make_sum(trees, start, link, prior)


def _read(place: DocumentPlace, document: DocumentPlace, target: dict[str, Any]) -> AnyTree:
    """Return the tree in this place; errors say which tree they are in."""
    alone = {"format": place["format"].value, "version": VERSION, "features": document["features"].value}
    try:
        tree, _, _ = from_json(json.dumps(alone | {"target": target, "nodes": place["nodes"].value}))
        return boxed(tree, "a forest")
    except ValueError as error:
        raise ValueError(f"{place.path}: {error}") from None
