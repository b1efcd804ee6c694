"""The section of a report on how good the model is: scores with intervals, errors by class, and the baseline."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.comparison import rates_words
from espalier.comparison import scores as metrics
from espalier.comparison.rates import rates
from espalier.data.dataset import Dataset
from espalier.data.weights import effective_size
from espalier.display.theme import count, number, percent
from espalier.language import say, to_say
from espalier.reports.sheet import Grid, Part, Prose, ReportSection
from espalier.wilson_interval import wilson

ROWS = {"held": to_say("rows held out"), "training": to_say("rows it learned from")}
SHARES = ("accuracy", "balanced_accuracy")


class JudgedAnswers(NamedTuple):
    """Rows of one kind with the model's answers to all rows."""

    data: Dataset
    held: np.ndarray  # (n_samples,) bool
    outputs: np.ndarray  # (n_samples, n_outputs)

    def kinds(self) -> dict[str, np.ndarray]:
        """Return the masks of the rows of each kind, without kinds that have none."""
        return {name: rows for name, rows in (("held", self.held), ("training", ~self.held)) if rows.any()}


def scores_section(scored: JudgedAnswers) -> ReportSection:
    """Return the section."""
    parts: list[Part] = [_table(scored)]
    if scored.data.is_classification:
        name, rows = next(iter(scored.kinds().items()))
        parts += _errors(scored, name, rows)
    if not scored.held.any():
        parts.append(Prose(say("No rows were held out: on new rows the model will probably do worse.")))
    return ReportSection(say("How good it is"), parts)


def _table(scored: JudgedAnswers) -> Grid:
    data, trained, columns = scored.data, ~scored.held, []
    heads = [say("score")]
    for name, rows in scored.kinds().items():
        weight, weight_grown_on = data.weights_of(rows), data.weights_of(trained)
        both = metrics.scored(data.y[rows], scored.outputs[rows], data.y[trained], weight, weight_grown_on)
        heads += [say(ROWS[name]), say("baseline: one answer for all of them")]
        n = int(rows.sum()) if weight is None else effective_size(weight)
        # Of rows that it learned from, an interval would promise what new rows do not keep.
        columns += [_cells(both.tree, n if name == "held" else None), _cells(both.baseline, None)]
    fields = (metrics.ClassScores if data.is_classification else metrics.MeanScores)._fields[1:]
    names = [say(metrics.LABELS[name]) for name in fields]
    return Grid(heads, list(zip(names, *columns, strict=True)))


def _cells(scores: metrics.ClassScores | metrics.MeanScores, n: float | None) -> list[str]:
    """Return the scores as they are written; accuracy on n rows with its 95 % interval."""
    return [_written(name, getattr(scores, name), n) for name in scores._fields[1:]]


def _written(name: str, value: float, n: float | None) -> str:
    if not np.isfinite(value):
        return "–"
    if name not in SHARES:
        return number(round(value, 3))
    if n is None or name != "accuracy":
        return percent(round(value, 3))
    low, high = (float(end) for end in wilson(np.array(value), np.array(n)))
    return say(
        "{share} (95 % interval {low} to {high})",
        share=percent(round(value, 3)),
        low=percent(round(low, 3)),
        high=percent(round(high, 3)),
    )


def _errors(scored: JudgedAnswers, name: str, rows: np.ndarray) -> list[Part]:
    """Return the confusion matrix of these rows, and sentences on each class."""
    data, answers = scored.data, scored.outputs[rows].argmax(axis=1)
    y, weight, n_classes = data.y[rows], data.weights_of(rows), len(data.classes)
    matrix = metrics.confusion(y, answers, n_classes, weight)
    usual = int(np.bincount(data.y[~scored.held], minlength=n_classes).argmax())
    each = rates(y, answers, n_classes, usual, weight)
    heads = [say("in truth"), *(say("says {name}", name=one) for one in data.classes)]
    cells = [(name, *map(_count, line)) for name, line in zip(data.classes, matrix.tolist(), strict=True)]
    text = f"{rates_words.by_class_words(each, data.target)} {rates_words.baseline_words(each, data.target)}"
    return [Prose(say("Answers and truth, {rows}:", rows=say(ROWS[name]))), Grid(heads, cells), Prose(text)]


def _count(n: float) -> str:
    return count(int(n)) if float(n).is_integer() else number(n)
