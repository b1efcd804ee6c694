"""Scripts that pages offer: run as they are, they print the numbers that stand on the page."""

import contextlib
import io
import re

import pytest

from espalier.display.theme import percent
from espalier.reports.scripts import page_notebook, page_script
from pages.shared.reports import offer
from tests.pages.reports.test_page_reports import open_reported
from tests.tools.on_page import words_of


@pytest.fixture
def reported(monkeypatch):
    """The pages that were reported."""
    pages, page_report = [], offer.page_report
    monkeypatch.setattr(offer, "page_report", lambda one: pages.append(one) or page_report(one))
    return pages


def found(reported):
    """The scores that the script finds, by the titles of models, each as it is named there, too."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(page_script(reported[-1].rebuilt), "script.py", "exec"), {})
    numbers = {}
    for line in out.getvalue().splitlines():
        title, text = line.rsplit(": ", 1)
        now, here = map(float, text.split(", here it was "))
        assert now == pytest.approx(here, rel=1e-5)
        numbers[title] = here
    return numbers


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("table", "score", "kinds"),
    [
        (
            "iris",
            "accuracy",
            {"m1": "cart", "m1-without": "petal length", "m1-given": ":sepal width:3,R:petal width:1.5"}
            | {"m2": "optimal", "m2-given": ":sepal width:3", "m3": "random", "m3-without": "petal length"}
            | {"m4": "none"},
        ),
        ("breast-cancer", "accuracy", {"m1": "cart", "m2": "bagged", "m3": "baseline", "m4": "random"}),
        ("tic-tac-toe", "accuracy", {"m1": "optimal", "m2": "oblique", "m3": "model-tree", "m4": "none"}),
        (
            "diabetes",
            "RMSE",
            {"m1": "cultivated", "m1-depth": "2", "m2": "random", "m2-trees": "9", "m3": "baseline", "m4": "none"},
        ),
    ],
)
def test_the_script_of_compare_prints_the_means_of_its_table(reported, table, score, kinds):
    page = open_reported("compare", folds="3", data=table, **kinds)
    shown = page.dataframe[0].value
    row = next(name for name in shown.index if name.startswith(score))
    numbers = found(reported)
    assert list(numbers) == list(shown.columns)
    for title, value in numbers.items():
        text = percent(value) if score == "accuracy" else f"{value:.3g}"
        assert str(shown.loc[row, title]).startswith(text)


def test_the_script_of_forests_prints_one_less_the_errors_held_out(reported):
    page = open_reported("forests", data="moons", **{"a-trees": "5", "b-trees": "7"})
    errors = re.findall(r"held out \*\*(.*?)\*\*", words_of(page, "markdown"))
    assert [percent(round(1 - score, 3)) for score in found(reported).values()] == errors


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("table", "box"), [("breast-cancer", "svm"), ("tic-tac-toe", "boosting"), ("diabetes", "forest")]
)
def test_the_script_of_an_approximation_prints_the_scores_above_the_tabs(reported, table, box):
    page = open_reported("approximate", samples="1000", depth="2", data=table, box=box)
    model, tree = found(reported).values()
    texts = [percent(value) if table != "diabetes" else f"{value:.3g}" for value in (model, tree)]
    score = "R²" if table == "diabetes" else "accuracy"
    scores = next(one.value for one in page.table if f"{score}, tree" in one.value)
    assert [scores[f"{score}, {whose}"].iloc[0] for whose in ("model", "tree")] == texts


def test_both_files_are_offered_beside_the_report_which_has_the_script_unless_it_is_about_no_model(reported):
    page = open_reported("compare", folds="3", m1="cart", m2="none", m3="none", m4="none")
    labels = [one.proto.label for one in page.get("download_button")]
    assert [label for label in labels if "makes the models again" in label] == [
        "Python that makes the models again (.py)", "Notebook that makes the models again (.ipynb)",
    ]  # fmt: skip
    assert "validate(model, data, plan)" in offer.html(reported[-1])
    assert "validate(model, data, plan)" in page_notebook(reported[-1].rebuilt)
    open_reported("data", data="wine")
    assert reported[-1].rebuilt is None
