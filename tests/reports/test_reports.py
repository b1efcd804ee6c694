"""Reports of pages and trees stand alone and say what models say; scripts of pages make the models once more."""

import contextlib
import io
import json
import re
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from sklearn.base import clone

from espalier import export, predict
from espalier.comparison.cross_validation import validate
from espalier.data import HeldOut, RowWeights, held_out, read_table, samples
from espalier.data.columns.convert import TableRecipe, TargetPlan
from espalier.data.columns.kinds import guess_kinds
from espalier.data.dataset import Dataset, Feature, Origin, make_dataset
from espalier.data.folds import Folds
from espalier.data.options import ReadOptions
from espalier.display import ink, svg
from espalier.display.parts import (
    Grid,
    Listed,
    Marked,
    Picture,
    PictureRow,
    Prose,
    Report,
    ReportSection,
    Verbatim,
)
from espalier.display.plotly import blank, safe
from espalier.display.tree.small_tree import tree_picture
from espalier.fitting import fit
from espalier.forests import surfaces
from espalier.language import speaking
from espalier.learners import ApproximationClassifier, CartClassifier, CultivatedClassifier
from espalier.learners.black_boxes.models import BLACK_BOXES, Setup
from espalier.learners.catalogue import KINDS, CommonTerms, Model
from espalier.reports import still as marks
from espalier.reports.model import ReportedModel, folds_words, holdout_words
from espalier.reports.paper import SHORT, number_colours, on_any_screen, svg_of, to_html
from espalier.reports.scripts import (
    RebuiltModel,
    RebuiltPage,
    ReportedPage,
    import_lines,
    imports_of,
    page_notebook,
    page_report,
    page_script,
    source_text,
    to_notebook,
    to_script,
)
from espalier.reports.still import axis_of, plain_text, still_picture
from espalier.reports.tree import FEW, ReportedTree, card_section, tree_report
from tests.tools.cases import case

IRIS = samples.load("iris")


def page(*sections):
    models = [ReportedModel("Mine", Model("cart", (("depth", 2),))), ReportedModel("B", Model("baseline"))]
    return ReportedPage("Which is better?", IRIS, sections, models, "On 5 folds.", link="http://here", day="now")


def test_a_page_brings_its_sections_and_every_report_says_the_rest():
    report = page_report(page(ReportSection("Own", (Marked("**Better** by 2."),))))
    assert [one.heading for one in report.sections] == [
        "Own", "What it is not for", "Data", "How it was made and judged",
    ]  # fmt: skip
    html = to_html(report)
    for text in (IRIS.digest, "<strong>Better</strong> by 2.", "<h3>Mine</h3>", "On 5 folds.", "http://here"):
        assert text in html


def test_a_report_of_several_models_names_no_columns_of_one_and_one_about_no_model_has_no_section_on_them():
    assert "used by the model" not in to_html(page_report(page()))
    report = page_report(page()._replace(models=(), findings=("Rows are alike.",)))
    assert [one.heading for one in report.sections] == [
        "What to look at first",
        "Data",
        "How it was made and judged",
    ]


def test_words_of_views_keep_lists_and_headings_code_its_lines_and_what_is_in_them_is_text():
    html = to_html(Report("t", (), (ReportSection("s", (Marked("#### A *b*\n- <i>\n- **c**\nend"),)),), ()))
    assert "<h3>A <em>b</em></h3><ul><li>&lt;i&gt;</li><li><strong>c</strong></li></ul><p>end</p>" in html
    marked = Marked(r"**\*a\_\<b\>\\** is *known*")
    html = to_html(Report("t", (), (ReportSection("s", (marked,)),), ()))
    assert r"<p><strong>*a_&lt;b&gt;\</strong> is <em>known</em></p>" in html
    page = to_html(Report("t", (), (ReportSection("s", (Verbatim("a <\n  b"),)),), ()))
    assert '<pre tabindex="0">a &lt;\n  b</pre>' in page


def test_a_number_stays_beside_its_sign_of_per_cent_and_small_pictures_are_not_blown_up():
    parts = (
        Prose("It is 5 %."),
        Marked("**5 %** of"),
        Listed(("5 %",)),
        Picture(lambda _: '<svg width="100"/>', "a"),
    )
    html = to_html(Report("t", (), (ReportSection("s", parts),), ()))
    assert html.count("5\u00a0%") == 3
    assert '<div role="img" aria-label="a" style="--own: 100px"><svg' in html
    assert "max-width: calc(1.25 * var(--own, 100%))" in html


def test_a_heading_is_kept_with_a_short_table_wide_pictures_are_reached_by_keys_and_small_ones_stand_in_a_row():
    short, long = (Grid(("a", "b"), [("x", "1")] * n) for n in (SHORT, SHORT + 1))
    kept = [
        '<div class="kept"><h2>s</h2>' in to_html(Report("", (), (ReportSection("s", (one,)),), ()))
        for one in (short, long)
    ]
    assert kept == [True, False]
    small = Picture(lambda _: "<svg/>", "a “b”", "first")
    html = to_html(Report("t", (), (ReportSection("s", (small, PictureRow((small, small)))),), ()))
    assert (
        html.count('<figure tabindex="0"><figcaption>first</figcaption><div role="img" aria-label="a “b”">') == 3
    )
    assert html.count('<div class="row">') == 1


def test_nothing_of_a_report_is_fetched_and_paper_is_white():
    html = to_html(page_report(page()))
    assert not re.search(r"<script|src=|href=|url\(|@import", html)
    assert "break-inside: avoid" in html
    assert "color-scheme: light" in html
    dark = "@media screen and (prefers-color-scheme: dark)"  # and no other: not on paper
    assert html.count("prefers-color-scheme") == html.count(dark) == 2


def some_rows(codes, missing):
    X = np.column_stack([np.asarray(codes, float), np.where(missing, np.nan, 1.0)])
    features = (Feature("sex", "category", ("f", "m")), Feature("age"))
    return make_dataset("d", X, features, np.arange(len(codes)) % 2, Feature("t", "category", ("x", "y")))


def items_of(section):
    (listed,) = [part for part in section.parts if isinstance(part, Listed)]
    return list(listed.items)


def test_what_a_report_is_not_for_names_rare_values_and_columns_that_are_often_missing():
    data = some_rows([0] * 60 + [1] * (FEW - 1), np.zeros(60 + FEW - 1, bool))
    assert "Not for sex m (19 rows): too few rows to test it." in items_of(card_section(data, ()))
    assert not any("Not for sex" in item for item in items_of(card_section(data, (), asked={1})))
    enough = some_rows([0] * 60 + [1] * FEW, np.zeros(60 + FEW, bool))
    assert not any("Not for" in item for item in items_of(card_section(enough, ())))
    data = some_rows([0] * 80, np.arange(80) < 16)
    assert any(
        item.startswith("Values are often missing in age (20 %)") for item in items_of(card_section(data, ()))
    )


def test_folds_and_rows_held_out_are_told_with_their_seed():
    assert folds_words(Folds(5, 1, 3)).endswith("that had not seen it: 5 folds, with the seed 3.")
    assert ": 2 × 5 folds," in folds_words(Folds(5, 2, 3))
    assert "seed 3" in holdout_words(HeldOut(20, 3), 30)
    assert holdout_words(HeldOut(0), 0) == "No rows were held out."


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


def test_scores_stand_beside_the_baseline_on_the_same_rows_with_an_interval_of_rows_held_out_and_errors_add_up():
    data = samples.load("iris")
    one = reported(data, Model("cart", (("depth", 2),)))
    _, scores, errors, *_ = grids(tree_report(one))
    accuracy = next(row for row in scores.rows if row[0] == "accuracy")
    right = int((one.outputs[one.held].argmax(axis=1) == data.y[one.held]).sum())
    assert accuracy[1].startswith(f"{right / 45 * 100:.1f}".rstrip("0").rstrip("."))
    assert accuracy[2] == "33.3 %"
    cells = np.array([[int(cell) for cell in row[1:]] for row in errors.rows])
    assert (cells.sum(), np.trace(cells)) == (45, right)
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


def test_the_data_are_named_by_their_digest_with_the_columns_that_are_asked_about_and_what_was_changed():
    data = samples.load("iris")
    report = tree_report(reported(data, Model("cart", (("depth", 1),))))
    assert data.digest in to_html(report)
    columns = next(grid for grid in grids(report) if "used by the model" in grid.heads)
    assert sum(row[3] == "yes" for row in columns.rows) == 1
    origin = Origin("age", 0, missing=("?",), is_lossy=True)
    features = (Feature("age", "number", origin=origin),)
    X, y = np.arange(40.0)[:, None], np.arange(40) // 20
    data = make_dataset("people", X, features, y, Feature("ill", "category", ("no", "yes")))
    page = to_html(tree_report(reported(data, Model("cart"))))
    assert "age: “?”, texts that are no numbers were read as missing." in page


def test_a_report_needs_no_network_and_no_script_names_are_text_and_a_german_one_has_no_english_heading():
    for name, model in (("iris", "cart"), ("tic-tac-toe", "cultivated"), ("diabetes", "cart")):
        page = to_html(tree_report(reported(samples.load(name), Model(model))))
        assert not re.search(r"<script|src=|href=|url\(|@import", page)
        assert len(page) < 3_000_000
    data = make_dataset(
        "<b>", np.arange(20.0)[:, None], (Feature("<img src=x>"),), np.arange(20) // 10,
        Feature("t", "category", ("<i>", "b")),
    )  # fmt: skip
    page = to_html(tree_report(reported(data, Model("cart"))))
    assert "<img" not in page
    assert "<i>" not in page
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


def one_side(picture, side):
    """The drawing for light screens (0), or for dark ones (1), of a picture with pairs."""
    other = ("on-dark", "on-light")[side]
    alone = re.sub(rf'<image class="{other}"[^>]*/>', "", picture)
    plain = re.sub(r' class="on-(light|dark)"', "", alone)
    return re.sub(r"light-dark\(([^|]*)\|([^|]*?)\)(?=\")", rf"\{side + 1}", plain)


def tree_of(dark):
    return tree_picture(CartClassifier(max_depth=4).fit(IRIS.X, IRIS.y).tree_, IRIS.features, IRIS.target).draw(
        dark
    )


def cultivated_tree_of(dark):
    tree = CultivatedClassifier(max_depth=3).fit(IRIS.X, IRIS.y).tree_
    return tree_picture(tree, IRIS.features, IRIS.target).draw(dark)


def surface_of(dark):
    plane = surfaces.plane_of(IRIS, (2, 3))
    tree = CartClassifier(max_depth=2).fit(IRIS.X, IRIS.y).tree_
    return surfaces.picture(predict.shares(tree, plane.samples(IRIS.X.mean(axis=0))), plane, IRIS, dark)


@pytest.mark.parametrize("draw", [tree_of, cultivated_tree_of, surface_of])
def test_each_side_of_the_pairs_is_what_the_view_draws_there(draw):
    both = on_any_screen(draw)
    assert (one_side(both, 0), one_side(both, 1)) == (draw(False), draw(True))
    assert both.count("<svg") == 1


def test_only_images_and_pictures_of_different_shapes_are_there_twice_and_words_like_a_pair_stay():
    both = on_any_screen(surface_of)
    assert both.count("<image") == 2
    for name in ("path", "text"):
        assert both.count(f"<{name}") == surface_of(False).count(f"<{name}")
    both = on_any_screen(lambda dark: svg.picture([svg.circle(1, 1, 1, "#000000")] * (1 + dark), (2, 2)))
    assert re.findall(r'<svg class="([^"]*)"', both) == ["on-light", "on-dark"]
    words = svg.text(0, 0, '"light-dark(#111111|#EEEEEE)"', "#000000")
    assert number_colours(words)[0] == words


def test_each_pair_of_colours_of_a_report_is_named_once_has_a_rule_and_turns_on_dark_screens():
    first, second = "light-dark(#111111|#EEEEEE)", "light-dark(#111111|rgba(1,2,3,0.5))"
    body, style = number_colours(f'<i fill="{first}"/><i fill="{second}"/><i stroke="{first}"/>')
    assert body == '<i fill="var(--c0)"/><i fill="var(--c1)"/><i stroke="var(--c0)"/>'
    paper, dark = style.split("@media screen and (prefers-color-scheme: dark)")
    assert re.findall(r"--c\d: [^;]*", paper) == ["--c0: #111111", "--c1: #111111"]
    assert re.findall(r"--c\d: [^;]*", dark) == ["--c0: #EEEEEE", "--c1: rgba(1,2,3,0.5)"]
    html = to_html(Report("t", (), (ReportSection("s", (Picture(tree_of, "A tree."),)),), ()))
    used = set(re.findall(r"var\((--c\d+)\)", html))
    assert used == set(re.findall(r"(--c\d+):", html))
    assert used
    assert "light-dark" not in html


def figure(*traces, **axes):
    made = blank(False, 300)
    made.add_traces(list(traces))
    for name, settings in axes.items():
        made.update_layout({name: settings})
    return made


def numbers(text):
    return [float(one) for one in re.findall(r"-?\d+(?:\.\d+)?", text)]


def path_of(svg, colour):
    (path,) = re.findall(rf'<path d="([^"]*)"[^>]*stroke="{colour}"', svg)
    return np.array(numbers(path)).reshape(-1, 2)


def line(**more):
    return go.Scatter({"mode": "lines", "line": {"color": "#112233", "width": 2}} | more)


def test_lines_are_straight_turn_with_their_axis_are_parted_by_a_missing_value_and_steps_go_across_first():
    one = still_picture(figure(line(x=[0, 1, 2, 3], y=[10, 20, 30, 40])))
    steps = np.diff(path_of(one, "#112233"), axis=0)
    assert steps == pytest.approx(np.tile(steps[0], (3, 1)), abs=0.11)
    assert steps[0, 0] > 0 > steps[0, 1]
    upright = path_of(still_picture(figure(line(x=[0, 1], y=[1, 2]))), "#112233")
    turned = figure(line(x=[0, 1], y=[1, 2]), yaxis={"autorange": "reversed"})
    assert path_of(still_picture(turned), "#112233")[:, 1] == pytest.approx(upright[::-1, 1], abs=0.11)
    one = still_picture(figure(line(x=[0, 1, 2, 3, 4], y=[1, 2, None, 2, 1])))
    assert len(re.findall('stroke="#112233"', one)) == 2
    corners = marks.steps(np.array([[0.0, 5.0], [2.0, 1.0], [4.0, 3.0]]))
    assert corners.tolist() == [[0, 5], [2, 5], [2, 1], [4, 1], [4, 3]]


def test_bands_reach_from_the_line_before_and_intervals_are_lines_through_all_of_it():
    low = line(x=[0, 1], y=[1, 1], line={"width": 0})
    high = line(x=[0, 1], y=[3, 3], line={"width": 0}, fill="tonexty", fillcolor="rgba(1,2,3,0.5)")
    (path,) = re.findall(r'<path d="([^"]*)Z" fill="rgba\(1,2,3,0.5\)"', still_picture(figure(low, high)))
    corners = np.array(numbers(path)).reshape(-1, 2)
    assert len(set(corners[:, 0])) == len(set(corners[:, 1])) == 2
    dots = go.Scatter(
        x=[1], y=[5], mode="markers", marker={"color": "#445566", "size": 8},
        error_y={"type": "data", "array": [2], "arrayminus": [1], "color": "#778899"},
    )  # fmt: skip
    one = still_picture(figure(dots, yaxis={"range": [0, 10]}))
    (_, top), (_, floor) = path_of(one, "#778899")[::-1]
    (middle,) = [float(y) for y in re.findall(r'cy="([\d.]+)" r="4" fill="#445566"', one)]
    assert (middle - top) == pytest.approx(2 * (floor - middle), abs=0.3)


def test_bars_are_as_long_as_their_numbers_and_stand_on_each_other_where_they_are_stacked():
    first = go.Bar(x=[0.25], y=["a"], orientation="h", marker={"color": "#111111"})
    second = go.Bar(x=[0.5], y=["a"], orientation="h", marker={"color": "#222222"})
    made = figure(first, second, xaxis={"range": [0, 1]})
    made.update_layout(barmode="stack")
    boxes = {}
    for box, colour in re.findall(r'<rect ([^>]*)fill="(#[12]+)"', still_picture(made)):
        boxes[colour] = numbers(box)
    (x1, _, wide1, _), (x2, _, wide2, _) = boxes["#111111"], boxes["#222222"]
    assert wide2 == pytest.approx(2 * wide1, abs=0.2)
    assert x2 == pytest.approx(x1 + wide1, abs=0.2)


def test_cells_are_a_picture_a_named_line_stands_in_the_legend_and_on_dark_screens_words_are_light():
    heat = go.Heatmap(z=[[0, 1], [1, None]], colorscale=[[0, "#000000"], [1, "#ffffff"]])
    assert "data:image/png;base64," in still_picture(figure(heat))
    named = figure(line(x=[0, 1], y=[0, 1], name=safe("<b> & co")), showlegend=True)
    assert "&lt;b&gt; &amp; co</text>" in still_picture(named)
    heat = go.Heatmap(z=[[0, None]], colorscale=[[0, "#808080"], [1, "#808080"]])
    drawn = svg_of(Picture(lambda dark: blank(dark, 300).add_traces([heat, line(x=[0, 1], y=[0, 1])]), "Words."))
    assert f'fill="light-dark({ink.TEXT["light"]}|{ink.TEXT["dark"]})"' in drawn
    assert drawn.count('<image class="on-') == 2


def test_shares_are_written_as_percents_categories_by_their_names_and_texts_without_escapes():
    shares = axis_of(figure(line(x=[0, 1], y=[0, 1]), yaxis={"tickformat": ",.0%", "range": [0, 1]}), "y")
    assert (0.4, "40 %") in shares.labels
    names = axis_of(figure(line(x=["b", "a", "b"], y=[1, 2, 3])), "x")
    assert names.numbers(["a", "b"]).tolist() == [1, 0]
    assert plain_text(safe("a < %{x}")) == "a < %{x}"


def test_dots_whose_colours_tell_numbers_have_a_shade_each_and_all_stand_where_they_are():
    marker = {
        "color": [0.0, 0.4, 1.0, 0.99], "cmin": 0, "cmax": 1, "size": 6,
        "colorscale": [[0, "#000000"], [1, "#FF0000"]], "line": {"color": "#123123", "width": 1},
    }  # fmt: skip
    dots = go.Scatter(x=[0, 1, 2, None], y=[5, 5, 5, 5], mode="markers", marker=marker)
    one = still_picture(figure(dots, xaxis={"range": [0, 2]}))
    rims, *shades = re.findall(r'<path d="([^"]*)" fill="none" stroke="(#[0-9A-F]{6})" stroke-width="(\d)"', one)
    assert rims[1:] == ("#123123", "8")
    assert [(int(colour[1:3], 16), size) for _, colour, size in shades] == [(16, "6"), (112, "6"), (239, "6")]
    assert "".join(path for path, *_ in shades) == rims[0]
    assert rims[0].count("M") == 3


def test_a_line_at_zero_is_there_where_the_figure_has_one_and_a_line_along_the_frame_reaches_from_end_to_end():
    zero = {"zeroline": True, "zerolinecolor": "#ABCDEF"}
    made = figure(line(x=[-1, 1], y=[1, 2]), xaxis=zero, yaxis={"range": [1, 2]})
    made.add_shape(type="line", x0=0, x1=0, y0=0, y1=1, yref="paper", line={"color": "#FEDCBA"})
    up, along = (path_of(still_picture(made), colour)[:, 1] for colour in ("#112233", "#FEDCBA"))
    assert up == pytest.approx(along, abs=0.11)
    middle = path_of(still_picture(made), "#112233")[:, 0].mean()
    assert path_of(still_picture(made), "#ABCDEF")[:, 0] == pytest.approx([middle, middle], abs=0.11)
    made.update_xaxes(range=[0.5, 1])
    assert "#ABCDEF" not in still_picture(made)


TABLES = {name: samples.load(name) for name in ("iris", "diabetes", "tic-tac-toe")}
SOME = {"random": 5, "extra": 5, "cultivated-forest": 3, "bagged": 3, "root": 3, "boosted": 3, "gradient": 5}
KINDS_AND_TABLES = [
    (kind.name, name)
    for kind in KINDS
    for name, data in TABLES.items()
    if data.is_classification in kind.serves and kind.name != "approximation"
]


def printed(script):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(script, "script.py", "exec"), {})
    return out.getvalue().strip().splitlines()


def compared_numbers(line):
    """The numbers that a line has found, and those that it names."""
    found, here = line.split(": ", 1)[1].split(", here it was ")
    return [[float(text) for text in re.findall(r"[-+.0-9e]+", part)] for part in (found, here)]


def again(model) -> Any:
    """The model that its text makes."""
    names: dict = {}
    exec("\n".join([*import_lines(imports_of(model)), f"model = {source_text(model)}"]), names)
    return names["model"]


def model_of(kind, data):
    trees = (("trees", SOME[kind]),) if kind in SOME else ()
    return Model(kind, trees).make(CommonTerms.of(data, n_jobs=2))


def test_a_model_of_every_kind_is_written_as_python_that_makes_the_same_one():
    for kind, table in KINDS_AND_TABLES:
        with case((kind, table)):
            model = model_of(kind, TABLES[table])
            assert type(again(model)) is type(model)
            assert source_text(again(model)) == source_text(model)
            assert "n_jobs" not in source_text(model)


def test_a_black_box_is_written_as_python_with_all_its_steps():
    for box in BLACK_BOXES:
        for table in TABLES:
            with case((box, table)):
                data = TABLES[table]
                model: Any = box.make(Setup(data.is_classification, data.categorical, 3))
                assert source_text(again(model)) == source_text(model)
                some = slice(None, None, 3)
                models: list[Any] = [again(model), clone(model)]
                both = [one.fit(data.X[some], data.y[some]).predict(data.X) for one in models]
                np.testing.assert_array_equal(*both)


BY_FOLDS = [
    ("cart", "iris"),
    ("bagged", "iris"),
    ("random", "diabetes"),
    ("gradient", "tic-tac-toe"),
    ("baseline", "iris"),
]


@pytest.mark.parametrize(("kind", "table"), BY_FOLDS)
def test_a_script_on_folds_prints_the_means_that_it_names(kind, table):
    data, plan = TABLES[table], Folds(3, 2, 5)
    score = "accuracy" if data.is_classification else "rmse"
    model = model_of(kind, data)
    here = {"A “b\\n": float(validate(model, data, plan).scores(score).mean())}
    (line,) = printed(page_script(RebuiltPage({"A “b\\n": model}, data, table, plan, here, score)))
    assert compared_numbers(line)[0] == pytest.approx(compared_numbers(line)[1], rel=1e-5)
    assert compared_numbers(line)[1] == pytest.approx(list(here.values()), rel=1e-5)


@pytest.mark.parametrize("holdout", [HeldOut(30, 2), HeldOut(0), HeldOut(30, where="petal length~gt~6")])
@pytest.mark.parametrize("is_weighed", [False, True])
def test_a_script_of_forests_prints_the_scores_of_the_rows_held_out(holdout, is_weighed, monkeypatch):
    data = TABLES["iris"]
    if is_weighed:
        weight = RowWeights("often", np.arange(150) % 3 + 1.0)
        data = make_dataset(data.name, data.X, data.features, data.y, data.target, weight)
        monkeypatch.setattr(samples, "load", lambda _: data)
    held = held_out(data, holdout)
    tested = held if held.any() else ~held
    model = fit(model_of("random", data), data, ~held)
    score = float(model.score(data.X[tested], data.y[tested], data.weights_of(tested)))
    page = RebuiltPage({"A": model, "B": model}, data, "iris", holdout, {"A": score, "B": score})
    for line in printed(page_script(page)):
        assert compared_numbers(line)[0] == pytest.approx([score], rel=1e-5)


def test_a_script_of_a_stand_in_prints_the_scores_of_the_model_and_of_its_tree():
    data, holdout = TABLES["iris"], HeldOut(40, 1)
    held = held_out(data, holdout)
    box = fit(model_of("random", data), data, ~held)
    tree = fit(ApproximationClassifier(box, max_depth=3, max_samples=500, random_state=0), data, ~held)
    scores = [float(one.score(data.X[held], data.y[held])) for one in (box, tree)]
    page = RebuiltPage(
        {"box": box, "tree": tree},
        data,
        "iris",
        holdout,
        dict(zip(("box", "tree"), scores, strict=True)),
        has_stand_in=True,
    )
    assert [compared_numbers(line)[0][0] for line in printed(page_script(page))] == pytest.approx(scores, rel=1e-5)


def test_a_notebook_has_the_steps_of_the_script():
    page = RebuiltPage({"CART": CartClassifier()}, TABLES["iris"], "iris", Folds(3), {"CART": 0.9}, "accuracy")
    cells = ["".join(cell["source"]) for cell in json.loads(page_notebook(page))["cells"]]
    assert [line for line in "\n".join(cells).splitlines() if line] == [
        line for line in page_script(page).splitlines() if line
    ]
    assert len(cells) == 4


def rebuilt(model, data, source, holdout):
    """The model, made of the rows that are not held out and scored by those that are, or by all if none is."""
    held = held_out(data, holdout)
    estimator: Any = model.make(CommonTerms.of(data)).fit(data.X[~held], data.y[~held])
    tested = held if held.any() else ~held
    return RebuiltModel(estimator, data, source, holdout, estimator.score(data.X[tested], data.y[tested]))


def test_a_script_prints_the_score_that_it_names():
    for sample, model in [
        ("iris", Model("cart", (("depth", 2),))),
        ("tic-tac-toe", Model("cart", (("depth", 5), ("leaf", 7)))),  # categories
        ("diabetes", Model("cart", (("depth", 3),))),
        ("iris", Model("cultivated", (("depth", 3),))),
        ("iris", Model("optimal", (("depth", 2),))),
        ("wine", Model("oblique", (("depth", 2),))),
    ]:
        by_filter = [HeldOut(30, where="petal length~gt~6")] if sample == "iris" else []
        for holdout in [HeldOut(30, 3), HeldOut(0), *by_filter]:
            with case((sample, model, holdout)):
                page = rebuilt(model, samples.load(sample), sample, holdout)
                assert list(map(float, printed(to_script(page)))) == pytest.approx([page.score])
                assert to_script(page).endswith(f"# here it was {page.score:.6g}")


def test_a_notebook_prints_the_score_that_it_names_and_shows_the_tree():
    page = rebuilt(Model("cart", (("depth", 2),)), samples.load("iris"), "iris", HeldOut(30))
    notebook = json.loads(to_notebook(page))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    cells = ["".join(cell["source"]) for cell in notebook["cells"]]
    names: dict = {}
    with contextlib.redirect_stdout(io.StringIO()) as out:
        for cell in cells:
            exec(cell, names)
    assert float(out.getvalue()) == pytest.approx(page.score)
    assert names["model"].tree_.n_leaves == page.estimator.tree_.n_leaves


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A file with decimal commas, an ordered column and gaps, and how a person had it read."""
    rows = [f"{i % 7},{i % 10};{('low', 'mid', 'high')[i % 3]};{'yes' if i % 7 > 3 else 'no'}" for i in range(60)]
    text = "\n".join(["size;grade;ill", *rows, ";mid;no"])
    (tmp_path / "it's people.csv").write_text(text + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    options = read_table(tmp_path / "it's people.csv").options
    table = read_table(tmp_path / "it's people.csv", options=options)
    plans = [
        plan._replace(kind="ordered", categories=("low", "mid", "high")) if plan.name == "grade" else plan
        for plan in guess_kinds(table.frame, table.categories)
    ]
    return TableRecipe("it's people.csv", options, tuple(plans), TargetPlan("ill"))


def test_a_script_for_a_persons_own_file_reads_it_as_it_was_read_on_the_page(own, tmp_path):
    data = own.dataset(tmp_path)
    assert [feature.kind for feature in data.features] == ["number", "ordered"]
    page = rebuilt(Model("cart", (("depth", 2),)), data, own, HeldOut(0))
    assert list(map(float, printed(to_script(page)))) == pytest.approx([page.score])
    assert "reason=" not in to_script(page)


def test_a_script_refuses_another_file_of_this_name_and_writes_out_what_is_not_as_usual_of_reading(own, tmp_path):
    page = rebuilt(Model("cart", (("depth", 2),)), own.dataset(tmp_path), own, HeldOut(0))
    file = tmp_path / own.filename
    file.write_text(file.read_text("utf-8").replace("1,1;", "1,2;"), encoding="utf-8")
    with pytest.raises(AssertionError, match="this is another table"):
        printed(to_script(page))
    told = own._replace(options=own.options._replace(missing=("", "none")))
    assert "missing=('', 'none')" in to_script(page._replace(source=told))
    assert ReadOptions().missing != ("", "none")
