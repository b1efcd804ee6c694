"""The tree page without a browser: every control, the address in and out, and what bad input looks like."""

import pytest

from espalier.data import HeldOut, make_dataset, samples
from espalier.learners import uncompiled
from espalier.learners.catalogue import Model
from pages.shared.app.frame import plain
from pages.shared.data import library
from pages.shared.jobs import compilation as engine_start
from pages.shared.tree import exports, report, selection
from pages.shared.tree import inspector as tree_inspector
from pages.shared.tree.results import grown
from tests.tools import on_page
from tests.tools.on_page import (
    address_of,
    data_for,
    metric,
    open_page,
    open_tree,
    press,
    set_controls,
    tree_id,
    values_of,
    whole,
)
from tests.tools.uneven import loans

CART = Model("cart", (("depth", 3),))


def test_the_first_screen_shows_a_grown_tree_names_what_ties_and_has_nothing_to_undo():
    page = whole(open_tree())
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
    assert line[:3] == ["Start", " · ", "tie: setosa, versicolor, virginica, 33.3 % each"]
    root = data_for(page, "espalier_tree")["cards"]["nodes"][0]
    assert root["tie"] == "tie: setosa, versicolor, virginica"
    other = "petal width ≤ 0.8" if root["f"] == 2 else "petal length ≤ 2.45"
    assert tree_inspector.tie_sentence([plain(other)], 0) in [one.value for one in page.markdown]
    assert any(button.label.startswith("As good: split on") for button in page.button)


def test_while_the_engine_compiles_a_large_table_waits_and_a_small_one_has_a_tree_and_a_note(monkeypatch):
    monkeypatch.setattr(engine_start, "is_ready", lambda _stage: False)
    monkeypatch.setattr(uncompiled, "MAX_CELLS", 100)
    page = whole(open_tree(depth="2"))
    assert not on_page.sent_to(page, "espalier_tree")
    assert "Preparing the engine" in page.get("progress")[0].proto.text
    assert on_page.Slider(page, "depth").value == 2
    monkeypatch.undo()
    whole(page.run())
    assert metric(page, "depth") == "2"
    monkeypatch.setattr(engine_start, "is_ready", lambda _stage: False)
    page = whole(open_tree(data="xor", depth="3", leaf="7"))
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
            ("slider", "depth", 1, "1"),
            ("selectbox", "criterion", "entropy", "entropy"),
            ("number_input", "leaf", 20, "20"),
            ("slider", "alpha", 0.25, "0.25"),
            ("slider", "held", 0, "0"),
            ("number_input", "leaves", 2, "2"),
            ("number_input", "split", 90, "90"),
            ("number_input", "gain", 0.1, "0.1"),
            ("selectbox", "features", "one", "one"),
            ("selectbox", "splitter", "random", "random"),
            ("selectbox", "missing", "surrogate", "surrogate"),
            ("selectbox", "weights", "balanced", "balanced"),
            ("number_input", "random", 7, "7"),
            ("number_input", "seed", 7, "7"),
            ("selectbox", "x", "sepal width", "sepal width"),
            ("selectbox", "y", "-", "-"),
            ("radio", "show", "uncertainty", "uncertainty"),
            ("radio", "others", "row", "row"),
        ],
        [("selectbox", "missing", "impute", "impute")],
    ]
    page = set_controls(open_tree(), *rounds)
    again = whole(open_tree(**address_of(page)))
    values, last = values_of(again, *rounds)
    assert values == last
    assert tree_id(again) == tree_id(page)


def test_no_limit_of_depth_can_be_linked_to_and_every_sample_makes_a_page():
    page = whole(open_tree(data="tic-tac-toe", depth="none"))
    assert on_page.Slider(page, "depth").value is None
    assert int(metric(page, "depth")) > 5
    for name in samples.names():
        page = whole(open_tree(data=name, depth="4"))
        assert int(metric(page, "leaves")) > 1, name


@pytest.mark.few(4)  # each tab and each table once
@pytest.mark.parametrize("tab", ["Rule", "Rows", "Target", "Why this split"])
@pytest.mark.parametrize("data", ["iris", "diabetes", "tic-tac-toe", "sine"])
def test_every_tab_of_the_inspector_can_be_linked_to(data, tab):
    whole(open_tree(data=data, tab=tab, node="1"))


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
        page = whole(open_tree(**link))
        for name in link.keys() - {"model"}:
            assert f"{name}={link[name][:40]} should be" in notes(page)
        assert address_of(page) == meant


def notes(page):
    return " ".join(one.value for one in page.warning)


def test_a_wrong_value_in_a_link_falls_back_with_a_note_and_right_ones_survive_beside_it():
    link = {"depth": "٣", "criterion": "<script>alert(1)</script>", "alpha": "nan", "node": "4000", "row": "151"}
    link |= {"x": "no such feature", "graph": "`", "tab": "nowhere", "show": ""}
    for wrong in (link, {"alpha": "inf"}):
        page = whole(open_tree(**wrong))
        assert all(f"{name}=" in notes(page) for name in wrong), notes(page)
        assert "was not understood" in notes(page) or "were not understood" in notes(page)
        assert metric(page, "depth") == "3"
        assert address_of(page) == {}
        assert not page.run().warning
    page = whole(open_tree(depth="2", leaf="x"))
    assert metric(page, "depth") == "2"
    assert address_of(page) == {"depth": "2"}
    page = whole(open_tree(data="diabetes", criterion="gini"))
    assert page.selectbox(key="criterion").value == "squared"
    assert page.warning


def test_a_selected_row_selects_its_leaf_and_its_values_stand_beside_the_rule():
    page = whole(open_tree(row="78", tab="Rule"))
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
    other = grown(iris, HeldOut(30), chance).sharp
    tree = grown(iris, HeldOut(30), CART).sharp
    same = [selection.counterpart(tree, tree, node) for node in range(tree.n_nodes)]
    assert same == list(range(tree.n_nodes))
    assert other.threshold[0] != tree.threshold[0]
    assert selection.counterpart(tree, other, 0) == 0
    assert selection.counterpart(tree, other, 1) is None


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
    page = whole(open_tree(split="500"))
    assert metric(page, "leaves") == "1"
    assert "no split is worth while within its settings" in page.info[0].value
    iris = samples.load("iris")
    one = iris._replace(y=iris.y * 0, digest="one class")
    tree = grown(one, HeldOut(30), CART)
    assert tree.tree.n_nodes == 1
    assert tree.tree.value.shape == (1, 3)
    assert "same target" in report.why_no_split(tree)


def test_every_column_stands_once_among_those_that_come_second_as_the_criterion_ranks_them():
    page = whole(open_tree(depth="4", node="2"))
    table = page.dataframe[0].value
    assert table["column"].tolist()[0] == "✓ petal width"
    assert len(set(table["column"])) == 4
    assert table["best split"].tolist()[0] == "≤ 1.7"
    assert table["gain"].is_monotonic_decreasing
    page = whole(open_tree(data="breast-cancer", criterion="gain_ratio", depth="3", node="2"))
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
    assert "t.`petal" in exports.source(grown(samples.load("iris"), HeldOut(30), CART), sql, "mysql")


def test_every_export_can_be_written_and_rules_say_where_missing_values_go():
    tree = grown(samples.load("iris"), HeldOut(30), CART)
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
    assert "or missing" in exports.source(grown(holed, HeldOut(30), CART), rules)
    assert "missing" not in exports.source(grown(dataset, HeldOut(30), CART), rules)


def test_where_accuracy_hides_a_class_that_is_never_answered_the_tree_page_says_so():
    library.store().put(data := loans())
    page = whole(open_tree(data=data.digest, depth="1"))
    told = " ".join(one.value for one in page.markdown)
    assert "**The tree** is right on 90 %, but by classes on 50 % on average. It never answers “default”." in told
    assert "Accuracy tells little" not in " ".join(one.value for one in whole(open_tree(depth="1")).markdown)
