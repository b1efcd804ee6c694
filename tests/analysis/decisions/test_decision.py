"""Decisions: the answer of least expected cost, shares corrected for another prevalence, and their laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.analysis.decisions.decision import Decision, check, corrected, costs, counted, decide
from espalier.ties import winners
from tests.tools.cases import case

RNG = np.random.default_rng(0)


def some_shares(n_classes, n=200):
    return RNG.dirichlet(np.ones(n_classes), n)


def test_the_answer_has_the_least_expected_cost():
    for n_classes in [2, 3, 5]:
        for times in [1.5, 4.0, 20.0]:
            with case((n_classes, times)):
                shares, decision = some_shares(n_classes), Decision(1, times)
                expected = shares @ costs(decision, n_classes)  # (n, n_classes): of each answer
                chosen = decide(shares, winners(shares), decision)
                assert np.allclose(expected[np.arange(200), chosen], expected.min(axis=1))


def test_of_two_classes_the_answer_begins_at_the_cut():
    shares = np.array([[0.8, 0.2], [0.81, 0.19]])
    assert decide(shares, np.array([0, 0]), Decision(1, times=4.0)).tolist() == [1, 0]
    assert decide(shares, np.array([0, 0]), Decision(1, threshold=0.19)).tolist() == [1, 1]


def test_where_every_error_is_alike_the_models_own_answers_stay():
    said = np.array([1, 0])  # a tie that the model broke by its prior
    assert decide(np.full((2, 2), 0.5), said, Decision(1)).tolist() == [1, 0]


@given(here=st.floats(0.05, 0.95), there=st.floats(0.05, 0.95))
def test_corrected_shares_are_those_of_bayes_rule(here, there):
    likelihood = np.array([[0.3, 0.6], [0.1, 0.02]])  # of what a row shows, by class

    def posterior(prior):
        joint = likelihood * np.array([1 - prior, prior])
        return joint / joint.sum(axis=1, keepdims=True)

    assert np.allclose(corrected(posterior(here), 1, here, there), posterior(there))


def test_rows_count_so_that_the_class_is_as_frequent_as_it_will_be():
    y = np.repeat([0, 1], [60, 40])
    weight = counted(y, np.ones(100), Decision(1, prevalence=0.01))
    assert weight[y == 1].sum() / weight.sum() == pytest.approx(0.01)
    assert weight.sum() == pytest.approx(100)


@pytest.mark.parametrize("wrong", [Decision(0, 0.0), Decision(0, threshold=1.0), Decision(0, prevalence=0.0)])
def test_numbers_that_no_decision_can_have_are_refused(wrong):
    with pytest.raises(ValueError, match=r"must lie between|above 0"):
        check(wrong)
