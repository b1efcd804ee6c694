"""How far long work is, and whether it is to stop: shared by the thread that works and the threads that watch.

>>> progress = Progress()
>>> progress.advance(3)
>>> progress.stop()
>>> progress.done, progress.is_stopped
(3, True)

Kernels take `Progress.array`, count into [0] and look whether [1] is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait

import numpy as np

SECONDS_BETWEEN_LOOKS = 0.02
DONE, STOP = range(2)


class Progress:
    """A count of what is done, in units that the work chooses, and a flag that asks it to stop."""

    def __init__(self, is_stopped: bool = False):
        self.array = np.array([0, is_stopped], np.int64)  # for kernels

    @property
    def done(self) -> int:
        """How much is done."""
        return int(self.array[DONE])

    @done.setter
    def done(self, n: int) -> None:
        self.array[DONE] = n

    def advance(self, n: int = 1) -> None:
        """Count n more as done."""
        self.array[DONE] += n

    def stop(self) -> None:
        """Ask the work to stop."""
        self.array[STOP] = 1

    def go_on(self) -> None:
        """Take back that the work was asked to stop."""
        self.array[STOP] = 0

    @property
    def stop_flag(self) -> np.ndarray:
        """(1,) int64, not zero once it is stopped: for kernels that count nothing."""
        return self.array[STOP:]

    @property
    def is_stopped(self) -> bool:
        """Whether the work is asked to stop."""
        return bool(self.array[STOP])


class ScaledProgress(Progress):
    """The progress of work in units of its own, each `factor` of those in which it is watched.

    >>> whole = Progress()
    >>> ScaledProgress(whole, 0.5).done = 8
    >>> whole.done
    4
    """

    def __init__(self, whole: Progress, factor: float):
        self.array = whole.array  # asked to stop together
        self._factor, self._done = factor, 0

    @property
    def done(self) -> int:
        """How much is done, in the units of the work."""
        return self._done

    @done.setter
    def done(self, n: int) -> None:
        self._done = n
        self.array[DONE] = int(n * self._factor)


class Onward(Progress):
    """The progress of a piece of work, counted on from all that was done before it.

    >>> whole = Progress()
    >>> whole.done = 20
    >>> Onward(whole).done = 3
    >>> whole.done
    23
    """

    def __init__(self, whole: Progress):
        self.array = whole.array  # asked to stop together; kernels count on in it
        self._before = whole.done

    @property
    def done(self) -> int:
        """How much of the piece is done."""
        return int(self.array[DONE]) - self._before

    @done.setter
    def done(self, n: int) -> None:
        self.array[DONE] = self._before + n


class ThreadProgress(Progress):
    """The progress of one of several threads. It works piece by piece, each counted from 0 in `done`."""

    def __init__(self):
        super().__init__()
        self.settled = 0  # of all pieces before this one

    def settle(self, n: int) -> None:
        """The piece has ended and counts as n; the next one begins at 0."""
        self.done = 0
        self.settled += n


class Relay:
    """Hands on between the progress of the whole and one for each thread, so that no count is lost."""

    def __init__(self, whole: Progress, n_threads: int, counted: Callable[[int], int] = int):
        """`counted` makes the count of the whole from the sum of the threads' counts."""
        self.whole, self._counted = whole, counted
        self.threads = [ThreadProgress() for _ in range(n_threads)]
        self._pass_stop()

    def attend(self, running: Iterable[Future]) -> None:
        """Hand on until all have ended. Stops the others where one raises, and raises that at once."""
        try:
            attend(running, self._hand_on)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Ask all threads to stop."""
        for thread in self.threads:
            thread.stop()

    def _hand_on(self) -> None:
        self.whole.done = self._counted(sum(thread.settled + thread.done for thread in self.threads))
        self._pass_stop()

    def _pass_stop(self) -> None:
        if self.whole.is_stopped:
            self.stop()


def attend(running: Iterable[Future], look: Callable[[], None]) -> None:
    """Call `look` now and then until all have ended or are cancelled; raises at once what one of them raises."""
    waiting = set(running)
    while waiting:
        ended, waiting = wait(waiting, SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
        look()
        waiting = {future for future in waiting if not future.cancelled()}
        for future in ended:
            if not future.cancelled():
                future.result()
