"""Hands on the tree: changes of a node stand in the tree, the scores, the exports, the address and in Undo."""

import json

import numpy as np

from espalier.data import samples
from espalier.export import from_json
from espalier.grown import GrownTree
from espalier.tree.edits import BEST, CUT, GREEDY, MADE_LEAF, SET, Edit
from espalier.trees import Tree
from pages.shared.canvas.curve import chosen_cut
from pages.shared.tree import by_hand as hands
from pages.shared.tree import exports, results
from tests.tools.on_page import address_of, metric, open_tree, press, until_grown, whole


def tree_page(**address):
    """CART's branches are there at once; the optimal tree beside it may come later."""
    return whole(open_tree(**address))


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

    tree = results.grown(samples.load("iris"), HeldOut(30, 0), Model("cart", (("depth", 2),)))
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
    tree = results.grown(samples.load("monks-1"), by_hand().source.holdout, by_hand().source.model)
    curve = next(curve for curve in results.curves(tree, 0) if len(curve.order) == 4)
    edit = hands.cut_of(curve, 1)
    assert (edit.kind, edit.features) == (SET, (curve.feature,))
    assert edit.categories == sum(1 << int(code) for code in curve.order[:2])
