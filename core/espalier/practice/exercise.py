"""An exercise with its right answer, the way to it, and what usual wrong answers mean."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from espalier.language import Phrase
from espalier.lessons.questions import number_of, whole_number
from espalier.trees import Tree

TOLERANCE = 0.006  # of answers with two decimals, whichever way the third one was rounded
APART = 3.0  # tolerances between the answers that have a meaning
MOST_DRAWS = 2_000


class ExerciseTable(NamedTuple):
    """What an exercise shows as a table; cells are names, numbers or phrases."""

    heads: tuple[object, ...]
    rows: tuple[tuple[object, ...], ...]


class Mistake(NamedTuple):
    """A wrong answer that comes from a known mistake, and the sentence about it."""

    answer: float
    meaning: Phrase


class Exercise(NamedTuple):
    """A question with one right answer: a number within a tolerance, or the place of one of the choices.

    Where a tree is asked for, its text is read as a number: which trees are right, and which are a mistake.
    """

    ask: Phrase
    right: float  # the number, or the place of the right choice, from 0
    steps: tuple[Phrase, ...]  # the way to the answer
    mistakes: tuple[Mistake, ...] = ()
    choices: tuple[object, ...] = ()  # names or phrases; empty: the answer is a number
    tolerance: float = TOLERANCE
    table: ExerciseTable | None = None
    tree: Tree | None = None  # of the columns x and y, a letter for each leaf
    surfaces: tuple[Tree, ...] = ()  # to choose from, or the one that a tree is asked for
    reading: Callable[[str], float | None] | None = None  # of the text of a tree; None: the answer is no tree


class AnswerCheck(NamedTuple):
    """Whether an answer is right, and the mistake that explains a wrong one."""

    is_right: bool
    mistake: Phrase | None = None


def verdict(exercise: Exercise, answer: str) -> AnswerCheck:
    """Return whether the answer is right: a number as a person types it, the place of a choice, a tree's text.

    >>> one = Exercise(Phrase("Half of {n}?", {"n": 3}), 1.5, ())
    >>> verdict(one, "1,5").is_right, verdict(one, "three").is_right
    (True, False)
    """
    read = exercise.reading or (whole_number if exercise.choices else number_of)
    value = read(answer)
    if value is None:
        return AnswerCheck(False)
    if is_near(exercise, value, exercise.right):
        return AnswerCheck(True)
    return AnswerCheck(
        False, next((m.meaning for m in exercise.mistakes if is_near(exercise, value, m.answer)), None)
    )


def is_near(exercise: Exercise, value: float, other: float) -> bool:
    """Return whether two answers count as the same."""
    return value == other if exercise.choices else abs(value - other) <= exercise.tolerance + 1e-9


def is_clear(exercise: Exercise) -> bool:
    """Return whether no mistake leads to the right answer, nor two mistakes to the same one.

    >>> is_clear(Exercise(Phrase("Half of {n}?", {"n": 4}), 2, (), (Mistake(2, Phrase("The root.", {})),)))
    False
    """
    apart = 0.5 if exercise.choices else APART * exercise.tolerance
    answers = [exercise.right, *(mistake.answer for mistake in exercise.mistakes)]
    return all(abs(a - b) > apart for a, b in itertools.combinations(answers, 2))


def drawn(make: Callable[[random.Random, int], Exercise | None], level: int, seed: str) -> Exercise:
    """Return the first clear exercise of those that `make` draws; None from it means to draw again.

    Raises RuntimeError where there is none, which would be a fault of `make`.
    """
    for draw in _draws(seed):
        exercise = make(draw, level)
        if exercise is not None and is_clear(exercise):
            return exercise
    raise RuntimeError(f"no exercise comes of {seed}")


def _draws(seed: str) -> Iterator[random.Random]:
    return (random.Random(f"{seed} {n}") for n in range(MOST_DRAWS))


def of_choices(right: int, mistakes: dict[int, Phrase]) -> tuple[Mistake, ...]:
    """Return the mistakes that lead to other choices than the right one."""
    return tuple(Mistake(place, meaning) for place, meaning in mistakes.items() if place != right)
