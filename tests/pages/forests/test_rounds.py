"""Gradient boosting on the page of forests: every tab, the rounds one by one, and what is refused by name."""

import numpy as np
import pytest

from espalier import predict
from espalier.data import HeldOut, samples
from espalier.data.dataset import Feature, make_dataset
from espalier.export import forest_from_json
from espalier.learners.catalogue import Model
from espalier.progress import Progress
from pages.shared.forests import heading, rounds
from pages.shared.forests import results as forests_results
from pages.shared.forests.forest_job import ForestJob
from tests.pages.forests.test_forests_page import VIEWS, open_forests
from tests.tools import on_page
from tests.tools.on_page import address_of, open_tree, pictures, words_of


def grown(data, percent=30, trees=6):
    data = samples.load(data) if isinstance(data, str) else data
    return ForestJob(data, HeldOut(percent), Model("gradient", (("trees", trees),)))(Progress())


@pytest.mark.few(len(VIEWS))  # each tab once
@pytest.mark.parametrize("data", ["iris", "breast-cancer", "diabetes", "sine"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_tab_is_drawn_for_many_classes_two_classes_and_numbers(view, data):
    page = open_forests(data=data, view=view, b="gradient", row="3", wall="b", a_trees="5", b_trees="6")
    assert not page.error
    if view in ("One row", "Agreement"):
        assert "Each tree corrects the sum of the earlier ones" in words_of(page)
    if view == "Importance":
        assert "There is none: the trees of a boosted sum are steps" in words_of(page).replace("\\", "")


def test_one_round_needs_no_slider_and_a_tree_of_a_sum_does_not_open_alone():
    page = open_forests(view="Round by round")  # of a link, where no forest has rounds
    assert "Round by round" not in [tab.label for tab in page.tabs]
    assert "tab" not in address_of(page)
    page = open_forests(data="sine", view="Round by round", b="gradient", b_trees="1", held="0")
    assert not page.error
    assert "**The tree of round 1**" in words_of(page)
    assert "round" not in on_page.sliders(page)
    page = open_tree(model="forest", side="b", number="2", b="gradient", b_trees="4")
    assert "is no tree by itself" in page.info[0].value


def test_a_round_stands_in_the_address_and_a_round_too_late_becomes_the_last():
    page = open_forests(data="iris", view="Round by round", b="gradient", b_trees="6", round="4", **{"class": "2"})
    assert "**The tree of round 4**, for versicolor" in words_of(page)
    assert (address_of(page)["round"], address_of(page)["class"]) == ("4", "2")
    page = open_forests(data="iris", view="Round by round", b="gradient", b_trees="3", round="400")
    assert "**The tree of round 3**" in words_of(page)
    on_page.Slider(page, "round").set_value(2)
    page.run()
    assert "**The tree of round 2**" in words_of(page)
    assert len(pictures(page)) == 3


def test_the_rounds_are_drawn_in_the_loss_of_the_model_and_a_row_without_a_count_is_named():
    loss, name = "poisson", "half Poisson deviance"
    page = open_forests(data="diabetes", view="Round by round", b="gradient", b_trees="4", b_loss=loss)
    assert f"**The {name} after each round**" in words_of(page)
    assert len(pictures(page)) == 3
    assert address_of(page)["b-loss"] == loss
    page = open_forests(data="sine", b="gradient", b_loss="poisson")
    assert "the target *y* is −0.13 in row 2. Choose squared or absolute error." in page.error[0].value


def test_the_error_of_rounds_is_known_at_their_ends():
    one = grown("iris")
    held = forests_results.curve(one).held
    assert held is not None
    assert np.isnan(held).tolist() == [True, True, False] * 6
    wrong = one.estimator.predict(one.dataset.X[one.held]) != one.dataset.y[one.held]
    assert held[-1] == pytest.approx(wrong.mean())
    assert np.isnan(forests_results.own_errors(one)).all()


def test_the_whole_sum_is_exported_and_reads_back():
    for data in ["iris", "breast-cancer", "diabetes"]:
        one = grown(data)
        forest, _, _ = forest_from_json(str(heading.code(one, heading.FORMATS[0], {})))
        assert np.array_equal(predict.shares(forest, one.dataset.X), predict.shares(one.forest, one.dataset.X))


@pytest.mark.parametrize("present", [(0, 2), (0, 1, 3)], ids=["two of four classes", "three of four"])
def test_classes_without_a_row_have_no_share(present):
    iris = samples.load("iris")
    rows = iris.y < len(present)
    y = np.array(present)[iris.y[rows]]
    data = make_dataset("few", iris.X[rows], iris.features, y, Feature("k", "category", ("a", "b", "c", "d")))
    one = grown(data)
    said_of_rows = predict.shares(one.forest, data.X)
    assert said_of_rows[:, list(present)] == pytest.approx(one.estimator.predict_proba(data.X))
    assert said_of_rows.sum(axis=1) == pytest.approx(1)
    view = rounds.view_of(one, 2, 1)
    assert view.score in present
    after, before = (float(np.mean(view.residuals(is_after) ** 2)) for is_after in (True, False))
    assert after < before
