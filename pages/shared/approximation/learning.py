"""Models that cannot be interrupted while they learn: in another process they are ended when a person cancels.

On threads one is left to itself, and goes on unheard.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any

from espalier.progress import Progress, ScaledProgress
from espalier.tasks import Call, in_order
from pages.shared.jobs import workers

MOST_AT_ONCE = 2  # models: beside one that was left another may learn
SECONDS_BETWEEN_LOOKS = 0.05

_learning: dict[str, Future[Any]] = {}
_lock = threading.Lock()


def unless_stopped(key: str, fit: Callable[[], Any], progress: Progress) -> Any:
    """The model that `fit` returns; None as soon as it is stopped, though `fit` goes on to its end unheard.

    All that ask for the same `key` meanwhile wait for the same model. Raises what `fit` raises.
    """
    while not progress.is_stopped:
        model = _begin(key, fit)
        if model is None:  # too many are learning: those that were left end by themselves
            time.sleep(SECONDS_BETWEEN_LOOKS)
            continue
        wait([model], SECONDS_BETWEEN_LOOKS)
        if model.done():
            return model.result()
    return None


def outside(fit: Call, progress: Progress) -> Any:
    """The model that the task returns, in another process; None where it is stopped, which ends it at once.

    Raises what the task raises.
    """
    with workers.workers() as executor:
        return next((model for _, model in in_order([fit], executor, ScaledProgress(progress, 0.0))), None)


def _begin(key: str, fit: Callable[[], Any]) -> Future[Any] | None:
    """The model of this name, which begins to learn unless it does; None while too many others learn."""
    with _lock:
        if key not in _learning and len(_learning) < MOST_AT_ONCE:
            _learning[key] = Future()
            # A daemon: the server need not wait for it when it ends.
            threading.Thread(target=_learn, args=(key, fit, _learning[key]), name="fit", daemon=True).start()
        return _learning.get(key)


def _learn(key: str, fit: Callable[[], Any], model: Future[Any]) -> None:
    try:
        model.set_result(fit())
    except BaseException as error:
        model.set_exception(error)
    finally:
        with _lock:
            del _learning[key]
