"""Reports of pages: they hold what the page shows, of the state that it is in."""

import re
import time

import pytest
from streamlit.testing.v1 import AppTest

from espalier.views.reports.sheet import Grid
from pages.shared.reports import offer
from pages.shared.words import questionnaire as form_words
from pages.shared.words.reports import page as words
from tests.tools.on_page import APP, SOON, engine, until_grown, whole

__all__ = ["engine"]


@pytest.fixture
def written(monkeypatch):
    """The reports that were written, each as a record."""
    reports, to_html = [], offer.to_html
    monkeypatch.setattr(offer, "to_html", lambda report: reports.append(report) or to_html(report))
    return reports


def open_first(name, **address):
    page = AppTest.from_file(APP, default_timeout=300)
    page.query_params.update(address)
    page.session_state["page report"] = True
    page.switch_page(f"pages/{name}.py")
    return whole(page.run())


def open_page(name, **address):
    return until_grown(open_first(name, **address))


def texts(report):
    return repr(report.sections)


def test_the_report_of_compare_has_the_table_of_the_page_and_is_offered_with_its_size(written):
    page = open_page("compare", folds="3", m2="none", m3="none", **{"m1-depth": "2"})
    report = written[-1]
    for cell in page.dataframe[0].value["CART"].astype(str):
        assert cell in texts(report)
    assert "3 folds" in texts(report)
    (label,) = [one.proto.label for one in page.get("download_button") if "report" in one.proto.label]
    assert label.startswith("Save the report (.html, ")
    assert len(offer.to_html(report)) < 3_000_000


def test_the_report_of_reliability_follows_the_goal_and_the_costs(written):
    page = open_page("reliability", folds="3", m1="cart", m2="none", m3="none", answer="60", costly="virginica")
    report = written[-1]
    assert [one.heading for one in report.sections][:3] == [
        words.WHEN_TO_ANSWER, words.DECISIONS, words.PROMISES,
    ]  # fmt: skip
    assert "Missing “virginica” costs" in texts(report)
    goal = next(one.value for one in page.markdown if one.value.startswith("**CART** answers"))
    assert goal.split("(")[0] in texts(report)


def test_the_report_of_forests_has_surfaces_of_both_and_the_errors_of_the_page(written):
    page = open_page("forests", **{"a-trees": "5", "b-trees": "5"})
    report = written[-1]
    assert texts(report).count("pixelated") == 6
    for metric in page.metric:
        assert metric.value in texts(report)


def test_the_report_of_stability_has_the_bars_and_the_maps_of_every_learner(written):
    open_page("stability", draws="8", m1="cart", m2="none", m3="none", **{"m1-depth": "2"})
    report = written[-1]
    assert [one.heading for one in report.sections][:3] == [words.STRUCTURES, words.COLUMNS, words.AGREEMENT]
    assert "of 8 trees" in texts(report)
    assert "Draws of seed 0" in texts(report)


def test_the_report_of_an_approximation_has_the_numbers_above_it_and_three_surfaces(written):
    page = open_page("approximate", samples="1000", depth="2")
    report = written[-1]
    assert texts(report).count("pixelated") == 3
    for metric in page.metric:
        assert metric.value in texts(report)


def test_the_report_of_new_rows_has_their_summary_their_columns_and_the_rows_for_an_expert(written):
    page = open_page("new_rows", rows="held", m1="cart", data="breast-cancer", **{"m1-depth": "2"})
    report = written[-1]
    assert [one.heading for one in report.sections][:3] == [
        words.NEW_ROWS, words.MATCHED_COLUMNS, words.FOR_EXPERTS,
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
        whole(page.run())
    return page


def test_the_report_of_a_questionnaire_has_every_question_and_what_fewer_of_them_are_worth(written):
    page = open_first("questionnaire", model="cart", depth="2")
    until_written(page, written)
    (report,) = written[-1:]
    assert [one.heading for one in report.sections][:2] == [words.QUESTIONS, form_words.HOW_MANY]
    steps = next(part for part in report.sections[0].parts if isinstance(part, Grid))
    assert len(steps.rows) == 2
    assert steps.rows[0][2].endswith("go to 2") or steps.rows[0][3].endswith("go to 2")
    assert "held out" in texts(report)


def test_the_report_of_an_answered_questionnaire_has_the_answer_and_the_reasons_of_the_page(written):
    page = open_first("questionnaire", model="cart", said="2b1_3u", depth="2")
    until_written(page, written)
    section = written[-1].sections[0]
    assert section.heading == words.CASE
    html = offer.to_html(written[-1])
    assert "<h3>The answer is <strong>setosa</strong>" in html
    for line in next(one.value for one in page.markdown if one.value.startswith("- **petal")).splitlines():
        assert re.sub(r"[*\\]", "", line).removeprefix("- ") in re.sub("<.*?>", "", html)
    assert "**" not in html
    assert "\\" not in html


def test_the_report_of_an_open_questionnaire_has_the_next_question(written):
    until_written(open_first("questionnaire", model="cart", said="1u", depth="2"), written)
    assert "Asked next: Is <strong>petal" in offer.to_html(written[-1])


def test_the_report_of_hesitation_has_three_surfaces_and_the_ranking_of_the_page(written):
    page = until_written(open_first("hesitation", k="5"), written)
    report = written[-1]
    assert texts(report).count("pixelated") == 3
    assert next(one.value for one in page.markdown if one.value.startswith("Right on the new rows")) in texts(
        report
    )
    assert "Width of the neighbourhood, k" in texts(report)


def test_the_report_of_data_says_what_misleads_and_which_rows_are_unusual_and_names_no_model(written, monkeypatch):
    monkeypatch.setattr(offer, "_findings", lambda *_: ["It is in order."])
    page = open_page("data", tab="Unusual rows", held="20", data="wine")
    report = written[-1]
    assert [one.heading for one in report.sections] == [
        words.ORIGIN, "Unusual rows", "What to look at first", "Data", "How this report was made",
    ]  # fmt: skip
    assert "20 %" in texts(report)
    highest = next(one.value for one in page.dataframe if "set apart by" in one.value)
    assert highest["set apart by"].iloc[0] in texts(report)


def test_unusual_rows_are_in_the_report_only_while_they_are_on_the_page(written):
    open_page("data", data="wine")
    assert "Unusual rows" not in [one.heading for one in written[-1].sections]
