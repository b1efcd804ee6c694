"""The tree page without a browser: every control, the address in and out, and what bad input looks like."""

import pytest

from espalier.data import HeldOut, make_dataset, samples
from espalier.learners import uncompiled
from espalier.learners.catalogue import Model
from pages.shared.app.frame import plain
from pages.shared.data import library
from pages.shared.jobs import compilation as engine_start
from pages.shared.tree import inspector as tree_inspector
from pages.shared.tree import report, selection
from pages.shared.tree.exports import menu as exports
from pages.shared.tree.results import grown
from tests.tools import on_page
from tests.tools.on_page import address_of, engine, metric, open_tree, whole
from tests.tools.uneven import loans

__all__ = ["engine"]

CART = Model("cart", (("depth", 3),))


def sent_to(page, component):
    return on_page.sent_to(page, component)[0]


def tree_id(page):
    return sent_to(page, "espalier_tree")["cards"]["id"]


def test_the_first_screen_shows_a_grown_tree():
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


def test_while_the_engine_compiles_a_large_table_waits_and_says_so(monkeypatch):
    monkeypatch.setattr(engine_start, "is_ready", lambda _stage: False)
    monkeypatch.setattr(uncompiled, "MAX_CELLS", 100)
    page = whole(open_tree(depth="2"))
    assert not on_page.sent_to(page, "espalier_tree")
    assert "Preparing the engine" in page.get("progress")[0].proto.text
    assert len(page.dataframe[0].value) == 100
    assert on_page.Slider(page, "depth").value == 2
    monkeypatch.undo()
    whole(page.run())
    assert metric(page, "depth") == "2"


def test_while_the_engine_compiles_a_small_table_has_a_tree_and_a_note(monkeypatch):
    monkeypatch.setattr(engine_start, "is_ready", lambda _stage: False)
    page = whole(open_tree(data="xor", depth="3", leaf="7"))
    assert metric(page, "depth") == "3"
    assert any("Preparing the engine" in caption.value for caption in page.caption)
    monkeypatch.undo()
    whole(page.run())
    assert not any("Preparing the engine" in caption.value for caption in page.caption)


def test_every_sample_makes_a_page():
    for name in samples.names():
        page = whole(open_tree(data=name, depth="4"))
        assert int(metric(page, "leaves")) > 1, name


CONTROLS = [
    ("slider", "depth", 1, "1"),
    ("selectbox", "criterion", "gain_ratio", "gain_ratio"),
    ("selectbox", "criterion", "misclassification", "misclassification"),
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
    ("selectbox", "missing", "impute", "impute"),
    ("selectbox", "weights", "balanced", "balanced"),
    ("number_input", "random", 7, "7"),
    ("number_input", "seed", 7, "7"),
    ("selectbox", "x", "sepal width", "sepal width"),
    ("selectbox", "y", "-", "-"),
    ("radio", "show", "uncertainty", "uncertainty"),
    ("radio", "others", "row", "row"),
]


def test_every_control_changes_the_address_and_a_link_sets_all_of_them():
    page = open_tree()
    for kind, key, value, text in CONTROLS:
        on_page.control(page, kind, key).set_value(value)
        whole(page.run())
        assert address_of(page)[key] == text, key
    again = whole(open_tree(**address_of(page)))
    values = {(kind, key): value for kind, key, value, _ in CONTROLS}
    assert {at: on_page.control(again, *at).value for at in values} == values
    assert tree_id(again) == tree_id(page)


def test_no_limit_of_depth_can_be_linked_to():
    page = whole(open_tree(data="tic-tac-toe", depth="none"))
    assert on_page.Slider(page, "depth").value is None
    assert int(metric(page, "depth")) > 5


def test_rows_held_out_on_the_data_page_are_held_out_on_the_tree_page():
    page = open_tree()
    page.switch_page("pages/data.py").run()
    assert on_page.Slider(page, "held").value == 30
    on_page.Slider(page, "held").set_value(50).run()
    page.query_params.clear()
    page.switch_page("pages/tree.py").run()
    assert on_page.Slider(whole(page), "held").value == 50


def test_a_shallower_tree_has_fewer_leaves():
    page = open_tree()
    on_page.Slider(page, "depth").set_value(1).run()
    assert metric(page, "leaves") == "2"


@pytest.mark.few(4)  # each tab and each table once
@pytest.mark.parametrize("tab", ["Rule", "Rows", "Target", "Why this split"])
@pytest.mark.parametrize("data", ["iris", "diabetes", "tic-tac-toe", "sine"])
def test_every_tab_of_the_inspector_can_be_linked_to(data, tab):
    whole(open_tree(data=data, tab=tab, node="1"))


@pytest.mark.parametrize(
    ("link", "meant"),
    [
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
    ],
)
def test_a_number_beyond_its_limits_becomes_the_limit_with_a_note(link, meant):
    page = whole(open_tree(**link))
    for name in link.keys() - {"model"}:
        assert f"{name}={link[name][:40]} should be" in notes(page)
    assert address_of(page) == meant


def notes(page):
    return " ".join(one.value for one in page.warning)


def test_a_wrong_value_in_a_link_falls_back_with_a_note():
    link = {"depth": "٣", "criterion": "<script>alert(1)</script>", "alpha": "nan", "node": "4000", "row": "151"}
    link |= {"x": "no such feature", "graph": "`", "tab": "nowhere", "show": ""}
    for wrong in (link, {"alpha": "inf"}):
        page = whole(open_tree(**wrong))
        assert all(f"{name}=" in notes(page) for name in wrong), notes(page)
        assert "was not understood" in notes(page) or "were not understood" in notes(page)
        assert metric(page, "depth") == "3"
        assert address_of(page) == {}
        assert not page.run().warning


def test_right_values_survive_beside_a_wrong_one():
    page = whole(open_tree(depth="2", leaf="x"))
    assert metric(page, "depth") == "2"
    assert address_of(page) == {"depth": "2"}


def test_a_criterion_of_the_other_kind_of_target_is_a_wrong_value():
    page = whole(open_tree(data="diabetes", criterion="gini"))
    assert page.selectbox(key="criterion").value == "squared"
    assert page.warning


def test_choosing_other_data_keeps_the_controls_and_lets_the_selection_go():
    page = open_tree(depth="4", node="2")
    page.selectbox(key="data-picker").set_value("diabetes")
    whole(page.run())
    assert address_of(page) == {"data": "diabetes", "depth": "4"}
    assert page.selectbox(key="criterion").value == "squared"


def test_a_selected_sample_selects_its_leaf():
    page = whole(open_tree(row="77"))
    node = page.session_state["node"]
    assert address_of(page) == {"row": "77", "node": str(node)}
    line = sent_to(page, "espalier_line")
    assert f"Leaf {node}" in line["line"]
    assert "row 77" in line["line"]
    assert line["state"]["row"]["row"] == 76  # counted from 0 inside


def test_a_node_stays_selected_where_the_same_questions_lead_to_it():
    page = open_tree(depth="3", node="2")
    on_page.Slider(page, "depth").set_value(5)
    assert page.run().session_state["node"] == 2
    page.number_input(key="leaf").set_value(60)
    assert whole(page.run()).session_state["node"] == 0


def test_undo_takes_changes_back_one_by_one_and_reset_all_at_once():
    page = open_tree()
    on_page.Slider(page, "depth").set_value(5).run()
    page.number_input(key="leaf").set_value(9).run()
    button = {b.label: b for b in page.button}
    button["Undo"].click().run()
    assert address_of(page) == {"depth": "5"}
    {b.label: b for b in page.button}["Reset"].click().run()
    assert address_of(page) == {}
    {b.label: b for b in page.button}["Undo"].click().run()
    assert address_of(page) == {"depth": "5"}
    assert on_page.Slider(page, "depth").value == 5


def test_the_first_screen_has_nothing_to_undo():
    assert {b.label: b.disabled for b in open_tree().button}["Undo"]


def test_coming_back_from_another_page_finds_the_same_tree():
    page = open_tree()
    on_page.Slider(page, "depth").set_value(5).run()
    page.switch_page("pages/data.py").run()
    page.query_params.clear()
    page.switch_page("pages/tree.py").run()
    assert on_page.Slider(whole(page), "depth").value == 5
    assert address_of(page) == {"depth": "5"}


def test_going_back_to_a_bare_address_brings_the_defaults():
    page = open_tree()
    on_page.Slider(page, "depth").set_value(5).run()
    page.query_params.clear()
    assert on_page.Slider(whole(page.run()), "depth").value == 3


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        ({"split": "500"}, "fewer than the 500"),
        ({"leaf": "140"}, "two leaves of 140"),
        ({"gain": "5"}, "worth its price"),
        ({"alpha": "5"}, "worth its price"),
    ],
)
def test_a_lone_root_says_why(link, reason):
    page = whole(open_tree(**link))
    assert metric(page, "leaves") == "1"
    assert reason in page.info[0].value


def test_data_of_one_class_say_why_there_is_no_split():
    iris = samples.load("iris")
    one = iris._replace(y=iris.y * 0, digest="one class")
    tree = grown(one, HeldOut(30), CART)
    assert tree.tree.n_nodes == 1
    assert tree.tree.value.shape == (1, 3)
    assert "same target" in report.why_no_split(tree)


def test_every_feature_stands_once_among_the_runners_up_the_splits_own_first():
    page = whole(open_tree(depth="4", node="2"))
    table = page.dataframe[0].value
    assert table["column"].tolist()[0] == "✓ petal width"
    assert len(set(table["column"])) == 4
    assert table["best split"].tolist()[0] == "≤ 1.7"
    assert table["gain"].is_monotonic_decreasing


def test_gain_ratio_lists_the_features_as_it_ranks_them_and_calls_its_impurity_entropy():
    page = whole(open_tree(data="breast-cancer", criterion="gain_ratio", depth="3", node="2"))
    table = page.dataframe[0].value
    first, gain, ratio = str(table["column"][0]), table["gain"].to_numpy(), table["ratio"].to_numpy()
    assert first.startswith("✓")
    assert ratio[0] == ratio[gain >= gain.mean()].max()
    assert any("greatest ratio" in caption.value for caption in page.caption)
    assert sent_to(page, "espalier_tree")["cards"]["criterion"] == "entropy"
    assert sent_to(page, "espalier_curve")["curve"]["criterion"] == "entropy"


def test_a_fault_shows_what_to_do_and_no_traceback(monkeypatch, caplog):
    def broken(*_):
        raise RuntimeError("secret path /etc")

    page = open_tree()
    monkeypatch.setattr(report, "heading", broken)
    page.run()
    assert not page.exception
    shown = " ".join(m.value for m in page.markdown)
    assert "Something went wrong" in shown
    assert "secret" not in shown
    assert "secret" in caplog.text
    monkeypatch.undo()
    next(b for b in page.button if b.label == "Start again").click()
    whole(page.run())
    assert metric(page, "depth") == "3"


def test_the_scores_open_with_their_confusion_matrices():
    page = open_tree()
    page.session_state["scores"] = True
    assert len(whole(page.run()).get("plotly_chart")) == 2


def test_the_export_menu_opens_with_a_link_to_the_same_page():
    page = open_tree(depth="2", node="1")
    page.session_state["export menu"] = True
    page = whole(page.run())
    assert len(page.get("download_button")) == 9
    assert page.code[0].value.endswith("depth=2&node=1")


def test_every_export_can_be_written():
    tree = grown(samples.load("iris"), HeldOut(30), CART)
    for form in exports.FORMATS:
        assert "petal" in exports.source(tree, form)
    lines = exports.predictions(tree).splitlines()
    assert lines[0] == "row,held out,target,predicted,share of setosa,share of versicolor,share of virginica"
    assert len(lines) == 151
    assert lines[1] == "1,False,setosa,setosa,1.0,0.0,0.0"


def test_a_node_has_no_counterpart_where_the_question_above_it_changed():
    iris = samples.load("iris")
    chance = Model("cart", (("criterion", "entropy"), ("features", "one"), ("random", 3)))
    other = grown(iris, HeldOut(30), chance).sharp
    tree = grown(iris, HeldOut(30), CART).sharp
    same = [selection.counterpart(tree, tree, node) for node in range(tree.n_nodes)]
    assert same == list(range(tree.n_nodes))
    assert other.threshold[0] != tree.threshold[0]
    assert selection.counterpart(tree, other, 0) == 0
    assert selection.counterpart(tree, other, 1) is None


def test_the_rule_stands_beside_the_values_of_the_selected_row():
    page = whole(open_tree(row="78", tab="Rule"))
    (rule,) = [block.value for block in page.markdown if block.value.startswith("**If**")]
    assert "petal width ≤ 1\\.7 — row 78: **1\\.7**" in rule


def test_sql_is_exported_in_the_dialect_that_is_chosen():
    page = open_tree()
    page.session_state["export menu"] = True
    page = whole(page.run())
    box = next(box for box in page.selectbox if box.label == "SQL for")
    assert box.options == ["standard SQL", "PostgreSQL", "SQLite", "DuckDB", "MySQL"]
    whole(box.select("mysql").run())
    assert page.session_state["SQL dialect"] == "mysql"
    sql = next(form for form in exports.FORMATS if form.ending == "sql")
    assert "t.`petal" in exports.source(grown(samples.load("iris"), HeldOut(30), CART), sql, "mysql")


def test_exported_rules_say_where_missing_values_go():
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
    assert "**The tree** is right on 90 % and never answers “default”; its balanced accuracy is 50 %" in told
    assert "Accuracy tells little" not in " ".join(one.value for one in whole(open_tree(depth="1")).markdown)


def test_a_start_where_classes_tie_names_them_and_splits_that_gain_as_much_are_named():
    page = whole(open_tree())
    line = sent_to(page, "espalier_line")["line"]
    assert line[:3] == ["Start", " · ", "tie: setosa, versicolor, virginica, 33.3 % each"]
    root = sent_to(page, "espalier_tree")["cards"]["nodes"][0]
    assert root["tie"] == "tie: setosa, versicolor, virginica"
    other = "petal width ≤ 0.8" if root["f"] == 2 else "petal length ≤ 2.45"
    assert tree_inspector.tie_sentence([plain(other)], 0) in [one.value for one in page.markdown]
    assert any(button.label.startswith("As good: split on") for button in page.button)
