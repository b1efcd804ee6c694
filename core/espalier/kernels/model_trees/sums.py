"""Weighted sums of a set of samples, from which the error of a constant, a line or a broken line follows at once.

x and the response z are centred at the node's means, so that differences of sums lose few digits.
"""

from __future__ import annotations

from espalier.kernels import kernel

W, X, XX, Z, XZ, ZZ = range(6)  # sums of weight, w x, w x², w z, w x z and w z²
N_SUMS = 6
FLAT = 1e-12  # part of the sum of squares below which a feature does not vary


@kernel
def add_sample(sums, w, x, z):
    """Add a sample of weight w to the sums (6,)."""
    sums[W] += w
    sums[X] += w * x
    sums[XX] += w * x * x
    sums[Z] += w * z
    sums[XZ] += w * x * z
    sums[ZZ] += w * z * z


@kernel
def constant_error(s):
    """Return the sum of squared errors of the mean response."""
    return s[ZZ] - s[Z] * s[Z] / s[W] if s[W] > 0 else 0.0


@kernel
def slope_of(s, ridge, before):
    """Return what ridge regression adds to the slope so far, `before`; 0 where the feature does not vary.

    It minimises the squared errors plus ridge times the square of the whole slope.
    """
    if s[W] <= 0:
        return 0.0
    varies = s[XX] - s[X] * s[X] / s[W]
    if varies <= FLAT * s[XX]:
        return 0.0
    return (s[XZ] - s[X] * s[Z] / s[W] - ridge * before) / (varies + ridge)


@kernel
def line_error(s, ridge, before):
    """Return the squared errors of the line through the means with the slope of `slope_of`.

    The penalty of the whole slope is added, less that of the slope so far.
    """
    slope = slope_of(s, ridge, before)
    if slope == 0.0:
        return constant_error(s)
    varies, together = s[XX] - s[X] * s[X] / s[W], s[XZ] - s[X] * s[Z] / s[W]
    penalty = ridge * slope * (2.0 * before + slope)
    return constant_error(s) - 2.0 * slope * together + slope * slope * varies + penalty


@kernel
def bent_moments(total, right, threshold):
    """Return the centred sums x², x h, h², x z and h z, where h = max(x - threshold, 0).

    `total` are the sums of all samples, `right` of those beyond the threshold.
    """
    w = total[W]
    h = right[X] - threshold * right[W]
    hh = right[XX] - 2.0 * threshold * right[X] + threshold * threshold * right[W] - h * h / w
    xx = total[XX] - total[X] * total[X] / w
    xh = right[XX] - threshold * right[X] - total[X] * h / w
    xz = total[XZ] - total[X] * total[Z] / w
    hz = right[XZ] - threshold * right[Z] - h * total[Z] / w
    return xx, xh, hh, xz, hz


@kernel
def bent_error(total, right, threshold, ridge):
    """Return the sum of squared errors of a + b x + c max(x - threshold, 0), a line that bends at the threshold.

    b and c are those of ridge regression, whose penalty counts. Without such a line, the error of the constant.
    """
    xx, xh, hh, xz, hz = bent_moments(total, right, threshold)
    determinant = (xx + ridge) * (hh + ridge) - xh * xh
    if determinant <= FLAT * (xx + ridge) * (hh + ridge):
        return constant_error(total)
    b = (xz * (hh + ridge) - hz * xh) / determinant
    c = (hz * (xx + ridge) - xz * xh) / determinant
    fitted = b * b * (xx + ridge) + 2.0 * b * c * xh + c * c * (hh + ridge)
    return constant_error(total) - 2.0 * (b * xz + c * hz) + fitted
