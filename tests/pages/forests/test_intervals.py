"""Intervals of numbers on the page of forests."""

from streamlit.testing.v1 import AppTest

from espalier.data import HeldOut, samples
from espalier.learners.catalogue import Model
from espalier.progress import Progress
from pages.shared.forests import intervals
from pages.shared.forests.forest_job import ForestJob
from tests.pages.tree.test_optimal_page import pictures, said
from tests.tools.on_page import APP, engine, until_grown, whole

__all__ = ["engine"]


def open_forests(**address):
    page = AppTest.from_file(APP, default_timeout=300)
    for key, value in ({"a-trees": "9", "b-trees": "9"} | address).items():
        page.query_params[key] = value
    page.switch_page("pages/forests.py")
    return until_grown(whole(page.run()))


def grown(kind="random", data="diabetes", held=30):
    return ForestJob(samples.load(data), HeldOut(held), Model(kind, (("trees", 9),)))(Progress())


def test_the_page_draws_how_often_intervals_hold():
    page = open_forests(data="diabetes", b="extra")
    assert not page.error
    assert "Intervals, and how often they hold" in said(page)
    assert "intervals that state 95 % hold" in pictures(page)[-1]


def test_a_row_has_an_interval_of_trees_that_did_not_grow_on_it():
    page = open_forests(data="diabetes", view="One row", row="3")
    assert not page.error
    assert "interval, by trees that did not grow on it" in said(page)


def test_classes_have_no_intervals():
    assert "how often they hold" not in said(open_forests())
    assert intervals.line_of_row(grown(data="iris"), 0) == ""


def test_trees_that_saw_every_row_are_measured_on_held_out_rows_or_not_at_all():
    judged = intervals.measured(grown("extra"))
    assert judged is not None
    assert judged.n_samples == grown("extra").held.sum()
    assert intervals.measured(grown("extra", held=0)) is None
    assert "all grew on it" in intervals.line_of_row(grown("extra", held=0), 0)


def test_forests_of_cultivated_trees_have_no_intervals():
    assert intervals.measured(grown("cultivated-forest")) is None


def test_the_table_has_a_row_for_each_forest_and_coverage():
    one = grown()
    found = intervals.measured(one)
    assert found is not None
    lines = intervals.csv_of([intervals.CoverageLine("A", 0, found)]).splitlines()
    assert len(lines) == 1 + len(found.stated)
