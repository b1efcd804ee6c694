"""Small drawings of surfaces: the boxes tile the plane, and each has the name of its class."""

import xml.etree.ElementTree as ET

import pytest

from espalier.data import Feature
from espalier.practice.plane import PlaneSplit, tree_of
from espalier.views.boundaries.small_plane import HEIGHT, MARGINS, WIDTH, alt, small_plane

FEATURES = [Feature("x"), Feature("y")]
TARGET = Feature("leaf", "category", ("A", "B", "C"))
ENDS = ((0, 10), (0, 10))
TREE = tree_of(PlaneSplit(0, 3, 0, PlaneSplit(1, 6, 1, 2)))  # A where x ≤ 3, else B where y ≤ 6, else C


def drawn(kind, dark=False):
    picture = ET.fromstring(small_plane(TREE, FEATURES, TARGET, ENDS, dark))
    return [element for element in picture.iter() if element.tag.endswith(kind)]


@pytest.mark.parametrize("dark", [False, True])
def test_the_boxes_cover_the_plane_once(dark):
    sides = [[float(box.attrib[key]) for key in ("width", "height")] for box in drawn("rect", dark)]
    left, right, top, below = MARGINS
    assert sum(width * height for width, height in sides) == pytest.approx(
        (WIDTH - left - right) * (HEIGHT - top - below), rel=0.01
    )


def test_every_box_has_its_class_and_every_border_its_number():
    """A stands left of B, and C above it; the borders are at x = 3 and y = 6."""
    texts = {element.text: element for element in drawn("text")}
    assert {"A", "B", "C", "3", "6", "x", "y"} <= texts.keys()
    assert float(texts["A"].attrib["x"]) < float(texts["B"].attrib["x"]) == float(texts["C"].attrib["x"])
    assert float(texts["C"].attrib["y"]) < float(texts["B"].attrib["y"])


def test_the_surface_is_said_box_by_box():
    said = alt(TREE, FEATURES, TARGET, ENDS).split("; ")
    assert said[0] == "A where x is from 0 to 3 and y from 0 to 10"
    assert "C where x is from 3 to 10 and y from 6 to 10" in said
