"""How many rows a leaf has learned from, in the words of a story."""

from espalier.analysis.reliability.explanation import story
from espalier.data import samples
from espalier.learners import CartClassifier
from espalier.views.reliability import explanation_words

IRIS = samples.load("iris")


def test_rows_that_count_more_for_their_class_are_no_more_rows():
    costly = CartClassifier(max_depth=2, class_weight={0: 1.0, 1: 1.0, 2: 5.0}).fit(IRIS.X, IRIS.y)
    leaf = int(costly.apply(IRIS.X[-1:])[0])
    (why,) = explanation_words.why(story(costly, IRIS, IRIS.X[-1]), IRIS)
    assert costly.tree_.weight[leaf] > costly.tree_.n_samples[leaf]
    assert f"It learned from {costly.tree_.n_samples[leaf]} rows like this one" in why
