"""Models of other libraries, read as forests of ours: the largest difference on many rows, and the times.

Half of the rows have a value at a threshold or beside it, and a tenth of the values are missing. Times are those
of the processor, on one thread. Needs the libraries, `pip install ".[importers]"`, and for ONNX also onnxruntime
and skl2onnx; one that is not installed is left out. `.ci/importers.py` prints the lines of several versions.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn import ensemble

import espalier
from espalier.learners.imports.read import bytes_of
from espalier.trees import LEAF

QUIET_CATBOOST = {"verbose": 0, "allow_writing_files": False, "thread_count": 1}


class Fitted(NamedTuple):
    """A model of a library, before it is fitted to classes."""

    library: str
    name: str
    make: Callable[[int], Any]  # of a number of trees


def models(only: str | None) -> Iterator[Fitted]:
    """The models to read; of libraries that are installed, or of this one alone."""
    return (model for model in _all_models() if only in (None, model.library))


def _all_models() -> Iterator[Fitted]:
    yield Fitted("scikit-learn", "random forest", lambda n: ensemble.RandomForestClassifier(n, max_depth=6))
    yield Fitted(
        "scikit-learn", "histogram boosting", lambda n: ensemble.HistGradientBoostingClassifier(max_iter=n)
    )
    makers = {
        "xgboost": lambda of: lambda n: of.XGBClassifier(n_estimators=n, max_depth=6, n_jobs=1),
        "lightgbm": lambda of: lambda n: of.LGBMClassifier(n_estimators=n, verbose=-1, n_jobs=1),
        "catboost": lambda of: lambda n: of.CatBoostClassifier(iterations=n, depth=6, **QUIET_CATBOOST),
    }
    for library, maker in makers.items():
        try:
            yield Fitted(library, "boosting", maker(importlib.import_module(library)))
        except ImportError:
            print(f"{library} is not installed")
    yield from _models_of_ydf()
    yield from _onnx_files()


def _models_of_ydf() -> Iterator[Fitted]:
    try:
        ydf = importlib.import_module("ydf")
    except ImportError:
        print("ydf is not installed")
        return
    ydf.verbose(0)
    settings = {"label": "y", "max_depth": 6, "num_threads": 1}
    boosting = {**settings, "early_stopping": "NONE"}
    yield Fitted("ydf", "random forest", lambda n: OfYdf(ydf.RandomForestLearner(num_trees=n, **settings)))
    yield Fitted("ydf", "boosting", lambda n: OfYdf(ydf.GradientBoostedTreesLearner(num_trees=n, **boosting)))


class OfYdf:
    """A learner of ydf, which takes columns by name, in scikit-learn's words."""

    def __init__(self, learner: Any):
        self._learner = learner
        self.source: Any = None

    def fit(self, X: np.ndarray, y: np.ndarray) -> OfYdf:
        """Fit the learner to X (n_samples, n_features) and its classes."""
        self.source = self._learner.train({**_columns(X), "y": y})
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the shares of two classes, (n_samples, 2)."""
        second = self.source.predict(_columns(X), num_threads=1)
        return np.column_stack([1.0 - second, second])


def _onnx_files() -> Iterator[Fitted]:
    try:
        runtime, writer = (importlib.import_module(name) for name in ("onnxruntime", "skl2onnx"))
    except ImportError:
        print("onnxruntime or skl2onnx is not installed")
        return
    yield Fitted("onnxruntime", "random forest, by skl2onnx", lambda n: OnnxFile(n, runtime, writer))


class OnnxFile:
    """A random forest of scikit-learn as an ONNX file, which onnxruntime answers, in single precision."""

    def __init__(self, n_trees: int, runtime: Any, writer: Any):
        self._n_trees, self._runtime, self._writer = n_trees, runtime, writer
        self.source, self._session = b"", None

    def fit(self, X: np.ndarray, y: np.ndarray) -> OnnxFile:
        """Fit the forest to X (n_samples, n_features) and its classes, and write it."""
        forest = ensemble.RandomForestClassifier(self._n_trees, max_depth=6).fit(X, y)
        example, plain = X[:1].astype(np.float32), {"zipmap": False}
        self.source = self._writer.to_onnx(forest, example, options=plain).SerializeToString()
        options = self._runtime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = self._runtime.InferenceSession(self.source, options)
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the shares of the classes, (n_samples, n_classes)."""
        session: Any = self._session
        return session.run(["probabilities"], {session.get_inputs()[0].name: X.astype(np.float32)})[0]


def source_of(model: Any) -> Any:
    """Return what `espalier.read_model` takes of a model here: a file's bytes or a fitted object."""
    return getattr(model, "source", model)


def _columns(X: np.ndarray) -> dict[str, np.ndarray]:
    return {f"x{number}": column for number, column in enumerate(X.T)}


def table(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows of six columns with gaps, and classes that keep trees growing."""
    X = rng.normal(size=(n, 6))
    y = (X[:, 0] + np.sin(3 * X[:, 1]) + rng.normal(size=n) > 0).astype(int)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def rows_at_thresholds(model: Any, n: int, rng: np.random.Generator) -> np.ndarray:
    """Rows (n, n_features), every other one with a value at a threshold of the forest or beside it."""
    rows = rng.normal(size=(n, model.n_features_in_))
    trees = model.forest_.trees
    feature, cut = (np.concatenate([getattr(tree, name) for tree in trees]) for name in ("feature", "threshold"))
    there = np.flatnonzero((feature != LEAF) & np.isfinite(cut))
    chosen = rng.choice(there, n // 2)
    beside = np.stack([cut[chosen], np.nextafter(cut[chosen], np.inf), np.nextafter(cut[chosen], -np.inf)])
    rows[np.arange(n // 2), feature[chosen]] = beside[rng.integers(0, 3, n // 2), np.arange(n // 2)]
    rows[rng.random(rows.shape) < 0.1] = np.nan
    return rows


def seconds_of(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds that work takes, and what it returns."""
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def line(fitted: Fitted, n_rows: int, n_trees: int) -> str:
    """A line of the table: of a model of 100 trees, and for opening of one of more."""
    rng = np.random.default_rng(0)
    X, y = table(3_000, rng)
    theirs = fitted.make(100).fit(X, y)
    ours: Any = espalier.read_model(source_of(theirs))
    rows = rows_at_thresholds(ours, n_rows, rng)
    ours.predict_proba(rows[:1])  # packs the trees
    own_seconds, said = seconds_of(lambda: ours.predict_proba(rows))
    seconds, expected = seconds_of(lambda: theirs.predict_proba(rows))
    many = fitted.make(n_trees).fit(X, y)
    source = bytes_of(source_of(many)) or source_of(many)
    to_open, _ = seconds_of(lambda: espalier.read_model(source))
    facts = (fitted.library, importlib.metadata.version(fitted.library), fitted.name)
    numbers = (f"{np.abs(said - expected).max():.1e}", f"{own_seconds:.2f}", f"{seconds:.2f}", f"{to_open:.2f}")
    return f"| {' | '.join([*facts, *numbers])} |"


def main() -> None:
    """Print a line of the table for each model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--trees", type=int, default=1_000, help="of the model whose opening is timed")
    parser.add_argument("--only", help="a library, whose lines are printed without the table's head")
    options = parser.parse_args()
    if not options.only:
        print("| library | version | model | largest difference | seconds | the library's own | to open |")
        print("|---|---|---|---|---|---|---|")
    for fitted in models(options.only):
        print(line(fitted, options.rows, options.trees), flush=True)


if __name__ == "__main__":
    main()
