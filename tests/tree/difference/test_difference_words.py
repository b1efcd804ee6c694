"""The difference of two trees in sentences, pictures, a table and a document."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from espalier.data import Feature, samples
from espalier.display.tree import difference as words
from espalier.display.tree.difference import ComparedTrees
from espalier.language import speaking
from espalier.learners import CartClassifier, CartRegressor
from espalier.learners.forced_splits import branch_of
from espalier.tree.differences import tree_difference
from espalier.trees import make_tree
from tests.tools.phrases import narrow, pseudo_language

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")
AGE = Feature("age", is_whole=False)
TARGET = Feature("loan", "category", ("no", "yes"))
AGES = np.arange(20.0, 30.0)[:, None]


def asking(threshold, *answers):
    """One split of the age, and the shares of yes in its leaves."""
    nan = np.nan
    shares = [[1 - share, share] for share in (0.5, *answers)]
    return make_tree(
        [0, -1, -1], [threshold, nan, nan], [1, -1, -1], [2, -1, -1], [0] * 3, [False] * 3,
        [10, 5, 5], [10, 5, 5], shares, [0.5, 0, 0],
    )  # fmt: skip


def compared(a, b, X=AGES, features=(AGE,), target=TARGET):
    return ComparedTrees(a, b, features, target, tree_difference(a, b, X))


def of_sample(dataset, kind):
    """CART trees of depths 2 and 4, the second on every other row."""
    one = kind(max_depth=2).fit(dataset.X, dataset.y).tree_
    two = kind(max_depth=4).fit(dataset.X[::2], dataset.y[::2]).tree_
    return compared(one, two, dataset.X, dataset.features, dataset.target)


SAMPLES = {"classes": (IRIS, CartClassifier), "numbers": (DIABETES, CartRegressor)}


def test_a_moved_threshold_in_words():
    both = compared(asking(22.5, 0.0, 1.0), asking(25.5, 0.0, 1.0))
    (change,) = words.changes_to_tell(both)
    assert words.change_words(both, change) == (
        "“age ≤ 22.5” became “age ≤ 25.5”: the threshold moved by +3. It sends 3 of 10 rows another way and "
        "changes the answer of 3."
    )
    assert words.counts_words(both) == ("Splits, 1 in A and 1 in B: 1 moved.")
    assert words.answers_words(both.difference, TARGET) == (
        "The answer changes for 3 of 10 rows (30 %): 3 from yes to no."
    )
    assert words.place_words(both, int(both.difference.answers.place[4])) == "age ≤ 22.5, moved"


def test_another_answer_and_a_new_branch_in_words():
    both = compared(asking(22.5, 0.0, 1.0), asking(22.5, 1.0, 1.0))
    (change,) = words.changes_to_tell(both)
    assert words.change_words(both, change) == (
        "A leaf answers yes in place of no. It changes the answer of 3 of 3 rows."
    )
    leaf = make_tree([-1], [np.nan], [-1], [-1], [0], [False], [10], [10], [[0.6, 0.4]], [0.5])
    both = compared(leaf, asking(22.5, 0.0, 1.0))
    assert words.change_words(both, words.changes_to_tell(both)[0]) == (
        "A leaf of A (no) is split further in B: “age ≤ 22.5”. It changes the answer of 7 of 10 rows."
    )
    both = compared(asking(22.5, 0.0, 1.0), leaf)
    assert words.change_words(both, words.changes_to_tell(both)[0]).startswith(
        "The split “age ≤ 22.5” of A is a leaf in B (no)."
    )


def test_equal_trees_have_nothing_to_tell_and_a_difference_is_told_in_german_too():
    both = compared(asking(22.5, 0.0, 1.0), asking(22.5, 0.0, 1.0))
    assert words.changes_to_tell(both) == []
    assert words.answers_words(both.difference, TARGET) == "Both trees give the same answer to 10 rows."
    both = compared(asking(22.5, 0.0, 1.0), asking(25.5, 0.0, 1.0))
    with speaking("de"):
        said = words.change_words(both, words.changes_to_tell(both)[0])
    assert said.startswith("Aus „age ≤ 22,5“ wurde „age ≤ 25,5“: Die Schwelle hat sich um +3 verschoben.")


@pytest.mark.parametrize(("dataset", "kind"), SAMPLES.values(), ids=SAMPLES)
def test_the_changed_rows_of_all_sentences_are_all_rows_that_change(dataset, kind):
    both = of_sample(dataset, kind)
    assert sum(change.n_changed for change in words.changes_to_tell(both)) == both.difference.answers.differ.sum()


@pytest.mark.parametrize(("dataset", "kind"), SAMPLES.values(), ids=SAMPLES)
def test_each_split_that_differs_has_a_sign_in_the_picture_and_a_word_in_its_alt(dataset, kind):
    both = of_sample(dataset, kind)
    for is_a in (True, False):
        side = words.side_of(both, is_a)
        texts = [one.text for one in ET.fromstring(words.marked_picture(both, is_a).draw(False)).iter()]
        for sign in set(words.SIGNS.values()):
            wanted = sum(words.sign_of(side, node) == sign for node in side.changes)
            assert texts.count(sign) == wanted
        assert words.marked_picture(both, is_a).alt.count("(") == side.tree.n_leaves - 1


def test_the_way_of_a_row_is_lit_and_equal_numbers_have_equal_colours_in_both_pictures():
    both = of_sample(IRIS, CartClassifier)
    for is_a, tree in ((True, both.a), (False, both.b)):
        plain, lit = (words.marked_picture(both, is_a, leaf).draw(False) for leaf in (-1, tree.n_nodes - 1))
        assert lit.count('stroke-width="4"') > plain.count('stroke-width="4"') == 0
    tree = CartRegressor(max_depth=3).fit(DIABETES.X, DIABETES.y).tree_
    both = compared(branch_of(tree, 1), tree, DIABETES.X, DIABETES.features, DIABETES.target)
    fills = [
        set(re.findall(r'height="20" rx="3" fill="(#\w+)"', words.marked_picture(both, is_a).draw(False)))
        for is_a in (True, False)
    ]
    assert len(fills[0]) == both.a.n_leaves
    assert fills[0] < fills[1]


def test_the_table_has_both_answers_and_the_split_at_fault():
    both = of_sample(DIABETES, CartRegressor)
    found = both.difference
    changed = words.changed_rows(found)
    gaps = np.abs(found.answers.b - found.answers.a)[changed]
    assert (np.diff(gaps) <= 0).all()
    table = words.rows_table(DIABETES, found, both.target, both, changed[:5])
    assert table["row"].tolist() == (changed[:5] + 1).tolist()
    assert table["B says"].tolist() == found.answers.b[changed[:5]].tolist()
    assert table["because of"].str.len().min() > 5


@pytest.mark.parametrize(("dataset", "kind"), SAMPLES.values(), ids=SAMPLES)
def test_no_word_is_in_english_where_a_page_speaks_something_else(dataset, kind, monkeypatch):
    both = of_sample(dataset, kind)
    with pseudo_language(monkeypatch):
        texts = [words.change_words(both, change) for change in words.changes_to_tell(both)]
        texts += [words.counts_words(both), words.answers_words(both.difference, dataset.target)]
        texts += [
            words.marked_picture(both, True).alt,
            *words.rows_table(dataset, both.difference, both.target, both, np.arange(9)),
        ]
        names = " ".join([*(one.name for one in (*dataset.features, dataset.target)), *dataset.classes])
        assert not set(narrow(" ".join(texts))) - set(narrow(names)) - {"A", "B"}
