"""What the page Approximate puts into its tables fits them in each language."""

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from espalier.approximation.words import SplitFacts, SplitTerms, runners_table, splits_table
from espalier.data import samples
from espalier.language import ENGLISH, LANGUAGES, say, speak
from espalier.learners import ApproximationClassifier, CartClassifier
from espalier.ties import NO_PRIOR
from pages.shared.approximation import fidelity_tab
from pages.shared.approximation.fits import Approximated
from pages.shared.approximation.results import AnsweredRows


@pytest.fixture(scope="module")
def facts():
    data = samples.load("iris")
    model = CartClassifier().fit(data.X, data.y)
    one = ApproximationClassifier(model, max_depth=2, max_samples=500, random_state=0).fit(data.X, data.y)
    missing = np.zeros(len(data.features), dtype=bool)
    return SplitFacts(one.tree_, one.considered_, data.features, missing, SplitTerms(one.alpha, False, "best"))


@pytest.fixture
def speaking(request):
    speak(request.param)
    yield
    speak(ENGLISH)


@pytest.mark.parametrize("speaking", LANGUAGES, indirect=True)
def test_a_column_that_is_formatted_is_in_its_table(facts, speaking):
    assert {say("gain"), say("chance"), say("asks")} <= set(runners_table(facts, 0))
    assert {say(name) for name in ("node", "made-up cases", "sum of p", "ahead by")} <= set(splits_table(facts))


@pytest.mark.parametrize("speaking", LANGUAGES, indirect=True)
def test_rows_on_which_both_differ_have_their_gap_as_a_number(speaking):
    data = samples.load("iris")
    shares = np.array([[0.9995, 0.0005, 0.0]]), np.array([[1.0, 0.0, 0.0]])
    one = SimpleNamespace(dataset=data, prior=NO_PRIOR)
    table = fidelity_tab.answers(cast(Approximated, one), AnsweredRows(data.X[:1], *shares))
    assert table[say("gap")].tolist() == [0.0005]
