"""Scripts that make a model again: run as they are, they print the score that they name."""

import contextlib
import io

import pytest

from espalier.data import HeldOut, held_out, samples
from espalier.learners.catalogue import CommonTerms, Model
from espalier.views.reports.script import to_script


def printed(script: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(script, "script.py", "exec"), {})
    return out.getvalue().strip()


@pytest.mark.parametrize(
    ("sample", "model"),
    [
        ("iris", Model("cart", (("depth", 2),))),
        ("tic-tac-toe", Model("cart", (("depth", 5), ("leaf", 7)))),  # categories
        ("diabetes", Model("cart", (("depth", 3),))),
        ("iris", Model("cultivated", (("depth", 3),))),
        ("iris", Model("optimal", (("depth", 2),))),
        ("wine", Model("oblique", (("depth", 2),))),
    ],
)
@pytest.mark.parametrize("holdout", [HeldOut(30, 3), HeldOut(0)])
def test_a_script_prints_the_score_that_it_names(sample, model, holdout):
    data = samples.load(sample)
    held = held_out(data, holdout)
    estimator = model.make(CommonTerms.of(data)).fit(data.X[~held], data.y[~held])
    tested = held if held.any() else ~held
    score = estimator.score(data.X[tested], data.y[tested])
    script = to_script(estimator, data, sample, holdout, score)
    assert float(printed(script)) == pytest.approx(score)
    assert script.endswith(f"# here it was {score:.6g}")


def test_rows_of_a_filter_are_held_out_by_the_filter():
    data, holdout = samples.load("iris"), HeldOut(30, where="petal length~gt~6")
    held = held_out(data, holdout)
    model = Model("cart").make(CommonTerms.of(data)).fit(data.X[~held], data.y[~held])
    score = model.score(data.X[held], data.y[held])
    assert float(printed(to_script(model, data, "iris", holdout, score))) == pytest.approx(score)
