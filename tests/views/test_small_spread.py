"""Numbers of small spread read apart wherever a tree's answers and thresholds are told."""

import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data.dataset import Feature, make_dataset
from espalier.learners import CartRegressor
from espalier.trees import is_leaf
from espalier.views.export import to_rules
from espalier.views.text.trees import answers_of, condition, describe, says
from espalier.views.theme import MOST_OFF, NOISE
from espalier.views.tree.cards import cards
from espalier.views.tree.graphviz import to_dot
from espalier.views.tree.small_tree import answer
from tests.views.test_theme import value_of

TARGET, COLUMN = Feature("y"), Feature("x")


@st.composite
def tables(draw):
    """A column and a target of some levels, each around an offset of its own, with a spread of its own."""
    spreads, offsets = (draw(st.tuples(*[st.floats(-9, 9)] * 2)) for _ in range(2))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    x, levels = np.sort(rng.random(60)), rng.permutation(6) / 5
    columns = []
    for place, values in enumerate((x, levels[(6 * np.arange(60) // 60)])):
        spread, offset = 10.0 ** spreads[place], 10.0 ** min(offsets[place], spreads[place] + 9)
        columns.append(offset + spread * values)
    return make_dataset("small", columns[0][:, None], [COLUMN], columns[1], TARGET)


def views_of(tree, data, node):
    """What each view says of the answer of a node."""
    card = {one["id"]: one for one in cards(tree, data, np.ones(60, bool))["nodes"]}
    spoken = describe(tree, data.features, TARGET, node)
    return {
        "cards": card[node]["says"],
        "words": says(tree, TARGET, node).removeprefix("mean "),
        "small tree": answer(tree, TARGET, node),
        "screen reader": re.findall(r", mean (.*?)(?:; splits.*)?\.$", spoken)[0],
        "drawing": answers_of(tree)(float(tree.value[node, 0])),
    }


@given(tables())
@settings(max_examples=40, deadline=None)
def test_no_two_leaves_and_no_two_thresholds_that_differ_read_the_same_in_any_view(data):
    tree = CartRegressor(max_depth=4).fit(data.X, data.y).tree_
    leaves = np.flatnonzero(is_leaf(tree)).tolist()
    spread, values = float(np.ptp(tree.value[:, 0])), tree.value[:, 0].tolist()
    told = {node: views_of(tree, data, node) for node in leaves}
    for view in next(iter(told.values())):
        texts = {node: told[node][view] for node in leaves}
        for a in leaves:
            assert abs(value_of(texts[a]) - values[a]) <= 1.01 * MOST_OFF * spread + 4 * NOISE * abs(values[a])
            for b in leaves:
                if values[a] + 4 * NOISE * abs(values[b]) < values[b]:
                    assert value_of(texts[a]) < value_of(texts[b]), view
    rules = to_rules(tree, data.features, TARGET)
    assert {re.findall(r"mean ([^ ]+)", line)[0] for line in rules.splitlines() if ". mean" in line} == {
        texts["cards"] for texts in told.values()
    }
    assert all(text in to_dot(tree, data.features, TARGET) for text in (one["cards"] for one in told.values()))
    for node in np.flatnonzero(~is_leaf(tree)).tolist():
        assert condition(tree, data.features, node) in rules or "…" in condition(tree, data.features, node)
    conditions = [condition(tree, data.features, node) for node in np.flatnonzero(~is_leaf(tree)).tolist()]
    assert len(set(conditions)) == len(set(tree.threshold[~is_leaf(tree)].tolist()))


@given(tables())
@settings(max_examples=40, deadline=None)
def test_a_threshold_sends_each_row_that_it_tells_apart_to_its_own_side(data):
    """A number with an ellipsis says no more than its digits: rows that begin with them are not decided by it."""
    tree = CartRegressor(max_depth=3).fit(data.X, data.y).tree_
    x = data.X[:, 0]
    for node in np.flatnonzero(~is_leaf(tree)).tolist():
        text, cut = condition(tree, data.features, node).removeprefix("x ≤ "), float(tree.threshold[node])
        said = value_of(text)
        assert abs(said - cut) <= 1.01 * MOST_OFF * np.ptp(x) + 4 * NOISE * abs(cut)
        if "…" not in text:
            assert ((x <= said) == (x <= cut)).all()
        else:
            assert (x[x <= said] <= cut).all()
