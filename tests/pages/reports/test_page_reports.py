"""Reports of pages: they hold what the page shows, of the state that it is in."""

import re
import time

import pytest

from espalier.display.parts import Grid, Marked, Picture, Report, ReportSection
from espalier.reports.paper import svg_of
from pages.shared.reports import forests as reports_forests
from pages.shared.reports import offer
from pages.shared.reports import tree as tree_report
from pages.shared.tree import hesitation
from tests.tools.on_page import SOON, begin_page, open_page, run_again, until_grown

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
    given, sections = [], tree_report.sections
    monkeypatch.setattr(tree_report, "sections", lambda *trees: given.append(sections(*trees)) or given[-1])
    return given


def open_first(name, **address):
    return begin_page(name, {"page report": True}, **address)


def open_reported(name, **address):
    return until_grown(open_first(name, **address))


def texts(report):
    return repr(report.sections)


def test_the_report_of_compare_has_the_table_and_warnings_of_the_page_and_what_more_folds_would_change(written):
    page = open_reported("compare", folds="3", m2="random", m3="baseline", m4="none", **{"m1-depth": "1"})
    report = written[-1]
    for cell in page.dataframe[0].value["CART"].astype(str):
        assert cell in texts(report)
    assert "3 folds" in texts(report)
    (label,) = [one.proto.label for one in page.get("download_button") if "report" in one.proto.label]
    assert label.startswith("Save the report (.html, ")
    assert len(offer.to_html(report)) < 3_000_000
    html = re.sub("<.*?>", "", offer.to_html(report)).replace("&#x27;", "'")
    boxes = [
        one.value for one in page.markdown if one.value.startswith((":material/warning:", ":material/lightb"))
    ]
    assert boxes
    for box in boxes:
        assert re.sub(r"[*\\]|:material/[a-z]+: ", "", box)[:50] in html
    assert "What more folds would change, and how this is tested" in html


def test_the_report_of_reliability_follows_the_goal_and_the_costs(written):
    link = {"m1": "cart", "m2": "none", "m3": "none", "answer": "60", "costly": "virginica", "tab": "Who decides"}
    page = open_reported("reliability", folds="3", **link)
    report = written[-1]
    assert [one.heading for one in report.sections][:3] == [
        "When models should rather not answer", "Decisions and their costs", "Promises",
    ]  # fmt: skip
    assert "Rows for an expert" in [one.heading for one in report.sections]
    listed = next(one.value for one in page.dataframe if "why it is doubted" in one.value)
    for why in listed["why it is doubted"][:5]:
        assert why in texts(report)
    assert "The story of one row" not in [one.heading for one in report.sections]  # of no row
    assert "Missing “virginica” costs" in texts(report)
    assert "one answer for all" in texts(report)


def test_the_report_of_forests_has_surfaces_of_both_errors_agreement_and_the_curves_of_the_page_and_no_votes(
    written,
):
    page = open_reported("forests", along="3", explained="2", **{"a-trees": "4", "b-trees": "4"})
    report = written[-1]
    headings = [one.heading for one in report.sections]
    assert {"The first trees", "How far the trees agree", "Along a column: petal length"} <= {*headings}
    assert offer.to_html(report).count(IMAGE) == 6 + 2  # and how far the trees agree
    for metric in page.metric:
        assert metric.value in texts(report)
    along = next(one for one in report.sections if one.heading.startswith("Along a column"))
    assert sum(isinstance(part, Picture) for part in along.parts) == 2
    assert "versicolor" in repr(along)
    assert not any(one.startswith(reports_forests.votes_heading("")) for one in headings)  # without a chosen row


def test_the_report_of_stability_has_the_bars_and_the_maps_of_every_learner(written):
    open_reported("stability", draws="8", m1="cart", m2="none", m3="none", **{"m1-depth": "2"})
    report = written[-1]
    assert [one.heading for one in report.sections][:3] == [
        "How many different trees",
        "What they ask about",
        "How far the trees agree",
    ]
    assert "of 8 trees" in texts(report)
    assert "Draws of seed 0" in texts(report)


def test_the_report_of_an_approximation_has_numbers_surfaces_fidelity_by_depth_and_every_split(written):
    page = open_reported("approximate", samples="1000", depth="2")
    report = written[-1]
    assert offer.to_html(report).count(IMAGE) == 3
    (fidelity,) = [part for part in report.sections[0].parts if isinstance(part, Grid)]
    ends = {name: interval for name, _, interval in fidelity.rows if interval != "–"}
    assert list(ends) == ["accuracy, model", "accuracy, tree"]
    for _, value, interval in fidelity.rows:
        if interval != "–":
            low, high = (float(end) for end in re.findall(r"[\d.]+", interval))
            assert low < float(value.split()[0]) < high
    for metric in page.metric:
        assert metric.value in texts(report)
    by_depth, splits = (
        next(one for one in written[-1].sections if one.heading == name)
        for name in ("By how many questions it may ask", "Every split, and how sure it is")
    )
    levels, classes = (part for part in by_depth.parts if isinstance(part, Grid))
    assert [row[0] for row in levels.rows] == ["0", "1", "2"]
    assert len(classes.rows) == 3
    (table,) = splits.parts
    assert len(table.rows) == int(levels.rows[-1][1]) - 1


def test_the_report_of_new_rows_has_their_summary_their_columns_and_the_rows_for_an_expert(written):
    page = open_reported("new_rows", rows="held", m1="cart", data="breast-cancer", **{"m1-depth": "2"})
    report = written[-1]
    assert [one.heading for one in report.sections][:3] == [
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


def test_the_report_of_a_questionnaire_has_every_question_and_what_fewer_of_them_are_worth(written):
    page = open_first("questionnaire", model="cart", depth="2")
    until_written(page, written)
    (report,) = written[-1:]
    assert [one.heading for one in report.sections][:2] == ["The questions", "How many questions are enough?"]
    steps = next(part for part in report.sections[0].parts if isinstance(part, Grid))
    assert len(steps.rows) == 2
    assert steps.rows[0][2].endswith("go to 2") or steps.rows[0][3].endswith("go to 2")
    assert "held out" in texts(report)


def test_the_report_of_a_questionnaire_has_the_answer_and_reasons_of_the_page_or_the_next_question(written):
    page = open_first("questionnaire", model="cart", said="2b1_3u", depth="2")
    until_written(page, written)
    section = written[-1].sections[0]
    assert section.heading == "The answer to this case"
    html = offer.to_html(written[-1])
    assert "<h3>The answer is <strong>setosa</strong>" in html
    for line in next(one.value for one in page.markdown if one.value.startswith("- **petal")).splitlines():
        assert re.sub(r"[*\\]", "", line).removeprefix("- ") in re.sub("<.*?>", "", html)
    assert "**" not in html
    assert "\\" not in html


def test_the_report_of_an_open_questionnaire_has_the_next_question(written):
    until_written(open_first("questionnaire", model="cart", said="1u", depth="2"), written)
    assert "Asked next: Is <strong>petal" in offer.to_html(written[-1])


def test_the_report_of_hesitation_has_three_surfaces_and_the_accuracies_of_the_page(written):
    until_written(open_first("hesitation", k="5"), written)
    report = written[-1]
    assert offer.to_html(report).count(IMAGE) == 3
    assert hesitation.accuracies(hesitation.panels(5)).alt in texts(report)
    assert "Width of the neighbourhood, k" in texts(report)


def test_the_report_of_data_says_what_misleads_and_names_no_model(written, monkeypatch):
    monkeypatch.setattr(offer, "_findings", lambda *_: ["It is in order."])
    open_reported("data", held="20", data="wine")
    report = written[-1]
    assert [one.heading for one in report.sections] == [
        "What the table is about", "What to look at first", "Data", "How this report was made",
    ]  # fmt: skip
    assert "20 %" in texts(report)


@pytest.mark.few(1)
@pytest.mark.parametrize("model", ["cart", "random", "cultivated"])
def test_the_report_of_reliability_tells_the_story_of_the_chosen_row(written, model):
    page = open_reported("reliability", folds="3", m1=model, m2="none", m3="none", row="71")
    while not any("Would it say the same" in texts(one) for one in written[-1:]):
        run_again(page)
    story = next(one for one in written[-1].sections if one.heading == "The story of one row")
    html = offer.to_html(written[-1])
    headline = next(one.value for one in page.markdown if "has not seen this row" in one.value)
    alone = offer.to_html(Report("", (), (ReportSection("", (Marked(headline),)),), ()))
    assert alone.split("<p>")[1][:40] in html
    for picture in (part for part in story.parts if isinstance(part, Picture)):
        assert svg_of(picture).startswith("<svg")
        assert picture.alt
    assert "versicolor" in repr(story)
    along = [part.text for part in story.parts if isinstance(part, Marked) and "Along each column" in part.text]
    assert len(along) == any(isinstance(part, Grid) for part in story.parts)


def test_the_report_of_forests_has_the_votes_on_the_chosen_row_and_what_columns_add(written):
    page = open_reported("forests", view="One row", row="71", explained="2", **{"a-trees": "4", "b-trees": "4"})
    votes, added, together = (
        next(one for one in written[-1].sections if one.heading == heading)
        for heading in (
            reports_forests.votes_heading("row 71"),
            "What do columns add to an answer?",
            "Which columns act together?",
        )
    )
    said = [one.value for one in page.markdown if one.value.startswith("Says **")]
    assert said == [part.text for part in votes.parts if isinstance(part, Marked) and "Says **" in part.text]
    assert sum(isinstance(part, Picture) for part in votes.parts) == 2
    assert "In truth it is versicolor." in repr(votes)
    assert sum(isinstance(part, Picture) for part in added.parts) == 2
    assert sum(isinstance(part, Picture) for part in together.parts) == 4


def test_sums_have_no_agreement_and_numbers_have_curves(written):
    sums = {"a-kind": "gradient", "b-kind": "gradient", "a-trees": "3", "b-trees": "3"}
    open_reported("forests", data="sine", **sums)
    headings = [one.heading for one in written[-1].sections]
    assert "How far the trees agree" not in headings
    assert any(one.startswith("Along a column") for one in headings)


def test_the_report_of_a_tree_has_the_row_and_decisions_of_the_page_or_why_it_asks_this_first(tree_parts):
    open_page("tree", {"export menu": True}, row="71", costly="virginica", threshold="30")
    assert [one.heading for one in tree_parts[-1]] == [
        "The selected node",
        "The story of one row",
        "Decisions and their costs",
    ]
    assert "Row 71: the tree says" in repr(tree_parts[-1])
    assert "from a share of **30 %** on" in repr(tree_parts[-1])
    open_page("tree", {"export menu": True})
    (section,) = tree_parts[-1]
    assert section.heading == "Why it asks this first"
    assert "Start · tie: setosa, versicolor, virginica" in repr(section)
    (picture,) = [part for part in section.parts if isinstance(part, Picture)]
    (offers,) = [part for part in section.parts if isinstance(part, Grid)]
    assert "The tree splits at petal" in picture.alt
    assert sum("✓" in row[0] for row in offers.rows) == 1
    open_page("tree", {"export menu": True}, learner="cultivated", node="1")
    (section,) = tree_parts[-1]
    assert section.heading == "The selected node"
    (picture,) = [part for part in section.parts if isinstance(part, Picture)]
    assert "over a neighbourhood of" in picture.alt
    assert "t₀" in svg_of(picture)
