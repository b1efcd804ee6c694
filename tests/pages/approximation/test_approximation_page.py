"""A black box and its tree on a page: every tab, links, forests and files as black boxes, stopping; no browser."""

import itertools
import json
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from espalier.data import samples
from espalier.learners.imports import read_file
from pages.shared.approximation import boxes, results
from pages.shared.approximation.boxes import FittedBlackBox
from pages.shared.jobs import watch
from pages.shared.own_models import fitted, uploads
from tests.pages.tree.test_optimal_page import pictures, press, said
from tests.tools import on_page
from tests.tools.on_page import APP, SOON, address_of, engine, metric, sent_to, until_grown, whole

__all__ = ["engine"]

FRESH = itertools.count(1)  # seeds, each used once: what is grown with them was not grown before
FEW = {"samples": "1000"}
TABS = ("Tree", "Side by side", "Fidelity", "Splits")


def open_page(**address):
    page = AppTest.from_file(APP, default_timeout=300)
    for key, value in (FEW | {k.replace("_", "-"): v for k, v in address.items()}).items():
        page.query_params[key] = value
    page.switch_page("pages/approximate.py")
    return until_grown(whole(page.run()))


def fresh_seed():
    return str(10**5 + next(FRESH))


# ---- the page


def test_a_newcomer_sees_a_forest_its_tree_and_how_sure_it_is():
    page = open_page()
    labels = [m.label for m in page.metric]
    assert labels == [
        "agrees with the model",
        "average gap",
        "accuracy, model",
        "accuracy, tree",
        "accuracy, baseline",
        "made-up cases",
    ]
    assert "the tree agrees with the random forest" in said(page).replace("\\", "")
    assert re.search(r"\d of \d+ splits were decided by the test", said(page))
    assert "How sure is the split of node 0?" in said(page)
    assert len(sent_to(page, "espalier_tree")) == 1
    assert address_of(page) == FEW


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize(
    ("data", "box"), [("iris", "linear"), ("diabetes", "cultivated"), ("tic-tac-toe", "forest")]
)
def test_every_tab_is_drawn_for_classes_numbers_and_categories(tab, data, box):
    page = open_page(data=data, box=box, tab=tab)
    assert not page.error
    assert address_of(page)["box"] == box if box != "forest" else "box" not in address_of(page)
    drawn = {"Tree": 0, "Side by side": 4, "Fidelity": 2, "Splits": 0}  # the legend is a picture too
    assert len(pictures(page)) == drawn[tab]


def test_only_the_open_tab_is_worked_out(monkeypatch):
    asked = []
    monkeypatch.setattr(results, "over_plane", lambda *_: asked.append("plane"))
    open_page(tab="Fidelity")
    assert not asked


def test_what_is_set_stands_in_the_address_and_a_link_sets_it():
    page = open_page(box="neighbours")
    on_page.Slider(page, "ap-depth").set_value(2)
    page.selectbox(key="ap-limit").set_value("order")
    page.number_input(key="ap-alpha").set_value(0.2)
    page = until_grown(whole(page.run()))
    expected = FEW | {"box": "neighbours", "depth": "2", "undecided": "order", "level": "0.2"}
    assert address_of(page) == expected
    again = open_page(**{key.replace("-", "_"): text for key, text in expected.items()})
    assert on_page.Slider(again, "ap-depth").value == 2
    assert said(again) == said(page)


def test_a_change_can_be_taken_back_and_reset_gives_everything_its_default():
    page = open_page(box="linear")
    on_page.Slider(page, "ap-depth").set_value(2)
    page = until_grown(whole(page.run()))
    page = until_grown(press(page, "Undo"))
    assert on_page.Slider(page, "ap-depth").value == 4
    assert address_of(until_grown(press(page, "Reset"))) == {}


def test_wrong_values_of_a_link_are_noted(monkeypatch):
    monkeypatch.setattr(watch, "PATIENCE_SECONDS", SOON)  # to the end of the one run that came by the link
    page = open_page(samples="7", box="oracle", node="999", x="no such feature")
    note = page.warning[0].value
    assert "box=oracle should be one of forest, boosting" in note
    assert "samples=7 should be one of 1000, 10000" in note
    assert "node=999: this tree has nodes 0 to" in note
    assert "x=no such feature" in note


def test_the_selected_node_shows_its_own_contest():
    page = open_page(box="linear", depth="2")
    cards = sent_to(page, "espalier_tree")[0]["cards"]
    leaf = next(card["id"] for card in cards["nodes"] if "f" not in card)
    page = open_page(box="linear", depth="2", node=str(leaf))
    assert f"How sure is the split of node {leaf}?" in said(page)
    assert "A leaf at the end of the questions allowed" in said(page)
    assert not page.dataframe


def test_the_table_of_splits_has_every_split_and_how_sure_it_is():
    page = open_page(box="linear", tab="Splits")
    table = page.dataframe[0].value
    assert table["node"].tolist() == sorted(table["node"].tolist())
    assert set(table["sure"]) <= {"decided", "threshold open", "column open"}
    assert len(table) == len(sent_to(open_page(box="linear"), "espalier_tree")[0]["cards"]["nodes"]) // 2


def test_undecided_splits_are_marked_in_the_tree_as_in_the_table():
    one = open_page(data="diabetes", box="linear")
    marked = [c["id"] for c in sent_to(one, "espalier_tree")[0]["cards"]["nodes"] if c.get("unsure")]
    table = open_page(data="diabetes", box="linear", tab="Splits").dataframe[0].value
    assert marked == table["node"][table["sure"] != "decided"].tolist()
    assert marked


def test_where_the_depth_is_more_than_enough_a_press_stops_there():
    page = open_page(tab="Fidelity", depth="6")
    (button,) = (b for b in page.button if b.label.startswith("Stop at depth"))
    depth = int(button.label.split()[-1])
    assert f"**Depth {depth} is enough:**" in said(page)
    page = until_grown(press(page, button.label))
    assert on_page.Slider(page, "ap-depth").value == depth


def test_where_the_tree_still_gains_a_press_allows_one_more_question():
    page = open_page(data="diabetes", box="linear", tab="Fidelity", depth="2")
    assert "**Still gaining at depth 2:**" in said(page)
    page = until_grown(press(page, "Allow 3 questions"))
    assert on_page.Slider(page, "ap-depth").value == 3


def test_without_held_out_rows_fidelity_is_that_of_pseudo_samples_alone():
    page = open_page(box="linear", held="0", tab="Fidelity")
    assert [m.label for m in page.metric] == ["agrees with the model", "average gap", "made-up cases"]
    assert "made-up cases" in pictures(page)[0]
    assert "held-out" not in pictures(page)[0]


def test_a_model_that_always_says_the_same_has_a_lone_root(monkeypatch):
    class Same:
        classes_ = np.arange(3)

        def predict_proba(self, X):
            return np.tile([0.2, 0.5, 0.3], (len(X), 1))

    seed = fresh_seed()
    monkeypatch.setattr(boxes, "learnt", lambda *_: FittedBlackBox(Same(), 105))
    for tab in TABS:
        page = open_page(random=seed, tab=tab)
        assert "no split changes the model's average answer" in said(page)
        assert metric(page, "agrees with the model") == "100 %"


# ---- exactly


def test_a_forest_of_ours_is_asked_exactly_and_other_models_are_not():
    page = open_page(method="exact", depth="2")
    assert "no chance is involved" in said(page)
    assert [m.label for m in page.metric][-1] == "accuracy, baseline"
    assert "Found exactly" in said(page)
    page = open_page(method="exact", box="linear", depth="2")
    assert "Only a tree or forest of ours can be asked exactly." in said(page)
    assert metric(page, "made-up cases") == "3,000"


# ---- forests of their page


@pytest.mark.parametrize(
    ("address", "exact"),
    [
        ({"box": "forest-b", "b": "bagged", "b_trees": "5", "b_depth": "2"}, True),
        ({"box": "forest-a", "a": "cultivated-forest", "a_trees": "3"}, False),
    ],
)
def test_a_forest_of_the_forests_page_is_a_black_box(address, exact):
    page = open_page(depth="2", **address)
    name = "forest B" if exact else "forest A"
    assert f"agrees with {name}" in said(page)
    assert page.radio(key="ap-method").disabled != exact
    (link,) = (link.proto for link in page.get("page_link") if link.proto.label == "Change it on its page")
    expected = {k.replace("_", "-"): v for k, v in address.items() if k != "box"}
    assert dict(part.split("=") for part in link.query_string.split("&")) == expected
    if exact:
        assert "no chance is involved" in said(open_page(depth="2", method="exact", **address))


# ---- a person's own model


def test_without_a_file_the_page_says_what_to_do_and_a_link_to_one_that_is_gone_too():
    page = open_page(box="onnx")
    assert "Upload your model" in page.info[0].value
    assert page.get("file_uploader")
    assert "does not have (any more)" in open_page(box="onnx", onnx="0" * 32).warning[0].value
    assert "onnx=seven should be" in open_page(box="onnx", onnx="seven").warning[-1].value


class Step:
    """Stands for a model of iris that was read from a file; its class j is the table's ``own[j]``."""

    n_features_in_, classes_, names_columns, names_classes = 4, np.arange(3), False, False

    def __init__(self, own=(0, 1, 2), order=(0, 1, 2)):
        self.own, self.order = own, order

    def arranged(self, classes=None, columns=None):
        return type(self)(self.own, self.order if classes is None else classes)

    def predict_proba(self, X):
        return self.said(X)[:, list(self.own)][:, np.argsort(self.order)]

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)

    def said(self, X):
        return np.eye(3)[(X[:, 2] > 2.5).astype(int) + (X[:, 3] > 1.6)]


class Ignorant(Step):
    """Says the same of everything."""

    def said(self, X):
        return np.tile([1.0, 0.0, 0.0], (len(X), 1))


def brought(monkeypatch, model, **address):
    """The page with a file that is read as this model."""
    asked = []
    monkeypatch.setattr(fitted, "read_onnx", lambda *told: asked.append(told) or model)
    digest = f"{next(FRESH):032x}"
    uploads.store().put(digest, b"a model")
    return open_page(box="onnx", onnx=digest, **address), asked


def test_a_file_that_is_kept_is_read_for_these_data_and_approximated(monkeypatch):
    page, asked = brought(monkeypatch, Step())
    assert asked[0][0] == b"a model"
    assert asked[0][2] == samples.load("iris").classes
    assert "agrees with your model" in said(page)


def test_a_model_with_its_classes_in_another_order_is_turned_and_the_page_says_so(monkeypatch):
    page, _ = brought(monkeypatch, Step((2, 0, 1)))
    words = said(page).replace("\\", "")
    assert (
        "Your model's class 0 = virginica, 1 = setosa, 2 = versicolor; its columns stand as in the table" in words
    )
    assert "agrees best with the target: it is right in 9" in words
    assert "in the table's own order" in words
    assert page.selectbox(key="ap-classes").value == ""
    assert "classes" not in address_of(page)


def test_the_order_of_the_classes_can_be_chosen_and_stands_in_the_address(monkeypatch):
    page, _ = brought(monkeypatch, Step())
    page.selectbox(key="ap-classes").set_value("2-1-0")
    page = until_grown(whole(page.run()))
    assert address_of(page)["classes"] == "2-1-0"
    assert "You chose so; it is right in 3" in said(page)
    again, _ = brought(monkeypatch, Step(), classes="2-1-0")
    assert again.selectbox(key="ap-classes").value == "2-1-0"


def test_an_order_that_is_none_or_of_another_table_is_noted(monkeypatch):
    page, _ = brought(monkeypatch, Step(), classes="0-0-1", columns="1-0")
    assert "classes=0-0-1 should be the places of the table's classes" in page.warning[0].value
    assert "columns=1-0 is of another table" in page.warning[0].value


def test_columns_can_be_written_in_the_models_order(monkeypatch):
    page, _ = brought(monkeypatch, Ignorant())
    names = [feature.name for feature in samples.load("iris").features]
    box = page.text_area(key="ap-columns written")
    page = whole(box.set_value("\n".join(names[:2])).run())
    assert "2 of 4 are lacking, the first is petal length" in page.error[0].value.replace("\\", "")
    turned = "\n".join(names[at] for at in (1, 0, 3, 2))
    page = until_grown(whole(page.text_area(key="ap-columns written").set_value(turned).run()))
    assert not page.error
    assert address_of(page)["columns"] == "1-0-3-2"


def test_a_model_that_knows_nothing_of_the_table_is_named(monkeypatch):
    page, _ = brought(monkeypatch, Ignorant())
    warned = page.warning[0].value
    assert "better than always saying" in warned
    assert "Are the columns in the right order?" in warned


def test_a_model_that_may_know_the_held_out_rows_has_no_credit_for_them(monkeypatch):
    page, _ = brought(monkeypatch, Step())
    assert [m.label for m in page.metric] == ["agrees with the model", "average gap", "made-up cases"]
    assert "your model may have learned from these very rows, so this is no promise for new ones" in said(page)


def test_without_what_runs_onnx_files_the_page_says_so_and_takes_files_of_trees(monkeypatch):
    monkeypatch.setattr(uploads, "can_read", lambda: False)
    digest = f"{next(FRESH):032x}"
    uploads.store().put(digest, b"a model")
    page = open_page(box="onnx", onnx=digest)
    assert "Your own model cannot be read here" in page.info[0].value
    assert 'pip install ".[onnx]"' in page.info[0].value
    assert "Try again" not in [button.label for button in page.button]


def test_a_file_of_trees_is_read_as_a_forest_and_needs_no_runtime(monkeypatch):
    monkeypatch.setattr(uploads, "can_read", lambda: False)
    monkeypatch.setattr(fitted, "read_apart", read_file)  # the process is tested with its reader
    stump = {"feature": [2, -1, -1], "threshold": [2.5, None, None], "left": [1, -1, -1], "right": [2, -1, -1],
             "value": [None, [0, 0, 1], [1, 0, 0]]}  # fmt: skip
    names = [{"name": feature.name} for feature in samples.load("iris").features]
    head = {"format": "espalier-trees", "version": 1, "combine": "mean", "features": names, "classes": [7, 8, 9]}
    digest = f"{next(FRESH):032x}"
    uploads.store().put(digest, json.dumps(head | {"trees": [stump]}).encode())
    page = open_page(box="onnx", onnx=digest)
    assert not page.exception
    assert "agrees with your model" in said(page)


def test_a_file_of_no_use_is_refused_in_words(monkeypatch):
    def refuse(*_):
        raise ValueError("the model takes 7 columns")

    monkeypatch.setattr(fitted, "read_onnx", refuse)
    digest = f"{next(FRESH):032x}"
    uploads.store().put(digest, b"no model")
    page = open_page(box="onnx", onnx=digest)
    assert "There is no tree for your model" in page.error[0].value
    assert "The model takes 7 columns" in page.error[0].value
    assert "Try again" not in [button.label for button in page.button]
