"""A person's own model on the pages, judged on rows that they were not trained on; no browser."""

import json
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from espalier.data import filter_of, samples
from espalier.learners.imports import read_file, read_model
from pages.shared.app.links import gone
from pages.shared.own_models import trained, uploads
from tests.tools.on_page import open_page, words_of

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
    monkeypatch.setattr(uploads, "read_apart", read_file)  # the process is tested with its reader
    uploads.store().put(DIGEST, written(read_model(THEIRS).forest_))


def open_own(name, **address):
    return open_page(name, **({"data": "iris", "onnx": DIGEST, "folds": "3"} | address))


def test_compare_scores_and_tests_it_on_the_rows_that_it_was_not_trained_on():
    page = open_own("compare", m1="own", m2="baseline", m3="none", m4="none", trained=ODD)
    table = page.dataframe[0].value
    assert str(table.loc["accuracy ↑", "Your model"]).startswith(f"{100 * RIGHT:.1f} %")
    assert "75 of 150 rows that it was not trained on" in words_of(page)
    assert "rows of each fold that are new to it" in words_of(page)
    (pairs,) = (one.value for one in page.table if "verdict" in one.value)
    assert pairs.loc["Your model", ["beside", "verdict"]].tolist() == ["Baseline", "clear"]


def test_where_it_is_not_known_what_it_was_trained_on_every_score_says_so_and_without_a_row_what_to_do():
    page = open_own("compare", m1="own", m2="own", m3="none", m4="none")
    assert "rows that it may have been trained on" in words_of(page)
    page = open_own("compare", m1="own", m2="none", m3="none", m4="none", trained="all")
    assert "so none is left to judge it" in words_of(page)
    page = open_own("compare", m1="own", m2="none", m3="none", m4="none", onnx="cd" * 16)
    assert "Upload the file again" in words_of(page)


def test_reliability_asks_each_about_the_rows_new_to_it_and_fits_none_again():
    page = open_own("reliability", m1="own", m2="none", m3="none", trained=ODD, row="2")
    assert "models on redrawn rows" not in words_of(page)
    page = open_own("reliability", m1="own", m2="none", m3="none", trained=ODD, row="1")
    assert "Your model was trained on this row." in words_of(page)


def test_a_forest_of_another_library_stands_beside_ours_or_another_with_errors_as_sure_as_what_was_said():
    page = open_own("forests", a="own", **{"b-trees": "5", "trained": ODD, "tab": "Trees"})
    assert "8 trees" in words_of(page)
    assert f"held out **{100 * (1 - RIGHT):.1f} %**" in words_of(page)
    assert "75 of 150 rows that it was not trained on" in words_of(page)
    page = open_own("forests", a="own", **{"b-trees": "5", "trained": "unknown"})
    assert "rows that it may have been trained on" in words_of(page)


def test_a_link_restores_the_model_with_its_columns_classes_and_rows_and_one_that_is_gone_is_asked_for():
    page = open_own("compare", m1="own", m2="none", m3="none", m4="none", trained="none", classes="0-1-2")
    assert set_on(page) == {"ap-onnx": DIGEST, "ap-classes": "0-1-2", "ap-columns": "", "own-trained": "none"}
    page = open_own("compare", m1="own", m2="none", m3="none", m4="none", **{"m1-file": "cd" * 16})
    assert "one model of your own at a time" in page.warning[0].value


def set_on(page):
    keys = ("ap-onnx", "ap-classes", "ap-columns", "own-trained")
    return {key: page.session_state[key] for key in keys}


def test_the_file_of_these_tests_is_the_forest():
    ours: Any = read_file(written(read_model(THEIRS).forest_))
    assert np.allclose(ours.predict_proba(IRIS.X), THEIRS.predict_proba(IRIS.X), atol=1e-12)


def test_new_rows_are_scored_by_it_and_the_rows_that_it_was_not_trained_on_judge_it():
    page = open_own("new_rows", m1="own", trained=ODD, rows="held")
    assert "37 of the rows held out stand for new ones; 38 judge the model." in words_of(page)
    table = next(one.value for one in page.dataframe if "for an expert" in one.value and "why" in one.value)
    places = table["row of the table"].astype(int).to_numpy() - 1
    assert not set(places) & set(TRAINED)
    assert table["answer"].tolist() == [IRIS.classes[code] for code in THEIRS.predict(IRIS.X[places])]


def n_rows(text):
    found = trained.mask(IRIS, text)
    return None if found is None else int(found.sum())


def test_words_or_a_column_mark_the_rows_that_a_model_was_trained_on_and_other_texts_are_refused():
    assert [n_rows(text) for text in ("", "none", "all", "column")] == [None, 0, 150, None]
    text = "species~in~setosa,virginica"
    assert trained.entry().read(text) == filter_of(text).text
    assert n_rows(text) == 100
    with pytest.raises(gone.Gone, match="files of row numbers"):
        trained.entry().read(f"file-{DIGEST}")
    for text in ["some", "a~b"]:
        with pytest.raises(ValueError, match="none, all, or a condition"):
            trained.entry().read(text)


def test_a_model_that_was_trained_on_every_row_cannot_be_judged_and_what_another_table_has_is_named():
    assert "every row" in trained.why_not(IRIS, "all")
    assert not trained.fault(IRIS, "all")
    assert not any(trained.why_not(IRIS, text) for text in ("", "none", "species~in~setosa"))
    assert "mass" in trained.why_not(IRIS, "mass~le~2")
    assert "may have been" in trained.judged_on(IRIS, "")
    assert "150 of 150 rows that it was not trained on" in trained.judged_on(IRIS, "none")
    assert "the 100 of 150 rows that it was not trained on" in trained.judged_on(IRIS, "species~in~setosa")
