"""Tables of new rows: for the page, and for a file with all that is said of each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from espalier.data.dataset import Dataset
from espalier.data.rows.roles import RowLabels
from espalier.display.tables import named
from espalier.display.text.trees import class_words, share_words
from espalier.language import say, to_say
from espalier.new_rows.promise_words import set_words
from espalier.new_rows.reasons import matters_most, why_expert
from espalier.new_rows.scoring import ScoredRowSet
from espalier.reliability.reasons import DOUBT, IS_RIGHT, OFF_BY, ROW, TRUTH
from espalier.ties import are_tied

ANSWER, CHANCE, PROMISED = to_say("answer"), to_say("chance"), to_say("promised")  # columns of both
BEHIND = to_say("of rows")  # in the leaf of a tree: those that the chance is a share of
FROM, TO = to_say("from"), to_say("to")  # ends of a promised interval
LEADING, EXPERT, WHY = to_say("matters most"), to_say("for an expert"), to_say("why")
NAMES = (ROW, ANSWER, CHANCE, BEHIND, PROMISED, FROM, TO, DOUBT, LEADING, EXPERT, WHY, TRUTH, IS_RIGHT, OFF_BY)
MOST_CHANCES = 20  # classes whose chances have columns of their own in a file
SEPARATOR = "; "  # between reasons


def scored_table(found: ScoredRowSet, dataset: Dataset, rows: np.ndarray) -> pd.DataFrame:
    """Return a line for each of these rows (indices): label, answer, promise, reasons, and the truth if known.

    >>> from espalier.new_rows.answers import TableModel
    >>> from espalier.new_rows.scoring import score_rows
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris, every = samples.load("iris"), np.ones(150, bool)
    >>> model = TableModel(CartClassifier(max_depth=1).fit(iris.X, iris.y), iris, every, ~every)
    >>> found = score_rows(model, pd.DataFrame({"petal length": [1.4, 9.0]}))
    >>> scored_table(found, iris, np.arange(2))[["row", "answer", "chance", "for an expert"]].values.tolist()
    [[1, 'setosa', 1.0, False], [2, 'tie: versicolor, virginica', 0.5, True]]
    """
    said = found.said
    columns: dict[str, Any] = {ROW: rows + 1} | _labels(found.rows.labels, rows)
    columns[ANSWER] = answer_names(found, dataset, rows)
    if dataset.is_classification:
        columns[CHANCE] = _settled(found, said.answers[rows, said.prediction[rows].astype(np.int64)], rows)
        columns |= {} if said.behind is None else {BEHIND: said.behind[rows]}
    columns |= _promised(found, dataset, rows)
    columns[DOUBT] = said.doubt[rows]
    columns[EXPERT] = found.handover.is_for_expert[rows]
    columns[WHY] = [SEPARATOR.join(reasons) for reasons in why_expert(found, dataset, rows)]
    if found.leading is not None:
        columns[LEADING] = [SEPARATOR.join(parts) for parts in matters_most(found, dataset, rows)]
    return pd.DataFrame(columns | _truth(found, dataset, rows))


def expert_table(found: ScoredRowSet, dataset: Dataset, rows: np.ndarray) -> pd.DataFrame:
    """Return the table of these rows as a sheet of paper has room for it: its reasons in two wide columns."""
    table = scored_table(found, dataset, rows)
    if CHANCE in table:
        behind = table[BEHIND] if BEHIND in table else [None] * len(table)
        each = zip(table[ANSWER], table[CHANCE], behind, strict=True)
        table[ANSWER] = [
            f"{name}, {share_words(chance, n)}" if chance == chance else name for name, chance, n in each
        ]
    return table.drop(columns=[CHANCE, BEHIND, DOUBT, EXPERT, IS_RIGHT], errors="ignore")


def scored_file(found: ScoredRowSet, dataset: Dataset, rows: np.ndarray) -> pd.DataFrame:
    """Return the same with the chance of every class, and with all columns of the file that the rows are from."""
    table = scored_table(found, dataset, rows)
    if dataset.is_classification and len(dataset.classes) <= MOST_CHANCES:
        for code, name in enumerate(dataset.classes):
            table[say("chance of {name}", name=name)] = _settled(found, found.said.answers[rows, code], rows)
    own = found.rows.frame.iloc[rows].reset_index(drop=True)
    labels = found.rows.sources.label
    own = own.drop(columns=[labels]) if labels in own else own
    taken = set(table.columns)
    return pd.concat([table, own.rename(columns=lambda name: f"({name})" if name in taken else name)], axis=1)


def answers_table(found: ScoredRowSet, dataset: Dataset) -> pd.DataFrame:
    """Return how many rows get each class, and how many of these are for an expert; of numbers, their spread."""
    prediction, handed = found.said.prediction, found.handover.is_for_expert
    if not dataset.is_classification:
        quantiles = np.quantile(prediction, [0, 0.25, 0.5, 0.75, 1]).tolist()
        heads = (say("smallest"), say("lower quarter"), say("median"), say("upper quarter"), say("largest"))
        return pd.DataFrame([dict(zip(heads, quantiles, strict=True))])
    n = np.bincount(prediction.astype(np.int64), minlength=len(dataset.classes))
    n_handed = np.bincount(prediction[handed].astype(np.int64), minlength=len(dataset.classes))
    return pd.DataFrame(
        {
            say(ANSWER): dataset.classes,
            say("rows"): n,
            say("share"): n / max(n.sum(), 1),
            say(EXPERT): n_handed,
        }
    )


def answer_names(found: ScoredRowSet, dataset: Dataset, rows: np.ndarray) -> np.ndarray:
    """Return the answers to these rows (indices), (n,): classes, those that tie, or numbers."""
    names = named(dataset.target, found.said.prediction[rows])
    if dataset.is_classification:
        shares = found.said.answers[rows]
        for i in np.flatnonzero(are_tied(shares)).tolist():
            names[i] = class_words(dataset.target, shares[i])
    return names


def _settled(found: ScoredRowSet, chances: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the chances (n,) of these rows, nan where the answer hangs on an absent column."""
    return np.where(found.handover.absent[rows].any(axis=1), np.nan, chances)


def label_heading(labels: RowLabels | None) -> str:
    """Return the heading of the labels: their column's name, in brackets where a table has it; "" for none."""
    if labels is None:
        return ""
    return f"({labels.name})" if labels.name in NAMES else labels.name


def _labels(labels: RowLabels | None, rows: np.ndarray) -> dict[str, np.ndarray]:
    if labels is None:
        return {}
    return {label_heading(labels): np.array([labels.texts[row] for row in rows.tolist()], dtype=object)}


def _promised(found: ScoredRowSet, dataset: Dataset, rows: np.ndarray) -> dict[str, Any]:
    """Return the columns of the promise: the classes of a set, or the ends of an interval; none without one."""
    if found.ends is not None:
        return {FROM: found.ends[rows, 0], TO: found.ends[rows, 1]}
    if found.sets is None:
        return {}
    kinds, kind = np.unique(found.sets[rows], axis=0, return_inverse=True)
    texts = np.array([set_words(one.tolist(), dataset.classes) for one in kinds], dtype=object)
    return {PROMISED: texts[kind.ravel()] if len(texts) else texts}


def _truth(found: ScoredRowSet, dataset: Dataset, rows: np.ndarray) -> dict[str, Any]:
    """Return the truth of rows that have one, and whether the answer is right, or by how much it is off."""
    if found.rows.y is None:
        return {}
    y, said = found.rows.y[rows], found.said.prediction[rows]
    if not dataset.is_classification:
        return {TRUTH: y, OFF_BY: np.abs(said - y)}
    is_right = np.where(np.isnan(y), None, said == y)  # pyright: ignore[reportCallIssue, reportArgumentType]
    return {TRUTH: named(dataset.target, y), IS_RIGHT: is_right}
