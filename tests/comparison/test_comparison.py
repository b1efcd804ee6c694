"""Models compared on the same folds, with progress and cancel; and the figures, tables and words of it."""

import math
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, r2_score, roc_auc_score
from sklearn.model_selection import PredefinedSplit, cross_validate

from espalier.comparison import cross_validation, figures, tables, words
from espalier.comparison.class_rates import baseline_words, blind_words, class_rates_words, rates
from espalier.comparison.cross_validation import validate
from espalier.comparison.scores import ClassScores, MeanScores, class_scores
from espalier.comparison.tables import Contestant
from espalier.data import make_dataset, samples
from espalier.data.dataset import ClassMarks, Feature
from espalier.data.folds import Folds, deal
from espalier.kernels.cultivated.fractions import log_ensemble_size
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, RandomForestClassifier
from espalier.progress import Progress
from espalier.tasks import PARTS
from espalier.tree.model_size import LONE_ROOT, Size, n_rules, size_of
from espalier.trees import Tree, is_leaf
from tests.tools import by_hand
from tests.tools.uneven import loans

PLAN = Folds(10)
LIMIT = 100_000  # characters of a figure's JSON
Y = np.arange(200) % 2
GOOD = np.array([0.9, 0.92, 0.88, 0.91, 0.9, 0.93, 0.87, 0.9, 0.91, 0.88])
ALIKE = GOOD + np.array([0.02, -0.03, 0.02, 0.01, -0.02, -0.01, 0.03, 0.01, -0.03, 0.01])
POOR = np.array([0.5, 0.51, 0.5, 0.49, 0.5, 0.52, 0.5, 0.5, 0.48, 0.5])


def contestant(title, accuracy, slot=0, leaves=5, plan=PLAN, share=0.8, **changes):
    """A model with these accuracies, that gives the right class of nine rows in ten this share."""
    tried = [
        cross_validation.Tried(
            i, ClassScores(20, a, a, a, 1 - a, 1 - a), Size(leaves, leaves, 0.0), 0.1, 0.01,
            changes.get("is_whole", True),
        )
        for i, a in enumerate(accuracy)
    ]  # fmt: skip
    right = np.where(np.arange(len(Y)) // 2 % 10 < 9, share, 1 - share)
    shares = np.where(np.eye(2, dtype=bool)[Y], right[:, None], 1 - right[:, None])
    return Contestant(title, slot, cross_validation.Validated(tuple(tried), shares, plan, shares.argmax(axis=1)))


MODELS = [
    contestant("CART", GOOD, 0, leaves=4),
    contestant("Random forest", ALIKE, 1, leaves=900, share=0.9),
    contestant("Baseline", POOR, 2, leaves=1, share=0.5),
]


def compared(models, score="accuracy"):
    return cross_validation.compare([m.validated.scores(score) for m in models], PLAN.ratio_tested)


def traces(figure: go.Figure) -> list[Any]:
    return list(figure.data)


def drawn(figure):
    """JSON of the figure, which must be small and free of markup from names."""
    json = figure.to_json()
    assert len(json) < LIMIT
    return json


@pytest.mark.parametrize("dark", [False, True])
def test_every_fold_is_a_dot_and_every_mean_has_its_interval(dark):
    figure = figures.folds_picture(MODELS[:2], "accuracy").draw(dark)
    lines, *rest = traces(figure)
    dots, means = rest[::2], rest[1::2]
    assert [list(trace.y) for trace in dots] == [list(GOOD), list(ALIKE)]
    for trace, values in zip(means, (GOOD, ALIKE), strict=True):
        mean, low, high = cross_validation.interval(values, PLAN.ratio_tested)
        assert trace.y[0] == pytest.approx(mean)
        assert trace.error_y.array[0] == pytest.approx(high - mean)
        assert trace.error_y.arrayminus[0] == pytest.approx(mean - low)
    assert [v for v in lines.y if v is not None] == [v for pair in zip(GOOD, ALIKE, strict=True) for v in pair]
    drawn(figure)


def test_dots_of_a_fold_stand_on_its_line_as_far_as_there_are_any_and_a_model_far_off_does_not_squeeze_others():
    lines, *rest = traces(figures.folds_picture(MODELS[:2], "accuracy").draw(False))
    first, second = list(rest[0].x), list(rest[2].x)
    assert first == sorted(first)
    assert [x for x in lines.x if x is not None] == [x for pair in zip(first, second, strict=True) for x in pair]
    figure: Any = figures.folds_picture(MODELS, "accuracy").draw(False)
    low, high = figure.layout.yaxis.range
    assert 0.7 < low < figure.layout.annotations[0].y < min(*GOOD, *ALIKE)
    assert high > GOOD.max()
    assert "50 %" in figure.layout.annotations[0].text
    assert figures.far_off(np.array([[0, 1], [0.1, 0.9], [0.2, 1.1]])) is None
    figure = figures.folds_picture([contestant("CART", GOOD[:4]), MODELS[1]], "accuracy").draw(False)
    assert list(traces(figure)[1].y) == list(GOOD[:4])
    drawn(figure)


def test_the_matrix_is_deep_only_where_a_difference_is_clear_and_less_is_better_where_it_is():
    titles, found = [m.title for m in MODELS], compared(MODELS)
    figure: Any = figures.matrix_picture(titles, found, "accuracy").draw(False)
    (text,) = traces(figure)
    depth = np.array([cell.opacity for cell in figure.layout.shapes]).reshape(3, 3)
    assert depth[0, 1] == depth[1, 0] == depth[2, 0] < depth[0, 2]
    cells = np.array(text.text).reshape(3, 3)
    assert cells[0, 2] == f"<b>{words.signed_text('accuracy', (GOOD - POOR).mean(), has_unit=False)}</b>"
    assert "b>" not in cells[0, 1]
    assert cells[1, 1] == "·"
    titles, found = [m.title for m in MODELS], compared(MODELS, "log_loss")
    figure = figures.matrix_picture(titles, found, "log_loss").draw(False)
    assert figure.layout.shapes[2].opacity == max(cell.opacity for cell in figure.layout.shapes)
    assert np.array(traces(figure)[0].text).reshape(3, 3)[0, 2].startswith("<b>−0.4")
    assert words.pairs_table(MODELS, found, "log_loss").iloc[0, 1] == "Baseline"


def test_calibration_has_a_dot_for_each_bin_as_large_as_its_rows_are_many_and_pale_where_they_are_few():
    picture = figures.calibration_picture(MODELS[:1], Y, 1)
    _, line, dots = traces(picture.draw(False))
    assert list(dots.x) == pytest.approx([0.2, 0.8])
    assert list(dots.y) == pytest.approx([0.1, 0.9])
    assert list(line.x) == list(dots.x)
    assert "10 %" in picture.alt
    one = MODELS[0]
    shares = one.validated.predicted.copy()
    shares[0] = [0.45, 0.55]
    odd = one._replace(validated=one.validated._replace(predicted=shares))
    _, line, dots = traces(figures.calibration_picture([odd], Y, 1).draw(False))
    assert len(dots.x) == 3
    assert len(line.x) == 2
    assert min(dots.marker.opacity) < 1 == max(dots.marker.opacity)


def test_the_roc_curve_goes_from_corner_to_corner_and_figures_have_words_for_those_who_do_not_see_them():
    picture = figures.roc_picture(MODELS[:1], Y, 1)
    curve = traces(picture.draw(False))[1]
    assert (curve.x[0], curve.y[0], curve.x[-1], curve.y[-1]) == (0, 0, 1, 1)
    assert curve.name == "CART 0.9"
    assert "CART 0.9" in picture.alt
    titles, found = [m.title for m in MODELS], compared(MODELS)
    assert "CART 90 % (interval" in figures.folds_picture(MODELS, "accuracy").alt
    assert "CART minus Baseline +40 pts, clear" in figures.matrix_picture(titles, found, "accuracy").alt


def test_the_table_writes_scores_with_their_spread_sizes_and_numbers_of_trees_and_the_file_the_numbers_of_all():
    table = tables.scores_table(MODELS, Y, tables.CLASS_SCORES)
    assert list(table.columns) == ["CART", "Random forest", "Baseline"]
    assert str(table.loc["accuracy ↑", "CART"]) == f"90 % ± {100 * GOOD.std(ddof=1):.1f} %"
    assert table.loc["leaves", "CART"] == "4"
    assert table.loc["calibration error ↓", "CART"] == "10 %"
    assert str(table.loc["trees represented", "CART"]) == "1"
    table = tables.scores_table([contestant("same", np.full(10, 0.1 * 3))], Y, ("accuracy",))
    assert table.loc["accuracy ↑", "same"] == "30 % ± 0 %"
    assert [tables.trees_in_words(x) for x in (0, 2, 4.5, 5, 310.6)] == ["1", "100", "31,623", "10⁵", "10³¹¹"]
    names = tables.CLASS_SCORES
    summary = tables.summary(MODELS, Y, names)
    assert summary["accuracy"].tolist() == pytest.approx([GOOD.mean(), ALIKE.mean(), POOR.mean()])
    assert summary["accuracy low"].tolist()[0] == pytest.approx(
        cross_validation.interval(GOOD, PLAN.ratio_tested)[1]
    )


def test_numbers_have_scores_of_numbers_and_table_and_file_tell_what_is_right_of_each_class():
    found = MeanScores(9, 0.5, 2.0, 1.5, 0.4, float("nan"))
    tried = [
        cross_validation.Tried(i, found._replace(rmse=2.0 + i), Size(3, 3, 0), 0.1, 0.1, True) for i in range(10)
    ]
    one = Contestant("CART", 0, cross_validation.Validated(tuple(tried), np.zeros((90, 1)), PLAN, np.zeros(90)))
    table = tables.scores_table([one], np.zeros(90), tables.MEAN_SCORES)
    assert str(table.loc["RMSE ↓", "CART"]).startswith("6.5 ±")
    assert (table.loc["D², absolute error ↑", "CART"], table.loc["D², Poisson ↑", "CART"]) == ("0.4 ± 0", "–")
    assert "calibration error ↓" not in table.index
    drawn(figures.folds_picture([one], "rmse").draw(False))
    always = np.tile([0.9, 0.1], (len(Y), 1))
    said = MODELS[0].validated._replace(predicted=always, prediction=always.argmax(axis=1))
    one = MODELS[0]._replace(validated=said)
    table = tables.scores_table([one], Y, ("accuracy",), ("no", "yes"))
    assert table["CART"][["right, of “no” ↑", "right, of “yes” ↑"]].tolist() == ["100 %", "0 %"]
    file = tables.summary([one], Y, ("accuracy",), ("no", "yes"))
    assert file["right, of yes"].tolist() == [0]


def test_the_headline_says_who_cannot_be_told_apart_from_the_leader():
    said = words.headline(MODELS, compared(MODELS), "accuracy")
    assert said.startswith("Clear differences in accuracy: **2 of 3**.")
    assert said.endswith("Best on average: **Random forest**. Not told apart: **CART**.")
    only = words.headline(MODELS[1:], compared(MODELS[1:]), "accuracy")
    assert only == "Clear differences in accuracy: **1 of 1**. Best on average: **Random forest**."


def test_of_models_equal_or_not_told_apart_the_one_that_can_be_read_is_advised_and_never_the_baseline():
    said = words.advice(MODELS, compared(MODELS), "accuracy")
    assert said == (
        "**CART is easier to read** than Random forest (4 rules, not 900), and no clear difference parts them."
    )
    assert words.advice(MODELS[::2], compared(MODELS[::2]), "accuracy") is None
    level = [contestant("CART", GOOD, 0, leaves=9), contestant("Optimal", GOOD, 1, leaves=4)]
    assert "**Optimal is easier to read** than CART (4" in str(words.advice(level, compared(level), "accuracy"))
    same = [contestant("CART", GOOD, 0, leaves=4), contestant("Optimal", GOOD, 1, leaves=4)]
    assert words.advice(same, compared(same), "accuracy") is None
    level = [contestant("Forest", ALIKE, 0, leaves=42_232), contestant("Baseline", GOOD, 1, leaves=1)]
    assert "Baseline" in str(words.advice(level, compared(level), "accuracy"))
    assert words.advice(level, compared(level), "accuracy", baseline=1) is None


def test_uneven_classes_are_compared_by_area_at_first_and_gaps_of_balanced_accuracy_are_points():
    assert tables.first_score(loans()) == "auc"
    assert tables.first_score(samples.load("iris")) == "accuracy"
    assert tables.first_score(samples.load("diabetes")) == "rmse"
    assert words.signed_text("balanced_accuracy", 0.031) == "+3.1 pts"


def test_every_pair_has_its_verdict_clear_equal_or_in_doubt_where_folds_are_too_few():
    found = compared(MODELS)
    table = words.pairs_table(MODELS, found, "accuracy")
    assert ["CART", "Baseline", "+40 pts"] in table.iloc[:2, :3].to_numpy().tolist()
    assert table.iloc[2, [0, 1, -1]].tolist() == ["Random forest", "CART", "noise?"]
    twins = [MODELS[0], contestant("Twin", GOOD, 1)]
    assert words.pairs_table(twins, compared(twins), "accuracy").iloc[0, -1] == "equal"
    stopped = [MODELS[0], contestant("Stopped", GOOD[:1], 1)]
    assert words.pairs_table(stopped, compared(stopped), "accuracy").iloc[0, -2:].tolist() == [
        "–",
        "too few folds",
    ]
    gaps = np.array([-0.01, 0.01] * 5)
    level = [MODELS[0], contestant("Level", GOOD + gaps, 1)]
    assert "Best on average: **CART** and **Level**." in words.headline(level, compared(level), "accuracy")
    few = [contestant("One", GOOD[:3]), contestant("Other", GOOD[:3] - 0.1, 1)]
    found = compared(few)
    assert found[0].verdict is cross_validation.Verdict.NOISE


def test_p_values_are_told_as_frequencies_and_what_would_stand_out_alone_is_not_enough_among_several():
    assert [words.how_often(p) for p in (0.0001, 0.004, 0.2, 0.999)] == [
        "fewer than 1 of 1,000 times",
        "4 of 1,000 times",
        "20 of 100 times",
        "nearly always",
    ]
    noise = pair(0.122, 0.366, cross_validation.Verdict.NOISE)
    said = words.pairs_table(MODELS, [noise], "accuracy").iloc[0]
    assert said["by chance alone"] == "12 of 100 times"
    assert said["p, of all pairs"] == "0.37"
    assert said["95 % interval"] == "−1 pts to +5 pts"
    picture = figures.matrix_picture("AB", [pair(0.122, 0.366, cross_validation.Verdict.NOISE)], "accuracy")
    assert "p = 0.12 alone, 0.37 among all pairs" in traces(picture.draw(False))[0].hovertext[1]


def pair(p, p_holm, verdict, mean=0.02):
    return cross_validation.Compared(
        0, 1, cross_validation.ScoreDifference(mean, 0.02, mean - 0.03, mean + 0.03, p, 10, 1 / 9), p_holm, verdict
    )


def test_a_stopped_model_leads_no_table_the_brier_score_says_what_it_sums_and_intervals_end_where_scores_do():
    stopped = contestant("Stopped", GOOD[:2] - 0.001, 1)  # two easy folds, on which CART is better
    models = [MODELS[0], stopped]
    assert (GOOD[:2] - 0.001).mean() > GOOD.mean()
    assert words.best(models, "accuracy") == 0
    said = words.headline(models, compared(models), "accuracy")
    assert said.startswith("On the 2 of 10 folds that all models were tried on: Clear differences in accuracy")
    y, shares = np.array([0, 1, 1]), np.array([[0.8, 0.2], [0.4, 0.6], [0.7, 0.3]])
    assert class_scores(y, shares).brier == pytest.approx(2 * brier_score_loss(y, shares[:, 1]))
    assert "summed over the classes" in words.SCORE_HELP["brier"]
    assert tables.within("accuracy", (0.9, 0.7, 1.1)) == (0.9, 0.7, 1.0)
    assert tables.within("rmse", (2.0, -1.0, 5.0)) == (2.0, 0.0, 5.0)
    assert tables.within("r2", (0.1, -1.0, 1.2)) == (0.1, -1.0, 1.0)
    assert math.isnan(tables.within("auc", (0.5, math.nan, math.nan))[1])


def test_labels_of_an_axis_have_the_decimals_that_they_need_and_it_stays_within_what_the_score_can_be():
    figure: Any = figures.folds_picture(MODELS[:2], "accuracy").draw(False)
    assert figure.layout.yaxis.tickformat == ",.3~%"  # d3: up to three decimals, without trailing zeros
    figure: Any = figures.folds_picture([contestant("Baseline", np.full(10, 0.9))], "accuracy").draw(False)
    assert figure.layout.yaxis.autorangeoptions.to_plotly_json() == {"minallowed": -0.01, "maxallowed": 1.01}


def test_models_no_better_than_the_baseline_are_named_and_small_folds_many_pairs_and_short_searches_warned_of():
    assert words.against_baseline(MODELS, compared(MODELS), 2, "accuracy") is None
    weak = [contestant("Weak", POOR + ALIKE - GOOD), *MODELS[1:]]
    said: Any = words.against_baseline(weak, compared(weak), 2, "accuracy")
    assert said.endswith("not clearly better than the baseline, which asks nothing: **Weak**.")
    hasty = [contestant("Optimal", GOOD, is_whole=False), *MODELS[1:]]
    said = " ".join(words.cautions(hasty, compared(hasty), 50))
    assert "A fold tests on about 5 rows" in said
    assert "so partly by luck" in said
    assert "Out of time in some folds: Optimal." in said
    assert not words.cautions(MODELS[:2], compared(MODELS[:2]), 5_000)


LOANS = Feature("loan", "category", ("repaid", "default"))
NINETY = np.repeat([0, 1], [90, 10])
ALWAYS = rates(NINETY, np.zeros(100, np.int64), 2)
RIGHT = rates(NINETY, NINETY, 2)


def test_the_baseline_and_what_is_right_of_each_class_are_told_of_many_the_worst_and_the_best():
    assert baseline_words(ALWAYS, LOANS) == ("Always answering “repaid” would be right on 90 % of the same rows.")
    assert class_rates_words(ALWAYS, LOANS) == "Right by class: 100 % of 90 “repaid”, 0 % of 10 “default”."
    y = np.repeat(np.arange(6), 2)
    found = rates(y, np.where(y == 3, 0, y), 6)
    letters = Feature("letter", "category", tuple("abcdef"))
    assert class_rates_words(found, letters) == "Right by class: from 0 % of 2 “d” to 100 % of 2 “f”."
    assert "“<default>”" in str(blind_words([("CART", ALWAYS)], LOANS, mark=lambda name: f"<{name}>"))


def test_the_class_that_counts_is_set_against_the_rest_and_blind_accuracy_is_said_to_be():
    marked = LOANS._replace(marks=ClassMarks(1, "choice"))
    found = rates(NINETY, np.repeat([0, 1, 0, 1], [87, 3, 4, 6]), 2)
    assert class_rates_words(found, marked).endswith(
        "“default” counts: sensitivity 60 %, specificity 96.7 %, precision 66.7 %."
    )
    assert class_rates_words(ALWAYS, marked).endswith("sensitivity 0 %, specificity 100 %, it is never answered.")
    said = blind_words([("CART", ALWAYS), ("Forest", RIGHT)], LOANS)
    assert said is not None
    assert "**Accuracy tells little here.** Always answering “repaid” would be right on 90 %" in said
    assert "**CART** is right on 90 %, but by classes on 50 % on average. It never answers “default”." in said
    assert "Forest" not in said
    assert blind_words([("Forest", RIGHT)], LOANS) is None


IRIS = samples.load("iris")


@given(
    st.integers(2, 6), st.integers(1, 3), st.lists(st.integers(0, 3), min_size=6, max_size=60), st.integers(0, 9)
)
def test_every_row_is_tested_once_a_repeat_and_every_fold_has_its_share_of_every_class(
    n_folds, n_repeats, y, seed
):
    y = np.array(y)
    folds = [fold.rows for fold in deal(y, Folds(n_folds, n_repeats, seed))]
    assert len(folds) == n_folds * n_repeats
    for repeat in (folds[start : start + n_folds] for start in range(0, len(folds), n_folds)):
        assert sorted(np.concatenate(repeat)) == list(range(len(y)))
        for k in np.unique(y):
            counts = [np.count_nonzero(y[rows] == k) for rows in repeat]
            assert max(counts) - min(counts) <= 1
        assert max(map(len, repeat)) - min(map(len, repeat)) <= 1


@given(st.lists(st.floats(-9, 9), min_size=20, max_size=60))
def test_every_fold_has_its_share_of_small_and_great_numbers(y):
    y = np.array(y)
    order = np.sort(y)
    for fold in deal(y, Folds(5)):
        inside = np.sort(y[fold.rows])
        for i, value in enumerate(inside):  # one of every five neighbours
            assert order[5 * i] <= value <= order[min(5 * i + 4, len(y) - 1)]


def test_folds_follow_from_the_targets_and_the_plan_alone_and_what_a_model_cannot_do_is_raised():
    first, again, other = (deal(IRIS.y, Folds(10, 2, seed)) for seed in (0, 0, 1))
    assert all(np.array_equal(a.rows, b.rows) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a.rows, b.rows) for a, b in zip(first, other, strict=True))
    assert not np.array_equal(first[0].rows, first[10].rows)
    with pytest.raises(ValueError, match="max_depth"):
        validate(CartClassifier(max_depth=-1), IRIS, Folds(3))
    with pytest.raises(ValueError, match="200 folds cannot be made of 150 rows"):
        validate(CartClassifier(), IRIS, Folds(200))


def test_two_models_are_tested_on_the_same_rows_and_trained_on_the_others():
    class Noting(DummyClassifier):
        seen: ClassVar[list] = []

        def fit(self, X, y, sample_weight=None):
            self.seen.append(("fit", X))
            return super().fit(X, y)

        def predict_proba(self, X):
            self.seen.append(("asked", X))
            return super().predict_proba(X)

    class NotingAlso(Noting):
        seen: ClassVar[list] = []

    plan = Folds(5, 2)
    for model in (Noting(), NotingAlso()):
        validate(model, numbered(), plan)
    assert len(Noting.seen) == 2 * plan.n_all
    for (what, a), (_, b) in zip(Noting.seen, NotingAlso.seen, strict=True):
        assert np.array_equal(a, b), what
    for (_, fit), (_, asked) in zip(Noting.seen[::2], Noting.seen[1::2], strict=True):
        assert sorted([*fit[:, 0], *asked[:, 0]]) == list(range(40))


def numbered():
    """Rows whose one feature is their number."""
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    return make_dataset("numbered", X, [Feature("number")], y, Feature("t", "category", ("a", "b")))


def test_scores_of_classes_and_of_numbers_are_scikit_learns_on_the_same_folds():
    data = samples.load("breast-cancer")
    found = validate(CartClassifier(max_depth=3), data, Folds(5))
    for tried, (_, rows, _) in zip(found.tried, deal(data.y, Folds(5)), strict=True):
        y, shares = data.y[rows], found.predicted[rows]
        assert found.scores("accuracy")[tried.number] == pytest.approx(accuracy_score(y, shares.argmax(axis=1)))
        assert found.scores("auc")[tried.number] == pytest.approx(float(roc_auc_score(y, shares[:, 1])))
        assert found.scores("brier")[tried.number] == pytest.approx(2 * float(brier_score_loss(y, shares[:, 1])))
        assert found.scores("log_loss")[tried.number] == pytest.approx(log_loss(y, shares))
    data = samples.load("diabetes")
    found = validate(CartRegressor(max_depth=3), data, Folds(4))
    for tried, (_, rows, _) in zip(found.tried, deal(data.y, Folds(4)), strict=True):
        error = data.y[rows] - found.predicted[rows, 0]
        assert found.scores("r2")[tried.number] == pytest.approx(r2_score(data.y[rows], found.predicted[rows, 0]))
        assert found.scores("rmse")[tried.number] == pytest.approx(math.sqrt(np.mean(error**2)))
        assert found.scores("mae")[tried.number] == pytest.approx(np.mean(np.abs(error)))


def test_out_of_fold_accuracy_is_scikit_learns_on_the_same_split_and_a_class_missing_there_has_no_share():
    number = np.empty(len(IRIS.y), np.int64)
    for fold in deal(IRIS.y, Folds(6)):
        number[fold.rows] = fold.number
    tree = CartClassifier(max_depth=2, random_state=0)
    theirs = cross_validate(tree, IRIS.X, IRIS.y, cv=PredefinedSplit(number))["test_score"]
    assert validate(tree, IRIS, Folds(6)).scores("accuracy") == pytest.approx(theirs)
    y = np.array([0] * 9 + [1] * 10 + [2])
    data = make_dataset(
        "rare", np.arange(20.0)[:, None], [Feature("x")], y, Feature("t", "category", tuple("abc"))
    )
    found = validate(CartClassifier(), data, Folds(4))
    assert found.is_complete
    assert found.predicted[19].sum() == pytest.approx(1)
    assert found.predicted[19, 2] == 0


def test_threads_and_processes_find_what_one_thread_finds():
    tree, plan = CartClassifier(max_depth=3, random_state=0), Folds(3)
    alone = validate(tree, IRIS, plan)
    with ThreadPoolExecutor(2) as pool:
        threads = validate(tree, IRIS, plan, pool)
    assert np.array_equal(alone.predicted, threads.predicted)
    assert [t.scores for t in alone.tried] == [t.scores for t in threads.tried]
    with ProcessPoolExecutor(1) as pool:
        found = validate(DummyClassifier(), IRIS, Folds(5), pool)  # five folds part 50 rows of a class evenly
    assert found.scores("accuracy") == pytest.approx([1 / 3] * 5)


class Slow(BaseEstimator):
    """Says the first class, after a while or when it is told to stop."""

    def __init__(self, gate: threading.Event):
        self.gate = gate

    def __sklearn_clone__(self):
        return self

    def fit(self, X, y, progress):
        self.classes_ = np.unique(y)
        while self.gate.is_set() and not progress.is_stopped:
            time.sleep(0.001)
        progress.done = len(y)
        return self

    def predict_proba(self, X):
        return np.eye(len(self.classes_))[np.zeros(len(X), int)]


def test_every_fold_counts_the_same_for_progress_and_what_is_cancelled_before_it_begins_tries_nothing():
    progress = Progress()
    validate(Slow(threading.Event()), IRIS, Folds(3, 2), progress=progress)
    assert progress.done == 6 * PARTS
    gate, progress = threading.Event(), Progress(is_stopped=True)
    gate.set()
    found = validate(Slow(gate), IRIS, Folds(5), progress=progress)
    assert not found.tried
    assert np.isnan(found.predicted).all()


def test_a_cancelled_validation_ends_and_keeps_only_what_was_whole():
    gate, progress = threading.Event(), Progress()
    with ThreadPoolExecutor(1) as caller:
        started = caller.submit(validate, Slow(gate), IRIS, Folds(40, 5), None, progress)
        while progress.done < PARTS and not started.done():
            time.sleep(0.001)
        gate.set()  # from here on every fold waits to be stopped
        progress.stop()
        found = started.result(60)
    assert not found.is_complete or not gate.is_set()
    assert all(t.scores.n_samples > 0 for t in found.tried)
    assert np.count_nonzero(np.isfinite(found.scores("accuracy"))) == len(found.tried)


def naive_rules(tree: Tree, node=0):
    """The classes that the leaves below vote for, as they stand, with pairs under one split drawn together."""
    if tree.left[node] < 0:
        return [int(tree.value[node].argmax())]
    left, right = naive_rules(tree, tree.left[node]), naive_rules(tree, tree.right[node])
    return left if len(left) == len(right) == 1 and left == right else left + right


@pytest.mark.parametrize("depth", [1, 2, 4, None])
def test_rules_are_leaves_without_twins(depth):
    tree = CartClassifier(max_depth=depth, min_samples_leaf=3).fit(IRIS.X, IRIS.y).tree_
    assert n_rules(tree) == len(naive_rules(tree))


def test_sizes_by_hand_of_trees_of_a_forest_that_represents_its_trees_and_of_a_cultivated_tree_that_pools_many():
    tree = by_hand.admission()
    assert n_rules(tree) == 3 == tree.n_leaves
    same = tree._replace(value=np.tile([0.6, 0.4], (5, 1)))
    assert n_rules(same) == 1
    assert size_of(DummyClassifier().fit([[0]], [0])) == LONE_ROOT == Size(1, 1, 0)
    forest = RandomForestClassifier(n_estimators=100, random_state=0).fit(IRIS.X, IRIS.y)
    size = size_of(forest)
    assert size.log_trees == pytest.approx(2)
    assert size.leaves == sum(np.count_nonzero(is_leaf(tree)) for tree in forest.forest_.trees)
    cultivated = CultivatedClassifier().fit(IRIS.X, IRIS.y)
    assert size_of(cultivated).log_trees == log_ensemble_size(cultivated.tree_) > 0
    assert size_of(CartClassifier().fit(IRIS.X, IRIS.y)).log_trees == 0
