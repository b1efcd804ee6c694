"""Reports of trees: what stands in them is what the tree, the table and the scores say; they stand alone."""

import re

import numpy as np
import pytest

from espalier import predict
from espalier.data import HeldOut, held_out, samples
from espalier.data.dataset import Dataset, Feature, Origin, make_dataset
from espalier.language import speaking
from espalier.learners.catalogue import CommonTerms, Model
from espalier.views import export
from espalier.views.reports.sheet import Grid, Report, ReportSection, Verbatim, to_html
from espalier.views.reports.tree import ReportedTree, tree_report

HOLDOUT = HeldOut(30)


def reported(data: Dataset, model: Model, **changes) -> ReportedTree:
    held = held_out(data, HOLDOUT)
    estimator = model.make(CommonTerms.of(data)).fit(data.X[~held], data.y[~held])
    tree = estimator.tree_
    rules = export.to_rules(tree, data.features, data.target)
    facts = ReportedTree(
        tree, data, data, held, predict.shares(tree, data.X), model, rules, (), (), "", "", "2026-01-02"
    )
    return facts._replace(**changes)


def grids(report: Report) -> list[Grid]:
    return [part for section in report.sections for part in section.parts if isinstance(part, Grid)]


def test_the_rules_are_a_row_for_each_leaf_and_add_up_to_the_rows_it_grew_on():
    one = reported(samples.load("iris"), Model("cart", (("depth", 3),)))
    rules = grids(tree_report(one))[0]
    assert len(rules.rows) == one.tree.n_leaves
    assert sum(int(row[2]) for row in rules.rows) == 105
    assert ("petal length ≤ 2.45", "setosa, 100 %", "35") in rules.rows


def test_scores_stand_beside_the_baseline_on_the_same_rows_and_errors_add_up():
    data = samples.load("iris")
    one = reported(data, Model("cart", (("depth", 2),)))
    _, scores, errors, *_ = grids(tree_report(one))
    accuracy = next(row for row in scores.rows if row[0] == "accuracy")
    right = int((one.outputs[one.held].argmax(axis=1) == data.y[one.held]).sum())
    assert accuracy[1].startswith(f"{right / 45 * 100:.1f}".rstrip("0").rstrip("."))
    assert accuracy[2] == "33.3 %"
    cells = np.array([[int(cell) for cell in row[1:]] for row in errors.rows])
    assert (cells.sum(), np.trace(cells)) == (45, right)


def test_accuracy_has_an_interval_on_rows_held_out_and_none_on_rows_it_learned_from():
    _, scores, *_ = grids(tree_report(reported(samples.load("iris"), Model("cart", (("depth", 2),)))))
    accuracy = next(row for row in scores.rows if row[0] == "accuracy")
    assert ["interval" in cell for cell in accuracy] == [False, True, False, False, False]


def test_how_many_times_worse_an_error_is_stands_there_only_with_the_class_that_it_is_about():
    data = samples.load("iris")
    label = "How many times worse"
    without = reported(data, Model("cart", (("depth", 1), ("costly", ""), ("times", 5.0))))
    of_class = reported(data, Model("cart", (("depth", 1), ("costly", "virginica"), ("times", 5.0))))
    assert label not in to_html(tree_report(without))
    assert [row for grid in grids(tree_report(of_class)) for row in grid.rows if row[0] == label] == [(label, "5")]


def test_the_data_are_named_by_their_digest_with_the_columns_that_the_tree_asks_about():
    data = samples.load("iris")
    report = tree_report(reported(data, Model("cart", (("depth", 1),))))
    assert data.digest in to_html(report)
    columns = next(grid for grid in grids(report) if "used by the model" in grid.heads)
    assert sum(row[3] == "yes" for row in columns.rows) == 1


def test_what_was_changed_on_reading_is_said():
    origin = Origin("age", 0, missing=("?",), is_lossy=True)
    features = (Feature("age", "number", origin=origin),)
    X, y = np.arange(40.0)[:, None], np.arange(40) // 20
    data = make_dataset("people", X, features, y, Feature("ill", "category", ("no", "yes")))
    page = to_html(tree_report(reported(data, Model("cart"))))
    assert "age: “?” were read as missing." in page
    assert "age: texts that are no numbers were read as missing." in page


def test_a_report_needs_no_network_and_no_script():
    for name, model in (("iris", "cart"), ("tic-tac-toe", "cultivated"), ("diabetes", "cart")):
        page = to_html(tree_report(reported(samples.load(name), Model(model))))
        assert not re.search(r"<script|src=|href=|url\(|@import", page)
        assert len(page) < 3_000_000


def test_names_from_the_data_are_text():
    data = make_dataset(
        "<b>", np.arange(20.0)[:, None], (Feature("<img src=x>"),), np.arange(20) // 10,
        Feature("t", "category", ("<i>", "b")),
    )  # fmt: skip
    page = to_html(tree_report(reported(data, Model("cart"))))
    assert "<img" not in page
    assert "<i>" not in page


def test_code_keeps_its_lines():
    page = to_html(Report("t", (), (ReportSection("s", (Verbatim("a <\n  b"),)),), ()))
    assert '<pre tabindex="0">a &lt;\n  b</pre>' in page


def test_a_german_report_has_no_english_heading():
    with speaking("de"):
        page = to_html(tree_report(reported(samples.load("iris"), Model("cart"))))
    assert "<h2>Wie gut er ist</h2>" in page
    assert 'lang="de"' in page


@pytest.mark.parametrize("leaves", [100, 101])
def test_many_rules_are_left_out_with_a_word(leaves):
    rng = np.random.default_rng(0)
    X = rng.random((2000, 2))
    features, target = (Feature("a"), Feature("b")), Feature("t", "category", ("x", "y"))
    data = make_dataset("d", X, features, rng.integers(0, 2, 2000), target)
    one = reported(data, Model("cart", (("depth", None), ("leaves", leaves))))
    assert one.tree.n_leaves == leaves
    assert ("too many to be written out" in to_html(tree_report(one))) == (leaves > 100)
