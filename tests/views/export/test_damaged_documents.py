"""A damaged document of ours is the same model, or a ValueError that says where it is damaged."""

import json

import pytest

from espalier.data import samples
from espalier.learners import (
    CartClassifier,
    CultivatedClassifier,
    GradientBoostingClassifier,
    ModelTreeRegressor,
    ObliqueClassifier,
    RandomForestClassifier,
)
from espalier.views.export import forest_from_json, forest_to_json, from_json, to_json
from tests.learners.imports.damage import cuts, damaged_documents

IRIS, WINE = samples.load("iris"), samples.load("diabetes")
TREES = {
    "tree": (CartClassifier(max_depth=2), IRIS),
    "cultivated tree": (CultivatedClassifier(max_depth=1), IRIS),
    "oblique tree": (ObliqueClassifier(max_depth=2), IRIS),
    "model tree": (ModelTreeRegressor(max_depth=1), WINE),
}
FORESTS = {
    "forest": RandomForestClassifier(n_estimators=2, max_depth=2, random_state=0),
    "sum": GradientBoostingClassifier(n_estimators=2, max_depth=1),
}


def is_read(read, document):
    """Whether a document is read; if not, it is for a ValueError."""
    try:
        read(json.dumps(document))
    except ValueError:
        return False
    return True


MANY = pytest.mark.parametrize("n_cuts", [40, pytest.param(100, marks=pytest.mark.slow)])


def check(text, read, n_cuts):
    """A copy that is cut off is refused; one that is damaged otherwise is read, or refused by a ValueError."""
    for part in cuts(text.rstrip(), n_cuts):
        with pytest.raises(ValueError, match=r"\w"):
            read(part)
    n_read = sum(is_read(read, document) for _, document in damaged_documents(json.loads(text), 3 * n_cuts // 2))
    assert n_read  # some things may be left out


@MANY
@pytest.mark.parametrize("name", TREES)
def test_a_document_of_a_tree(name, n_cuts):
    model, data = TREES[name]
    tree = model.fit(data.X, data.y).tree_
    check(to_json(tree, data.features, data.target), from_json, n_cuts)


@MANY
@pytest.mark.parametrize("name", FORESTS)
def test_a_document_of_a_forest(name, n_cuts):
    forest = FORESTS[name].fit(IRIS.X, IRIS.y).forest_
    check(forest_to_json(forest, IRIS.features, IRIS.target), forest_from_json, n_cuts)


@pytest.mark.parametrize("node", [7, "node", [], None, True])
def test_a_node_that_is_no_object_is_named(node):
    tree = ObliqueClassifier(max_depth=1).fit(IRIS.X, IRIS.y).tree_
    document = json.loads(to_json(tree, IRIS.features, IRIS.target))
    document["nodes"][1] = node
    with pytest.raises(ValueError, match=r"nodes\[1\]: expected an object"):
        from_json(json.dumps(document))
