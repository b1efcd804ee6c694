"""What about a table misleads, in sentences: what was seen, why it misleads, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset, Feature
from espalier.data.errors import quoted
from espalier.display.text.trees import join
from espalier.display.text.values import value_text
from espalier.display.theme import count, number, percent
from espalier.findings import finding as kinds
from espalier.findings.finding import Finding
from espalier.language import say, to_say

MOST_NAMES = 4
ANSWER_IS_KNOWN = to_say("A tree has then seen answers of rows held out, so scores are too good.")
KEEP_ONE = to_say("Keep one of each, or make what joins them the group.")
ADVICE = {  # by kind: why it misleads, and what to do
    kinds.COPY: (
        to_say("That is the answer in other words, unknown of a new row."),
        to_say("Leave it out, unless it is known before."),
    ),
    kinds.ALONE: (
        to_say("Such a column was often written down after the answer."),
        to_say("Leave it out, unless it is known before."),
    ),
    kinds.ONLY_TRAINING: (
        to_say("It may have been made from these answers: a tree then errs on new rows."),
        to_say("Leave it out, or make it without the answers."),
    ),
    kinds.SAME_ROWS: (ANSWER_IS_KNOWN, KEEP_ONE),
    kinds.ALIKE_ROWS: (ANSWER_IS_KNOWN, KEEP_ONE),
    kinds.NEAR_ROWS: (ANSWER_IS_KNOWN, KEEP_ONE),
    kinds.ORDER: (
        to_say("A new row has no place in the file."),
        to_say("Leave it out, or make it the time."),
    ),
    kinds.IDENTIFIER: (
        to_say("It says nothing of new rows: a tree can only learn it by heart."),
        to_say("Leave it out."),
    ),
    kinds.GROUPS: (
        to_say("They seem to belong together, as visits of a patient; scores then do not tell of new patients."),
        to_say("Make it the group."),
    ),
    kinds.SERIES: (
        to_say("Rows held out have close neighbours in training, so scores are too good."),
        to_say("Make a column the time, or the group."),
    ),
    kinds.RARE_CLASS: (
        to_say("Some folds have no row of it."),
        to_say("Take fewer folds, or join it with another class."),
    ),
    kinds.CONSTANT: (
        to_say("A tree never learns what its other values mean."),
        to_say("Hold out other rows, or leave it out."),
    ),
    kinds.DRIFT: (
        to_say("The rows held out are unlike those in training."),
        to_say("If new rows will be unlike them, hold out other rows."),
    ),
}
ADVICE[kinds.PARTS_DIFFER] = ADVICE[kinds.DRIFT]


def advice(dataset: Dataset, finding: Finding, name: Callable[[str], str] = quoted) -> tuple[str, str, str]:
    """Return what was found in the data set, why it misleads and what to do.

    `name` writes names of columns and classes.

    >>> from espalier.data import samples
    >>> advice(samples.load("iris"), Finding("identifier", (2,), (), {"low": 1, "high": 150, "n": 150}))[0]
    '“petal length” numbers the rows from 1 to 150.'
    """
    why, todo = ADVICE[finding.kind]
    return _OBSERVATIONS[finding.kind](_Names(dataset, finding, name)), say(why), say(todo)


def sentences(dataset: Dataset, findings: Sequence[Finding]) -> list[str]:
    """Return a paragraph for each finding, for a terminal or a file."""
    return [" ".join(advice(dataset, finding)) for finding in findings]


class _Names(NamedTuple):
    """What sentences name."""

    dataset: Dataset
    finding: Finding
    name: Callable[[str], str]

    @property
    def target(self) -> str:
        return self.name(self.dataset.target.name)

    @property
    def feature(self) -> Feature:
        return self.dataset.features[self.finding.columns[0]]

    @property
    def column(self) -> str:
        return self.name(self.feature.name)

    def share(self, figure: str) -> str:
        return percent(self.finding.figures[figure])

    def many(self, figure: str) -> str:
        return count(int(self.finding.figures[figure]))

    def value(self, figure: str) -> str:
        """Return a value of the column."""
        value, categories = self.finding.figures[figure], self.feature.categories
        if np.isnan(value):
            return say("missing")
        return self.name(categories[int(value)]) if categories else value_text(self.feature, value, digits=3)


def _copy(of: _Names) -> str:
    if of.dataset.is_classification:
        return say("{column} has one value for each class of {target}.", column=of.column, target=of.target)
    return say(
        "{target} is {column} times a number, plus a number.",
        column=of.column, target=of.target,
    )  # fmt: skip


def _alone(of: _Names) -> str:
    values = {"column": of.column, "target": of.target, "share": of.share("right")}
    if not of.dataset.is_classification:
        return say("{column} alone explains {share} of the variance of {target}.", **values)
    if not of.finding.figures["n_wrong"]:
        return say("{column} alone tells {target} of every row.", **values)
    return say("{column} alone tells {target} of {share} of the rows.", **values)


def _only_training(of: _Names) -> str:
    values = {
        "column": of.column, "target": of.target, "training": of.share("training"), "held": of.share("held"),
    }  # fmt: skip
    if of.dataset.is_classification:
        return say(
            "{column} alone tells {target} of {training} in training, {held} held out.",
            **values,
        )
    return say(
        "{column} alone explains {training} of the variance of {target} in training, {held} held out.",
        **values,
    )


def _equal_rows(of: _Names) -> str:
    """Return the words on equal rows, and on those of them that stand on both sides, if there are any."""
    if of.finding.kind == kinds.SAME_ROWS:
        words = say("{n} rows are equal to another one, {target} included.", n=of.many("n"), target=of.target)
    else:
        words = say("{n} rows are equal to another one in all but {column}.", n=of.many("n"), column=of.column)
    if not of.finding.figures["n_parted"]:
        return words
    values = {"n": of.many("n_parted"), "n_held": of.many("n_held")}
    both = say("{n} of the {n_held} rows held out stand in training, too.", **values)
    return f"{words} {both}"


def _near_rows(of: _Names) -> str:
    return say("About {share} of the rows have a twin equal but for trifles.", share=of.share("share"))


def _order(of: _Names) -> str:
    return say(
        "{column} runs from {low} to {high} with the file, as does {target}.",
        column=of.column, target=of.target, low=of.value("low"), high=of.value("high"),
    )  # fmt: skip


def _identifier(of: _Names) -> str:
    values = {"column": of.column, "low": of.value("low"), "high": of.value("high")}
    groups = of.dataset.roles.groups
    if groups is not None:
        return say("{column} numbers the groups from {low} to {high}.", **values)
    return say("{column} numbers the rows from {low} to {high}.", **values)


def _groups(of: _Names) -> str:
    return say(
        "Rows with the same of the {n} values of {column} are alike.",
        column=of.column, n=of.many("n_values"),
    )  # fmt: skip


def _series(of: _Names) -> str:
    return say(
        "A row is most like the next one in {share} of places.",
        share=of.share("share"),
    )


def _rare_class(of: _Names) -> str:
    n = int(of.finding.figures["n"])
    values = {"value": of.name(of.dataset.classes[int(of.finding.figures["class"])]), "target": of.target}
    values |= {"n": count(n), "n_folds": of.many("n_folds")}
    if of.dataset.roles.groups is not None:
        return say("{target} is {value} in {n} of the groups, for {n_folds} folds.", **values)
    return say("{target} is {value} in {n} of the rows, for {n_folds} folds.", **values)


def _constant(of: _Names) -> str:
    return say(
        "{column} is {value} throughout training, but not in {n} rows held out.",
        column=of.column, value=of.value("value"), n=of.many("n"),
    )  # fmt: skip


def _drift(of: _Names) -> str:
    figures = of.finding.figures
    if "value" in figures:
        values = {"training": of.share("training"), "held": of.share("held"), "value": of.value("value")}
        text = to_say("{column} is {value} in {training} of the training rows, in {held} of those held out.")
    else:
        values = {"training": number(figures["training"]), "held": number(figures["held"])}
        text = to_say("The median of {column} is {training} in training, {held} held out.")
    if values["training"] == values["held"] or "nan" in values.values():
        return say("{column} is otherwise distributed in the rows held out.", column=of.column)
    return say(text, column=of.column, **values)


def _parts_differ(of: _Names) -> str:
    names = [of.name(of.dataset.features[column].name) for column in of.finding.columns[:MOST_NAMES]]
    return say(
        "A small tree tells the rows held out by {columns} (ROC area {area}).",
        columns=join(names, "and"), area=number(of.finding.figures["area"]),
    )  # fmt: skip


_OBSERVATIONS = {
    kinds.COPY: _copy, kinds.ALONE: _alone, kinds.ONLY_TRAINING: _only_training, kinds.SAME_ROWS: _equal_rows,
    kinds.ALIKE_ROWS: _equal_rows, kinds.NEAR_ROWS: _near_rows, kinds.ORDER: _order,
    kinds.IDENTIFIER: _identifier, kinds.GROUPS: _groups, kinds.SERIES: _series,
    kinds.RARE_CLASS: _rare_class, kinds.CONSTANT: _constant, kinds.DRIFT: _drift,
    kinds.PARTS_DIFFER: _parts_differ,
}  # fmt: skip
