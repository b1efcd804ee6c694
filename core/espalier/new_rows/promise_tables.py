"""The file of promises: every row with its set or interval, and whether that holds the truth."""

from __future__ import annotations

import numpy as np
import pandas as pd

from espalier.data.dataset import Dataset
from espalier.display.tables import labels_of, named
from espalier.new_rows.promises import PromisedIntervals, PromisedSets
from espalier.reliability.reliability import Answers


def promised_rows(found: PromisedSets | PromisedIntervals, answers: Answers, data: Dataset) -> pd.DataFrame:
    """Return the rows of the first repeat, in the order of the data: prediction, truth, and what was promised."""
    places = np.flatnonzero(answers.repeat == 0)
    places = places[np.argsort(answers.row[places], kind="stable")]
    rows = answers.row[places]
    table = pd.DataFrame({"row": rows + 1} | labels_of(data, rows))
    table["prediction"] = named(data.target, answers.answer[places].astype(float))
    table["truth"] = named(data.target, data.y[rows].astype(float))
    if isinstance(found, PromisedIntervals):
        table["from"], table["to"] = found.ends[places].T
    else:
        table["set"] = [" | ".join(np.array(data.classes)[inside]) for inside in found.sets[places]]
    return table.assign(holds_truth=found.promised.holds[places])
