"""The numbers that the lessons on bagging and purity say are those of the figures on the page of basics."""

import numpy as np
import pytest

from espalier.analysis.forests.bagging import bagged
from espalier.data.samples.outliers import EXAMPLES
from espalier.lessons import BUNDLED, from_folder, lesson_in
from espalier.lessons.questions import NumberQuestion
from espalier.views.theme import number
from pages.shared.basics.bagging import AT

LESSON = (BUNDLED / "bagging" / "lesson.toml").read_text("utf-8").replace("\\\n", "")


def seen(rows, model):
    """The errors and the last row's influences that the page shows, of one fit and of the mean of 200 bags."""
    here = EXAMPLES[rows]()
    fit = bagged(model, here.x, here.y, AT, 200)
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
    fit = bagged("tree", here.x, here.y, AT, 200)
    assert (fit.influence_in_one[0], round(fit.influence_in_mean[0], 2)) == (1, 0.63)


def test_the_exercise_on_bagging_is_right_for_the_tree_alone():
    question = lesson_in(from_folder(BUNDLED / "bagging")).steps[-1].question
    assert isinstance(question, NumberQuestion)
    errors, influences = seen("central", "tree")
    assert question.is_right(f"{errors[1]:.2f}")
    assert [round(errors[0], 1), *(round(one, 1) for one in influences)] == [1.8, 1.0, 0.6]
    others = [*errors[:1], *seen("central", "line")[0], *seen("central", "mean")[0]]
    assert not any(question.is_right(f"{error:.2f}") for error in others)
