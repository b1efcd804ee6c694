"""Words for columns: they name them everywhere, and change nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.columns.glossary import LONGEST, ColumnWords, table_and_words, text_of, with_words
from espalier.language import Refusal
from espalier.learners import CartClassifier
from espalier.views import export
from espalier.views.questionnaire.words import parted

IRIS = samples.load("iris")
LEAF = {"petal length": ColumnWords("leaf", "cm", "From its base to its tip.")}
WORD = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=LONGEST[1])


@given(st.dictionaries(st.text(min_size=1, max_size=9), st.builds(ColumnWords, WORD, WORD, WORD), max_size=4))
def test_words_come_back_from_the_text_of_an_address(glossary):
    table, words = table_and_words(f"iris{text_of(glossary)}")
    assert table == "iris"
    assert text_of(words) == text_of(glossary)


@given(st.text("~wabcdefAZ019-_=é", max_size=40))
def test_any_text_is_read_without_a_fault(text):
    table_and_words(f"iris~w{text}")


def test_values_stay_and_the_digest_is_another_one_for_other_words():
    leaf = with_words(IRIS, LEAF)
    assert np.array_equal(leaf.X, IRIS.X)
    assert leaf.digest != IRIS.digest
    assert with_words(IRIS, {}).digest == IRIS.digest
    assert with_words(IRIS, {"no such column": ColumnWords("x")}) is IRIS


def test_a_unit_is_told_from_the_name_also_one_that_no_list_has():
    named = with_words(IRIS, {"petal length": ColumnWords("leaf", "barleycorns")})
    assert parted(named.features[2]) == ("leaf", "barleycorns")


def test_exports_read_the_column_by_its_name_in_the_file():
    leaf = with_words(IRIS, LEAF)
    tree = CartClassifier(max_depth=1).fit(leaf.X[:, 2:3], leaf.y).tree_
    code = export.to_python(tree, leaf.features[2:3], leaf.target)
    assert "petal length" in code


def test_two_columns_of_one_name_are_refused_and_so_are_words_too_long_for_a_link():
    with pytest.raises(Refusal, match="petal width"):
        with_words(IRIS, {"petal length": ColumnWords("petal width")})
    rng = np.random.default_rng(0)
    long = {str(i): ColumnWords("", "", "".join(map(chr, rng.integers(65, 90, 300)))) for i in range(90)}
    with pytest.raises(Refusal, match="too long"):
        text_of(long)


def test_the_target_is_named_too():
    assert with_words(IRIS, {"species": ColumnWords("kind of iris")}).target.name == "kind of iris"
