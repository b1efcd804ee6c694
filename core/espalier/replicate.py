"""The command ``python -m espalier.replicate``: grow a learner on redrawn data, and count the structures.

Counts go to a file as they come. Called again, the command goes on where it stopped.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from espalier.data import samples
from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import guess_kinds
from espalier.data.dataset import Dataset
from espalier.data.errors import TableError
from espalier.data.table import read_table
from espalier.executors import LostTask, executor
from espalier.learners.catalogue import KINDS, CommonTerms, Model
from espalier.settings import EXECUTOR
from espalier.stability.replicates import Plan, StructureRule, TallySummary, tally_structures
from espalier.stability.resampling import KINDS as REDRAWS
from espalier.stability.resampling import Redraw
from espalier.stability.structures import DEEPEST
from espalier.trees import LEAF

LEARNERS = tuple(kind.name for kind in KINDS if kind.is_tree)
SECONDS_BETWEEN_LINES = 1.0


def main(arguments: list[str] | None = None) -> int:
    """Run the command; its exit status."""
    given = parser().parse_args(arguments)
    try:
        data = dataset_of(given.table, given.target)
        learner = learner_of(given.learner, given.depth, data)
        size = next(kind.default for kind in REDRAWS if kind.name == given.redraw)
        plan = Plan(Redraw(given.redraw, given.size or size), given.n, given.seed)
        rule = StructureRule(given.levels, not given.features_only)
        with executor(given.executor, given.workers) as workers:
            show = progress_line(plan.n_replicates)
            found = tally_structures(learner, data, plan, given.out, rule, workers, show)
    except (ValueError, TableError, LostTask, OSError) as wrong:
        print(f"\n{wrong}" if str(wrong) else repr(wrong), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\nStopped. The same command goes on from {given.out}.", file=sys.stderr)
        return 130
    print(words(found, data))
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m espalier.replicate", description=(__doc__ or "").split("\n")[0]
    )
    add = parser.add_argument
    add("table", help="a file of CSV, Excel, Parquet, ..., or the name of a bundled sample, such as iris")
    add("--target", default="", help="column that is predicted; for a sample not needed")
    add("--learner", default="cart", choices=LEARNERS)
    add("--depth", type=int, default=None, help="greatest depth of the trees; without it the learner's default")
    add("--n", type=int, default=1_000, help="number of replicates (1000)")
    add("--redraw", default="bootstrap", choices=[kind.name for kind in REDRAWS])
    add("--size", type=float, default=0.0, help="of the redraw, such as 0.8 for a subsample of 80 %%")
    add("--seed", type=int, default=0)
    add("--levels", type=int, default=DEEPEST, help="splits above this depth make a structure; without it all")
    add("--features-only", action="store_true", help="compare features, not thresholds")
    add("--executor", default=EXECUTOR, help="threads, processes, or the address of a Dask scheduler")
    add("--workers", type=int, default=None, help="threads or processes; without it one on each processor")
    add("--out", type=Path, default=Path("replicates.sqlite"), help="file of the counts (replicates.sqlite)")
    return parser


def dataset_of(table: str, target: str) -> Dataset:
    """Return the data of a file, or a bundled sample. Raises ValueError or TableError with what to do instead."""
    if table in samples.names():
        return samples.load(table)
    path = Path(table)
    if not path.is_file():
        raise ValueError(f"there is no file {table}; give one, or a sample: {', '.join(samples.names())}")
    found = read_table(path)
    columns = [str(name) for name in found.frame.columns]
    if target not in columns:
        raise ValueError(f"--target is {target!r}; it must be a column of {table}: {', '.join(columns)}")
    plans = guess_kinds(found.frame, found.categories, found.marks)
    data, notes = to_dataset(found.frame, plans, target, found.name, found.origins)
    for note in (*found.notes, *notes):
        print(note, file=sys.stderr)
    return data


def learner_of(name: str, depth: int | None, data: Dataset) -> Any:
    """Return the learner of this name, for these data. Raises ValueError where it is not for such a target."""
    model = Model(name, () if depth is None else (("depth", depth),))
    if data.is_classification not in model.kind.serves:
        raise ValueError(f"{name} is not for a target like {data.target.name}; choose another learner")
    return model.make(CommonTerms.of(data))


def progress_line(total: int) -> Callable[[int], None]:
    """Return what prints now and then how many trees there are, how many come in a second, and what is left."""
    began, first, last = time.monotonic(), 0, 0.0

    def show(n_trees: int) -> None:
        nonlocal began, first, last
        now = time.monotonic()
        if not first:  # what the file had before, and the start of the workers, say nothing of the speed
            first, began = n_trees, now
        rate = (n_trees - first) / max(now - began, 1e-9)
        if now - last > SECONDS_BETWEEN_LINES or n_trees >= total:
            last = now
            left = f", {(total - n_trees) / rate:,.0f} s left" if rate else ""
            print(f"{n_trees:,} of {total:,} trees, {rate:,.0f} a second{left}", file=sys.stderr)

    return show


def words(found: TallySummary, data: Dataset) -> str:
    """Return the counts in words.

    >>> from collections import Counter
    >>> some = TallySummary(4, 2, [(3, 0), (1, 2)], Counter({3: 4}), Counter({2: 4}))
    >>> print(words(some, samples.load("iris")))
    4 trees have 2 different structures.
    The root asks petal length in 100.0 %.
    Most frequent:
      75.0 %  first in replicate 0
      25.0 %  first in replicate 2
    """
    names = {LEAF: "nothing"} | {number: feature.name for number, feature in enumerate(data.features)}
    shares = [f"{names[feature]} in {n / found.n_trees:.1%}" for feature, n in found.roots.most_common(3)]
    frequent = [f"  {n / found.n_trees:.1%}  first in replicate {first:,}" for n, first in found.frequent]
    lines = [
        f"{found.n_trees:,} trees have {found.n_structures:,} different structures.",
        f"The root asks {', '.join(shares)}.",
        "Most frequent:",
        *frequent,
    ]
    return "\n".join(lines).replace("%", " %").replace("  %", " %")


if __name__ == "__main__":
    sys.exit(main())
