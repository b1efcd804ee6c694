"""The numbers that the lessons on bagging, purity and belief say are those of their pages."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from espalier.approximation import words as approximation_words
from espalier.data import HeldOut
from espalier.data.folds import Folds, plan_for
from espalier.data.samples.generators import EXAMPLES
from espalier.display.theme import number
from espalier.forests.pictures import fit_bags
from espalier.learners import catalogue
from espalier.learners.catalogue import CommonTerms
from espalier.lessons import BUNDLED, from_folder, lesson_in
from espalier.lessons.questions import NumberQuestion, SketchQuestion
from espalier.progress import Progress
from espalier.reliability.reliability import Goal, answered, ask, operate
from pages.shared.approximation import boxes, fits, results
from pages.shared.basics.bagging import AT
from pages.shared.data import library
from tests.tools.cases import case

LESSON = (BUNDLED / "bagging" / "lesson.toml").read_text("utf-8").replace("\\\n", "")


def seen(rows, model):
    """The errors and the last row's influences that the page shows, of one fit and of the mean of 200 bags."""
    here = EXAMPLES[rows]()
    fit = fit_bags(model, here.x, here.y, AT, 200)
    errors = [float(np.sqrt(np.mean((said - here.truth(AT)) ** 2))) for said in (fit.one, fit.mean)]
    return errors, [float(fit.influence_in_one[-1]), float(fit.influence_in_mean[-1])]


@pytest.mark.parametrize(
    ("rows", "model", "errors", "influences"),
    [
        ("wave", "mean", (2.12, 2.12), (0.025, 0.025)),
        ("far", "line", (1.77, 1.26), (0.54, 0.4)),
        ("central", "line", (0.259, 0.293), (0.067, 0.073)),
        ("right", "line", (0.374, 0.759), (0.76, 0.51)),
    ],
)
def test_the_lesson_on_bagging_says_the_numbers_of_its_figure(rows, model, errors, influences):
    found = seen(rows, model)
    assert found[0] == pytest.approx(errors, rel=5e-3)
    assert found[1] == pytest.approx(influences, rel=1.2e-2)
    for value in (*errors, *influences):
        assert number(value) in LESSON


def test_the_mean_of_trees_on_the_wave_is_a_quarter_nearer_to_it():
    errors, _ = seen("wave", "tree")
    assert [number(error) for error in errors] == ["0.878", "0.658"]
    assert "0.878" in LESSON
    assert "0.658" in LESSON
    here = EXAMPLES["wave"]()
    fit = fit_bags("tree", here.x, here.y, AT, 200)
    assert (fit.influence_in_one[0], round(fit.influence_in_mean[0], 2)) == (1, 0.63)


def test_the_exercise_on_bagging_is_right_for_the_tree_alone():
    question = lesson_in(from_folder(BUNDLED / "bagging")).steps[-1].question
    assert isinstance(question, NumberQuestion)
    errors, influences = seen("central", "tree")
    assert question.is_right(f"{errors[1]:.2f}")
    assert [round(errors[0], 1), *(round(one, 1) for one in influences)] == [1.8, 1.0, 0.6]
    others = [*errors[:1], *seen("central", "line")[0], *seen("central", "mean")[0]]
    assert not any(question.is_right(f"{error:.2f}") for error in others)


@cache
def approximated(data, **settings):
    """A black box and its tree, as the page Approximate has both."""
    dataset = library.find_whole(data)
    assert dataset is not None
    model = catalogue.model(catalogue.find_kind("approximation"), {"samples": "100000", **settings})
    made: Any = boxes.maker(dataset, HeldOut(30), model)
    one = fits.ApproximationJob(repr((data, settings)), dataset, HeldOut(30), model, made[1])(Progress())
    assert one is not None
    return one


def fidelities(one):
    """Agreement with the black box at each depth, in per cent."""
    return [100 * level.fidelity.agreement for level in results.levels(one)]


def in_per_cent(one):
    """Accuracy of the black box and of its tree on the held-out rows."""
    truth: Any = results.truth(one)
    return round(100 * truth.model, 1), round(100 * truth.tree, 1)


def test_the_sketch_of_fidelity_is_that_of_the_wines():
    question = lesson_in(from_folder(BUNDLED / "trust")).steps[0].question
    assert isinstance(question, SketchQuestion)
    forest = approximated("wine")
    assert [round(share) for share in fidelities(forest)] == list(question.answer)
    assert in_per_cent(forest) == (100, 92.5)
    assert forest.held.sum() == 53


@pytest.mark.parametrize(
    ("samples", "fidelity", "sureness"),
    [("100000", 96, "8 of 13 splits were decided"), ("1000", 95.8, "1 of 13 splits were decided by the test; in 3 "
      "the exact threshold is uncertain and in 9 another column may do as well")],
)  # fmt: skip
def test_fewer_made_up_cases_decide_fewer_splits_though_the_tree_is_as_faithful(samples, fidelity, sureness):
    one = approximated("breast-cancer", samples=samples)
    assert sureness in approximation_words.sureness(results.split_facts(one))
    assert round(fidelities(one)[-1], 1) == fidelity


def test_a_tree_that_is_faithful_to_logistic_regression_is_as_wrong_on_xor():
    one = approximated("xor", box="linear")
    assert round(fidelities(one)[-1], 1) == 96.5
    assert in_per_cent(one) == (61.7, 60)


def answers_of(data, learner, goal):
    """Shares answered and right of these, in per cent, rows answered, and errors in them: as on Reliability."""
    dataset = library.find_whole(data)
    assert dataset is not None
    model = catalogue.model(catalogue.find_kind(learner), {})
    plan = plan_for(dataset, Folds(10, 1, 0))
    answers = answered(ask(model.make(CommonTerms.of(dataset, n_jobs=1)), dataset, plan))
    point = operate(answers, goal, plan)
    given = ~point.handed_over
    shares = round(100 * point.coverage, 1), round(100 * (1 - point.risk), 1)
    return *shares, int(given.sum()), int(answers.loss[given].sum())


def test_models_that_may_leave_rows_to_an_expert_answer_as_the_lesson_says():
    for data, learner, goal, right in [
        ("breast-cancer", "random", Goal("answer", 1.0), (100, 96, 569, 23)),
        ("breast-cancer", "random", Goal("answer", 0.8), (80.1, 99.3, 456, 3)),
        ("breast-cancer", "random", Goal("risk", 0.01), (88.4, 99, 503, 5)),
        ("breast-cancer", "cart", Goal("answer", 1.0), (100, 93, 569, 40)),
        ("breast-cancer", "cart", Goal("risk", 0.01), (3.2, 94.4, 18, 1)),
        ("moons", "random", Goal("risk", 0.01), (89.5, 98.6, 358, 5)),
        ("moons", "cart", Goal("risk", 0.01), (66.5, 98.5, 266, 4)),
    ]:
        with case((data, learner, goal, right)):
            assert answers_of(data, learner, goal) == right
