"""The browser cuts a tree off as Python does: the same cards, surface and points, at every depth."""

import json
import subprocess

import pytest

from espalier.data import HeldOut, held_out, samples
from espalier.learners import CartClassifier, CartRegressor
from espalier.trees import depths, prune_to
from espalier.views.boundaries.fold import fold
from espalier.views.boundaries.plane import typical
from espalier.views.boundaries.surface import surface
from espalier.views.tree.cards import cards
from pages.shared.canvas.modules import COMPONENTS
from tests.tools.node import node

SCRIPT = """
import { readFileSync } from "node:fs";
import { cutOf, surfaceOf } from "%s";
const { fold, surface, values } = JSON.parse(readFileSync(0, "utf-8"));
const cuts = values.map((value) => cutOf(fold, value));
console.log(JSON.stringify(cuts.map((cut) => ({ nodes: cut.nodes, surface: surfaceOf(surface, fold, cut) }))));
"""


def in_node(**given):
    script = SCRIPT % (COMPONENTS / "shared/fold.js").as_uri()
    command = [node(), "--input-type=module", "--eval", script]
    ran = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def boxes(surface):
    """Each box with the node that answers there, in any order."""
    size = 2 * len(surface["axes"]) + 1
    flat = surface["boxes"]
    each = [flat[i : i + size] for i in range(0, len(flat), size)]
    return sorted([*box[:-1], surface["leaves"][box[-1]], surface["answers"][box[-1]]] for box in each)


def without_drawings(nodes):
    """Cards without the dots, which are fewer where cards are many, and without the histograms of leaves."""
    return [{k: v for k, v in one.items() if k != "dots" and (k != "hist" or "left" in one)} for one in nodes]


@pytest.mark.parametrize(
    ("name", "axes"), [("iris", (2, 3)), ("iris", (0,)), ("sine", (0,)), ("monks-1", (0, 4)), ("wine", (1, 0))]
)
def test_a_cut_in_the_browser_is_the_tree_of_that_depth(name, axes):
    data = samples.load(name)
    rows = ~held_out(data, HeldOut(30, 0))
    learner = CartClassifier if data.is_classification else CartRegressor
    deep = learner(categorical_features=data.categorical).fit(data.X[rows], data.y[rows]).tree_
    values, depth = [1, 2, 4, None], depths(deep)
    known = {"cards": cards(deep, data, rows), "stop": depth.tolist(), "numbers": []}
    given = {"fold": known | fold(deep, data, axes, typical(data)), "surface": surface(deep, data, axes)}
    for value, got in zip(values, in_node(**given, values=values), strict=True):
        tree = deep if value is None else prune_to(deep, depth < value)
        asked, drawn = json.loads(json.dumps([cards(tree, data, rows)["nodes"], surface(tree, data, axes)]))
        assert without_drawings(got["nodes"]) == without_drawings(asked)
        assert boxes(got["surface"]) == boxes(drawn)
        assert got["surface"]["points"] == drawn["points"]
