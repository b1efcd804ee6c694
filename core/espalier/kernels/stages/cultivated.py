"""Compiling cultivated trees."""

from __future__ import annotations

import numpy as np

from espalier.kernels.cart.columns import make_columns
from espalier.kernels.cultivated.grow import cultivate
from espalier.kernels.cultivated.module import CultivatedParameters, ModuleData
from espalier.kernels.cultivated.slice import Slice, fraction_slice, predict_slice
from espalier.kernels.gate import predict, reach
from espalier.kernels.route import columns_of
from espalier.kernels.stages.table import CATEGORICAL, LABEL, SIGNALS, N, X, stump
from espalier.trees import softened


def run() -> None:
    """Call every kernel of cultivated trees."""
    _run_growth()
    _run_answers()


def _run_growth() -> None:
    """Call the kernels that grow them."""
    columns = make_columns(columns_of(X), CATEGORICAL)
    y = LABEL.astype(np.float64)
    data = ModuleData(columns, np.column_stack([np.ones(N), y, y]), 2.0, 1.0, 0.0, 1.0)
    parameters = CultivatedParameters(2, 6.0, 0.3, 1.0, 0.5, 0.0, 0.0, 4, 1, True, 0.0)
    cultivate(data, parameters, 0, SIGNALS)


def _run_answers() -> None:
    """Call the kernels that predict."""
    tree = softened(stump())
    predict(tree, X)
    reach(tree, X)
    plane = Slice(np.array([0, 1]), np.arange(3.0), np.arange(2.0), X[0])
    predict_slice(tree, plane)
    fraction_slice(tree, plane, 1)
