"""A document is read back; a damaged one is the same model, or a ValueError says where it is wrong."""

import json
import math
import re
from typing import Any

import numpy as np
import pytest

from espalier import predict
from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.export import forest_from_json, forest_to_json, from_json, to_json
from espalier.learners import (
    CartClassifier,
    CultivatedClassifier,
    GradientBoostingClassifier,
    ModelTreeRegressor,
    ObliqueClassifier,
    RandomForestClassifier,
)
from espalier.learners.description import record_in
from tests.export.test_export import CLASS, FEATURES, NUMBERS, grown
from tests.learners.imports.damage import cuts, damaged_documents
from tests.tools import by_hand
from tests.tools.by_hand import stump
from tests.tools.cases import case

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")
SUM = GradientBoostingClassifier(n_estimators=1).fit(IRIS.X, IRIS.y).forest_
STUMP = to_json(stump(), NUMBERS, CLASS)
MODULES = to_json(by_hand.neighbourhoods(), NUMBERS, CLASS)
SLANTED = to_json(by_hand.slanted(), (*NUMBERS, Feature("z", "category", ("a", "b", "c"))), CLASS)
FORMULAS = to_json(grown("model", 0)[0], FEATURES, Feature("y"))
FORMULA = next(i for i, node in enumerate(json.loads(FORMULAS)["nodes"]) if node.get("terms"))
FOREST = forest_to_json(SUM, IRIS.features, IRIS.target)


def document(text: str = STUMP, **changes) -> dict:
    """The document with other fields; what is None is left out."""
    return {key: value for key, value in (json.loads(text) | changes).items() if value is not None}


def with_node(position: int, text: str = STUMP, **changes) -> dict:
    """The document in which a node has other fields, or is another thing."""
    found = document(text)
    node = {key: value for key, value in (found["nodes"][position] | changes).items() if value is not None}
    found["nodes"][position] = changes.get("node", node)
    return found


def with_decision(**changes) -> dict:
    return with_node(0, MODULES, decisions=[document(MODULES)["nodes"][0]["decisions"][0] | changes])


def with_term(**changes) -> dict:
    first, *others = document(FORMULAS)["nodes"][FORMULA]["terms"]
    return with_node(FORMULA, FORMULAS, terms=[first | changes, *others])


def with_tree(position: int, **changes) -> dict:
    found = document(FOREST)
    found["trees"][position].update(changes)
    return found


TERM = {"feature": 0, "coefficient": 1}
TARGET = {"name": "y", "kind": "category", "categories": ["no", "yes"]}
MARKS = {"positive": 1, "by": "name", "colours": []}
BROKEN = [
    ("", "line 1, column 1: not JSON"),
    ("{", "line 1, column 2: not JSON"),
    ("[" * 100_000, "nested too deeply"),
    ("[]", "no tree from Espalier"),
    ('{"format": NaN}', "NaN is no JSON number"),
    (document(format="other"), "no tree from Espalier"),
    (document(version=3), "version is 3, but only version 1 or 2"),
    (document(nodes=[]), "a tree has at least one node"),
    (document(nodes={}), "nodes: expected a list"),
    (document(nodes=[3]), "nodes[0]: expected an object, found 3"),
    (document(features="abc"), 'features: expected a list, found "abc"'),
    (document(target={"kind": "category", "categories": []}), "target: 'name' is missing"),
    (document(target=TARGET | {"marks": MARKS | {"by": "chance"}}), "target.marks.by: expected one of"),
    (document(target=TARGET | {"marks": MARKS | {"positive": 2}}), "target.marks.positive: expected the position"),
    (document(target=TARGET | {"marks": MARKS | {"colours": [1]}}), "target.marks.colours: expected 2 places"),
    (document(target=TARGET | {"kind": "colour"}), "target.kind: expected one of number"),
    (document(target={"name": "y", "kind": "category", "categories": ["a", "a"]}), "names that differ"),
    (document(target={"name": "y", "kind": "number", "categories": []}), "nodes[0].value: expected 1 numbers"),
    (with_node(0, feature=2), "nodes[0].feature: expected a number of a feature, 0 to 1, found 2"),
    (with_node(0, feature=True), "nodes[0].feature"),
    (with_node(0, threshold="1.5"), 'nodes[0].threshold: expected a finite number, found "1.5"'),
    (with_node(0, threshold=[1]), "nodes[0].threshold"),
    (with_node(0, threshold=10**400), "nodes[0].threshold"),
    (with_node(0, left=2), "children of node 0 are not in preorder"),
    (with_node(0, right=-1), "nodes[0].right: expected a number of a node, found -1"),
    (with_node(0, missing_left=0), "nodes[0].missing_left: expected true or false"),
    (with_node(0, categories_left=[64]), "nodes[0].categories_left[0]: expected a number of a category, 0 to 63"),
    (with_node(0, categories_left=[0]), "nodes[0]: 'others_left' is missing"),
    (with_node(0, categories_left=[], others_left=False), "node 0 needs either a threshold or a set"),
    (with_node(1, n_samples=1.5), "nodes[1].n_samples: expected a number of samples, found 1.5"),
    (with_node(1, weight=-1), "nodes[1].weight: expected a number not below 0"),
    (with_node(1, impurity="low"), "nodes[1].impurity: expected a finite number"),
    (with_node(2, value=[1]), "nodes[2].value: expected 2 numbers"),
    (with_node(2, value=[0.5, 0.6]), "nodes[2].value: expected shares from 0 to 1 that sum to 1"),
    (with_node(1, feature=0, threshold=1, left=2, right=3, missing_left=False), "node 1"),
    (with_node(0, MODULES, left=2), "children of node 0 are not in preorder"),
    (with_node(0, MODULES, right=7), "nodes[0].right: expected a number of a node, found 7"),
    (with_node(0, MODULES, decisions=[]), "nodes[0].decisions: expected shares that sum to 1"),
    (with_decision(feature=2), "nodes[0].decisions[0].feature: expected a number of a feature, 0 to 1"),
    (with_decision(share=1.5), "nodes[0].decisions[0].share: expected a number from 0 to 1, found 1.5"),
    (with_decision(weights=[1]), "nodes[0].decisions[0].weights: expected as many weights as cuts"),
    (with_decision(weights=[0, 0, 0]), "weights not below 0, and one above"),
    (with_decision(cuts=[4, 4, 6]), "nodes[0].decisions[0].cuts: expected ascending numbers"),
    (with_decision(reversed=0), "nodes[0].decisions[0].reversed: expected true or false, found 0"),
    (with_node(2, MODULES, value=[0.5, 0.6]), "nodes[2].value: expected shares from 0 to 1 that sum to 1"),
    (document(SLANTED, fill=[1.0]), "fill: expected 3 numbers, one for each feature, found [1.0]"),
    (with_node(0, SLANTED, right=9), "children of node 0 are not in preorder"),
    (with_node(0, SLANTED, terms=[TERM | {"feature": 3}]), "expected a number of a feature, 0 to 2, found 3"),
    (with_node(0, SLANTED, terms=[TERM]), "the terms of node 0 are fewer than two"),
    (with_node(0, SLANTED, threshold="inf"), "nodes[0].threshold: expected a finite number"),
    *((with_node(1, SLANTED, node=node), "nodes[1]: expected an object") for node in (7, "node", [], None, True)),
    (document(FORMULAS, link="median"), "link: expected one of identity, logistic, softmax"),
    (document(FORMULAS, link="logistic"), "link: expected a link for 1 outputs"),
    (document(FORMULAS, fill=[0.0]), "fill: expected 4 numbers"),
    (document(FORMULAS, least=[9e9]), "the least of a score is above its greatest"),
    (document(FORMULAS, greatest=[]), "greatest: expected 1 numbers, one for each score"),
    (with_node(FORMULA, FORMULAS, intercept=[1.0, 2.0]), "intercept: expected 1 numbers"),
    (with_node(FORMULA, FORMULAS, terms=None), "'terms' is missing"),
    (with_term(feature=4), "terms[0].feature: expected a number of a feature"),
    (with_term(low=9e9), "terms[0].low: expected at most the high of the term"),
    (with_term(coefficient=["many"]), "coefficient[0]: expected a finite number"),
]
BROKEN_FORESTS = [
    (document(FOREST, format="espalier-tree"), "no forest from Espalier"),
    (document(FOREST, version=2), "only version 1 can be read"),
    (document(FOREST, trees=[]), "at least one tree"),
    (document(FOREST, combine="median"), "combine: expected one of votes, mean"),
    (document(FOREST, link="identity"), "link: expected the link of a sum for 3 classes"),
    (document(FOREST, start=[0.0]), "start: expected 3 numbers"),
    (document(FOREST, prior=[1.0]), "prior: expected 3 shares"),
    (with_tree(1, score=3), "trees[1].score: expected a number"),
    (with_tree(2, nodes=[]), "trees[2]: nodes: a tree has at least"),
    (document(FOREST, combine="votes", trees=[], link=None), "at least one tree"),  # votes that weigh nothing
]


def test_a_broken_document_is_refused_with_the_place():
    for read, broken, message in [
        *((from_json, *one) for one in BROKEN),
        *((forest_from_json, *one) for one in BROKEN_FORESTS),
    ]:
        with case((broken, message)):
            text = broken if isinstance(broken, str) else json.dumps(broken)
            with pytest.raises(ValueError, match=re.escape(message)) as error:
                read(text)
            assert len(str(error.value)) < 200


def test_json_is_plain_json_even_with_a_threshold_of_infinity():
    text = to_json(stump(math.inf), NUMBERS, CLASS)
    assert json.loads(text, parse_constant=pytest.fail)["nodes"][0]["threshold"] == "inf"
    again: Any = from_json(text)[0]
    assert again.threshold[0] == math.inf


def test_a_sum_with_a_class_that_no_row_has_reads_back_and_a_tree_that_adds_to_two_scores_is_refused():
    start = [*SUM.start[:2], -np.inf]
    forest = SUM._replace(trees=SUM.trees[:2], start=np.array(start))
    read, _, _ = forest_from_json(forest_to_json(forest, IRIS.features, IRIS.target))
    assert read.start.tolist() == start
    assert (predict.shares(read, IRIS.X)[:, 2] == 0).all()
    tree: Any = SUM.trees[0]
    forest = SUM._replace(trees=(tree._replace(value=np.ones((tree.n_nodes, 3))),))
    with pytest.raises(ValueError, match="adds to the scores 0, 1, 2; expected one score"):
        forest_to_json(forest, IRIS.features, IRIS.target)


MODELS = {
    "tree": (CartClassifier(max_depth=2), IRIS),
    "cultivated tree": (CultivatedClassifier(max_depth=1), IRIS),
    "oblique tree": (ObliqueClassifier(max_depth=2), IRIS),
    "model tree": (ModelTreeRegressor(max_depth=1), DIABETES),
    "forest": (RandomForestClassifier(n_estimators=2, max_depth=2, random_state=0), IRIS),
    "sum": (GradientBoostingClassifier(n_estimators=2, max_depth=1), IRIS),
}


def is_read(read, document):
    """Whether a document is read; if not, it is for a ValueError."""
    try:
        read(json.dumps(document))
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("n_cuts", [40, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", MODELS)
def test_a_copy_that_is_cut_off_is_refused_and_one_damaged_otherwise_is_read_or_refused_by_a_value_error(
    name, n_cuts
):
    model, data = MODELS[name]
    write, read = (to_json, from_json) if "tree" in name else (forest_to_json, forest_from_json)
    text = write(record_in(model.fit(data.X, data.y)), data.features, data.target)
    for part in cuts(text.rstrip(), n_cuts):
        with pytest.raises(ValueError, match=r"\w"):
            read(part)
    n_read = sum(is_read(read, document) for _, document in damaged_documents(json.loads(text), 3 * n_cuts // 2))
    assert n_read  # some things may be left out
