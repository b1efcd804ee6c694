"""Dates, times and durations of a DataFrame, in the units in which a model counts them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from espalier.data.columns.dates import seconds_of
from espalier.data.dataset import Feature
from espalier.data.moments import DAY, DURATION
from espalier.language import Refusal, to_say

NO_MOMENT = to_say(
    "the column {name} holds values of the type {type}, and the model takes dates or times there; make it "
    "datetime64"
)
NO_DURATION = to_say(
    "the column {name} holds values of the type {type}, and the model takes durations there; make it timedelta64"
)
NO_NUMBER = to_say(
    "the column {name} holds values of the type {type}, and the model takes numbers there; give the numbers that "
    "it was fitted to"
)
TIMES = to_say(
    "the column {name} holds times of the day, and the model takes whole days there; leave the times out"
)


def moments_of(values: pd.Series, own: Feature) -> np.ndarray | None:
    """Return a column as the model counts it, (n,) float64, nan where missing; None where neither is of moments.

    Raises Refusal for moments where the model takes others or numbers, and for numbers where it takes moments.
    """
    is_date = pd.api.types.is_datetime64_any_dtype(values.dtype)
    is_duration = pd.api.types.is_timedelta64_dtype(values.dtype)
    wanted = "" if own.moment is None else own.moment.part
    if not (is_date or is_duration or wanted):
        return None
    if (is_date, is_duration) != (wanted == "date", wanted == DURATION):
        text = {"": NO_NUMBER, DURATION: NO_DURATION}.get(wanted, NO_MOMENT)
        raise Refusal(text, name=own.name, type=str(values.dtype))
    seconds = seconds_of(values) if is_date else (values / pd.Timedelta(seconds=1)).to_numpy(np.float64)
    unit = own.moment.unit if own.moment else 1
    if is_date and unit == DAY and np.nanmax(seconds % DAY, initial=0) > 0:
        raise Refusal(TIMES, name=own.name)
    return seconds / unit
