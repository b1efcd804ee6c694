"""Error against depth on the Tree page: for every learner, with a click on a point that sets the depth."""

import numpy as np
import pytest

from espalier.data import HeldOut, samples
from espalier.tree.errors.by_depth import DepthErrors
from espalier.tree.pruning import SubtreeErrors
from pages.shared.jobs.run import RUNNER, Outcome
from pages.shared.models import learners
from pages.shared.tree.pruning import by_depth
from pages.shared.tree.results import grown
from tests.tools import on_page
from tests.tools.on_page import address_of, engine, metric, open_tree, until_grown, whole

__all__ = ["engine"]

TAB = "Error by size"
ERRORS = SubtreeErrors(np.array([0.3, 0.1, 0.4]), np.array([0.01, 0.01, 0.01]))
FOUND = DepthErrors(np.array([3, 2, 1]), np.array([5, 3, 2]), ERRORS, ERRORS, ERRORS)


def asked(name, data="iris", **settings):
    dataset = samples.load(data)
    return by_depth.asked(
        grown(dataset, HeldOut(30), learners.model_of(name, dataset.target, settings)),
    )


def said(page):
    return " ".join(text.value for text in [*page.markdown, *page.caption, *page.info])


def test_the_errors_of_each_depth_are_there_and_a_click_sets_the_depth():
    page = until_grown(whole(open_tree(tab=TAB)))
    assert "cross-validated error is least with depth" in said(page)
    whole(on_page.click_bar(page, "4").run())
    whole(page.run())
    assert address_of(page)["depth"] == "1"
    assert metric(page, "depth") == "1"


@pytest.mark.parametrize("name", ["cultivated", "model-tree", "oblique"])
def test_other_learners_have_it_too(name):
    found = by_depth._errors(asked(name)._replace(most=2), by_depth.Progress())
    assert found is not None
    assert found.depth[-1] == 1


def test_a_learner_without_prices_says_why():
    page = until_grown(whole(open_tree(model="oblique", tab=TAB, across="leaves")))
    assert "Only CART can be cut back step by step" in said(page)


def test_a_search_offers_to_begin():
    page = until_grown(whole(open_tree(model="optimal", data="two-gaussians", depth="1", tab=TAB)))
    assert "24 trees have to grow" in said(page)
    assert [button for button in page.button if button.label == "Grow them"]


def test_errors_that_are_there_are_drawn_with_the_tree_of_the_page_marked():
    what = asked("cart", depth=2)
    RUNNER.keep(what.key, Outcome(FOUND))
    curve = by_depth.curve(what)
    assert curve is not None
    assert curve.at[curve.shown] == 2


def test_the_depth_of_the_tree_on_the_page_is_nothing_to_the_job():
    assert asked("cart", depth=1).key == asked("cart", depth=None).key
    assert asked("cart", depth=1).key != asked("cart", depth=1, leaf=5).key


def test_searches_are_begun_only_when_asked_for_and_go_to_a_few_levels(monkeypatch):
    what = asked("optimal", "two-gaussians", height=1)
    assert (what.most, what.n_folds, what.is_searched) == (4, 5, True)
    monkeypatch.setattr(by_depth.watch.st, "session_state", {})
    assert not by_depth.may_begin(what)
    assert by_depth.may_begin(asked("cart"))


def test_a_job_on_a_number_measures_squared_errors():
    found = by_depth._errors(asked("cart", "sine", leaf=20), by_depth.Progress())
    assert found is not None
    assert found.held is not None
    assert found.training.error[-1] == pytest.approx(found.training.error.max())
