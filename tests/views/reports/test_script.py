"""Scripts that make a model again: run as they are, they print the score that they name."""

import contextlib
import io
import json

import pytest

from espalier.data import HeldOut, held_out, read_table, samples
from espalier.data.columns.convert import TargetPlan
from espalier.data.columns.kinds import guess_kinds
from espalier.data.options import ReadOptions
from espalier.data.recipe import TableRecipe
from espalier.learners.catalogue import CommonTerms, Model
from espalier.views.reports.script import RebuiltModel, to_notebook, to_script
from tests.tools.cases import case


def printed(script: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(script, "script.py", "exec"), {})
    return out.getvalue().strip()


def test_a_script_prints_the_score_that_it_names():
    for sample, model in [
        ("iris", Model("cart", (("depth", 2),))),
        ("tic-tac-toe", Model("cart", (("depth", 5), ("leaf", 7)))),  # categories
        ("diabetes", Model("cart", (("depth", 3),))),
        ("iris", Model("cultivated", (("depth", 3),))),
        ("iris", Model("optimal", (("depth", 2),))),
        ("wine", Model("oblique", (("depth", 2),))),
    ]:
        for holdout in [HeldOut(30, 3), HeldOut(0)]:
            with case((sample, model, holdout)):
                data = samples.load(sample)
                held = held_out(data, holdout)
                estimator = model.make(CommonTerms.of(data)).fit(data.X[~held], data.y[~held])
                tested = held if held.any() else ~held
                score = estimator.score(data.X[tested], data.y[tested])
                script = to_script(RebuiltModel(estimator, data, sample, holdout, score))
                assert float(printed(script)) == pytest.approx(score)
                assert script.endswith(f"# here it was {score:.6g}")


def test_rows_of_a_filter_are_held_out_by_the_filter():
    data, holdout = samples.load("iris"), HeldOut(30, where="petal length~gt~6")
    held = held_out(data, holdout)
    model = Model("cart").make(CommonTerms.of(data)).fit(data.X[~held], data.y[~held])
    score = model.score(data.X[held], data.y[held])
    assert float(printed(to_script(RebuiltModel(model, data, "iris", holdout, score)))) == pytest.approx(score)


def test_a_notebook_prints_the_score_that_it_names_and_shows_the_tree():
    data, holdout = samples.load("iris"), HeldOut(30)
    held = held_out(data, holdout)
    model = Model("cart", (("depth", 2),)).make(CommonTerms.of(data)).fit(data.X[~held], data.y[~held])
    score = model.score(data.X[held], data.y[held])
    notebook = json.loads(to_notebook(RebuiltModel(model, data, "iris", holdout, score)))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    cells = ["".join(cell["source"]) for cell in notebook["cells"]]
    assert float(printed("\n".join(cells))) == pytest.approx(score)
    names: dict = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in cells:
            exec(cell, names)
    assert names["model"].tree_.n_leaves == model.tree_.n_leaves


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A file with decimal commas, an ordered column and gaps, and how a person had it read."""
    rows = [f"{i % 7},{i % 10};{('low', 'mid', 'high')[i % 3]};{'yes' if i % 7 > 3 else 'no'}" for i in range(60)]
    text = "\n".join(["size;grade;ill", *rows, ";mid;no"])
    (tmp_path / "it's people.csv").write_text(text + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    options = read_table(tmp_path / "it's people.csv").options
    table = read_table(tmp_path / "it's people.csv", options=options)
    plans = [
        plan._replace(kind="ordered", categories=("low", "mid", "high")) if plan.name == "grade" else plan
        for plan in guess_kinds(table.frame, table.categories)
    ]
    return TableRecipe("it's people.csv", options, tuple(plans), TargetPlan("ill"))


def test_a_script_for_a_persons_own_file_reads_it_as_it_was_read_on_the_page(own, tmp_path):
    data = own.dataset(tmp_path)
    assert [feature.kind for feature in data.features] == ["number", "ordered"]
    model = Model("cart", (("depth", 2),)).make(CommonTerms.of(data)).fit(data.X, data.y)
    script = to_script(RebuiltModel(model, data, own, HeldOut(0), model.score(data.X, data.y)))
    assert float(printed(script)) == pytest.approx(model.score(data.X, data.y))
    assert "reason=" not in script


def test_a_script_refuses_another_file_of_this_name(own, tmp_path):
    data = own.dataset(tmp_path)
    model = Model("cart", (("depth", 2),)).make(CommonTerms.of(data)).fit(data.X, data.y)
    script = to_script(RebuiltModel(model, data, own, HeldOut(0), 0.5))
    file = tmp_path / own.filename
    file.write_text(file.read_text("utf-8").replace("1,1;", "1,2;"), encoding="utf-8")
    with pytest.raises(AssertionError, match="this is another table"):
        printed(script)


def test_what_is_not_as_usual_of_reading_is_written_out(own, tmp_path):
    data = own.dataset(tmp_path)
    told = own._replace(options=own.options._replace(missing=("", "none")))
    model = Model("cart").make(CommonTerms.of(data)).fit(data.X, data.y)
    script = to_script(RebuiltModel(model, data, told, HeldOut(0), 0.5))
    assert "missing=('', 'none')" in script
    assert ReadOptions().missing != ("", "none")
