"""Impurity criteria as one family: each is a score S of a node's sums, and a split's gain is a sum of scores.

For every criterion the impurity of a node times its weight W is ``pure - S``, where ``pure`` is the same
for a node and for its two children together. A split therefore gains ``S(left) + S(right) - S(node)``, and
the best split is the one with the largest ``S(left) + S(right)``. S is convex and homogeneous of degree one,
hence ``S(a + d) <= S(a) + S(d)``, which lets the search skip whole blocks of thresholds.

=================  ======================  ==========================================
criterion          S                       impurity (Breiman et al. 1984, ch. 4 and 8)
=================  ======================  ==========================================
gini               sum_k w_k^2 / W         1 - sum_k p_k^2
entropy            sum_k w_k ln(w_k / W)   -sum_k p_k log2 p_k
misclassification  max_k w_k               1 - max_k p_k
squared error      (sum w y)^2 / W         mean of (y - mean)^2
absolute error     -sum w abs(y - median)  mean of abs(y - median)
poisson            m ln(m / W)             mean of y ln(y / mean): half the deviance
=================  ======================  ==========================================

Here W is the sum of the weights w, and m the sum of w y, which counts events. Friedman's improvement of a split,
``W_left W_right / W * (mean_left - mean_right)^2`` (Friedman 2001, equation 35), is the gain in squared error.
"""

from __future__ import annotations

import math

import numpy as np

from espalier.kernels import kernel

GINI, ENTROPY, MISCLASSIFICATION, SQUARED_ERROR, ABSOLUTE_ERROR, POISSON = range(6)
ROUNDING = 1e-11  # of a score, which is made of sums of up to millions of numbers
CODES = {
    "gini": GINI,
    "entropy": ENTROPY,
    "log_loss": ENTROPY,
    "gain_ratio": ENTROPY,  # espalier.kernels.cart.gain_ratio then chooses the feature
    "misclassification": MISCLASSIFICATION,
    "squared_error": SQUARED_ERROR,
    "friedman_mse": SQUARED_ERROR,
    "absolute_error": ABSOLUTE_ERROR,
    "poisson": POISSON,
}


@kernel
def beyond(score):
    """Return the bar above which a score is greater by more than the rounding of sums of numbers.

    Features that split a node into the same two sets then tie, and the first one wins.
    """
    return score + ROUNDING * abs(score) if score > -np.inf else score


@kernel
def x_log_x(x):
    """Return ``x ln x``, and 0 at 0."""
    return x * math.log(x) if x > 0 else 0.0


@kernel
def total(sums):
    """Return the total of sums (n,). A plain loop compiles in a fraction of the time of an array method."""
    result = 0.0
    for value in sums:
        result += value
    return result


@kernel
def clear(array):
    """Set array (n,) to zero."""
    for i in range(len(array)):
        array[i] = 0


@kernel
def score_of_events(weight, events):
    """Return S of the Poisson deviance, of a weight and the events counted in it."""
    return events * math.log(events / weight) if events > 0 else 0.0


@kernel
def score(sums, criterion):
    """Return S of class weights (n_classes,), or of (weight, weighted sum of y) for squared error and poisson."""
    if criterion == SQUARED_ERROR:
        return sums[1] * sums[1] / sums[0] if sums[0] > 0 else 0.0
    if criterion == POISSON:
        return score_of_events(sums[0], sums[1])
    weight, result = 0.0, 0.0
    for value in sums:
        weight += value
        if criterion == GINI:
            result += value * value
        elif criterion == ENTROPY:
            result += x_log_x(value)
        else:
            result = max(result, value)
    if criterion == GINI:
        return result / weight if weight > 0 else 0.0
    return result - x_log_x(weight) if criterion == ENTROPY else result


@kernel
def score_of_sides(left, right, criterion):
    """Return the score of a split, S(left) + S(right), from the sums of both sides.

    Gini uses a single division, so that equal gains of whole weights are equal to the last bit.
    """
    if criterion != GINI:
        return score(left, criterion) + score(right, criterion)
    left_weight, right_weight, left_squares, right_squares = 0.0, 0.0, 0.0, 0.0
    for k in range(len(left)):
        left_weight += left[k]
        right_weight += right[k]
        left_squares += left[k] * left[k]
        right_squares += right[k] * right[k]
    if left_weight > 0 and right_weight > 0:
        return (left_squares * right_weight + right_squares * left_weight) / (left_weight * right_weight)
    return score(left, criterion) + score(right, criterion)


@kernel
def class_impurity(sums, criterion):
    """Return the impurity of a node with class weights (n_classes,); entropy is in bits."""
    weight = total(sums)
    if criterion == ENTROPY:
        return max(-score(sums, criterion) / (weight * math.log(2)), 0.0) + 0.0  # never -0.0
    return max(1 - score(sums, criterion) / weight, 0.0) + 0.0


@kernel
def score_of_two(n0, n1, criterion, table):
    """Return S of whole counts of two classes; `table` holds ``x ln x`` of 0, 1, 2, … for entropy."""
    if criterion == GINI:
        n = n0 + n1
        return (float(n0) * n0 + float(n1) * n1) / n if n > 0 else 0.0
    if criterion == ENTROPY:
        return table[n0] + table[n1] - table[n0 + n1]
    return float(max(n0, n1))


def table_of_x_log_x(n: int) -> np.ndarray:
    """Return ``x ln x`` of the whole numbers 0 to n, (n + 1,) float64."""
    x = np.arange(n + 1, dtype=np.float64)
    return x * np.log(np.maximum(x, 1))
