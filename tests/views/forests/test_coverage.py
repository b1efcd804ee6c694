"""The picture of stated and measured coverage."""

import numpy as np

from espalier.analysis.forests.intervals import IntervalCoverage
from espalier.views.forests.coverage import CoverageLine, coverage_alt, coverage_curve

STATED = np.array([0.5, 0.9])
LINES = [
    CoverageLine("A", 0, IntervalCoverage(STATED, np.array([0.6, 0.95]), STATED, 40)),
    CoverageLine("B", 1, IntervalCoverage(STATED, np.array([0.4, 0.8]), STATED, 40)),
]


def test_every_measured_coverage_is_a_point_and_the_forests_are_named():
    for dark in (False, True):
        drawn = coverage_curve(LINES, dark)
        assert drawn.count("<circle") == 4
        assert drawn.count(">A<") == drawn.count(">B<") == 1
        assert "stroke-dasharray" in drawn


def test_the_alt_text_says_how_often_the_widest_intervals_hold():
    assert coverage_alt(LINES) == (
        "A: intervals that state 90 % hold 95 % of the rows. B: intervals that state 90 % hold 80 % of the rows."
    )
