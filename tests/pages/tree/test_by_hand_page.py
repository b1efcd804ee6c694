"""A tree that is changed by hand, kept as A beside another one, and pruned; errors by size."""

import json
import re
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

from espalier.data import HeldOut, samples
from espalier.data.folds import Folds, deal
from espalier.export import from_json
from espalier.grown import GrownTree
from espalier.learners import CartClassifier, CartRegressor
from espalier.learners.catalogue import Model
from espalier.predict import classes
from espalier.tree.edits import BEST, CUT, GREEDY, MADE_LEAF, SET, Edit
from espalier.tree.pruning import DepthErrors, SubtreeErrors, pruning_sequence
from espalier.trees import Tree
from pages.shared.canvas.components import chosen_cut
from pages.shared.jobs.run import RUNNER, Outcome
from pages.shared.jobs.watch import WATCHED
from pages.shared.models import learners
from pages.shared.tree import by_hand as hands
from pages.shared.tree import exports, growing, pruning, results
from pages.shared.tree.growing import grow
from tests.tools import on_page
from tests.tools.on_page import address_of, metric, open_tree, press, until_grown, whole, words_of


def tree_page(**address):
    """CART's branches are there at once; the optimal tree beside it may come later."""
    return open_tree(**address)


def said(page):
    return [text.value for text in (*page.markdown, *page.caption, *page.warning)]


def test_a_link_shows_the_tree_with_its_changes_and_says_what_they_are():
    page = tree_page(data="iris", depth="2", edits="c3_4.5~Rx")
    assert (metric(page, "leaves"), metric(page, "depth")) == ("3", "2")
    assert any("2 changes by hand" in text and "made a leaf by hand" in text for text in said(page))
    assert any("**You**: accuracy" in text and "**CART** of as many leaves" in text for text in said(page))
    assert address_of(page) == {"data": "iris", "depth": "2", "edits": "c3_4.5~Rx"}


def test_buttons_change_the_selected_node_and_undo_takes_that_back_and_the_second_best_column_is_one_click_away():
    page = tree_page(data="iris", depth="2", node="2")
    before = metric(page, "leaves")
    press(page, "by hand leaf")
    assert address_of(page)["edits"] == "Rx"
    assert metric(page, "leaves") == "2"
    press(page, "Undo")
    assert metric(page, "leaves") == before
    assert "edits" not in address_of(page)
    press(page, "by hand column")
    assert address_of(page)["edits"] == "Rf3"  # petal length, after petal width
    press(page, "back by hand")
    assert "edits" not in address_of(page)


def test_a_branch_is_regrown_optimally_with_its_proof_as_is_what_begins_with_a_split_by_hand():
    page = tree_page(data="iris", depth="1", node="2")
    page.session_state["regrow"] = True  # the drawer is open
    whole(page.run())
    press(page, "by hand best")
    assert address_of(page)["edits"] == "Ro_2"
    assert any("This branch alone" in text and "Proved: no tree of depth 2" in text for text in said(page))
    line = next(text for text in said(page) if "1 change by hand" in text).replace("\\", "")
    assert "node 2, petal length ≤ 4.95: branch regrown optimally by hand, to depth 2" in line
    press(page, "Undo")
    assert "edits" not in address_of(page)
    page = tree_page(data="iris", model="optimal", depth="2", edits="c1_5.5")
    page = until_grown(page)
    assert any("Proved: no tree of depth 2 that begins with a given split" in text for text in said(page))


def test_a_change_that_does_not_fit_is_left_out_and_nonsense_and_other_data_let_go_of_the_changes():
    page = tree_page(data="iris", depth="2", edits="LLc1_5")
    assert any(
        "after yes, yes is left out: the tree has no such node" in text.replace("\\", "") for text in said(page)
    )
    assert metric(page, "leaves") == "3"
    page = tree_page(data="iris", depth="2", edits="Lz~~")
    assert any("changes by hand such as" in text for text in said(page))
    assert "edits" not in address_of(page)
    page = tree_page(data="iris", depth="2", edits="Rx")
    whole(page.selectbox(key="data-picker").set_value("wine").run())
    assert "edits" not in address_of(page)


def by_hand(*edits) -> GrownTree:
    """A grown tree on iris whose nodes are said to be changed by hand; no page is needed."""
    from espalier.data import HeldOut
    from espalier.learners.catalogue import Model

    tree = growing.grow(samples.load("iris"), HeldOut(30, 0), Model("cart", (("depth", 2),)))
    return tree._replace(key=f"{tree.key} {edits}", by_hand=dict(edits))


def test_every_export_says_which_splits_were_chosen_by_hand_and_to_which_depth_a_branch_was_regrown():
    for form in exports.FORMATS:
        source = exports.source(by_hand((0, Edit("", CUT, (2,), 2.45)), (1, Edit("L", MADE_LEAF))), form)
        assert "node 0, petal length ≤ 2.45: split chosen by hand" in source
        assert "node 1: made a leaf by hand" in source
    for kind, word in ((GREEDY, "greedily"), (BEST, "optimally")):
        source = exports.source(by_hand((2, Edit("R", kind, depth=2))), exports.FORMATS[0])
        assert f"node 2, petal width ≤ 1.7: branch regrown {word} by hand, to depth 2" in source


def test_json_and_python_of_a_tree_that_was_changed_by_hand_can_be_used_and_cards_mark_what_is_yours():
    tree = by_hand((0, Edit("", CUT, (2,), 2.45)))
    text = exports.source(tree, next(form for form in exports.FORMATS if form.ending == "json"))
    assert json.loads(text)["by_hand"] == ["node 0, petal length ≤ 2.45: split chosen by hand"]
    read = from_json(text)[0]
    assert isinstance(read, Tree)
    np.testing.assert_array_equal(read.threshold, tree.sharp.threshold)
    names: dict = {}
    exec(exports.source(tree, exports.FORMATS[0]), names)
    assert names
    plain, marked = by_hand(), by_hand((0, Edit("", CUT, (2,), 2.45)))
    cards = results.cards(marked)
    assert [card.get("hand") for card in cards["nodes"]] == ["split chosen by hand", *[None] * 4]
    assert cards["id"] != results.cards(plain)["id"]


def test_a_cut_is_taken_from_the_curve_that_shows_it_alone_and_of_categories_is_the_set_before_it():
    curve = {"id": "a", "x": [1.0, 2.0]}
    assert chosen_cut({"curve": "a", "cut": 1, "at": 5}, curve) == 1
    for sent in (
        None,
        7,
        {},
        {"curve": "b", "cut": 1},
        *({"curve": "a", "cut": cut} for cut in (2, -1, True, "1", 1.0)),
    ):
        assert chosen_cut(sent, curve) is None
    tree = growing.grow(samples.load("monks-1"), by_hand().source.holdout, by_hand().source.model)
    curve = next(curve for curve in results.curves(tree, 0) if len(curve.order) == 4)
    edit = hands.cut_of(curve, 1)
    assert (edit.kind, edit.features) == (SET, (curve.feature,))
    assert edit.categories == sum(1 << int(code) for code in curve.order[:2])


def says_both(page, first, second):
    """Whether a paragraph or a warning of the page says both."""
    return any(first in one.value and second in one.value for one in (*page.markdown, *page.warning))


def test_a_tree_is_kept_as_a_and_compared_with_what_the_controls_grow_next():
    page = press(open_tree(data="moons", depth="2"), "Compare with…")
    assert address_of(page)["beside"] == urlencode({"model": "cart", "table": "moons", "depth": "2"})
    assert "Both trees give the same answer to 400 rows." in plain_words(page)
    whole(on_page.Slider(page, "depth").set_value(6).run())
    assert says_both(page, "A: CART", "depth 2")
    assert "The answer changes for" in words_of(page)
    press(whole(page.run()), "Stop comparing")  # AppTest has lost the controls, which the move did not draw
    assert "beside" not in address_of(page)


def test_another_learner_changed_by_hand_may_be_a_and_nonsense_other_columns_and_old_files_are_refused():
    page = whole(
        open_tree(data="iris", depth="2", beside=urlencode({"model": "cart", "depth": "1", "edits": "Rg"}))
    )
    assert says_both(page, "changed by hand", "3 leaves")
    for wrong in ("nonsense", "model=forest", "model=cart&depth=deep", "x" * 3000):
        page = open_tree(data="iris", beside=wrong)
        assert "Compare with…" in words_of(page)
        assert "#### A | B" not in words_of(page)
    page = whole(open_tree(data="iris", depth="2", beside=urlencode({"model": "cart", "table": "wine"})))
    assert "The tables of A and B have other columns" in words_of(page)
    page = whole(open_tree(data="iris", depth="2", beside=urlencode({"file": "0" * 16, "name": "march.json"})))
    assert "a tree from a file is no longer compared" in words_of(page)


IRIS = samples.load("iris")


def plain_words(page):
    return words_of(page).replace("\\", "")


def trained(depth):
    return CartClassifier(max_depth=depth).fit(IRIS.X, IRIS.y).tree_


def test_the_difference_of_two_depths_is_told_and_drawn_and_a_kept_tree_stays_on_its_rows():
    beside = urlencode({"model": "cart", "table": "iris", "depth": "2"})
    page = open_tree(data="iris", held="0", depth="4", row="71", beside=beside)
    assert "2 the same" in plain_words(page)
    assert "only in B" in plain_words(page)
    table = next(one.value for one in page.dataframe if "A says" in one.value)
    expected = (classes(trained(2), IRIS.X) != classes(trained(4), IRIS.X)).sum()
    assert len(table) == expected > 0
    pictures = [
        one.proto.body for one in page.get("html") if "the splits" in one.proto.body or "alt=" in one.proto.body
    ]
    assert any("Tree A" in one for one in pictures)
    assert any("Tree B" in one for one in pictures)
    page = whole(open_tree(data="iris~where~petal length~gt~2", depth="3", beside=urlencode(
        {"model": "cart", "table": "iris", "depth": "3"}
    )))  # fmt: skip
    assert "on Iris flowers (150 rows)" in plain_words(page)
    assert "##### What differs" in plain_words(page)


TAB = "Error by size"
LARGE = {"data": "breast-cancer", "depth": "none"}


def pruned_page(**address):
    return until_grown(open_tree(**LARGE, **address))


def chart(page):
    return on_page.sent_to(page, "espalier_bars")[0]["chart"]


def n_leaves(page):
    return int(metric(page, "leaves"))


def test_the_tab_shows_the_curve_and_what_the_rules_choose_also_by_an_old_link_and_a_click_sets_the_leaves():
    page = pruned_page(tab=TAB, across="leaves")
    assert re.search(r"cross-validated error is least with \d+ leaves", chart(page)["alt"])
    assert page.radio(key="prune").value == "no"
    assert address_of(page) == {**LARGE, "tab": TAB, "across": "leaves"}
    page = open_tree(data="iris", depth="none", tab="Pruning", across="leaves")
    assert page.radio(key="prune")
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
        assert not growing.is_whole_cart(grow(samples.load("two-gaussians"), HeldOut(30), Model(model, settings)))
    for link in [{"prune": "<b>"}, {"prune": "hand", "size": "0"}, {"prune": "hand", "size": "x"}]:
        page = open_tree(data="iris", tab=TAB, **link)
        assert page.warning


def test_a_number_is_pruned_too():
    sine = samples.load("sine")
    full = grow(sine, HeldOut(30), learners.SETTINGS["cart"].model(sine.target, {"depth": None}))
    X, y = sine.X[~full.held], sine.y[~full.held]
    folds = pruning_sequence(CartRegressor(), X, y, deal(y, Folds(2)))
    RUNNER.keep(pruning.work_of(full).key, Outcome(folds))
    page = open_tree(data="sine", depth="none", tab=TAB, prune="one-se")
    assert folds is not None
    assert n_leaves(page) == folds.path.n_leaves[folds.one_standard_error] < full.tree.n_leaves


def test_exports_are_of_the_tree_that_is_shown(monkeypatch):
    iris = samples.load("iris")
    full = grow(iris, HeldOut(30), Model("cart", (("depth", None),)))
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
    page = open_tree(data="wine", depth="none", seed="3", prune="least")
    full = n_leaves(page)
    assert any("until cross-validation chooses" in text.value for text in page.markdown)
    page = until_grown(press(page, "Cross-validate"))
    assert n_leaves(page) < full


ERRORS = SubtreeErrors(np.array([0.3, 0.1, 0.4]), np.array([0.01, 0.01, 0.01]))
FOUND = DepthErrors(np.array([3, 2, 1]), np.array([5, 3, 2]), ERRORS, ERRORS, ERRORS)


def asked(name, data="iris", **settings):
    dataset = samples.load(data)
    return pruning.AllDepths(grow(dataset, HeldOut(30), learners.SETTINGS[name].model(dataset.target, settings)))


def test_the_errors_of_each_depth_are_there_and_a_click_sets_the_depth():
    page = until_grown(open_tree(tab=TAB))
    assert "cross-validated error is least with depth" in chart(page)["alt"]
    whole(on_page.click_bar(page, "4").run())
    whole(page.run())
    assert address_of(page)["depth"] == "1"
    assert metric(page, "depth") == "1"


def test_every_learner_has_errors_by_depth_drawn_with_its_own_marked_whose_depth_is_nothing_to_the_job():
    for name in ["cultivated", "model-tree", "oblique"]:
        found: Any = asked(name).errors(pruning.Progress())
        assert found.depth[-1] == 1
    found: Any = asked("cart", "sine", leaf=20).errors(pruning.Progress())
    assert found.held is not None
    assert found.training.error[-1] == pytest.approx(found.training.error.max())
    what = asked("cart", depth=2)
    curve = what.curve(FOUND)
    assert curve.at[curve.shown] == 2
    assert asked("cart", depth=1).work.key == asked("cart", depth=None).work.key
    assert asked("cart", depth=1).work.key != asked("cart", depth=1, leaf=5).work.key


def test_a_learner_without_prices_says_why_and_a_search_offers_to_begin():
    page = until_grown(open_tree(model="oblique", tab=TAB, across="leaves"))
    assert "Only CART can be cut back step by step" in words_of(page)
    page = until_grown(open_tree(model="optimal", data="two-gaussians", depth="1", tab=TAB))
    assert "24 trees on up to" in words_of(page)
    assert [button for button in page.button if button.label == "Grow them"]


def test_searches_are_begun_only_when_asked_for_and_go_to_a_few_levels(monkeypatch):
    what = asked("optimal", "two-gaussians", height=1)
    assert (what.most, what.n_folds, what.is_searched) == (4, 5, True)
    monkeypatch.setattr(pruning.watch.st, "session_state", {})
    assert not pruning.may_grow(what)
    assert pruning.may_grow(asked("cart"))
