"""A boosted sum round by round: its stages are those of the estimator, its residuals those of the definitions."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from espalier import boosting as pictures
from espalier.boosting import CurvePlot, PlotLine
from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.learners import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier
from tests.tools.cases import case

IRIS, SINE, CANCER = (samples.load(name) for name in ("iris", "sine", "breast-cancer"))


def test_the_stages_of_a_number_are_those_of_the_estimator_and_its_residuals_what_the_next_tree_learns():
    model = GradientBoostingRegressor(n_estimators=5).fit(SINE.X, SINE.y)
    found = pictures.stages(model.forest_, SINE.X, 1)
    expected = np.array(list(model.staged_predict(SINE.X)))
    assert found[0, :, 0] == pytest.approx(np.full(len(SINE.y), SINE.y.mean()))
    assert found[1:, :, 0] == pytest.approx(expected)
    assert pictures.losses(model.forest_, found, SINE.y)[1:] == pytest.approx(
        np.mean((expected - SINE.y) ** 2, axis=1)
    )
    model = GradientBoostingRegressor(n_estimators=1, learning_rate=1, max_leaf_nodes=2).fit(SINE.X, SINE.y)
    score = pictures.stages(model.forest_, SINE.X, 1)
    before, after = (pictures.residuals(model.forest_, stage, SINE.y)[:, 0] for stage in score)
    step = score[1, :, 0] - score[0, :, 0]
    for value in np.unique(step):  # a full step of a leaf is the mean of its residuals (ESL, algorithm 10.3)
        assert before[step == value].mean() == pytest.approx(value)
        assert after[step == value].mean() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("loss", ["absolute_error", "poisson"])
def test_the_losses_of_a_number_are_those_that_the_estimator_reports(loss):
    y = SINE.y + 2.0
    model = GradientBoostingRegressor(loss=loss, n_estimators=4).fit(SINE.X, y)
    score = pictures.stages(model.forest_, SINE.X, 1)
    assert pictures.losses(model.forest_, score, y, loss=loss) == pytest.approx(-model.train_score_)
    assert pictures.predictions(model.forest_, score[-1])[:, 0] == pytest.approx(model.predict(SINE.X))
    assert pictures.residuals(model.forest_, score[-1], y)[:, 0] == pytest.approx(y - model.predict(SINE.X))


@pytest.mark.parametrize(("data", "size"), [(IRIS, 3), (CANCER, 1)], ids=["three classes", "two classes"])
def test_the_residuals_of_classes_are_the_truth_minus_the_shares(data, size):
    model = GradientBoostingClassifier(n_estimators=3).fit(data.X, data.y)
    score = pictures.stages(model.forest_, data.X, size)
    shares = list(model.staged_predict_proba(data.X))
    truth = np.eye(len(data.classes))[data.y]
    for number, said in enumerate(shares, start=1):
        assert pictures.predictions(model.forest_, score[number]) == pytest.approx(said)
        found = pictures.residuals(model.forest_, score[number], data.y)
        assert found == pytest.approx((truth - said)[:, -size:])
    assert -model.train_score_ == pytest.approx(pictures.losses(model.forest_, score, data.y))


def test_a_class_that_no_row_had_keeps_the_share_0_and_a_forest_that_votes_has_no_rounds():
    model = GradientBoostingClassifier(n_estimators=2).fit(IRIS.X, IRIS.y)
    forest = model.forest_._replace(start=np.array([0.0, 0.0, -np.inf]))
    score = pictures.stages(forest, IRIS.X, 3)
    assert (pictures.predictions(forest, score[2])[:, 2] == 0).all()
    forest = RandomForestClassifier(n_estimators=2, random_state=0).fit(IRIS.X, IRIS.y).forest_
    with pytest.raises(ValueError, match="only a sum of trees has stages"):
        pictures.stages(forest, IRIS.X, 1)


X, TARGET = np.linspace(0, 1, 11), Feature("y")
PLOT = CurvePlot(X, (PlotLine("after", X**2), PlotLine("before", X, False)), X[:7], X[:7] ** 3, ("x", "y"))
LOSSES = [
    PlotLine("grown on", np.array([3.0, 2.0, 1.0, 0.5]), False),
    PlotLine("held out", np.array([3.0, 1, 2, 4])),
]
DRAWN = {
    "curve": lambda dark: pictures.curve(PLOT, dark),
    "histogram": lambda dark: pictures.histogram([PlotLine("all", X)], "x", (TARGET, 0), dark),
    "loss": lambda dark: pictures.loss_picture(LOSSES, 2, "loss").draw(dark),
}


def texts(svg):
    return [node.text for node in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_a_picture_is_drawn_in_light_and_dark():
    for dark in [False, True]:
        for name in DRAWN:
            with case((dark, name)):
                assert DRAWN[name](dark) != DRAWN[name](not dark)
                assert texts(DRAWN[name](dark))


def test_a_curve_has_a_dot_for_each_point_its_lines_have_names_the_least_loss_a_mark_and_equal_values_an_axis():
    svg = pictures.curve(PLOT._replace(x=np.append(X[:6], np.nan)), False)
    assert svg.count("<circle") == 6
    assert {"after", "before", "x", "y"} <= set(texts(svg))
    assert "least: round 1" in texts(pictures.loss_picture(LOSSES, 2, "loss").draw(False))
    words = pictures.loss_picture(LOSSES, 2, "loss").alt
    assert "held out: 3 before the first round, 2 after round 2, least after round 1." in words
    low, high = pictures.ends_of(np.zeros(3))
    assert low < 0 < high
    assert pictures.histogram([PlotLine("all", np.zeros(3))], "x", (TARGET, 0), False)
    assert pictures.loss_picture([PlotLine("grown on", np.zeros(1))], 0, "loss").draw(False)
    assert "<b>" not in pictures.curve(PLOT._replace(titles=("<b>", "&")), False)
