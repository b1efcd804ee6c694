"""Reliability and stories in words, tables and pictures, by hand and on models of several kinds."""

import math
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from espalier import learners
from espalier.comparison.figures import colour_of
from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.data.folds import Folds
from espalier.data.roles import RowLabels, RowRoles
from espalier.display.theme import number
from espalier.reliability import curves, explanation_words, reliability
from espalier.reliability import words as reasons
from espalier.reliability.curves import ExplanationInputs
from espalier.reliability.explanation import recourse_plane, story
from espalier.reliability.uncertainty import OWN, SHARE, uncertainties
from espalier.reliability.words import ReliabilitySummary, conflict_words, leaf_words, votes_words
from tests.reliability.test_counterfactuals import APPLICANTS, data_of
from tests.tools import by_hand
from tests.tools.cases import case
from tests.tools.uneven import loans

IRIS, PLAN = samples.load("iris"), Folds(n_folds=3)
DOUBTFUL = 70
MODELS = (
    learners.CartClassifier(max_depth=3),
    learners.CultivatedClassifier(max_depth=4),
    learners.BaggedForestClassifier(learners.CartClassifier(max_depth=2), 7, random_state=0),
    learners.CultivatedForestClassifier(n_estimators=2, max_depth=3, random_state=0),
)


def traces(figure) -> list[Any]:
    """The figure's traces, of whatever kind."""
    return list(figure.data)


def judged(estimator, data=IRIS, goal=reliability.Goal(reliability.ANSWER, 0.8)):  # noqa: B008
    models = reliability.ask(estimator, data, PLAN)
    found = reliability.answered(models)
    point = reliability.operate(found, goal, PLAN)
    one = ReliabilitySummary("Model", 0, models.measure, reliability.curve(found, PLAN), point, len(found.row))
    return models, found, one


def test_what_came_of_a_goal_is_said_with_its_interval_by_the_doubt_and_where_it_is_missed_or_cannot_be_met():
    _, _, one = judged(learners.CartClassifier(max_depth=2))

    def notes(goal, **changes):
        return reasons.point_notes(one._replace(point=one.point._replace(**changes)), goal, True)

    measured = {"coverage": 0.8, "risk": 0.05, "risk_low": 0.02, "risk_high": 0.1, "cost_of_answering": 1.5}
    cheap = one._replace(point=one.point._replace(cost=0.7, **measured))
    goal = reliability.Goal(reliability.COST, wrong=10, asking=1)
    told = reasons.points_table([cheap], goal, IRIS)["Model"]
    assert told.iloc[:6].tolist() == ["80 %", "95 %", "90 % to 98 %", "0.7", "1.5", "1"]
    assert "It does not pay here" in notes(goal, cost=1.2, **measured)
    for coverage, is_far in ((0.87, True), (0.81, False)):
        assert ("equal doubt" in notes(reliability.Goal(reliability.ANSWER, 0.8), coverage=coverage)) == is_far
    low, high = (reliability.Goal(reliability.RISK, risk) for risk in (0.05, 0.1))
    assert "It misses the goal" in notes(low, risk=0.08, promised=0.05)
    assert "misses" not in notes(high, risk=0.08, promised=0.05)
    assert "not even its surest answers" in notes(low, risk=math.nan)
    needed = f"takes {reliability.rows_needed(0.1, 0.9)} groups without a mistake."
    assert needed in notes(reliability.Goal(reliability.RISK, 0.1, confidence=0.9), risk=math.nan, n_groups=40)
    _, _, one = judged(learners.CartClassifier(max_depth=2))
    summary = one._replace(point=one.point._replace(threshold=0.187, coverage=0.8))
    goal = reliability.Goal(reliability.ANSWER)
    assert reasons.points_table([summary], goal, IRIS).loc["doubt, at most", "Model"] == "0.187"


def test_every_row_for_an_expert_has_a_reason():
    for estimator in MODELS:
        for by in [OWN, SHARE]:
            with case((estimator, by)):
                models, _, _ = judged(estimator)
                found = reliability.answered(models, by)
                point = reliability.operate(found, reliability.Goal(reliability.ANSWER, 0.5), PLAN)
                places = reasons.for_experts(found, point.handed_over)
                table = reasons.experts_table(models, found, places, by)
                assert sorted(table["row"] - 1) == sorted(found.row[point.handed_over])
                assert all(len(why) > 5 for why in table["why it is doubted"])
                for row, said, right in table[["row", "would say", "right"]].itertuples(index=False):
                    assert (said == IRIS.classes[IRIS.y[row - 1]]) == right
                file = reasons.experts_file(table, IRIS)
                assert file["petal width"].tolist() == IRIS.X[table["row"] - 1, 3].tolist()


@pytest.mark.parametrize(("column", "heading"), [("customer", "customer"), ("row", "(row)")])
def test_rows_for_an_expert_have_the_labels_of_the_table(column, heading):
    names = tuple(f"no. {1000 + row}" for row in range(len(IRIS.y)))
    data = IRIS._replace(roles=RowRoles(labels=RowLabels(column, names)))
    models, found, _ = judged(learners.CartClassifier(max_depth=2), data)
    table = reasons.experts_table(models, found, np.arange(3), OWN)
    assert table[heading].tolist() == [f"no. {999 + row}" for row in table["row"]]
    file = reasons.experts_file(table, data)
    assert file.columns.is_unique
    assert file[heading].tolist() == table[heading].tolist()


def test_numbers_have_reasons_and_figures_of_their_own():
    data = samples.load("diabetes")
    for estimator in (learners.CartRegressor(max_depth=2), learners.CultivatedRegressor(max_depth=2)):
        models, found, one = judged(estimator, data)
        table = reasons.experts_table(models, found, np.arange(3), OWN)
        assert all(len(why) > 5 for why in table["why it is doubted"])
        layout = curves.threshold_picture(one, False).draw(False).to_dict()["layout"]
        assert layout["yaxis2"]["side"] == "right"
        table = reasons.points_table([one], reliability.Goal(reliability.ANSWER), data)
        assert table.loc["off by, on average", "Model"] == number(one.point.risk)


def test_the_figures_show_the_curves():
    _, _, one = judged(learners.CultivatedClassifier(max_depth=3))
    lines = [t for t in traces(curves.answered_picture([one], True).draw(False)) if t.name == "Model"]
    shown = one.curve.coverage >= curves.LEAST_SHOWN
    assert lines[0].x == pytest.approx(one.curve.coverage[shown])
    assert lines[0].y == pytest.approx(1 - one.curve.risk[shown])
    panel = curves.threshold_picture(one, True).draw(True)
    dashed = next(t for t in traces(panel) if t.line.dash == "dash")
    assert dashed.y == pytest.approx(one.curve.coverage)
    assert "answered" in curves.answered_picture([one], True).alt
    assert "Model, by the threshold" in curves.threshold_picture(one, True).alt


def test_the_baseline_is_judged_on_the_rows_that_the_model_answers_and_several_differ_by_colour_and_mark():
    data = loans()
    _, found, one = judged(learners.CartClassifier(max_depth=1), data)
    given = ~one.point.handed_over
    usual = data.y[found.row[given]] == 0
    told = reliability.rates_of(found, data, given)
    assert told.baseline == pytest.approx(usual.mean())
    assert told.accuracy == pytest.approx(1 - one.point.risk)
    always = reliability.curve(reliability.baseline_answers(found, data), PLAN)
    assert always.coverage == pytest.approx(one.curve.coverage)
    assert always.risk[-1] == pytest.approx(0.1, abs=0.01)
    with_it = one._replace(baseline=always)
    assert "always the most frequent class, 90 % at 100 % answered" in curves.answered_picture([with_it], True).alt
    lines = traces(curves.answered_picture([one._replace(slot=slot) for slot in range(3)], True).draw(True))
    assert [t.line.color for t in lines if t.name == "Model"] == [colour_of(slot, True) for slot in range(3)]


def test_words_beside_an_axis_that_are_too_long_for_a_line_take_two_and_are_not_cut():
    look = ExplanationInputs(told(learners.CultivatedClassifier(max_depth=3)), IRIS, False)
    long, short = "94 % left; cuts from 0.03741 to 0.05128", "94 % left; cut at 0.03741"
    shown = [ElementTree.fromstring(one) for one in curves._beside(look, long, 30.0)]
    assert [one.text for one in shown] == ["94 % left", "cuts from 0.03741 to 0.05128"]
    assert float(shown[1].attrib["y"]) - float(shown[0].attrib["y"]) >= 12
    assert [ElementTree.fromstring(one).text for one in curves._beside(look, short, 30.0)] == [short]


def test_conclusions_are_drawn_from_redrawn_data():
    answers, data = np.array([0.9, 0.1]), loans()
    half = np.repeat(np.eye(2), 15, axis=0)
    assert explanation_words.refit_words(data, int(answers.argmax()), half) == (
        "15 of 30 models on redrawn rows would say the same (50 %); 15 would say default. Do not rely on it."
    )
    again = np.eye(3)[[1, 1, 2, 1]]
    assert explanation_words.refit_words(IRIS, 1, again) == (
        "3 of 4 models on redrawn rows would say the same (75 %); 1 would say virginica."
    )


def test_reasons_by_hand_among_them_a_small_leaf_and_a_close_threshold():
    assert votes_words(np.array([0.25, 0.0, 0.75]), IRIS.target) == "75 % of the trees say virginica, 25 % setosa"
    data = data_of([[0.0, 0.0], [10.0, 10.0]], [Feature("a"), Feature("b")])
    assert conflict_words(by_hand.options(), data, np.array([9.0, 9.0])) == (
        "b 9 and a 9 point to different answers (100 % of the doubt)"
    )
    near = conflict_words(by_hand.options(), data, np.array([4.5, 3.0]))
    assert near.startswith("b 3 and a 4.5 point to") or "a 4.5 is near the cuts" in near
    assert conflict_words(by_hand.options(), data, np.array([1.0, 9.0])).startswith("no module")
    x = np.array([3.5, 64.0])
    found = uncertainties(by_hand.admission(), x[None, :], np.array([0]))
    assert leaf_words(by_hand.admission(), APPLICANTS, x, np.array([1.0, 0.0]), found, 0) == (
        "its leaf is small: 2 rows, all a; toefl 64 is close to 64.5"
    )


# ---- stories


def told(estimator, data=IRIS, row=DOUBTFUL):
    estimator.fit(data.X, data.y)
    return story(estimator, data, data.X[row])


@pytest.mark.parametrize("estimator", MODELS)
def test_every_story_has_words_and_pictures_that_are_whole(estimator):
    found = told(estimator)
    look = ExplanationInputs(found, IRIS)
    why = " ".join(explanation_words.why(found, IRIS))
    assert why
    assert ("; 7 trees have a vote." in why) == isinstance(estimator, learners.BaggedForestClassifier)
    assert bool(explanation_words.nearly(found, IRIS)) == (found.answers[found.runner_up] > 0)
    assert "it would say" in explanation_words.counterfactual_words(found, IRIS)
    table = explanation_words.changes_table(found, IRIS)
    assert len(table) == len(found.singles)
    pictures = [curves.way_picture(look), curves.refit_picture(look, np.eye(3)[[1, 1, 2]], "Two of three.")]
    if isinstance(estimator, learners.CultivatedClassifier) and not hasattr(estimator, "forest_"):
        pictures.append(curves.leaves_picture(look))
    for picture in pictures:
        assert ElementTree.fromstring(picture.draw(False)).tag.endswith("svg")
        assert picture.alt
    places = (found.x - IRIS.X.min(axis=0)) / np.ptp(IRIS.X, axis=0)
    start, length = curves.TRACK
    dots = ElementTree.fromstring(pictures[0].draw(False)).findall(".//{*}circle")
    expected = [start + length * places[row.feature] for row in curves.rows_of(look)]
    assert [float(dot.attrib["cx"]) for dot in dots] == pytest.approx(expected, abs=0.1)


def admission_to(data):
    """An estimator of these rows with the tree by hand."""
    model = learners.CartClassifier().fit(data.X, data.y)
    model.tree_ = by_hand.admission()
    return model


def test_the_story_of_an_applicant_by_hand_and_of_a_search_that_was_stopped_and_certifies_nothing():
    found: Any = story(admission_to(APPLICANTS), APPLICANTS, np.array([3.5, 62.5]))
    (why,) = explanation_words.why(found, APPLICANTS)
    assert why == "Because gpa > 3 and toefl ≤ 64.5. It learned from 2 rows like this one: a 100 %."
    assert explanation_words.counterfactual_words(found, APPLICANTS).startswith(
        "If toefl > 64.5 instead of 62.5 (2 more, 4 % of its range), it would say b, 4 of 4. That is proved"
    )
    assert explanation_words.nearly(found, APPLICANTS)[0] == (
        "It was close at toefl: 62.5; the limit is 64.5, 4 % of its range away, beyond it b, 4 of 4."
    )
    open_ = found._replace(is_cut=True, ruled_out=0, flip=found.flip._replace(is_exact=False))
    words = explanation_words.counterfactual_words(open_, APPLICANTS)
    assert "not proved" in words
    nothing = explanation_words.counterfactual_words(open_._replace(flip=None), APPLICANTS)
    assert nothing == "No change was found that makes it say another class, but not all were tried."


def test_a_change_to_a_tie_names_all_that_tie():
    found: Any = told(learners.CartClassifier(max_depth=2), row=70)
    k = int(found.answer)
    tie = np.zeros(3)
    tie[[k, (k + 1) % 3]] = 0.5
    words = explanation_words.counterfactual_words(found._replace(flip=found.flip._replace(answer=tie)), IRIS)
    first, second = sorted([k, (k + 1) % 3])
    assert f"it would say tie: {IRIS.classes[first]}, {IRIS.classes[second]}, 50 % each" in words


def test_a_change_to_another_category_and_from_a_missing_value_are_said_plainly():
    data = data_of([[0.0], [1.0], [2.0]], [Feature("colour", "category", ("red", "green", "blue"))])
    tree = learners.CartClassifier(categorical_features=[0]).fit(data.X, data.y)
    tree.tree_ = by_hand.colours()
    assert "If colour is green instead of red, it would say b" in explanation_words.counterfactual_words(
        story(tree, data, np.array([0.0])), data
    )
    far = story(admission_to(APPLICANTS), APPLICANTS, np.array([np.nan, 200.0]))
    found = explanation_words.counterfactual_words(far, APPLICANTS)
    assert found.startswith("If gpa ≤ 3 instead of missing, it would say a")


def test_the_story_of_a_number_is_drawn_too_and_names_from_the_data_cannot_be_markup():
    data = samples.load("diabetes")
    found = told(learners.CartRegressor(max_depth=2), data, 3)
    look = ExplanationInputs(found, data)
    again = np.array([[100.0], [150.0], [170.0]])
    assert ElementTree.fromstring(curves.refit_picture(look, again, "").draw(True)).tag.endswith("svg")
    assert "would say between 110 and 166" in explanation_words.refit_words(data, found.answer, again)
    assert explanation_words.counterfactual_words(found, data)
    wild = IRIS._replace(features=tuple(f._replace(name=f'<b x="1">{f.name}') for f in IRIS.features))
    svg = curves.way_picture(ExplanationInputs(told(learners.CartClassifier(max_depth=2), wild), wild)).draw(False)
    assert "<b x" not in svg
    ElementTree.fromstring(svg)


def test_the_region_of_recourse_is_drawn_with_the_row_and_its_change_and_told():
    model = learners.CartClassifier(max_depth=3).fit(IRIS.X, IRIS.y)
    found = story(model, IRIS, IRIS.X[70])
    plane = recourse_plane(model, IRIS, found)
    assert plane is not None
    picture = curves.recourse_picture(ExplanationInputs(found, IRIS), plane)
    light, dark = (picture.draw(is_dark) for is_dark in (False, True))
    assert light != dark
    assert ElementTree.fromstring(dark).tag.endswith("svg")
    assert light.count("<circle") == dark.count("<circle") == 2
    assert curves._ticks(Feature("c", "category", ("red", "blue")), np.empty(0)) == [(0, "red"), (1, "blue")]
    assert picture.alt == (
        "What would be said over two columns; from petal width 1.8, petal length 4.8 to petal width 1.75, petal "
        "length 4.8."
    )


def test_a_story_is_told_in_the_units_of_columns_and_target_and_weights_make_no_more_rows():
    costly = learners.CartClassifier(max_depth=2, class_weight={0: 1.0, 1: 1.0, 2: 5.0}).fit(IRIS.X, IRIS.y)
    leaf = int(costly.apply(IRIS.X[-1:])[0])
    (why,) = explanation_words.why(story(costly, IRIS, IRIS.X[-1]), IRIS)
    assert costly.tree_.weight[leaf] > costly.tree_.n_samples[leaf]
    assert f"It learned from {costly.tree_.n_samples[leaf]} rows like this one" in why
    features = [one._replace(name=f"{one.name} (points)", unit="points") for one in APPLICANTS.features]
    named = APPLICANTS._replace(features=tuple(features))
    found = story(admission_to(named), named, np.array([3.5, 62.5]))
    assert explanation_words.why(found, named)[0].startswith("Because gpa > 3 points and toefl ≤ 64.5 points.")
    assert explanation_words.counterfactual_words(found, named).startswith(
        "If toefl > 64.5 points instead of 62.5 points (2 more, 4 % of its range), it would say b"
    )
    assert explanation_words.nearly(found, named)[0].startswith("It was close at toefl: 62.5 points; the")
    diabetes = samples.load("diabetes")
    named = diabetes._replace(target=diabetes.target._replace(name="progression (points)", unit="points"))
    found = story(learners.CartRegressor(max_depth=3).fit(named.X, named.y), named, named.X[0])
    assert explanation_words.says(named, found.answers).endswith(" points")
    again = np.array([[100.0], [110.0], [120.0]])
    assert "between 102 and 118 points" in explanation_words.refit_words(named, 0.0, again)
    assert (
        explanation_words.counterfactual_words(found, named)
        .split("it would say ")[1]
        .split(".")[0]
        .endswith(" points")
    )
