"""Numbers, thresholds, units, conditions, rules and answers in words, as a person would write them everywhere."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.columns.convert import TargetPlan, to_dataset
from espalier.data.columns.kinds import ColumnPlan
from espalier.data.dataset import Feature, make_dataset
from espalier.data.options import CLOCK, DAY, DURATION, HOUR, MINUTE, MONTHS, SECOND, WEEKDAYS, Moment
from espalier.display.boundaries.plane import axis_card
from espalier.display.cultivated import cuts_words, decision_words, module_words
from espalier.display.oblique_sums import tree_of_sums
from espalier.display.tables import named
from espalier.display.text.splits import oblique_condition
from espalier.display.text.trees import (
    condition,
    curve_condition,
    describe,
    join,
    node_parts,
    phrase,
    phrase_with_unit,
    rule,
    says,
    thresholds,
)
from espalier.display.text.values import (
    cut_words,
    in_words,
    named_value,
    names_words,
    side_words,
    split_unit,
    whole_range,
)
from espalier.display.tree import impurity_curve
from espalier.display.tree.cards import cards
from espalier.export.python import to_python
from espalier.export.rules import to_rules
from espalier.inert import inert
from espalier.learners import CartClassifier, CultivatedClassifier, ObliqueClassifier, ObliqueRegressor
from espalier.predict import leaves
from espalier.questionnaire.questionnaire import Questionnaire
from espalier.questionnaire.words import question, value_words, within
from espalier.reliability.words import close_call
from espalier.tree.nodes import ImpurityCurve, impurity_curves
from espalier.tree.rules import ALL, Bound, admits, bounds
from espalier.trees import LEAF, make_tree
from tests.tools import by_hand, random_trees
from tests.tools.by_hand import tree_of
from tests.tools.cases import case

LETTERS = tuple("abcdefghijklmno")
FEATURES = (
    Feature("petal width"),
    Feature("pain", "ordered", ("none", "mild", "moderate", "severe")),
    Feature("smoker", "yes/no", ("no", "yes")),
    Feature("colour", "category", ("red", "green", "blue")),
    Feature("town", "category", LETTERS),
    Feature("code"),
)
WIDTH, PAIN, SMOKER, COLOUR, TOWN, CODE = range(6)
MISSING = np.ones(6, dtype=bool)
SPECIES = Feature("species", "category", ("setosa", "versicolor"))


def mask(*codes: int) -> int:
    return sum(1 << code for code in codes)


def test_a_bound_is_a_phrase():
    for bound, expected in [
        (Bound(WIDTH, high=0.8), "petal width ≤ 0.8"),
        (Bound(WIDTH, low=0.8), "petal width > 0.8"),
        (Bound(WIDTH, low=0.8, high=1.75), "0.8 < petal width ≤ 1.75"),
        (Bound(WIDTH, high=-2.5), "petal width ≤ −2.5"),
        (Bound(WIDTH, high=16.795), "petal width ≤ 16.795"),
        (Bound(WIDTH, high=math.inf, missing=False), "petal width is known"),
        (Bound(WIDTH, low=math.inf), "petal width is missing"),
        (Bound(WIDTH, low=math.inf, missing=False), "petal width is impossible"),
        (Bound(WIDTH), "petal width is anything"),
        (Bound(PAIN, high=2.5), "pain is at most moderate"),
        (Bound(PAIN, low=2.5), "pain is severe"),
        (Bound(PAIN, low=1.5), "pain is above mild"),
        (Bound(PAIN, high=0.5), "pain is none"),
        (Bound(PAIN, low=0.5, high=2.5), "pain is from mild to moderate"),
        (Bound(PAIN, low=0.5, high=1.5), "pain is mild"),
        (Bound(PAIN, categories=mask(0, 3)), "pain is none or severe"),
        (Bound(SMOKER, high=0.5), "smoker is no"),
        (Bound(SMOKER, low=0.5), "smoker is yes"),
        (Bound(SMOKER, high=math.inf, missing=False), "smoker is known"),
        (Bound(COLOUR, categories=mask(0, 2)), "colour is red or blue"),
        (Bound(COLOUR, categories=mask(1)), "colour is green"),
        (Bound(COLOUR, categories=ALL & ~mask(0)), "colour is green or blue"),
        (Bound(COLOUR, categories=mask(0, 1, 2), missing=False), "colour is known"),
        (Bound(COLOUR, categories=ALL & ~mask(0, 1, 2)), "colour is missing"),
        (Bound(TOWN, categories=mask(0, 1, 2, 3)), "town is a, b, c or d"),
        (Bound(TOWN, categories=mask(*range(6))), "town is one of 6: a, b, c, …"),
        (Bound(TOWN, categories=ALL & ~mask(0, 1)), "town is none of a, b"),
        (Bound(TOWN, categories=ALL & ~mask(4)), "town is not e"),
        (Bound(TOWN, categories=ALL & ~mask(*range(6))), "town is none of a, b, c, …"),
        (Bound(CODE, categories=mask(3, 7)), "code is 3 or 7"),
        (Bound(CODE, categories=ALL & ~mask(3, 7)), "code is none of 3, 7"),
    ]:
        with case((bound, expected)):
            assert phrase(bound, FEATURES) == expected


def test_missing_values_are_named_where_the_feature_has_some():
    for bound, expected in [
        (Bound(WIDTH, high=0.8), "petal width ≤ 0.8 or missing"),
        (Bound(WIDTH, high=0.8, missing=False), "petal width ≤ 0.8"),
        (Bound(PAIN, high=2.5), "pain is at most moderate or missing"),
        (Bound(SMOKER, low=0.5), "smoker is yes or missing"),
        (Bound(COLOUR, categories=mask(0, 2)), "colour is red, blue or missing"),
        (Bound(TOWN, categories=ALL & ~mask(4)), "town is not e or missing"),
        (Bound(TOWN, categories=mask(*range(6))), "town is one of 6: a, b, c, … or missing"),
    ]:
        with case((bound, expected)):
            assert phrase(bound, FEATURES, MISSING) == expected
            assert "missing" not in phrase(bound, FEATURES, ~MISSING)


def test_thresholds_get_the_digits_that_tell_them_apart():
    assert thresholds(0.12341, 0.12344) == ("0.12341", "0.12344")
    assert thresholds(1 / 3, 1 / 3 + 1e-9) == ("0.33333333333…", "0.33333333433…")
    assert thresholds(1.0, np.nextafter(1.0, 2)) == ("1", "1")  # no file of numbers has both
    assert thresholds(0.1 + 0.2, 1 / 3, exact=True) == ("0.3", "0.3333333333333333")


def tree():
    """Petal width twice, then colour; node 2 and 4 are inner."""
    nan = math.nan
    asked, categories = [0.8, nan, 1.75, nan, nan, nan, nan], [0, 0, 0, 0, mask(0, 2), 0, 0]
    shares = [[0.5, 0.5], [1, 0], [1 / 6, 5 / 6], [0, 1], [1 / 3, 2 / 3], [0, 1], [1, 0]]
    sides, sizes = [True, False, False, False, True, False, False], [10, 4, 6, 3, 3, 2, 1]
    return tree_of([0, -1, 0, -1, 3, -1, -1], asked, shares, categories, sides, sizes)


def test_a_condition_speaks_of_either_side_a_leaf_has_none_and_a_rule_has_one_a_feature():
    assert condition(tree(), FEATURES, 0) == "petal width ≤ 0.8"
    assert condition(tree(), FEATURES, 0, left=False) == "petal width > 0.8"
    assert condition(tree(), FEATURES, 0, True, MISSING) == "petal width ≤ 0.8 or missing"
    assert condition(tree(), FEATURES, 4, left=False) == "colour is green"
    with pytest.raises(ValueError, match="node 1 is a leaf"):
        condition(tree(), FEATURES, 1)
    assert rule(tree(), FEATURES, 0) == []
    assert rule(tree(), FEATURES, 3) == ["0.8 < petal width ≤ 1.75"]
    assert rule(tree(), FEATURES, 5) == ["petal width > 1.75", "colour is red or blue"]


def test_a_node_says_its_class_or_its_mean_and_is_described_in_one_sentence():
    assert says(tree(), SPECIES, 2) == "versicolor, 5 of 6"
    assert says(tree(), SPECIES, 0) == "tie: setosa, versicolor, 50 % each"
    means = tree()._replace(value=np.full((7, 1), 151.28))
    assert says(means, Feature("y"), 0) == "mean 151"
    assert says(means, Feature("y", centre="median"), 0) == "median 151"
    assert describe(tree(), FEATURES, SPECIES, 0) == (
        "Node 0, the root: 10 rows, tie: setosa, versicolor, 50 % each; splits on petal width ≤ 0.8."
    )
    assert describe(tree(), FEATURES, SPECIES, 6) == (
        "Leaf 6, depth 3, petal width > 1.75 and colour is green: 1 row, setosa, 1 of 1."
    )


@pytest.mark.parametrize(
    ("parts", "expected"), [([], ""), (["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c")]
)
def test_a_list_is_joined_as_people_say_it(parts, expected):
    assert join(parts, "or") == expected


@settings(deadline=None, max_examples=80)
@given(random_trees.features().flatmap(lambda f: st.tuples(st.just(f), random_trees.trees(f, SPECIES))))
def test_every_node_of_any_tree_can_be_put_into_words(case):
    features, grown = case
    for node in range(grown.n_nodes):
        assert describe(grown, features, SPECIES, node).endswith(".")
        if grown.feature[node] >= 0:
            name = inert(features[grown.feature[node]].name)  # on one line
            assert name in condition(grown, features, node)
            assert name in condition(grown, features, node, left=False)


IRISES = Feature("species", "category", ("setosa", "versicolor", "virginica"))


def tied(shares, n=105, is_split=True):
    """A tree whose root has these class shares of three kinds of iris."""
    below = [[1.0, 0, 0], [0, 1.0, 0]]
    value = np.array([shares, *below] if is_split else [shares], float)
    size = np.array([n, n // 2, n - n // 2] if is_split else [n])
    links = ([1, LEAF, LEAF], [2, LEAF, LEAF], [0, LEAF, LEAF]) if is_split else ([LEAF], [LEAF], [LEAF])
    left, right, feature = (np.array(part) for part in links)
    none = np.zeros(len(size))
    return make_tree(feature, none, left, right, none, none, size, size, value, none)


def test_where_classes_tie_a_node_names_them_all_whether_it_splits_or_not():
    for is_split in (True, False):
        third = tied([1 / 3] * 3, is_split=is_split)
        assert says(third, IRISES, 0) == "tie: setosa, versicolor, virginica, 33.3 % each"
        assert "tie: setosa, versicolor, virginica" in describe(third, FEATURES, IRISES, 0)
        assert node_parts(third, IRISES, 0, "")[1] == " · "
    assert says(tied([0.4, 0.4, 0.2], n=10), IRISES, 0) == "tie: setosa, versicolor, 40 % each"
    assert node_parts(tied([0.4, 0.35, 0.25], n=20), IRISES, 0, "")[1] == " says "


def test_a_share_of_few_rows_stands_with_their_number_or_before_it_where_rows_do_not_count_alike():
    assert says(tied([0.75, 0.25, 0], n=4), IRISES, 0) == "setosa, 3 of 4"
    assert says(tied([0.7, 0.3, 0], n=4), IRISES, 0) == "setosa, 70 % (4 rows)"
    assert says(tied([1, 0, 0], n=1), IRISES, 0) == "setosa, 1 of 1"
    assert says(tied([0.5, 0.5, 0], n=4), IRISES, 0) == "tie: setosa, versicolor, 2 of 4 each"
    assert says(tied([0.7, 0.3, 0], n=10), IRISES, 0) == "setosa, 70 %"


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


def test_of_months_that_the_data_lack_no_range_is_made_and_missing_dates_are_said_where_they_go():
    some = MONTH._replace(categories=("January", "March", "April", "December"))
    assert names_words(some, [0, 1, 2]) == "in January, March or April"
    bound, missing = Bound(0, high=18686.5), np.array([True])
    assert phrase(bound, [DATE], missing) == "ordered before 2021-03-01 or missing"
    assert phrase(Bound(0, categories=1 << 11, missing=True), [MONTH], missing) == "ordered in December or missing"


def test_values_and_cuts_are_dates_wherever_they_are_shown_and_axes_get_their_unit_and_beginning():
    assert in_words(DATE, 18686) == "2021-02-28"
    assert in_words(WAIT, 27.5) == "1 day 3 h 30 min"
    assert named(TIME, np.array([5.0, np.nan])).tolist() == ["00:05", ""]
    assert cut_words(DATE, 18686.5) == "between 2021-02-28 and 2021-03-01"
    assert side_words(TIME, 874.5, below=False) == "14:35"
    assert value_words(HOUR_OF, 9) == "09:00"
    assert within(Bound(0, low=72.5), WAIT) == "longer than 3 days"
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


def with_gaps(name):
    data = samples.load(name)
    X = np.where(np.random.default_rng(0).random(data.X.shape) < 0.1, np.nan, data.X)
    return make_dataset(name, X, data.features, data.y, data.target)


def fitted(data, **settings) -> Any:
    learner: Any = ObliqueClassifier if data.is_classification else ObliqueRegressor
    model = learner(categorical_features=data.categorical, max_depth=4, **settings)
    return model.fit(data.X, data.y).tree_


@pytest.mark.parametrize("name", ["iris", "diabetes", "monks-1"])
def test_every_row_is_in_the_same_leaf_also_where_values_are_missing(name):
    data = with_gaps(name)
    oblique = fitted(data)
    found = tree_of_sums(oblique, data)
    assert (leaves(found.tree, found.dataset.X) == leaves(oblique, data.X)).all()
    for array in ("threshold", "left", "right", "value", "impurity", "weight"):
        assert np.array_equal(getattr(found.tree, array), getattr(oblique, array), equal_nan=True)


def test_conditions_read_as_those_of_the_oblique_tree():
    iris = samples.load("iris")
    oblique = fitted(iris)
    found = tree_of_sums(oblique, iris)
    assert oblique.is_slanted.any()
    for node in np.flatnonzero(oblique.left != -1).tolist():
        expected = oblique_condition(oblique, iris.features, node)
        assert condition(found.tree, found.dataset.features, node) == expected
        assert bounds(found.tree, node + 1)


def test_a_tree_that_weighs_nothing_needs_no_other_features_and_the_same_sums_make_the_same_digest():
    iris = samples.load("iris")
    assert tree_of_sums(fitted(iris, max_terms=1), iris).dataset is iris
    two, three = fitted(iris, max_terms=2), fitted(iris, max_terms=3)
    digests = [tree_of_sums(tree, iris).dataset.digest for tree in (two, two, three)]
    assert digests[0] == digests[1] != digests[2]
    assert iris.digest not in digests


AGE = Feature("age", is_whole=True)
HEIGHT = Feature("height (cm)", is_whole=True)
RISK = Feature("risk", "category", ("no", "yes"))


def test_a_bound_on_whole_numbers_is_told_by_whole_numbers():
    for bound, expected in [
        (Bound(0, high=2.5), "age is at most 2"),
        (Bound(0, high=2.0), "age is at most 2"),  # a threshold on a value: that value goes left
        (Bound(0, low=2.5), "age is 3 or more"),
        (Bound(0, low=2.0), "age is 3 or more"),
        (Bound(0, low=2.5, high=5.5), "age is from 3 to 5"),
        (Bound(0, low=2.5, high=3.5), "age is 3"),
        (Bound(0, high=-2.5), "age is at most −3"),
        (Bound(0, low=-0.5), "age is 0 or more"),
        (Bound(0, high=8150.5), "age is at most 8150"),
        (Bound(0, low=1234567.5), "age is 1,234,568 or more"),
        (Bound(0, low=2.2, high=2.7), "2.2 < age ≤ 2.7"),  # no whole number is there
        (Bound(0, high=math.inf, missing=False), "age is known"),
        (Bound(0, low=math.inf), "age is missing"),
        (Bound(0), "age is anything"),
    ]:
        with case((bound, expected)):
            assert phrase(bound, [AGE]) == expected


def test_a_missing_value_is_named_beside_them():
    assert phrase(Bound(0, high=2.5), [AGE], np.array([True])) == "age is at most 2 or missing"


@given(st.integers(-50, 50), st.integers(0, 9), st.integers(0, 9), st.integers(-60, 60))
def test_the_words_admit_a_whole_number_exactly_where_the_bound_does(low, wide, tenth, value):
    bound = Bound(0, low + tenth / 10, low + wide + 0.5)
    words = whole_range(AGE, bound.low, bound.high).replace("−", "-")
    ends = [int(text) for text in re.findall(r"-?\d+", words)] or [1, 0]
    assert (ends[0] <= value <= ends[-1]) == bool(admits(bound, np.array([float(value)]))[0])


@given(st.integers(-(10**15), 10**15 - 1))
@example(-(10**15))
def test_words_part_great_whole_numbers_and_dates_as_numbers_where_the_threshold_does(n):
    ends = [whole_range(AGE, -math.inf, n + 0.5), whole_range(AGE, n + 0.5, math.inf)]
    written = [(text, whole) for text, whole in zip(ends, (n, n + 1), strict=True) if "·" not in text]
    assert all(int(re.sub(r"[^\d−]", "", text).replace("−", "-")) == whole for text, whole in written)
    assert len(written) == 2 or abs(n) >= 10**15 - 1


def test_a_unit_follows_the_number_and_a_cut_stands_between_two_whole_ones():
    assert within(Bound(0, high=37.5), HEIGHT) == "at most 37 cm"
    assert within(Bound(0, low=37.5), HEIGHT) == "38 cm or more"
    assert within(Bound(0, low=37.5, high=54.5), HEIGHT) == "from 38 to 54 cm"
    assert cut_words(AGE, 2.5) == cut_words(AGE, 2.0) == "between 2 and 3"
    assert cut_words(Feature("x"), 2.5) == "2.5"
    assert (side_words(AGE, 2.5, True), side_words(AGE, 2.5, False)) == ("2", "3")


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    late, size = rng.integers(0, 7, 200), rng.normal(size=200)
    risk = np.where((late > 2) ^ (rng.random(200) < 0.1), "yes", "no")
    return pd.DataFrame({"late": late.astype(float), "size": size, "risk": risk})


def plans() -> list[ColumnPlan]:
    return [ColumnPlan("late", "number"), ColumnPlan("size", "number"), ColumnPlan("risk", "yes/no")]


def table():
    return to_dataset(frame(), plans(), "risk", "table")[0]


def test_columns_and_targets_of_whole_numbers_are_known_as_such_also_with_gaps_and_in_the_samples():
    data = table()
    assert [feature.is_whole for feature in data.features] == [True, False]
    gaps = frame()
    gaps.loc[3, "late"] = np.nan
    assert to_dataset(gaps, plans(), "risk", "table")[0].features[0].is_whole
    gaps.loc[4, "late"] = 2.5
    assert not to_dataset(gaps, plans(), "risk", "table")[0].features[0].is_whole
    plan = [ColumnPlan("size", "number"), ColumnPlan("late", "number")]
    assert to_dataset(frame(), plan, TargetPlan("late", "regression"), "table")[0].target.is_whole
    whole = {feature.name for feature in samples.load("diabetes").features if feature.is_whole}
    assert "age" in whole
    assert "bmi" not in whole
    assert not any(feature.is_whole for feature in samples.load("tic-tac-toe").features)


def grown():
    data = table()
    tree = CartClassifier(max_depth=3).fit(data.X, data.y).tree_
    return data, tree, int(np.flatnonzero(tree.feature == 0)[0])


HALF = re.compile(r"\d[.,]5\b")


def test_no_question_rule_card_or_reason_has_half_a_number():
    data, tree, node = grown()
    leaf = int(np.flatnonzero(tree.feature < 0)[0])
    row = next(card for card in cards(tree, data, np.arange(200))["nodes"] if card["id"] == node)
    form = Questionnaire(tree, data.features, np.zeros(2, bool))
    told = [
        condition(tree, data.features, node), condition(tree, data.features, node, left=False),
        *[text for text in rule(tree, data.features, leaf, exact=True) if text.startswith("late")],
        row["test"], question(form, node).text,
    ]  # fmt: skip
    assert told[0] == "late is at most 2"
    assert told[1] == "late is 3 or more"
    assert row["test"] == " ≤ 2"  # as in tables and over curves: little room
    assert row["t"] == 2.5
    assert question(form, node).text == "Is late at most 2?"
    assert not any(HALF.search(text) for text in told)


def test_rules_say_which_columns_hold_whole_numbers_if_any_and_programs_keep_the_threshold():
    data, tree, _ = grown()
    rules = to_rules(tree, data.features, data.target)
    assert re.search("late is (3 or more|from 3 to)", rules)
    assert "(Whole numbers only: late." in rules
    assert "2.5" in to_python(tree, data.features, data.target)
    data = samples.load("iris")
    tree = CartClassifier(max_depth=2).fit(data.X, data.y).tree_
    assert "Whole numbers" not in to_rules(tree, data.features, data.target)


def test_a_value_close_to_a_cut_names_both_sides_of_it_and_a_decision_that_hesitates_its_own():
    late = np.repeat(np.arange(0.0, 41.0), 5)
    data = make_dataset("late", late[:, None], [AGE], late > 20, RISK)
    tree = CartClassifier(max_depth=1).fit(data.X, data.y).tree_
    assert close_call(tree, data, np.array([21.0])) == "; age 21 is close to the cut between 20 and 21"
    data = table()
    tree = CultivatedClassifier(options=False).fit(data.X, data.y).tree_
    d = int(np.flatnonzero(tree.decisions.feature == 0)[0])
    assert decision_words(tree, data.features, d) == "late ≲ 2"
    assert decision_words(tree, data.features, d, left=False) == "late ≳ 3"
    assert re.fullmatch(r"cuts between \d and \d", cuts_words(tree, data.features, d))
    sharp = CultivatedClassifier(robust_splits=False, options=False).fit(data.X, data.y).tree_
    assert module_words(sharp, data.features, 0)[0] in ("late ≤ 2", "late ≥ 3")


def test_a_cut_of_the_impurity_curve_is_told_by_whole_numbers():
    data = table()
    none = np.empty(0, dtype=np.int64)
    found = ImpurityCurve(0, np.array([2.5]), np.array([0.2]), np.array([90.0]), np.zeros(1, bool), none, 0.5, 200)
    look = impurity_curve.curve_inputs(data, np.arange(200), None, found, 2.5)
    assert curve_condition(look.curve, look.feature, 2.5) == "late ≤ 2"
    assert impurity_curve.card(look, "gini")["said"] == ["2"]
    assert impurity_curve.card(look, "gini")["whole"]


def test_the_categories_of_a_bound_are_left_to_other_words():
    assert phrase(Bound(0, categories=ALL & ~1), [Feature("x", "category", ("a", "b"))]) == "x is b"


NUMBER = Feature("x")
BINARY = Feature("y", "category", ("a", "b"))


def halves(values, feature=NUMBER):
    """The first half of the values is of one class, the second of the other."""
    y = np.arange(len(values)) >= len(values) / 2
    return make_dataset("one", np.array(values)[:, None], [feature], y, BINARY)


@pytest.mark.parametrize(
    ("values", "feature", "expected"),
    [
        ([175.5, 175.6, 175.7, 175.8], Feature("x"), "175.65"),  # a computer keeps 175.64999999999998
        ([168.0, 168.1, 168.2, 168.3], Feature("x"), "168.15"),
        ([98.0, 99.0, 100.0, 101.0], Feature("x", is_whole=True), "99"),
    ],
)
def test_the_card_the_curve_and_the_table_write_one_threshold_alike(values, feature, expected):
    data, rows = halves(values, feature), np.arange(len(values))
    tree = CartClassifier().fit(data.X, data.y).tree_
    (found,) = impurity_curves(data, rows, None, "gini")
    look = impurity_curve.curve_inputs(data, rows, None, found, float(tree.threshold[0]))
    drawn = impurity_curve.card(look, "gini")
    assert cards(tree, data, rows)["nodes"][0]["test"] == f" ≤ {expected}"
    assert drawn["said"][drawn["best"]] == expected
    assert curve_condition(look.curve, look.feature, float(tree.threshold[0])) == f"x ≤ {expected}"


def test_rules_leave_out_the_tail_of_a_float_and_programs_keep_it():
    data = halves([175.5, 175.6, 175.7, 175.8])
    tree = CartClassifier().fit(data.X, data.y).tree_
    assert "if x ≤ 175.65\n" in to_rules(tree, data.features, data.target)
    assert repr(float(tree.threshold[0])) in to_python(tree, data.features, data.target)


def test_rules_say_what_part_of_the_rows_a_leaf_has_and_of_the_weight_only_where_rows_weigh():
    data = samples.load("iris")
    plain, weighted = (
        to_rules(
            CartClassifier(max_depth=1, class_weight=weight).fit(data.X, data.y).tree_, data.features, data.target
        )
        for weight in (None, {0: 2, 1: 1, 2: 1})
    )
    assert "(n = 50, 33.3 % of the rows)" in plain
    assert "(n = 50, 50 % of the weight)" in weighted


CHOLESTEROL = Feature("cholesterol (mg/dl)", unit="mg/dl")
AGE_IN_YEARS = Feature("age (years)", is_whole=True)
SMOKES = Feature("smoker (d)", "category", ("no", "yes"))


@pytest.mark.parametrize(
    ("name", "unit"),
    [("age (years)", "years"), ("mass [kg]", "kg"), ("flow (l/min)", "l/min"), ("x (2)", ""), ("(cm)", "")],
)
def test_a_unit_is_read_from_the_end_of_a_name(name, unit):
    found = split_unit(Feature(name))
    assert found[1] == unit
    assert found[0] == (name if not unit else name.rpartition(" ")[0])


def test_a_value_stands_with_its_unit_and_a_missing_one_or_a_category_without():
    assert split_unit(SMOKES) == ("smoker (d)", "")
    assert named_value(CHOLESTEROL, 200.6) == "cholesterol 200.6 mg/dl"
    assert named_value(CHOLESTEROL, math.nan) == "cholesterol missing"
    assert named_value(SMOKES, 1.0) == "smoker (d) yes"
    date = Feature("sent", moment=Moment("sent", "date"))
    assert named_value(date, 18717.0) == "sent 2021-03-31"


def test_conditions_have_the_unit_behind_the_number():
    for bound, words in [
        (Bound(0, high=213.25), "cholesterol ≤ 213.25 mg/dl"),
        (Bound(0, low=180.0), "cholesterol > 180 mg/dl"),
        (Bound(0, low=180.0, high=213.25), "180 < cholesterol ≤ 213.25 mg/dl"),
        (Bound(0, high=213.25, missing=True), "cholesterol ≤ 213.25 mg/dl or missing"),
        (Bound(1, high=47.5), "age is at most 47 years"),
        (Bound(1, low=47.5), "age is 48 years or more"),
        (Bound(1, low=47.5, high=53.5), "age is from 48 to 53 years"),
        (Bound(2, categories=2), "smoker (d) is yes"),
        (Bound(0, missing=False), "cholesterol (mg/dl) is known"),
    ]:
        with case((bound, words)):
            features = [CHOLESTEROL, AGE_IN_YEARS, SMOKES]
            assert (
                phrase_with_unit(
                    bound._replace(missing=bound.missing and "missing" in words), features, np.ones(3, bool)
                )
                == words
            )


def test_a_rule_is_in_units_for_people_and_by_the_whole_name_for_files():
    features = [Feature("gpa"), Feature("toefl (points)", unit="points")]
    leaf = int(np.flatnonzero(by_hand.admission().feature < 0)[-1])
    assert any(words.endswith(" points") for words in rule(by_hand.admission(), features, leaf))
    assert any("toefl (points)" in words for words in rule(by_hand.admission(), features, leaf, exact=True))
    assert phrase(Bound(1, high=64.5, missing=False), features) == "toefl (points) ≤ 64.5"
