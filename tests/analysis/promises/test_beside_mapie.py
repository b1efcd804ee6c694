"""The same limits, sets and intervals as MAPIE, where it is installed."""

import importlib

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from espalier.analysis.promises.conformal import error_scores, intervals, limit
from espalier.data import samples

pytest.importorskip("mapie", minversion="1.0", reason="mapie is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # its own, on levels and small samples
LEVELS = (0.8, 0.9, 0.95)


def thirds(data, seed):
    return np.array_split(np.random.default_rng(seed).permutation(len(data.y)), 3)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", ["iris", "wine", "breast-cancer", "moons", "questionnaire"])
def test_sets_of_the_share_of_the_truth_are_mapies(name, level):
    data = samples.load(name)
    learn, judge, new = thirds(data, 0)
    forest = RandomForestClassifier(20, random_state=0).fit(data.X[learn], data.y[learn])
    made = importlib.import_module("mapie.classification").SplitConformalClassifier(
        forest, confidence_level=level, conformity_score="lac", prefit=True
    )
    _, sets = made.conformalize(data.X[judge], data.y[judge]).predict_set(data.X[new])
    most = limit(1 - forest.predict_proba(data.X[judge])[np.arange(len(judge)), data.y[judge]], level)
    np.testing.assert_array_equal(1 - forest.predict_proba(data.X[new]) <= most + 1e-12, sets[:, :, 0])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", ["diabetes", "sine"])
def test_intervals_of_the_error_are_mapies(name, level):
    data = samples.load(name)
    learn, judge, new = thirds(data, 1)
    forest = RandomForestRegressor(20, random_state=0).fit(data.X[learn], data.y[learn])
    made = importlib.import_module("mapie.regression").SplitConformalRegressor(
        forest, confidence_level=level, prefit=True
    )
    _, theirs = made.conformalize(data.X[judge], data.y[judge]).predict_interval(data.X[new])
    most = limit(error_scores(forest.predict(data.X[judge]), data.y[judge]), level)
    np.testing.assert_allclose(intervals(forest.predict(data.X[new]), most), theirs[:, :, 0], rtol=1e-12)
