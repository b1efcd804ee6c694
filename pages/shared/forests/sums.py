"""A boosted sum among forests that vote: its trees are steps, each of a round and a class."""

from __future__ import annotations

from typing import Any

from espalier.data.class_marks import ClassMarks
from espalier.data.dataset import Feature
from espalier.export.forests import STEP, score_of
from espalier.language import say
from espalier.trees import read_only
from pages.shared.app.frame import plain
from pages.shared.forests import sentences
from pages.shared.forests.forest_job import GrownForest


def measures(one: GrownForest, error: str) -> list[str]:
    """Lines in place of strength and correlation."""
    if not one.has_rounds:
        return [
            say("All {n} trees together: error **{error}** on held-out rows.", n=one.forest.n_trees, error=error),
            say(sentences.MEAN_OF_LOG_ODDS),
        ]
    return [
        _rounds_and_error(n_rounds(one), one.trees_a_round, error),
        say(
            "Nothing is averaged here, so the formula does not apply. A tree does not vote; it "
            "corrects the sum of the earlier ones. That lowers the bias, and too many rounds "
            "follow the noise: the error may rise again."
        ),
    ]


def no_votes(one: GrownForest, side: str) -> str:
    """Why it has no votes to show."""
    return (
        say(
            "Forest {side} adds its trees up: each is a step that corrects the sum of the earlier ones and says "
            "nothing alone. So it has no votes to show here. *{TAB}* shows its steps.",
            side=side,
            TAB=say("Round by round"),
        )
        if one.has_rounds
        else (f"{say('Forest {side}:', side=side)} {say(sentences.MEAN_OF_LOG_ODDS)}")
    )


def n_rounds(one: GrownForest) -> int:
    """Number of rounds of a sum."""
    return one.forest.n_trees // one.trees_a_round


def round_words(one: GrownForest, number: int) -> str:
    """Round of a tree, counted from 0, and of several classes the one to whose score it adds."""
    name = plain(one.dataset.classes[class_of(one, number)]) if one.trees_a_round > 1 else ""
    return _round_and_class(number // one.trees_a_round + 1, name)


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


def _rounds_and_error(n: int, trees_a_round: int, error: str) -> str:
    """Number of rounds, and the error on held-out rows."""
    each = (
        say(", each of {trees_a_round} trees, one for a class", trees_a_round=trees_a_round)
        if trees_a_round > 1
        else ""
    )
    return say("{n}{each}: error **{error}** on held-out rows.", n=sentences.rounds(n), each=each, error=error)


def _round_and_class(number_: int, of_class: str) -> str:
    """Round and class of a tree, among the small trees."""
    return (
        say("Round {number}, {of_class}", number=number_, of_class=of_class)
        if of_class
        else say("Round {number}", number=number_)
    )
