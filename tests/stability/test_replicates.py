"""Replicates: against fits on the sample written out, from seed and number alone, and counts over many of them."""

import sqlite3
from collections import Counter
from contextlib import closing
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone as clone_any

from espalier import replicate as command
from espalier.analysis import StructureRule, tally_structures
from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.executors import executor
from espalier.learners import (
    ApproximationClassifier,
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    CultivatedRegressor,
    OptimalClassifier,
    OptimalRegressor,
    RandomForestClassifier,
)
from espalier.progress import Progress
from espalier.stability import replicates, resampling
from espalier.stability.replicates import (
    PARTS,
    GrowthWatch,
    Plan,
    Tally,
    TallyFile,
    empty_tally,
    join_replicates,
    replicate,
    so_far,
    structure_digest,
)
from espalier.stability.resampling import KINDS, Redraw, redrawn
from espalier.stability.structures import splits_of, structures
from tests.tools.cases import case
from tests.tools.same_trees import are_same

clone: Any = clone_any  # whose result has no type of its own
NO, YES = Feature("y"), Feature("y", "category", ("no", "yes"))


def table(n=120, target=YES, missing=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    X[:, 2] = rng.integers(0, 6, n)
    X[:, 3] = rng.integers(0, 4, n)
    y = X[:, 0] + 0.5 * X[:, 1] + (X[:, 3] == 2) + rng.normal(scale=0.7, size=n)
    if missing:
        X[rng.random((n, 4)) < 0.1] = np.nan
    features = [*map(Feature, "abc"), Feature("d", "category", tuple("wxyz"))]
    return make_dataset("t", X, features, y > 0 if target is YES else y, target)


def numbers_only(data):
    """The table without its category: coded tables serve it."""
    return make_dataset("t", data.X[:, :3], data.features[:3], data.y, data.target)


def same(one, other):
    assert len(one) == len(other)
    assert all(are_same(a, b) for a, b in zip(one, other, strict=True))


ROWS = [
    Redraw("bootstrap"),
    Redraw("subsample", 0.7),
    Redraw("folds", 5),
    Redraw("leave_out", 9),
    Redraw("noise", 0.1),
]


def grows_as_written_out(learner, data, redraw, n=6, seed=0):
    """Every replicate is the tree of the sample of its redraw, written out."""
    found = replicate(learner, data, Plan(redraw, n, seed=seed))
    for number, tree in zip(found.numbers, found.trees, strict=True):
        drawn = redrawn(redraw, data, seed, number)
        same([tree], [clone(learner).fit(drawn.X[drawn.rows], data.y[drawn.rows]).tree_])


@pytest.mark.parametrize("redraw", ROWS, ids=lambda redraw: redraw.kind)
@pytest.mark.parametrize(
    "data", [table(), table(missing=True), numbers_only(table())], ids=["", "missing", "coded"]
)
def test_cart_grows_as_on_the_sample_written_out(redraw, data):
    learner = CartClassifier(max_depth=5, min_samples_leaf=2, categorical_features=data.categorical)
    grows_as_written_out(learner, data, redraw, 12, seed=4)


OTHERS: list[dict[str, Any]] = [
    {"criterion": "entropy"}, {"ccp_alpha": 0.01}, {"max_leaf_nodes": 6}, {"class_weight": {0: 1.0, 1: 3.0}},
    {"min_samples_leaf": 0.1}, {"missing": "category"}, {"missing": "impute"}, {"missing": "surrogate"},
]  # fmt: skip


@pytest.mark.parametrize("changed", OTHERS, ids=str)
@pytest.mark.parametrize("redraw", [Redraw("bootstrap"), Redraw("subsample", 0.5)], ids=lambda redraw: redraw.kind)
def test_so_it_does_with_other_parameters_and_in_every_way_of_missing_values(changed, redraw):
    data = table(missing=True) if "missing" in changed else numbers_only(table())
    learner = CartClassifier(**{"max_depth": 5, "categorical_features": data.categorical, **changed})
    grows_as_written_out(learner, data, redraw)


@pytest.mark.parametrize(
    "make", [CartRegressor, CultivatedRegressor, CultivatedClassifier, OptimalClassifier, OptimalRegressor]
)
def test_others_ask_what_they_ask_on_the_sample_written_out(make):
    data = numbers_only(table(target=NO if "Regressor" in make.__name__ else YES))
    by_chance = {"random_state": 0} if "random_state" in make().get_params() else {}
    learner = make(max_depth=2, **by_chance)
    found = replicate(learner, data, Plan(Redraw("bootstrap"), 6))
    for number, tree in zip(found.numbers, found.trees, strict=True):
        rows = redrawn(Redraw(), data, 0, number).rows
        expected = clone(learner).fit(data.X[rows], data.y[rows]).tree_
        np.testing.assert_array_equal(tree.feature, expected.feature)
        pools: Any = (getattr(tree, "decisions", tree), getattr(expected, "decisions", expected))
        np.testing.assert_allclose(pools[0].threshold, pools[1].threshold)
        np.testing.assert_allclose(tree.weight, expected.weight)
        np.testing.assert_allclose(tree.value, expected.value, atol=1e-9)


def approximation(**changed):
    model = RandomForestClassifier(n_estimators=5, max_depth=3, random_state=0)
    settings = {"max_depth": 2, "max_samples": 300, "initial_samples": 100, "random_state": 0}
    return ApproximationClassifier(model, **{**settings, **changed})


LEARNERS = [
    CartClassifier(max_depth=4),
    CartClassifier(max_depth=4, max_features=2),
    CultivatedClassifier(max_depth=3),
    OptimalClassifier(max_depth=2, max_thresholds=3),
    approximation(),
]


@pytest.mark.parametrize("kind", ["bootstrap", "noise", "seeds"])
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_results_are_the_same_for_any_number_of_threads(learner, kind):
    redraw, data = Redraw(kind, 0.05), numbers_only(table())
    if isinstance(learner, ApproximationClassifier):
        learner = clone(learner).fit(data.X, data.y)
    alone, many = (replicate(learner, data, Plan(redraw, 7, seed=1), GrowthWatch(n)) for n in (1, 3))
    np.testing.assert_array_equal(alone.numbers, range(7))
    np.testing.assert_array_equal(many.numbers, range(7))
    same(alone.trees, many.trees)


def test_new_seeds_are_new_pseudo_samples_of_the_same_model():
    data = numbers_only(table())
    fitted = approximation().fit(data.X, data.y)
    found = replicate(fitted, data, Plan(Redraw("seeds"), 8))
    assert len({splits_of(tree).threshold[0] for tree in found.trees}) > 1
    same([fitted.tree_], [clone(fitted).fit(data.X, data.y).tree_])  # which is left as it was


def test_more_replicates_and_a_repetition_are_those_of_one_long_plan_and_other_parts_cannot_be_joined():
    data, learner = numbers_only(table()), CartClassifier(max_depth=3)
    long = replicate(learner, data, Plan(Redraw(), 10, seed=2))
    plan = Plan(Redraw(), 4, seed=2)
    parts = [replicate(learner, data, p) for p in (plan.repeated(), plan, plan.repeated().more(2))]
    both = join_replicates(parts)
    assert both.plan == long.plan
    same(both.trees, long.trees)
    roots = [[splits_of(tree).threshold[0] for tree in part.trees] for part in parts[:2]]
    assert roots[0] != roots[1]
    data, plan = table(), Plan(Redraw(), 2)
    part = replicate(CartClassifier(), data, plan)
    with pytest.raises(ValueError, match="follow each other"):
        join_replicates([part, part])
    with pytest.raises(ValueError, match="one seed"):
        join_replicates([part, replicate(CartClassifier(), data, plan.repeated()._replace(seed=1))])


@pytest.mark.parametrize("learner", LEARNERS[:1] + LEARNERS[2:4], ids=lambda learner: type(learner).__name__)
def test_stopping_keeps_what_there_is(learner):
    data, progress = numbers_only(table()), Progress()

    class Trees(dict):
        """Stops when the third tree is there."""

        def __setitem__(self, number, tree):
            super().__setitem__(number, tree)
            if len(self) >= 3:
                progress.stop()

    plan, trees = Plan(Redraw(), 100_000), Trees()
    found = replicate(learner, data, plan, GrowthWatch(2, progress, trees))
    assert 3 <= len(found.trees) < plan.n_replicates
    assert not found.is_complete
    assert sorted(trees) == found.numbers.tolist()
    some = found.numbers[:20]
    whole = replicate(learner, data, plan._replace(n_replicates=int(some.max()) + 1))
    same(found.trees[:20], [whole.trees[number] for number in some])  # none of them cut short


def test_progress_ends_at_the_total_trees_come_one_by_one_and_none_where_it_is_stopped_before():
    progress, trees = Progress(), {}
    plan = Plan(Redraw("leave_out", 5), 20)
    found = replicate(
        CultivatedClassifier(max_depth=2), numbers_only(table()), plan, GrowthWatch(2, progress, trees)
    )
    assert progress.done == plan.total == 20 * PARTS
    assert found.is_complete
    first = so_far(plan, {5: trees[5], 2: trees[2], 99: trees[3]})
    assert first.numbers.tolist() == [2, 5]
    same(first.trees, [trees[2], trees[5]])
    found = replicate(CartClassifier(), table(), Plan(Redraw(), 9), GrowthWatch(2, Progress(is_stopped=True)))
    assert found.trees == ()
    assert len(found.numbers) == 0


def test_a_class_that_is_not_drawn_is_still_a_class_and_every_kind_of_redraw_grows():
    X, y = np.arange(12.0)[:, None], np.array([0] * 10 + [1, 2])
    data = make_dataset("t", X, [Feature("x")], y, Feature("y", "category", ("a", "b", "c")))
    for learner in (CartClassifier(), CultivatedClassifier(min_node_weight=2), OptimalClassifier(max_depth=2)):
        found = replicate(learner, data, Plan(Redraw("leave_out", 6), 12))
        assert {tree.value.shape[1] for tree in found.trees} == {3}
    data = table()
    learner = CartClassifier(max_depth=2, categorical_features=data.categorical)
    for kind in KINDS:
        assert replicate(learner, data, Plan(Redraw(kind.name, kind.default), 3)).is_complete


@pytest.mark.parametrize(
    ("learner", "plan", "words"),
    [
        (RandomForestClassifier(), Plan(), "RandomForestClassifier grows no single tree"),
        (CartClassifier(), Plan(n_replicates=0), "number of replicates is 0"),
        (CartClassifier(), Plan(Redraw("folds", 1)), "“Folds” is 1"),
        (CartClassifier(max_depth=0), Plan(), "max_depth is 0"),
    ],
)
def test_what_cannot_be_grown_is_named(learner, plan, words):
    with pytest.raises(ValueError, match=words):
        replicate(learner, table(), plan)


IRIS = samples.load("iris")
SMALL = CartClassifier(max_depth=3)
PLAN = Plan(n_replicates=120, seed=2)


def contents(path):
    with closing(sqlite3.connect(path)) as file:
        return [sorted(file.execute(f"SELECT * FROM {name}")) for name in ("structure", "leaves", "root")]


def test_digests_part_trees_into_the_structures_that_stability_counts():
    for learner in [SMALL, CultivatedClassifier(max_depth=3)]:
        for depth, tolerance in [(1, None), (2, 0.0), (9, 0.0), (9, None)]:
            with case((learner, depth, tolerance)):
                trees = replicate(learner, IRIS, Plan(n_replicates=30)).trees
                rule = StructureRule(depth, tolerance is not None)
                digests = Counter(structure_digest(tree, rule) for tree in trees)
                assert (
                    sorted(digests.values(), reverse=True)
                    == structures(trees, depth, tolerance).counts[-1].tolist()
                )


def test_counts_in_the_file_are_those_of_the_trees(tmp_path):
    plan = Plan(Redraw("subsample", 0.8), 120)
    found = tally_structures(SMALL, IRIS, plan, tmp_path / "counts")
    trees = replicate(SMALL, IRIS, plan).trees
    digests = [structure_digest(tree, StructureRule()) for tree in trees]
    times, first = max((n, -digests.index(digest)) for digest, n in Counter(digests).items())
    assert (found.n_trees, found.n_structures) == (120, len(set(digests)))
    assert found.frequent[0] == (times, -first)
    assert found.leaves == Counter(tree.n_leaves for tree in trees)
    assert found.roots == Counter(int(tree.feature[0]) for tree in trees)


def test_a_run_that_was_stopped_goes_on_and_ends_in_the_same_counts_on_other_workers(tmp_path):
    progress = Progress()
    with executor("threads", 2) as workers:
        part = tally_structures(
            SMALL,
            IRIS,
            PLAN,
            tmp_path / "parts",
            executor=workers,
            tell=lambda n: progress.stop(),
            progress=progress,
        )
    assert 0 < part.n_trees < 120
    tally_structures(SMALL, IRIS, PLAN._replace(n_replicates=90), tmp_path / "parts")
    tally_structures(SMALL, IRIS, PLAN, tmp_path / "parts")
    tally_structures(SMALL, IRIS, PLAN, tmp_path / "once")
    assert contents(tmp_path / "parts") == contents(tmp_path / "once")


def test_files_of_other_replicates_or_of_none_are_refused(tmp_path):
    tally_structures(SMALL, IRIS, Plan(n_replicates=3), tmp_path / "counts")
    with pytest.raises(
        ValueError, match=r"max_depth is 3 there, 2 here; seed is 0 there, 1 here\. Choose another"
    ):
        tally_structures(CartClassifier(max_depth=2), IRIS, Plan(n_replicates=3, seed=1), tmp_path / "counts")
    (tmp_path / "text").write_text("no counts at all, but a text of some length" * 20)
    with pytest.raises(ValueError, match="cannot be written as a file of counts"):
        tally_structures(SMALL, IRIS, Plan(n_replicates=3), tmp_path / "text")


def test_runs_that_are_missing_lie_between_the_parts_that_are_there(tmp_path):
    file = TallyFile(tmp_path / "counts", {})
    for numbers in (range(5, 8), range(10, 12)):
        file.add(numbers, empty_tally())
    assert file.missing(range(20)) == [range(5), range(8, 10), range(12, 20)]
    assert file.missing(range(5, 8)) == []
    file.close()


def test_a_part_that_cannot_be_added_leaves_nothing_behind(tmp_path):
    file = TallyFile(tmp_path / "counts", {})
    counts = Tally({}, Counter({3: 2}), Counter({0: 2}))
    file.add(range(2), counts)
    with pytest.raises(ValueError, match="cannot be written"):
        file.add(range(2), counts)  # there already
    file.close()
    with closing(TallyFile(tmp_path / "counts", {})) as again:
        assert again.summary().leaves == Counter({3: 2})


def test_a_minus_before_zero_makes_no_other_structure():
    tree = SMALL.fit(IRIS.X, IRIS.y).tree_
    zeros = np.where(tree.feature >= 0, 0.0, np.nan)
    plus, minus = (tree._replace(threshold=sign * zeros) for sign in (1, -1))
    assert structure_digest(plus, StructureRule()) == structure_digest(minus, StructureRule())


def test_the_command_counts_says_how_far_it_is_and_goes_on(tmp_path, capsys):
    out = ["--depth", "2", "--executor", "threads", "--workers", "1", "--out", str(tmp_path / "counts")]
    assert command.main(["iris", "--n", "30", *out]) == 0
    assert command.main(["iris", "--n", "50", *out]) == 0
    said = capsys.readouterr()
    assert "30 of 30 trees" in said.err
    assert "50 of 50 trees" in said.err
    assert "50 trees have" in said.out
    assert "The root asks petal length" in said.out


def test_the_command_reads_a_table_and_takes_its_target(tmp_path, capsys):
    (tmp_path / "plants.csv").write_text("height,width,kind\n" + "1.5,2,a\n2.5,3,b\n1.4,5,a\n3,2,b\n" * 5)
    given = [str(tmp_path / "plants.csv"), "--target", "kind", "--n", "5", "--executor", "threads"]
    assert command.main([*given, "--features-only", "--out", str(tmp_path / "counts")]) == 0
    assert "The root asks height" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.csv"], "there is no file nowhere.csv"),
        (["iris", "--n", "0"], "it must be at least 1"),
        (["iris", "--executor", "somewhere"], "choose threads, processes"),
        (["iris", "--redraw", "subsample", "--size", "7"], "it must be between"),
    ],
)
def test_the_command_refuses_in_a_sentence(arguments, words, tmp_path, capsys):
    assert command.main([*arguments, "--out", str(tmp_path / "counts")]) == 1
    said = capsys.readouterr().err
    assert words in said
    assert "Traceback" not in said


def test_a_task_takes_half_a_second_whatever_the_kernels_take_to_load(monkeypatch):
    """Replicates of a millisecond, after a first one of three seconds."""
    clock, loaded = [0.0], []

    def slow_at_first(growth, numbers, rule, progress):
        clock[0] += 0.001 * len(numbers) if loaded else 3.0
        loaded.append(True)

    monkeypatch.setattr(replicates, "tally", slow_at_first)
    monkeypatch.setattr("time.thread_time", lambda: clock[0])
    growth: Any = None
    assert replicates._many(growth, [range(1_000_000)], StructureRule(), workers=2) in (499, 500)
    assert (
        replicates._many(growth, [range(160)], StructureRule(), workers=2) == 10
    )  # some for each worker, and no more


NAN = np.nan


def mixed_table(n=40):
    """A number, a whole number from 0 to 4, a category of three, each with a missing value."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 5, n), rng.integers(0, 3, n)]).astype(float)
    X[0] = NAN
    features = [Feature("x"), Feature("whole"), Feature("colour", "category", ("r", "g", "b"))]
    return make_dataset("t", X, features, np.arange(n) % 2, Feature("y", "category", ("no", "yes")))


REDRAWS = [
    Redraw("bootstrap"),
    Redraw("subsample", 0.5),
    Redraw("folds", 4),
    Redraw("leave_out", 3),
    Redraw("noise", 0.3),
    Redraw("seeds"),
]


@pytest.mark.parametrize("redraw", REDRAWS, ids=lambda redraw: redraw.kind)
def test_a_replicate_follows_from_seed_and_number_alone(redraw):
    data = mixed_table()
    drawn = [resampling.redrawn(redraw, data, 3, number) for number in (0, 1, 2, 0)]
    np.testing.assert_array_equal(drawn[0].times, drawn[3].times)
    np.testing.assert_array_equal(drawn[0].X, drawn[3].X)
    assert drawn[0].seed == drawn[3].seed
    assert len({one.seed for one in drawn}) == 3
    assert resampling.redrawn(redraw, data, 4, 0).seed != drawn[0].seed
    np.testing.assert_array_equal(drawn[0].rows, [row for row in range(40) for _ in range(drawn[0].times[row])])


def test_without_noise_all_stays_the_defaults_and_the_largest_can_be_drawn_and_every_kind_is_tested_here():
    assert {redraw.kind for redraw in REDRAWS} == {kind.name for kind in resampling.KINDS}
    data = mixed_table()
    np.testing.assert_array_equal(resampling.redrawn(Redraw("noise", 0), data, 0, 0).X, data.X)
    for kind in resampling.KINDS:
        resampling.check_redraw(Redraw(kind.name, kind.default), 1000)
        resampling.check_redraw(Redraw(kind.name, resampling.largest(kind, 30)), 30)


def test_a_bootstrap_sample_leaves_rows_out_and_a_subsample_has_its_share_of_them_and_none_twice():
    draws = np.stack([resampling.bootstrap(500, seed) for seed in range(40)])
    assert (draws.sum(axis=1) == 500).all()
    left_out = (draws == 0).mean()
    assert abs(left_out - (1 - 1 / 500) ** 500) < 4 * np.sqrt(0.25 / draws.size)  # more than four deviations off
    for share, n in ((0.5, 20), (0.26, 10), (0.01, 1)):
        times = resampling.subsample(40, share, 7)
        assert times.max() == 1
        assert times.sum() == n


def test_folds_are_left_out_one_after_the_other_and_no_row_twice_before_nearly_all_have_been():
    y = np.array([0, 1] * 20)
    rounds = [
        np.stack([resampling.without_fold(y, 4, 5, number) for number in range(4 * r, 4 * r + 4)]) for r in (0, 1)
    ]
    for times in rounds:
        np.testing.assert_array_equal((1 - times).sum(axis=0), 1)  # each row is left out once in a round
        np.testing.assert_array_equal((1 - times)[:, y == 0].sum(axis=1), 5)  # with its share of either class
    assert (rounds[0] != rounds[1]).any()
    out = np.stack([1 - resampling.leave_out(10, 3, 0, number) for number in range(6)])
    np.testing.assert_array_equal(out.sum(axis=1), 3)
    assert out[:3].sum(axis=0).max() == out[3:].sum(axis=0).max() == 1
    jackknife = np.stack([1 - resampling.leave_out(10, 1, 0, number) for number in range(10)])
    np.testing.assert_array_equal(jackknife.sum(axis=0), 1)


def test_noise_is_a_share_of_the_span_and_keeps_what_is_missing():
    X = np.full((20_000, 1), NAN)
    X[1:, 0] = np.linspace(-3, 5, 19_999)
    off = (resampling.disturb(X, np.array([False]), 0.1, 0) - X)[:, 0]
    assert np.isnan(off[0])
    known = off[1:]
    assert abs(known.std() - 0.8) < 4 * 0.8 / np.sqrt(2 * len(known))
    assert abs(known.mean()) < 4 * 0.8 / np.sqrt(len(known))


def test_whole_numbers_step_to_the_next_value_that_there_is_and_categories_to_any_other():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.choice([0.0, 1.0, 7.0], 9_000), rng.choice([0.0, 2.0, 5.0], 9_000)])
    noisy = resampling.disturb(X, np.array([False, True]), 0.3, 2)
    assert {(a, b) for a, b in zip(X[:, 0], noisy[:, 0], strict=True) if a != b} == {
        (0, 1),
        (1, 0),
        (1, 7),
        (7, 1),
    }
    pairs = {(a, b) for a, b in zip(X[:, 1], noisy[:, 1], strict=True) if a != b}
    assert pairs == {(a, b) for a in (0, 2, 5) for b in (0, 2, 5) if a != b}
    chance = (X[:, 1] != noisy[:, 1]).mean()
    assert abs(chance - 0.3) < 4 * np.sqrt(0.3 * 0.7 / 9_000)


@pytest.mark.parametrize(
    ("redraw", "words"),
    [
        (Redraw("jackknife"), "there is no redraw 'jackknife'; there are bootstrap"),
        (Redraw("subsample", 0), "“Share of the rows” is 0; with 40 rows it must be between 0.05"),
        (Redraw("folds", 41), "“Folds” is 41; with 40 rows it must be between 2 and 40"),
        (Redraw("folds", 2.5), "“Folds” is 2.5; it must be a whole number"),
        (Redraw("leave_out", 40), "“Rows left out” is 40; with 40 rows it must be between 1 and 39"),
        (Redraw("noise", np.nan), "“Share of each column's span” is nan"),
    ],
)
def test_what_cannot_be_drawn_is_named(redraw, words):
    with pytest.raises(ValueError, match=words):
        resampling.check_redraw(redraw, 40)
