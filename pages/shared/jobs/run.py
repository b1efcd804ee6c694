"""The one runner of work beside the pages: turns, progress, the end of each job, and results that are kept.

A job is a function of its `Progress`, and its key names all that its result depends on. It belongs to no session:
all that ask for the same key share it, and once none watches it any more it is stopped. There are two kinds:

- a list of independent tasks (`TaskList`), whose results are kept one by one and in order, so that a list that was
  stopped goes on where it was; they run on any `concurrent.futures.Executor`, by default beside this process;
- one long piece of work, on threads of its own. It may go on where it stopped, when it is called again.

A session has one job at work at a time. Sessions take turns: after `TURN_SECONDS` the job of the next one begins
beside those at work, up to `MOST_AT_ONCE` of them, so that quick work never waits for long work. All of it gives
way to the pages.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from espalier.language import Phrase, PhraseError, to_say
from espalier.progress import Progress
from espalier.settings import MAX_JOB_SECONDS
from espalier.tasks import PARTS, Call, in_order
from pages.shared.app import sessions
from pages.shared.app.frame import plain
from pages.shared.app.store import Store, size_of
from pages.shared.jobs.workers import workers

TURN_SECONDS = 1.0  # after which others may begin, too
MOST_AT_ONCE = 8  # jobs at work, each of another session
GIVE_WAY = 5  # added to the niceness of their threads
LEFT_SECONDS = 1.5  # after which a job is stopped that all have left: a page may come back to it within one run
TICK_SECONDS = 0.25
MOST_KEPT = 256  # outcomes, and lists of results; those that take much memory are fewer by the store's budget

SERVER_FAULT = to_say(
    "Something went wrong on the server. Try again; whoever runs the server finds the details in its log."
)
TOO_LITTLE_MEMORY = to_say(
    "This needs more memory than the server has. It needs less with fewer rows, a smaller depth or fewer trees."
)

_log = logging.getLogger("espalier")


class Outcome(NamedTuple):
    """Outcome of a job: a value, the reason why there is none, or neither while it is on its way."""

    value: Any = None
    wrong: str = ""  # what is wrong, in sentences for the page; in English where there is a phrase for it
    phrase: Phrase | None = None  # the same, to be said in the language of the page that shows it
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
        self.watchers: set[str] = set()  # sessions
        self.left: float | None = None  # when the last session left it; None while one watches

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


class Stopped(Exception):
    """A job was asked to stop while it waited for something else."""


def is_stopped_here() -> bool:
    """Whether the job that works in this thread is asked to stop."""
    progress: Progress | None = getattr(_HERE, "progress", None)
    return progress is not None and progress.is_stopped


_HERE = threading.local()  # with the progress of the job that works in a thread


class Runner:
    """All jobs of the server, and their outcomes."""

    def __init__(
        self,
        executor: Callable[[], AbstractContextManager[Executor]] = workers,
        is_here: Callable[[str], bool] = lambda session: True,
        most_seconds: float = MAX_JOB_SECONDS,
    ):
        """Jobs are stopped after so many seconds at work; 0: never."""
        self._executor, self._is_here, self._most_seconds = executor, is_here, most_seconds
        self._jobs: dict[str, Job] = {}  # by key, in the order in which they were asked for
        self._at_work: list[Job] = []  # also those that no session waits for any more, until they have stopped
        self._turns: dict[str, float] = {}  # session → when a job of its last began
        self._declined: set[tuple[str, str]] = set()  # keys, and the sessions that cancelled them alone
        self._lock = threading.RLock()
        self._clock: threading.Thread | None = None
        self._outcomes: Store[Outcome] = Store(MOST_KEPT)
        self._results: Store[dict[int, Any]] = Store(MOST_KEPT)

    def start(self, work: Work, session: str = "") -> Job | None:
        """The job of this work, begun as soon as it is its turn; None where the session's outcome is there."""
        with self._lock:
            if self.outcome(work.key, session) is not None:
                return None
            job = self._jobs.setdefault(work.key, Job(work, session))
            job.watchers.add(session)
            self._begin_next()
            return job

    def find(self, key: str, session: str = "") -> Job | None:
        """The job of this key, if it waits or is at work; the session then watches it, unless it cancelled it."""
        with self._lock:
            job = self._jobs.get(key)
            if job is None or (key, session) in self._declined:
                return None
            job.watchers.add(session)
            return job

    def outcome(self, key: str, session: str = "") -> Outcome | None:
        """Return the outcome of the job of this key, if it is kept, or that the session cancelled it."""
        with self._lock:
            stopped = Outcome(is_stopped=True) if (key, session) in self._declined else None
            return self._outcomes.find(key) or stopped

    def keep(self, key: str, outcome: Outcome) -> None:
        """Keep the outcome of the job of this key."""
        self._outcomes.put(key, outcome)

    def drop(self, *keys: str, session: str = "") -> None:
        """Forget these outcomes: asked for again, the work is done again or goes on."""
        with self._lock:
            self._declined.difference_update((key, session) for key in keys)
            self._outcomes.drop(*keys)

    def cancel(self, *keys: str, session: str | None = None) -> None:
        """Stop these jobs and keep their results as a part; of one session alone, where others watch them."""
        for key in keys:
            with self._lock:
                job = self._jobs.get(key)
                if job is None:
                    continue
                if session is not None and job.watchers - {session}:
                    job.watchers.discard(session)
                    self._declined.add((key, session))
                    continue
                job.progress.stop()
                job.asked = time.monotonic()
                if job.began is None:
                    self._end(job, Outcome(is_stopped=True))

    def leave(self, key: str, session: str = "") -> None:
        """Note that a session has left the job: it is soon stopped, unless a session watches it again."""
        with self._lock:
            job = self._jobs.get(key)
            if job is not None:
                job.watchers.discard(session)

    def tick(self, now: float) -> None:
        """Stop jobs whose time is over, give up those that all have left, and begin those whose turn has come."""
        with self._lock:
            for job in list(self._jobs.values()) if self._most_seconds else ():
                if (
                    now - (now if job.began is None else job.began) > self._most_seconds
                    and not job.progress.is_stopped
                ):
                    self.cancel(job.work.key)
            for job in list(self._jobs.values()):
                job.watchers = {session for session in job.watchers if self._is_here(session)}
                if job.watchers:
                    job.left = None
                elif job.left is None:
                    job.left = now
                elif now - job.left > LEFT_SECONDS:
                    self._give_up(job)
            self._turns = {session: began for session, began in self._turns.items() if self._is_here(session)}
            self._declined = {pair for pair in self._declined if self._is_here(pair[1])}
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
                self._results.grow(tasks.key, size_of(result))
        return tasks.gathered([results[place] for place in sorted(results)])

    # Turns; the lock is held

    def _begin_next(self) -> None:
        if self._clock is None:
            self._clock = threading.Thread(target=self._tick_forever, name="job-clock", daemon=True)
            self._clock.start()
        while (job := self._next()) is not None:
            job.began = self._turns[job.session] = time.monotonic()
            self._at_work.append(job)
            threading.Thread(target=self._work, args=(job,), name=f"job {job.work.key}", daemon=True).start()

    def _next(self) -> Job | None:
        """The job that may begin now."""
        if len(self._at_work) >= MOST_AT_ONCE or any(job.seconds < TURN_SECONDS for job in self._at_work):
            return None
        return next(iter(self._in_turn()), None)

    def _in_turn(self) -> list[Job]:
        """The next job of each session that has none at work, the one whose last turn is longest ago first."""
        busy = {job.session for job in self._at_work}
        first: dict[str, Job] = {}
        for job in self._jobs.values():
            if job.began is None and job.session not in busy:
                first.setdefault(job.session, job)
        return sorted(first.values(), key=lambda job: self._turns.get(job.session, 0.0))

    def _work(self, job: Job) -> None:
        _give_way()
        outcome = _outcome_of(job)
        with self._lock:
            self._at_work.remove(job)
            self._end(job, outcome)
            self._begin_next()
        if job.seconds > TURN_SECONDS:  # a quick job has little to give back
            sessions.give_back_soon()

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

    def _tick_forever(self) -> None:
        while True:
            time.sleep(TICK_SECONDS)
            self.tick(time.monotonic())


def _give_way() -> None:
    """Let the pages go first: this thread and those that it begins get less of the processor."""
    if sys.platform.startswith("linux"):  # elsewhere priorities are those of whole processes
        with contextlib.suppress(OSError):
            os.setpriority(
                os.PRIO_PROCESS, threading.get_native_id(), os.getpriority(os.PRIO_PROCESS, 0) + GIVE_WAY
            )


def _outcome_of(job: Job) -> Outcome:
    """Do the work; its outcome."""
    _HERE.progress = job.progress
    try:
        return Outcome(job.work.call(job.progress), is_stopped=job.progress.is_stopped)
    except Stopped:
        return Outcome(is_stopped=True)
    except (PhraseError, ValueError) as wrong:  # that of another library has no phrase
        phrase = getattr(wrong, "phrase", Phrase(to_say("{message}"), {"message": str(wrong)}))
        return Outcome(wrong=sentence(str(wrong)), phrase=phrase)
    except Exception as error:
        if isinstance(error, RuntimeError) and "shutdown" in str(error):
            return Outcome(is_stopped=True)  # Python, on its way out, begins no threads: nobody is left to read it
        _log.exception("%s failed", job.work.key)  # for whoever runs the server
        lacks_memory = isinstance(error, MemoryError)
        phrase = Phrase(TOO_LITTLE_MEMORY if lacks_memory else SERVER_FAULT, {})
        return Outcome(wrong=str(phrase), phrase=phrase, is_fault=not lacks_memory)


def sentence(text: str) -> str:
    """An error of the library, as a sentence of a page.

    >>> sentence("depth is -1; it must not be negative")
    'Depth is \\\\-1\\\\; it must not be negative.'
    """
    line = " ".join(text.split())
    return f"{plain(line[:1].upper() + line[1:].removesuffix('.'))}."


RUNNER = Runner(is_here=sessions.is_here)
