"""The order of classes, the one that counts, words for columns: guesses, choices, what they leave as it is."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier import export
from espalier.comparison.class_rates import against_the_rest, rates
from espalier.comparison.scores import class_scores
from espalier.data import samples
from espalier.data.column_changes import LONGEST, ColumnWords, name_columns, table_and_words, text_of
from espalier.data.columns.convert import TargetPlan, to_dataset
from espalier.data.columns.kinds import guess_kinds
from espalier.data.dataset import (
    AS_READ,
    NO_MARKS,
    ClassChoice,
    Feature,
    choice_by_names,
    guess_positive,
    make_dataset,
    table_and_choice,
    with_classes,
)
from espalier.data.folds import Folds, HeldOut, folds_of, held_out
from espalier.language import Refusal
from espalier.learners import CartClassifier, GradientBoostingClassifier, RandomForestClassifier
from espalier.questionnaire.words import split_unit
from espalier.stability.resampling import Redraw, redrawn
from tests.tools.cases import case


def table(classes, y):
    y = np.array(y)
    return make_dataset("table", y[:, None], [Feature("x")], y, Feature("class", "category", classes))


# The guess


def test_the_class_that_counts_is_guessed_by_its_name_else_it_is_the_rarer_of_two():
    for classes, y, positive, by in [
        (("no", "yes"), [1, 1, 1, 0], "yes", "name"),  # also where it has most rows
        (("Nein", "Ja"), [0, 1], "Ja", "name"),
        (("malignant", "benign"), [0, 0, 1], "malignant", "name"),
        (("-1", "1"), [0, 1], "1", "name"),
        (("well", "Ill", "unknown"), [0, 1, 2], "Ill", "name"),
        (("repaid", "late"), [0, 0, 1], "late", "rarity"),
        (("late", "repaid"), [0, 1, 1], "late", "rarity"),
        (("a", "b"), [0, 1], "b", "rarity"),  # the last of equals
        (("fraud", "spam"), [0, 1, 1], "fraud", "rarity"),  # both names say so: they do not tell
    ]:
        with case((classes, y, positive, by)):
            data: Any = table(classes, y)
            assert (data.classes[data.target.positive], data.target.marks.by) == (positive, by)


def test_of_three_classes_without_a_name_that_tells_none_counts():
    assert samples.load("iris").target.positive is None
    assert samples.load("sine").target.positive is None


def test_a_part_of_the_rows_keeps_the_class_that_was_guessed_of_all():
    data = table(("a", "b"), [0, 0, 0, 1])
    part = make_dataset("part", data.X[2:], data.features, np.array([1, 1]), data.target)
    assert part.target.marks == data.target.marks
    assert guess_positive(NO_MARKS, data.classes, np.array([1, 1])).positive == 0  # of the part alone: the other


def test_what_is_guessed_changes_no_digest():
    data = table(("a", "b"), [0, 1, 1])
    plain = Feature("class", "category", ("a", "b"))
    assert "marks" not in repr(plain)
    assert data.digest == make_dataset("table", data.X, data.features, data.y, plain).digest
    assert data.digest != make_dataset("table", data.X, data.features, data.y, data.target).digest


# A choice


def test_a_choice_moves_codes_names_and_colours_together():
    iris = samples.load("iris")
    again = with_classes(iris, ClassChoice((2, 0, 1), 1))
    assert again.classes == ("virginica", "setosa", "versicolor")
    assert np.array_equal(np.array(again.classes)[again.y], np.array(iris.classes)[iris.y])
    assert again.classes[again.target.positive or 0] == "versicolor"
    assert again.X is iris.X
    assert again.digest != iris.digest


def test_no_choice_or_an_order_that_is_as_it_was_is_the_same_table_and_equal_choices_have_one_digest():
    iris = samples.load("iris")
    assert with_classes(iris, AS_READ) is iris
    digests = {with_classes(iris, ClassChoice((), k)).digest for k in (0, 1, 1, 2)}
    assert len(digests) == 3
    assert choice_by_names(("a", "b", "c"), ["a", "gone", "a"]) == AS_READ
    assert choice_by_names(("a", "b"), [], "gone") == AS_READ


@pytest.mark.parametrize("choice", [ClassChoice((0, 1)), ClassChoice((0, 1, 1)), ClassChoice((), 3)])
def test_a_choice_of_classes_that_are_not_there_is_refused(choice):
    with pytest.raises(ValueError, match="classes"):
        with_classes(samples.load("iris"), choice)


@given(st.permutations(range(4)), st.integers(0, 3))
def test_the_text_of_a_choice_gives_it_back(order, positive):
    choice = ClassChoice(tuple(order), positive)
    assert table_and_choice("moons~n0.3" + choice.text) == ("moons~n0.3", choice)


def test_a_text_without_a_choice_is_all_of_the_table():
    for text in ["iris", "moons~n0.3", "iris~c", "iris~p0", "iris~p1~c2", "x\n~p1", "~", ""]:
        with case(text):
            assert table_and_choice(text)[1] in (AS_READ, ClassChoice((1,)))


def test_the_plan_of_a_target_carries_the_choice():
    frame = pd.DataFrame({"age": [20.0, 30.0, 40.0], "state": ["ill", "well", "dead"]})
    plans, plan = guess_kinds(frame), TargetPlan("state", classes=("well", "gone"), positive="ill")
    data, _ = to_dataset(frame, plans, plan, "people")
    assert data.classes == ("well", "dead", "ill")
    assert data.y.tolist() == [2, 0, 1]
    assert (data.target.positive, data.target.marks.by) == (2, "choice")


# Laws


@pytest.mark.parametrize("learner", [
    CartClassifier(max_depth=3), RandomForestClassifier(n_estimators=7),
    GradientBoostingClassifier(n_estimators=5),
])  # fmt: skip
def test_another_order_permutes_the_columns_of_shares_and_nothing_else(learner):
    iris, order = samples.load("iris"), (2, 0, 1)
    again = with_classes(iris, ClassChoice(order))
    learner.set_params(random_state=0)
    before = learner.fit(iris.X, iris.y).predict_proba(iris.X)
    answers = np.array(iris.classes)[learner.predict(iris.X)]
    after = learner.fit(again.X, again.y).predict_proba(iris.X)
    np.testing.assert_allclose(after, before[:, order], atol=1e-12)
    best = np.sort(before, axis=1)
    sure = best[:, -1] - best[:, -2] > 1e-9  # of equal shares, the first class in order is the answer
    assert sure.sum() > 140
    assert np.array_equal(np.array(again.classes)[learner.predict(iris.X)][sure], answers[sure])


def test_the_same_rows_are_held_out_and_dealt_to_folds_in_any_order_of_classes():
    wine = samples.load("wine")
    again = with_classes(wine, ClassChoice((2, 0, 1)))
    assert np.array_equal(held_out(wine, HeldOut(30)), held_out(again, HeldOut(30)))
    folds = [[fold.rows.tolist() for fold in folds_of(data, Folds(5))] for data in (wine, again)]
    assert folds[0] == folds[1]


@pytest.mark.parametrize("redraw", [Redraw("bootstrap"), Redraw("folds", 5)])
def test_the_same_rows_are_drawn_again_in_any_order_of_classes(redraw):
    wine = samples.load("wine")
    again = with_classes(wine, ClassChoice((2, 0, 1)))
    one, other = (redrawn(redraw, data, 0, 3).rows for data in (wine, again))
    assert np.array_equal(one, other)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=40))
def test_for_the_other_of_two_classes_sensitivity_and_specificity_swap(pairs):
    y, answer = np.array(pairs).T
    (one, other, _), (sensitivity, specificity, _) = (against_the_rest(rates(y, answer, 2), k) for k in (1, 0))
    np.testing.assert_equal((one, other), (specificity, sensitivity))


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 8)), min_size=2, max_size=40))
def test_the_area_under_the_curve_is_the_same_for_either_class(pairs):
    y, eighths = np.array(pairs).T
    share = eighths / 8
    auc = class_scores(y, np.column_stack([1 - share, share])).auc
    np.testing.assert_allclose(class_scores(1 - y, np.column_stack([share, 1 - share])).auc, auc)


# ---- Words for columns: they name them everywhere, and change nothing else

IRIS = samples.load("iris")
LEAF = {"petal length": ColumnWords("leaf", "cm", "From its base to its tip.")}
WORD = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=LONGEST[1])


@given(st.dictionaries(st.text(min_size=1, max_size=9), st.builds(ColumnWords, WORD, WORD, WORD), max_size=4))
def test_words_come_back_from_the_text_of_an_address(glossary):
    table, words = table_and_words(f"iris{text_of(glossary)}")
    assert table == "iris"
    assert text_of(words) == text_of(glossary)


@given(st.text("~wabcdefAZ019-_=é", max_size=40))
def test_any_text_is_read_without_a_fault(text):
    table_and_words(f"iris~w{text}")


def test_values_stay_and_the_digest_is_another_one_for_other_words():
    leaf = name_columns(IRIS, LEAF)
    assert np.array_equal(leaf.X, IRIS.X)
    assert leaf.digest != IRIS.digest
    assert name_columns(IRIS, {}).digest == IRIS.digest
    assert name_columns(IRIS, {"no such column": ColumnWords("x")}) is IRIS


def test_a_unit_is_told_from_the_name_also_one_that_no_list_has():
    named = name_columns(IRIS, {"petal length": ColumnWords("leaf", "barleycorns")})
    assert split_unit(named.features[2]) == ("leaf", "barleycorns")


def test_exports_read_the_column_by_its_name_in_the_file():
    leaf = name_columns(IRIS, LEAF)
    tree = CartClassifier(max_depth=1).fit(leaf.X[:, 2:3], leaf.y).tree_
    code = export.to_python(tree, leaf.features[2:3], leaf.target)
    assert "petal length" in code


def test_two_columns_of_one_name_are_refused_and_so_are_words_too_long_for_a_link():
    with pytest.raises(Refusal, match="petal width"):
        name_columns(IRIS, {"petal length": ColumnWords("petal width")})
    rng = np.random.default_rng(0)
    long = {str(i): ColumnWords("", "", "".join(map(chr, rng.integers(65, 90, 300)))) for i in range(90)}
    with pytest.raises(Refusal, match="too long"):
        text_of(long)


def test_the_target_is_named_too():
    assert name_columns(IRIS, {"species": ColumnWords("kind of iris")}).target.name == "kind of iris"
