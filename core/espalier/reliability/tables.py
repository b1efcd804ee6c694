"""Tables of reliability: the rows for an expert with their reasons, the curves, and the goal's outcome."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from espalier.data.dataset import Dataset
from espalier.display.tables import labels_of, listed, named, target_heading
from espalier.language import say, to_say
from espalier.reliability.reasons import reason
from espalier.reliability.reliability import Answers, FoldModel, FoldModels
from espalier.reliability.unsettled import Unsettled
from espalier.reliability.words import ReliabilitySummary

ROW, DOUBT, ANSWER = to_say("row"), to_say("doubt"), to_say("would say")  # columns of the rows for an expert
TRUTH, RIGHT, OFF_BY = to_say("in truth"), "right", to_say("off by")
WHY = to_say("why it is doubted")
POSSIBLE = to_say("trees as good say")
UNSETTLED = (ROW, ANSWER, TRUTH, POSSIBLE)  # columns of the rows that are not settled, beside their labels
IS_RIGHT = to_say("is right")  # the head of `RIGHT`, which also is a direction


def for_experts(answers: Answers, handed_over: np.ndarray) -> np.ndarray:
    """Return the places of the rows handed over in the first repeat among its answers, the most doubted first."""
    places = np.flatnonzero(handed_over & (answers.repeat == 0))
    return places[np.lexsort((answers.row[places], -answers.doubt[places]))]


def experts(models: FoldModels, answers: Answers, places: np.ndarray, by: str) -> pd.DataFrame:
    """Return a row for each place: its number from 1, label, doubt, prediction, truth, and why it is doubted."""
    data = models.dataset
    rows = answers.row[places]
    predicted = named(data.target, answers.answer[places].astype(float))
    truth = named(data.target, data.y[rows].astype(float))
    first = {ROW: rows + 1} | _labels(data, rows)
    table = pd.DataFrame({**first, DOUBT: answers.doubt[places], ANSWER: predicted, TRUTH: truth})
    if data.is_classification:
        table[RIGHT] = answers.loss[places] == 0
    else:
        table[OFF_BY] = answers.loss[places]
    asked = {one.number: one for one in models.tried}
    table[WHY] = [
        reason(asked[int(fold)], place_in(asked[int(fold)], int(row)), data, by)
        for fold, row in zip(answers.fold[places], rows, strict=True)
    ]
    return table


def unsettled(models: FoldModels, answers: Answers, found: Unsettled, most: int) -> pd.DataFrame:
    """Return the first rows whose class is not settled: number, label, answer, truth, what trees say."""
    data, places = models.dataset, found.place[:most]
    rows = answers.row[places]
    named_classes = [" / ".join(np.array(data.classes)[some]) for some in found.possible[:most]]
    return pd.DataFrame(
        {
            **({ROW: rows + 1} | _labels(data, rows)),
            ANSWER: named(data.target, answers.answer[places].astype(float)),
            TRUTH: named(data.target, data.y[rows].astype(float)),
            POSSIBLE: named_classes,
        }
    )


def _labels(data: Dataset, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Return the labels of the rows under the name of their column, in brackets where the table has that name."""
    labels = data.roles.labels
    if labels is None:
        return {}
    taken = {ROW, DOUBT, ANSWER, TRUTH, RIGHT, OFF_BY, WHY, POSSIBLE}
    name = f"({labels.name})" if labels.name in taken else labels.name
    return {name: np.array(labels.texts, dtype=object)[rows]}


def place_in(one: FoldModel, row: int) -> int:
    """Return the place of a row in its fold, whose rows ascend."""
    return int(np.searchsorted(one.rows, row))


def experts_file(table: pd.DataFrame, data: Dataset) -> pd.DataFrame:
    """Return the same with every feature, for a file to hand on."""
    rows = table[ROW].to_numpy() - 1
    values = listed(data, rows).drop(columns=[say(ROW), *labels_of(data), target_heading(data)])
    return pd.concat([table, values], axis=1)


def curves(models: Sequence[ReliabilitySummary], is_classification: bool) -> pd.DataFrame:
    """Return every point of every curve, a row each, for a file."""
    parts = []
    for one in models:
        part = pd.DataFrame(one.curve._asdict())
        if is_classification:
            part["accuracy"] = 1 - part.pop("risk")
            part["accuracy_high"], part["accuracy_low"] = 1 - part.pop("risk_low"), 1 - part.pop("risk_high")
        else:
            part = part.rename(columns=lambda name: name.replace("risk", "mean_error"))
        parts.append(part.assign(model=one.title, doubt_is=one.measure))
    return pd.concat(parts, ignore_index=True)
