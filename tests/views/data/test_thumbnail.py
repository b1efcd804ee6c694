"""The small pictures of the gallery."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from espalier.data import Feature, make_dataset, samples
from espalier.data.samples.descriptions import PICTURES
from espalier.views.data.thumbnail import HEIGHT, MOST_POINTS, WIDTH, thumbnail
from espalier.views.theme import class_colours
from tests.tools.cases import case

PATH = "{http://www.w3.org/2000/svg}path"


def test_every_sample_has_a_small_picture_with_a_path_per_class():
    for theme in ["light", "dark"]:
        for name in samples.names():
            with case((theme, name)):
                dataset = samples.load(name)
                picture = thumbnail(dataset, *PICTURES[name], theme)
                paths = ET.fromstring(picture).findall(PATH)
                colours = [
                    path.get("fill") if path.get("fill") != "none" else path.get("stroke") for path in paths
                ]
                assert colours == class_colours(max(len(dataset.classes), 1))[theme]
                assert all(path.get("d") for path in paths)
                assert len(picture) < 7_000


def test_points_stand_inside_the_picture_and_higher_values_higher():
    X = np.array([[0.0, 0.0], [1.0, 10.0]])
    dataset = make_dataset(
        "t", X, [Feature("a"), Feature("b")], np.array([0, 1]), Feature("c", "category", ("u", "v"))
    )
    low, high = re.findall(r"M(\d+) (\d+)h0", thumbnail(dataset, "a", "b", "light"))
    assert (int(low[0]) < int(high[0]), int(low[1]) > int(high[1])) == (True, True)
    assert all(0 <= int(x) <= WIDTH and 0 <= int(y) <= HEIGHT for x, y in (low, high))


def test_many_rows_are_thinned_out():
    picture = thumbnail(samples.load("five-covariates"), "x1", "x2", "light")
    assert picture.count("h0") == MOST_POINTS


def test_a_mosaic_shares_every_cell_among_the_classes():
    # By hand: one pair of categories with three rows of class u and one of class v.
    X = np.zeros((4, 2))
    features = [Feature("a", "category", ("only",)), Feature("b", "category", ("only",))]
    dataset = make_dataset("t", X, features, np.array([0, 0, 0, 1]), Feature("c", "category", ("u", "v")))
    widths = [float(w) for w in re.findall(r"h(\d[\d.]*)v", thumbnail(dataset, "a", "b", "light"))]
    assert widths[0] == pytest.approx(3 * widths[1], abs=0.2)


def test_an_unknown_column_is_refused():
    with pytest.raises(ValueError, match="wings"):
        thumbnail(samples.load("iris"), "wings", "petal width", "light")
