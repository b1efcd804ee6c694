"""Proofs, searches that have not ended and trees as good: in words, and as small drawings."""

import itertools
import re
import xml.etree.ElementTree as ET

import pytest

from espalier import optimal as words
from espalier.data import samples
from espalier.display.tree.small_tree import alt, tree_picture
from espalier.learners.optimal import OptimalClassifier, Proof
from espalier.learners.optimal.rashomon import SizeCount
from espalier.optimal import SearchGoal
from tests.tools.cases import case

DEPTH_3 = SearchGoal(3, None, True)
COST_3 = SearchGoal(3, None, False)


def proof(objective, bound=None, proved=None, n_questions=42):
    bound = objective if bound is None else bound
    proved = bound == objective if proved is None else proved
    return Proof(objective, bound, proved, n_questions, n_questions, 1000, 0.1, 2.0)


TREE = "tree of depth 3 built from these 42 cuts"
FEWER = "Whether one of fewer splits does as well is not proved."


def test_a_proof_names_costs_no_errors_every_threshold_limits_of_splits_and_columns_with_a_direction():
    assert (
        words.proof_words(proof(31.5), COST_3) == f"Proved: no {TREE} costs less than 31.5 on the training rows."
    )
    assert words.proof_words(proof(0.0), COST_3).endswith("costs nothing on the training rows.")
    said = words.proof_words(proof(0.0), DEPTH_3)
    assert said == f"Proved: the best {TREE} makes no error at all on the training rows."
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


def test_rows_where_trees_differ_are_counted_and_it_is_said_what_is_being_proved_and_what_trees_cost_at_most():
    assert words.differ_words(0, 150) == "Both agree on all 150 rows."
    assert words.differ_words(9, 150).startswith("They differ on 9 of 150 rows, ringed")
    assert words.aim_words(9.0, 0.4, True) == "; proving 9 at least: 40 %"
    assert words.aim_words(8.5, 0.0, True) == "; proving 9 at least: 0 %"
    assert words.aim_words(8.5, 0.0, False) == "; proving 8.5 at least: 0 %"
    assert words.aim_words(9.0, 1.0, True) == words.aim_words(0.0, 0.5, True) == ""
    assert words.near_words(3, 2, 62.5, False) == "3 trees that cost at most 64.5."
    assert words.near_words(1, 0, 17.0, False).endswith("this is the only one that costs 17.")


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


IRIS = samples.load("iris")
SHALLOW = OptimalClassifier(max_depth=2, max_thresholds=10).fit(IRIS.X, IRIS.y).tree_
PROOF = Proof(6.0, 6.0, True, 40, 38, 10, 0.1, 0.1)


def test_questions_have_the_range_of_their_thresholds_ways_their_conditions_and_trees_are_counted_in_words():
    ranges = [(0.7, 1.1), (1.75, 1.75)]
    first, second = words.questions_words(SHALLOW, IRIS.features, ranges)
    assert first.endswith("(from 0.7 to 1.1)")
    assert "from" not in second
    asked = SearchGoal(2, None, True)
    assert words.kind_of_tree(PROOF, asked) == "tree of depth 2 built from these 40 cuts"
    assert (
        words.kind_of_tree(PROOF._replace(every_threshold=True), asked) == "tree of depth 2 over every threshold"
    )
    assert [words.trees_words(n) for n in (1, 231542)] == ["1 tree", "231,542 trees"]
    assert words.way_words(SHALLOW, IRIS.features, 0, "root") == "root"
    assert IRIS.features[SHALLOW.feature[0]].name in words.way_words(
        SHALLOW, IRIS.features, int(SHALLOW.left[0]), "root"
    )


def test_leaves_that_are_not_decided_have_a_question_mark_and_the_smallest_trees_are_named():
    leaf = int(SHALLOW.left[0])
    both = (tree_picture(SHALLOW, IRIS.features, IRIS.target, some).draw(False) for some in ((), {leaf}))
    assert [svg.count(">?<") for svg in both] == [0, 1]
    assert "?" in alt(SHALLOW, IRIS.features, IRIS.target, {leaf})
    assert "?" not in alt(SHALLOW, IRIS.features, IRIS.target)
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
