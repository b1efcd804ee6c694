"""A job: work beside the pages by a key, how far it is, who watches it, and its outcome."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple, Protocol

from espalier.language import Phrase, say, to_say
from espalier.progress import Progress
from espalier.tasks import Call


class Outcome(NamedTuple):
    """Outcome of a job: a value, the reason why there is none, or neither while it is on its way."""

    value: Any = None
    wrong: str = ""  # what is wrong, in sentences for the page; in English where there is a phrase for it
    phrase: Phrase | None = None  # the same, to be said in the language of the page that shows it
    is_stopped: bool = False  # a person stopped it: the value, if there is one, is a part
    is_fault: bool = False  # the server's, so that trying again may end otherwise
    lacks_memory: bool = False

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
        self.keeps_running = False  # also when all have left
        self.title = ""  # what pages call it, in Markdown

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


# ---- sentences that several parts of a page say

SERVER_FAULT = to_say(
    "Something went wrong on the server. Try again; whoever runs the server finds the details in its log."
)
TOO_LITTLE_MEMORY = to_say(
    "This needs more memory than the server has. It needs less with fewer rows, a smaller depth or fewer trees."
)
MINUTES_FROM = 100


def time_left(seconds: float) -> str:
    """An estimate in words.

    >>> time_left(0.3), time_left(99.2), time_left(100), time_left(1000)
    ('about 1 s left', 'about 99 s left', 'about 2 min left', 'about 17 min left')
    """
    if seconds >= MINUTES_FROM:
        return say("about {seconds} min left", seconds=round(seconds / 60))
    return say("about {seconds} s left", seconds=max(round(seconds), 1))
