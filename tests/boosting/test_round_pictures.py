"""Pictures of a round hold what they are given, in light and dark, and say it in words."""

import xml.etree.ElementTree as ET

import numpy as np

from espalier import boosting as pictures
from espalier.boosting import CurvePlot, PlotLine
from espalier.data.dataset import Feature
from tests.tools.cases import case

X, TARGET = np.linspace(0, 1, 11), Feature("y")
PLOT = CurvePlot(X, (PlotLine("after", X**2), PlotLine("before", X, False)), X[:7], X[:7] ** 3, ("x", "y"))
LOSSES = [
    PlotLine("grown on", np.array([3.0, 2.0, 1.0, 0.5]), False),
    PlotLine("held out", np.array([3.0, 1, 2, 4])),
]
DRAWN = {
    "curve": lambda dark: pictures.curve(PLOT, dark),
    "histogram": lambda dark: pictures.histogram([PlotLine("all", X)], "x", (TARGET, 0), dark),
    "loss": lambda dark: pictures.loss_picture(LOSSES, 2, "loss").draw(dark),
}


def texts(svg):
    return [node.text for node in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_a_picture_is_drawn_in_light_and_dark():
    for dark in [False, True]:
        for name in DRAWN:
            with case((dark, name)):
                assert DRAWN[name](dark) != DRAWN[name](not dark)
                assert texts(DRAWN[name](dark))


def test_a_curve_has_a_dot_for_each_point_its_lines_have_names_the_least_loss_a_mark_and_equal_values_an_axis():
    svg = pictures.curve(PLOT._replace(x=np.append(X[:6], np.nan)), False)
    assert svg.count("<circle") == 6
    assert {"after", "before", "x", "y"} <= set(texts(svg))
    assert "least: round 1" in texts(pictures.loss_picture(LOSSES, 2, "loss").draw(False))
    words = pictures.loss_picture(LOSSES, 2, "loss").alt
    assert "held out: 3 before the first round, 2 after round 2, least after round 1." in words
    low, high = pictures.ends_of(np.zeros(3))
    assert low < 0 < high
    assert pictures.histogram([PlotLine("all", np.zeros(3))], "x", (TARGET, 0), False)
    assert pictures.loss_picture([PlotLine("grown on", np.zeros(1))], 0, "loss").draw(False)
    assert "<b>" not in pictures.curve(PLOT._replace(titles=("<b>", "&")), False)
