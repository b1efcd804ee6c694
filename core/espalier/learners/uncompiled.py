"""Grow a small tree without compiling: ``python -m espalier.learners.uncompiled`` in a separate process.

The kernels are also plain Python. Until Numba has compiled them, which takes many seconds once on every computer,
a small tree grows faster this way, and it is the same tree.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import TypeVar

import numpy as np
from sklearn.base import BaseEstimator

from espalier.paths import SOURCES

MAX_CELLS = 20_000  # rows times features for which plain Python grows a tree within a few seconds
PATIENCE_SECONDS = 120  # for a busy machine; after this the caller waits for the compiler, which takes even longer
Cart = TypeVar("Cart", bound=BaseEstimator)


def is_small(n_samples: int, n_features: int) -> bool:
    """Return whether plain Python is fast enough."""
    return n_samples * n_features <= MAX_CELLS


def fit(cart: Cart, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> Cart:
    """Run ``cart.fit(X, y, weight)`` in a process without Numba's compiler; raises RuntimeError if that fails."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "espalier.learners.uncompiled"],
            input=pickle.dumps((cart, X, y, weight)),
            capture_output=True,
            cwd=SOURCES,
            env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
            timeout=PATIENCE_SECONDS,
            check=True,
        )
        return pickle.loads(done.stdout)
    except (subprocess.SubprocessError, pickle.UnpicklingError, EOFError) as fault:
        raise RuntimeError(f"the tree could not be grown in a process of its own: {fault}") from fault


def main() -> None:
    """Read (estimator, X, y, weights or None) from standard input, fit, and write it to standard output."""
    cart, X, y, weight = pickle.load(sys.stdin.buffer)
    with np.errstate(over="ignore"):  # whole numbers wrap around, as intended
        cart.fit(X, y, weight)
    pickle.dump(cart, sys.stdout.buffer)


if __name__ == "__main__":
    main()
