"""An error that ended work beside the page is kept once, and said to each visitor in their language."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from espalier.data import RowWeights, make_dataset, samples
from espalier.language import speaking
from pages.shared.data import library
from tests.tools.on_page import APP, engine, until_grown

__all__ = ["engine"]  # a fixture
IRIS = samples.load("iris")
WEIGHED = make_dataset("t", IRIS.X, IRIS.features, IRIS.y, IRIS.target, RowWeights("people", np.full(150, 2.0)))


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "Die Zeilen zählen nach dem Gewicht „people“, und KNeighborsClassifier nimmt keine Gewichte an."),
        ("en", "Rows count by weight “people”, and KNeighborsClassifier takes no weights of rows."),
    ],
)
def test_why_there_is_no_tree_is_said_in_the_language_of_the_page(language, said):
    library.store().put(WEIGHED)
    page = AppTest.from_file(APP, default_timeout=120)
    page.switch_page("pages/approximate.py")
    for key, value in {"box": "neighbours", "lang": language, "data": WEIGHED.digest}.items():
        page.query_params[key] = value
    with speaking(language):  # as the test, too, asks the widgets for their words
        until_grown(page.run())
    assert said in page.error[0].value.replace("\\", "")
