"""Compared models as figures, tables and words: what is drawn, what is said, and that both say the same."""

import math
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from sklearn.metrics import brier_score_loss

from espalier.comparison import cross_validation, figures, tables, words
from espalier.comparison.class_rates import baseline_words, blind_words, class_rates_words, rates
from espalier.comparison.scores import ClassScores, MeanScores, class_scores
from espalier.comparison.tables import Contestant
from espalier.data import samples
from espalier.data.dataset import ClassMarks, Feature
from espalier.data.folds import Folds
from espalier.tree.model_size import Size
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
