"""A boosted sum among forests that vote: its trees are steps, each of a round and a class."""

from __future__ import annotations

from typing import Any

from espalier.data.class_marks import ClassMarks
from espalier.data.dataset import Feature
from espalier.trees import read_only
from espalier.views.export.forests import STEP, score_of
from pages.shared.app.frame import plain
from pages.shared.forests.forest_job import GrownForest
from pages.shared.words.forests import boosting as words


def measures(one: GrownForest, error: str) -> list[str]:
    """Lines in place of strength and correlation."""
    if not one.has_rounds:
        return [words.trees_and_error(one.forest.n_trees, error), words.MEAN_OF_LOG_ODDS]
    return [words.rounds_and_error(n_rounds(one), one.trees_a_round, error), words.NOT_AVERAGED]


def no_votes(one: GrownForest, side: str) -> str:
    """Why it has no votes to show."""
    return words.no_votes(side) if one.has_rounds else f"{words.of_forest(side)} {words.MEAN_OF_LOG_ODDS}"


def n_rounds(one: GrownForest) -> int:
    """Number of rounds of a sum."""
    return one.forest.n_trees // one.trees_a_round


def round_words(one: GrownForest, number: int) -> str:
    """Round of a tree, counted from 0, and of several classes the one to whose score it adds."""
    name = plain(one.dataset.classes[class_of(one, number)]) if one.trees_a_round > 1 else ""
    return words.round_of(number // one.trees_a_round + 1, name)


def class_of(one: GrownForest, number: int) -> int:
    """The class to whose score a tree, counted from 0, adds; of two classes, that of the log odds: the second."""
    k = one.trees_a_round
    if one.forest.link == "logistic":
        return 1
    return number % k if k == len(one.dataset.classes) else score_of(one.forest.trees[number])


def step_of(one: GrownForest, number: int) -> tuple[Any, Feature]:
    """A tree of the sum, counted from 0, as one that predicts a number: its step, in the colour of its class."""
    tree, target = one.forest.trees[number], one.dataset.target
    if target.categories:
        place = target.marks.places(len(target.categories))[class_of(one, number)]
        target = STEP._replace(marks=ClassMarks(colours=(place,)))
    else:
        target = STEP
    return tree._replace(value=read_only(tree.value[:, [score_of(tree)]])), target
