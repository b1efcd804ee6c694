"""Rows with weights, from the Data page to every other: each says that it counts by them, and does."""

from typing import Any

import numpy as np
import pytest

from espalier.data import RowWeights, make_dataset, samples
from espalier.data.folds import HeldOut, held_out
from espalier.learners import CartClassifier, CultivatedClassifier
from espalier.learners.catalogue import Model
from pages.shared.data import draft as drafts
from pages.shared.data import library
from pages.shared.tree import exports, report, results
from tests.tools.on_page import address_of, begin_page, metric, press, until_grown, whole, words_of

IRIS = samples.load("iris")
TABLE = "size,people,kind\n" + "".join(
    f"{i / 10},{1 + i % 4},{'big' if i > 17 else 'small'}\n" for i in range(1, 41)
)
DIVIDED = HeldOut(30)


def weighed(values, name="people") -> Any:
    return make_dataset(
        IRIS.name, IRIS.X, IRIS.features, IRIS.y, IRIS.target, RowWeights(name, np.asarray(values, float))
    )


HEAVY = weighed(np.where(IRIS.y == 1, 6.0, 0.5))


def open_page(name, **address):
    """The page on the weighed data."""
    library.store().put(HEAVY)
    return begin_page(name, **({"data": HEAVY.digest} | address))


@pytest.fixture
def pasted():
    page = begin_page("data")
    page.text_area(key="pasted").set_value(TABLE)
    return press(page, "Read the pasted table")


def test_a_column_becomes_the_weight_and_is_no_feature_any_more(pasted):
    weight = pasted.selectbox(key="weight 1")
    assert weight.value == ""
    assert list(weight.options) == ["every row counts the same", "size", "people"]
    page = weight.set_value("people").run()
    copy: Any = drafts.shelf().find(address_of(page)["draft"])
    assert copy.weight == "people"  # a page loaded anew has it, too
    dataset: Any = library.find(press(page, "use").session_state[library.CHOSEN])
    assert [feature.name for feature in dataset.features] == ["size"]
    assert dataset.row_weights is not None
    assert dataset.row_weights.name == "people"


def test_a_weight_that_cannot_be_is_told_with_its_row(pasted):
    pasted.text_area(key="pasted").set_value(TABLE.replace("0.3,4,", "0.3,-4,"))
    page = press(pasted, "Read the pasted table")
    page = whole(page.selectbox(key="weight 2").set_value("people").run())
    assert "negative in 1 row" in words_of(page).replace("\\", "")
    assert "row 3, with -4" in words_of(page).replace("\\", "")


@pytest.mark.usefixtures("idle")
def test_every_page_says_that_rows_count_by_the_weight():
    for name in ["tree", "forests", "compare", "stability", "reliability", "approximate", "questionnaire"]:
        page = open_page(name, held="30")
        assert "Rows count by weight **people**" in words_of(page)


def test_the_data_page_says_it_of_the_data_in_use_and_data_without_weights_say_nothing_of_them():
    assert "Weight *people*" in words_of(open_page("data"))
    assert "by weight" not in words_of(begin_page("tree"))


def grown(data, **settings) -> Any:
    model = Model(settings.pop("name", "cart"), tuple(settings.items()))
    return results.grown(data, DIVIDED, model)


def test_the_tree_grows_and_is_scored_by_weight_and_saved_predictions_have_that_of_each_row():
    page = until_grown(open_page("tree", depth="1", held="30"))
    out = held_out(HEAVY, DIVIDED)
    model = CartClassifier(max_depth=1).fit(HEAVY.X[~out], HEAVY.y[~out], HEAVY.weights_of(~out))
    right = model.predict(HEAVY.X[out]) == HEAVY.y[out]
    share = np.average(right, weights=HEAVY.weights_of(out))
    assert metric(page, "accuracy, held-out") == f"{100 * share:.1f}".rstrip("0").rstrip(".") + " %"
    assert share > right.mean() + 0.1
    heading, first = exports.predictions(grown(HEAVY, depth=1)).splitlines()[:2]
    assert heading.split(",")[:4] == ["row", "held out", "weight: people", "target"]
    assert first.split(",")[2] == "0.5"


def test_equal_weights_change_no_tree_and_no_score():
    for weight in [1.0, 2.0]:
        plain, same = grown(IRIS, depth=3), grown(weighed(np.full(150, weight)), depth=3)
        assert np.array_equal(plain.tree.threshold, same.tree.threshold, equal_nan=True)
        for name in ("held-out", "training"):
            one, other = (report.headlines(tree)[name] for tree in (plain, same))
            assert one.tree == pytest.approx(other.tree)
            assert one.baseline == pytest.approx(other.baseline)


def test_the_inspector_weighs_rows_as_the_tree_does_and_those_of_a_cultivated_one_in_rows():
    one = grown(HEAVY, depth=3)
    for node in range(one.tree.n_nodes):
        assert results.weights(one, node).sum() == pytest.approx(one.tree.weight[node])
        curve = next((c for c in results.curves(one, node) if c.feature == one.tree.feature[node]), None)
        if curve is not None and one.tree.left[node] >= 0:
            assert curve.threshold[curve.best] == pytest.approx(one.tree.threshold[node])
    out = held_out(HEAVY, DIVIDED)
    one = grown(HEAVY, name="cultivated", depth=3)
    weight = HEAVY.weights_of(~out)
    direct = CultivatedClassifier(max_depth=3, random_state=0).fit(
        HEAVY.X[~out], HEAVY.y[~out], weight / weight.mean()
    )
    assert one.tree.weight == pytest.approx(direct.tree_.weight)
    assert results.weights(one, 0).sum() == pytest.approx(np.count_nonzero(~out))
