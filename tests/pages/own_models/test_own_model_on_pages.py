"""A person's own model on Forests, Compare and Reliability, without a browser."""

import json
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from streamlit.testing.v1 import AppTest

from espalier.data import samples
from espalier.learners.imports import read_file, read_model
from pages.shared.own_models import fitted, uploads
from tests.tools.on_page import APP, engine, until_grown, whole

__all__ = ["engine"]

IRIS = samples.load("iris")
TRAINED = np.arange(0, 150, 2)
THEIRS = RandomForestClassifier(8, max_depth=3, random_state=0).fit(IRIS.X[TRAINED], IRIS.y[TRAINED])
RIGHT = (THEIRS.predict(IRIS.X) == IRIS.y)[1::2].mean()  # on the other rows
DIGEST = "ab" * 16
ODD = "row number~in~" + ",".join(str(row + 1) for row in TRAINED)


def written(forest):
    """The file of a forest of classes, as `espalier-trees`."""
    trees = [
        {
            "feature": tree.feature.tolist(), "threshold": [float(t) if t == t else None for t in tree.threshold],
            "left": tree.left.tolist(), "right": tree.right.tolist(), "value": tree.value.tolist(),
        }
        for tree in forest.trees
    ]  # fmt: skip
    names = [{"name": feature.name} for feature in IRIS.features]
    head = {"format": "espalier-trees", "version": 1, "combine": "mean", "features": names}
    return json.dumps(head | {"classes": list(IRIS.classes), "trees": trees}).encode()


@pytest.fixture(autouse=True)
def brought(monkeypatch):
    monkeypatch.setattr(fitted, "read_apart", read_file)  # the process is tested with its reader
    uploads.store().put(DIGEST, written(read_model(THEIRS).forest_))


def open_page(name, **address):
    page = AppTest.from_file(APP, default_timeout=300)
    for key, value in {"data": "iris", "onnx": DIGEST, "folds": "3", **address}.items():
        page.query_params[key] = value
    page.switch_page(f"pages/{name}.py")
    return until_grown(whole(page.run()))


def said(page):
    return " ".join(one.value for one in (*page.markdown, *page.caption, *page.info, *page.warning, *page.error))


def test_compare_scores_it_on_the_rows_that_it_was_not_trained_on():
    page = open_page("compare", m1="own", m2="baseline", m3="none", m4="none", trained=ODD)
    table = page.dataframe[0].value
    assert str(table.loc["accuracy ↑", "Your model"]).startswith(f"{100 * RIGHT:.1f} %")
    assert "75 of 150 rows that it was not trained on" in said(page)
    assert "asked about all of these rows at once" in said(page)


def test_compare_tests_it_beside_the_others_on_the_rows_of_each_fold_that_are_new_to_it():
    page = open_page("compare", m1="own", m2="baseline", m3="none", m4="none", trained=ODD)
    assert "rows of each fold that are new to it" in said(page)
    assert "**Your model** is better than **Baseline**" in said(page)


def test_where_it_is_not_known_what_it_was_trained_on_every_score_says_so():
    page = open_page("compare", m1="own", m2="own", m3="none", m4="none")
    assert "rows that it may have been trained on" in said(page)


def test_without_a_file_or_a_row_to_judge_it_by_the_page_says_what_to_do():
    page = open_page("compare", m1="own", m2="none", m3="none", m4="none", trained="all")
    assert "no row is left to judge it by" in said(page)
    page = open_page("compare", m1="own", m2="none", m3="none", m4="none", onnx="cd" * 16)
    assert "Upload the file again" in said(page)


def test_reliability_asks_it_about_the_rows_new_to_it_and_does_not_fit_it_again():
    page = open_page("reliability", m1="own", m2="none", m3="none", trained=ODD, row="2")
    assert "is not fitted again" in said(page)
    page = open_page("reliability", m1="own", m2="none", m3="none", trained=ODD, row="1")
    assert "The model was stopped before it was asked about this row." in said(page)  # it was trained on it


def test_a_forest_of_another_library_stands_beside_one_of_ours():
    page = open_page("forests", a="own", **{"b-trees": "5", "trained": ODD, "tab": "Trees"})
    assert "8 trees" in said(page)
    assert "error on rows new to it" in [metric.label for metric in page.metric]
    assert f"{100 * (1 - RIGHT):.1f} %" in [metric.value for metric in page.metric]


def test_the_error_of_one_of_its_trees_is_only_as_sure_as_what_a_person_said_of_its_rows():
    told = said(open_page("forests", a="own", **{"b-trees": "5", "trained": ODD, "tab": "Error"}))
    assert "on rows that you say it was not trained on" in told
    page = open_page("forests", a="own", **{"b-trees": "5", "trained": "unknown", "tab": "Error"})
    assert "on rows that it may have been trained on, which would flatter it" in said(page)
    assert "error of one tree, on rows it may have seen" in [metric.label for metric in page.metric]


def test_a_link_restores_the_model_with_its_columns_classes_and_rows():
    page = open_page("compare", m1="own", m2="none", m3="none", m4="none", trained="none", classes="0-1-2")
    assert set_on(page) == {"ap-onnx": DIGEST, "ap-classes": "0-1-2", "ap-columns": "", "own-trained": "none"}


def set_on(page):
    keys = ("ap-onnx", "ap-classes", "ap-columns", "own-trained")
    return {key: page.session_state[key] for key in keys}


def test_the_file_of_these_tests_is_the_forest():
    ours: Any = read_file(written(read_model(THEIRS).forest_))
    assert np.allclose(ours.predict_proba(IRIS.X), THEIRS.predict_proba(IRIS.X), atol=1e-12)


def test_new_rows_are_scored_by_it_and_the_rows_that_it_was_not_trained_on_judge_it():
    page = open_page("new_rows", m1="own", trained=ODD, rows="held")
    assert "37 of the rows held out are scored as if they were new; the other 38 judge the model." in said(page)
    table = next(one.value for one in page.dataframe if "for an expert" in one.value and "why" in one.value)
    places = table["row of the table"].astype(int).to_numpy() - 1
    assert not set(places) & set(TRAINED)
    assert table["answer"].tolist() == [IRIS.classes[code] for code in THEIRS.predict(IRIS.X[places])]
