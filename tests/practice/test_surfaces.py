"""Exercises on surfaces: wrong ones come from the mistakes that they stand for, and any right tree is taken."""

import random

import pytest

from espalier.practice import LEVELS, exercise, plane, verdict
from espalier.practice.plane import PlaneSplit
from tests.practice import naive

KNOWN = PlaneSplit(0, 3, 0, PlaneSplit(1, 6, 1, 2))  # A where x ≤ 3, else B where y ≤ 6, else C


def mistaken(tree, row, mistake):
    """The letter that a row gets from a person who makes a mistake at every split."""
    n = 0
    while tree.left[n] >= 0:
        column, cut = tree.feature[n], tree.threshold[n]
        if mistake == "columns":
            column = 1 - column
        if mistake == "threshold":
            cut = 10 - cut
        n = tree.left[n] if (row[column] <= cut) != (mistake == "yes and no") else tree.right[n]
    return naive.LETTERS[list(tree.value[n]).index(1)]


@pytest.mark.parametrize(
    ("mistake", "word"), [("columns", "columns"), ("threshold", "threshold"), ("yes and no", "yes and no")]
)
def test_a_wrong_surface_is_that_of_a_person_who_makes_the_mistake(mistake, word):
    for seed in range(30):
        one = exercise("surface", 1, seed)
        (place,) = [int(m.answer) for m in one.mistakes if word in str(m.meaning)]
        drawn = one.surfaces[place]
        assert all(
            naive.LETTERS[naive.letter_of(drawn, row)] == mistaken(one.tree, row, mistake) for row in naive.PLACES
        )


@pytest.mark.parametrize("word", ["columns", "threshold"])
def test_from_level_two_on_one_split_alone_is_mistaken(word):
    for seed in range(30):
        one = exercise("surface", 2 + seed % 2, seed)
        (place,) = [int(m.answer) for m in one.mistakes if word in str(m.meaning)]
        wrong, right = one.surfaces[place], one.surfaces[int(one.right)]
        questions = [list(zip(t.feature.tolist(), map(str, t.threshold), strict=True)) for t in (wrong, right)]
        assert sum(a != b for a, b in zip(*questions, strict=True)) == 1


@pytest.mark.parametrize("level", LEVELS)
def test_a_drawn_tree_is_right_if_it_has_the_surface_and_no_more_questions(level):
    """Hundreds of trees, some of which are right, against the naive version."""
    draw = random.Random(level)
    verdicts = []
    for seed in range(12):
        one = exercise("drawing", level, seed)
        right = shape_of(one.surfaces[0])
        for _ in range(12):
            text = plane.written(changed(right, draw))
            verdicts.append(verdict(one, text).is_right)
            assert verdicts[-1] == naive.is_drawn(text, one.surfaces[0], one.ask.values["n"])
    assert True in verdicts
    assert False in verdicts


def changed(shape, draw):
    """The tree, or with a split changed by chance."""
    splits = [node for node, _ in plane.nodes_of(shape) if isinstance(node, PlaneSplit)]
    change = draw.choice(
        [
            lambda s: s,
            plane.turned,
            plane.crossed,
            lambda s: s._replace(cut=draw.randint(1, 9)),
            lambda s: PlaneSplit(draw.randrange(2), draw.randint(1, 9), s, s),
        ]
    )
    return plane.at_one(shape, draw.choice(splits), change)


def shape_of(tree, node=0):
    if tree.left[node] < 0:
        return int(tree.value[node].argmax())
    children = [shape_of(tree, int(child[node])) for child in (tree.left, tree.right)]
    return PlaneSplit(int(tree.feature[node]), int(tree.threshold[node]), *children)


def test_a_cross_may_begin_with_either_column():
    """Four quarters: x first and then y twice, or y first and then x twice."""
    first_x = PlaneSplit(0, 5, PlaneSplit(1, 5, 0, 1), PlaneSplit(1, 5, 2, 3))
    first_y, other = plane.read("y5 x5 - - x5 - -"), plane.read("y5 x5 - - x6 - -")
    assert first_y
    assert other
    assert plane.parts_as(first_y, first_x)
    assert not plane.parts_as(other, first_x)


def test_a_text_has_the_splits_in_preorder():
    assert plane.written(KNOWN) == "x3 - y6 - -"
    assert plane.read("x3 - y6 - -") == KNOWN
    assert plane.cells(KNOWN)[[0, 35, 99]].tolist() == [0, 1, 2]


@pytest.mark.parametrize("text", ["", "x3", "x3 - - -", "x0 - -", "x10 - -", "z3 - -", "- -", "x3 - " * 40, "1.5"])
def test_a_text_of_no_tree_is_no_answer(text):
    assert plane.read(text) is None
    assert verdict(exercise("drawing", 1, 0), text) == (False, None)
