"""The search under the Poisson deviance, for counts and other numbers of at least 0.

No leaf may have the mean 0, since the deviance of any later event from it would be infinite. Samples with events
are counted, because the difference of two sums may be rounded to more than 0.
"""

from __future__ import annotations

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.cart.sweep import heavy, parts
from espalier.kernels.impurity import beyond, score_of_events


@kernel
def _n_positive(entries, y):
    n = 0
    for entry in entries:
        n += y[entry >> np.uint32(1)] > 0
    return n


@kernel
def sweep_poisson(sweep, totals, task, min_weight, best):
    """Return the best cut as (score, position) with events on both sides; totals are the weight and the events."""
    at, bar = -1, beyond(best)
    all_positive = _n_positive(sweep.entries, task.y)
    weight, events, positive = 0.0, 0.0, 0
    if sweep.missing_left:
        positive = _n_positive(sweep.entries[sweep.known :], task.y)
        for i in range(sweep.known, len(sweep.entries)):
            row = sweep.entries[i] >> np.uint32(1)
            weight += task.weight[row]
            events += task.weight[row] * task.y[row]
    for i in range(sweep.last + 1):
        row = sweep.entries[i] >> np.uint32(1)
        weight += task.weight[row]
        events += task.weight[row] * task.y[row]
        positive += task.y[row] > 0
        if i < sweep.first or positive == 0 or positive == all_positive:
            continue
        here = score_of_events(weight, events) + score_of_events(totals[0] - weight, totals[1] - events)
        if here > bar and parts(sweep, i) and heavy(weight, totals[0], min_weight):
            best, at, bar = here, i, beyond(here)
    return best, at
