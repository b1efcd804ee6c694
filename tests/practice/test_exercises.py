"""Exercises: their answers against naive versions, and laws that hold for hundreds of seeds."""

import itertools
import math
import re

import numpy as np
import pytest

from espalier.language import english
from espalier.practice import KINDS, LEVELS, exercise, plane, series, surfaces, verdict
from espalier.practice.exercise import is_clear
from tests.practice import naive
from tests.practice.test_surfaces import shape_of
from tests.tools.selection import seeds

LATER = 60  # seeds that are tried with --rest alone
SLOW = {"errors": 200, "region": 200, "surface": 200, "drawing": 60}  # seeds of kinds whose naive version is slow
ALL = list(itertools.product(KINDS, LEVELS))


@pytest.fixture(scope="module")
def exercises():
    """Twenty exercises of every kind and level."""
    return {pair: [exercise(*pair, seed) for seed in range(20)] for pair in ALL}


@pytest.mark.parametrize(("kind", "level"), ALL)
def test_no_mistake_leads_to_the_right_answer_and_every_wrong_one_has_its_own_meaning(kind, level, exercises):
    for one in exercises[kind, level]:
        assert is_clear(one)
        assert verdict(one, written(one, one.right)) == (True, None)
        for mistake in one.mistakes:
            assert verdict(one, written(one, mistake.answer)) == (False, mistake.meaning)


@seeds(LATER, 500)
@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_is_the_only_one_and_that_of_a_naive_version(kind, seeds):
    """The naive answer is None where the best is not the only one."""
    for seed in seeds[: SLOW.get(kind, 500)]:
        level = LEVELS[seed % 3]
        one = exercise(kind, level, seed)
        assert naive.ANSWERS[kind](one, level) == pytest.approx(one.right, abs=1e-9), seed


def test_an_exercise_of_a_seed_is_always_the_same_and_seeds_differ(exercises):
    for (kind, level), some in exercises.items():
        texts = [shown(one) for one in some]
        assert shown(exercise(kind, level, 5)) == texts[5], kind
        assert len(set(texts)) > 3, (kind, level)


def test_no_column_of_a_table_is_empty_and_numbers_are_small_enough_for_paper(exercises):
    for one in itertools.chain(*exercises.values()):
        cells = [cell for row in one.table.rows for cell in row] if one.table else []
        assert all(cell <= 60 for cell in cells if isinstance(cell, int | float)), one
        assert len(one.steps) <= 7, one
        for column in zip(one.table.heads, *one.table.rows, strict=True) if one.table else ():
            assert any(str(cell).strip() for cell in column), one


def test_an_answer_may_have_a_decimal_comma_and_two_decimals():
    one = next(e for e in (exercise("gain", 1, s) for s in range(50)) if len(str(e.right)) > 6)
    assert verdict(one, f"{one.right:.2f}".replace(".", ",")).is_right
    assert not verdict(one, f"{one.right + 0.02:.2f}").is_right
    assert not verdict(one, "").is_right


def test_a_series_has_every_kind_as_often_as_the_others():
    kinds = series(list(KINDS), 3, 2 * len(KINDS))
    assert sorted(kinds) == sorted([*KINDS, *KINDS])
    assert series(["votes", "gain"], 3) == series(["gain", "votes"], 3)
    assert series(list(KINDS), 3) != series(list(KINDS), 4)


@pytest.mark.parametrize(
    ("kind", "level", "problem"), [("unknown", 1, "no kind"), ("gain", 4, "must be 1, 2 or 3")]
)
def test_what_is_no_exercise_is_refused(kind, level, problem):
    with pytest.raises(ValueError, match=problem):
        exercise(kind, level, 0)


def test_a_sum_of_squares_is_told_from_the_gini():
    """Two red rows and three green ones: 1 - (4 + 9) / 25 = 0.48."""
    one = next(
        e for e in (exercise("impurity", 1, s) for s in range(100)) if e.table and e.table.rows == ((2, 3),)
    )
    assert verdict(one, "0.48").is_right
    assert "sum of the squares" in str(verdict(one, "0.52").mistake)


def written(one, answer):
    if one.reading:
        return texts_of(one)[answer]
    return str(int(answer)) if one.choices else repr(answer)


def texts_of(one):
    """The text of a tree that is read as each number: right, or by a mistake."""
    right = shape_of(one.surfaces[0])
    longer = plane.PlaneSplit(0, 5, right, right)
    return {
        surfaces.RIGHT: plane.written(right),
        surfaces.CROSSED: plane.written(plane.everywhere(right, plane.crossed)),
        surfaces.TURNED: plane.written(plane.everywhere(right, plane.turned)),
        surfaces.TOO_LONG: plane.written(longer),
        surfaces.MIXED: plane.NO_SPLIT,
    }


def shown(one):
    with english():
        parts = [
            one.ask,
            *one.steps,
            *one.choices,
            *(c for row in (one.table.rows if one.table else ()) for c in row),
        ]
        drawn = [tree.threshold.tolist() for tree in (one.tree, *one.surfaces) if tree is not None]
        text = " ".join(map(str, [*parts, drawn]))
    assert not re.search(r"[{}]", text)
    assert not math.isnan(one.right)
    assert np.isfinite(one.right)
    return text
