"""Promises in words, bars, curves and files."""

import numpy as np
import pytest

from espalier.analysis import Folds, ask
from espalier.data import samples
from espalier.display.theme import number, percent
from espalier.learners import CartClassifier, CartRegressor
from espalier.new_rows.promise_words import (
    PromiseSummary,
    holding_picture,
    parts_of,
    promise_words,
    rule_words,
    set_words,
    sizes_picture,
)
from espalier.new_rows.promises import (
    DOUBT_WIDTH,
    EACH_CLASS,
    Promised,
    PromisedSets,
    Share,
    promised_intervals,
    promised_sets,
)
from espalier.new_rows.words import promised_rows
from espalier.reliability.reliability import answered, losses_by_uncertainty

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")
NAMES = ("benign", "malignant")


def sets(limits=(0.8,), by="all", by_class=((0.95, 0.93, 0.97), (0.7, 0.6, 0.8))):
    """Four rows: three with one class, one with both."""
    shares = tuple(Share(*ends) for ends in by_class)
    inside = np.array([[True, False], [False, True], [True, True], [True, False]])
    overall = Share(0.91, 0.88, 0.94)
    promised = Promised(0.9, by, np.array(limits), 0.0, np.array([True, True, True, False]), overall, shares)
    return PromisedSets(promised, inside, np.array([0.75, 0.25]))


def test_words_say_how_many_rows_get_how_many_classes_and_which_class_is_short_if_beyond_its_interval():
    said = promise_words(PromiseSummary("CART", 0, sets()), NAMES)
    assert "one class for **75 %** of the rows and several for 25 %" in said
    assert "**91 %** of the rows (88 % to 94 %)" in said
    assert "**Less than promised in:** “malignant” 70 %. Choose “for every class”" in said
    fair = sets(by_class=((0.95, 0.93, 0.97), (0.88, 0.84, 0.92)))
    assert "Less than promised" not in promise_words(PromiseSummary("CART", 0, fair), NAMES)
    names = ("a", "b", "c")
    assert [set_words(inside, names) for inside in np.eye(3, dtype=bool).tolist()] == ["a", "b", "c"]
    assert set_words([True, True, True], names) == "a, b or c"


@pytest.mark.parametrize(
    ("limits", "by", "said"),
    [
        ((0.8,), "all", "from a share of 20 %"),
        ((np.inf,), "all", "always"),
        ((0.0,), "all", "never"),
        ((0.25, 1.0), EACH_CLASS, "“benign” from a share of 75 %, “malignant” always"),
    ],
)
def test_the_rule_for_new_rows_is_the_least_share_of_a_class(limits, by, said):
    assert rule_words(PromiseSummary("CART", 0, sets(limits, by)), NAMES) == said


def test_bars_are_parted_by_the_number_of_classes_and_curves_show_where_intervals_hold_the_truth():
    one = PromiseSummary("CART", 0, sets())
    assert parts_of(one) == [(1, 0.75), (2, 0.25)]
    figure = sizes_picture([one]).draw(False)
    assert [bar["x"][0] for bar in figure.to_dict()["data"]] == [0.75, 0.25]
    assert sizes_picture([one]).alt == "Classes in the sets: CART: one class 75 %, 2 classes 25 %."
    folds = ask(CartRegressor(max_depth=3), DIABETES, Folds(5))
    found, answers = promised_intervals(folds, 0.9), answered(folds)
    steps = losses_by_uncertainty(answers._replace(loss=found.promised.holds.astype(float)))
    one = PromiseSummary("CART", 0, found)
    line = holding_picture([(one, steps)]).draw(False).to_dict()["data"][0]
    assert line["y"] == steps.loss.tolist()
    assert "CART" in holding_picture([(one, steps)]).alt
    assert f"is inside for **{percent(round(found.promised.coverage.value, 3))}** of" in promise_words(one, ())
    assert rule_words(one, ()).startswith("± ")
    by_doubt = PromiseSummary("CART", 0, promised_intervals(folds, 0.9, DOUBT_WIDTH))
    least = number(by_doubt.promise.promised.least_scale)
    assert rule_words(by_doubt, ()).endswith(f"the row's doubt, taken as at least {least}")


def test_the_file_has_a_row_for_each_row_of_the_table_with_its_set():
    folds = ask(CartClassifier(max_depth=2), IRIS, Folds(5))
    found, answers = promised_sets(folds, 0.9), answered(folds)
    table = promised_rows(found, answers, IRIS)
    assert table["row"].tolist() == list(range(1, 151))
    assert found.promised.coverage.value == pytest.approx(table["holds_truth"].to_numpy().mean())
    columns = (table[name].tolist() for name in ("truth", "set", "holds_truth"))
    for truth, named, holds in zip(*columns, strict=True):
        assert (truth in named.split(" | ")) == holds
