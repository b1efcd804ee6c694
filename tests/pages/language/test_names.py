"""Tables of ours have names in the language of the page; a person's own table keeps its name."""

import pickle

import pytest

from espalier.data import samples
from espalier.data.rows.filters import filter_of
from espalier.data.rows.subset import subset
from espalier.data.samples.painted import USUAL_NAME, painted
from espalier.data.samples.redrawn import Redrawing, redrawn
from espalier.language import ENGLISH, speak

MOONS = Redrawing("moons", rows=1000, noise=0.3, turn=45, seed=2)
POINTS = [(0.0, 0.0, 0), (10.0, 5.0, 1)]


@pytest.fixture
def german():
    speak("de")
    yield
    speak(ENGLISH)


def part():
    return subset(samples.load("iris"), filter_of("petal length~gt~2.5"))


def in_german(dataset):
    speak("de")
    try:
        return samples.title_of(dataset)
    finally:
        speak(ENGLISH)


@pytest.mark.parametrize(
    ("table", "english", "german"),
    [
        (
            redrawn(MOONS),
            "Two moons, 1,000 rows, noise 0.3, turned by 45°, draw 2",
            "Zwei Monde, 1\N{NARROW NO-BREAK SPACE}000 Zeilen, Rauschen 0,3, um 45° gedreht, Ziehung 2",
        ),
        (
            part(),
            "Iris flowers, petal length > 2.5 (100 of 150 rows)",
            "Irisblüten, petal length > 2.5 (100 von 150 Zeilen)",
        ),
        (painted(USUAL_NAME, POINTS).dataset, "Drawn points", "Gezeichnete Punkte"),
        (painted("Wine", POINTS).dataset, "Wine", "Wine"),
    ],
    ids=["drawn anew", "filtered", "drawn by hand", "a person's own"],
)
def test_the_name_of_a_table_is_in_the_language_of_the_page(table, english, german):
    assert (table.name, samples.title_of(table), in_german(table)) == (english, english, german)


def test_a_table_has_one_name_and_one_digest_whoever_makes_it_first(german):
    there = part()
    speak(ENGLISH)
    assert (there.name, there.digest) == (part().name, part().digest)


def test_a_name_keeps_its_translation_on_the_way_to_another_process():
    assert in_german(pickle.loads(pickle.dumps(samples.load("wine")))) == "Wein"
