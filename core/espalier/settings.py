"""Every limit of the app in one place, and where tasks run; messages that refuse something name the limit.

Each can be set by an environment variable: ESPALIER_ and its name, such as ESPALIER_MAX_ROWS.
`docs/how-to/deploy.md` has the table, which `docs/tools/limits.py` makes from here.

>>> LIMITS["MAX_UPLOAD_MB"].variable
'ESPALIER_MAX_UPLOAD_MB'
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from typing import NamedTuple, TypeVar

Number = TypeVar("Number", int, float)
PREFIX = "ESPALIER_"
PROCESSORS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
# Where tasks run: threads, processes, or the address of the scheduler of a Dask cluster.
CHOSEN_EXECUTOR = os.environ.get("ESPALIER_CLUSTER") or os.environ.get("ESPALIER_EXECUTOR")
EXECUTOR = CHOSEN_EXECUTOR or "threads"
JOB_EXECUTOR = CHOSEN_EXECUTOR or "processes"  # of the app: pages answer while they work
# A table of this machine to begin with, its target, and the learner; the command line sets them.
TABLE, TARGET, LEARNER = (os.environ.get(f"ESPALIER_{name}", "") for name in ("TABLE", "TARGET", "LEARNER"))
ROOM = os.environ.get("ESPALIER_ROOM", "")  # name of a class that works with the server; empty for no class


class Limit(NamedTuple):
    """A limit, the values that it may be given, and what it limits."""

    name: str
    default: float
    least: float
    most: float
    meaning: str

    @property
    def variable(self) -> str:
        """Name of the environment variable that sets it."""
        return PREFIX + self.name

    def value(self, environment: Mapping[str, str]) -> float:
        """Return the value that the environment sets, or the default. Raises ValueError for any other text.

        >>> LIMITS["MAX_READERS"].value({"ESPALIER_MAX_READERS": "4"})
        4
        """
        text = environment.get(self.variable, "").strip()
        if not text:
            return self.default
        kind = type(self.default)
        try:
            value = kind(text.replace("_", ""))
        except ValueError:
            value = None
        if value is None or not self.least <= value <= self.most:
            number = "a whole number" if kind is int else "a number"
            raise ValueError(
                f"{self.variable} is “{text}”; it should be {number} from {self.least:,} to {self.most:,}: "
                f"{self.meaning}. Without it, the limit is {self.default:,}."
            )
        return value


LIMITS: dict[str, Limit] = {}
WRONG: list[str] = []  # what is wrong with variables of the environment, in sentences


def _limit(name: str, default: Number, least: Number, most: Number, meaning: str) -> Number:
    limit = LIMITS[name] = Limit(name, default, least, most, meaning)
    try:
        return type(default)(limit.value(os.environ))
    except ValueError as wrong:
        WRONG.append(str(wrong))
        return default


def check() -> None:
    """End the program with all that is wrong with the environment, if anything is.

    The app calls this when it starts; the library keeps to the defaults.
    """
    if WRONG:
        raise SystemExit("\n".join(WRONG))


def unknown(environment: Mapping[str, str]) -> list[str]:
    """Return what is wrong with variables that are called like limits and are none.

    >>> unknown({"ESPALIER_MAX_ROW": "5"})
    ['ESPALIER_MAX_ROW is no setting of Espalier; did you mean ESPALIER_MAX_ROWS?']
    """
    known = [limit.variable for limit in LIMITS.values()]
    strange = [name for name in environment if name.startswith(f"{PREFIX}MAX_") and name not in known]
    nearest = {name: difflib.get_close_matches(name, known, 1) for name in strange}
    return [
        f"{name} is no setting of Espalier{f'; did you mean {near[0]}?' if near else '.'}"
        for name, near in sorted(nearest.items())
    ]


# fmt: off
# Server processes
WORKERS = _limit("WORKERS", 1, 1, 64, "server processes at ports of their own, for a proxy with sticky sessions")

# A table that is brought in
MAX_UPLOAD_MB = _limit("MAX_UPLOAD_MB", 50, 0, 2_000, "size of an uploaded file in MB, as sent; 0: none is taken")
MAX_UNPACKED_MB = _limit("MAX_UNPACKED_MB", 150, 1, 10_000,
                         "its size in MB once unpacked (guards against zip bombs)")
MAX_ROWS = _limit("MAX_ROWS", 1_000_000, 10, 100_000_000, "rows of a table")
MAX_COLUMNS = _limit("MAX_COLUMNS", 20_000, 2, 1_000_000, "columns of a table")
MAX_CELLS = _limit("MAX_CELLS", 25_000_000, 100, 1_000_000_000, "rows times columns of a table")
MAX_READ_MEMORY_MB = _limit("MAX_READ_MEMORY_MB", 1_000, 200, 100_000,
                            "memory in MB that the process which reads a file may take")
MAX_READ_SECONDS = _limit("MAX_READ_SECONDS", 10.0, 1.0, 600.0, "seconds of work to read a file")
MAX_READERS = _limit("MAX_READERS", 2, 1, 64, "files that are read at the same time")

# What the server keeps
MAX_RESULTS_MB = _limit("MAX_RESULTS_MB", 1_500, 50, 1_000_000,
                        "memory in MB of all that is kept: tables, trees, forests, models, what pages show; "
                        "what was unused for longest goes first, and is made again where it is wanted")
MAX_STORED_MB = _limit("MAX_STORED_MB", 800, 10, 1_000_000,
                       "of it, memory in MB of all uploaded tables; the oldest go first")
MAX_DRAFTS_MB = _limit("MAX_DRAFTS_MB", 100, 1, 100_000,
                       "memory in MB of all files that are being brought in; the oldest go first")
MAX_DRAFT_MINUTES = _limit("MAX_DRAFT_MINUTES", 60, 1, 10_000, "minutes after which such a file goes")
MAX_CACHED_TREES = _limit("MAX_CACHED_TREES", 256, 1, 100_000, "trees that are kept for going back to them")
MAX_SESSION_MINUTES = _limit("MAX_SESSION_MINUTES", 2, 1, 1_440,
                             "minutes that a session is kept whose browser has gone, to come back to")

# Work
MAX_JOB_SECONDS = _limit("MAX_JOB_SECONDS", 0.0, 0.0, 1_000_000.0,
                         "seconds after which work beside the page is stopped and shown as far as it is; 0: never")
MAX_WORKER_MEMORY_MB = _limit("MAX_WORKER_MEMORY_MB", 2_000, 200, 1_000_000,
                              "memory in MB that a task in a worker process may take")
MAX_FOREST_MB = _limit("MAX_FOREST_MB", 1_500, 10, 1_000_000,
                       "memory in MB that a forest may take, by a guess beforehand")
MAX_SUMS_MB = _limit("MAX_SUMS_MB", 400, 10, 1_000_000,
                     "memory in MB of the weighted sums of an oblique tree, one for each row and split")
MAX_APPROXIMATION_SECONDS = _limit("MAX_APPROXIMATION_SECONDS", 120.0, 1.0, 100_000.0,
                                   "seconds to ask a black box for its tree; then the page shows its beginning")
MAX_ONNX_MB = _limit("MAX_ONNX_MB", 50, 0, 2_000, "size in MB of a model that is uploaded; 0: none is taken")
MAX_ONNX_MEMORY_MB = _limit("MAX_ONNX_MEMORY_MB", 2_000, 100, 100_000,
                            "memory in MB of the process that runs such a model")
MAX_ONNX_SECONDS = _limit("MAX_ONNX_SECONDS", 30.0, 1.0, 10_000.0, "seconds that it may take for a batch of rows")

# What is drawn
MAX_CARDS = _limit("MAX_CARDS", 1_023, 3, 20_000, "nodes that the tree graph is given")
MAX_POINTS = _limit("MAX_POINTS", 2_000, 0, 100_000, "rows drawn on the decision surface")
# fmt: on

# These are no one's choice: formats, records and kernels are made for them.
MAX_CELL_CHARACTERS = 131_072  # of one cell; also what Python's reader of CSV takes
MAX_NUMBER = 1e150  # larger ones have no square; they mostly stand for missing
MAX_CATEGORIES = 64  # categories of one feature: what a split's bit mask holds
MAX_CLASSES = 64

WRONG += unknown(os.environ)
