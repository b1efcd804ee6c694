"""How a model is asked: with the columns that it wants, in batches between which it can be stopped."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from sklearn.utils import get_tags

from espalier.language import Refusal
from espalier.learners.frames import FrameColumns, quote_all, spaceless_name
from espalier.progress import Progress

Present: TypeAlias = "Callable[[np.ndarray], Any]"  # the model's input for rows (n, n_features)
NUMBERED_NAME = re.compile(r"(Column_|f)\d+")  # names that boosting libraries give to unnamed columns


def presenting(model: Any, frame: FrameColumns | None, is_ours: bool = False) -> Present:
    """Return the function that converts rows (n, n_features) to the model's input.

    `frame` describes the columns of the DataFrame that the rows come from, None for an array; `is_ours` means that
    the model was fitted to this very DataFrame. A model with named columns gets them by name, in its order; text
    and categories are restored. Raises ValueError for missing columns.
    """
    names_ = _names_of(model)
    if frame is None:
        return _as_is if names_ is None else lambda rows: pd.DataFrame(rows, columns=names_)
    if names_ is None:
        return _as_is if frame.is_plain and not is_ours else frame.plain
    order = _order([column.name for column in frame.columns], names_)
    if order is None:
        return frame.plain
    return lambda rows: frame.plain(rows).iloc[:, order].set_axis(names_, axis=1)


def has_same_terms(model: Any, frame: FrameColumns | None) -> bool:
    """Return whether a model of this project has the rows' own columns, in their order, with the same codes."""
    names, own = _names_of(model), getattr(model, "frame_", None)
    if frame is None:
        return not isinstance(own, FrameColumns) or own.is_plain
    if names is not None and _order([column.name for column in frame.columns], names) is not None:
        return False
    codes = own.categories if isinstance(own, FrameColumns) else [None] * len(frame.columns)
    return all(np.array_equal(_or_none(a), _or_none(b)) for a, b in zip(codes, frame.categories, strict=True))


def check_kind(model: Any, wants: str) -> None:
    """Raise ValueError for a classifier where a regressor is wanted ("regressor"), or the other way round."""
    name = type(model).__name__
    if wants == "regressor" and (kind_of(model) == "classifier" or hasattr(model, "predict_proba")):
        raise ValueError(
            f"the model {name} is a classifier: it says classes, and ApproximationRegressor stands in for "
            "numbers; take ApproximationClassifier, or give a function of rows that says the chance of one class"
        )
    if wants == "classifier" and kind_of(model) == "regressor" and not hasattr(model, "predict_proba"):
        raise ValueError(
            f"the model {name} is a regressor: it says numbers, and ApproximationClassifier stands in for "
            "classes; take ApproximationRegressor, or, where its numbers are chances of a class, give its predict"
        )


def kind_of(model: Any) -> str | None:
    """Return the model's declared kind, "classifier" or "regressor", or None."""
    try:
        return get_tags(model).estimator_type
    except (AttributeError, TypeError, ValueError):  # a function, or a model of another library
        return getattr(model, "_estimator_type", None)


def _as_is(rows: np.ndarray) -> np.ndarray:
    return rows


def _names_of(model: Any) -> list | None:
    """Return the names of the columns that the model was fitted to; None if unnamed or generated."""
    try:
        names = getattr(model, "feature_names_in_", None)
    except Exception:  # a property of a model of another library
        return None
    if names is None or all(isinstance(name, str) and NUMBERED_NAME.fullmatch(name) for name in names):
        return None
    return list(names)


def _order(names: list, wanted: list) -> list[int] | None:
    """Return the position of each column that the model wants.

    None if the order is the same. Raises ValueError.
    """
    if names == wanted:
        return None
    for names_ in (names, list(map(spaceless_name, names))):
        if sorted(map(str, names_)) == sorted(map(str, wanted)) and len(set(names_)) == len(names_):
            return [names_.index(name) for name in wanted]
    lacking = [name for name in wanted if name not in names]
    besides = [name for name in names if name not in wanted]
    raise ValueError(
        f"the model was fitted to other columns than X has: X lacks {quote_all(lacking) or 'none of its columns'}"
        + (f", and has {quote_all(besides)} besides" if besides else "")
        + "; give X the columns that the model was fitted to"
    )


def _or_none(levels: np.ndarray | None) -> np.ndarray:
    return np.empty(0, object) if levels is None else levels


# ---- how a model is asked: in batches, small where it is slow, so that it can be stopped between two of them

FIRST = 64  # rows of the first batch, which shows how slow the model is
LONG = 0.5  # seconds: what is expected to take longer is asked in parts
SHORT = 0.25  # seconds: after a quicker part the next is twice as large, as each call has a cost of its own


class StoppedAsking(Exception):
    """The model was to be asked no more before it had answered all rows."""


class Asking:
    """Asks a model by its method `name`, or calls it."""

    def __init__(self, model: Any, name: str | None, present: Present):
        """`present` puts rows (n, n_features) as the model wants them."""
        self.model, self.name, self.present = model, name, present
        self.progress = Progress()  # stopped: ask no more
        self.n_answered = 0
        self.pace = np.nan  # seconds a row, in the last batch
        self._last = FIRST  # rows of the last batch that was a part

    def __call__(self, rows: np.ndarray) -> Any:
        """Return the model's answers for rows (n, n_features), n of them.

        Raises ValueError unless every row gets an answer, and StoppedAsking if it is stopped on the way.
        """
        parts: list[Any] = []
        first = 0
        while first < len(rows) or not parts:
            if self.progress.is_stopped:
                raise StoppedAsking
            batch = rows[first : first + self._size(len(rows) - first)]
            parts.append(self._ask(batch))
            first += len(batch)
        return parts[0] if len(parts) == 1 else np.concatenate([np.asarray(part) for part in parts])

    @contextmanager
    def heeding(self, progress: Progress) -> Iterator[None]:
        """Within it the model is asked until `progress` is stopped."""
        before, self.progress = self.progress, progress
        try:
            yield
        finally:
            self.progress = before

    def _size(self, n_left: int) -> int:
        """Rows of the next batch: all that are left, unless that may take long."""
        if self.pace * n_left <= LONG:
            return n_left
        if not np.isnan(self.pace):
            seconds = self.pace * self._last
            self._last = self._last * 2 if seconds < SHORT else max(self._last // (1 + (seconds > LONG)), FIRST)
        return min(n_left, self._last)

    def _ask(self, batch: np.ndarray) -> Any:
        began = time.perf_counter()
        answers = (self.model if self.name is None else getattr(self.model, self.name))(self.present(batch))
        self.pace = (time.perf_counter() - began) / max(len(batch), 1)
        self.n_answered += len(batch)
        if np.ndim(answers) == 0 or len(answers) != len(batch):
            n = "a single answer" if np.ndim(answers) == 0 else f"{len(answers)} answers"
            raise Refusal("the model gave {n} to {rows} rows; it must give one for each", n=n, rows=len(batch))
        return answers


@contextmanager
def alarm(seconds: float | None, progress: Progress) -> Iterator[threading.Event]:
    """Stop the work once the time is over, which None never is; the event is set if that happened."""
    late = threading.Event()

    def ring() -> None:
        late.set()
        progress.stop()

    timer = None if seconds is None else threading.Timer(seconds, ring)
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield late
    finally:
        if timer is not None:
            timer.cancel()


@contextmanager
def within(seconds: float | None, progress: Progress, asking: Asking, n_rows: int) -> Iterator[None]:
    """Ask about n_rows rows within so many seconds, or without a limit. Raises ValueError if that takes longer."""
    with alarm(seconds, progress) as late:
        try:
            yield
        except StoppedAsking:
            if not late.is_set():
                raise
            raise Refusal(
                "the model answered {n} of the {rows} rows within {seconds} seconds (time_limit), and a tree "
                "needs all answers; give fewer rows, more time, or a faster model",
                n=asking.n_answered,
                rows=n_rows,
                seconds=seconds,
            ) from None
    if late.is_set():  # as the last row was answered
        progress.go_on()
