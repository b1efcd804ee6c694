"""Pruning and error by size on the Tree page: each rule shows a subtree, and a click sets depth or leaves."""

import re

import numpy as np
import pytest

from espalier.data import HeldOut, samples
from espalier.data.folds import Folds, deal
from espalier.learners import CartRegressor
from espalier.learners.catalogue import Model
from espalier.tree.pruning import DepthErrors, SubtreeErrors, pruning_sequence
from pages.shared.jobs.run import RUNNER, Outcome
from pages.shared.jobs.watch import WATCHED
from pages.shared.models import learners
from pages.shared.tree import exports, pruning
from pages.shared.tree.results import grown
from tests.tools import on_page
from tests.tools.on_page import address_of, metric, open_tree, press, until_grown, whole, words_of

TAB = "Error by size"
LARGE = {"data": "breast-cancer", "depth": "none"}


def pruned_page(**address):
    return until_grown(whole(open_tree(**LARGE, **address)))


def chart(page):
    return on_page.sent_to(page, "espalier_bars")[0]["chart"]


def n_leaves(page):
    return int(metric(page, "leaves"))


def test_the_tab_shows_the_curve_says_what_the_rules_choose_and_an_old_link_opens_it():
    page = pruned_page(tab=TAB, across="leaves")
    assert re.search(r"cross-validated error is least with \d+ leaves", chart(page)["alt"])
    assert page.radio(key="prune").value == "no"
    assert address_of(page) == {**LARGE, "tab": TAB, "across": "leaves"}
    page = whole(open_tree(data="iris", depth="none", tab="Pruning", across="leaves"))
    assert page.radio(key="prune")


def test_a_click_on_a_point_sets_the_leaves():
    page = pruned_page(tab=TAB, across="leaves")
    last = max(int(bar["id"]) for bar in on_page.sent_to(page, "espalier_bars")[0]["chart"]["bars"])
    whole(on_page.click_bar(page, str(last - 1)).run())
    assert address_of(page) == {**LARGE, "tab": TAB, "across": "leaves", "prune": "hand", "size": "2"}


def test_a_rule_shrinks_the_tree_whatever_tab_is_open_and_one_standard_error_no_less_than_the_least():
    full, sizes = n_leaves(pruned_page()), {}
    for rule in ("one-se", "least"):
        page = pruned_page(prune=rule)
        sizes[rule] = n_leaves(page)
        assert sizes[rule] < full
        assert any(f"{sizes[rule]} of " in text.value for text in page.markdown)
        assert address_of(page)["prune"] == rule
    assert sizes["one-se"] <= sizes["least"]


def test_the_slider_prunes_by_hand_undo_takes_it_back_and_there_is_a_way_to_the_whole_tree():
    page = pruned_page(tab=TAB, across="leaves")
    before = n_leaves(page)
    whole(on_page.Slider(page, pruning.SLIDER).set_value(3).run())
    assert n_leaves(page) == 3
    assert address_of(page) == {**LARGE, "tab": TAB, "across": "leaves", "prune": "hand", "size": "3"}
    press(page, "Undo")
    assert n_leaves(page) == before
    page = pruned_page(prune="hand", size="2")
    press(page, "Whole tree")
    assert n_leaves(page) > 2
    assert "prune" not in address_of(page)


def test_a_size_that_no_subtree_has_gives_the_next_smaller_one_and_a_root_that_was_pruned_says_so():
    assert n_leaves(pruned_page(prune="hand", size="1000000")) == n_leaves(pruned_page())
    page = pruned_page(prune="hand", size="1")
    assert n_leaves(page) == 1
    assert "what pruning left is one leaf" in words_of(page, "info")


def test_links_to_what_is_gone_say_so_and_other_learners_have_no_pruning():
    for gone, said in (({"prune": "reduced"}, "by cross-validation"), ({"across": "alpha"}, "against leaves")):
        page = pruned_page(**gone)
        assert any(said in text.value for text in page.warning)
        assert n_leaves(page) > 5
    for model in ["cultivated", "optimal"]:
        settings = (("levels", 1),) if model == "cultivated" else (("depth", 1),)
        assert not pruning.is_offered(grown(samples.load("two-gaussians"), HeldOut(30), Model(model, settings)))
    for link in [{"prune": "<b>"}, {"prune": "hand", "size": "0"}, {"prune": "hand", "size": "x"}]:
        page = whole(open_tree(data="iris", tab=TAB, **link))
        assert page.warning


def test_a_number_is_pruned_too():
    sine = samples.load("sine")
    full = grown(sine, HeldOut(30), learners.SETTINGS["cart"].model(sine.target, {"depth": None}))
    X, y = sine.X[~full.held], sine.y[~full.held]
    folds = pruning_sequence(CartRegressor(), X, y, deal(y, Folds(2)))
    RUNNER.keep(pruning.work_of(full).key, Outcome(folds))
    page = whole(open_tree(data="sine", depth="none", tab=TAB, prune="one-se"))
    assert folds is not None
    assert n_leaves(page) == folds.path.n_leaves[folds.one_standard_error] < full.tree.n_leaves


def test_exports_are_of_the_tree_that_is_shown(monkeypatch):
    iris = samples.load("iris")
    full = grown(iris, HeldOut(30), Model("cart", (("depth", None),)))
    monkeypatch.setattr(pruning.st, "session_state", {pruning.RULE: pruning.BY_HAND, pruning.SIZE: 2})
    shown = pruning.pruned(full)
    source = exports.source(shown, exports.FORMATS[0])
    assert source.count("return") < exports.source(full, exports.FORMATS[0]).count("return")


def test_much_work_is_begun_only_when_it_is_asked_for_and_after_a_stop_again(monkeypatch):
    page = pruned_page(prune="one-se", seed="5")
    key = next(key for key in page.session_state[WATCHED] if key.endswith("pruning"))
    RUNNER.keep(key, Outcome(is_stopped=True))
    whole(page.run())
    assert any("was stopped" in info.value for info in page.info)
    page = until_grown(press(page, "Try again"))
    assert any("Pruned: One standard error" in text.value for text in page.markdown)
    monkeypatch.setattr(pruning, "LARGE", 1)
    page = whole(open_tree(data="wine", depth="none", seed="3", prune="least"))
    full = n_leaves(page)
    assert any("until cross-validation chooses" in text.value for text in page.markdown)
    page = until_grown(press(page, "Cross-validate"))
    assert n_leaves(page) < full


ERRORS = SubtreeErrors(np.array([0.3, 0.1, 0.4]), np.array([0.01, 0.01, 0.01]))
FOUND = DepthErrors(np.array([3, 2, 1]), np.array([5, 3, 2]), ERRORS, ERRORS, ERRORS)


def asked(name, data="iris", **settings):
    dataset = samples.load(data)
    return pruning.AllDepths(grown(dataset, HeldOut(30), learners.SETTINGS[name].model(dataset.target, settings)))


def test_the_errors_of_each_depth_are_there_and_a_click_sets_the_depth():
    page = until_grown(whole(open_tree(tab=TAB)))
    assert "cross-validated error is least with depth" in chart(page)["alt"]
    whole(on_page.click_bar(page, "4").run())
    whole(page.run())
    assert address_of(page)["depth"] == "1"
    assert metric(page, "depth") == "1"


def test_every_learner_has_errors_by_depth_and_a_number_squared_ones():
    for name in ["cultivated", "model-tree", "oblique"]:
        found = asked(name).errors(pruning.Progress())
        assert found is not None
        assert found.depth[-1] == 1
    found = asked("cart", "sine", leaf=20).errors(pruning.Progress())
    assert found is not None
    assert found.held is not None
    assert found.training.error[-1] == pytest.approx(found.training.error.max())


def test_a_learner_without_prices_says_why_and_a_search_offers_to_begin():
    page = until_grown(whole(open_tree(model="oblique", tab=TAB, across="leaves")))
    assert "Only CART can be cut back step by step" in words_of(page)
    page = until_grown(whole(open_tree(model="optimal", data="two-gaussians", depth="1", tab=TAB)))
    assert "24 trees on up to" in words_of(page)
    assert [button for button in page.button if button.label == "Grow them"]


def test_errors_that_are_there_are_drawn_with_the_tree_of_the_page_marked_whose_depth_is_nothing_to_the_job():
    what = asked("cart", depth=2)
    curve = what.curve(FOUND)
    assert curve.at[curve.shown] == 2
    assert asked("cart", depth=1).work.key == asked("cart", depth=None).work.key
    assert asked("cart", depth=1).work.key != asked("cart", depth=1, leaf=5).work.key


def test_searches_are_begun_only_when_asked_for_and_go_to_a_few_levels(monkeypatch):
    what = asked("optimal", "two-gaussians", height=1)
    assert (what.most, what.n_folds, what.is_searched) == (4, 5, True)
    monkeypatch.setattr(pruning.watch.st, "session_state", {})
    assert not pruning.may_grow(what)
    assert pruning.may_grow(asked("cart"))
