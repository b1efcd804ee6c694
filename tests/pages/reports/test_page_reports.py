"""Reports of pages hold what the page shows; scripts that pages offer print the numbers that stand there."""

import contextlib
import io
import re
import time

import pytest

from espalier.display.parts import Grid, Picture
from espalier.display.theme import percent
from espalier.reports.paper import svg_of
from espalier.reports.scripts import page_notebook, page_script
from pages.shared.reports import offer, sections
from pages.shared.tree import hesitation
from tests.tools.on_page import SOON, begin_page, open_page, run_again, until_grown, words_of

IMAGE = '<image class="on-dark"'  # of a picture for dark screens


@pytest.fixture
def written(monkeypatch):
    """The reports that were written, each as a record."""
    reports, to_html = [], offer.to_html
    monkeypatch.setattr(offer, "to_html", lambda report: reports.append(report) or to_html(report))
    return reports


@pytest.fixture
def tree_parts(monkeypatch):
    """The parts that reports of trees were given."""
    parts, tree_sections = [], sections.tree_sections
    monkeypatch.setattr(sections, "tree_sections", lambda *trees: parts.append(tree_sections(*trees)) or parts[-1])
    return parts


def open_first(name, **address):
    return begin_page(name, {"page report": True}, **address)


def open_reported(name, **address):
    return until_grown(open_first(name, **address))


def texts(report):
    return repr(report.sections)


def headings(report):
    return [one.heading for one in report.sections]


def test_the_report_of_compare_has_the_table_and_the_warnings_of_the_page(written):
    page = open_reported("compare", folds="3", m2="random", m3="baseline", m4="none", **{"m1-depth": "1"})
    report = written[-1]
    for cell in page.dataframe[0].value["CART"].astype(str):
        assert cell in texts(report)
    assert "3 folds" in texts(report)
    assert report.title == "species: Which is better, and is it really?"
    (label,) = [one.proto.label for one in page.get("download_button") if "report" in one.proto.label]
    assert label.startswith("Save the report (.html, ")
    assert len(offer.to_html(report)) < 3_000_000
    html = re.sub("<.*?>", "", offer.to_html(report)).replace("&#x27;", "'")
    boxes = [one.value for one in page.markdown if one.value.startswith(":material/warning:")]
    for box in boxes:
        assert re.sub(r"[*\\]|:material/[a-z]+: ", "", box)[:50] in html


def test_the_report_of_reliability_follows_the_goal_and_the_costs_and_tells_the_story_of_the_chosen_row(written):
    link = {"m1": "cart", "m2": "none", "m3": "none", "answer": "60", "costly": "virginica", "tab": "Who decides"}
    page = open_reported("reliability", folds="3", row="71", **link)
    while "The story of one row" not in headings(written[-1]):
        run_again(page)
    assert headings(written[-1])[:5] == [
        "When models should rather not answer", "Decisions and their costs", "Promises", "Rows for an expert",
        "The story of one row",
    ]  # fmt: skip
    listed = next(one.value for one in page.dataframe if "why it is doubted" in one.value)
    for why in listed["why it is doubted"][:5]:
        assert why in texts(written[-1])
    assert "Missing “virginica” costs" in texts(written[-1])
    (story,) = (one for one in written[-1].sections if one.heading == "The story of one row")
    assert "has not seen this row" in repr(story)
    for picture in (part for part in story.parts if isinstance(part, Picture)):
        assert svg_of(picture).startswith("<svg")
        assert picture.alt


def test_the_report_of_forests_has_surfaces_of_both_errors_agreement_and_the_votes_on_the_chosen_row(written):
    page = open_reported("forests", row="71", **{"a-trees": "4", "b-trees": "4"})
    assert {"The first trees", "How far the trees agree", "One row"} <= {*headings(written[-1])}
    assert offer.to_html(written[-1]).count(IMAGE) == 4 + 2  # and how far the trees agree
    for metric in page.metric:
        assert metric.value in texts(written[-1])
    assert "in truth it is versicolor" in texts(written[-1])
    sums = {"a-kind": "gradient", "b-kind": "gradient", "a-trees": "3", "b-trees": "3"}
    open_reported("forests", data="sine", **sums)
    assert not {"How far the trees agree", "One row"} & {*headings(written[-1])}


def test_the_report_of_stability_has_the_bars_and_the_maps_of_every_learner(written):
    open_reported("stability", draws="8", m1="cart", m2="none", m3="none", **{"m1-depth": "2"})
    expected = ["How many different trees", "What they ask about", "How far the trees agree"]
    assert headings(written[-1])[:3] == expected
    assert "of 8 trees" in texts(written[-1])
    assert "Bootstrap, seed 0" in texts(written[-1])


def test_the_report_of_an_approximation_has_numbers_surfaces_and_fidelity_by_depth(written):
    page = open_reported("approximate", samples="1000", depth="2")
    assert offer.to_html(written[-1]).count(IMAGE) == 3
    (by_depth,) = (one for one in written[-1].sections if one.heading == "By how many questions it may ask")
    assert len(by_depth.parts[0].pictures) == 2
    for value in page.table[0].value.iloc[0]:
        assert value in texts(written[-1])


def test_the_report_of_new_rows_has_their_summary_their_columns_and_the_rows_for_an_expert(written):
    page = open_reported("new_rows", rows="held", m1="cart", data="breast-cancer", **{"m1-depth": "2"})
    report = written[-1]
    assert headings(report)[:3] == [
        "What the model says of new rows", "How the columns were matched", "Rows for an expert",
    ]  # fmt: skip
    said = next(one.value for one in page.markdown if "should go to an expert" in one.value)
    assert said in texts(report)
    table = next(one.value for one in page.dataframe if "for an expert" in one.value and "why" in one.value)
    for why in table["why"][table["for an expert"]]:
        assert why in texts(report)


def until_written(page, written):
    """The page, run again until its report is there: a questionnaire has a bar of its own."""
    until = time.monotonic() + SOON
    while not written:
        assert time.monotonic() < until
        run_again(page)
    return page


def test_the_report_of_a_questionnaire_has_the_answer_of_the_page_every_question_and_what_fewer_are_worth(written):
    page = until_written(open_first("questionnaire", model="cart", said="2b1_3u", depth="2"), written)
    _, questions, _ = written[-1].sections[:3]
    assert headings(written[-1])[:3] == [
        "The answer to this case", "The questions", "How many questions are enough?",
    ]  # fmt: skip
    html = offer.to_html(written[-1])
    assert "<h3>The answer is <strong>setosa</strong>" in html
    for line in next(one.value for one in page.markdown if one.value.startswith("- **petal")).splitlines():
        assert re.sub(r"[*\\]", "", line).removeprefix("- ") in re.sub("<.*?>", "", html)
    assert "**" not in html
    assert "\\" not in html
    steps = next(part for part in questions.parts if isinstance(part, Grid))
    assert len(steps.rows) == 2
    assert steps.rows[0][2].endswith("go to 2") or steps.rows[0][3].endswith("go to 2")


def test_the_report_of_hesitation_has_three_surfaces_and_the_accuracies_of_the_page(written):
    until_written(open_first("hesitation", k="5"), written)
    assert offer.to_html(written[-1]).count(IMAGE) == 3
    assert hesitation.accuracies(hesitation.panels(5)).alt in texts(written[-1])
    assert "Width of the neighbourhood, k" in texts(written[-1])


def test_the_report_of_data_says_what_misleads_and_names_no_model(written, monkeypatch):
    monkeypatch.setattr(offer, "_findings", lambda *_: ["It is in order."])
    open_reported("data", held="20", data="wine")
    assert headings(written[-1]) == [
        "What the table is about", "What to look at first", "Data", "How it was made and judged",
    ]  # fmt: skip
    assert "20 %" in texts(written[-1])


def test_the_report_of_a_tree_has_the_row_and_decisions_of_the_page_or_why_it_asks_this_first(tree_parts):
    open_page("tree", {"export menu": True}, row="71", costly="virginica", threshold="30")
    assert [one.heading for one in tree_parts[-1]] == [
        "The selected node", "The story of one row", "Decisions and their costs",
    ]  # fmt: skip
    assert "Row 71: the tree says" in repr(tree_parts[-1])
    assert "from a share of **30 %** on" in repr(tree_parts[-1])
    for node, heading, words in ((0, "Why it asks this first", "The tree splits at petal"),
                                 (1, "The selected node", "over a neighbourhood of")):  # fmt: skip
        open_page("tree", {"export menu": True}, learner="cultivated" if node else "cart", node=str(node))
        (section,) = tree_parts[-1]
        assert section.heading == heading
        (picture,) = [part for part in section.parts if isinstance(part, Picture)]
        assert words in picture.alt
        (offers,) = [part for part in section.parts if isinstance(part, Grid)]
        assert sum("✓" in row[0] for row in offers.rows) >= 1


@pytest.fixture
def reported(monkeypatch):
    """The pages that were reported."""
    pages, page_report = [], offer.page_report
    monkeypatch.setattr(offer, "page_report", lambda one: pages.append(one) or page_report(one))
    return pages


def found(reported):
    """The scores that the script finds, by the titles of models, each as it is named there, too."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(page_script(reported[-1].rebuilt), "script.py", "exec"), {})
    numbers = {}
    for line in out.getvalue().splitlines():
        title, text = line.rsplit(": ", 1)
        now, here = map(float, text.split(", here it was "))
        assert now == pytest.approx(here, rel=1e-5)
        numbers[title] = here
    return numbers


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("table", "score", "kinds"),
    [
        (
            "iris",
            "accuracy",
            {"m1": "cart", "m1-without": "petal length", "m1-given": ":sepal width:3,R:petal width:1.5"}
            | {"m2": "optimal", "m2-given": ":sepal width:3", "m3": "random", "m3-without": "petal length"}
            | {"m4": "none"},
        ),
        ("breast-cancer", "accuracy", {"m1": "cart", "m2": "bagged", "m3": "baseline", "m4": "random"}),
        ("tic-tac-toe", "accuracy", {"m1": "optimal", "m2": "oblique", "m3": "model-tree", "m4": "none"}),
        (
            "diabetes",
            "RMSE",
            {"m1": "cultivated", "m1-depth": "2", "m2": "random", "m2-trees": "9", "m3": "baseline", "m4": "none"},
        ),
    ],
)
def test_the_script_of_compare_prints_the_means_of_its_table(reported, table, score, kinds):
    page = open_reported("compare", folds="3", data=table, **kinds)
    shown = page.dataframe[0].value
    row = next(name for name in shown.index if name.startswith(score))
    numbers = found(reported)
    assert list(numbers) == list(shown.columns)
    for title, value in numbers.items():
        text = percent(value) if score == "accuracy" else f"{value:.3g}"
        assert str(shown.loc[row, title]).startswith(text)


def test_the_script_of_forests_prints_one_less_the_errors_held_out(reported):
    page = open_reported("forests", data="moons", **{"a-trees": "5", "b-trees": "7"})
    errors = re.findall(r"held out \*\*(.*?)\*\*", words_of(page, "markdown"))
    assert [percent(round(1 - score, 3)) for score in found(reported).values()] == errors


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("table", "box"), [("breast-cancer", "svm"), ("tic-tac-toe", "boosting"), ("diabetes", "forest")]
)
def test_the_script_of_an_approximation_prints_the_scores_above_the_tabs(reported, table, box):
    page = open_reported("approximate", samples="1000", depth="2", data=table, box=box)
    model, tree = found(reported).values()
    texts = [percent(value) if table != "diabetes" else f"{value:.3g}" for value in (model, tree)]
    score = "R²" if table == "diabetes" else "accuracy"
    scores = next(one.value for one in page.table if f"{score}, tree" in one.value)
    assert [scores[f"{score}, {whose}"].iloc[0] for whose in ("model", "tree")] == texts


def test_both_files_are_offered_beside_the_report_which_has_the_script_unless_it_is_about_no_model(reported):
    page = open_reported("compare", folds="3", m1="cart", m2="none", m3="none", m4="none")
    labels = [one.proto.label for one in page.get("download_button")]
    assert [label for label in labels if "makes the models again" in label] == [
        "Python that makes the models again (.py)", "Notebook that makes the models again (.ipynb)",
    ]  # fmt: skip
    assert "validate(model, data, plan)" in offer.html(reported[-1])
    assert "validate(model, data, plan)" in page_notebook(reported[-1].rebuilt)
    open_reported("data", data="wine")
    assert reported[-1].rebuilt is None
