"""Sentences on what about a table misleads, and the small pictures of the gallery."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from espalier.data import Feature, make_dataset, samples
from espalier.data.options import Moment
from espalier.data.samples.descriptions import PICTURES
from espalier.display.column_pictures import SMALL_HEIGHT, SMALL_POINTS, SMALL_WIDTH, thumbnail
from espalier.display.theme import class_colours
from espalier.findings.check import check_table
from espalier.findings.finding import KINDS, Finding
from espalier.findings.findings import advice, sentences
from espalier.language import ENGLISH, speak
from tests.findings.planted import noise, with_column
from tests.tools.cases import case

IRIS = samples.load("iris")
NAMES = "n n_wrong right training held n_parted n_held share low high n_values class n_folds value distance area"
FIGURES: dict[str, float] = dict.fromkeys(NAMES.split(), 1.0)


def test_every_kind_has_sentences_that_name_the_columns():
    for language in [ENGLISH, "de"]:
        for kind in KINDS:
            with case((language, kind)):
                speak(language)
                try:
                    words = advice(IRIS, Finding(kind, (1, 2), (0, 1), FIGURES), name=str.upper)
                finally:
                    speak(ENGLISH)
                assert all(text.endswith(".") and "{" not in text for text in words)
                if kind not in ("same-rows", "near-rows", "series", "rare-class"):
                    assert "SEPAL WIDTH" in words.seen


def test_leaks_rows_on_both_sides_columns_distributed_otherwise_and_dates_are_told_in_sentences():
    one = noise()
    data = with_column(one, one.y)
    assert sentences(data, check_table(data)) == [
        "“x4” has one value for each class of “illness”. That is the answer in other words, unknown of a new row. "
        "Leave it out, unless it is known before."
    ]
    parted = Finding("same-rows", (), (), FIGURES | {"n": 60, "n_parted": 12, "n_held": 99})
    assert advice(IRIS, parted).seen == (
        "60 rows are equal to another one, “species” included. 12 of the 99 rows held out stand in training, too."
    )
    whole = parted._replace(figures=FIGURES | {"n": 60, "n_parted": 0})
    assert advice(IRIS, whole).seen == "60 rows are equal to another one, “species” included."
    drifted = Finding("drift", (1,), (), {"distance": 0.4, "training": 1.0, "held": 1.0})
    assert advice(IRIS, drifted).seen == "“sepal width” is otherwise distributed in the rows held out."
    sent = Feature("sent", is_whole=True, moment=Moment("sent", "date"))
    data = make_dataset("Letters", np.arange(18628.0, 18632)[:, None], [sent], np.arange(4.0), Feature("y"))
    seen = advice(data, Finding("identifier", (0,), (), {"low": 18628, "high": 18631, "n": 4})).seen
    assert seen == "“sent” numbers the rows from 2021-01-01 to 2021-01-04."


PATH = "{http://www.w3.org/2000/svg}path"


def test_every_sample_has_a_small_picture_with_a_path_per_class_inside_of_it_and_higher_values_higher():
    for name in samples.names():
        dataset = samples.load(name)
        picture = thumbnail(dataset, *PICTURES[name])
        paths = ET.fromstring(picture).findall(PATH)
        colours = class_colours(max(len(dataset.classes), 1))
        pairs = zip(colours["light"], colours["dark"], paths, strict=True)
        assert all(f"light-dark({light}, {dark})" in path.get("style", "") for light, dark, path in pairs)
        assert all(path.get("d") for path in paths)
        assert len(picture) < 7_000
    X = np.array([[0.0, 0.0], [1.0, 10.0]])
    dataset = make_dataset(
        "t", X, [Feature("a"), Feature("b")], np.array([0, 1]), Feature("c", "category", ("u", "v"))
    )
    low, high = re.findall(r"M(\d+) (\d+)h0", thumbnail(dataset, "a", "b"))
    assert (int(low[0]) < int(high[0]), int(low[1]) > int(high[1])) == (True, True)
    assert all(0 <= int(x) <= SMALL_WIDTH and 0 <= int(y) <= SMALL_HEIGHT for x, y in (low, high))


def test_many_rows_are_thinned_out_and_an_unknown_column_is_refused():
    picture = thumbnail(samples.load("five-covariates"), "x1", "x2")
    assert picture.count("h0") == SMALL_POINTS
    with pytest.raises(ValueError, match="wings"):
        thumbnail(samples.load("iris"), "wings", "petal width")


def test_a_mosaic_shares_every_cell_among_the_classes():
    # By hand: one pair of categories with three rows of class u and one of class v.
    X = np.zeros((4, 2))
    features = [Feature("a", "category", ("only",)), Feature("b", "category", ("only",))]
    dataset = make_dataset("t", X, features, np.array([0, 0, 0, 1]), Feature("c", "category", ("u", "v")))
    widths = [float(w) for w in re.findall(r"h(\d[\d.]*)v", thumbnail(dataset, "a", "b"))]
    assert widths[0] == pytest.approx(3 * widths[1], abs=0.2)
