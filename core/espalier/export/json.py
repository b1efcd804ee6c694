"""Trees and forests as JSON documents, and back again without a bit lost.

The document of a tree, version 1, and 2 if there are surrogate splits::

    {"format": "espalier-tree", "version": 1,
     "features": [{"name": "petal width", "kind": "number", "categories": []}, …],
     "target": {"name": "species", "kind": "category", "categories": ["setosa", …]},
     "nodes": [{"feature": 0, "threshold": 0.8, "left": 1, "right": 2, "missing_left": false,
                "n_samples": 150, "weight": 150.0, "value": [0.3, …], "impurity": 0.66}, …]}

For features and target see `espalier.export.document`. Nodes are in preorder, the root first; `feature`, `left`
and `right` are positions in their lists. A leaf has only the last four keys. `value` has the class shares, or the
mean. In place of `threshold`, a split on categories has `categories_left`, the positions of the categories that go
left, and `others_left`: whether codes past the last category go left too. The threshold "inf" separates known
values from missing ones. Where a node has surrogate splits for missing values, `surrogates` lists them, the best
one first: each a `feature`, its `threshold` or `categories_left` and `others_left`, the `agreement`, and
`reversed`, where left is right. A split on categories of such a node, and a surrogate on categories, have
`categories_seen`: any other category counts as missing.

A model tree, "espalier-model-tree", is such a tree with a formula in each leaf::

    {…, "link": "identity", "fill": [5.84, …], "least": [1.0], "greatest": [6.9],
     "nodes": [{"feature": 0, …},
               {"intercept": [0.3], "terms": [{"feature": 1, "coefficient": [0.5], "low": 2.0, "high": 4.4}, …],
                "n_samples": 50, …}, …]}

`intercept`, `coefficient`, `least` and `greatest` have a number for each score: one score if the `link` is
"identity" or "logistic", else one for each class. `fill` stands in for missing values, one for each feature. A
number that is infinite is the text "inf" or "-inf".

An oblique tree, "espalier-oblique-tree", has a `fill` for each feature, too, in place of `missing_left`. A split
on several features has `terms` in place of `feature`, and one on categories only `categories_left`::

    {"terms": [{"feature": 3, "coefficient": 1.0}, {"feature": 2, "coefficient": 0.47}], "threshold": 3.99, …}

A split of a cultivated tree, "espalier-cultivated-tree", has decisions::

    {"decisions": [{"feature": 2, "threshold": 2.45, "reversed": false, "share": 1.0, "missing_left": 0.33,
                    "impurity": 0.36, "cuts": [1.9, …], "weights": [0.5, …]}, …], "left": 1, "right": 2, …}

`cuts` are the neighbourhood T(t0), ascending, and `weights` their phi; a decision on categories has no
`threshold`, and its cuts are positions of categories in the order in which they go left. `missing_left` is the
fraction of a missing value that does. A threshold or cut that separates known values from missing ones is "inf".

The document of a forest, version 1::

    {"format": "espalier-forest", "version": 1,
     "features": […], "target": {…},
     "combine": "sum", "link": "softmax", "start": [0.1, -0.3, 0.2], "prior": [0.4, 0.2, 0.4],
     "trees": [{"format": "espalier-tree", "weight": 1.0, "score": 2, "nodes": […]}, …]}

`weight` says how much a tree counts. `link` and `start` are those of a boosted sum (`combine` is "sum"), whose
trees each add one number to one of its scores: `score` says to which, and `value` of their nodes holds that number
alone. A forest of another kind has no `score`.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.export.document import DocumentPlace, document_text, feature, head, not_negative, parse, value
from espalier.export.node_sources import FormulaSource, NodeSource, PoolSource, SumSource, source_of
from espalier.leaf_models import LINKS, LeafModels, ModelTree, check_model_tree, make_leaf_models, terms_at
from espalier.learners.description import describe_forest
from espalier.oblique import ObliqueTree, make_oblique, terms_of
from espalier.tree.rules import ALL, N_BITS, boxed
from espalier.tree_checks import check_oblique, check_order, check_tree
from espalier.trees import (
    LEAF,
    AnyTree,
    CultivatedTree,
    Forest,
    Tree,
    make_cultivated,
    make_forest,
    make_sum,
    make_tree,
    read_only,
)
from espalier.trees import LINKS as FOREST_LINKS

VERSION, SURROGATES_VERSION = 1, 2
INFINITE = {"inf": math.inf, "-inf": -math.inf}

FOREST_FORMAT, FOREST_VERSION = "espalier-forest", 1
STEP = Feature("step")  # what a tree of a sum predicts
COMBINATIONS = ("votes", "mean", "sum")


def to_json(model: Any, features: Sequence[Feature] | None = None, target: Feature | None = None) -> str:
    """Return the document, one node a line; `model` is a fitted estimator, or its tree with features and target.

    Raises ValueError for a forest, and for features and target that do not fit the tree.
    """
    source: NodeSource = source_of(model, features, target)
    version = SURROGATES_VERSION if source.has_surrogates else VERSION
    facts = head(source.form, version, source.features, source.target)
    if source.models is not None:
        limits = {name: _numbers(getattr(source.models, name)) for name in ("fill", "least", "greatest")}
        facts |= {"link": source.models.link, **limits}
    elif source.tests == "sums":
        facts |= {"fill": source.nodes.fill.tolist()}
    return document_text(facts, "nodes", _nodes(source))


def from_json(text: str) -> tuple[AnyTree | ModelTree | ObliqueTree, tuple[Feature, ...], Feature]:
    """Return the tree, features and target of a document. Raises ValueError that says what is wrong and where."""
    document = DocumentPlace(parse(text), "")
    form = document.value.get("format") if isinstance(document.value, dict) else None
    readers = {source.form: reader for source, reader in READERS.items()}
    if not isinstance(form, str) or form not in readers:
        raise ValueError(f'this is no tree from Espalier: "format" should be "{NodeSource.form}"')
    versions = (VERSION, SURROGATES_VERSION) if form == NodeSource.form else (VERSION,)
    if document["version"].value not in versions:
        readable = " or ".join(map(str, versions))
        raise ValueError(f"version is {document['version'].value!r}, but only version {readable} can be read")
    features = tuple(feature(place) for place in document["features"].items())
    target = feature(document["target"])
    if not document["nodes"].items():
        raise ValueError("nodes: a tree has at least one node")
    return readers[form](document, features, target), features, target


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
    facts = head(FOREST_FORMAT, FOREST_VERSION, features, target) | {
        "combine": forest.combine,
        "prior": forest.prior.tolist(),
    }
    if forest.combine == "sum":
        facts |= {"link": forest.link, "start": _numbers(forest.start)}  # of a class that no row had it is -inf
    trees = [_forest_tree(forest, number, features, target) for number in range(forest.n_trees)]
    return document_text(facts, "trees", trees)


def _forest_tree(forest: Forest, number: int, features: Sequence[Feature], target: Feature) -> dict[str, Any]:
    tree, about = forest.trees[number], {"weight": float(forest.weight[number])}
    if forest.combine == "sum":
        score = score_of(tree)
        about |= {"score": score}
        tree, target = tree._replace(value=tree.value[:, [score]]), STEP
    source: NodeSource = source_of(tree, features, target)
    return {"format": source.form, **about, "nodes": _nodes(source)}


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
    if form != FOREST_FORMAT:
        raise ValueError(f'this is no forest from Espalier: "format" should be "{FOREST_FORMAT}"')
    if document["version"].value != FOREST_VERSION:
        raise ValueError(
            f"version is {document['version'].value!r}, but only version {FOREST_VERSION} can be read"
        )
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
        return _forest_sum(document, prior, target), features, target
    trees = [_read_tree(place, document, document["target"].value) for place in places]
    weights = [not_negative(place["weight"]) for place in places]
    if not sum(weights) > 0:
        raise ValueError("trees: at least one weight must be above 0")
    forest = make_forest(trees, weights, combine, prior)
    if math.isclose(sum(weights), 1):  # then they stay as they are, to the last bit
        forest = forest._replace(weight=read_only(np.array(weights)))
    return forest, features, target


def _forest_sum(document: DocumentPlace, prior: list[float], target: Feature) -> Forest:
    link = document["link"].choice(FOREST_LINKS)
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
        tree = _read_tree(place, document, {"name": STEP.name, "kind": STEP.kind, "categories": []})
        value = np.zeros((tree.n_nodes, n_scores))
        value[:, score] = tree.value[:, 0]
        trees.append(tree._replace(value=read_only(value)))
    return make_sum(trees, start, link, prior)


def _read_tree(place: DocumentPlace, document: DocumentPlace, target: dict[str, Any]) -> AnyTree:
    """Return the tree in this place; errors say which tree they are in."""
    alone = {"format": place["format"].value, "version": FOREST_VERSION, "features": document["features"].value}
    try:
        tree, _, _ = from_json(json.dumps(alone | {"target": target, "nodes": place["nodes"].value}))
        return boxed(tree, "a forest")
    except ValueError as error:
        raise ValueError(f"{place.path}: {error}") from None


# ---- writing nodes


def _nodes(source: NodeSource) -> list[dict[str, Any]]:
    return [_node(source, node) for node in range(source.nodes.n_nodes)]


def _node(source: NodeSource, node: int) -> dict[str, Any]:
    tree = source.nodes
    facts = {
        "n_samples": int(tree.n_samples[node]),
        "weight": float(tree.weight[node]),
        "value": tree.value[node].tolist(),
        "impurity": float(tree.impurity[node]),
    }
    if tree.left[node] == LEAF:
        return facts if source.models is None else facts | _formula(source.models, node)
    ways = {"left": int(tree.left[node]), "right": int(tree.right[node])}
    if source.tests == "pools":
        start, stop = tree.decisions.start[node : node + 2].tolist()
        return {"decisions": [_decision(tree, d) for d in range(start, stop)], **ways, **facts}
    if source.tests == "sums":
        return {**_sum(tree, node), **ways, **facts}
    ways["missing_left"] = bool(tree.missing_left[node])
    return {**_bound(tree, source.features, node), **ways, **_surrogates(tree, source.features, node), **facts}


def _bound(tree: Tree, features: Sequence[Feature], node: int) -> dict[str, Any]:
    feature = int(tree.feature[node])
    test = _test(tree.threshold[node], tree.categories[node], len(features[feature].categories))
    mask = tree.surrogates.own_seen[node]
    return {"feature": feature, **test, **(_categories_seen(tree.threshold[node], mask) if mask else {})}


def _surrogates(tree: Tree, features: Sequence[Feature], node: int) -> dict[str, Any]:
    pool, (first, stop) = tree.surrogates, tree.surrogates.start[node : node + 2]
    surrogates = []
    for at in range(first, stop):
        feature, threshold = int(pool.feature[at]), pool.threshold[at]
        test = _test(threshold, pool.categories[at], len(features[feature].categories))
        facts = {"reversed": bool(pool.reversed[at]), "agreement": float(pool.agreement[at])}
        surrogates.append({"feature": feature, **test, **_categories_seen(threshold, pool.seen[at]), **facts})
    return {"surrogates": surrogates} if surrogates else {}


def _test(threshold: float, mask: int, n_categories: int) -> dict[str, Any]:
    if not math.isnan(threshold):
        return {"threshold": _number(float(threshold))}
    mask = int(mask)
    others_left = mask >> n_categories == ALL >> n_categories
    n = n_categories if others_left else N_BITS
    return {"categories_left": [c for c in range(n) if mask >> c & 1], "others_left": others_left}


def _categories_seen(threshold: float, mask: int) -> dict[str, Any]:
    return {"categories_seen": _codes(mask)} if math.isnan(threshold) else {}


def _codes(mask: int) -> list[int]:
    return [code for code in range(N_BITS) if int(mask) >> code & 1]


def _sum(tree: ObliqueTree, node: int) -> dict[str, Any]:
    terms = [{"feature": int(f), "coefficient": float(c)} for f, c in zip(*terms_of(tree, node), strict=True)]
    threshold = float(tree.threshold[node])
    is_set = math.isnan(threshold)
    test = {"categories_left": _codes(tree.categories[node])} if is_set else {"threshold": threshold}
    return {**({"terms": terms} if terms else {"feature": int(tree.feature[node])}), **test}


def _decision(tree: CultivatedTree, d: int) -> dict[str, Any]:
    names = ("feature", "threshold", "reversed", "share", "missing_left", "impurity")
    facts = {name: getattr(tree.decisions, name)[d].item() for name in names}
    threshold = facts["threshold"]
    if math.isnan(threshold):
        del facts["threshold"]
    else:
        facts["threshold"] = _number(threshold)
    cuts = slice(*tree.cuts.start[d : d + 2].tolist())
    return facts | {"cuts": _numbers(tree.cuts.value[cuts]), "weights": tree.cuts.weight[cuts].tolist()}


def _formula(models: LeafModels, leaf: int) -> dict[str, Any]:
    terms = [
        {"feature": term.feature, "coefficient": _numbers(term.coefficient), "low": term.low, "high": term.high}
        for term in terms_at(models, leaf)
    ]
    return {"intercept": _numbers(models.intercept[leaf]), "terms": terms}


def _numbers(values: Sequence[float] | np.ndarray) -> list[float | str]:
    return [_number(float(x)) for x in values]


def _number(x: float) -> float | str:
    return str(x) if math.isinf(x) else x


# ---- reading: what nodes of all kinds have


def _facts(place: DocumentPlace, target: Feature) -> tuple[Any, ...]:
    return (
        place["n_samples"].integer(2**63, "a number of samples"),
        not_negative(place["weight"]),
        value(place["value"], target),
        not_negative(place["impurity"]),
    )


def _children(place: DocumentPlace, stop: int = 2**31 - 1) -> list[int]:
    return [place[key].integer(stop, "a number of a node") for key in ("left", "right")]


def _feature(place: DocumentPlace, n: int) -> int:
    return place["feature"].integer(n, f"a number of a feature, 0 to {n - 1}")


def _mask(place: DocumentPlace) -> int:
    return sum({1 << c.integer(N_BITS, f"a number of a category, 0 to {N_BITS - 1}") for c in place.items()})


def _maybe_infinite(place: DocumentPlace) -> float:
    is_infinite = isinstance(place.value, str) and place.value in INFINITE
    return INFINITE[place.value] if is_infinite else place.number()


def _fill(document: DocumentPlace, features: Sequence[Feature]) -> list[float]:
    fill = [place.number() for place in document["fill"].items()]
    if len(fill) != len(features):
        raise document["fill"].fail(f"{len(features)} numbers, one for each feature")
    return fill


def _starts(groups: Sequence[Sequence[Any]]) -> np.ndarray:
    return np.cumsum([0, *map(len, groups)])


def _columns(rows: Sequence[Sequence[Any]], n: int) -> list[np.ndarray]:
    """Return the n columns of rows as objects: beside small ints, NumPy would read masks as floats."""
    return [np.array(column, dtype=object) for column in (zip(*rows, strict=True) if rows else [()] * n)]


# ---- reading bounds


def _read_bounds(document: DocumentPlace, features: Sequence[Feature], target: Feature) -> Tree:
    nodes = document["nodes"].items()
    rows = [_bound_row(place, features, target) for place in nodes]
    own = [place["surrogates"].items() if "surrogates" in place else [] for place in nodes]
    pool = []
    for place in itertools.chain(*own):
        at = _feature(place, len(features))
        reverse, agreement = place["reversed"].boolean(), not_negative(place["agreement"])
        pool.append((at, *_parting(place, features[at]), _mask_seen(place, True), reverse, agreement))
    masks = [_mask_seen(place, bool(places)) for place, places in zip(nodes, own, strict=True)]
    surrogates = [_starts(own), np.array(masks, dtype=object), *_columns(pool, 6)]
    tree = make_tree(*_columns(rows, 10), surrogates)
    check_tree(tree)
    return tree


def _bound_row(place: DocumentPlace, features: Sequence[Feature], target: Feature) -> tuple:
    facts = _facts(place, target)
    if "feature" not in place:
        return (LEAF, math.nan, LEAF, LEAF, 0, False, *facts)
    at = _feature(place, len(features))
    threshold, categories = _parting(place, features[at])
    return (at, threshold, *_children(place), categories, place["missing_left"].boolean(), *facts)


def _mask_seen(place: DocumentPlace, is_needed: bool) -> int:
    """Return the categories that a split saw; all where an older document does not say, but it `is_needed`."""
    if "categories_seen" in place:
        return _mask(place["categories_seen"])
    return ALL if is_needed and "categories_left" in place else 0


def _parting(place: DocumentPlace, of: Feature) -> tuple[float, int]:
    """Return the threshold and the set of categories of a split, of which one is empty."""
    if "categories_left" not in place:
        return _maybe_infinite(place["threshold"]), 0
    n = len(of.categories)
    mask = _mask(place["categories_left"])
    return math.nan, mask | (ALL >> n << n if place["others_left"].boolean() else 0)


# ---- reading formulas


def _read_formulas(document: DocumentPlace, features: Sequence[Feature], target: Feature) -> ModelTree:
    tree, link = _read_bounds(document, features, target), document["link"].choice(LINKS)
    n_outputs = tree.value.shape[1]
    if n_outputs != {"identity": 1, "logistic": 2}.get(link, n_outputs):
        raise document["link"].fail(f"a link for {n_outputs} outputs")
    n_scores = n_outputs if link == "softmax" else 1
    intercepts, terms = [], []
    for place in document["nodes"].items():
        is_leaf = "feature" not in place
        intercepts.append(_scores(place["intercept"], n_scores) if is_leaf else [math.nan] * n_scores)
        own = place["terms"].items() if is_leaf else []
        terms.append([_term(term, n_scores, len(features)) for term in own])
    pool = list(itertools.chain(*terms))
    feature, coefficient, low, high = zip(*pool, strict=True) if pool else ([], np.empty((0, n_scores)), [], [])
    fill = _fill(document, features)
    limits = [_scores(document[name], n_scores) for name in ("least", "greatest")]
    fields = (intercepts, _starts(terms), feature, coefficient, low, high, fill, *limits, link)
    model = ModelTree(tree, make_leaf_models(*fields))
    check_model_tree(model)
    return model


def _term(place: DocumentPlace, n_scores: int, n_features: int) -> tuple:
    feature = _feature(place, n_features)
    low, high = place["low"].number(), place["high"].number()
    if low > high:
        raise place["low"].fail("at most the high of the term")
    return feature, _scores(place["coefficient"], n_scores, DocumentPlace.number), low, high


def _scores(
    place: DocumentPlace, n_scores: int, read: Callable[[DocumentPlace], float] = _maybe_infinite
) -> list[float]:
    """Return a number for each score."""
    items = place.items()
    if len(items) != n_scores:
        raise place.fail(f"{n_scores} numbers, one for each score")
    return list(map(read, items))


# ---- reading sums


def _read_sums(document: DocumentPlace, features: Sequence[Feature], target: Feature) -> ObliqueTree:
    fill, n, rows, terms = _fill(document, features), len(features), [], []
    for place in document["nodes"].items():
        own = place["terms"].items() if "terms" in place else []
        terms.append([(_feature(term, n), term["coefficient"].number()) for term in own])
        rows.append(_sum_row(place, terms[-1], n, target))
    pool = _starts(terms), *_columns(list(itertools.chain(*terms)), 2)
    tree = make_oblique(*_columns(rows, 9), fill, pool)
    check_oblique(tree)
    return tree


def _sum_row(place: DocumentPlace, terms: Sequence[tuple[int, float]], n: int, target: Feature) -> tuple:
    facts = _facts(place, target)
    if not terms and "feature" not in place:
        return (LEAF, math.nan, LEAF, LEAF, 0, *facts)
    at, children = terms[0][0] if terms else _feature(place, n), _children(place)
    if "categories_left" in place:
        return (at, math.nan, *children, _mask(place["categories_left"]), *facts)
    return (at, place["threshold"].number(), *children, 0, *facts)


# ---- reading pools


def _read_pools(document: DocumentPlace, features: Sequence[Feature], target: Feature) -> CultivatedTree:
    nodes = document["nodes"].items()
    pools = [_pool(place, len(features)) for place in nodes]
    children = [
        _children(place, len(nodes)) if pool else [LEAF, LEAF] for place, pool in zip(nodes, pools, strict=True)
    ]
    left, right = np.array(children).T
    check_order(left, right, left == LEAF)
    n_samples, weight, values, impurity = zip(*(_facts(place, target) for place in nodes), strict=True)
    decisions = list(itertools.chain(*pools))
    *fields, cuts, weights = zip(*decisions, strict=True) if decisions else [()] * 8
    near = _starts(cuts), *(list(itertools.chain(*lists)) for lists in (cuts, weights))
    return make_cultivated(left, right, n_samples, weight, values, impurity, (_starts(pools), *fields), near)


def _pool(place: DocumentPlace, n_features: int) -> list[tuple[Any, ...]]:
    """Return the decisions of a node; none of a leaf."""
    if "decisions" not in place:
        return []
    decisions = [_read_decision(item, n_features) for item in place["decisions"].items()]
    if not math.isclose(sum(decision[3] for decision in decisions), 1, abs_tol=1e-6):
        raise place["decisions"].fail("shares that sum to 1")
    return decisions


def _read_decision(place: DocumentPlace, n_features: int) -> tuple[Any, ...]:
    feature = _feature(place, n_features)
    threshold = _cut(place["threshold"]) if "threshold" in place else math.nan
    cuts = [_cut(item) for item in place["cuts"].items()]
    weights = [item.number() for item in place["weights"].items()]
    if not cuts or len(cuts) != len(weights):
        raise place["weights"].fail("as many weights as cuts, at least one")
    if min(weights) < 0 or not max(weights) > 0:
        raise place["weights"].fail("weights not below 0, and one above")
    if not math.isnan(threshold) and any(a >= b for a, b in itertools.pairwise(cuts)):
        raise place["cuts"].fail("ascending numbers")
    parts = (_part(place["share"]), _part(place["missing_left"]))
    impurity = not_negative(place["impurity"])
    return (feature, threshold, place["reversed"].boolean(), *parts, impurity, cuts, weights)


def _cut(place: DocumentPlace) -> float:
    return math.inf if place.value == "inf" else place.number()


def _part(place: DocumentPlace) -> float:
    if not 0 <= place.number() <= 1:
        raise place.fail("a number from 0 to 1")
    return place.number()


READERS: Mapping[type[NodeSource], Callable[..., Any]] = {
    NodeSource: _read_bounds,
    FormulaSource: _read_formulas,
    SumSource: _read_sums,
    PoolSource: _read_pools,
}
