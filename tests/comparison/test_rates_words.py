"""Shares of right answers in words: the baseline beside them, each class, and when accuracy tells little."""

import numpy as np

from espalier.comparison.scores import rates
from espalier.comparison.tables import baseline_words, blind_words, class_rates_words
from espalier.data.dataset import ClassMarks, Feature

LOANS = Feature("loan", "category", ("repaid", "default"))
NINETY = np.repeat([0, 1], [90, 10])
ALWAYS = rates(NINETY, np.zeros(100, np.int64), 2)
GOOD = rates(NINETY, NINETY, 2)


def test_the_baseline_and_what_is_right_of_each_class_are_told_of_many_the_worst_and_the_best():
    assert baseline_words(ALWAYS, LOANS) == ("Always answering “repaid” would be right on 90 % of the same rows.")
    assert class_rates_words(ALWAYS, LOANS) == "Right by class: 100 % of 90 “repaid”, 0 % of 10 “default”."
    y = np.repeat(np.arange(6), 2)
    found = rates(y, np.where(y == 3, 0, y), 6)
    letters = Feature("letter", "category", tuple("abcdef"))
    assert class_rates_words(found, letters) == "Right by class: from 0 % of 2 “d” to 100 % of 2 “f”."
    assert "“<default>”" in str(blind_words([("CART", ALWAYS)], LOANS, mark=lambda name: f"<{name}>"))


def test_the_class_that_counts_is_set_against_the_rest():
    marked = LOANS._replace(marks=ClassMarks(1, "choice"))
    found = rates(NINETY, np.repeat([0, 1, 0, 1], [87, 3, 4, 6]), 2)
    assert class_rates_words(found, marked).endswith(
        "“default” counts: sensitivity 60 %, specificity 96.7 %, precision 66.7 %."
    )
    assert class_rates_words(ALWAYS, marked).endswith("sensitivity 0 %, specificity 100 %, it is never answered.")


def test_where_accuracy_is_blind_it_is_said_and_what_is_not_stands_beside_it():
    said = blind_words([("CART", ALWAYS), ("Forest", GOOD)], LOANS)
    assert said is not None
    assert "**Accuracy tells little here.** Always answering “repaid” would be right on 90 %" in said
    assert "**CART** is right on 90 %, but by classes on 50 % on average. It never answers “default”." in said
    assert "Forest" not in said
    assert blind_words([("Forest", GOOD)], LOANS) is None
