"""An exercise, its right answer and what usual wrong answers mean; and trees on a plane, on which some are."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from espalier.language import Phrase
from espalier.lessons.questions import number_of, whole_number
from espalier.predict import leaves
from espalier.trees import LEAF, Tree, make_tree

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


def draw_exercise(make: Callable[[random.Random, int], Exercise | None], level: int, seed: str) -> Exercise:
    """Return the first clear exercise of those that `make` draws; None from it means to draw again.

    Raises RuntimeError where there is none, which would be a fault of `make`.
    """
    for n in range(MOST_DRAWS):
        exercise = make(random.Random(f"{seed} {n}"), level)
        if exercise is not None and is_clear(exercise):
            return exercise
    raise RuntimeError(f"no exercise comes of {seed}")


def choice_mistakes(right: int, mistakes: dict[int, Phrase]) -> tuple[Mistake, ...]:
    """Return the mistakes that lead to other choices than the right one."""
    return tuple(Mistake(place, meaning) for place, meaning in mistakes.items() if place != right)


# ---- trees on a plane of two columns, x and y, with whole numbers as thresholds; their parts, cells and texts
#
# A tree is written by its splits in preorder, with a dash for each leaf: "x3 - y6 - -" asks x ≤ 3, and where that
# is not so y ≤ 6.

COLUMNS = "xy"
LETTERS = "ABCDEF"
WIDE = 10  # both columns have numbers from 0 to this
THRESHOLDS = range(1, WIDE)
NO_SPLIT = "-"  # in a text
MOST_NODES = 41  # of a text
_SPLIT = re.compile(r"([xy])([1-9])")
_HALVES = np.arange(WIDE) + 0.5
CELLS = np.array(list(itertools.product(_HALVES, repeat=2)))  # the middles of all squares between whole numbers


class PlaneBox(NamedTuple):
    """A part of the plane: above these numbers, and up to those, by column."""

    low: tuple[int, int]
    high: tuple[int, int]

    def halves(self, column: int, cut: int) -> tuple[PlaneBox, PlaneBox]:
        """Return the parts up to a threshold and above it."""
        low, high = list(self.low), list(self.high)
        low[column] = high[column] = cut
        return PlaneBox(self.low, (high[0], high[1])), PlaneBox((low[0], low[1]), self.high)

    def said(self) -> str:
        """Return the bounds of the part, such as "2 < x ≤ 8, y > 5"; of the whole plane, nothing."""
        bounds = [
            f"{low} < {name} ≤ {high}" if low and high < WIDE else f"{name} > {low}" if low else f"{name} ≤ {high}"
            for name, low, high in zip(COLUMNS, *self, strict=True)
            if low or high < WIDE
        ]
        return ", ".join(bounds)


PLANE = PlaneBox((0, 0), (WIDE, WIDE))


class PlaneSplit(NamedTuple):
    """A split and what is below it; a leaf is the number of its letter."""

    column: int
    cut: int
    yes: PlaneSplit | int
    no: PlaneSplit | int


PlaneShape = PlaneSplit | int
Change = Callable[[PlaneSplit], PlaneSplit]


def plane_shape(draw: random.Random, n_leaves: int) -> PlaneShape:
    """Return a tree whose leaves are two wide at least; every leaf is a class of its own."""
    boxes = [(0, PLANE)]
    splits: dict[int, tuple[int, int, int]] = {}  # by node: column, threshold, its first child
    while len(boxes) < n_leaves:
        column = draw.randrange(2)
        wide = [each for each in boxes if each[1].high[column] - each[1].low[column] >= 4]
        if not wide:
            continue
        node, box = choice = draw.choice(wide)
        cut = draw.randint(box.low[column] + 2, box.high[column] - 2)
        boxes.remove(choice)
        first = 2 * len(splits) + 1
        splits[node] = (column, cut, first)
        boxes += [(first + side, part) for side, part in enumerate(box.halves(column, cut))]
    return _below(splits, 0, itertools.count())


def _below(splits: dict[int, tuple[int, int, int]], node: int, letters: Iterator[int]) -> PlaneShape:
    if node not in splits:
        return next(letters)
    column, cut, first = splits[node]
    return PlaneSplit(column, cut, _below(splits, first, letters), _below(splits, first + 1, letters))


def plane_tree(draw: random.Random, n_leaves: int) -> Tree:
    """Return a tree on x and y with thresholds that are whole numbers; every leaf is a class of its own."""
    return tree_of(plane_shape(draw, n_leaves))


def nodes_of(shape: PlaneShape, box: PlaneBox = PLANE) -> Iterator[tuple[PlaneShape, PlaneBox]]:
    """Yield all nodes with their parts of the plane, in preorder."""
    yield shape, box
    if isinstance(shape, PlaneSplit):
        yes, no = box.halves(shape.column, shape.cut)
        yield from nodes_of(shape.yes, yes)
        yield from nodes_of(shape.no, no)


def tree_of(shape: PlaneShape) -> Tree:
    """Return the record of a tree, a class for each letter."""
    nodes = [node for node, _ in nodes_of(shape)]
    feature, threshold, left, right = [], [], [], []
    for place, node in enumerate(nodes):
        is_split = isinstance(node, PlaneSplit)
        feature.append(node.column if is_split else LEAF)
        threshold.append(node.cut if is_split else np.nan)
        left.append(place + 1 if is_split else LEAF)
        right.append(place + 1 + sum(1 for _ in nodes_of(node.yes)) if is_split else LEAF)
    letters = [LEAF if isinstance(node, PlaneSplit) else node for node in nodes]
    value = np.equal.outer(letters, np.arange(max(letters) + 1)).astype(np.float64)
    zeros, ones = np.zeros(len(nodes)), np.ones(len(nodes))
    return make_tree(feature, threshold, left, right, zeros, zeros, ones, ones, value, zeros)


def cells(shape: PlaneShape) -> np.ndarray:
    """Return the letter's number of each square between whole numbers, (100,) int64: the tree as a function."""
    tree = tree_of(shape)
    return tree.value[leaves(tree, CELLS)].argmax(axis=1)


def n_splits(shape: PlaneShape) -> int:
    """Return the number of splits."""
    return sum(isinstance(node, PlaneSplit) for node, _ in nodes_of(shape))


def swap_answers(split: PlaneSplit) -> PlaneSplit:
    """Return the split with yes and no mixed up."""
    return split._replace(yes=split.no, no=split.yes)


def swap_columns(split: PlaneSplit) -> PlaneSplit:
    """Return the split with the columns mixed up."""
    return split._replace(column=1 - split.column)


def mirror_threshold(split: PlaneSplit) -> PlaneSplit:
    """Return the split with its threshold counted from the other end."""
    return split._replace(cut=WIDE - split.cut)


def everywhere(shape: PlaneShape, change: Change) -> PlaneShape:
    """Return the tree with every split changed."""
    if not isinstance(shape, PlaneSplit):
        return shape
    return change(shape._replace(yes=everywhere(shape.yes, change), no=everywhere(shape.no, change)))


def at_one(shape: PlaneShape, chosen: PlaneSplit, change: Change) -> PlaneShape:
    """Return the tree with one of its splits changed."""
    return everywhere(shape, lambda split: change(split) if split == chosen else split)


def shape_text(shape: PlaneShape) -> str:
    """Return the text of a tree.

    >>> shape_text(PlaneSplit(0, 3, 0, PlaneSplit(1, 6, 1, 2)))
    'x3 - y6 - -'
    """
    words = [
        f"{COLUMNS[node.column]}{node.cut}" if isinstance(node, PlaneSplit) else NO_SPLIT
        for node, _ in nodes_of(shape)
    ]
    return " ".join(words)


def read_shape(text: str) -> PlaneShape | None:
    """Return the tree of a text, its leaves numbered in order; None for a text of no tree.

    >>> read_shape("x3 - y6 - -").no
    PlaneSplit(column=1, cut=6, yes=1, no=2)
    >>> read_shape("x3 -") is None
    True
    """
    words = text.split()
    if len(words) > MOST_NODES:
        return None
    rest = iter(words)
    try:
        shape = _next_node(rest, itertools.count())
    except (StopIteration, ValueError):
        return None
    return shape if next(rest, None) is None else None


def _next_node(words: Iterator[str], letters: Iterator[int]) -> PlaneShape:
    word = next(words)
    if word == NO_SPLIT:
        return next(letters)
    match = _SPLIT.fullmatch(word)
    if not match:
        raise ValueError
    yes = _next_node(words, letters)
    return PlaneSplit(COLUMNS.index(match[1]), int(match[2]), yes, _next_node(words, letters))


def parts_as(shape: PlaneShape, surface: PlaneShape) -> bool:
    """Return whether no leaf of a tree holds two letters of a surface: with those, the tree is that function."""
    own, letters = cells(shape), cells(surface)
    return all(len(np.unique(letters[own == leaf])) == 1 for leaf in np.unique(own))
