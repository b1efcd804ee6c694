"""Proofs, searches that have not ended and trees as good: in words, and as small drawings."""

import itertools
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from espalier import optimal as words
from espalier.data import samples
from espalier.display.tree.small_tree import alt, tree_picture
from espalier.learners.optimal import OptimalClassifier, Proof, trees_as_good
from espalier.learners.optimal.rashomon import SizeCount
from espalier.learners.optimal.rashomon.summaries import ThresholdRange
from espalier.optimal import Mark, Others, SearchGoal, mark_words, marks, multiple_picture
from espalier.tree.differences import TreeColumns
from espalier.tree.model_size import Mistakes
from espalier.tree.splits import Use
from espalier.trees import LEAF
from tests.tools.cases import case

DEPTH_3 = SearchGoal(3, None, True)
COST_3 = SearchGoal(3, None, False)


def proof(objective, bound=None, proved=None, n_questions=42):
    bound = objective if bound is None else bound
    proved = bound == objective if proved is None else proved
    return Proof(objective, bound, proved, n_questions, n_questions, 1000, 0.1, 2.0)


TREE = "tree of depth 3 built from these 42 cuts"
FEWER = "Whether one of fewer splits does as well is not proved."


@pytest.mark.parametrize(
    ("others", "said"),
    [
        (None, "."),
        (Others(0, True), "; no other makes as few."),
        (Others(0, False), "."),
        (Others(1, True), "; 1 other makes as few."),
        (Others(3, True), "; 3 others make as few."),
        (Others(199, False), "; at least 199 others make as few."),
    ],
)
def test_a_proof_says_that_none_is_better_and_how_many_are_as_good(others, said):
    least = "Proved: no tree of depth 3 built from these 42 cuts makes fewer than 12 errors on the training rows"
    assert words.proof_words(proof(12.0), DEPTH_3, others) == least + said


def test_a_proof_names_costs_no_errors_every_threshold_limits_of_splits_and_columns_with_a_direction():
    said = words.proof_words(proof(31.5), COST_3, Others(2, True))
    assert said == f"Proved: no {TREE} costs less than 31.5 on the training rows; 2 others cost as little."
    assert words.proof_words(proof(0.0), COST_3, Others(1, True)).endswith(
        "costs nothing on the training rows; 1 other costs nothing."
    )
    said = words.proof_words(proof(0.0), DEPTH_3, Others(2, True))
    assert said == f"Proved: the best {TREE} makes no error at all on the training rows; 2 others make none."
    said = words.proof_words(proof(12.0)._replace(every_threshold=True), DEPTH_3)
    assert (
        said == "Proved: no tree of depth 3 over every threshold makes fewer than 12 errors on the training rows."
    )
    said = words.proof_words(proof(1.0, n_questions=1), SearchGoal(2, 1, True))
    assert said == (
        "Proved: no tree of depth 2 with at most 1 split built from this cut makes fewer than 1 error on the "
        "training rows."
    )
    said = words.proof_words(proof(14.0), DEPTH_3._replace(directed=True))
    assert said.startswith(f"Proved: no monotone {TREE} makes fewer than 14 errors")


def test_an_open_search_says_what_is_known_by_whole_errors_and_one_that_runs_how_far_it_is():
    said = words.proof_words(proof(14.0, 9.0), DEPTH_3)
    assert said == (
        f"Best found: 14 errors. No {TREE} makes fewer than 9 errors on the training rows. Not proved."
    )
    assert "not known yet" in words.proof_words(proof(14.0, 0.0), DEPTH_3)
    assert "costs less than 9.5 on the training rows. Not proved" in words.proof_words(proof(14.0, 9.5), COST_3)
    said = words.proof_words(proof(14.0, 14.0, proved=False), DEPTH_3)
    assert said.endswith(f"makes fewer than 14 errors on the training rows. {FEWER}")
    said = words.proof_words(proof(0.0, 0.0, proved=False), DEPTH_3)
    assert said.endswith(f"makes no error at all on the training rows. {FEWER}")
    assert words.bound_of(8.2, counted=True) == 9
    assert words.bound_of(8.000_000_01, counted=True) == 8
    assert words.bound_of(8.2, counted=False) == 8.2
    assert words.search_words(14.0, 9.0, True) == "best found 14 errors, none has fewer than 9"
    reached = "best found 14 errors, and none does better; looking for one of fewer splits"
    assert words.search_words(14.0, 14.0, True) == reached
    assert words.search_words(1.0, 0.0, True) == "best found 1 error, no bound yet"
    assert words.search_words(14.5, 9.25, False) == "best found a cost of 14.5, none costs less than 9.25"


def test_errors_on_rows_are_told_with_their_cost_where_it_differs_and_rows_where_trees_differ_counted():
    assert words.mistakes_words(Mistakes(105, 12, 12.0), "training", True) == "12 errors on 105 training rows"
    assert words.mistakes_words(Mistakes(1, 0, 0.0), "held-out", True) == "no error on 1 held-out row"
    told = words.mistakes_words(Mistakes(105, 12, 60.5), "training", False)
    assert told == "12 errors, a cost of 60.5, on 105 training rows"
    assert words.differ_words(0, 150) == "Both agree on all 150 rows."
    assert words.differ_words(9, 150).startswith("They differ on 9 of 150 rows, ringed")


@pytest.mark.parametrize(
    ("greedy", "optimal", "counted", "said"),
    [
        (12, 12, True, "does as well"),
        (14, 12, True, "makes 2 errors more than"),
        (13, 12, True, "makes 1 error more than"),
        (13.5, 12, False, "costs 1.5 more than"),
        (11, 12, True, "does better here: it may ask about every threshold"),
    ],
)
def test_the_greedy_tree_is_told_from_the_optimal_one(greedy, optimal, counted, said):
    told = words.greedy_words(Mistakes(99, 0, greedy), Mistakes(99, 0, optimal), True, counted)
    assert said in told
    open_search = words.greedy_words(Mistakes(99, 0, greedy), Mistakes(99, 0, optimal), False, counted)
    assert "optimal one on these rows" not in open_search


@pytest.mark.parametrize(
    ("n", "slack", "said"),
    [
        (4, 0, "4 trees as good as the best."),
        (123456, 2, "123,456 trees with at most 14 errors."),
        (1, 0, "No other tree does as well: this is the only one with 12 errors."),
        (1, 1, "No other tree does nearly as well: this is the only one with at most 13 errors."),
    ],
)
def test_the_gallery_says_how_many_trees_there_are(n, slack, said):
    assert words.near_words(n, slack, 12.0, True) == said


NAMES = ["sepal length", "sepal width", "length", "width"]


@pytest.mark.parametrize(
    ("found", "n", "said"),
    [
        ([Use(3, 4), Use(0, 2)], 4, "All 4 trees ask about width; 2 of 4 ask about sepal length."),
        (
            [Use(2, 2), Use(3, 2), Use(0, 1)],
            2,
            "Both trees ask about length and width; 1 of 2 asks about sepal length.",
        ),
        (
            [Use(2, 3), Use(3, 2)],
            5,
            "No column is in all 5 trees; 3 of 5 ask about length; 2 of 5 ask about width.",
        ),
        ([Use(2, 1), Use(3, 1)], 1, "It asks about length and width."),
        ([], 1, "No question is asked."),
        ([], 3, "None of the 3 trees asks anything."),
    ],
)
def test_what_trees_share_is_said_by_how_many_ask_about_it(found, n, said):
    assert words.shared_words(found, n, NAMES) == said


def test_of_many_features_some_are_named_and_it_is_said_what_is_being_proved_and_what_trees_cost_at_most():
    said = words.shared_words([Use(f, 7) for f in range(9)], 7, [f"f{i}" for i in range(9)])
    assert said == "All 7 trees ask about f0, f1, f2 and 6 more."
    every = [Use(f, 9 - f) for f in range(9)]
    assert words.shared_words(every, 9, [f"f{i}" for i in range(9)]).count(" ask about ") == words.MOST_NAMED
    assert words.aim_words(9.0, 0.4, True) == "; proving 9 at least: 40 %"
    assert words.aim_words(8.5, 0.0, True) == "; proving 9 at least: 0 %"
    assert words.aim_words(8.5, 0.0, False) == "; proving 8.5 at least: 0 %"
    assert words.aim_words(9.0, 1.0, True) == words.aim_words(0.0, 0.5, True) == ""
    assert words.near_words(3, 2, 62.5, False) == "3 trees that cost at most 64.5."
    assert words.near_words(1, 0, 17.0, False).endswith("this is the only one that costs 17.")


IRIS = samples.load("iris")
SHALLOW = OptimalClassifier(max_depth=2, max_thresholds=10).fit(IRIS.X, IRIS.y).tree_
PROOF = Proof(6.0, 6.0, True, 40, 38, 10, 0.1, 0.1)


def test_questions_have_the_range_of_their_thresholds_ways_their_conditions_and_trees_are_counted_in_words():
    ranges = [ThresholdRange(0.7, 1.1), ThresholdRange(1.75, 1.75)]
    first, second = words.questions_words(SHALLOW, IRIS.features, ranges)
    assert first.endswith("(from 0.7 to 1.1)")
    assert "from" not in second
    asked = SearchGoal(2, None, True)
    assert (
        words.scope_words(PROOF, asked) == "Counted exactly; each is a tree of depth 2 built from these 40 cuts."
    )
    every = PROOF._replace(every_threshold=True)
    assert words.scope_words(every, asked) == "Counted exactly; each is a tree of depth 2 over every threshold."
    assert [words.trees_words(n) for n in (1, 231542)] == ["1 tree", "231,542 trees"]
    assert words.way_words(SHALLOW, IRIS.features, 0, "root") == "root"
    assert IRIS.features[SHALLOW.feature[0]].name in words.way_words(
        SHALLOW, IRIS.features, int(SHALLOW.left[0]), "root"
    )


def test_leaves_that_are_not_decided_have_a_question_mark():
    leaf = int(SHALLOW.left[0])
    both = (tree_picture(SHALLOW, IRIS.features, IRIS.target, some).draw(False) for some in ((), {leaf}))
    assert [svg.count(">?<") for svg in both] == [0, 1]
    assert "?" in alt(SHALLOW, IRIS.features, IRIS.target, {leaf})
    assert "?" not in alt(SHALLOW, IRIS.features, IRIS.target)


def test_the_smallest_trees_are_named_where_more_errors_save_splits():
    sizes = [SizeCount(3.0, 3, 5), SizeCount(4.0, 3, 9), SizeCount(4.0, 2, 1), SizeCount(6.0, 1, 2)]
    expected = "The smallest: 3 splits (3 errors), 2 splits (4 errors), 1 split (6 errors)."
    assert words.front_words(sizes, True) == expected
    assert "(a cost of 6)" in words.front_words(sizes, False)


TRACE = [(0.0, 40.0, 0.0), (0.5, 20.0, 0.0), (1.0, 14.0, 5.0), (3.0, 14.0, 9.0)]


def drawn(trace=TRACE, seconds=4.0, dark=False, counted=True):
    return ET.fromstring(words.trace_picture(trace, seconds, counted).draw(dark))


def texts(picture):
    return ["".join(t.itertext()).strip() for t in picture.iter() if t.tag.endswith("text")]


def lines(picture):
    """Corners of both lines, best first."""
    paths = [p for p in picture.iter() if p.tag.endswith("path") and p.get("stroke-width") == "2.2"]
    numbers = [re.findall(r"-?[\d.]+", p.get("d", "")) for p in paths]
    return [list(zip(map(float, found[::2]), map(float, found[1::2]), strict=True)) for found in numbers]


def test_the_best_only_falls_the_bound_only_rises_up_to_now_and_once_proved_they_meet_with_their_names():
    assert texts(drawn())[-2:] == ["● best 14", "● bound 9"]
    best, bound = lines(drawn())
    assert all(a[1] <= b[1] for a, b in itertools.pairwise(best))
    assert all(a[1] >= b[1] for a, b in itertools.pairwise(bound))
    assert best[-1][1] < bound[-1][1]  # pixels count from above
    best, _ = lines(drawn())
    assert all(a[0] == b[0] or a[1] == b[1] for a, b in itertools.pairwise(best))
    assert best[-1][0] == words.WIDTH - words.MARGINS[1]
    picture = drawn([*TRACE, (4.0, 12.0, 12.0)])
    best, bound = lines(picture)
    assert best[-1] == bound[-1]
    heights = [float(t.get("y", 0)) for t in picture.iter() if t.tag.endswith("text")][-2:]
    assert abs(heights[1] - heights[0]) >= words.LABEL_GAP


def test_any_trace_makes_a_small_picture():
    for trace in [[], [(0.0, 0.0, 0.0)], [(0.0, 7.0, 7.0)], [(0.0, 3.0, 0.0)] * 5000]:
        for dark in [True, False]:
            with case((trace, dark)):
                source = words.trace_picture(trace, 0.0).draw(dark)
                assert len(source) < 60_000
                assert "nan" not in source
                ET.fromstring(source)


def test_errors_are_counted_in_whole_numbers_costs_are_not_and_the_picture_has_words():
    few = [(0.0, 2.0, 0.0)]
    assert [t for t in texts(drawn(few)) if t.replace(".", "").isdigit()] == ["0", "1", "2"]
    assert "0.5" in texts(drawn(few, counted=False))
    assert words.trace_picture(TRACE, 3.0).alt == "From 40 to 14 errors in 3 s; the proved bound rose from 0 to 9."
    assert "no tree yet" in words.trace_picture([], 0.0).alt


TREE_NAMES = TreeColumns(IRIS.features, IRIS.target)


@pytest.fixture(scope="module")
def trees():
    model = OptimalClassifier(max_depth=2, max_thresholds=10).fit(IRIS.X, IRIS.y)
    return trees_as_good(model, model.prepare(IRIS.X, IRIS.y), slack=2)


def test_a_tree_has_no_mark_beside_itself_and_a_threshold_has_one_if_it_moves_rows(trees):
    best = trees.near(0).tree
    assert marks(best, best, IRIS.X, TREE_NAMES) == []
    assert mark_words([]) == ["as the tree shown"]
    assert multiple_picture(best, [], TREE_NAMES).alt.endswith("It differs from the tree shown in: nothing")
    split = int(np.flatnonzero(best.feature != LEAF)[0])
    near = best._replace(threshold=best.threshold + np.where(np.arange(best.n_nodes) == split, 1e-6, 0))
    assert marks(best, near, IRIS.X, TREE_NAMES) == []
    moved = best._replace(threshold=best.threshold + np.where(best.feature == best.feature[0], 0.5, 0))
    signs = [one.sign for one in marks(best, moved, IRIS.X, TREE_NAMES)]
    assert "Δ" in signs
    picture = multiple_picture(moved, marks(best, moved, IRIS.X, TREE_NAMES), TREE_NAMES)
    assert f">{signs[0]}<" in picture.draw(False)


def test_every_tree_as_good_has_a_sign_in_the_drawing_for_each_mark_that_has_a_place(trees):
    best = trees.near(0).tree
    for number in range(0, trees.n_trees, 7):
        tree = trees.near(number).tree
        found = marks(best, tree, IRIS.X, TREE_NAMES)
        picture = multiple_picture(tree, found, TREE_NAMES)
        drawn, words = picture.draw(True), picture.alt
        for sign in "Δ≠+−":
            assert drawn.count(f">{sign}<") == sum(one.sign == sign and one.node >= 0 for one in found)
        assert all(f"{one.sign} {one.words}" in words for one in found)
        assert all(0 <= one.node < tree.n_nodes for one in found)


def test_trees_without_a_mark_answer_alike(trees):
    best = trees.near(0).tree
    for number in range(trees.n_trees):
        tree = trees.near(number).tree
        if not marks(best, tree, IRIS.X, TREE_NAMES):
            assert tree.feature.tolist() == best.feature.tolist()
            assert tree.value.argmax(axis=1).tolist() == best.value.argmax(axis=1).tolist()


def test_of_many_marks_the_first_are_said_and_the_others_counted():
    many = [Mark(node, "≠", f"q{node}") for node in range(6)]
    assert mark_words(many) == ["≠ q0", "≠ q1", "≠ q2", "and 3 more"]
    assert mark_words(many[:4]) == ["≠ q0", "≠ q1", "≠ q2", "≠ q3"]
