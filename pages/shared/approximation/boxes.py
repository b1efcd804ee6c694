"""Black boxes, fitted: those that learn here, forests of their page, and models that persons have uploaded."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.approximation.fidelity import Arranged
from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut, held_out
from espalier.fitting import check_takes_weights, fit
from espalier.learners.black_boxes.models import Setup, black_box
from espalier.learners.catalogue import Model
from espalier.progress import Progress, ScaledProgress
from espalier.tasks import Call, in_order
from pages.shared.app.store import Store
from pages.shared.approximation.controls import BOX, OURS, OWN
from pages.shared.forests import growing
from pages.shared.jobs import workers
from pages.shared.jobs.workers import THREADS, are_outside
from pages.shared.own_models import uploads
from pages.shared.own_models.uploads import UploadedModel

MOST_AT_ONCE = 2  # models: beside one that was left another may learn
SECONDS_BETWEEN_LOOKS = 0.05
# The most rows for models whose time, or size, grows faster than the rows.
MOST_LEARNT = {"svm": 10_000, "network": 20_000, "neighbours": 20_000, "forest": 100_000, "cultivated": 100_000}
MOST_KEPT = 12

_room = threading.BoundedSemaphore(MOST_AT_ONCE)


class FittedBlackBox(NamedTuple):
    """A black box that can be asked."""

    model: Any
    n_rows: int  # that it learnt from; 0 where that is not known
    arranged: Arranged | None = None  # of a model that a person uploaded


Fit = Callable[[Progress], "FittedBlackBox | None"]  # of a job's progress; None where it was stopped


@st.cache_resource(show_spinner=False)
def store() -> Store[FittedBlackBox]:
    """The server's fitted black boxes."""
    return Store(MOST_KEPT)


def maker(dataset: Dataset, holdout: HeldOut, model: Model) -> tuple[str, Fit] | None:
    """Name of the black box, and the function that fits it; None where there is none yet: the page says why."""
    box = model.value(BOX)
    if box in OURS:
        planted = growing.grown_forests(dataset, [OURS[box]])
        if planted is None:
            return None
        one = planted[0]
        return one.key, lambda _: FittedBlackBox(one.estimator, len(one.rows))
    if box == OWN:
        file = uploads.brought()
        if not uploads.is_there(file.digest):
            return None
        return repr(file), lambda _: brought(file, dataset)
    key = repr((dataset.digest, holdout, box, model.value("box-random")))
    return key, lambda progress: learnt(key, dataset, holdout, model, progress)


def brought(file: UploadedModel, dataset: Dataset) -> FittedBlackBox:
    """A model that a person uploaded; one that runs already is kept. Raises ValueError where it is of no use."""
    found = uploads.arranged(file, dataset)
    return FittedBlackBox(found.model, 0, found.arranged)


def learnt(
    key: str, dataset: Dataset, holdout: HeldOut, model: Model, progress: Progress
) -> FittedBlackBox | None:
    """The black box of this name, fitted to the rows that are not held out; one that was fitted before is kept."""
    kept = store().find(key)
    if kept is not None:
        return kept
    setup = Setup(dataset.is_classification, dataset.categorical, model.value("box-random"), THREADS)
    estimator = black_box(model.value(BOX)).make(setup)
    some = learnt_rows(dataset, holdout, model.value(BOX))
    check_takes_weights(estimator, dataset)
    if "progress" in inspect.signature(estimator.fit).parameters:
        fit(estimator, dataset, some, progress)
    elif are_outside():
        estimator = outside(Call(fit, (estimator, dataset, some)), progress)
    else:
        estimator = unless_stopped(partial(fit, estimator, dataset, some), progress)
    if progress.is_stopped or estimator is None:
        return None
    box = FittedBlackBox(estimator, len(some))
    store().put(key, box)
    return box


def learnt_rows(dataset: Dataset, holdout: HeldOut, box: str) -> np.ndarray:
    """The rows that the black box learns from: those not held out; of very many, some where all are too much."""
    grown_on = np.flatnonzero(~held_out(dataset, holdout))
    most = MOST_LEARNT.get(box, len(grown_on))
    if len(grown_on) <= most:
        return grown_on
    return np.sort(np.random.default_rng(0).choice(grown_on, most, replace=False))


# ---- black boxes that learn without looking whether they are to stop


def outside(fit: Call, progress: Progress) -> Any:
    """The model that the task returns, in another process; None where it is stopped, which ends it at once.

    Raises what the task raises.
    """
    with workers.workers() as executor:
        return next((model for _, model in in_order([fit], executor, ScaledProgress(progress, 0.0))), None)


def unless_stopped(fit: Callable[[], Any], progress: Progress) -> Any:
    """The model that `fit` returns; None as soon as it is stopped, though `fit` goes on to its end unheard.

    Raises what `fit` raises.
    """
    while not _room.acquire(timeout=SECONDS_BETWEEN_LOOKS):  # those that were left end by themselves
        if progress.is_stopped:
            return None
    model: Future[Any] = Future()
    # A daemon: the server need not wait for it when it ends.
    threading.Thread(target=_learn, args=(fit, model), name="fit", daemon=True).start()
    while not (progress.is_stopped or model.done()):
        wait([model], SECONDS_BETWEEN_LOOKS)
    return None if progress.is_stopped else model.result()


def _learn(fit: Callable[[], Any], model: Future[Any]) -> None:
    try:
        model.set_result(fit())
    except BaseException as error:
        model.set_exception(error)
    finally:
        _room.release()
