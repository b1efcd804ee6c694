"""The region of recourse as a picture and in words."""

from xml.etree import ElementTree

import pytest

from espalier.analysis.reliability.explanation import story
from espalier.analysis.reliability.recourse import recourse_plane
from espalier.data import samples
from espalier.learners import CartClassifier
from espalier.views.reliability import recourse
from espalier.views.reliability.explanation_pictures import ExplanationInputs

IRIS = samples.load("iris")


@pytest.mark.parametrize("dark", [False, True])
def test_the_region_of_recourse_is_drawn_with_the_row_and_its_change_and_told(dark):
    model = CartClassifier(max_depth=3).fit(IRIS.X, IRIS.y)
    found = story(model, IRIS, IRIS.X[70])
    plane = recourse_plane(model, IRIS, found)
    assert plane is not None
    look = ExplanationInputs(found, IRIS, dark)
    picture = recourse.picture(look, plane)
    assert ElementTree.fromstring(picture).tag.endswith("svg")
    assert picture.count("<circle") == 2
    assert recourse.alt(look, plane) == (
        "What would be said over two columns; from petal width 1.8, petal length 4.8 to petal width 1.75, petal "
        "length 4.8."
    )
