"""Tables of new rows with what a model says of them: for a page, and as a file to take away."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from espalier.analysis.new_rows.scoring import ScoredRowSet
from espalier.data.dataset import Dataset
from espalier.language import say, to_say
from espalier.views.new_rows.words import Reasons, expert_words
from espalier.views.promises.words import set_words
from espalier.views.tables import named
from espalier.views.theme import number

ROW, LABEL = to_say("row"), to_say("label")
SAYS, SHARE, DOUBT, TRUTH = to_say("prediction"), to_say("share of it"), to_say("doubt"), to_say("in truth")
SHARE_OF = to_say("share of {name}")
SET, LOW, HIGH = to_say("classes promised"), to_say("from"), to_say("to")
EXPERT, WHY, REASONS = to_say("for an expert"), to_say("why for an expert"), to_say("reasons of the answer")
MOST_CLASSES = 20  # whose shares have a column each


def scored_table(found: ScoredRowSet, dataset: Dataset, reasons: Reasons, at: np.ndarray) -> pd.DataFrame:
    """Return the rows `at` (indices) for a page: number, label, answer, promise, whether for an expert and why."""
    columns: dict[str, Any] = {ROW: at + 1}
    if found.rows.labels is not None:
        columns[LABEL] = np.array(found.rows.labels.texts, dtype=object)[at]
    columns |= _answers(found, dataset, at) | _expert(found, dataset, at)
    if reasons.are_there:
        columns[REASONS] = [reasons.of(int(row)) for row in at]
    if found.rows.y is not None:
        columns[TRUTH] = named(dataset.target, found.rows.y[at])
    return pd.DataFrame(columns)


def scored_file(found: ScoredRowSet, dataset: Dataset, reasons: Reasons) -> pd.DataFrame:
    """Return all columns of the file in their order, and after them what the model says of each row."""
    at = np.arange(len(found.said.doubt))
    ours = _shares(found, dataset) | _answers(found, dataset, at)
    ours.pop(SHARE, None)
    ours |= _expert(found, dataset, at)
    if reasons.are_there:
        ours[REASONS] = [reasons.of(int(row)) for row in at]
    names = _free_names([say(name) for name in ours], found.rows.frame.columns)
    table = found.rows.frame.reset_index(drop=True)
    return pd.concat([table, pd.DataFrame(dict(zip(names, ours.values(), strict=True)))], axis=1)


def _shares(found: ScoredRowSet, dataset: Dataset) -> dict[str, Any]:
    """Return the prediction, and the share of each class unless there are too many."""
    columns: dict[str, Any] = {SAYS: named(dataset.target, found.said.prediction)}
    if dataset.is_classification and len(dataset.classes) <= MOST_CLASSES:
        names = [say(SHARE_OF, name=name) for name in dataset.classes]
        columns |= dict(zip(names, found.said.answers.T, strict=True))
    return columns


def _answers(found: ScoredRowSet, dataset: Dataset, at: np.ndarray) -> dict[str, Any]:
    said = found.said
    columns: dict[str, Any] = {SAYS: named(dataset.target, said.prediction[at])}
    if dataset.is_classification:
        columns[SHARE] = said.answers[at, said.prediction[at].astype(np.int64)]
    columns[DOUBT] = said.doubt[at]
    if found.sets is not None:
        columns[SET] = [set_words(found.sets[row].tolist(), dataset.classes) for row in at]
    if found.ends is not None:
        columns[LOW], columns[HIGH] = found.ends[at].T
    return columns


def _expert(found: ScoredRowSet, dataset: Dataset, at: np.ndarray) -> dict[str, Any]:
    is_for_expert = found.handover.is_for_expert[at]
    why = [
        expert_words(found, int(row), dataset) if is_one else ""
        for row, is_one in zip(at, is_for_expert, strict=True)
    ]
    return {EXPERT: is_for_expert, WHY: why}


def _free_names(names: list[str], taken: Iterable[str]) -> list[str]:
    """Return the names, each followed by a number where the file has a column of that name."""
    used, free = set(taken), []
    for name in names:
        choices = (name, *(f"{name} {n}" for n in range(2, len(used) + 3)))
        free.append(next(one for one in choices if one not in used))
        used.add(free[-1])
    return free


def answer_words(found: ScoredRowSet, row: int, dataset: Dataset) -> str:
    """Return what is promised for a row (from 0): its classes, or its interval; empty without a promise."""
    if found.sets is not None:
        return set_words(found.sets[row].tolist(), dataset.classes)
    if found.ends is not None:
        low, high = found.ends[row].tolist()
        return say("{low} to {high}", low=number(low), high=number(high))
    return ""
