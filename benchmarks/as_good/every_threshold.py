"""Counting all trees as good over every threshold: how it grows with the slack.

    python -m benchmarks.as_good.every_threshold [--depth 3] [--data DIR] [--limit 150000] [--names iris,bank]

The tables are bundled ones, and those of ConTree in DIR/*.txt.gz. The slack is a number of errors. A graph of more
splits than the limit is not counted.
"""

from __future__ import annotations

import argparse
import gzip
import time
from pathlib import Path

import numpy as np

from espalier.data import samples
from espalier.learners.optimal import OptimalClassifier, trees_as_good
from espalier.learners.optimal.rashomon import StoppedEarly

NAMES = "iris,wine,breast-cancer,raisin,bank"


def table(name: str, folder: Path | None) -> tuple[np.ndarray, np.ndarray]:
    """Return X and y of a table."""
    if name in samples.names():
        return samples.load(name).X, samples.load(name).y
    assert folder is not None, "say where the data are: --data"
    with gzip.open(folder / f"{name}.txt.gz", "rt") as file:
        rows = np.loadtxt(file)
    return rows[:, 1:], rows[:, 0].astype(int)


def main() -> None:
    """Print a line for each table and slack."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--limit", type=int, default=150_000)
    parser.add_argument("--names", default=NAMES)
    options = parser.parse_args()
    for name in options.names.split(","):
        X, y = table(name, options.data)
        model = OptimalClassifier(max_depth=options.depth, max_thresholds=None).fit(X, y)
        n_questions, errors = len(model.questions_.feature), model.proof_.objective
        print(f"{name}: {X.shape[0]} rows, {n_questions} questions, {errors:g} errors")
        for slack in dict.fromkeys([0, 1, 2, 5, round(0.01 * len(y)), round(0.02 * len(y))]):
            began = time.process_time()
            try:
                found = trees_as_good(model, model.prepare(X, y), slack, None, options.limit)
                trees = f"{found.n_trees:,} trees"
            except StoppedEarly:
                trees = "too many"
            print(f"  {slack} more: {trees}, {time.process_time() - began:.2f} s", flush=True)
            if trees == "too many":
                break


if __name__ == "__main__":
    main()
