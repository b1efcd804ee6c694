"""Exhaustive search beside every learner that proves or counts: few tables, and faults that it must see."""

import numpy as np
import pytest

from benchmarks.brute_force import compare as compare_module
from benchmarks.brute_force.__main__ import retry, try_tables
from benchmarks.brute_force.cases import draw
from benchmarks.brute_force.compare import Comparison, compare
from benchmarks.brute_force.cover import TRIED, Cover
from benchmarks.brute_force.options import BOTH, CLASSES, NUMBERS, OPTIONS, go_together
from benchmarks.brute_force.problem import least_costs, problem_of
from benchmarks.brute_force.report import report
from espalier.data.binarise import answers
from espalier.learners import OptimalClassifier, OptimalRegressor
from espalier.learners.optimal.near_optimal import OptimalTrees
from espalier.learners.optimal.rashomon.graph import TreesAsGood
from tests.tools.naive import optimal as naive
from tests.tools.naive.as_good import table_of, trees_within
from tests.tools.naive.optimal_regression import NumberCase, Size, least_loss

TABLES = 100


def compared(learner, options, seed) -> tuple[Comparison, np.ndarray]:
    """A comparison, and what the rows answer to each question."""
    case = draw(learner, frozenset({"depth 2", "every threshold", "few levels", "missing values", *options}), seed)
    model = case.model()
    training = model.prepare(case.table(), case.y, case.weight)
    model.grow(training)
    return Comparison(case, problem_of(case, training), model), answers(model.questions_, training.X)


CLASS_OPTIONS = ("three classes", "whole weights", "costs", "one category", "list of functions")
CLASS_OPTIONS += ("least weight of leaves",)


def naive_case(comparison) -> naive.Case:
    problem, cost = comparison.problem, np.array(comparison.case.parameters["misclassification_cost"])
    return naive.Case(problem.X, problem.y, problem.weight, cost)


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(8))
def test_its_best_trees_of_each_number_of_splits_are_those_of_the_naive_version(seed):
    comparison, given = compared(CLASSES, CLASS_OPTIONS, seed)
    share = comparison.problem.share
    parts = [naive.problem(given, naive_case(comparison), 2, splits, None, share) for splits in range(4)]
    costs = least_costs(comparison.case, comparison.problem, comparison.table)
    assert costs.tolist() == [pytest.approx(naive.least(part).objective) for part in parts]


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", range(8))
def test_its_best_trees_of_numbers_are_those_of_the_naive_version(seed):
    comparison, given = compared(NUMBERS, ("whole weights", "least rows of leaves", "one category"), seed)
    problem, size = comparison.problem, Size(2, 3, int(comparison.problem.least_rows))
    costs = least_costs(comparison.case, problem, comparison.table)
    case = NumberCase(problem.X, problem.y, problem.weight)
    assert costs[-1] == pytest.approx(least_loss(case, given.T, np.ones(len(given), bool), size), abs=1e-9)


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(4))
def test_its_functions_and_trees_within_a_slack_are_those_of_the_naive_versions(seed):
    comparison, given = compared(CLASSES, CLASS_OPTIONS, seed)
    share, most = comparison.problem.share, comparison.model.proof_.objective + 1 + 1e-9
    everywhere = answers(comparison.model.questions_, naive.grid_of(comparison.model.questions_))
    part = naive.problem(given, naive_case(comparison), 2, None, everywhere, share)
    found = comparison.functions(comparison.table, most)
    pairs = sorted((one.objective, one.n_splits) for one in naive.near(part, 1).values())
    assert sorted(zip(found.cost.tolist(), found.splits.tolist(), strict=True)) == pairs
    table = table_of(comparison.model.questions_, naive_case(comparison), share)
    trees = [(tree.objective, tree.n_splits) for tree in trees_within(table, 1, 2)]
    counted = comparison.trees(0.0, most)
    assert sorted(zip(counted.cost.tolist(), counted.splits.tolist(), strict=True)) == sorted(trees)


@pytest.mark.parametrize("learner", BOTH)
def test_no_learner_says_of_a_small_table_what_is_not_so(learner):
    cover = Cover(learner)
    try_tables(cover, np.inf, TABLES)
    assert cover.total[:4].sum() == TABLES
    assert not cover.wrong, report(cover)
    assert cover.total[0] > TABLES / 2
    assert "0 wrong" in report(cover)


def outcomes(learner, options, n=40) -> list[str]:
    return [compare(draw(learner, frozenset(options), seed)).outcome for seed in range(n)]


def test_a_tree_that_is_not_the_best_is_seen(monkeypatch):
    options = "depth 2", "two classes", "every threshold"
    assert "wrong" not in outcomes(CLASSES, options)
    monkeypatch.setattr(OptimalClassifier, "split_limit", 2)
    assert "wrong" in outcomes(CLASSES, options)


@pytest.mark.parametrize("change", [1.0, -1.0])
def test_an_objective_that_no_tree_has_is_seen(monkeypatch, change):
    run = OptimalRegressor._run

    def run_wrong(self, *args):
        run(self, *args)
        self.proof_ = self.proof_._replace(objective=self.proof_.objective + change)
        return self

    monkeypatch.setattr(OptimalRegressor, "_run", run_wrong)
    assert "right" not in outcomes(NUMBERS, ("depth 2", "every threshold"))


def test_a_leaf_that_is_too_small_is_seen(monkeypatch):
    monkeypatch.setattr("espalier.learners.optimal.regression.count_of", lambda least, n: int(least) - 1)
    assert "wrong" in outcomes(NUMBERS, ("depth 2", "every threshold", "least rows of leaves"))


@pytest.mark.parametrize(("kind", "name", "options", "less"), [
    (OptimalTrees, "__iter__", ("two classes", "list of functions"),
     lambda all_of: lambda self: iter(list(all_of(self))[:-1])),
    (TreesAsGood, "sizes", ("three classes", "count of trees"),
     lambda all_of: property(lambda self: all_of.__get__(self)[1:])),
])  # fmt: skip
def test_a_tree_that_is_not_listed_or_counted_is_seen(monkeypatch, kind, name, options, less):
    options = "depth 2", "every threshold", "few levels", *options
    assert "wrong" not in outcomes(CLASSES, options)
    monkeypatch.setattr(kind, name, less(getattr(kind, name)))
    assert set(outcomes(CLASSES, options)) == {"wrong"}


@pytest.mark.parametrize("name", ["trees_without", "open_classes"])
def test_what_trees_as_good_are_said_to_do_without_and_to_answer_is_looked_at(monkeypatch, name):
    options = "depth 2", "two classes", "every threshold", "few levels", "count of trees"
    right = getattr(compare_module, name)
    wrong = {
        "trees_without": lambda trees, n: [1 + count for count in right(trees, n)],
        "open_classes": lambda trees: right(trees)._replace(objective=right(trees).objective + 1),
    }
    monkeypatch.setattr(compare_module, name, wrong[name])
    assert set(outcomes(CLASSES, options, 10)) == {"wrong"}


def test_what_is_refused_names_both_options_and_is_drawn_no_more():
    cover, options = Cover(CLASSES), ("depth 2", "three classes", "every threshold", "directions")
    for seed in range(TRIED):
        verdict = compare(draw(CLASSES, frozenset(options), seed))
        assert verdict.outcome == "refused"
        cover.add(seed, frozenset(options), *verdict)
    assert list(cover.reasons) == ["directions + three classes"]
    rng = np.random.default_rng(0)
    assert not any({"directions", "three classes"} <= cover.draw(rng) for _ in range(300))


def test_three_options_that_are_never_compared_together_are_drawn_for_no_more():
    cover, options = Cover(CLASSES), frozenset({"depth 1", "costs", "few splits"})
    at = tuple(sorted(cover.number[name] for name in options))
    assert cover.lacking_triples()[at] == 1
    for seed in range(4 * TRIED):
        cover.add(seed, options, "unreached")
    assert cover.lacking_triples()[at] == 0
    assert "never compared: depth 1 + costs + few splits" in report(cover)


def test_options_that_lack_tables_come_first_and_go_together():
    cover, rng = Cover(NUMBERS), np.random.default_rng(0)
    for seed in range(300):
        options = cover.draw(rng)
        assert go_together(options)
        assert {OPTIONS[name].group for name in options} >= {"depth", "thresholds"}
        cover.add(seed, options, "right")
    met = cover.compared(cover.pairs)[cover.may_be_pair]
    assert met.min() > 0


def test_counts_go_on_from_a_file_and_a_wrong_table_is_told_as_code(tmp_path):
    path = tmp_path / "counts.npz"
    cover = Cover(NUMBERS, path)
    cover.add(0, frozenset({"depth 1", "every threshold"}), "wrong", "proved 1, the best of all trees has 0")
    cover.seed = 7
    cover.save()
    again = Cover(NUMBERS, path)
    assert (again.seed, again.total.tolist(), again.wrong) == (7, [0, 1, 0, 0, 0], cover.wrong)
    assert (again.triples == cover.triples).all()
    assert "model = OptimalRegressor(" in report(again)
    retry(again)
    assert (again.total.tolist(), again.wrong) == ([1, 0, 0, 0, 0], [])
