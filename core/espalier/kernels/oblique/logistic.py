"""Logistic regression of two sides on a few features, by Newton's steps."""

from __future__ import annotations

import numpy as np

from espalier.kernels import kernel

NEWTON_STEPS = 12
HALVINGS = 6  # of a step, as long as the loss rises
SMALL = 1e-8  # ridge: so small that it parts whatever can be parted


@kernel
def logistic_regression(Z, side, weight):
    """Return the coefficients (1 + n_columns,) of the regression of `side` (n,), 0 to 1, the constant first.

    Z (n, n_columns) is standardised, `weight` (n,) sums to 1. Steps are halved as long as the loss rises (Hastie,
    Tibshirani & Friedman 2009, section 4.4.1). Where a line parts the sides the loss falls without end, and the
    direction comes to part them.
    """
    beta, loss = np.zeros(Z.shape[1] + 1), np.inf
    for _ in range(NEWTON_STEPS):
        step = _newton_step(Z, side, weight, beta)
        after = _log_loss(Z, side, weight, beta + step)
        for _ in range(HALVINGS):
            if after < loss:
                break
            step /= 2
            after = _log_loss(Z, side, weight, beta + step)
        if not after < loss:
            break
        beta += step
        loss = after
    return beta


@kernel
def _score(Z, row, beta):
    total = beta[0]
    for j in range(Z.shape[1]):
        total += Z[row, j] * beta[j + 1]
    return total


@kernel
def _newton_step(Z, side, weight, beta):
    m = len(beta)
    slope, curvature, x = -SMALL * beta, SMALL * np.eye(m), np.ones(m)
    for row in range(len(Z)):
        share = 1 / (1 + np.exp(-min(max(_score(Z, row, beta), -500.0), 500.0)))
        for j in range(m - 1):
            x[j + 1] = Z[row, j]
        off, bend = weight[row] * (side[row] - share), weight[row] * share * (1 - share)
        for i in range(m):
            slope[i] += off * x[i]
            for j in range(i + 1):
                curvature[i, j] += bend * x[i] * x[j]
    return solve_definite(curvature, slope)


@kernel
def _log_loss(Z, side, weight, beta):
    loss = 0.0
    for row in range(len(Z)):
        score = _score(Z, row, beta)
        loss += weight[row] * (max(score, 0.0) + np.log1p(np.exp(-abs(score))) - side[row] * score)
    return loss


@kernel
def solve_definite(matrix, right):
    """Return x with ``matrix @ x = right``, the matrix positive definite; its lower half is read and overwritten.

    By Cholesky's decomposition; a pivot that rounding made too small counts as 1e-14 of the largest.
    """
    m = len(right)
    floor = 0.0
    for i in range(m):
        floor = max(floor, 1e-14 * matrix[i, i])
    for i in range(m):
        for j in range(i + 1):
            entry = matrix[i, j]
            for k in range(j):
                entry -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = np.sqrt(max(entry, floor)) if i == j else entry / matrix[j, j]
    x = right.copy()
    for i in range(m):
        for k in range(i):
            x[i] -= matrix[i, k] * x[k]
        x[i] /= matrix[i, i]
    for i in range(m - 1, -1, -1):
        for k in range(i + 1, m):
            x[i] -= matrix[k, i] * x[k]
        x[i] /= matrix[i, i]
    return x
