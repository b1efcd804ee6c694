"""The document of trees, as trees.R writes it: what it must say, and what of its first version is still sure."""

import json

import numpy as np
import pytest

from espalier.language import Refusal
from espalier.learners.imports.read import read_file

STUMP = {"feature": [0, -1, -1], "left": [1, -1, -1], "right": [2, -1, -1], "threshold": [1.5, None, None]}
SHARES, NUMBERS = {"value": [None, [1, 0], [0, 1]]}, {"value": [None, 3, 4]}
BY_SET = {"threshold": [None] * 3, "categories_left": [[0], [], []]}
PLAIN = {"name": "x", "kind": "number"}


def read(tree, feature, **head):
    usual = {"format": "espalier-trees", "version": 2, "combine": "mean", "features": [feature]}
    return read_file(json.dumps(usual | head | {"trees": [STUMP | tree]}).encode())


OLD = {"version": 1}
CLASSES = {"classes": ["no", "yes"]}


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ({"library": "R, rpart"}, "matrix of losses"),
        ({"library": "R, randomForest", "combine": "votes"}, "cutoff"),
        ({"library": "R, ranger", "combine": "votes"}, "which class is which"),
    ],
)
def test_a_first_version_that_may_answer_otherwise_than_r_is_refused_with_what_to_do(head, why):
    with pytest.raises(Refusal, match=f"{why}.*write it again with the present script"):
        read(SHARES, {"name": "x", "categories": []}, **OLD, **CLASSES, **head)


@pytest.mark.parametrize(
    ("tree", "names"), [(BY_SET, []), ({}, ["low", "high"])], ids=["a set of no names", "codes of an order"]
)
def test_codes_in_a_first_version_whose_names_are_not_sure_are_refused(tree, names):
    with pytest.raises(Refusal, match=r"which categories the column x has.*write it again"):
        read(tree | NUMBERS, {"name": "x", "categories": names}, **OLD)


def test_what_is_sure_in_a_first_version_is_read_as_ever():
    x = {"name": "x", "categories": []}
    for library in ("R, rpart", "R, randomForest", "R, ranger", "another"):
        assert read(NUMBERS, x, **OLD, library=library).predict([[1], [2]]).tolist() == [3, 4]
    assert read(SHARES, x, **OLD, **CLASSES, library="R, ranger").predict([[1], [2]]).tolist() == ["no", "yes"]
    assert read(SHARES, x, **OLD, **CLASSES, combine="votes").predict([[1], [2]]).tolist() == ["no", "yes"]
    named = read(BY_SET | NUMBERS, {"name": "x", "categories": ["a", "b"]}, **OLD, library="R, rpart")
    assert named.predict([[0], [1]]).tolist() == [3, 4]


@pytest.mark.parametrize(
    "feature",
    [
        {"kind": "ordered", "categories": ["a", "b"]},
        {"kind": "category"},
        {"kind": "number", "categories": ["a", "b"]},
        {"kind": "date"},
        {"kind": "date", "unit": 3600},
        {"kind": "duration", "unit": 0.5},
    ],
)
def test_a_column_of_a_kind_that_says_too_little_is_refused(feature):
    with pytest.raises(Refusal, match="column x is of the kind"):
        read(NUMBERS, {"name": "x"} | feature)


@pytest.mark.parametrize(
    ("tree", "feature"), [(BY_SET, PLAIN), ({}, {"name": "x", "kind": "category", "categories": ["a", "b"]})]
)
def test_a_split_that_is_none_of_its_columns_kind_is_damage(tree, feature):
    with pytest.raises(Refusal, match="damaged: a split on the column x"):
        read(tree | NUMBERS, feature)


@pytest.mark.parametrize("library", ["R, rpart", "R, randomForest", "R, ranger"])
def test_what_becomes_of_missing_values_of_r_is_said(library):
    model = read(NUMBERS, PLAIN, library=library)
    assert "a missing value" in str(model.unused_[0])
    assert np.isfinite(model.predict([[np.nan]])).all()
    assert read(NUMBERS, PLAIN).unused_ == ()


def test_a_version_that_is_not_known_is_refused():
    with pytest.raises(Refusal, match="version 3 of its format; this program knows 1 and 2"):
        read(NUMBERS, PLAIN, version=3)
