"""The text of splits that trees begin with, and the estimators that it makes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.data import samples
from espalier.learners.catalogue import CommonTerms, Model
from espalier.learners.catalogue.given import GivenSplit, read_splits, splits_in_text
from espalier.trees import LEAF

NAMES = st.text(min_size=1, max_size=8)
AT = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.lists(NAMES, min_size=1, max_size=3).map(tuple)
)


@given(st.dictionaries(st.sampled_from(["", "L", "R", "LR", "LRL"]), st.builds(GivenSplit, NAMES, AT)))
def test_a_text_is_read_as_what_was_written(splits):
    splits = {path: one for path, one in splits.items() if all(path[:n] in splits for n in range(len(path)))}
    assert read_splits(splits_in_text(splits)) == splits


@pytest.mark.parametrize("text", ["age", ":age", ":age:x", "X:age:1", "L:age:1", ":age:inf", ":age:nan", ":a:1:2"])
def test_another_text_is_refused(text):
    with pytest.raises(ValueError, match=r"split|splits|float"):
        read_splits(text)


def forced(name, table, text, **settings):
    data = samples.load(table)
    return Model(name, (("given", text), *settings.items())).make(CommonTerms.of(data)).forced_splits


def test_columns_and_categories_are_numbers_and_codes_of_the_table():
    assert forced("cart", "iris", ":petal width:0.8,R:sepal length:5") == {"": (3, 0.8), "R": (0, 5.0)}
    there = forced("cart", "tic-tac-toe", ":centre:=x")
    (column, codes), data = there[""], samples.load("tic-tac-toe")
    assert data.features[column].name == "centre"
    assert [data.features[column].categories[code] for code in codes] == ["x"]


def test_splits_on_what_is_not_there_go_with_those_below_them():
    assert forced("cart", "iris", ":gone:1") is None
    assert forced("cart", "iris", ":petal width:0.8,L:gone:1,LL:petal width:0.3") == {"": (3, 0.8)}
    assert forced("cart", "iris", ":petal width:0.8", without="petal width") is None
    assert forced("cart", "iris", ":petal width:=a|b") is None


def test_an_optimal_tree_has_those_that_it_has_room_for():
    text = ":petal width:0.8,R:petal width:1.7,RR:petal length:5"
    assert len(forced("optimal", "iris", text, depth=3)) == 3
    assert list(forced("optimal", "iris", text, depth=2)) == ["", "R"]
    assert list(forced("optimal", "iris", text, depth=3, splits=1)) == [""]


@pytest.mark.parametrize("name", ["cart", "optimal"])
def test_the_model_begins_with_them(name):
    data = samples.load("iris")
    model = Model(name, (("given", ":sepal width:3"), ("depth", 2)))
    tree = model.make(CommonTerms.of(data)).fit(data.X, data.y).tree_
    assert (tree.feature[0], tree.threshold[0]) == (1, 3.0)
    assert (tree.feature != LEAF).sum() > 1
