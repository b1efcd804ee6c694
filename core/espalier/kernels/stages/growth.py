"""The state from which CART grows on the small table, for CART and for forests."""

from __future__ import annotations

import numpy as np

from espalier.kernels.cart.best_split import GrowthState
from espalier.kernels.cart.columns import make_columns
from espalier.kernels.cart.grow import make_work
from espalier.kernels.impurity import GINI, table_of_x_log_x
from espalier.kernels.route import columns_of
from espalier.kernels.stages.table import CATEGORICAL, LABEL, N, X
from espalier.kernels.task import GrowthLimits, Task


def growth_state() -> GrowthState:
    """Return the state, of two classes."""
    task = Task(GINI, 2, LABEL, np.empty(0), np.ones(N), True, True, table_of_x_log_x(0))
    columns = make_columns(columns_of(X), CATEGORICAL)
    return make_work(columns, task, GrowthLimits(2, 2, 1, 0.0, 0.0, 0, 4, False), 0)
