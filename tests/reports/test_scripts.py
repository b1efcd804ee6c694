"""Scripts of pages: run as they are, they make the models again, and print the numbers that they name."""

import contextlib
import io
import json
import re
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from espalier.comparison.cross_validation import validate
from espalier.data import HeldOut, RowWeights, held_out, read_table, samples
from espalier.data.columns.convert import TableRecipe, TargetPlan
from espalier.data.columns.kinds import guess_kinds
from espalier.data.dataset import make_dataset
from espalier.data.folds import Folds
from espalier.data.options import ReadOptions
from espalier.fitting import fit
from espalier.learners import ApproximationClassifier, CartClassifier
from espalier.learners.black_boxes.models import BLACK_BOXES, Setup
from espalier.learners.catalogue import KINDS, CommonTerms, Model
from espalier.reports.scripts import (
    RebuiltModel,
    RebuiltPage,
    import_lines,
    imports_of,
    page_notebook,
    page_script,
    source_text,
    to_notebook,
    to_script,
)
from tests.tools.cases import case

TABLES = {name: samples.load(name) for name in ("iris", "diabetes", "tic-tac-toe")}
SOME = {"random": 5, "extra": 5, "cultivated-forest": 3, "bagged": 3, "root": 3, "boosted": 3, "gradient": 5}
KINDS_AND_TABLES = [
    (kind.name, name)
    for kind in KINDS
    for name, data in TABLES.items()
    if data.is_classification in kind.serves and kind.name != "approximation"
]


def printed(script):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(script, "script.py", "exec"), {})
    return out.getvalue().strip().splitlines()


def numbers(line):
    """The numbers that a line has found, and those that it names."""
    found, here = line.split(": ", 1)[1].split(", here it was ")
    return [[float(text) for text in re.findall(r"[-+.0-9e]+", part)] for part in (found, here)]


def again(model) -> Any:
    """The model that its text makes."""
    names: dict = {}
    exec("\n".join([*import_lines(imports_of(model)), f"model = {source_text(model)}"]), names)
    return names["model"]


def model_of(kind, data):
    trees = (("trees", SOME[kind]),) if kind in SOME else ()
    return Model(kind, trees).make(CommonTerms.of(data, n_jobs=2))


def test_a_model_of_every_kind_is_written_as_python_that_makes_the_same_one():
    for kind, table in KINDS_AND_TABLES:
        with case((kind, table)):
            model = model_of(kind, TABLES[table])
            assert type(again(model)) is type(model)
            assert source_text(again(model)) == source_text(model)
            assert "n_jobs" not in source_text(model)


def test_a_black_box_is_written_as_python_with_all_its_steps():
    for box in BLACK_BOXES:
        for table in TABLES:
            with case((box, table)):
                data = TABLES[table]
                model: Any = box.make(Setup(data.is_classification, data.categorical, 3))
                assert source_text(again(model)) == source_text(model)
                some = slice(None, None, 3)
                models: list[Any] = [again(model), clone(model)]
                both = [one.fit(data.X[some], data.y[some]).predict(data.X) for one in models]
                np.testing.assert_array_equal(*both)


BY_FOLDS = [
    ("cart", "iris"),
    ("bagged", "iris"),
    ("random", "diabetes"),
    ("gradient", "tic-tac-toe"),
    ("baseline", "iris"),
]


@pytest.mark.parametrize(("kind", "table"), BY_FOLDS)
def test_a_script_on_folds_prints_the_means_that_it_names(kind, table):
    data, plan = TABLES[table], Folds(3, 2, 5)
    score = "accuracy" if data.is_classification else "rmse"
    model = model_of(kind, data)
    here = {"A “b\\n": float(validate(model, data, plan).scores(score).mean())}
    (line,) = printed(page_script(RebuiltPage({"A “b\\n": model}, data, table, plan, here, score)))
    assert numbers(line)[0] == pytest.approx(numbers(line)[1], rel=1e-5)
    assert numbers(line)[1] == pytest.approx(list(here.values()), rel=1e-5)


@pytest.mark.parametrize("holdout", [HeldOut(30, 2), HeldOut(0), HeldOut(30, where="petal length~gt~6")])
@pytest.mark.parametrize("is_weighed", [False, True])
def test_a_script_of_forests_prints_the_scores_of_the_rows_held_out(holdout, is_weighed, monkeypatch):
    data = TABLES["iris"]
    if is_weighed:
        weight = RowWeights("often", np.arange(150) % 3 + 1.0)
        data = make_dataset(data.name, data.X, data.features, data.y, data.target, weight)
        monkeypatch.setattr(samples, "load", lambda _: data)
    held = held_out(data, holdout)
    tested = held if held.any() else ~held
    model = fit(model_of("random", data), data, ~held)
    score = float(model.score(data.X[tested], data.y[tested], data.weights_of(tested)))
    page = RebuiltPage({"A": model, "B": model}, data, "iris", holdout, {"A": score, "B": score})
    for line in printed(page_script(page)):
        assert numbers(line)[0] == pytest.approx([score], rel=1e-5)


def test_a_script_of_a_stand_in_prints_the_scores_of_the_model_and_of_its_tree():
    data, holdout = TABLES["iris"], HeldOut(40, 1)
    held = held_out(data, holdout)
    box = fit(model_of("random", data), data, ~held)
    tree = fit(ApproximationClassifier(box, max_depth=3, max_samples=500, random_state=0), data, ~held)
    scores = [float(one.score(data.X[held], data.y[held])) for one in (box, tree)]
    page = RebuiltPage(
        {"box": box, "tree": tree},
        data,
        "iris",
        holdout,
        dict(zip(("box", "tree"), scores, strict=True)),
        has_stand_in=True,
    )
    assert [numbers(line)[0][0] for line in printed(page_script(page))] == pytest.approx(scores, rel=1e-5)


def test_a_notebook_has_the_steps_of_the_script():
    page = RebuiltPage({"CART": CartClassifier()}, TABLES["iris"], "iris", Folds(3), {"CART": 0.9}, "accuracy")
    cells = ["".join(cell["source"]) for cell in json.loads(page_notebook(page))["cells"]]
    assert [line for line in "\n".join(cells).splitlines() if line] == [
        line for line in page_script(page).splitlines() if line
    ]
    assert len(cells) == 4


def rebuilt(model, data, source, holdout):
    """The model, made of the rows that are not held out and scored by those that are, or by all if none is."""
    held = held_out(data, holdout)
    estimator: Any = model.make(CommonTerms.of(data)).fit(data.X[~held], data.y[~held])
    tested = held if held.any() else ~held
    return RebuiltModel(estimator, data, source, holdout, estimator.score(data.X[tested], data.y[tested]))


def test_a_script_prints_the_score_that_it_names():
    for sample, model in [
        ("iris", Model("cart", (("depth", 2),))),
        ("tic-tac-toe", Model("cart", (("depth", 5), ("leaf", 7)))),  # categories
        ("diabetes", Model("cart", (("depth", 3),))),
        ("iris", Model("cultivated", (("depth", 3),))),
        ("iris", Model("optimal", (("depth", 2),))),
        ("wine", Model("oblique", (("depth", 2),))),
    ]:
        by_filter = [HeldOut(30, where="petal length~gt~6")] if sample == "iris" else []
        for holdout in [HeldOut(30, 3), HeldOut(0), *by_filter]:
            with case((sample, model, holdout)):
                page = rebuilt(model, samples.load(sample), sample, holdout)
                assert list(map(float, printed(to_script(page)))) == pytest.approx([page.score])
                assert to_script(page).endswith(f"# here it was {page.score:.6g}")


def test_a_notebook_prints_the_score_that_it_names_and_shows_the_tree():
    page = rebuilt(Model("cart", (("depth", 2),)), samples.load("iris"), "iris", HeldOut(30))
    notebook = json.loads(to_notebook(page))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    cells = ["".join(cell["source"]) for cell in notebook["cells"]]
    names: dict = {}
    with contextlib.redirect_stdout(io.StringIO()) as out:
        for cell in cells:
            exec(cell, names)
    assert float(out.getvalue()) == pytest.approx(page.score)
    assert names["model"].tree_.n_leaves == page.estimator.tree_.n_leaves


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
    page = rebuilt(Model("cart", (("depth", 2),)), data, own, HeldOut(0))
    assert list(map(float, printed(to_script(page)))) == pytest.approx([page.score])
    assert "reason=" not in to_script(page)


def test_a_script_refuses_another_file_of_this_name_and_writes_out_what_is_not_as_usual_of_reading(own, tmp_path):
    page = rebuilt(Model("cart", (("depth", 2),)), own.dataset(tmp_path), own, HeldOut(0))
    file = tmp_path / own.filename
    file.write_text(file.read_text("utf-8").replace("1,1;", "1,2;"), encoding="utf-8")
    with pytest.raises(AssertionError, match="this is another table"):
        printed(to_script(page))
    told = own._replace(options=own.options._replace(missing=("", "none")))
    assert "missing=('', 'none')" in to_script(page._replace(source=told))
    assert ReadOptions().missing != ("", "none")
