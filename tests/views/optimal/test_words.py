"""What is said of a proof, of a search that has not ended, and of trees that are as good."""

import pytest

from espalier.analysis.tree.costs import Mistakes
from espalier.analysis.tree.feature_use import Use
from espalier.learners.optimal import Proof
from espalier.views.optimal import words
from espalier.views.optimal.words import Others, SearchGoal

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


def test_a_proof_of_costs_speaks_of_cost():
    said = words.proof_words(proof(31.5), COST_3, Others(2, True))
    assert said == f"Proved: no {TREE} costs less than 31.5 on the training rows; 2 others cost as little."
    assert words.proof_words(proof(0.0), COST_3, Others(1, True)).endswith(
        "costs nothing on the training rows; 1 other costs nothing."
    )


def test_a_tree_without_errors_needs_no_comparison():
    said = words.proof_words(proof(0.0), DEPTH_3, Others(2, True))
    assert said == f"Proved: the best {TREE} makes no error at all on the training rows; 2 others make none."


def test_a_proof_over_every_threshold_says_so():
    said = words.proof_words(proof(12.0)._replace(every_threshold=True), DEPTH_3)
    assert (
        said == "Proved: no tree of depth 3 over every threshold makes fewer than 12 errors on the training rows."
    )


def test_a_limit_of_splits_and_a_lone_question_are_named():
    said = words.proof_words(proof(1.0, n_questions=1), SearchGoal(2, 1, True))
    assert said == (
        "Proved: no tree of depth 2 with at most 1 split built from this cut makes fewer than 1 error on the "
        "training rows."
    )


def test_a_promise_that_columns_are_monotone_is_named():
    said = words.proof_words(proof(14.0), DEPTH_3._replace(directed=True))
    assert said.startswith(f"Proved: no monotone {TREE} makes fewer than 14 errors")


def test_an_open_search_says_what_is_known_and_that_it_is_not_proved():
    said = words.proof_words(proof(14.0, 9.0), DEPTH_3)
    assert said == (
        f"Best found: 14 errors. No {TREE} makes fewer than 9 errors on the training rows. Not proved."
    )
    assert "not known yet" in words.proof_words(proof(14.0, 0.0), DEPTH_3)
    assert "costs less than 9.5 on the training rows. Not proved" in words.proof_words(proof(14.0, 9.5), COST_3)


def test_an_open_search_whose_bound_is_reached_asks_only_for_fewer_splits():
    said = words.proof_words(proof(14.0, 14.0, proved=False), DEPTH_3)
    assert said.endswith(f"makes fewer than 14 errors on the training rows. {FEWER}")
    said = words.proof_words(proof(0.0, 0.0, proved=False), DEPTH_3)
    assert said.endswith(f"makes no error at all on the training rows. {FEWER}")


def test_errors_are_whole_so_a_bound_between_two_numbers_is_the_next():
    assert words.bound_of(8.2, counted=True) == 9
    assert words.bound_of(8.000_000_01, counted=True) == 8
    assert words.bound_of(8.2, counted=False) == 8.2


def test_a_search_that_runs_says_how_far_it_is():
    assert words.search_words(14.0, 9.0, True) == "best found 14 errors, none has fewer than 9"
    reached = "best found 14 errors, and none does better; looking for one of fewer splits"
    assert words.search_words(14.0, 14.0, True) == reached
    assert words.search_words(1.0, 0.0, True) == "best found 1 error, no bound yet"
    assert words.search_words(14.5, 9.25, False) == "best found a cost of 14.5, none costs less than 9.25"


def test_errors_on_rows_are_told_with_their_cost_where_it_differs():
    assert words.mistakes_words(Mistakes(105, 12, 12.0), "training", True) == "12 errors on 105 training rows"
    assert words.mistakes_words(Mistakes(1, 0, 0.0), "held-out", True) == "no error on 1 held-out row"
    told = words.mistakes_words(Mistakes(105, 12, 60.5), "training", False)
    assert told == "12 errors, a cost of 60.5, on 105 training rows"


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


def test_rows_on_which_two_trees_differ_are_counted():
    assert words.differ_words(0, 150) == "Both agree on all 150 rows."
    assert words.differ_words(9, 150).startswith("They differ on 9 of 150 rows, ringed")


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


def test_of_many_features_only_some_are_named():
    said = words.shared_words([Use(f, 7) for f in range(9)], 7, [f"f{i}" for i in range(9)])
    assert said == "All 7 trees ask about f0, f1, f2 and 6 more."
    every = [Use(f, 9 - f) for f in range(9)]
    assert words.shared_words(every, 9, [f"f{i}" for i in range(9)]).count(" ask about ") == words.MOST_NAMED


def test_what_is_being_proved_is_said_until_it_is():
    assert words.aim_words(9.0, 0.4, True) == "; proving 9 at least: 40 %"
    assert words.aim_words(8.5, 0.0, True) == "; proving 9 at least: 0 %"
    assert words.aim_words(8.5, 0.0, False) == "; proving 8.5 at least: 0 %"
    assert words.aim_words(9.0, 1.0, True) == words.aim_words(0.0, 0.5, True) == ""


def test_trees_that_cost_nearly_as_little_are_said_to_cost_so_much_at_most():
    assert words.near_words(3, 2, 62.5, False) == "3 trees that cost at most 64.5."
    assert words.near_words(1, 0, 17.0, False).endswith("this is the only one that costs 17.")
