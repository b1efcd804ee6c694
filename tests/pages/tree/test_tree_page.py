"""The Tree page without a browser: controls, the address, bad input, wide tables, reports and exports."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.runtime.caching import hashing
from streamlit.testing.v1 import AppTest

from espalier.data import Feature, HeldOut, make_dataset, samples
from espalier.data.contents import contents
from espalier.display import tables
from espalier.display.tables import MOST_FEATURES, left_off, listed
from espalier.display.theme import percent
from espalier.display.tree import impurity_curve as curve_views
from espalier.language import as_spoken, speaking
from espalier.learners import uncompiled
from espalier.learners.catalogue import Model
from espalier.tree.alignment import find_counterpart
from pages.shared.app.frame import plain
from pages.shared.data import draft as drafts
from pages.shared.data import library
from pages.shared.jobs import compilation as engine_start
from pages.shared.tree import explorer as tree_explorer
from pages.shared.tree import exports, report
from pages.shared.tree import exports as report_file
from pages.shared.tree.exports import PageState
from pages.shared.tree.growing import grow
from pages.shared.tree.selection import MOST_LEVELS, legible
from tests.tools import on_page
from tests.tools.on_page import (
    APP,
    address_of,
    data_for,
    metric,
    open_page,
    open_tree,
    press,
    sent_to,
    set_controls,
    tree_id,
    values_of,
    whole,
)
from tests.tools.uneven import loans

CART = Model("cart", (("depth", 3),))


def test_the_first_screen_shows_a_grown_tree_names_what_ties_and_has_nothing_to_undo():
    page = open_tree()
    assert {c.proto.component_name for c in page.get("bidi_component")} == {
        "espalier_slider",
        "espalier_numbers",
        "espalier_line",
        "espalier_stage",
        "espalier_tree",
        "espalier_surface",
        "espalier_curve",
    }
    assert metric(page, "depth") == "3"
    assert address_of(page) == {}
    assert {b.label: b.disabled for b in page.button}["Undo"]
    line = data_for(page, "espalier_line")["line"]
    assert line[:3] == ["Root", " · ", "tie: setosa, versicolor, virginica, 33.3 % each"]
    root = data_for(page, "espalier_tree")["cards"]["nodes"][0]
    assert root["tie"] == "tie: setosa, versicolor, virginica"
    other = "petal width ≤ 0.8" if root["f"] == 2 else "petal length ≤ 2.45"
    tie = f"Tie: **{plain(other)}** gains as much. Which one the tree takes is a rule, no result."
    assert tie in [one.value for one in page.markdown]
    assert any(button.label.startswith("As good: split on") for button in page.button)


def test_while_the_engine_compiles_a_large_table_waits_and_a_small_one_has_a_tree_and_a_note(monkeypatch):
    monkeypatch.setattr(engine_start, "is_ready", lambda _stage: False)
    monkeypatch.setattr(uncompiled, "MAX_CELLS", 100)
    page = open_tree(depth="2")
    assert not on_page.sent_to(page, "espalier_tree")
    assert "Preparing the engine" in page.get("progress")[0].proto.text
    assert on_page.Slider(page, "depth").value == 2
    monkeypatch.undo()
    whole(page.run())
    assert metric(page, "depth") == "2"
    monkeypatch.setattr(engine_start, "is_ready", lambda _stage: False)
    page = open_tree(data="xor", depth="3", leaf="7")
    assert metric(page, "depth") == "3"
    assert any("Preparing the engine" in caption.value for caption in page.caption)
    monkeypatch.undo()
    whole(page.run())
    assert not any("Preparing the engine" in caption.value for caption in page.caption)


def test_every_control_changes_the_address_and_a_link_sets_all_of_them():
    rounds = [
        [("selectbox", "criterion", "gain_ratio", "gain_ratio")],
        [("selectbox", "criterion", "misclassification", "misclassification")],
        [
            ("slider", "depth", 1, "1"), ("selectbox", "criterion", "entropy", "entropy"),
            ("number_input", "leaf", 20, "20"), ("slider", "alpha", 0.25, "0.25"), ("slider", "held", 0, "0"),
            ("number_input", "leaves", 2, "2"), ("number_input", "split", 90, "90"),
            ("number_input", "gain", 0.1, "0.1"), ("selectbox", "features", "one", "one"),
            ("selectbox", "splitter", "random", "random"), ("selectbox", "missing", "surrogate", "surrogate"),
            ("selectbox", "weights", "balanced", "balanced"), ("number_input", "random", 7, "7"),
            ("number_input", "seed", 7, "7"), ("selectbox", "x", "sepal width", "sepal width"),
            ("selectbox", "y", "-", "-"), ("radio", "show", "uncertainty", "uncertainty"),
            ("radio", "others", "row", "row"),
        ],
        [("selectbox", "missing", "impute", "impute")],
    ]  # fmt: skip
    page = set_controls(open_tree(), *rounds)
    again = whole(open_tree(**address_of(page)))
    values, last = values_of(again, *rounds)
    assert values == last
    assert tree_id(again) == tree_id(page)


def test_no_limit_of_depth_can_be_linked_to_and_every_sample_makes_a_page():
    page = open_tree(data="tic-tac-toe", depth="none")
    assert on_page.Slider(page, "depth").value is None
    assert int(metric(page, "depth")) > 5
    for name in samples.names():
        page = open_tree(data=name, depth="4")
        assert int(metric(page, "leaves")) > 1, name


@pytest.mark.few(4)  # each tab and each table once
@pytest.mark.parametrize("tab", ["Rule", "Rows", "Target", "Why this split"])
@pytest.mark.parametrize("data", ["iris", "diabetes", "tic-tac-toe", "sine"])
def test_every_tab_of_the_inspector_can_be_linked_to(data, tab):
    open_tree(data=data, tab=tab, node="1")


def test_a_number_beyond_its_limits_becomes_the_limit_with_a_note():
    for link, meant in [
        (
            {"depth": "99", "held": "100", "leaves": "1", "node": "-1"},  # the root, as at first
            {"depth": "30", "held": "80", "leaves": "2"},
        ),
        ({"depth": "9" * 400}, {"depth": "30"}),
        ({"depth": "-3"}, {"depth": "1"}),
        (
            {"model": "cultivated", "k": "-1", "eta": "2", "fraction": "0.9", "depth": "99"},
            {"model": "cultivated", "k": "0", "eta": "1", "fraction": "0.5", "depth": "30"},
        ),
    ]:
        page = open_tree(**link)
        for name in link.keys() - {"model"}:
            assert f"{name}={link[name][:40]} should be" in notes(page)
        assert address_of(page) == meant


def notes(page):
    return " ".join(one.value for one in page.warning)


def test_a_wrong_value_in_a_link_falls_back_with_a_note_and_right_ones_survive_beside_it():
    link = {"depth": "٣", "criterion": "<script>alert(1)</script>", "alpha": "nan", "node": "4000", "row": "151"}
    link |= {"x": "no such feature", "graph": "`", "tab": "nowhere", "show": ""}
    for wrong in (link, {"alpha": "inf"}):
        page = open_tree(**wrong)
        assert all(f"{name}=" in notes(page) for name in wrong), notes(page)
        assert "was not understood" in notes(page) or "were not understood" in notes(page)
        assert metric(page, "depth") == "3"
        assert address_of(page) == {}
        assert not page.run().warning
    page = open_tree(depth="2", leaf="x")
    assert metric(page, "depth") == "2"
    assert address_of(page) == {"depth": "2"}
    page = open_tree(data="diabetes", criterion="gini")
    assert page.selectbox(key="criterion").value == "squared"
    assert page.warning


def test_a_selected_row_selects_its_leaf_and_its_values_stand_beside_the_rule():
    page = open_tree(row="78", tab="Rule")
    node = page.session_state["node"]
    assert address_of(page) == {"row": "78", "node": str(node), "tab": "Rule"}
    line = data_for(page, "espalier_line")
    assert f"Leaf {node}" in line["line"]
    assert "row 78" in line["line"]
    assert line["state"]["row"]["row"] == 77  # counted from 0 inside
    (rule,) = [block.value for block in page.markdown if block.value.startswith("**If**")]
    assert "petal width ≤ 1\\.7 — row 78: **1\\.7**" in rule


def test_a_node_stays_selected_where_the_same_questions_lead_to_it_and_goes_with_other_data():
    page = open_tree(depth="3", node="2")
    on_page.Slider(page, "depth").set_value(5)
    assert page.run().session_state["node"] == 2
    page.number_input(key="leaf").set_value(60)
    assert whole(page.run()).session_state["node"] == 0
    page = open_tree(depth="4", node="2")
    whole(page.selectbox(key="data-picker").set_value("diabetes").run())
    assert address_of(page) == {"data": "diabetes", "depth": "4"}
    assert page.selectbox(key="criterion").value == "squared"
    iris = samples.load("iris")
    chance = Model("cart", (("criterion", "entropy"), ("features", "one"), ("random", 3)))
    other = grow(iris, HeldOut(30), chance).sharp
    tree = grow(iris, HeldOut(30), CART).sharp
    same = [find_counterpart(tree, tree, node) for node in range(tree.n_nodes)]
    assert same == list(range(tree.n_nodes))
    assert other.threshold[0] != tree.threshold[0]
    assert find_counterpart(tree, other, 0) == 0
    assert find_counterpart(tree, other, 1) is None


def test_undo_takes_changes_back_one_by_one_and_reset_all_at_once():
    page = open_tree()
    on_page.Slider(page, "depth").set_value(5).run()
    page.number_input(key="leaf").set_value(9).run()
    press(page, "Undo")
    assert address_of(page) == {"depth": "5"}
    press(page, "Reset")
    assert address_of(page) == {}
    press(page, "Undo")
    assert address_of(page) == {"depth": "5"}
    assert on_page.Slider(page, "depth").value == 5


def test_what_is_set_goes_from_page_to_page_and_a_bare_address_brings_the_defaults():
    page = open_tree()
    on_page.Slider(page, "depth").set_value(5).run()
    page.switch_page("pages/data.py").run()
    page.query_params.clear()
    page.switch_page("pages/tree.py").run()
    assert on_page.Slider(whole(page), "depth").value == 5
    assert address_of(page) == {"depth": "5"}
    page.query_params.clear()
    assert on_page.Slider(whole(page.run()), "depth").value == 3
    page.switch_page("pages/data.py").run()
    assert on_page.Slider(page, "held").value == 30
    on_page.Slider(page, "held").set_value(50).run()
    page.query_params.clear()
    page.switch_page("pages/tree.py").run()
    assert on_page.Slider(whole(page), "held").value == 50


def test_a_lone_root_says_why():
    page = open_tree(split="500")
    assert metric(page, "leaves") == "1"
    assert "no split is worth while within its settings" in page.info[0].value
    iris = samples.load("iris")
    one = iris._replace(y=iris.y * 0, digest="one class")
    tree = grow(one, HeldOut(30), CART)
    assert tree.tree.n_nodes == 1
    assert tree.tree.value.shape == (1, 3)
    assert "same target" in report.why_no_split(tree)


def test_every_column_stands_once_among_those_that_come_second_as_the_criterion_ranks_them():
    page = open_tree(depth="4", node="2")
    table = page.dataframe[0].value
    assert table["column"].tolist()[0] == "✓ petal width"
    assert len(set(table["column"])) == 4
    assert table["best split"].tolist()[0] == "≤ 1.7"
    assert table["gain"].is_monotonic_decreasing
    page = open_tree(data="breast-cancer", criterion="gain_ratio", depth="3", node="2")
    table = page.dataframe[0].value
    first, gain, ratio = str(table["column"][0]), table["gain"].to_numpy(), table["ratio"].to_numpy()
    assert first.startswith("✓")
    assert ratio[0] == ratio[gain >= gain.mean()].max()
    assert any("greatest ratio" in caption.value for caption in page.caption)
    assert data_for(page, "espalier_tree")["cards"]["criterion"] == "entropy"
    assert data_for(page, "espalier_curve")["curve"]["criterion"] == "entropy"


def test_a_fault_shows_what_to_do_and_no_traceback(monkeypatch, caplog):
    def broken(*_):
        raise RuntimeError("secret path /etc")

    page = open_tree()
    monkeypatch.setattr(report, "notices", broken)
    page.run()
    assert not page.exception
    shown = " ".join(m.value for m in page.markdown)
    assert "Something went wrong" in shown
    assert "secret" not in shown
    assert "secret" in caplog.text
    monkeypatch.undo()
    press(page, "Start again")
    assert metric(page, "depth") == "3"


def test_scores_and_exports_open_with_a_link_to_the_same_page_and_sql_in_the_dialect_that_is_chosen():
    page = open_page("tree", {"scores": True, "export menu": True}, depth="2", node="1")
    assert len(page.get("plotly_chart")) == 2  # a confusion matrix each
    assert len(page.get("download_button")) == 9
    assert page.code[0].value.endswith("depth=2&node=1")
    box = next(box for box in page.selectbox if box.label == "SQL for")
    assert box.options == ["standard SQL", "PostgreSQL", "SQLite", "DuckDB", "MySQL"]
    whole(box.select("mysql").run())
    assert page.session_state["SQL dialect"] == "mysql"
    sql = next(form for form in exports.FORMATS if form.ending == "sql")
    assert "t.`petal" in exports.source(grow(samples.load("iris"), HeldOut(30), CART), sql, "mysql")


def test_every_export_can_be_written_and_rules_say_where_missing_values_go():
    tree = grow(samples.load("iris"), HeldOut(30), CART)
    for form in exports.FORMATS:
        assert "petal" in exports.source(tree, form)
    lines = exports.predictions(tree).splitlines()
    assert lines[0] == "row,held out,target,predicted,share of setosa,share of versicolor,share of virginica"
    assert len(lines) == 151
    assert lines[1] == "1,False,setosa,setosa,1.0,0.0,0.0"
    dataset = samples.load("iris")
    X = dataset.X.copy()
    X[::3] = float("nan")
    holed = make_dataset("holed", X, dataset.features, dataset.y, dataset.target)
    rules = next(form for form in exports.FORMATS if form.ending == "txt")
    assert "or missing" in exports.source(grow(holed, HeldOut(30), CART), rules)
    assert "missing" not in exports.source(grow(dataset, HeldOut(30), CART), rules)


def test_where_accuracy_hides_a_class_that_is_never_answered_the_tree_page_says_so():
    library.store().put(data := loans())
    page = open_tree(data=data.digest, depth="1")
    told = " ".join(one.value for one in page.markdown)
    assert "**The tree** is right on 90 %, but by classes on 50 % on average. It never answers “default”." in told
    assert "Accuracy tells little" not in " ".join(one.value for one in open_tree(depth="1").markdown)


def test_the_report_and_the_script_have_the_held_out_score_of_the_page_and_its_language():
    tree = grow(samples.load("iris"), HeldOut(30), CART)
    page, script = report_file.html(tree, PageState("http://here")), report_file.script(tree)
    score, *_ = report.headlines(tree)["held-out"]
    assert percent(round(score, 3)) in page.replace("\u00a0", " ")
    assert "http://here" in page
    assert script.endswith(f"# here it was {score:.6g}")
    assert f"# here it was {score:.6g}" in report_file.notebook(tree)
    with speaking("de"):
        later = as_spoken(lambda: report_file.html(tree))
    assert "<h2>Wie gut er ist</h2>" in later()
    tree = grow(data := loans(), HeldOut(30), CART)
    assert data.digest in report_file.html(tree)
    assert not report_file.script(tree)


WIDTH = 1_500
TOLD = 1_201  # position of the only column that tells the classes apart


@pytest.fixture(scope="module")
def genes():
    """60 samples of two tissues; one gene in the middle tells them apart."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, WIDTH)).round(3)
    y = (X[:, TOLD] > 0).astype(int)
    X[:, TOLD] += np.where(y, 3, -3)
    names = [Feature(f"gene {i}") for i in range(WIDTH)]
    return make_dataset("genes", X, names, y, Feature("tissue", "category", ("normal", "tumour")))


def tree_of_genes(genes, **address):
    library.store().put(genes)
    return open_tree(data=genes.digest, **address)


def test_a_tree_of_many_columns_is_shown_and_one_curve_is_drawn(genes, monkeypatch):
    drawn, look = [], curve_views.curve_inputs
    monkeypatch.setattr(curve_views, "curve_inputs", lambda *args: drawn.append(args) or look(*args))
    page = tree_of_genes(genes)
    assert metric(page, "leaves") == "2"
    assert {curve.feature for *_, curve, _ in drawn} == {TOLD}
    best = page.dataframe[0].value
    assert len(best) == WIDTH
    assert best["column"].iloc[0] == f"✓ gene {TOLD}"
    gains = best["gain"].tolist()
    assert gains == sorted(gains, reverse=True)


def test_rows_are_listed_with_the_columns_that_the_tree_asks_about_first_or_those_that_are_wished(genes):
    page = tree_of_genes(genes, tab="Rows")
    shown = page.dataframe[0].value
    assert shown.columns.tolist()[:5] == ["row", "held out", "target: tissue", "predicted", f"gene {TOLD}"]
    assert shown.shape[1] == 4 + MOST_FEATURES
    assert any(f"Of 1,500 columns {MOST_FEATURES} are shown" in caption.value for caption in page.caption)
    table = listed(genes, np.arange(3), features=[7, 2])
    assert table.columns.tolist() == ["row", "target: tissue", "gene 7", "gene 2"]
    assert table["gene 7"].tolist() == genes.X[:3, 7].tolist()


def test_a_tie_is_predicted_in_full_in_rows_however_short_the_names_of_the_classes_are():
    halves = np.repeat([0.0, 1.0], 4)[:, np.newaxis], (Feature("x"),), np.repeat([0, 1], [6, 2])
    library.store().put(data := make_dataset("halves", *halves, Feature("kind", "category", ("a", "b"))))
    page = open_tree(data=data.digest, depth="1", held="0", tab="Rows")
    assert page.dataframe[0].value["predicted"].tolist() == [*"aaaa", *["tie"] * 4]


@pytest.mark.parametrize(("key", "other"), [("x", 1), ("y", 0)])
def test_a_column_chosen_for_one_axis_leaves_the_other_axis_where_it_is(key, other):
    def axes(page):
        return [axis["name"] for axis in data_for(page, "espalier_surface")["surface"]["axes"]]

    page = open_tree()
    stays = axes(page)[other]
    page = set_controls(page, [("selectbox", key, "sepal width", "sepal width")])
    assert (axes(page)[other], axes(page)[1 - other]) == (stays, "sepal width")


@pytest.fixture(scope="module")
def read():
    """A file of as many columns, read."""
    rows = [",".join(f"{(i * j) % 17 / 4}" for j in range(1, WIDTH)) + f",{'xy'[i % 2]}" for i in range(20)]
    header = ",".join([*(f"g{j}" for j in range(1, WIDTH)), "kind"])
    return contents("\n".join([header, *rows, ""]).encode(), "genes.csv")


def test_the_data_page_sends_a_part_of_the_columns_and_hashes_no_record_of_one(read, monkeypatch):
    hashed, to_bytes = [], hashing._CacheFuncHasher._to_bytes
    monkeypatch.setattr(
        hashing._CacheFuncHasher, "_to_bytes", lambda self, obj: hashed.append(type(obj)) or to_bytes(self, obj)
    )
    page = AppTest.from_file(APP, default_timeout=300)
    page.switch_page("pages/data.py")
    table, plans = read.table, read.plans
    page.session_state[drafts.KEY] = drafts.Draft(
        1, b"", "genes.csv", table.options, table, None, plans, read.summaries, "kind", "", plans
    )
    whole(page.run())
    assert page.dataframe[-1].value.shape == (20, MOST_FEATURES)
    assert any(f"Of 1,500 columns {MOST_FEATURES} are shown" in caption.value for caption in page.caption)
    assert len(hashed) < WIDTH
    page.button(key="use").click()
    whole(page.run())
    assert metric(page, "leaves")


@given(st.integers(1, 400), st.lists(st.integers(0, 399), max_size=300), st.integers(1, 120))
def test_a_table_on_a_page_has_all_features_or_as_many_as_it_may_those_wanted_first(n, wanted, most):
    first = [f for f in wanted if f < n]
    old, tables.MOST_FEATURES = tables.MOST_FEATURES, most
    try:
        shown, words = tables.on_page(n, first), left_off(n)
    finally:
        tables.MOST_FEATURES = old
    assert len(set(shown)) == len(shown) == min(n, most)
    assert bool(words) == (n > most)
    if n > most:
        distinct = list(dict.fromkeys(first))
        assert shown[: len(distinct)] == distinct[:most]
    else:
        assert shown == list(range(n))


CITY = Feature("city", "category", tuple(f"city {i}" for i in range(64)))
FEW = Feature("colour", "category", tuple("abc"))
FULL = Feature("month", "category", tuple(f"month {i}" for i in range(MOST_LEVELS)))
AGE, PAY = Feature("age"), Feature("pay")


def test_a_column_of_many_categories_comes_last_where_two_others_are_asked_and_labels_of_axes_differ():
    assert legible([CITY, AGE, PAY], [0, 2, 1], {0, 1, 2}) == [2, 1, 0]
    assert legible([CITY, AGE, FEW], [0, 2, 1], {0, 1, 2}) == [2, 1, 0]
    assert legible([CITY, AGE, PAY], [0, 2, 1], {0, 2}) == [0, 2, 1]
    assert legible([CITY, CITY, AGE], [1, 0, 2], {0, 1, 2}) == [1, 0, 2]
    assert legible([AGE, FEW, FULL, PAY], [2, 1, 0, 3], {0, 1, 2, 3}) == [2, 1, 0, 3]
    by_itself = tree_explorer.axis_label("↕", "age", is_pinned=False)
    assert by_itself != "↕ age"
    assert by_itself.split() == ["↕", "age"]  # though it looks the same


def test_what_a_tree_asks_beside_the_plane_is_averaged_unless_a_link_holds_it_and_is_exact_where_that_is_nothing():
    averaged = sent_to(open_tree(data="breast-cancer", node="3"), "espalier_surface")[0]
    assert averaged["surface"]["averaged"] == 569
    assert averaged["lit"]["node"] == 3
    held = sent_to(open_tree(data="breast-cancer", others="typical"), "espalier_surface")[0]["surface"]
    assert held["held"]
    assert "averaged" not in held
    surface = sent_to(open_tree(data="moons"), "espalier_surface")[0]["surface"]
    assert "boxes" in surface
    assert [axis["name"] for axis in surface["axes"]] == ["x1", "x2"]
