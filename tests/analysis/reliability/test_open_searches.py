"""Searches for the smallest change that prove nothing say why."""

from espalier.analysis.reliability.counterfactuals import change_search, seek
from espalier.analysis.reliability.reach import MOST_DECISIONS
from espalier.analysis.reliability.smallest_change import other_class
from espalier.data import samples
from espalier.learners import CultivatedClassifier
from espalier.predict import shares
from espalier.trees import make_forest


def test_soft_trees_that_vote_or_are_too_many_are_refused_by_the_reason():
    data = samples.load("iris")
    tree = CultivatedClassifier(max_depth=3).fit(data.X, data.y).tree_
    x, now = data.X[70], shares(tree, data.X[70:71])[0]
    found = change_search(data, tree, x, (lambda X: shares(tree, X), other_class(int(now.argmax()))))
    many = [tree] * (MOST_DECISIONS // len(tree.decisions.feature) + 1)
    voting, large = make_forest([tree], [1.0], "votes", []), make_forest(many, [1.0] * len(many), "mean", [])
    assert seek(found, voting, now, int(now.argmax())) == (None, False, 0, "votes")
    assert seek(found, large, now, int(now.argmax())) == (None, False, 0, "size")
