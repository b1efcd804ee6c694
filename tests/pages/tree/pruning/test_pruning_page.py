"""Pruning on the tree page: each rule shows a subtree, in the tree, the numbers, the exports and the address."""

import pytest

from espalier.data import HeldOut, samples
from espalier.data.rows.folds import Folds, deal
from espalier.learners import CartRegressor
from espalier.learners.catalogue import Model
from espalier.tree.pruning import pruning_sequence
from pages.shared.jobs.run import RUNNER, Outcome
from pages.shared.jobs.watch import WATCHED
from pages.shared.models import learners
from pages.shared.tree.exports import menu as exports
from pages.shared.tree.pruning import choice, tab
from pages.shared.tree.results import grown
from tests.tools import on_page
from tests.tools.on_page import address_of, engine, metric, open_tree, until_grown, whole

__all__ = ["engine"]

TAB = "Error by size"
LARGE = {"data": "breast-cancer", "depth": "none"}


def pruned_page(**address):
    return until_grown(whole(open_tree(**LARGE, **address)))


def n_leaves(page):
    return int(metric(page, "leaves"))


@pytest.mark.parametrize(("across", "unit"), [("leaves", "leaves"), ("alpha", "α 0.")])
def test_the_tab_shows_the_curve_and_says_what_the_rules_choose(across, unit):
    page = pruned_page(tab=TAB, across=across)
    said = next(text.value for text in page.markdown if "cross-validated error is least with" in text.value)
    assert unit in said
    assert page.radio(key="prune").value == "no"
    assert address_of(page) == {**LARGE, "tab": TAB, "across": across}


def test_a_click_on_a_point_sets_the_leaves_or_the_price():
    page = pruned_page(tab=TAB, across="leaves")
    last = max(int(bar["id"]) for bar in on_page.sent_to(page, "espalier_bars")[0]["chart"]["bars"])
    whole(on_page.click_bar(page, str(last - 1)).run())
    assert address_of(page) == {**LARGE, "tab": TAB, "across": "leaves", "prune": "hand", "size": "2"}
    page = whole(open_tree(**LARGE, tab=TAB, across="alpha"))
    whole(on_page.click_bar(page, str(last - 1)).run())
    whole(page.run())
    assert n_leaves(page) == 2
    assert "alpha" in address_of(page)


def test_an_old_link_to_the_tab_opens_it():
    page = whole(open_tree(data="iris", depth="none", tab="Pruning", across="leaves"))
    assert page.radio(key="prune")


@pytest.mark.parametrize("rule", ["one-se", "least", "reduced"])
def test_a_rule_shrinks_the_tree_whatever_tab_is_open(rule):
    page = pruned_page(prune=rule)
    assert n_leaves(page) < n_leaves(pruned_page())
    assert any(f"{n_leaves(page)} of " in text.value for text in page.markdown)
    assert address_of(page)["prune"] == rule


def test_the_smallest_tree_within_one_standard_error_is_no_larger_than_the_one_of_least_error():
    assert n_leaves(pruned_page(prune="one-se")) <= n_leaves(pruned_page(prune="least"))


def test_the_slider_prunes_by_hand_and_undo_takes_it_back():
    page = pruned_page(tab=TAB, across="leaves")
    before = n_leaves(page)
    on_page.Slider(page, tab.SLIDER).set_value(3)
    whole(page.run())
    assert n_leaves(page) == 3
    assert address_of(page) == {**LARGE, "tab": TAB, "across": "leaves", "prune": "hand", "size": "3"}
    next(button for button in page.button if button.label == "Undo").click()
    whole(page.run())
    assert n_leaves(page) == before


def test_a_size_that_no_subtree_has_gives_the_next_smaller_one():
    page = pruned_page(prune="hand", size="1000000")
    assert n_leaves(page) == n_leaves(pruned_page())
    assert n_leaves(pruned_page(prune="hand", size="1")) == 1


def test_the_way_back_shows_the_whole_tree():
    page = pruned_page(prune="hand", size="2")
    next(button for button in page.button if button.label == "Whole tree").click()
    whole(page.run())
    assert n_leaves(page) > 2
    assert "prune" not in address_of(page)


def test_without_held_out_rows_reduced_error_says_what_to_do():
    page = pruned_page(prune="reduced", held="0")
    assert any("No rows are held out" in text.value for text in page.markdown)
    assert n_leaves(page) > 5


def test_a_root_that_was_pruned_says_so():
    page = pruned_page(prune="hand", size="1")
    assert any("pruned into one" in info.value for info in page.info)


@pytest.mark.parametrize("model", ["cultivated", "optimal"])
def test_other_learners_have_no_pruning(model):
    settings = (("levels", 1),) if model == "cultivated" else (("depth", 1),)
    assert not choice.is_offered(grown(samples.load("two-gaussians"), HeldOut(30), Model(model, settings)))


def test_a_number_is_pruned_too():
    sine = samples.load("sine")
    full = grown(sine, HeldOut(30), learners.model_of("cart", sine.target, {"depth": None}))
    X, y = sine.X[~full.held], sine.y[~full.held]
    folds = pruning_sequence(CartRegressor(), X, y, deal(y, Folds(2)))
    RUNNER.keep(choice.job_key(full), Outcome(folds))
    page = whole(open_tree(data="sine", depth="none", tab=TAB, prune="one-se"))
    assert folds is not None
    assert n_leaves(page) == folds.path.n_leaves[folds.one_standard_error] < full.tree.n_leaves


@pytest.mark.parametrize(
    "link", [{"prune": "<b>"}, {"prune": "hand", "size": "0"}, {"prune": "hand", "size": "x"}]
)
def test_nonsense_in_a_link_falls_back_with_a_note(link):
    page = whole(open_tree(data="iris", tab=TAB, **link))
    assert page.warning


def test_exports_are_of_the_tree_that_is_shown(monkeypatch):
    iris = samples.load("iris")
    full = grown(iris, HeldOut(30), Model("cart", (("depth", None),)))
    monkeypatch.setattr(choice.st, "session_state", {choice.RULE: choice.BY_HAND, choice.LEAVES: 2})
    shown = choice.pruned(full)
    source = exports.source(shown, exports.FORMATS[0])
    assert source.count("return") < exports.source(full, exports.FORMATS[0]).count("return")


def test_much_work_is_begun_only_when_it_is_asked_for(monkeypatch):
    monkeypatch.setattr(choice, "LARGE", 1)
    page = whole(open_tree(data="wine", depth="none", seed="3", prune="least"))
    full = n_leaves(page)
    assert any("until cross-validation chooses" in text.value for text in page.markdown)
    next(button for button in page.button if button.label == "Cross-validate").click()
    page = until_grown(whole(page.run()))
    assert n_leaves(page) < full


def test_after_a_stop_the_whole_tree_is_shown_and_the_work_can_be_begun_again():
    page = pruned_page(prune="one-se", seed="5")
    key = next(key for key in page.session_state[WATCHED] if key.endswith("pruning"))
    RUNNER.keep(key, Outcome(is_stopped=True))
    whole(page.run())
    assert any("was stopped" in info.value for info in page.info)
    next(button for button in page.button if button.label == "Try again").click()
    page = until_grown(whole(page.run()))
    assert any("leaves are left" in text.value for text in page.markdown)
