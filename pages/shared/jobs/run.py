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
import math
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from espalier.language import Phrase, PhraseError, say, to_say
from espalier.progress import Progress
from espalier.settings import MAX_JOB_SECONDS
from espalier.tasks import PARTS, in_order
from pages.shared.app import memory, sessions
from pages.shared.app.frame import plain
from pages.shared.app.sizes import size_of
from pages.shared.app.store import Store
from pages.shared.jobs import job as sentences
from pages.shared.jobs.job import Job, Outcome, TaskList, Work
from pages.shared.jobs.workers import workers

TURN_SECONDS = 1.0  # after which others may begin, too
MOST_AT_ONCE = 8  # jobs at work, each of another session
GIVE_WAY = 5  # added to the niceness of their threads
LEFT_SECONDS = 1.5  # after which a job is stopped that all have left: a page may come back to it within one run
KEPT_MINUTES = 30.0  # the same for a job that is to keep running
TICK_SECONDS = 0.25
MOST_KEPT = 256  # outcomes, and lists of results; those that take much memory are fewer by the store's budget

_log = logging.getLogger("espalier")


class Stopped(Exception):
    """A job was asked to stop while it waited for something else."""


def is_stopped_here() -> bool:
    """Whether the job that works in this thread is asked to stop."""
    return _HERE.progress is not None and _HERE.progress.is_stopped


class _Here(threading.local):
    """The progress of the job that works in a thread; None in threads of no job."""

    progress: Progress | None = None


_HERE = _Here()


class Declined(NamedTuple):
    """A job that a session cancelled while others watched it."""

    key: str
    session: str


class QueuePlace(NamedTuple):
    """What a job waits for."""

    place: int  # in its queue, from 1
    job: Job | None  # the one that is in its way; None where it begins at once
    is_own: bool  # of the same session


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
        self._declined: set[Declined] = set()  # cancelled by one of those who watched
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
            if job is None or Declined(key, session) in self._declined:
                return None
            job.watchers.add(session)
            return job

    def outcome(self, key: str, session: str = "") -> Outcome | None:
        """Return the outcome of the job of this key, if it is kept, or that the session cancelled it."""
        with self._lock:
            stopped = Outcome(is_stopped=True) if Declined(key, session) in self._declined else None
            return self._outcomes.find(key) or stopped

    def keep(self, key: str, outcome: Outcome) -> None:
        """Keep the outcome of the job of this key."""
        self._outcomes.put(key, outcome)

    def drop(self, *keys: str, session: str = "") -> None:
        """Forget these outcomes: asked for again, the work is done again or goes on."""
        with self._lock:
            self._declined.difference_update(Declined(key, session) for key in keys)
            self._outcomes.drop(*keys)

    def waiting(self, key: str) -> QueuePlace | None:
        """Return what the job of this key waits for; None where it is at work or there is none."""
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.began is not None:
                return None
            own = next((other for other in self._at_work if other.session == job.session), None)
            queue = [one for one in self._jobs.values() if one.began is None and one.session == job.session]
            before = 0 if own else self._in_turn().index(queue[0])  # sessions that begin sooner
            in_the_way = own or min(self._at_work, key=_soonest, default=None)
            return QueuePlace(before + queue.index(job) + 1, in_the_way, own is not None)

    def cancel(self, *keys: str, session: str | None = None) -> None:
        """Stop these jobs and keep their results as a part; of one session alone, where others watch them."""
        for key in keys:
            with self._lock:
                job = self._jobs.get(key)
                if job is None:
                    continue
                if session is not None and job.watchers - {session}:
                    job.watchers.discard(session)
                    self._declined.add(Declined(key, session))
                    continue
                job.progress.stop()
                job.asked = time.monotonic()
                if job.began is None:
                    self._end(job, Outcome(is_stopped=True))

    def keep_running(self, key: str, is_to: bool) -> None:
        """Let the job go on when all sessions have left it, for `KEPT_MINUTES` at most; or not."""
        with self._lock:
            if (job := self._jobs.get(key)) is not None:
                job.keeps_running = is_to

    def leave(self, key: str, session: str = "") -> None:
        """Note that a session has left the job: it is soon stopped, unless a session watches it again."""
        with self._lock:
            job = self._jobs.get(key)
            if job is not None:
                job.watchers.discard(session)

    def tick(self, now: float) -> None:
        """Stop jobs whose time is over, give up those that all have left, and begin those whose turn has come."""
        with self._lock:
            self.cancel(*(job.work.key for job in self._jobs.values() if self._is_over(job, now)))
            for job in list(self._jobs.values()):
                job.watchers = {session for session in job.watchers if self._is_here(session)}
                if job.watchers:
                    job.left = None
                elif job.left is None:
                    job.left = now
                elif now - job.left > (60 * KEPT_MINUTES if job.keeps_running else LEFT_SECONDS):
                    self._give_up(job)
            self._turns = {session: began for session, began in self._turns.items() if self._is_here(session)}
            self._declined = {one for one in self._declined if self._is_here(one.session)}
            self._begin_next()

    def _is_over(self, job: Job, now: float) -> bool:
        """Whether the job has been at work for as long as it may, and was not stopped yet."""
        has_begun = job.began is not None and not job.progress.is_stopped
        return has_begun and 0 < self._most_seconds < now - (job.began or now)

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
        self._start_clock()
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


def _soonest(job: Job) -> float:
    """Seconds that the job still takes, as far as it can be told."""
    return math.inf if job.seconds_left is None else job.seconds_left


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
    except PhraseError as wrong:
        return Outcome(wrong=sentence(str(wrong)), phrase=wrong.phrase)
    except ValueError as wrong:  # of another library, or of a call that no page should make
        return Outcome(wrong=sentence(str(wrong)), phrase=Phrase(to_say("{message}"), {"message": str(wrong)}))
    except MemoryError:
        _log.exception("%s wanted too much memory", job.work.key)  # for whoever runs the server
        return Outcome(wrong=say(sentences.TOO_LITTLE_MEMORY), lacks_memory=True)
    except Exception as error:
        if _says_that_the_server_ends(error):
            return Outcome(is_stopped=True)  # nobody is left to read it
        _log.exception("%s failed", job.work.key)
        return Outcome(wrong=say(sentences.SERVER_FAULT), is_fault=True)


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


RUNNER = Runner(is_here=sessions.is_here)
