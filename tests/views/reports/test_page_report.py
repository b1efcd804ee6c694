"""Reports of pages: the page's own sections first, then what every report says; whom it should not be used for."""

import re

import numpy as np

from espalier.data import HeldOut, samples
from espalier.data.dataset import Feature, make_dataset
from espalier.data.rows.folds import Folds
from espalier.learners.catalogue import Model
from espalier.views.reports.card import FEW, card_section
from espalier.views.reports.model import ReportedModel, folds_words, holdout_words
from espalier.views.reports.page import ReportedPage, page_report
from espalier.views.reports.sheet import (
    SHORT,
    Drawing,
    Grid,
    Listed,
    Marked,
    PictureRow,
    Prose,
    Report,
    ReportSection,
    to_html,
)

IRIS = samples.load("iris")


def page(*sections):
    models = [ReportedModel("Mine", Model("cart", (("depth", 2),))), ReportedModel("B", Model("baseline"))]
    return ReportedPage(
        "Two", "Which is better?", IRIS, sections, models, "On 5 folds.", link="http://here", day="now"
    )


def test_a_page_brings_its_sections_and_every_report_says_the_rest():
    report = page_report(page(ReportSection("Own", (Marked("**Better** by 2."),))))
    assert [one.heading for one in report.sections] == [
        "Own", "What it is for, and whom it should not be used for", "Data", "How the models were made and judged",
    ]  # fmt: skip
    html = to_html(report)
    for text in (IRIS.digest, "<strong>Better</strong> by 2.", "<h3>Mine</h3>", "On 5 folds.", "http://here"):
        assert text in html


def test_a_report_of_several_models_does_not_say_which_columns_one_of_them_uses():
    assert "used by the model" not in to_html(page_report(page()))


def test_words_of_views_keep_their_lists_and_headings_and_what_is_in_them_is_text():
    html = to_html(Report("t", (), (ReportSection("s", (Marked("#### A *b*\n- <i>\n- **c**\nend"),)),), ()))
    assert "<h3>A <em>b</em></h3><ul><li>&lt;i&gt;</li><li><strong>c</strong></li></ul><p>end</p>" in html


def test_a_number_stays_beside_its_sign_of_per_cent_and_small_pictures_are_not_blown_up():
    parts = (Prose("It is 5 %."), Marked("**5 %** of"), Listed(("5 %",)), Drawing('<svg width="100"/>', "a"))
    html = to_html(Report("t", (), (ReportSection("s", parts),), ()))
    assert html.count("5\u00a0%") == 3
    assert '<div role="img" aria-label="a" style="--own: 100px"><svg' in html
    assert "max-width: calc(1.25 * var(--own, 100%))" in html


def test_a_heading_is_kept_with_a_short_table_and_a_long_one_goes_on_overleaf():
    short, long = (Grid(("a", "b"), [("x", "1")] * n) for n in (SHORT, SHORT + 1))
    kept = [
        '<div class="kept"><h2>s</h2>' in to_html(Report("", (), (ReportSection("s", (one,)),), ()))
        for one in (short, long)
    ]
    assert kept == [True, False]


def test_marks_in_names_from_the_data_mean_nothing_where_a_page_wrote_a_backslash_before_them():
    marked = Marked(r"**\*a\_\<b\>\\** is *known*")
    html = to_html(Report("t", (), (ReportSection("s", (marked,)),), ()))
    assert r"<p><strong>*a_&lt;b&gt;\</strong> is <em>known</em></p>" in html


def test_a_table_about_no_model_has_no_section_on_models():
    report = page_report(page()._replace(models=(), findings=("Rows are alike.",)))
    assert [one.heading for one in report.sections] == [
        "What to look at first",
        "Data",
        "How this report was made",
    ]


def test_wide_pictures_are_reached_by_keys_and_small_ones_stand_in_a_row():
    small = Drawing("<svg/>", "a “b”", "first")
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


def test_it_should_not_be_used_for_values_that_hardly_any_row_has():
    data = some_rows([0] * 60 + [1] * (FEW - 1), np.zeros(60 + FEW - 1, bool))
    assert "Not for sex m (19 rows): so few rows hardly test it." in items_of(card_section(data, ()))
    assert not any("Not for sex" in item for item in items_of(card_section(data, (), asked={1})))
    enough = some_rows([0] * 60 + [1] * FEW, np.zeros(60 + FEW, bool))
    assert not any("Not for" in item for item in items_of(card_section(enough, ())))


def test_columns_that_are_often_missing_are_named():
    data = some_rows([0] * 80, np.arange(80) < 16)
    assert any(
        item.startswith("Values are often missing in age (20 %)") for item in items_of(card_section(data, ()))
    )


def test_folds_that_are_dealt_once_are_not_dealt_times():
    assert folds_words(Folds(5, 1, 3)).endswith("that had not seen it: 5 folds, with the seed 3.")
    assert "dealt 2 times" in folds_words(Folds(5, 2, 3))


def test_rows_held_out_are_told_with_their_seed():
    assert "seed 3" in holdout_words(HeldOut(20, 3), 30)
    assert holdout_words(HeldOut(0), 0) == "No rows were held out."
