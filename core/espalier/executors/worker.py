"""The program of a worker process: it gets tasks of this library, one after the other, and returns their results.

Its memory is bounded; libraries in it use one thread each, since there are as many workers as processors.
"""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from espalier.executors.parcels import LostTask, Message, file_of, read, receive, send, shared_progress
from espalier.progress import Progress
from espalier.sandbox.worker import limit_memory


def main() -> None:
    """Run with the arguments FOLDER, NUMBER, MEGABYTES and names of modules, as `process.begun` does."""
    folder, number, megabytes, modules = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a person interrupts the program that gave the tasks
    questions_, answers_ = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not mix with the answers
    make_ready(modules)  # so that the limit of memory counts only what tasks themselves take
    work(questions_, answers_, file_of(folder, number), megabytes)


def make_ready(modules: Sequence[str]) -> None:
    """Import these modules, and call the function that some of them have after a colon.

    >>> make_ready(["espalier.progress", "time:gmtime"])
    """
    for name in modules:
        module, _, function = name.partition(":")
        module_ = importlib.import_module(module)
        if function:
            getattr(module_, function)()


def work(given: Any, taken: Any, progress_file: Path, megabytes: int) -> None:
    """Do the tasks that come in, until nobody gives any more; they may take so many megabytes more."""
    progress = shared_progress(progress_file)
    limit_memory(megabytes)
    while (question := receive(given)) is not None:
        message, folder = pickle.loads(question)
        try:
            send(taken, pickle_answer(*end_of(message, folder, progress, megabytes)))
        except BrokenPipeError:  # nobody waits for the answer any more
            return


def end_of(message: Message, folder: Path, progress: Progress, megabytes: int) -> tuple[Any, BaseException | None]:
    """Return the value of a task, whose parcels the folder has, and its error."""
    try:
        task = message.call(lambda digest: read(folder / digest))
        words = {"progress": progress} if task.total else {}
        return task.function(*task.arguments, **words), None
    except MemoryError:
        return None, out_of_memory(megabytes)
    except Exception as error:
        error.add_note("".join(traceback.format_exception(error)))
        return None, error


def out_of_memory(megabytes: int) -> LostTask:
    """Return the error of a task that wanted more memory than a worker may take."""
    return LostTask(
        "a task wants more than the {megabytes} MB of memory that a worker process may take. Use fewer rows or "
        "smaller models, or raise ESPALIER_MAX_WORKER_MEMORY_MB",
        megabytes=megabytes,
    )


def pickle_answer(value: Any, error: BaseException | None) -> bytes:
    """Return a task's value and error in pickled form; what cannot be pickled is an error that says so."""
    try:
        return pickle.dumps((value, error))
    except Exception as wrong:
        why = error or wrong
        return pickle.dumps((None, RuntimeError(f"{type(why).__name__}: {why}")))
