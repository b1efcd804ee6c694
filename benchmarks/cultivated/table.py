"""Cultivated trees beside the paper that describes them, beside forests, and beyond the paper.

    python -m benchmarks.cultivated.table --data DIR [--only NAME] [--columns full,split,…] [--no-forest]
    python -m benchmarks.cultivated.table --data DIR --speed
    python -m benchmarks.cultivated.table --data DIR --beyond

DIR has one table of two classes and numbers per file, *.csv or *.csv.gz, the target last, named as in `PAPER`
below. With --out FILE.sqlite every fold that is done is kept there, and is not run again (`benchmarks/cells.py`).
The first form prints the mean area under the ROC curve over ten stratified folds as paper / ours /
difference. The paper's own folds are not known, so that small tables differ by chance.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from benchmarks.cells import Cells
from benchmarks.cultivated.beyond import beyond
from benchmarks.cultivated.folds import Make, Table, areas, tables
from benchmarks.cultivated.speed import speed
from espalier.learners import CartClassifier, CultivatedClassifier
from espalier.learners.pruning import prune

# Nalenz & Augustin (2021), table 1. The paper's vertebral has every row twice, so that its folds leak.
COLUMNS = ("forest", "full", "split", "option", "shallow", "cart")
PAPER = {
    "colon": (0.850, 0.887, 0.874, 0.808, 0.887, 0.859),
    "dlbcl": (0.951, 0.955, 0.901, 0.780, 0.955, 0.721),
    "leukaemia": (1.000, 1.000, 1.000, 1.000, 1.000, 0.838),
    "prostate": (0.955, 0.968, 0.938, 0.847, 0.968, 0.851),
    "australian": (0.932, 0.936, 0.921, 0.928, 0.937, 0.903),
    "banknote": (1.000, 0.998, 0.998, 0.999, 0.995, 0.966),
    "blood_transfusion": (0.685, 0.750, 0.731, 0.691, 0.745, 0.729),
    "climate_model": (0.930, 0.940, 0.920, 0.909, 0.936, 0.771),
    "diabetes": (0.828, 0.831, 0.814, 0.800, 0.830, 0.797),
    "eeg_eye_state": (0.985, 0.935, 0.940, 0.934, 0.794, 0.724),
    "haberman": (0.682, 0.724, 0.696, 0.681, 0.723, 0.626),
    "indian_liver": (0.752, 0.749, 0.724, 0.709, 0.749, 0.667),
    "ionosphere": (0.982, 0.957, 0.940, 0.960, 0.949, 0.905),
    "magic": (0.937, 0.920, 0.901, 0.904, 0.887, 0.808),
    "parkinsons": (0.980, 0.950, 0.949, 0.932, 0.953, 0.890),
    "qsar_biodeg": (0.933, 0.923, 0.900, 0.878, 0.906, 0.838),
    "spambase": (0.986, 0.980, 0.971, 0.973, 0.962, 0.894),
    "spectf": (0.850, 0.837, 0.764, 0.724, 0.841, 0.721),
    "steel_plates": (0.992, 1.000, 1.000, 1.000, 0.987, 1.000),
    "vertebral": (0.995, 0.958, 0.956, 0.966, 0.947, 0.927),
    "wdbc": (0.992, 0.992, 0.987, 0.991, 0.992, 0.948),
    "wilt": (0.987, 0.987, 0.989, 0.984, 0.958, 0.960),
}
TWICE = ("vertebral",)


class RpartDefaults(CartClassifier):
    """CART as rpart grows it unless told otherwise: its `cp` prices a leaf at 0.01 of the root's errors."""

    def __init__(self):
        super().__init__(min_samples_split=20, min_samples_leaf=7, max_depth=30)

    def fit(self, X, y, sample_weight=None, progress=None):
        super().fit(X, y, sample_weight, progress)
        errors = 1 - self.tree_.value.max(axis=1)
        self.tree_ = prune(self.tree_._replace(impurity=errors), 0.01 * errors[0])
        return self


def preset(name: str) -> Make:
    return lambda seed: CultivatedClassifier.preset(name, thresholds="data")  # as the paper has it


MAKES: dict[str, Make] = {
    "full": preset("CRF-full"),
    "split": preset("CRF-split"),
    "option": preset("CRF-option"),
    "shallow": preset("CRF-shallow"),
    "cart": lambda seed: RpartDefaults(),
    "forest": lambda seed: RandomForestClassifier(500, random_state=seed),
}


def as_in_paper(table: Table) -> Table:
    """The table with every row twice, if the paper has it so."""
    if table.name not in TWICE:
        return table
    return Table(table.name, np.asfortranarray(np.repeat(table.X, 2, axis=0)), np.repeat(table.y, 2))


def reproduce(found: list[Table], columns: list[str], folds: int, jobs: int, done: Cells) -> None:
    """Print paper, ours and the difference, a line per table."""
    found = [as_in_paper(t) for t in found if t.name in PAPER]
    ours: dict[str, dict[str, float]] = {}
    for column in columns:
        taken, scored = timed(lambda c=column: areas(found, {c: MAKES[c]}, (folds, 1), jobs, done))
        ours[column] = {name: float(s.area.mean()) for (name, _), s in scored.items()}
        print(f"{column:<8}{taken:>8.1f} s of wall time on {jobs} threads", flush=True)
    print("\n" + f"{'paper / ours / difference':<26}" + "".join(f"{c:>24}" for c in columns))
    for table in sorted(found):
        print(
            f"{table.name:<26}"
            + "".join(_cell(PAPER[table.name][COLUMNS.index(c)], ours[c][table.name]) for c in columns)
        )
    print()
    for column in columns:
        print(f"{column:<8} {_summary(column, ours[column])}")


def _cell(paper: float, ours: float) -> str:
    return f"{paper:>10.3f}{ours:>7.3f}{ours - paper:>+7.3f}"


def _summary(column: str, ours: dict[str, float]) -> str:
    off = {name: area - PAPER[name][COLUMNS.index(column)] for name, area in ours.items()}
    worst = max(off, key=lambda name: abs(off[name]))
    near = sum(abs(d) <= 0.02 for d in off.values())
    mean = sum(ours.values()) / len(ours)
    return (
        f"mean {mean:.4f}, from the paper's {sum(off.values()) / len(off):+.4f}; "
        f"largest difference {off[worst]:+.3f} ({worst}); within 0.02 on {near} of {len(off)}"
    )


def timed(work: Callable[[], dict]) -> tuple[float, dict]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, metavar="DIR", help="where the tables are")
    parser.add_argument("--only", default="", help="tables whose name contains this")
    parser.add_argument("--columns", default="full,split,option,shallow,cart,forest", help="learners, with commas")
    parser.add_argument(
        "--no-forest", action="store_true", help="leave out the random forest, which takes longest"
    )
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3, help="of the folds, for --beyond")
    parser.add_argument("--jobs", type=int, default=2, help="threads over folds")
    parser.add_argument("--variants", default="", help="of --beyond: those whose name contains one of these")
    parser.add_argument("--speed", action="store_true", help="times to fit, and how they grow")
    parser.add_argument("--beyond", action="store_true", help="variants measured against CRF-full")
    parser.add_argument("--out", type=Path, help="SQLite file of what is done")
    options = parser.parse_args()
    done = Cells(options.out)
    found = tables(options.data, options.only)
    CultivatedClassifier().fit(found[-1].X, found[-1].y).predict(found[-1].X)  # compiles
    if options.speed:
        speed(found)
    elif options.beyond:
        beyond(found, options.variants.split(","), (options.folds, options.repeats), options.jobs, done)
    else:
        columns = [c for c in options.columns.split(",") if not (options.no_forest and c == "forest")]
        reproduce(found, columns, options.folds, options.jobs, done)


if __name__ == "__main__":
    main()
