"""A forest as a document reads back bit for bit, and a broken document says where it is broken."""

import json

import numpy as np
import pytest

from espalier import predict
from espalier.data import samples
from espalier.learners import (
    CultivatedForestClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
)
from espalier.views.export import forest_from_json, forest_to_json

IRIS, DIABETES, CANCER = (samples.load(name) for name in ("iris", "diabetes", "breast-cancer"))
MODELS = {
    "votes": (RandomForestClassifier(n_estimators=3, random_state=0), IRIS),
    "cultivated": (CultivatedForestClassifier(n_estimators=2, random_state=0), IRIS),
    "many classes": (GradientBoostingClassifier(n_estimators=3), IRIS),
    "two classes": (GradientBoostingClassifier(n_estimators=3), CANCER),
    "numbers": (GradientBoostingRegressor(n_estimators=3), DIABETES),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_forest_reads_back_without_a_bit_lost(name):
    model, data = MODELS[name]
    forest = model.fit(data.X, data.y).forest_
    read, features, target = forest_from_json(forest_to_json(forest, data.features, data.target))
    assert (features, target) == (data.features, data.target)
    assert (read.combine, read.link, read.n_trees) == (forest.combine, forest.link, forest.n_trees)
    assert np.array_equal(predict.shares(read, data.X), predict.shares(forest, data.X))
    for one, other in zip(read.trees, forest.trees, strict=True):
        assert np.array_equal(one.value, other.value)


@pytest.fixture(scope="module")
def document():
    model = GradientBoostingClassifier(n_estimators=1).fit(IRIS.X, IRIS.y)
    return json.loads(forest_to_json(model.forest_, IRIS.features, IRIS.target))


BROKEN = {
    "another format": (lambda d: d.update(format="espalier-tree"), "no forest from Espalier"),
    "a later version": (lambda d: d.update(version=2), "only version 1 can be read"),
    "no trees": (lambda d: d.update(trees=[]), "at least one tree"),
    "an unknown way to combine": (lambda d: d.update(combine="median"), "combine: expected one of votes, mean"),
    "another link": (lambda d: d.update(link="identity"), "link: expected the link of a sum for 3 classes"),
    "a start too few": (lambda d: d.update(start=[0.0]), "start: expected 3 numbers"),
    "a share too few": (lambda d: d.update(prior=[1.0]), "prior: expected 3 shares"),
    "a score too far": (lambda d: d["trees"][1].update(score=3), r"trees\[1\].score: expected a number"),
    "a broken tree": (lambda d: d["trees"][2].update(nodes=[]), r"trees\[2\]: nodes: a tree has at least"),
    "votes that weigh nothing": (
        lambda d: d.update(combine="votes", trees=[]) or d.pop("link"), "at least one tree",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_document_says_what_is_wrong_and_where(name, document):
    change, words = BROKEN[name]
    broken = json.loads(json.dumps(document))
    change(broken)
    with pytest.raises(ValueError, match=words):
        forest_from_json(json.dumps(broken))


def test_a_sum_with_a_class_that_no_row_has_reads_back():
    model = GradientBoostingClassifier(n_estimators=1).fit(IRIS.X, IRIS.y)
    start = [*model.forest_.start[:2], -np.inf]
    forest = model.forest_._replace(trees=model.forest_.trees[:2], start=np.array(start))
    read, _, _ = forest_from_json(forest_to_json(forest, IRIS.features, IRIS.target))
    assert read.start.tolist() == start
    assert (predict.shares(read, IRIS.X)[:, 2] == 0).all()


def test_a_tree_that_adds_to_two_scores_is_refused():
    model = GradientBoostingClassifier(n_estimators=1).fit(IRIS.X, IRIS.y)
    tree = model.forest_.trees[0]
    forest = model.forest_._replace(trees=(tree._replace(value=np.ones((tree.n_nodes, 3))),))
    with pytest.raises(ValueError, match="adds to the scores 0, 1, 2; expected one score"):
        forest_to_json(forest, IRIS.features, IRIS.target)
