"""The classical drawing: what stands in it, in which colours, and that Graphviz reads it."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.learners import CartClassifier, CartRegressor
from espalier.views import ink
from espalier.views.tree.graphviz import drawing, to_dot
from tests.tools import random_trees

NODE = re.compile(r"^\tn(\d+) \[", re.MULTILINE)
EDGE = re.compile(r"^\tn(\d+) -> n(\d+) ", re.MULTILINE)
needs_dot = pytest.mark.skipif(not shutil.which("dot"), reason="the program dot of Graphviz is not installed")


def iris(**options):
    data = samples.load("iris")
    return CartClassifier(**options).fit(data.X, data.y).tree_, data.features, data.target


def parsed(source: str) -> str:
    done = subprocess.run(["dot", "-Tplain"], input=source.encode(), capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_every_node_and_edge_is_drawn():
    tree, features, target = iris()
    source = to_dot(tree, features, target)
    assert [int(n) for n in NODE.findall(source)] == list(range(tree.n_nodes))
    expected = {(n, int(c)) for n in range(tree.n_nodes) for c in (tree.left[n], tree.right[n]) if c >= 0}
    assert {(int(a), int(b)) for a, b in EDGE.findall(source)} == expected


def test_nodes_say_condition_answer_and_size():
    tree, features, target = iris(max_depth=1)
    source = to_dot(tree, features, target)
    assert r"petal width ≤ 0.8\nsetosa, 33.3 %\nn = 150  (100 %)" in source or "petal length ≤ 2.45" in source
    assert r"setosa, 100 %\nn = 50  (33.3 %)" in source


def test_a_drawing_stops_at_the_depth_asked_for_and_says_how_much_is_left_out():
    tree, features, target = iris()
    source = drawing(tree, features, target, max_depth=1).source
    assert len(NODE.findall(source)) == 3
    assert f"… {tree.n_nodes - 3} more nodes" in source
    assert len(NODE.findall(drawing(tree, features, target, max_depth=0).source)) == 1


def test_themes_differ_and_text_can_be_read_on_every_fill():
    tree, features, target = iris()
    light, dark = (drawing(tree, features, target, dark).source for dark in (False, True))
    assert light != dark
    for source in (light, dark):
        fills = re.findall(r'fillcolor="(#\w+)" fontcolor="(#\w+)"', source)
        assert len(fills) == tree.n_nodes
        assert all(contrast(*pair) >= 4.5 for pair in fills)


def contrast(a: str, b: str) -> float:
    """Contrast ratio of WCAG 2.1, section 1.4.3."""
    bright, faint = sorted((luminance(a), luminance(b)), reverse=True)
    return (bright + 0.05) / (faint + 0.05)


def luminance(colour: str) -> float:
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_contrast_of_black_and_white_is_21():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)


def test_purer_nodes_are_deeper_in_colour():
    data = samples.load("diabetes")
    tree = CartRegressor(max_depth=2).fit(data.X, data.y).tree_
    source = to_dot(tree, data.features, data.target)
    fills = re.findall(r'fillcolor="(#\w+)"', source)
    order = np.argsort(tree.value[:, 0])
    assert luminance(fills[order[-1]]) < luminance(fills[order[0]])


def test_mixing_reaches_both_ends():
    assert ink.mixed("#0072B2", "#FFFFFF", 1) == "#0072B2"
    assert ink.mixed("#0072B2", "#FFFFFF", 0) == "#FFFFFF"


@needs_dot
@pytest.mark.parametrize("name", ["<b>bold</b>", 'say "hi"', "a\\nb", "back\\", "<", "a|b{c}", "&amp;", "\\N"])
def test_graphviz_writes_names_letter_by_letter(name):
    tree, features, _ = iris(max_depth=1)
    target = Feature("y", "category", (name, "b", "c"))
    done = subprocess.run(
        ["dot", "-Tsvg"],
        input=to_dot(tree, features, target).encode(),
        capture_output=True,
        timeout=60,
        check=True,
    )
    drawn = done.stdout.decode()
    for plain, escaped in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        name = name.replace(plain, escaped)
    assert f">{name}, 100 %<" in drawn.replace("&#45;", "-").replace("&#160;", " ")


@needs_dot
@settings(deadline=None, max_examples=12)
@given(random_trees.features().flatmap(lambda f: st.tuples(st.just(f), random_trees.trees(f, Feature("y")))))
def test_graphviz_reads_any_tree(case):
    features, tree = case
    plain = parsed(to_dot(tree, features, Feature("y")))
    assert plain.count("\nnode ") == tree.n_nodes
