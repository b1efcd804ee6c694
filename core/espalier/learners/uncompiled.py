"""Grow a small tree without compiling, in a separate process.

The kernels are also plain Python. Until Numba has compiled them, which takes many seconds once on every computer,
a small tree grows faster this way, and it is the same tree. Of a plain tree that process gets arrays alone, so
that it imports nothing but the kernels; what fits with more of the library around it is fitted there as a whole.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator

from espalier.kernels.cart.grow import Seedling, grow, takes_one_call
from espalier.paths import SOURCES
from espalier.trees import Tree

MAX_CELLS = 20_000  # rows times features for which plain Python grows a tree within a few seconds
PATIENCE_SECONDS = 120  # for a busy machine; after this the caller waits for the compiler, which takes even longer
Cart = TypeVar("Cart", bound=BaseEstimator)


def is_small(n_samples: int, n_features: int) -> bool:
    """Return whether plain Python is fast enough."""
    return n_samples * n_features <= MAX_CELLS


def fit(
    cart: Cart, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None, has_small: bool = False
) -> Cart:
    """Run ``cart.fit(X, y, weight)`` without the compiler; raises RuntimeError where the other process fails.

    `has_small` says that the kernels of the stage "small" are compiled: what they serve grows here.
    """
    own: Any = cart
    if own.forced_splits or own.ccp_alpha > 0 or own.missing == "impute":
        return _answer("espalier.learners.uncompiled", (cart, X, y, weight))
    own._engine = _grow_small if has_small else _grow
    try:
        return own.fit(X, y, weight)
    finally:
        del own._engine


def _grow_small(seedling: Seedling, signals: np.ndarray) -> Tree:
    return grow(seedling, signals) if takes_one_call(seedling) else _grow(seedling, signals)


def _grow(seedling: Seedling, signals: np.ndarray) -> Tree:
    return _answer("espalier.kernels.cart.grow", (seedling, signals))


def _answer(module: str, question: tuple) -> Any:
    """Return what a module answers as a process without the compiler."""
    try:
        process = subprocess.run(
            [sys.executable, "-m", module],
            input=pickle.dumps(question),
            capture_output=True,
            cwd=SOURCES,
            env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
            timeout=PATIENCE_SECONDS,
            check=True,
        )
        return pickle.loads(process.stdout)
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
