"""A search for settings in words and as a picture, of trials written by hand."""

import xml.etree.ElementTree as ET

import pytest

from espalier.data import samples
from espalier.language import speaking
from espalier.learners.catalogue import Model
from espalier.tuning import picture
from espalier.tuning.search import ALL_ROWS, BEST, Ledger, Trial, TuningPlan, TuningRun, so_far

IRIS = samples.load("iris")
NOW = Model("cart", (("depth", 3),))
SMALL, LARGE = (NOW.with_settings(depth=depth, leaf=1, alpha=0.0) for depth in (2, 6))


def found(outer=(0.9, 0.86), n_outer=2):
    """Two settings and those of now on all data, one more on a third of it, and what outer folds gave."""
    ledger = Ledger()
    ledger.n_outer, ledger.n_settings = n_outer, 270
    trials = [
        Trial(NOW, 1, (0.9, 0.9), 5.0),
        Trial(SMALL, 1, (0.9, 0.96), 3.0, 1),
        Trial(LARGE, 1, (0.92, 0.98), 9.0, 2),
        Trial(NOW.with_settings(depth=1), 3, (0.6, 0.7), 2.0, 3),
    ]
    for trial in trials:
        ledger.inner[ALL_ROWS, trial.model, trial.divisor] = trial
    for part, score in enumerate(outer):
        ledger.inner[part, LARGE, 1] = Trial(LARGE, 1, (0.95, 0.97), 9.0, 2)
        ledger.outer[part, LARGE] = Trial(LARGE, 1, (score,), 9.0)
        ledger.judged[part, BEST] = LARGE
    tuning = so_far(TuningRun(NOW, IRIS, TuningPlan()), ledger)
    assert tuning is not None
    return tuning


def test_words_say_what_was_tried_and_the_settings():
    assert picture.tried_words(found()) == (
        "3 of 270 combinations of settings were tried in 2 folds, 2 of them on all rows (*successive halving*)."
    )
    assert picture.settings_words(found(), SMALL) == "Depth, at most: 2; Rows in a leaf, at least: 1; Pruning α: 0"


def test_the_picture_has_a_strip_for_the_best_trial_of_each_size():
    tuning = found()
    assert [trial.model for trial in picture.best_by_size(tuning)] == [SMALL, NOW, LARGE]
    chart = picture.card(tuning, "key")
    assert [bar["id"] for bar in chart["bars"]] == ["0", "1", "2"]
    said = [bar["say"].split(" (")[0] for bar in chart["bars"]]
    assert said == ["3 leaves, 93 %", "5 leaves, 90 %", "9 leaves, 95 %"]
    places = [bar["x"] for bar in chart["bars"]]
    assert places == sorted(places)
    poor = Trial(NOW.with_settings(depth=9), 1, (0.5, 0.5), 30.0)
    tuning = tuning._replace(inner=tuning.inner | {(ALL_ROWS, poor.model, 1): poor})
    assert picture._frame(tuning, False).up[0] < 0.5  # the axis holds the worst of all data


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_has_a_dot_for_every_trial_and_a_ring_for_every_choice(dark):
    root = ET.fromstring(picture.trials_picture(found()).draw(dark))
    radii = [float(one.get("r", 0)) for one in root.iter() if one.tag.endswith("circle")]
    assert len(radii) == 4 + 3
    assert radii.count(6) == 3


def test_one_ring_has_the_names_of_all_rules_that_choose_it():
    tuning = found()
    alone = tuning._replace(now=LARGE, inner={(ALL_ROWS, LARGE, 1): tuning.best()})
    assert picture.trials_picture(alone).alt.startswith("Now, simplest, best: 9 leaves, 95 %")
    assert picture.trials_picture(alone).draw(False).count(">now, simplest, best<") == 1


def test_the_words_of_the_picture_are_german_on_a_german_page():
    with speaking("de"):
        texts = " ".join(ET.fromstring(picture.trials_picture(found()).draw(False)).itertext())
        assert "in der Suche" in texts
        assert "Blätter" in texts
