"""Dates, times of day and durations in words: conditions, values, questions, and what the browser's axes need."""

from __future__ import annotations

import math

import numpy as np

from espalier.analysis.tree.rules import Bound
from espalier.data.dataset import Feature, make_dataset
from espalier.data.moments import CLOCK, DAY, DURATION, HOUR, MINUTE, MONTHS, SECOND, WEEKDAYS, Moment
from espalier.learners import CartClassifier, CultivatedClassifier
from espalier.views.boundaries.plane import axis_card, in_words
from espalier.views.cultivated.modules import decision_words
from espalier.views.questionnaire.words import within, written
from espalier.views.tables import named
from espalier.views.text.moments import names_words
from espalier.views.text.trees import phrase
from espalier.views.text.whole_numbers import cut_words, side_words
from espalier.views.tree.cards import cards
from tests.tools.cases import case

INF = math.inf
DATE = Feature("ordered", is_whole=True, moment=Moment("ordered", "date"))
STAMP = Feature("ordered", is_whole=True, moment=Moment("ordered", "date", unit=MINUTE, since=18687))
FINE = Feature("ordered", moment=Moment("ordered", "date", unit=SECOND, since=18687))
TIME = Feature("due", is_whole=True, moment=Moment("due", CLOCK, unit=MINUTE))
WAIT = Feature("wait", is_whole=True, moment=Moment("wait", DURATION, unit=HOUR))
YEAR, DAY_OF, HOUR_OF = (
    Feature(f"ordered ({part})", is_whole=True, moment=Moment("ordered", part)) for part in ("year", "day", "hour")
)
MONTH = Feature("ordered (month)", "category", MONTHS, moment=Moment("ordered", "month"))
WEEKDAY = Feature("ordered (weekday)", "category", WEEKDAYS, moment=Moment("ordered", "weekday"))


def test_a_range_of_dates_or_times_is_said_as_people_say_it():
    for feature, low, high, words in [
        (DATE, -INF, 18686.5, "ordered before 2021-03-01"),
        (DATE, 18686.5, INF, "ordered on 2021-03-01 or later"),
        (DATE, 18685.0, 18686.5, "ordered on 2021-02-28"),
        (DATE, 18686.5, 18700.2, "ordered from 2021-03-01 to 2021-03-14"),
        (DATE, -INF, -719162.5, "ordered before 0001-01-01"),
        (STAMP, -INF, 875.5, "ordered before 2021-03-01 14:36"),
        (STAMP, 874.5, INF, "ordered at 2021-03-01 14:35 or later"),
        (FINE, 1.25, INF, "ordered after 2021-03-01 00:00:01.25"),
        (FINE, -INF, 1.25, "ordered until 2021-03-01 00:00:01.25"),
        (TIME, 874.5, INF, "due at 14:35 or later"),
        (TIME, -INF, 874.0, "due before 14:35"),
        (TIME, 840.5, 899.5, "due from 14:01 to 14:59"),
        (WAIT, 72.5, INF, "wait longer than 3 days"),
        (WAIT, -INF, 28.5, "wait at most 1 day 4 h"),
        (WAIT, 5.5, 72.5, "wait longer than 5 h and at most 3 days"),
        (WAIT, 5.5, 6.5, "wait of 6 h"),
        (YEAR, 2019.5, INF, "ordered in 2020 or later"),
        (YEAR, -INF, 2019.5, "ordered before 2020"),
        (DAY_OF, 14.5, INF, "ordered on day 15 or later"),
        (DAY_OF, -INF, 14.5, "ordered before day 15"),
        (DAY_OF, 14.5, 16.5, "ordered from day 15 to day 16"),
        (HOUR_OF, 13.5, INF, "ordered at 14:00 or later"),
        (HOUR_OF, 13.5, 15.5, "ordered from 14:00 to 15:59"),
        (DATE, -INF, INF, "ordered is known"),
    ]:
        with case((feature, low, high, words)):
            assert phrase(Bound(0, low=low, high=high, missing=False), [feature]) == words


def test_months_and_weekdays_that_follow_each_other_in_the_cycle_are_one_range():
    for feature, codes, words in [
        (MONTH, [11], "in December"),
        (MONTH, [0, 11], "in January or December"),
        (MONTH, [0, 10, 11], "from November to January"),
        (MONTH, [0, 5, 6, 7], "in January or from June to August"),
        (MONTH, list(range(11)), "from January to November"),
        (WEEKDAY, [5, 6], "on Saturday or Sunday"),
        (WEEKDAY, [0, 1, 2, 3, 4], "from Monday to Friday"),
        (WEEKDAY, [0, 5, 6], "from Saturday to Monday"),
    ]:
        with case((feature, codes, words)):
            assert names_words(feature, codes) == words


def test_of_months_that_the_data_lack_no_range_is_made():
    some = MONTH._replace(categories=("January", "March", "April", "December"))
    assert names_words(some, [0, 1, 2]) == "in January, March or April"


def test_missing_dates_are_said_where_they_go():
    bound, missing = Bound(0, high=18686.5), np.array([True])
    assert phrase(bound, [DATE], missing) == "ordered before 2021-03-01 or missing"
    assert phrase(Bound(0, categories=1 << 11, missing=True), [MONTH], missing) == "ordered in December or missing"


def test_values_and_cuts_are_dates_wherever_they_are_shown():
    assert in_words(DATE, 18686) == "2021-02-28"
    assert in_words(WAIT, 27.5) == "1 day 3 h 30 min"
    assert named(TIME, np.array([5.0, np.nan])).tolist() == ["00:05", ""]
    assert cut_words(DATE, 18686.5) == "between 2021-02-28 and 2021-03-01"
    assert side_words(TIME, 874.5, below=False) == "14:35"
    assert written(HOUR_OF, 9) == "09:00"
    assert within(Bound(0, low=72.5), WAIT) == "longer than 3 days"


def test_an_axis_in_the_browser_gets_the_unit_and_the_beginning_of_its_dates():
    data = make_dataset(
        "t", np.array([[1.0], [3.0]]), [STAMP], np.array([0, 1]), Feature("y", "yes/no", ("n", "y"))
    )
    assert axis_card(data, 0, (0.0, 4.0))["moment"] == ["date", MINUTE, 18687 * DAY]
    assert "moment" not in axis_card(data._replace(features=(YEAR,)), 0, (0.0, 4.0))


def test_cards_and_modules_say_dates_after_the_name_of_the_column():
    X = np.array([[18600.0, 0], [18689, 0], [18690, 1], [18700, 1]] * 5)
    weekend = WEEKDAY._replace(categories=("Saturday", "Sunday"))
    data = make_dataset("t", X, [DATE, weekend], X[:, 1], Feature("late", "yes/no", ("no", "yes")))
    tree = CartClassifier(max_features=1, random_state=1).fit(data.X, data.y).tree_
    drawn = cards(tree, data, np.ones(20, bool))
    assert {scale["name"] for scale in drawn["scales"].values()} == {"ordered"}
    assert drawn["nodes"][0]["test"] in (" before 2021-03-04", " on Saturday")
    soft = CultivatedClassifier(max_depth=1, robust_splits=False).fit(data.X[:, :1], data.y).tree_
    assert decision_words(soft, [DATE], 0) == "ordered before 2021-03-04"
