"""Where independent tasks run: on threads, in processes of this machine, or on a Dask cluster.

>>> from espalier.tasks import Call, in_order
>>> with executor("threads", n_workers=2) as workers:
...     [result for _, result in in_order([Call(pow, (base, 2)) for base in range(4)], workers)]
[0, 1, 4, 9]

All run the same tasks and give the same bits on equal processors and versions. ``"processes"`` is for what holds
the interpreter, such as models of scikit-learn; an address, such as ``"tcp://10.0.0.1:8786"``, is that of the
scheduler of a cluster. In both, a large argument of many tasks is sent once, and known by its digest.
"""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager

from espalier.executors.parcels import LostTask
from espalier.executors.pool import Processes, WorkerPool, WorkerTerms
from espalier.language import Refusal
from espalier.settings import EXECUTOR, PROCESSORS

__all__ = ["LostTask", "Processes", "WorkerPool", "WorkerTerms", "executor"]


def executor(where: str = EXECUTOR, n_workers: int | None = None) -> AbstractContextManager[Executor]:
    """Return an executor of tasks, to be entered with ``with``.

    Parameters
    ----------
    where : "threads", "processes", or the address of a Dask scheduler, "tcp://host:port" or "tls://host:port". By
        default the environment decides: `ESPALIER_CLUSTER`, an address, or else `ESPALIER_EXECUTOR`, or threads
    n_workers : threads or processes; None for one on each processor. A cluster has the workers that it has

    Raises ValueError for another place, for fewer workers than one, and for a cluster that does not answer or that
    needs the package `distributed`.

    >>> with executor("processes", n_workers=1) as workers:
    ...     workers.submit(divmod, 7, 2).result()
    (3, 1)
    """
    if n_workers is not None and n_workers < 1:
        raise ValueError(f"the number of workers is {n_workers}; it must be at least 1")
    if where == "threads":
        return ThreadPoolExecutor(n_workers or PROCESSORS, thread_name_prefix="task")
    if where == "processes":
        return Processes(n_workers or PROCESSORS)
    if "://" in where:
        return _cluster(where)
    raise Refusal(
        "there is no executor “{name}”; choose threads, processes, or an address like tcp://host:8786", name=where
    )


def _cluster(address: str) -> AbstractContextManager[Executor]:
    try:
        from espalier.executors.cluster import Cluster  # needs a package that few need
    except ImportError as wrong:
        raise Refusal(
            "a cluster needs the package distributed ({reason}): python -m pip install 'espalier[cluster]'",
            reason=str(wrong),
        ) from None
    return Cluster(address)
