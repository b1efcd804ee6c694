"""Grow a learner repeatedly on redrawn data: the replicates on which stability is measured.

>>> from espalier.data import samples
>>> from espalier.learners import CartClassifier
>>> plan = Plan(Redraw("bootstrap"), n_replicates=5, seed=0)
>>> learner = CartClassifier(max_depth=2)
>>> replicates = replicate(learner, samples.load("iris"), plan)
>>> replicates.numbers.tolist()
[0, 1, 2, 3, 4]
>>> replicate(learner, samples.load("iris"), plan.repeated()).numbers.tolist()  # a second set of five
[5, 6, 7, 8, 9]

Another thread may observe the run and stop it: ``GrowthWatch(n_threads, progress, trees)`` holds the progress of
a job, which counts up to ``plan.total``, and a dict that receives each tree, by number, as soon as it is grown;
`so_far` makes Replicates of it. Tree i depends only on the estimator, the data, the redraw, the seed and i: not on
the number of threads or of replicates. So ``plan.more(n)`` extends the replicates, and `join_replicates`
puts parts together.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, closing
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import clone

from espalier.data.dataset import Dataset
from espalier.data.subset import RowColumn, with_roles
from espalier.progress import Progress, Relay, ScaledProgress, ThreadProgress
from espalier.stability.resampling import Grower, Redraw, SharedGrowth, growth_of, redrawn
from espalier.stability.structures import DEEPEST, splits_of
from espalier.tasks import PARTS as TASK_PARTS
from espalier.tasks import SHARES, Call, in_order, n_workers, shares
from espalier.trees import LEAF, AnyTree, depths

PARTS = 100  # of a replicate, that progress is counted in
AT_ONCE = 64  # replicates that a task grows in one call, where the kernel can
SECONDS_AT_ONCE = 0.03  # about as long a thread grows trees before it hands them over

Trees: TypeAlias = dict[int, AnyTree]


class Plan(NamedTuple):
    """Redraw, seed and numbers of the replicates: `first` to ``first + n_replicates - 1``."""

    redraw: Redraw = Redraw()
    n_replicates: int = 100
    seed: int = 0
    first: int = 0

    @property
    def numbers(self) -> range:
        """The numbers of the replicates."""
        return range(self.first, self.first + self.n_replicates)

    @property
    def total(self) -> int:
        """Final count of ``progress.done``."""
        return self.n_replicates * PARTS

    def more(self, n_replicates: int) -> Plan:
        """Return the plan of so many further replicates, of the same seed."""
        return self._replace(first=self.first + self.n_replicates, n_replicates=n_replicates)

    def repeated(self, times: int = 1) -> Plan:
        """Return the plan of another, equally large set of replicates."""
        return self._replace(first=self.first + times * self.n_replicates)


class GrowthWatch(NamedTuple):
    """Number of threads, and the state that an observer shares."""

    n_threads: int = 1
    progress: Progress | None = None  # counts up to ``plan.total``
    trees: Trees | None = None  # by number, as soon as each is complete


class Replicates(NamedTuple):
    """Trees on redrawn data, by number."""

    plan: Plan
    numbers: np.ndarray  # (n,) int64, ascending: `resampling.redrawn` gives the data of each
    trees: tuple[AnyTree, ...]

    @property
    def is_complete(self) -> bool:
        """Whether all planned replicates are there."""
        return len(self.trees) == self.plan.n_replicates


def replicate(
    estimator: Any,
    data: Dataset,
    plan: Plan,
    watch: GrowthWatch = GrowthWatch(),  # noqa: B008
    executor: Executor | None = None,
    *,
    groups: RowColumn = None,
    time: RowColumn = None,
) -> Replicates:
    """Grow clones of the estimator on redrawn data (approximations keep their fitted model).

    An `executor` works in place of the watch's threads. If stopped, it returns the trees that are complete,
    possibly none. Class weights are those of all data. With `groups` or `time`, as in `validate`, whole groups or
    blocks of neighbours in time are drawn. Raises ValueError for an estimator without a single tree,
    for a redraw that the data do not allow, and the errors of fitting.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> plan = Plan(Redraw("bootstrap"), n_replicates=3)
    >>> len(replicate(CartClassifier(max_depth=2), samples.load("iris"), plan).trees)
    3
    >>> plants = np.arange(150) // 5
    >>> len(replicate(CartClassifier(max_depth=2), samples.load("iris"), plan, groups=plants).trees)
    3
    """
    data = with_roles(data, groups, time)
    trees: Trees = {} if watch.trees is None else watch.trees
    growth, progress = planned_growth(estimator, data, plan), watch.progress or Progress()
    if executor is None:
        _grow_on_threads(growth, plan, watch._replace(progress=progress), trees, len(data.y))
        return so_far(plan, trees)
    numbers = shares(plan.numbers, executor)
    tasks = [Call(grow_numbered, (growth, part), len(part) * len(data.y)) for part in numbers]
    part_progress = ScaledProgress(progress, plan.total / (len(tasks) * TASK_PARTS))
    for _, part in in_order(tasks, executor, part_progress):
        for number, tree in part.items():  # one by one: `trees` may look at each
            trees[number] = tree
    return so_far(plan, trees)


def planned_growth(estimator: Any, data: Dataset, plan: Plan) -> SharedGrowth:
    """Return what the replicates of the plan have in common. Raises ValueError as `replicate` does."""
    if plan.n_replicates < 1:
        raise ValueError(f"the number of replicates is {plan.n_replicates}; it must be at least 1")
    redrawn(plan.redraw, data, plan.seed, 0)  # an impossible redraw shows here
    return growth_of(estimator, data, plan.redraw, plan.seed)


def grow_numbered(growth: SharedGrowth, numbers: range, progress: Progress) -> Trees:
    """Grow the replicates of these numbers one after the other, until stopped."""
    trees: Trees = {}
    grow, left = growth.grower(), deque(numbers)
    while left and not progress.is_stopped:
        for tree, is_complete in grow(list(islice(left, AT_ONCE)), progress):
            number = left.popleft()
            if is_complete:
                trees[number] = tree
    return trees


def _grow_on_threads(growth: SharedGrowth, plan: Plan, watch: GrowthWatch, trees: Trees, n_samples: int) -> None:
    n_threads = min(max(watch.n_threads, 1), plan.n_replicates)
    relay = Relay(watch.progress or Progress(), n_threads, lambda n: min(n * PARTS // n_samples, plan.total))
    # replicates at once are so few that all threads end at about one time
    queue = iter(plan.numbers), max(1, plan.n_replicates // (8 * n_threads)), n_samples
    with ThreadPoolExecutor(n_threads) as pool:
        relay.attend([pool.submit(_grow_some, growth.grower(), *queue, mine, trees) for mine in relay.threads])


def so_far(plan: Plan, trees: Trees) -> Replicates:
    """Return the replicates of the plan that are complete; also while others still grow."""
    there = dict(trees)
    numbers = [number for number in plan.numbers if number in there]
    return Replicates(plan, np.array(numbers, np.int64), tuple(there[number] for number in numbers))


def join_replicates(parts: Iterable[Replicates]) -> Replicates:
    """Join the replicates of several plans with one redraw and seed, by number. Raises ValueError for others."""
    parts = sorted(parts, key=lambda part: part.plan.first)
    plans = [part.plan for part in parts]
    if len({(plan.redraw, plan.seed) for plan in plans}) != 1:
        raise ValueError("only replicates of one redraw and one seed can be joined")
    if any(a.first + a.n_replicates != b.first for a, b in pairwise(plans)):
        raise ValueError("only replicates whose numbers follow each other can be joined")
    plan = plans[0]._replace(n_replicates=sum(plan.n_replicates for plan in plans))
    return so_far(plan, {int(i): tree for part in parts for i, tree in zip(part.numbers, part.trees, strict=True)})


def _grow_some(
    grow: Grower, left: Iterator[int], most: int, n_samples: int, mine: ThreadProgress, trees: Trees
) -> None:
    """Grow replicates until there are no more numbers `left`, `most` at once; one thread's share."""
    numbers, many = deque[int](), 1
    while True:
        numbers.extend(islice(left, max(many - len(numbers), 0)))
        if not numbers or mine.is_stopped:
            return
        began = time.perf_counter()
        results = grow(list(numbers), mine)
        for tree, is_complete in results:
            number = numbers.popleft()
            if is_complete:
                trees[number] = tree
        mine.settle(sum(is_complete for _, is_complete in results) * n_samples)
        seconds = (time.perf_counter() - began) / len(results)
        many = max(1, min(int(SECONDS_AT_ONCE / max(seconds, 1e-6)), most))


# ---- counts over replicates

DIGEST_BYTES = 8  # two of a million structures share a digest with a chance of 1 in 30 million
TALLIED_AT_ONCE = 500  # trees in memory at a time


class StructureRule(NamedTuple):
    """The part of a tree that makes its structure."""

    max_depth: int = DEEPEST  # only splits above this depth count
    thresholds: bool = True  # whether thresholds, and sets of categories, count too, or features alone


class Tally(NamedTuple):
    """Counts over replicates."""

    structures: dict[bytes, tuple[int, int]]  # by digest: how often, and the first replicate that has it
    leaves: Counter[int]  # trees by their number of leaves
    roots: Counter[int]  # trees by the feature of their root, LEAF for none

    def add(self, number: int, tree: AnyTree, rule: StructureRule) -> None:
        """Count a replicate."""
        digest = structure_digest(tree, rule)
        times, first = self.structures.get(digest, (0, number))
        self.structures[digest] = times + 1, min(first, number)
        self.leaves[tree.n_leaves] += 1
        self.roots[int(splits_of(tree).feature[0])] += 1


def empty_tally() -> Tally:
    """Return the tally of no replicates."""
    return Tally({}, Counter(), Counter())


def tally(growth: SharedGrowth, numbers: range, rule: StructureRule, progress: Progress) -> Tally:
    """Grow the replicates of these numbers and count them: a task; `progress` counts as their growth does."""
    counts = empty_tally()
    for first in range(0, len(numbers), TALLIED_AT_ONCE):
        if progress.is_stopped:
            break
        for number, tree in grow_numbered(growth, numbers[first : first + TALLIED_AT_ONCE], progress).items():
            counts.add(number, tree, rule)
    return counts


def structure_digest(tree: AnyTree, rule: StructureRule) -> bytes:
    """Return the digest of a tree's structure; of a cultivated tree, that of the first decision of every node.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> small, large = (CartClassifier(max_depth=depth).fit(iris.X, iris.y).tree_ for depth in (1, 3))
    >>> structure_digest(small, StructureRule()) == structure_digest(large, StructureRule(max_depth=1))
    True
    """
    splits = splits_of(tree)
    feature, place = splits.feature, slice(None)
    if rule.max_depth < DEEPEST:
        depth = depths(tree)
        feature, place = np.where(depth < rule.max_depth, feature, LEAF), depth <= rule.max_depth
    digest = hashlib.blake2b(feature[place].tobytes(), digest_size=DIGEST_BYTES)
    if rule.thresholds:
        is_split = feature != LEAF
        digest.update((splits.threshold[is_split] + 0.0).tobytes())  # turns -0 into 0
        digest.update(splits.categories[is_split].tobytes())
    return digest.digest()


# ---- A file of counts over replicates, which grows task by task and goes on where it stopped

SCHEMA = """
CREATE TABLE IF NOT EXISTS cause (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS part (first INTEGER PRIMARY KEY, n INTEGER);
CREATE TABLE IF NOT EXISTS structure (digest BLOB PRIMARY KEY, times INTEGER, first INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS leaves (n INTEGER PRIMARY KEY, times INTEGER);
CREATE TABLE IF NOT EXISTS root (feature INTEGER PRIMARY KEY, times INTEGER);
"""
ADD_STRUCTURE = """
INSERT INTO structure VALUES (?, ?, ?) ON CONFLICT (digest)
DO UPDATE SET times = times + excluded.times, first = min(first, excluded.first)
"""
ADD_LEAVES = "INSERT INTO leaves VALUES (?, ?) ON CONFLICT (n) DO UPDATE SET times = times + excluded.times"
ADD_ROOT = "INSERT INTO root VALUES (?, ?) ON CONFLICT (feature) DO UPDATE SET times = times + excluded.times"


class TallySummary(NamedTuple):
    """What the file says of all replicates so far."""

    n_trees: int
    n_structures: int
    frequent: list[tuple[int, int]]  # of the most frequent structures: how often, and the first replicate
    leaves: Counter[int]  # trees by their number of leaves
    roots: Counter[int]  # trees by the feature of their root


class TallyFile:
    """An SQLite file. Each part is in it whole or not at all, however the program ends."""

    def __init__(self, path: Path, causes: dict[str, str]):
        """`causes` are all that the counts depend on, by name. Raises ValueError for a file of others."""
        self._path = path
        with contextlib.ExitStack() as if_wrong:
            with self._readable():
                self._file = sqlite3.connect(path, isolation_level=None)
                if_wrong.callback(self.close)
                self._file.executescript(SCHEMA)
            self._claim(causes)
            if_wrong.pop_all()

    def _claim(self, causes: dict[str, str]) -> None:
        with self._readable():
            rows = self._file.execute("SELECT name, value FROM cause").fetchall()
            if not rows:
                self._file.executemany("INSERT INTO cause VALUES (?, ?)", causes.items())
        there = dict(rows) or causes
        if names := sorted(name for name in there.keys() | causes.keys() if there.get(name) != causes.get(name)):
            differences = "; ".join(
                f"{name} is {there.get(name)} there, {causes.get(name)} here" for name in names
            )
            raise ValueError(
                f"{self._path} has the counts of other replicates: {differences}. Choose another file"
            )

    def add(self, numbers: range, counts: Tally) -> None:
        """Add the counts of the replicates of these numbers."""
        structures = ((digest, *count) for digest, count in counts.structures.items())
        with self._readable():
            self._file.execute("BEGIN")
            self._file.executemany(ADD_STRUCTURE, structures)
            self._file.executemany(ADD_LEAVES, counts.leaves.items())
            self._file.executemany(ADD_ROOT, counts.roots.items())
            self._file.execute("INSERT INTO part VALUES (?, ?)", (numbers.start, len(numbers)))
            self._file.execute("COMMIT")

    def missing(self, numbers: range) -> list[range]:
        """Return the runs of these numbers that are not counted yet."""
        runs, begin = [], numbers.start
        for first, n in self._file.execute("SELECT first, n FROM part ORDER BY first"):
            if first > begin:
                runs.append(range(begin, min(first, numbers.stop)))
            begin = max(begin, first + n)
        runs.append(range(begin, numbers.stop))
        return [run for run in runs if len(run)]

    def summary(self, most: int = 10) -> TallySummary:
        """Return the counts, with so many of the most frequent structures."""
        ask: Any = self._file.execute
        frequent = ask("SELECT times, first FROM structure ORDER BY times DESC, first LIMIT ?", (most,))
        return TallySummary(
            ask("SELECT coalesce(sum(n), 0) FROM part").fetchone()[0],
            ask("SELECT count(*) FROM structure").fetchone()[0],
            frequent.fetchall(),
            Counter(dict(ask("SELECT n, times FROM leaves").fetchall())),
            Counter(dict(ask("SELECT feature, times FROM root").fetchall())),
        )

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @contextlib.contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as wrong:
            raise ValueError(
                f"{self._path} cannot be written as a file of counts ({wrong}); choose another place, or make room"
            ) from None


# ---- structures of a million replicates and more: counted on any executor, streamed to a file, resumed from it

SECONDS_OF_A_TASK = 0.5  # long beside the overhead of a task, short for who waits or stops
PILOT = 16  # replicates that are grown here, to see how long one takes
MOST_OF_A_TASK = 20_000  # replicates


def tally_structures(
    estimator: Any,
    data: Dataset,
    plan: Plan,
    path: Path,
    rule: StructureRule = StructureRule(),  # noqa: B008
    executor: Executor | None = None,
    tell: Callable[[int], None] = lambda n_trees: None,
    progress: Progress | None = None,
    *,
    groups: RowColumn = None,
    time: RowColumn = None,
) -> TallySummary:
    """Return how often each structure occurs among the replicates of a plan; the counts stand in an SQLite file.

    Replicates that the file has are not grown again: a call that was stopped, or killed, goes on where it was, and
    one with more replicates adds to it. Memory does not grow with their number. `executor` works on several tasks
    (None: one thread); `tell` is called with the number of trees in the file, after each task; once `progress` is
    stopped, the counts so far are returned. `groups` and `time` are as in `replicate`. Raises ValueError as
    `replicate` does, and for a file with the counts of other data, learners, redraws, seeds or rules.

    >>> import tempfile
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris, plan = samples.load("iris"), Plan(n_replicates=200)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "counts.sqlite"
    ...     found = tally_structures(CartClassifier(max_depth=1), iris, plan, path)
    >>> found.n_trees, found.roots.total()
    (200, 200)
    """
    data = with_roles(data, groups, time)
    growth = planned_growth(estimator, data, plan)
    with ExitStack() as stack:
        file = stack.enter_context(closing(TallyFile(path, causes_of(estimator, data, plan, rule))))
        here = stack.enter_context(ThreadPoolExecutor(1)) if executor is None else executor
        runs = file.missing(plan.numbers)
        many = _many(growth, runs, rule, n_workers(here)) if runs else 1
        parts = [run[first : first + many] for run in runs for first in range(0, len(run), many)]
        tasks = [Call(tally, (growth, part, rule), len(part) * len(data.y)) for part in parts]
        n_trees = file.summary(0).n_trees
        for place, counts in in_order(tasks, here, progress):
            file.add(parts[place], counts)
            n_trees += len(parts[place])
            tell(n_trees)
        return file.summary()


def causes_of(estimator: Any, data: Dataset, plan: Plan, rule: StructureRule) -> dict[str, str]:
    """Return all that the counts depend on, by name, whatever the number of replicates."""
    model: Any = clone(estimator)
    settings = {name: repr(value) for name, value in model.get_params().items() if name != "n_jobs"}
    own = {"learner": type(model).__name__, "data": data.digest, "seed": str(plan.seed)}
    return settings | own | {"redraw": repr(plan.redraw), "rule": repr(rule)}


def _many(growth: SharedGrowth, runs: list[range], rule: StructureRule, workers: int) -> int:
    """Return how many replicates make a task: as many as take half a second, and enough tasks for all workers."""
    fair = -(-sum(map(len, runs)) // (SHARES * workers))
    pilot = runs[0][:PILOT]
    tally(growth, pilot[:1], rule, Progress())  # loads the kernels
    start = time.thread_time()  # neither the load of the machine nor that of kernels counts
    tally(growth, pilot, rule, Progress())
    seconds = (time.thread_time() - start) / len(pilot)
    return max(1, min(int(SECONDS_OF_A_TASK / max(seconds, 1e-6)), fair, MOST_OF_A_TASK))
