"""Unusual rows in pictures, words and code."""

from xml.etree import ElementTree

import numpy as np
import pytest

from espalier.data import Feature, make_dataset, samples
from espalier.learners import IsolationForest
from espalier.views.forests.isolation import (
    Scores,
    columns_apart,
    counts_between,
    edges_of,
    histogram_alt,
    score_histogram,
)
from espalier.views.forests.isolation_code import Settings, python_code

SCORE = np.array([0.4, 0.42, 0.43, 0.45, 0.7])
FEATURES = [Feature("height"), Feature("weight"), Feature("<age>")]


@pytest.mark.parametrize("row", [None, 0, 4])
@pytest.mark.parametrize("dark", [True, False])
def test_every_row_is_in_a_bar_of_the_histogram_and_unusual_ones_in_another_colour(row, dark):
    picture = ElementTree.fromstring(score_histogram(Scores(SCORE, 0.5, row), dark))
    bars = [part for part in picture.iter() if part.tag.endswith("rect")]
    assert len({bar.get("fill") for bar in bars}) == 2
    words = " ".join(part.text or "" for part in picture.iter() if part.tag.endswith("text"))
    assert "1 unusual row" in words
    assert ("row 5" in words) == (row == 4)


def test_no_bar_has_unusual_rows_and_usual_ones():
    rng = np.random.default_rng(1)
    score = rng.uniform(0.3, 0.8, 400)
    for limit in (score[7], score[9], *rng.uniform(0.2, 0.9, 20)):
        scores = Scores(score, float(limit))
        edges = edges_of(scores)
        usual, unusual = (counts_between(scores.score[scores.is_unusual == one], edges) for one in (False, True))
        assert not (usual * unusual).any()
        assert usual.sum() + unusual.sum() == len(scores.score)


def test_rows_with_one_score_have_a_histogram_too():
    scores = Scores(np.full(9, 0.5), 0.5)
    ElementTree.fromstring(score_histogram(scores, False))
    assert "0 of them, 0 %, are above 0.5" in histogram_alt(scores)


def test_the_histogram_in_words_names_the_ends_the_limit_and_the_chosen_row():
    said = histogram_alt(Scores(SCORE, 0.5, 4))
    assert said == (
        "Scores of 5 rows from 0.4 to 0.7, half of them up to 0.43. "
        "1 of them, 20 %, are above 0.5 and count as unusual. The line marks row 5, which has 0.7."
    )


def test_columns_that_save_most_cuts_are_named_first_and_those_that_save_none_are_not():
    assert columns_apart(np.array([0.4, 2.0, -1.0]), FEATURES) == "weight 2, height 0.4"
    assert columns_apart(np.array([-0.4, 0.01, -1.0]), FEATURES) == ""


def test_code_for_a_sample_gives_the_scores_of_the_page():
    data, found = samples.load("iris"), {}
    exec(python_code(data, Settings(10, 0.1, 3), "iris"), found)
    model = IsolationForest(
        n_estimators=10, contamination=0.1, random_state=3, categorical_features=data.categorical
    ).fit(data.X)
    assert np.array_equal(found["score"], -model.score_samples(data.X))
    assert found["saved"].shape == (15, 4)


def test_code_for_a_file_names_its_columns_and_takes_words_as_categories(tmp_path, monkeypatch):
    colours = Feature('the "colour"', "category", ("green", "red"))
    X = np.column_stack([np.arange(6.0), [0, 1, 0, 1, np.nan, 0]])
    data = make_dataset("t", X, [Feature("width"), colours], np.arange(6.0), Feature("price"))
    (tmp_path / "table.csv").write_text(
        'width,"the ""colour""",price\n0,green,0\n1,red,1\n2,green,2\n3,red,3\n4,,4\n5,green,5\n'
    )
    monkeypatch.chdir(tmp_path)
    found = {}
    exec(python_code(data, Settings(10, 0.2, 0)), found)
    assert found["score"].shape == (6,)
    assert list(found["X"].columns) == ["width", 'the "colour"']


def test_the_chosen_row_has_its_label_in_picture_and_words():
    scores = Scores(np.linspace(0.3, 0.7, 20), 0.6, 19, "name Ann")
    assert "name Ann" in score_histogram(scores, False)
    assert "The line marks name Ann, which has 0.7." in histogram_alt(scores)
    assert "row 20<" in score_histogram(scores._replace(name=""), False)
