"""The workers of a Dask cluster, as an executor: tasks go to its scheduler, a large argument once to each worker.

Dask does the tasks of a worker that was killed again on another one; `distributed.scheduler.allowed-failures`, a
setting of Dask, says how often. Data lie on all workers, so that they are there while one of these is.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any

import numpy as np
from distributed import Client, KilledWorker

from espalier.executors.parcels import LostTask, Message, Packer, Parcel
from espalier.language import Refusal
from espalier.progress import Progress
from espalier.tasks import Call

SECONDS_TO_ANSWER = 10  # that the scheduler has
TRIES = 4  # of a task whose data are lost with their workers


class Cluster(Executor):
    """An executor on the workers of a Dask scheduler.

    Tasks that are under way when they are stopped run to their end, and their results are dropped.
    """

    def __init__(self, address: str):
        """Raise ValueError where no scheduler answers at the address."""
        try:
            self._client = Client(address, timeout=SECONDS_TO_ANSWER, set_as_default=False)
        except (OSError, ValueError) as wrong:
            raise Refusal(
                "no cluster answers at {address}: {reason}. Start one with `dask scheduler` and `dask worker "
                "{address}`",
                address=address,
                reason=str(wrong),
            ) from None
        self._workers = self._client.get_executor(pure=False)  # equal tasks may have results that differ
        self._parcels: dict[str, Parcel] = {}
        self._sent: dict[str, Any] = {}  # by digest: Dask's word for a parcel that its workers have
        self._packer, self._sending = Packer(self._parcels.__setitem__), threading.Lock()

    @property
    def n_workers(self) -> int:
        """Number of tasks that the cluster works on at a time."""
        threads: Any = self._client.nthreads()
        return max(sum(threads.values()), 1)

    def begin(self, task: Call, progress: Progress) -> Future[Any]:
        """Hand a task over; its progress counts nothing. Raises ValueError as `Packer.pack`."""
        own: Future[Any] = Future()
        self._begin(self._packer.pack(task), own, TRIES)
        return own

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Hand a function and its arguments over."""
        return self.begin(Call(partial(fn, **kwargs) if kwargs else fn, args), Progress())

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster, once the tasks have ended or are cancelled; it goes on without us."""
        self._workers.shutdown(wait and not cancel_futures)
        self._sent.clear()
        self._client.close()

    def _begin(self, message: Message, own: Future[Any], tries: int) -> None:
        """Let the cluster do a task, and `own` have its result."""
        data = [self._send_once(digest) for digest in message.digests]
        theirs = self._workers.submit(result_of, pickle.dumps(message), *data)
        theirs.add_done_callback(lambda _: self._end(theirs, message, own, tries - 1))
        own.add_done_callback(lambda _: own.cancelled() and theirs.cancel())

    def _send_once(self, digest: str) -> Any:
        """Return Dask's word for the data of this digest; send them where no worker has them (any more)."""
        with self._sending:
            if digest not in self._sent or self._sent[digest].status != "finished":
                parts = (
                    np.frombuffer(part, np.uint8) for part in self._parcels[digest].parts
                )  # not copied by Dask
                future: Any = self._client.scatter([Parcel(tuple(parts))], broadcast=True)
                self._sent[digest] = future[0]
            return self._sent[digest]

    def _end(self, theirs: Future[Any], message: Message, own: Future[Any], tries: int) -> None:
        """Hand the end of a task on; begin it again where its data were lost."""
        if own.cancelled():
            return
        if theirs.cancelled() and tries:  # by the scheduler; to send data waits for this very thread
            threading.Thread(target=self._begin, args=(message, own, tries), daemon=True).start()
            return
        wrong = _lost_task() if theirs.cancelled() else theirs.exception()
        if not own.set_running_or_notify_cancel():
            return
        if wrong is None:
            own.set_result(theirs.result())
        else:
            own.set_exception(_lost_task() if isinstance(wrong, KilledWorker) else wrong)


def _lost_task() -> LostTask:
    return LostTask(
        "the workers of a task ended before it did, perhaps for want of memory. Start them with more memory "
        "(--memory-limit), or use fewer rows"
    )


def result_of(message: bytes, *parcels: Parcel) -> Any:
    """Return the result of a task, in a worker; the parcels are of its digests, in their order."""
    task = pickle.loads(message)
    data = dict(zip(task.digests, parcels, strict=True))
    call = task.call(lambda digest: Parcel(tuple(part.copy() for part in data[digest].parts)).value())
    return call.function(*call.arguments, **({"progress": Progress()} if call.total else {}))
