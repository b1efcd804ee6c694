"""What is proved of the smallest change, and why nothing is where nothing is."""

import pytest

from espalier.analysis.reliability.changeable import changed_to
from espalier.analysis.reliability.counterfactuals import change_search, seek
from espalier.analysis.reliability.explanation import story
from espalier.analysis.reliability.reach import MOST_DECISIONS
from espalier.analysis.reliability.smallest_change import ChangeAim, other_class
from espalier.data import samples
from espalier.learners import CultivatedClassifier, GradientBoostingClassifier
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


@pytest.mark.parametrize("toward", [None, 0, 1])
def test_the_story_of_a_boosted_sum_has_its_proof(toward):
    data = samples.load("iris")
    model = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(data.X, data.y)
    found = story(model, data, data.X[70], aim=ChangeAim(toward))
    assert found.flip is not None
    assert found.flip.is_exact
    changed = changed_to(data.X[70], [(change.feature, change.after) for change in found.flip.changes])
    said = model.predict(changed[None])[0]
    assert said == toward if toward is not None else said != found.answer
