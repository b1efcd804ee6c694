"""Two of a person's own models side by side on Compare, Reliability and Forests, without a browser."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from streamlit.testing.v1 import AppTest

from espalier.data.rows.folds import Folds, folds_of
from espalier.learners.imports import read_file, read_model
from pages.shared.own_models import fitted, shelf, trained, uploads
from tests.pages.own_models.test_own_model_on_pages import (
    DIGEST,
    IRIS,
    ODD,
    THEIRS,
    TRAINED,
    engine,
    said,
    written,
)
from tests.tools.on_page import APP, address_of, until_grown, whole

__all__ = ["engine"]

FIRST_ROWS = np.arange(0, 150, 3)
SMALL = RandomForestClassifier(3, max_depth=1, random_state=1).fit(IRIS.X[FIRST_ROWS], IRIS.y[FIRST_ROWS])
OTHER = "ef" * 16
THIRDS = "row number~in~" + ",".join(str(row + 1) for row in FIRST_ROWS)
REST = "row number~in~" + ",".join(str(row + 1) for row in range(1, 150, 2))
NEW = ~np.isin(np.arange(150), FIRST_ROWS)


@pytest.fixture(autouse=True)
def brought(monkeypatch):
    monkeypatch.setattr(fitted, "read_apart", read_file)  # the process is tested with its reader
    uploads.store().put(DIGEST, written(read_model(THEIRS).forest_))
    uploads.store().put(OTHER, written(read_model(SMALL).forest_))


def open_both(name, text=THIRDS, **address):
    """A page with both models, the second one on the shelf with the rows that it was trained on."""
    page = AppTest.from_file(APP, default_timeout=300)
    for key, value in {"data": "iris", "onnx": DIGEST, "trained": ODD, "folds": "3", **address}.items():
        page.query_params[key] = value
    page.session_state[shelf.SHELF] = {OTHER: {shelf.NAME: "Small one", trained.KEY: text}}
    page.switch_page(f"pages/{name}.py")
    return until_grown(whole(page.run()))


BOTH = {"m1": "own", "m2": "own", "m2-file": OTHER, "m3": "none"}


def test_compare_scores_each_on_the_rows_that_it_was_not_trained_on():
    page = open_both("compare", m4="none", **BOTH)
    table = page.dataframe[0].value
    right = (SMALL.predict(IRIS.X) == IRIS.y)[NEW].mean()
    assert str(table.loc["accuracy ↑", "Small one"]).startswith(f"{100 * right:.3g} %")
    assert "Your model" in table.columns
    assert "100 of 150 rows that it was not trained on" in said(page)
    assert "75 of 150 rows that it was not trained on" in said(page)


def test_compare_tests_one_against_the_other_on_the_rows_that_are_new_to_both():
    page = open_both("compare", m4="none", **BOTH)
    assert "**Your model beside Small one**, on the rows of each fold that are new to both." in said(page)
    beside = said(page).partition("new to both.")[2]
    assert f"**Your model** against **Small one** could be noise: {100 * more_right():.1f} more right" in beside
    unknown = open_both("compare", text="", m4="none", **BOTH)
    assert "One or both may have been trained on some of them" in said(unknown)


def test_models_that_share_no_row_new_to_both_are_not_compared():
    page = open_both("compare", text=REST, m4="none", **BOTH)
    assert "each row was used to train the one or the other" in said(page)
    assert not page.exception


def more_right():
    """The mean over the folds by how much more rows the first model gets right, of those new to both."""
    new = NEW & ~np.isin(np.arange(150), TRAINED)
    right = [model.predict(IRIS.X) == IRIS.y for model in (THEIRS, SMALL)]
    rows = [fold.rows[new[fold.rows]] for fold in folds_of(IRIS, Folds(n_folds=3))]
    return np.mean([right[0][each].mean() - right[1][each].mean() for each in rows])


def test_the_place_has_a_choice_among_the_models_which_stands_in_the_address():
    page = open_both("compare", m4="none", **BOTH)
    choice = next(one for one in page.selectbox if one.label == "Which of your models" and one.value == OTHER)
    assert choice.options == ["Your model", "Small one"]
    assert address_of(page)["m2-file"] == OTHER
    choice.set_value("")
    page = until_grown(whole(page.run()))
    assert "m2-file" not in address_of(page)
    assert "beside Small one" not in said(page)


def test_reliability_asks_each_about_the_rows_new_to_it():
    page = open_both("reliability", row="2", **BOTH)
    assert not page.error
    assert "Small one" in said(page)


def test_forests_stand_beside_each_other_with_their_own_trees():
    page = open_both("forests", a="own", b="own", tab="Trees", **{"b-file": OTHER})
    assert not page.error
    assert "8 trees" in said(page)
    assert "3 trees" in said(page)


def test_a_model_that_the_server_does_not_have_is_asked_for():
    page = open_both("compare", m1="own", m2="own", m3="none", m4="none", **{"m2-file": "cd" * 16})
    assert "Upload the file again" in said(page)
