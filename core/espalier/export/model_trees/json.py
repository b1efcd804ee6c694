"""The formulas of a model tree in its JSON document, and back again without a bit lost.

The document, version 1, where `features`, `target` and `nodes` are as in `espalier.export.json`::

    {"format": "espalier-model-tree", "version": 1, "features": […], "target": {…},
     "link": "identity", "fill": [5.84, …], "least": [1.0], "greatest": [6.9],
     "nodes": [{"feature": 0, …},
               {"intercept": [0.3], "terms": [{"feature": 1, "coefficient": [0.5], "low": 2.0, "high": 4.4}, …],
                "n_samples": 50, "weight": 50.0, "value": [1.46], "impurity": 0.03}, …]}

A leaf has an `intercept` and `terms`; both, and `least` and `greatest`, have a number for each score: one score if
the `link` is "identity" or "logistic", else one for each class. `fill` stands in for missing values, one for each
feature. A number that is infinite is the text "inf" or "-inf".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.export.document import DocumentPlace
from espalier.leaf_models import LINKS, LeafModels, ModelTree, check_model_tree, make_leaf_models, terms_at
from espalier.trees import LEAF, Tree

FORMAT = "espalier-model-tree"
INFINITE = {"inf": math.inf, "-inf": -math.inf}


def facts(models: LeafModels) -> dict[str, Any]:
    """Return what the document says of all formulas."""
    limits = {name: _numbers(getattr(models, name)) for name in ("fill", "least", "greatest")}
    return {"link": models.link, **limits}


def written(model: ModelTree, node: int) -> dict[str, Any]:
    """Return what a node's line says of its formula; nothing of a split."""
    if model.tree.feature[node] != LEAF:
        return {}
    terms = [
        {"feature": term.feature, "coefficient": _numbers(term.coefficient), "low": term.low, "high": term.high}
        for term in terms_at(model.models, node)
    ]
    return {"intercept": _numbers(model.models.intercept[node]), "terms": terms}


def _numbers(values: Sequence[float] | np.ndarray) -> list[float | str]:
    return [str(x) if math.isinf(x) else x for x in map(float, values)]


def read(tree: Tree, document: DocumentPlace, features: tuple[Feature, ...]) -> ModelTree:
    """Return the tree with the formulas of the document. Raises ValueError that says what is wrong and where."""
    link = document["link"].text()
    if link not in LINKS:
        raise document["link"].fail(f"one of {', '.join(LINKS)}")
    n_scores = _n_scores(link, tree.value.shape[1], document["link"])
    lines = [_formula(place, n_scores, len(features)) for place in document["nodes"].items()]
    terms = [term for _, own in lines for term in own]
    feature, coefficient, low, high = zip(*terms, strict=True) if terms else ([], np.empty((0, n_scores)), [], [])
    start = np.append(0, np.cumsum([len(own) for _, own in lines]))
    fill = [item.number() for item in document["fill"].items()]
    if len(fill) != len(features):
        raise document["fill"].fail(f"{len(features)} numbers, one for each feature")
    limits = [_scores(document[name], n_scores) for name in ("least", "greatest")]
    models = make_leaf_models(
        [line for line, _ in lines], start, feature, coefficient, low, high, fill, *limits, link
    )
    model = ModelTree(tree, models)
    check_model_tree(model)
    return model


def _n_scores(link: str, n_outputs: int, place: DocumentPlace) -> int:
    fitting = {"identity": n_outputs == 1, "logistic": n_outputs == 2, "softmax": True}
    if not fitting[link]:
        raise place.fail(f"a link for {n_outputs} outputs")
    return n_outputs if link == "softmax" else 1


def _formula(place: DocumentPlace, n_scores: int, n_features: int) -> tuple[list[float], list[tuple]]:
    """Return the intercept and the terms of a node; nan and none of a split."""
    if "feature" in place:
        return [math.nan] * n_scores, []
    return _scores(place["intercept"], n_scores), [
        _term(item, n_scores, n_features) for item in place["terms"].items()
    ]


def _term(place: DocumentPlace, n_scores: int, n_features: int) -> tuple:
    feature = place["feature"].whole(n_features, f"a number of a feature, 0 to {n_features - 1}")
    low, high = place["low"].number(), place["high"].number()
    if low > high:
        raise place["low"].fail("at most the high of the term")
    return feature, [item.number() for item in _as_many(place["coefficient"], n_scores)], low, high


def _scores(place: DocumentPlace, n_scores: int) -> list[float]:
    """Return a number for each score, which may be infinite."""
    items = _as_many(place, n_scores)
    return [
        INFINITE[item.value] if isinstance(item.value, str) and item.value in INFINITE else item.number()
        for item in items
    ]


def _as_many(place: DocumentPlace, n_scores: int) -> list[DocumentPlace]:
    items = place.items()
    if len(items) != n_scores:
        raise place.fail(f"{n_scores} numbers, one for each score")
    return items
