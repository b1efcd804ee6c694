"""The questions of a card, of which trees they were counted, and the picture of an unfinished tree."""

from espalier.data import samples
from espalier.learners.optimal import OptimalClassifier, Proof
from espalier.learners.optimal.as_good import SizeCount
from espalier.learners.optimal.as_good.cards import ThresholdRange
from espalier.views.optimal.as_good import front_words, questions_words, scope_words, trees_words, way_words
from espalier.views.optimal.words import SearchGoal
from espalier.views.tree.small_tree import alt, small_tree

IRIS = samples.load("iris")
TREE = OptimalClassifier(max_depth=2, max_thresholds=10).fit(IRIS.X, IRIS.y).tree_
PROOF = Proof(6.0, 6.0, True, 40, 38, 10, 0.1, 0.1)


def test_a_question_has_the_range_of_its_thresholds_where_there_are_several():
    ranges = [ThresholdRange(0.7, 1.1), ThresholdRange(1.75, 1.75)]
    first, second = questions_words(TREE, IRIS.features, ranges)
    assert first.endswith("(from 0.7 to 1.1)")
    assert "from" not in second


def test_trees_are_said_to_be_counted_over_some_cuts_or_over_every_threshold():
    asked = SearchGoal(2, None, True)
    assert scope_words(PROOF, asked) == "Counted exactly; each is a tree of depth 2 built from these 40 cuts."
    every = PROOF._replace(every_threshold=True)
    assert scope_words(every, asked) == "Counted exactly; each is a tree of depth 2 over every threshold."


def test_trees_are_counted_in_words():
    assert [trees_words(n) for n in (1, 231542)] == ["1 tree", "231,542 trees"]


def test_the_way_to_a_node_is_its_conditions_and_that_to_the_root_its_name():
    assert way_words(TREE, IRIS.features, 0, "root") == "root"
    assert IRIS.features[TREE.feature[0]].name in way_words(TREE, IRIS.features, int(TREE.left[0]), "root")


def test_leaves_that_are_not_decided_have_a_question_mark():
    leaf = int(TREE.left[0])
    plain, unfinished = (small_tree(TREE, IRIS.features, IRIS.target, False, some) for some in ((), {leaf}))
    assert plain.count(">?<") == 0 < unfinished.count(">?<") == 1
    assert "?" in alt(TREE, IRIS.features, IRIS.target, {leaf})
    assert "?" not in alt(TREE, IRIS.features, IRIS.target)


def test_the_smallest_trees_are_named_where_more_errors_save_splits():
    sizes = [SizeCount(3.0, 3, 5), SizeCount(4.0, 3, 9), SizeCount(4.0, 2, 1), SizeCount(6.0, 1, 2)]
    expected = "The smallest: 3 splits (3 errors), 2 splits (4 errors), 1 split (6 errors)."
    assert front_words(sizes, True) == expected
    assert "(a cost of 6)" in front_words(sizes, False)
