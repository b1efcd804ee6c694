"""New rows that a model scores: which it hands over, promises kept on rows drawn again, and the test for drift."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier import learners
from espalier.analysis import Folds, ScoringRules, TableModel, ask, score_rows
from espalier.data import HeldOut, held_out, make_dataset, samples
from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import guess_kinds
from espalier.data.columns.new_rows import ColumnSources, new_rows
from espalier.data.dataset import Feature
from espalier.data.errors import TableError
from espalier.data.roles import RowRoles, RowWeights, row_groups
from espalier.display.tables import named
from espalier.display.theme import number, percent
from espalier.language import Refusal
from espalier.learners import CartClassifier, CartRegressor, RandomForestRegressor
from espalier.new_rows import promises, words
from espalier.new_rows.answers import fill_rows, judge_answers
from espalier.new_rows.figures import LETTER, PHONE, WIDTH, certainty_picture
from espalier.new_rows.promise_words import promises_table, set_words
from espalier.new_rows.promises import (
    ALL,
    DOUBT_WIDTH,
    EACH_CLASS,
    LEAST_SCALE,
    LeafAnswers,
    Promised,
    PromisedAnswers,
    Share,
    class_scores,
    class_sets,
    error_scores,
    group_limits,
    intervals,
    promised_intervals,
    promised_leaves,
    promised_sets,
    score_limit,
    units_needed,
)
from espalier.new_rows.scoring import ALPHA, FEWEST, drift
from espalier.new_rows.words import CHANCE, matters_most, outcomes_table, scored_table, why_expert
from espalier.progress import Progress
from espalier.reliability.reliability import ANSWER, Goal, answered, uncertain_answers
from tests.tools.uneven import loans

GAMES = samples.load("tic-tac-toe")


def of_games():
    held = held_out(GAMES, HeldOut(30))
    return TableModel(learners.CartClassifier(max_depth=6).fit(GAMES.X[~held], GAMES.y[~held]), GAMES, ~held, held)


def scored(frame, goal=1.0):
    return score_rows(of_games(), frame, ScoringRules(Goal(ANSWER, goal)))


def game(**cells):
    return pd.DataFrame([{feature.name: "x" for feature in GAMES.features} | cells])


def test_a_new_category_is_for_an_expert_a_file_without_columns_is_refused_and_no_answers_judge_without_rows():
    centre = next(feature.name for feature in GAMES.features if feature.name.startswith("cent"))
    assert not scored(game()).handover.is_for_expert[0]
    found = scored(game(**{centre: "z"})).handover
    assert found.is_for_expert[0]
    assert found.unknown[0].sum() == 1
    assert scored(game(), goal=0.0).handover.is_for_expert.all()
    with pytest.raises(TableError, match="no column"):
        scored(pd.DataFrame({"nonsense": [1]}))
    assert judge_answers(of_games()._replace(judges=np.zeros(len(GAMES.y), bool))) is None
    assert judge_answers(of_games(), Progress(is_stopped=True)) is None


def test_a_strip_has_a_mark_for_every_row_and_another_shape_for_those_of_an_expert():
    games = pd.concat([game()] * 4)
    games.iloc[3, :] = "z"
    found = scored(games)
    drawn, n = certainty_picture(found, GAMES).draw(False), int(found.handover.is_for_expert.sum())
    discs, triangles = 1 + len(GAMES.classes), 1  # of the legend
    assert (drawn.count("<circle") - discs, drawn.count(" Z") - triangles) == (4 - n, n)
    assert outcomes_table(found, GAMES)["rows"].tolist() == [str(4 - n), str(n), "4"]


def test_what_is_written_on_the_strip_is_not_cut_where_a_phone_ends_wherever_rows_of_an_expert_begin():
    rows, doubt = scored(pd.concat([game()] * 25)), np.linspace(0.1, 0.5, 25)
    for n_sure in range(25):
        handover = rows.handover._replace(threshold=doubt[n_sure] - 0.001, doubted=np.arange(25) >= n_sure)
        drawn = certainty_picture(
            rows._replace(said=rows.said._replace(doubt=doubt), handover=handover), GAMES
        ).draw(False)
        [written] = re.findall(r"<text [^>]*>for an expert above[^<]*", drawn)
        [x], way = map(float, re.findall(r' x="([^"]+)"', written)), -1 if 'text-anchor="end"' in written else 1
        begin, end = sorted((x, x + way * LETTER * len(written.split(">")[1])))
        assert 0 < begin < end < WIDTH
        assert end <= PHONE or begin >= PHONE


ANSWERS_ALL = ScoringRules(Goal(ANSWER, 1.0))


def iris_with_holes():
    """Iris without half of its long petals: that a length is missing says a lot, and the trees learn it."""
    iris, X = samples.load("iris"), samples.load("iris").X.copy(order="F")
    X[100::2, 2] = np.nan
    return iris._replace(X=X)


def without(data, *columns):
    cells = {feature.name: named(feature, data.X[:, f]) for f, feature in enumerate(data.features)}
    return pd.DataFrame(cells).drop(columns=list(columns))


def by_brute_force(estimator, data, seen, absent):
    """Return which rows get another answer with some value of the columns that the model learned from."""
    columns = [f for f, feature in enumerate(data.features) if feature.name in absent]
    X = data.X.copy(order="F")
    X[:, columns] = np.nan
    own = uncertain_answers(estimator, data, X)[1]
    is_other = np.zeros(len(X), bool)
    for values in np.unique(data.X[seen][:, columns], axis=0):
        X[:, columns] = values
        other = uncertain_answers(estimator, data, X)[1]
        is_other |= (other != own) if data.is_classification else ~np.isclose(other, own, rtol=1e-9)
    return is_other


CASES = [
    (learners.CartClassifier(max_depth=3), iris_with_holes, ("petal length",)),
    (learners.CartClassifier(max_depth=3), iris_with_holes, ("petal length", "petal width")),
    (learners.CartClassifier(max_depth=2), lambda: samples.load("iris"), ("petal width",)),
    (learners.CartClassifier(max_depth=6), lambda: samples.load("tic-tac-toe"), ("centre", "top left")),
    (learners.RandomForestClassifier(n_estimators=9, random_state=0), iris_with_holes, ("petal length",)),
    (learners.GradientBoostingClassifier(n_estimators=5), iris_with_holes, ("petal width", "sepal width")),
    (learners.CultivatedClassifier(max_depth=3), iris_with_holes, ("petal length",)),
    (learners.ObliqueClassifier(max_depth=2), lambda: samples.load("iris"), ("petal length",)),
    (learners.OptimalClassifier(max_depth=2), lambda: samples.load("iris"), ("petal width",)),
    (learners.CartRegressor(max_depth=3), lambda: samples.load("diabetes"), ("body mass index",)),
    (learners.RandomForestRegressor(5, random_state=0), lambda: samples.load("diabetes"), ("age", "sex")),
    (learners.ModelTreeRegressor(max_depth=1), lambda: samples.load("diabetes"), ("body mass index",)),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{type(case[0]).__name__} without {' '.join(case[2])}")
def test_an_answer_is_an_experts_exactly_if_some_value_of_an_absent_column_changes_it(case):
    estimator, load, absent = case
    data = load()
    seen = np.arange(len(data.y)) % 3 > 0
    estimator.fit(data.X[seen], data.y[seen])
    found = score_rows(
        TableModel(estimator, data, seen, ~seen), without(data, *absent), ANSWERS_ALL, reasons=False
    )
    hanging = by_brute_force(estimator, data, seen, absent)
    assert found.handover.absent.any(axis=1).tolist() == hanging.tolist()
    assert not found.handover.missing[:, [f.name in absent for f in data.features]].any()
    assert found.handover.is_for_expert[hanging].all()
    reasons = why_expert(found, data, np.arange(len(data.y)))
    assert [any("which the file lacks" in text for text in row) for row in reasons] == hanging.tolist()
    if data.is_classification:
        table = scored_table(found, data, np.arange(len(data.y)))
        assert np.isnan(table[CHANCE]).tolist() == hanging.tolist()


def test_what_is_said_of_an_answer_that_stays_holds_for_every_value_of_the_column():
    data = iris_with_holes()
    seen = np.arange(len(data.y)) % 2 > 0
    forest = learners.RandomForestClassifier(n_estimators=9, random_state=1).fit(data.X[seen], data.y[seen])
    model, column = TableModel(forest, data, seen, ~seen), 1
    found: Any = score_rows(model, without(data, "sepal width"), ANSWERS_ALL, reasons=False)
    values = np.unique(data.X[seen][:, [column]], axis=0)
    frame = pd.DataFrame(fill_rows(data.X, np.array([column]), values), columns=[f.name for f in data.features])
    every: Any = score_rows(model, frame, ANSWERS_ALL, reasons=False)
    shape = len(data.y), len(values)
    assert (found.said.doubt[:, None] >= every.said.doubt.reshape(shape)).all()
    assert (found.sets[:, None, :] >= every.sets.reshape(*shape, -1)).all()


def test_an_interval_covers_those_of_every_value_of_an_absent_column():
    data = samples.load("diabetes")
    seen = np.arange(len(data.y)) % 2 > 0
    tree = learners.CartRegressor(max_depth=3).fit(data.X[seen], data.y[seen])
    model, column = TableModel(tree, data, seen, ~seen), [f.name for f in data.features].index("body mass index")
    found: Any = score_rows(model, without(data, "body mass index"), ANSWERS_ALL, reasons=False)
    values = np.unique(data.X[seen][:, [column]], axis=0)
    frame = pd.DataFrame(fill_rows(data.X, np.array([column]), values), columns=[f.name for f in data.features])
    each: Any = score_rows(model, frame, ANSWERS_ALL, reasons=False).ends
    ends = each.reshape(len(data.y), len(values), 2)
    assert (found.ends[:, 0] <= ends[:, :, 0].min(axis=1)).all()
    assert (found.ends[:, 1] >= ends[:, :, 1].max(axis=1)).all()


def test_trees_as_good_that_ask_an_absent_column_unsettle_an_answer():
    """Two columns are copies of each other: the tree asks one, and trees as good the other."""
    x = np.arange(20.0)
    iris = samples.load("iris")
    data = iris._replace(
        X=np.asfortranarray(np.stack((x, x), axis=1)), y=(x > 9).astype(np.int64), features=iris.features[:2],
        target=iris.target._replace(categories=("a", "b")),
    )  # fmt: skip
    every = np.ones(20, bool)
    tree = learners.OptimalClassifier(max_depth=1).fit(data.X, data.y)
    kept, other = (data.features[0], data.features[1]) if tree.tree_.feature[0] == 0 else data.features[1::-1]
    frame = pd.DataFrame({kept.name: x})
    found = score_rows(TableModel(tree, data, every, ~every), frame, ANSWERS_ALL, reasons=False)
    assert not found.handover.absent.any(), other.name
    assert found.handover.unsettled.all()


IRIS = samples.load("iris")
HELD = held_out(IRIS, HeldOut(30))
TREE = learners.CartClassifier(max_depth=2).fit(IRIS.X[~HELD], IRIS.y[~HELD])
MODEL = TableModel(TREE, IRIS, ~HELD, HELD)


def score_frame(frame, rules=ANSWERS_ALL, model=MODEL, sources=None):
    return score_rows(model, new_rows(pd.DataFrame(frame), model.dataset, sources), rules)


def test_numbers_without_a_unit_are_told_to_be_in_that_of_the_model():
    frame = pd.DataFrame({"mass": ["1 kg", "500 g", "2 kg"], "x": [1.5, 2.5, 9.0], "y": list("aba")}, dtype="str")
    frame["x"] = [1.5, 2.5, 9.0]
    data, _ = to_dataset(frame, guess_kinds(frame), "y", "T")
    said = "“mass” is taken to be in kg."
    bare, measured = (pd.DataFrame({"mass": cells}) for cells in ([1.0, 2.0], ["1 kg", "250 g"]))
    assert said in words.matching(new_rows(bare, data), data)[0]
    assert said not in words.matching(new_rows(measured.astype("str"), data), data)[0]


def test_columns_that_are_there_renamed_missing_extra_and_strange_are_each_named():
    frame = {"Petal_Length": [1.4, 5.0], "petal width": ["0.2", "wide"], "colour": ["red", "blue"]}
    sentences, warnings = words.matching(new_rows(pd.DataFrame(frame), IRIS), IRIS)
    assert sentences == [
        "2 of 4 columns of the model are in the file.",
        "By another name: “petal length” from “Petal_Length”.",
        "Not used: “colour”.",
    ]
    assert warnings == [
        "No column for “sepal length” and “sepal width”: rows whose answer hangs on that go to an expert.",
        "“petal width” cannot be read in 1 of 2 rows, such as “wide”: it counts as missing.",
    ]


def test_units_that_changed_by_a_hundred_or_a_thousand_are_told_and_of_a_file_that_fits_nothing():
    frame = pd.DataFrame(IRIS.X, columns=[feature.name for feature in IRIS.features]).iloc[::7]
    for factor, text in ((100, "a factor of 100"), (1_000, "a factor of 1,000"), (0.01, "a factor of 100")):
        changed = frame.assign(**{"petal length": frame["petal length"] * factor})
        rows = new_rows(changed, IRIS)
        (warning,) = words.matching(rows, IRIS)[1]
        assert warning.startswith("“petal length” may have another unit")
        medians = changed["petal length"].median(), float(np.median(IRIS.X[:, 2]))
        assert all(number(median) in warning for median in medians)
        assert text in warning
        assert rows.X[:, 2].tolist() == changed["petal length"].tolist()
    for factor in (1, 2, 10, 40, -100, 10_000):  # other rows, no other unit; zeros say nothing
        other = frame.assign(**{"petal length": frame["petal length"] * factor, "petal width": 0.0})
        assert not words.matching(new_rows(other, IRIS), IRIS)[1], factor
    data = make_dataset("lengths", IRIS.X[:, :2], IRIS.features[:2], IRIS.X[:, 2], Feature("petal length"))
    frame = pd.DataFrame(IRIS.X[::5, :3] * [1, 1, 1_000], columns=[f.name for f in IRIS.features[:3]])
    (warning,) = words.matching(new_rows(frame, data), data)[1]
    assert warning.startswith("“petal length” may have another unit")
    frame = pd.DataFrame(IRIS.X, columns=[feature.name for feature in IRIS.features])
    assert words.matching(new_rows(frame, IRIS), IRIS) == (["4 of 4 columns of the model are in the file."], [])


def test_a_category_that_the_column_does_not_have_is_a_warning_and_a_reason():
    features = (Feature("colour", "category", ("red", "blue")),)
    table = make_dataset("t", np.array([[0.0], [1.0]] * 10), features, np.array([0, 1] * 10), IRIS.target)
    every = np.ones(20, bool)
    tree = learners.CartClassifier(max_depth=1, categorical_features=[True]).fit(table.X, table.y)
    found = score_frame({"colour": ["red", "teal"]}, model=TableModel(tree, table, every, ~every))
    assert words.matching(found.rows, table)[1] == [
        "“colour” cannot be read in 1 of 2 rows, such as “teal”: it counts as missing."
    ]
    assert why_expert(found, table, np.arange(2)) == [[], ["colour cannot be read: “teal”"]]


def test_numbers_outside_and_missing_ones_are_reasons_of_the_columns_that_are_asked():
    frame = {"petal length": [1.4, 9.0, None], "petal width": [0.2, 2.0, 1.0], "sepal length": [99.0, 5.0, 5.0]}
    found = score_frame(frame)
    ends = IRIS.X[~HELD, 2].min(), IRIS.X[~HELD, 2].max()
    assert why_expert(found, IRIS, np.arange(3)) == [
        [],
        [f"petal length 9 is outside of what it learned from ({ends[0]:g} to {ends[1]:g})"],
        ["petal length is missing"],
    ]
    assert (
        words.handover_words(found) == "Of 3 rows the model answers **1**; **2** (66.7 %) should go to an expert."
    )
    assert words.reasons_words(found, IRIS) == [
        "1: a number outside of what it learned from (“petal length”)",
        "1: a value is missing that was always there (“petal length”)",
    ]


def test_answers_are_counted_right_where_the_file_has_the_truth_and_the_columns_that_matter_come_with_values():
    frame = {"petal length": [1.4, 5.5, 9.0, 1.4], "petal width": [0.2, 2.0, 2.0, 0.2]}
    assert list(words.outcomes_table(score_frame(frame), IRIS)) == ["rows"]
    found = score_frame(frame | {"species": ["setosa", "setosa", "virginica", None]})
    assert found.said.prediction.tolist() == [0, 2, 2, 0]
    assert words.outcomes_table(found, IRIS)["right"].tolist() == ["1 of 2", "1 of 1", "66.7 % (3 rows)"]
    found = score_frame({"petal length": [1.4], "petal width": [0.2]})
    first = matters_most(found, IRIS, np.arange(1))[0][0]
    assert first.startswith(("petal length 1.4 (+", "petal width 0.2 (+"))


def test_the_promise_says_how_many_rows_have_one_class_and_what_is_lacking_for_one():
    frame = {"petal length": [1.4, 5.0], "petal width": [0.2, 1.7]}
    sets: Any = score_frame(frame).sets
    assert f"{sets.sum(axis=1).tolist().count(1)} of 2 have one." in (
        words.promise_of_rows(score_frame(frame), 0.9)
    )
    few = np.zeros(150, bool)
    few[:3] = True
    assert words.promise_of_rows(score_frame(frame, model=MODEL._replace(judges=few)), 0.9) == (
        "Too few rows judge the model to promise 90 %: that takes 9."
    )
    patients = RowRoles(row_groups("patient", np.arange(150) % 8))  # however many rows each has
    assert words.promise_of_rows(
        score_frame(frame, model=MODEL._replace(dataset=IRIS._replace(roles=patients))), 0.9
    ) == ("Too few groups of rows judge the model to promise 90 %: that takes 9.")
    none = score_frame(frame, model=MODEL._replace(judges=~HELD & HELD))
    assert words.promise_of_rows(none, 0.9).startswith("Too few rows judge")


def test_the_table_has_the_label_in_brackets_where_its_name_is_taken_and_all_columns_and_chances_are_saved():
    sources = ColumnSources(("", "", "petal length", ""), label="row")
    table = words.scored_table(
        score_frame({"row": ["a"], "petal length": [1.4]}, sources=sources), IRIS, np.arange(1)
    )
    assert table["row"].tolist() == [1]
    assert table["(row)"].tolist() == ["a"]
    found = score_frame(
        {"petal length": [1.4, 5.0], "petal width": [0.2, 1.5], "answer": ["x", "y"], "species": ["setosa", None]}
    )
    table = words.scored_file(found, IRIS, np.arange(2))
    chances = table[[f"chance of {name}" for name in IRIS.classes]].to_numpy()
    np.testing.assert_allclose(chances, found.said.answers)
    assert table["(answer)"].tolist() == ["x", "y"]
    assert table["petal length"].tolist() == [1.4, 5.0]
    assert table["is right"].tolist() == [True, None]


def test_numbers_have_intervals_whose_ends_are_as_far_from_the_answer_as_promised():
    data = samples.load("diabetes")
    held = held_out(data, HeldOut(30))
    tree = learners.CartRegressor(max_depth=3).fit(data.X[~held], data.y[~held])
    frame = pd.DataFrame(data.X[held], columns=[feature.name for feature in data.features])
    frame[data.target.name] = data.y[held]
    found = score_rows(TableModel(tree, data, ~held, held), frame, ANSWERS_ALL)
    table = words.scored_table(found, data, np.arange(5))
    np.testing.assert_allclose(table["to"] - table["answer"], found.limit)
    np.testing.assert_allclose(table["answer"] - table["from"], found.limit)
    np.testing.assert_allclose(table["off by"], np.abs(table["answer"] - data.y[held][:5]))
    assert words.promise_of_rows(found, 0.9).startswith("Answers ± ")
    assert "off by" in words.outcomes_table(found, data)


DIABETES = samples.load("diabetes")
FIVE = Folds(n_folds=5)


@pytest.fixture(scope="module")
def irises():
    return ask(CartClassifier(max_depth=3, min_samples_leaf=4), IRIS, FIVE)


def test_each_fold_has_the_limit_that_the_other_folds_choose(irises):
    found, answers = promised_sets(irises, 0.97), answered(irises)
    scores = {
        one.number: promises.class_scores(one.answers, one.prediction, IRIS.y[one.rows]) for one in irises.tried
    }
    for one in irises.tried:
        others = np.concatenate([score for number, score in scores.items() if number != one.number])
        limits = np.array([promises.score_limit(others, 0.97)])
        expected = promises.class_sets(one.answers, one.prediction, limits)
        assert np.array_equal(found.sets[answers.fold == one.number], expected)
    assert found.promised.limits.tolist() == [promises.score_limit(np.concatenate(list(scores.values())), 0.97)]


def test_sizes_are_shares_of_the_rows_coverage_counts_the_truth_and_a_model_that_is_right_names_one_class(irises):
    found = promised_sets(irises, 0.8)
    assert found.sizes.tolist() == [1.0, 0.0, 0.0]
    assert found.promised.limits.tolist() == [0.0]
    assert found.promised.coverage.value == pytest.approx(1 - answered(irises).loss.mean())
    found = promised_sets(irises, 0.97)
    n_classes = found.sets.sum(axis=1)
    assert found.sizes.tolist() == pytest.approx([float(np.mean(n_classes == size)) for size in range(1, 4)])
    uneven = IRIS._replace(row_weights=RowWeights("w", np.resize([1.0, 4.0], 150)))
    for models in (irises, ask(CartClassifier(max_depth=3, min_samples_leaf=4), uneven, FIVE)):
        found, answers = promised_sets(models, 0.97), answered(models)
        y, weight = IRIS.y[answers.row], answers.weight
        holds = found.sets[np.arange(150), y]
        assert found.promised.coverage.value == pytest.approx(np.average(holds, weights=weight))
        of_class = [np.average(holds[y == c], weights=weight[y == c]) for c in range(3)]
        assert [share.value for share in found.promised.by_class] == pytest.approx(of_class)


def test_a_rare_class_is_promised_as_much_only_by_class_and_intervals_hold_nine_tenths_wider_where_doubted():
    folds = ask(CartClassifier(max_depth=3), loans(2000), FIVE)
    rare = {by: promised_sets(folds, 0.9, by).promised.by_class[1].value for by in (ALL, EACH_CLASS)}
    assert rare[ALL] < 0.1
    assert rare[EACH_CLASS] == pytest.approx(0.9, abs=0.04)
    found = promised_intervals(ask(CartRegressor(max_depth=3), DIABETES, FIVE), 0.9)
    assert found.promised.coverage.value == pytest.approx(0.9, abs=0.02)
    assert found.promised.coverage.low < 0.9 < found.promised.coverage.high
    assert len(set((found.ends[:, 1] - found.ends[:, 0]).round(9))) <= 5  # one for each fold
    folds = ask(RandomForestRegressor(n_estimators=25, random_state=0), DIABETES, FIVE)
    answers, found = answered(folds), promised_intervals(folds, 0.9, DOUBT_WIDTH)
    half = (found.ends[:, 1] - found.ends[:, 0]) / 2
    scale = np.maximum(answers.doubt, LEAST_SCALE * answers.doubt.mean())
    for fold in range(5):
        inside = answers.fold == fold
        assert np.ptp(half[inside] / scale[inside]) < 1e-9
    y = DIABETES.y[answers.row]
    assert np.array_equal(found.promised.holds, (found.ends[:, 0] <= y) & (y <= found.ends[:, 1]))


def test_answers_of_several_repeats_and_rows_of_one_group_are_evidence_once():
    folds = ask(CartRegressor(max_depth=2), DIABETES, Folds(n_folds=3, n_repeats=2))
    answers, found = answered(folds), promised_intervals(folds, 0.9)
    first = answers.repeat == 0
    off = promises.error_scores(answers.answer[first], DIABETES.y[answers.row[first]])
    assert found.promised.limits.tolist() == [promises.score_limit(off, 0.9)]
    data = in_groups(DIABETES, 20)
    folds = ask(CartRegressor(max_depth=3), data, FIVE)
    answers, found = answered(folds), promised_intervals(folds, 0.9)
    score, unit = np.abs(answers.answer - data.y[answers.row]), answers.row % 20
    assert found.promised.limits.tolist() == [promises.score_limit(score, 0.9, unit=unit)]
    assert found.promised.limits[0] != promises.score_limit(score, 0.9)


def in_groups(data, n_groups):
    """The table with its rows in so many groups, dealt out in turn."""
    return data._replace(roles=RowRoles(row_groups("patient", np.arange(len(data.y)) % n_groups)))


@pytest.mark.parametrize(
    ("promised", "model", "data"),
    [
        (promised_sets, CartClassifier(max_depth=3), IRIS),
        (promised_intervals, CartRegressor(max_depth=3), DIABETES),
    ],
)
def test_fewer_groups_beside_a_fold_than_a_promise_takes_are_refused_with_their_number(promised, model, data):
    needed = promises.units_needed(0.9)
    n_folds = needed + 1  # of one group each: all others choose
    found = promised(ask(model, in_groups(data, n_folds), Folds(n_folds=n_folds)), 0.9).promised
    assert np.isfinite(found.limits).all()
    few = ask(model, in_groups(data, needed), Folds(n_folds=needed))
    with pytest.raises(Refusal, match=rf"90 % .* takes {needed} beside .* there are {needed - 1}; promise less"):
        promised(few, 0.9)


def table(X):
    features = tuple(Feature(f"x{f}") for f in range(X.shape[1]))
    return make_dataset("rows", X, features, np.zeros(len(X)), Feature("y"))


NEW = np.arange(90) >= 60


def test_p_values_of_rows_that_are_alike_are_small_as_seldom_as_they_say():
    alike = [drift(table(np.random.default_rng(seed).normal(size=(90, 3))), NEW, 9, seed) for seed in range(20)]
    assert sum(found.p_value <= 0.2 for found in alike) <= 9  # 20 % of 20, and binomial error


def of_patients(seed):
    """Visits of 30 patients, each near a place of its own; the last 10 are new, and like the others."""
    patient = np.repeat(np.arange(30), 3)
    rng = np.random.default_rng(seed)
    data = table(rng.normal(size=(30, 3))[patient] + 0.1 * rng.normal(size=(90, 3)))
    return data, data._replace(roles=RowRoles(row_groups("patient", patient)))


@pytest.mark.parametrize(("n", "most"), [(10, 5), pytest.param(20, 9, marks=pytest.mark.slow)])
def test_whole_groups_that_are_alike_are_told_apart_as_seldom_as_p_values_say_and_their_rows_would_be_often(
    n, most
):
    by_rows, by_groups = 0, 0
    for seed in range(n):
        rows, groups = of_patients(seed)
        by_rows += drift(rows, NEW, 9, seed).p_value <= 0.2
        by_groups += drift(groups, NEW, 9, seed).p_value <= 0.2
    assert by_groups <= most < by_rows  # 20 % of them, and binomial error


def test_a_column_that_moved_or_goes_together_otherwise_is_found_and_p_counts_the_shuffles_that_do_as_well():
    X = np.random.default_rng(0).normal(size=(90, 4))
    X[NEW, 2] += 2.0
    found = drift(table(X), NEW, 39)
    assert found.p_value == 1 / 40  # the smallest there is
    assert int(found.use.argmax()) == 2
    assert found.auc > found.shuffled.max()
    # Each column alone has the same distribution before and after.
    rng = np.random.default_rng(0)
    a = rng.uniform(-1, 1, (300, 2))
    a[:, 1] = np.where(np.arange(300) < 150, 1, -1) * np.sign(a[:, 0]) * np.abs(a[:, 1])
    assert drift(table(a), np.arange(300) >= 150, 39).p_value <= ALPHA
    found = drift(table(np.random.default_rng(5).normal(size=(60, 2))), np.arange(60) >= 30, 19)
    assert found.p_value == (1 + sum(one >= found.auc for one in found.shuffled)) / 20


def test_too_few_rows_are_refused_and_a_test_that_is_stopped_at_once_finds_nothing():
    data = table(np.zeros((90, 1)))
    with pytest.raises(ValueError, match="too few"):
        drift(data, np.arange(90) < FEWEST - 1)
    assert drift(data, NEW, progress=Progress(is_stopped=True)).p_value == 1.0


@given(st.lists(st.integers(0, 9), min_size=2, max_size=25), st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_of_rows_that_are_new_in_turn_at_least_the_level_stays_under_the_limit_of_the_others(scores, level):
    scores = np.array(scores, float)
    n = len(scores)
    inside = [scores[i] <= score_limit(np.delete(scores, i), level) for i in range(n)]
    assert np.mean(inside) >= level - 1e-12


def test_a_level_of_k_in_n_plus_1_is_the_kth_score_and_a_row_that_counts_twice_stands_there_twice():
    for n in range(1, 61):
        assert [score_limit(np.arange(n), k / (n + 1)) for k in range(1, n + 1)] == list(range(n)), n
    scores, weight = np.array([0.1, 0.2, 0.3, 0.4]), np.array([2.0, 1.0, 1.0, 2.0])
    assert score_limit(scores, 0.5, weight) == 0.3  # of 6 and a new row of 1.5, 3.75 must be under it
    assert score_limit(scores, 0.5) == score_limit(scores, 0.5, np.full(4, 7.0)) == 0.3


@given(st.integers(1, 60), st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_the_limit_is_the_quantile_that_mapie_takes(n, level):
    """MAPIE 1.6, `mapie.utils`: numpy's method "lower" at ⌈(n + 1) level⌉ / n."""
    scores = np.random.default_rng(n).random(n)
    share = np.ceil(round((n + 1) * level, 9)) / n
    assert score_limit(scores, level) == (np.quantile(scores, share, method="lower") if share <= 1 else np.inf)


UNITS = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=6), min_size=2, max_size=15)


@given(UNITS, st.sampled_from([0.5, 0.8, 0.9]))
def test_of_units_that_are_new_in_turn_at_least_the_level_of_their_rows_stays_under_the_limit_of_the_others(
    units, level
):
    score, unit = (
        np.concatenate(units).astype(float),
        np.repeat(np.arange(len(units)), [len(one) for one in units]),
    )
    inside = [
        np.mean(score[unit == i] <= score_limit(score[unit != i], level, unit=unit[unit != i]))
        for i in range(len(units))
    ]
    assert np.mean(inside) >= level - 1e-12


@given(st.lists(st.integers(0, 9), min_size=1, max_size=25), st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_rows_of_a_unit_each_are_rows_and_copies_of_a_row_in_its_unit_are_one(scores, level):
    scores = np.array(scores, float)
    unit = np.arange(len(scores))
    assert score_limit(scores, level, unit=unit) == score_limit(scores, level)
    assert score_limit(np.repeat(scores, 3), level, unit=np.repeat(unit, 3)) == score_limit(scores, level)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95])
def test_so_many_units_are_needed_and_one_less_does_not_do(level):
    for n, is_promised in ((units_needed(level), True), (units_needed(level) - 1, False)):
        unit = np.repeat(np.arange(n), 20)
        assert np.isfinite(score_limit(np.ones(len(unit)), level, unit=unit)) == is_promised


def test_groups_have_limits_of_their_own_sets_hold_classes_within_the_limit_and_intervals_what_is_off_by_it():
    scores, group = np.array([0.5, 0.1, 0.9, 0.2, 0.3]), np.array([0, 1, 0, 1, 1])
    assert group_limits(scores, group, 3, 0.7).tolist() == [np.inf, 0.3, np.inf]
    shares, said = np.array([[0.7, 0.2, 0.1], [0.4, 0.35, 0.25]]), np.array([0, 0])
    assert class_scores(shares, said, np.array([0, 2])).tolist() == pytest.approx([0.0, 0.75])
    assert class_sets(shares, said, np.array([0.65])).tolist() == [[True, False, False], [True, True, False]]
    by_class = class_sets(shares, said, np.array([0.2, 0.8, np.inf]))
    assert by_class.tolist() == [[True, True, True], [True, True, True]]
    assert class_sets(shares, said, np.array([0.0])).tolist() == [[True, False, False]] * 2
    prediction, y, scale = np.array([1.0, 4.0]), np.array([2.0, 0.0]), np.array([0.5, 4.0])
    assert error_scores(prediction, y).tolist() == [1, 4]
    assert error_scores(prediction, y, scale).tolist() == [2, 1]
    assert intervals(prediction, 1.0, scale).tolist() == [[0.5, 1.5], [0.0, 8.0]]


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1])
def test_levels_that_nobody_can_promise_are_refused(level):
    with pytest.raises(ValueError, match="cannot be promised"):
        score_limit(np.array([0.1]), level)


LEAVES = np.array([1, 2])


def two_leaves(y, leaf, value):
    return LeafAnswers(LEAVES, np.asarray(value), np.asarray(leaf), np.asarray(y))


def test_each_leaf_names_as_many_classes_as_its_own_rows_ask_for_and_intervals_are_as_wide_as_its_errors():
    y, leaf = np.repeat([0, 1, 1, 0], [19, 1, 12, 8]), np.repeat([1, 2], [20, 20])
    found = promised_leaves(two_leaves(y, leaf, [[0.9, 0.1], [0.4, 0.6]]), 0.9)
    assert found.sets.tolist() == [[True, False], [True, True]]
    assert found.n.tolist() == [20, 20]
    assert found.is_promised.all()
    y, leaf = np.array([1.0, 2.0, 4.0, 3.0, 10.0, 20.0, 0.0, 30.0]), np.repeat([1, 2], [4, 4])
    found = promised_leaves(two_leaves(y, leaf, [[2.0], [10.0]]), 0.6)
    assert found.limits.tolist() == [promises.score_limit(np.array([1.0, 0.0, 2.0, 1.0]), 0.6), 10.0]
    assert found.ends.tolist() == [[1.0, 3.0], [0.0, 20.0]]


def test_a_leaf_with_too_few_rows_or_rows_of_too_few_groups_promises_nothing():
    needed = units_needed(0.9)
    for n, is_promised in ((needed - 1, False), (needed, True)):
        one = two_leaves(np.zeros(n, int), np.ones(n, int), [[0.9, 0.1], [0.4, 0.6]])
        found = promised_leaves(one, 0.9)
        assert found.is_promised.tolist() == [is_promised, False]
        assert found.sets[1].all()
    n = units_needed(0.9)
    y, unit = np.zeros(2 * n, int), np.concatenate([np.arange(n), np.zeros(n, int)])
    found = promised_leaves(two_leaves(y, np.repeat(LEAVES, n), [[0.9, 0.1], [0.4, 0.6]])._replace(unit=unit), 0.9)
    assert found.is_promised.tolist() == [True, False]
    assert found.in_groups


NAMES = ("benign", "malignant")


def sets(limits=(0.8,), by="all", by_class=((0.95, 0.93, 0.97), (0.7, 0.6, 0.8))):
    """Four rows: three with one class, one with both."""
    shares = tuple(Share(*ends) for ends in by_class)
    inside = np.array([[True, False], [False, True], [True, True], [True, False]])
    overall = Share(0.91, 0.88, 0.94)
    promised = Promised(0.9, by, np.array(limits), 0.0, np.array([True, True, True, False]), overall, shares)
    return PromisedAnswers(promised, inside, np.array([0.75, 0.25]), np.empty((0, 2)))


def test_a_column_for_each_model_says_how_often_the_truth_is_inside_of_which_class_least_and_the_rule():
    table = promises_table([("CART", sets())], NAMES)
    assert table["CART"].to_dict() == {
        "truth inside": "91 % (88 % to 94 %)",
        "least of a class": "malignant: 70 % (60 % to 80 %)",
        "rows with one class": "75 %",
        "a class is named": "from a share of 20 %",
    }
    rules = [promises_table([("CART", sets((limit,)))], NAMES)["CART"].iloc[-1] for limit in (np.inf, 0.0)]
    assert rules == ["always", "never"]
    found = promised_intervals(ask(CartRegressor(max_depth=3), DIABETES, Folds(5)), 0.9)
    rate, width = promises_table([("CART", found)], ())["CART"]
    assert rate.startswith(percent(round(found.promised.coverage.value, 3)))
    assert width == f"± {number(float(found.promised.limits[0]))}"
    names = ("a", "b", "c")
    assert [set_words(inside, names) for inside in np.eye(3, dtype=bool).tolist()] == ["a", "b", "c"]
    assert set_words([True, True, True], names) == "a, b or c"
