"""The one runner of work beside the pages: turns, progress, the end of each job, and results that are kept.

A job is a function of its `Progress`, and its key names all that its result depends on. It belongs to no session:
all that ask for the same key share it, and once none watches it any more it is stopped. There are two kinds:

- a list of independent tasks (`TaskList`), whose results are kept one by one and in order, so that a list that was
  stopped goes on where it was; they run on any `concurrent.futures.Executor`;
- one long piece of work, on threads of its own. It may go on where it stopped, when it is called again.

A session has one job at work at a time. Sessions take turns: after `TURN_SECONDS` the job of the next one begins
beside those at work, up to `MOST_AT_ONCE` of them, so that quick work never waits for long work.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from espalier.progress import Progress
from espalier.tasks import PARTS, Call, in_order
from pages.shared.app import memory
from pages.shared.app.frame import plain
from pages.shared.jobs.store import Store, n_bytes
from pages.shared.words import everywhere as words

THREADS = max((os.cpu_count() or 1) - 1, 1)  # of a job; the last processor is for the pages
TURN_SECONDS = 1.0  # after which others may begin, too
MOST_AT_ONCE = 4  # jobs at work, each of another session
FORGOTTEN_SECONDS = 60.0  # a job that a session has not looked at for so long is not watched by it any more
LEFT_SECONDS = 1.5  # the same, of a session that has left it: a page may come back to it within one run
TICK_SECONDS = 0.25
MOST_KEPT = 256  # outcomes, and lists of results; those that take much memory are fewer by the store's budget

_log = logging.getLogger("espalier")


class Outcome(NamedTuple):
    """Outcome of a job: a value, the reason why there is none, or neither while it is on its way."""

    value: Any = None
    wrong: str = ""  # what is wrong, in sentences for the page
    is_stopped: bool = False  # a person stopped it: the value, if there is one, is a part
    is_fault: bool = False  # the server's, so that trying again may end otherwise

    @property
    def is_awaited(self) -> bool:
        """Whether it is still on its way."""
        return self.value is None and not self.wrong and not self.is_stopped

    @property
    def dataset(self) -> Any:
        """The data that the value is of, where it says so: for the store."""
        return getattr(self.value, "dataset", None)

    @property
    def megabytes(self) -> float:
        """Memory that the value takes."""
        own = getattr(self.value, "megabytes", None)
        return n_bytes(self.value) / 1e6 if own is None else own


class Work(NamedTuple):
    """Work for a job."""

    key: str
    total: int  # what its progress comes to
    call: Any  # of its progress, which raises ValueError where it cannot be done; pages may look at what it has


class TaskList(Protocol):
    """Independent tasks, and a rule that gathers their results."""

    @property
    def key(self) -> str:
        """Name of all that the results depend on."""
        ...

    @property
    def n_tasks(self) -> int:
        """Number of tasks."""
        ...

    def tasks(self) -> Sequence[Call]:
        """The tasks."""
        ...

    def gathered(self, results: list[Any]) -> Any:
        """Return one value of the tasks' results, or of some of them with the first; None where there is none."""
        ...


class Job:
    """Work that waits or is under way."""

    def __init__(self, work: Work, session: str):
        self.work, self.session = work, session  # the one that asked first, whose turn it takes
        self.progress = Progress()
        self.ended: Future[Outcome] = Future()
        self.began: float | None = None  # seconds, monotonic; None while it waits
        self.asked = time.monotonic()  # when it was asked to work, or to stop
        self.watchers: dict[str, float] = {}  # session → when it last looked

    @property
    def share(self) -> float:
        """Share that is done, 0 to 1."""
        return min(self.progress.done / max(self.work.total, 1), 1.0)

    @property
    def seconds(self) -> float:
        """Seconds that it has been at work."""
        return 0.0 if self.began is None else time.monotonic() - self.began

    @property
    def seconds_left(self) -> float | None:
        """Estimate from the share that is done; None before there is anything to go by."""
        return self.seconds * (1 / self.share - 1) if self.share > 0.02 and self.seconds > 0.5 else None


def threads() -> AbstractContextManager[Executor]:
    """The executor of a list of tasks where no other is given: threads of its own."""
    return ThreadPoolExecutor(THREADS, thread_name_prefix="task")


class Runner:
    """All jobs of the server, and their outcomes."""

    def __init__(self, executor: Callable[[], AbstractContextManager[Executor]] = threads):
        self._executor = executor
        self._jobs: dict[str, Job] = {}  # by key, in the order in which they were asked for
        self._at_work: list[Job] = []  # also those that no session waits for any more, until they have stopped
        self._turns: dict[str, float] = {}  # session → when a job of its last began
        self._lock = threading.RLock()
        self._clock: threading.Thread | None = None
        self._outcomes: Store[Outcome] = Store(MOST_KEPT, lambda outcome: outcome.megabytes)
        self._results: Store[dict[int, Any]] = Store(MOST_KEPT, lambda results: n_bytes(results) / 1e6)

    def start(self, work: Work, session: str = "") -> Job | None:
        """The job of this work, begun as soon as it is its turn; None where its outcome is there."""
        with self._lock:
            if self.outcome(work.key) is not None:
                return None
            job = self._jobs.setdefault(work.key, Job(work, session))
            job.watchers[session] = time.monotonic()
            self._begin_next()
            return job

    def find(self, key: str, session: str = "") -> Job | None:
        """The job of this key, if it waits or is at work; the session then watches it."""
        with self._lock:
            job = self._jobs.get(key)
            if job is not None:
                job.watchers[session] = time.monotonic()
            return job

    def outcome(self, key: str) -> Outcome | None:
        """Return the outcome of the job of this key, if it is kept."""
        return self._outcomes.find(key)

    def keep(self, key: str, outcome: Outcome) -> None:
        """Keep the outcome of the job of this key."""
        self._outcomes.put(key, outcome)

    def drop(self, *keys: str) -> None:
        """Forget these outcomes: asked for again, the work is done again or goes on (also as a callback)."""
        self._outcomes.drop(*keys)

    def ahead(self, key: str) -> int:
        """Return the number of jobs before this one, which waits; 0 where it does not."""
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.began is not None:
                return 0
            before = list(self._jobs.values())[: list(self._jobs).index(key)]
            return len(self._at_work) + sum(other.began is None for other in before)

    def cancel(self, *keys: str) -> None:
        """Stop these jobs for all sessions; their results so far are kept as a part (also as a callback)."""
        for key in keys:
            with self._lock:
                job = self._jobs.get(key)
                if job is not None:
                    job.progress.stop()
                    job.asked = time.monotonic()
                    if job.began is None:
                        self._end(job, Outcome(is_stopped=True))

    def leave(self, key: str, session: str = "") -> None:
        """Note that a session has left the job: it is soon stopped, unless a session watches it again."""
        with self._lock:
            job = self._jobs.get(key)
            if job is not None and session in job.watchers:
                soon = time.monotonic() - FORGOTTEN_SECONDS + LEFT_SECONDS
                job.watchers[session] = min(job.watchers[session], soon)

    def tick(self, now: float) -> None:
        """Give up jobs that no session has looked at for a while, and begin those whose turn has come."""
        with self._lock:
            for job in list(self._jobs.values()):
                job.watchers = {s: t for s, t in job.watchers.items() if now - t <= FORGOTTEN_SECONDS}
                if not job.watchers:
                    self._give_up(job)
            self._turns = {s: t for s, t in self._turns.items() if now - t <= FORGOTTEN_SECONDS}
            self._begin_next()

    # Lists of tasks

    def work_of(self, tasks: TaskList) -> Work:
        """The tasks of the list whose results are not there yet, as the work of a job."""
        return Work(tasks.key, (tasks.n_tasks - len(self.results(tasks.key))) * PARTS, lambda p: self.do(tasks, p))

    def results(self, key: str) -> dict[int, Any]:
        """The results of a list's tasks by their place, as far as they are there; others may come meanwhile."""
        return self._results.find_or_put(key, dict)

    def do(self, tasks: TaskList, progress: Progress) -> Any:
        """Do the tasks; their results gathered, or those of the tasks that were done when `progress` stopped."""
        results = self.results(tasks.key)
        left = [(place, call) for place, call in enumerate(tasks.tasks()) if place not in results]
        with self._executor() as executor:
            for number, result in in_order([call for _, call in left], executor, progress):
                results[left[number][0]] = result
                self._results.resize(tasks.key, n_bytes(results) / 1e6)
        return tasks.gathered([results[place] for place in sorted(results)])

    # Turns; the lock is held

    def _begin_next(self) -> None:
        self._start_clock()
        while (job := self._next()) is not None:
            job.began = self._turns[job.session] = time.monotonic()
            self._at_work.append(job)
            threading.Thread(target=self._work, args=(job,), name=f"job {job.work.key}", daemon=True).start()

    def _next(self) -> Job | None:
        """The job that may begin now: of the sessions with none at work the one whose last turn is longest ago."""
        if len(self._at_work) >= MOST_AT_ONCE or any(job.seconds < TURN_SECONDS for job in self._at_work):
            return None
        busy = {job.session for job in self._at_work}
        waiting = [job for job in self._jobs.values() if job.began is None and job.session not in busy]
        return min(waiting, key=lambda job: self._turns.get(job.session, 0.0), default=None)

    def _work(self, job: Job) -> None:
        outcome = _outcome_of(job)
        with self._lock:
            self._at_work.remove(job)
            self._end(job, outcome)
            self._begin_next()
        if job.seconds > TURN_SECONDS:  # a quick job has little to give back
            memory.give_back_soon()

    def _end(self, job: Job, outcome: Outcome) -> None:
        """Keep the outcome of the job, unless no session waits for it any more."""
        if self._jobs.get(job.work.key) is job:
            del self._jobs[job.work.key]
            if not outcome.is_awaited:
                self.keep(job.work.key, outcome)
            if outcome.value is not None and not outcome.is_stopped:
                self._results.drop(job.work.key)  # the value has them
        job.ended.set_result(outcome)

    def _give_up(self, job: Job) -> None:
        del self._jobs[job.work.key]
        job.progress.stop()
        if job.began is None:
            job.ended.set_result(Outcome(is_stopped=True))

    def _start_clock(self) -> None:
        if self._clock is None:
            self._clock = threading.Thread(target=self._tick_forever, name="job-clock", daemon=True)
            self._clock.start()

    def _tick_forever(self) -> None:
        while True:
            time.sleep(TICK_SECONDS)
            self.tick(time.monotonic())


def _outcome_of(job: Job) -> Outcome:
    """Do the work; its outcome."""
    try:
        return Outcome(job.work.call(job.progress), is_stopped=job.progress.is_stopped)
    except ValueError as wrong:
        return Outcome(wrong=sentence(str(wrong)))
    except Exception as error:
        if _says_that_the_server_ends(error):
            return Outcome(is_stopped=True)  # nobody is left to read it
        _log.exception("%s failed", job.work.key)
        return Outcome(wrong=words.SERVER_FAULT, is_fault=True)


def _says_that_the_server_ends(error: Exception) -> bool:
    """Whether work failed only since Python, on its way out, begins no threads any more."""
    return isinstance(error, RuntimeError) and re.search(r"interpreter shutdown", str(error)) is not None


def sentence(text: str) -> str:
    """An error of the library, as a sentence of a page.

    >>> sentence("depth is -1; it must not be negative")
    'Depth is \\\\-1\\\\; it must not be negative.'
    """
    line = " ".join(text.split())
    return f"{plain(line[:1].upper() + line[1:].removesuffix('.'))}."


RUNNER = Runner()
