"""A search for settings: what it may see, what it finds, what is left when stopped, in words and as a picture."""

import xml.etree.ElementTree as ET
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.data import make_dataset, samples
from espalier.data.dataset import Feature
from espalier.data.folds import Folds, folds_of
from espalier.data.roles import NO_ROLES, RowRoles, row_groups, row_times
from espalier.language import speaking
from espalier.learners.catalogue import CommonTerms, Model
from espalier.progress import Progress
from espalier.tuning import picture
from espalier.tuning.search import (
    ALL_ROWS,
    BEST,
    SIMPLEST,
    Bench,
    Deadline,
    Ledger,
    Trial,
    TuningPlan,
    TuningRun,
    drop_trees,
    folds_within,
    parts_of,
    rounds_of,
    rungs,
    rungs_for,
    so_far,
    thin_fold,
    try_settings,
    tune,
)
from espalier.tuning.search import NOW as NOW_RULE

IRIS = samples.load("iris")
NOW = Model("cart", (("depth", 3),))
SMALL, LARGE = (NOW.with_settings(depth=depth, leaf=1, alpha=0.0) for depth in (2, 6))


def found(outer=(0.9, 0.86), n_outer=2):
    """Two settings and those of now on all data, one more on a third of it, and what outer folds gave."""
    ledger = Ledger()
    ledger.n_outer, ledger.n_settings = n_outer, 270
    trials = [
        Trial(NOW, 1, (0.9, 0.9), 5.0),
        Trial(SMALL, 1, (0.9, 0.96), 3.0, 1),
        Trial(LARGE, 1, (0.92, 0.98), 9.0, 2),
        Trial(NOW.with_settings(depth=1), 3, (0.6, 0.7), 2.0, 3),
    ]
    for trial in trials:
        ledger.inner[ALL_ROWS, trial.model, trial.divisor] = trial
    for part, score in enumerate(outer):
        ledger.inner[part, LARGE, 1] = Trial(LARGE, 1, (0.95, 0.97), 9.0, 2)
        ledger.outer[part, LARGE] = Trial(LARGE, 1, (score,), 9.0)
        ledger.judged[part, BEST] = LARGE
    tuning = so_far(TuningRun(NOW, IRIS, TuningPlan()), ledger)
    assert tuning is not None
    return tuning


def test_words_say_what_was_tried_also_in_german_and_one_ring_has_the_names_of_all_rules_that_choose_it():
    assert picture.tried_words(found()) == (
        "3 of 270 combinations of settings were tried in 2 folds, 2 of them on all rows (*successive halving*)."
    )
    assert picture.settings_words(found(), SMALL) == "Depth, at most: 2; Rows in a leaf, at least: 1; Pruning α: 0"
    tuning = found()
    alone = tuning._replace(now=LARGE, inner={(ALL_ROWS, LARGE, 1): tuning.best()})
    assert picture.trials_picture(alone).alt.startswith("Now, simplest, best: 9 leaves, 95 %")
    assert picture.trials_picture(alone).draw(False).count(">now, simplest, best<") == 1
    with speaking("de"):
        texts = " ".join(ET.fromstring(picture.trials_picture(found()).draw(False)).itertext())
        assert "in der Suche" in texts
        assert "Blätter" in texts


def test_the_picture_has_a_strip_for_the_best_trial_of_each_size():
    tuning = found()
    assert [trial.model for trial in picture.best_by_size(tuning)] == [SMALL, NOW, LARGE]
    chart = picture.card(tuning, "key")
    assert [bar["id"] for bar in chart["bars"]] == ["0", "1", "2"]
    said = [bar["say"].split(" (")[0] for bar in chart["bars"]]
    assert said == ["3 leaves, 93 %", "5 leaves, 90 %", "9 leaves, 95 %"]
    places = [bar["x"] for bar in chart["bars"]]
    assert places == sorted(places)
    poor = Trial(NOW.with_settings(depth=9), 1, (0.5, 0.5), 30.0)
    tuning = tuning._replace(inner=tuning.inner | {(ALL_ROWS, poor.model, 1): poor})
    assert picture._frame(tuning, False).up[0] < 0.5  # the axis holds the worst of all data


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_has_a_dot_for_every_trial_and_a_ring_for_every_choice(dark):
    root = ET.fromstring(picture.trials_picture(found()).draw(dark))
    radii = [float(one.get("r", 0)) for one in root.iter() if one.tag.endswith("circle")]
    assert len(radii) == 4 + 3
    assert radii.count(6) == 3


CART = Model("cart")


def planted(n=400, seed=0, roles=NO_ROLES):
    """A table of which a tree of depth 3 and 4 leaves is the truth: three columns are high; one in 20 is wrong."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 6))
    y = (X[:, :3] > 0.4).all(axis=1) ^ (rng.random(n) < 0.05)
    features, target = tuple(Feature(f"x{i}") for i in range(6)), Feature("y", "category", ("no", "yes"))
    return make_dataset("planted", X, features, y.astype(np.int64), target, None, roles)


def stepped(n=400, seed=0):
    """A table of which a tree of depth 3 is the truth: eight steps of one column, and noise."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 4))
    y = np.floor(8 * X[:, 0]) * 2 + rng.normal(0, 0.5, n)
    return make_dataset("steps", X, tuple(Feature(f"x{i}") for i in range(4)), y, Feature("y"), None, NO_ROLES)


@cache
def small():
    return tune(TuningRun(CART, IRIS, TuningPlan(n_inner=3, n_outer=2, most_settings=9)))


ROLES = {
    "rows": NO_ROLES,
    "groups": RowRoles(groups=row_groups("patient", [f"p{i // 5}" for i in range(400)])),
    "times": RowRoles(times=row_times("day", np.arange(400.0) // 3)),
}


@pytest.mark.parametrize("roles", ROLES.values(), ids=ROLES)
def test_no_row_of_an_outer_fold_is_seen_by_its_inner_folds(roles):
    data = planted(roles=roles)
    _, *parts = parts_of(TuningRun(CART, data))
    assert parts
    for part in parts:
        assert part.outer is not None
        seen = np.concatenate([np.append(fold.rows, np.flatnonzero(fold.fitted_to)) for fold in part.inner])
        assert not set(seen) & set(part.outer.rows)


def test_no_group_is_on_both_sides_of_a_fold_none_is_told_from_its_future_or_has_held_out_rows_or_no_past():
    codes = np.arange(400) // 5
    for part in parts_of(TuningRun(CART, planted(roles=ROLES["groups"]))):
        for fold in [*part.inner, *([part.outer] if part.outer else [])]:
            assert not set(codes[fold.rows]) & set(codes[fold.fitted_to])
    times = np.arange(400.0) // 3
    for part in parts_of(TuningRun(CART, planted(roles=ROLES["times"]))):
        for fold in [*part.inner, *([part.outer] if part.outer else [])]:
            assert times[fold.fitted_to].max() < times[fold.rows].min()
    rows = np.arange(0, 150, 2)
    for part in parts_of(TuningRun(CART, IRIS, TuningPlan(n_outer=3), rows)):
        for fold in [*part.inner, *([part.outer] if part.outer else [])]:
            assert set(fold.rows) | set(np.flatnonzero(fold.fitted_to)) <= set(rows)
    # Five years in four blocks: before the last one are four years, before the others one or two, too few.
    roles = RowRoles(times=row_times("year", np.repeat(np.arange(2020.0, 2025.0), 80)))
    _, *parts = parts_of(TuningRun(CART, planted(roles=roles), TuningPlan(n_outer=3)))
    assert [len(part.inner) for part in parts] == [3]


@pytest.mark.parametrize("model", [CART, Model("random", (("trees", 12),))], ids=["tree", "forest"])
def test_the_same_seed_gives_the_same_search(model):
    plan = TuningPlan(n_inner=2, n_outer=2, most_settings=4, seed=3)
    first, second = (tune(TuningRun(model, IRIS, plan)) for _ in range(2))
    assert first is not None
    assert second is not None
    assert list(first.inner.items()) == list(second.inner.items())
    assert first.outer == second.outer


@pytest.mark.parametrize("missing", ["side", "category", "impute", "surrogate"])
def test_settings_are_found_for_tables_with_gaps(missing):
    whole = planted(n=120)
    X = np.where(np.random.default_rng(1).random(whole.X.shape) < 0.2, np.nan, whole.X)
    gaps = make_dataset("gaps", X, whole.features, whole.y, whole.target)
    plan = TuningPlan(n_inner=2, n_outer=2, most_settings=3)
    found: Any = tune(TuningRun(CART.with_settings(missing=missing), gaps, plan))
    assert found.is_complete
    assert {trial.model.value("missing") for trial in found.trials} == {missing}


def test_another_seed_tries_other_settings_first_and_every_setting_is_tried_once():
    models = [CART.with_settings(leaf=n) for n in range(1, 40)]
    first, second = (next(rounds_of(models, TuningPlan(seed=seed))) for seed in (0, 1))
    assert first != second
    models = [CART.with_settings(leaf=n) for n in range(1, 80)]
    tried = [one for together in rounds_of(models, TuningPlan()) for one in together]
    assert sorted(tried) == sorted(models)


@pytest.mark.parametrize("name", ["planted", "steps"])
def test_where_depth_3_is_the_truth_the_search_finds_it(name):
    data, score = (planted(), "accuracy") if name == "planted" else (stepped(), "r2")
    plan = TuningPlan(score=score, n_inner=3, n_outer=0, most_settings=27)
    found: Any = tune(TuningRun(CART.with_settings(depth=1), data, plan))
    tree = found.simplest().model.make(CommonTerms.of(data)).fit(data.X, data.y).tree_
    assert (tree.depth, tree.n_leaves) == (3, 4 if name == "planted" else 8)


def test_the_score_of_an_outer_fold_is_that_of_the_settings_chosen_without_it():
    """By hand: the search on the rows outside the fold, and its choice fitted to these and scored on the fold."""
    found: Any = small()
    bench = Bench(IRIS, "accuracy", 0, None)
    _, *parts = parts_of(TuningRun(CART, IRIS, TuningPlan(n_inner=3, n_outer=2)))
    for rule in (NOW_RULE, BEST, SIMPLEST):
        chosen = [found.chosen(rule, part.number).model for part in parts]
        outer = [part.outer for part in parts if part.outer is not None]
        tried = [try_settings(model, bench, (fold,)) for model, fold in zip(chosen, outer, strict=True)]
        honest: Any = found.honest(rule)
        assert list(honest.scores) == [one.scores[0] for one in tried]


def test_a_search_that_is_stopped_keeps_what_it_has_and_goes_on_and_one_within_another_gets_a_part_of_the_time():
    run, ledger = TuningRun(CART, IRIS, TuningPlan(n_inner=3, n_outer=2, most_settings=9)), Ledger()
    part: Any = tune(run, progress=_StopAfter(ledger, 5), ledger=ledger)
    assert 1 <= len(part.inner) < 15
    assert not part.is_complete
    assert part.best().scores
    known = dict(part.inner)
    whole: Any = tune(run, ledger=ledger)
    assert whole == small()
    assert all(whole.inner[key] is trial for key, trial in known.items())
    # An optimal tree whose own limit is 20 s: a search of 3 s has room for 30 fits.
    seen, make = [], Model.make
    fold = tuple(folds_of(IRIS, Folds(2)))[:1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Model, "make", lambda one, terms: seen.append(one.value("seconds")) or make(one, terms))
        try_settings(Model("optimal", (("depth", 1),)), Bench(IRIS, "accuracy", 0, 0.1), fold)
    assert seen == [0.1]


class _StopAfter(Progress):
    """A progress that is stopped once the ledger has so many trials."""

    def __init__(self, ledger, most):
        super().__init__()
        self._ledger, self._most = ledger, most

    @property
    def is_stopped(self):
        return len(self._ledger.inner) >= self._most


def test_a_search_without_time_has_tried_the_settings_of_now_alone_and_one_stopped_before_has_found_nothing():
    found: Any = tune(TuningRun(CART, IRIS, TuningPlan(seconds=0.0)))
    assert found.best().model == found.simplest().model == CART
    assert (found.n_tried, found.honest(BEST)) == (0, None)
    assert tune(TuningRun(CART, IRIS), progress=Progress(is_stopped=True)) is None


def test_a_deadline_stops_with_the_whole_and_when_its_time_is_over():
    whole = Progress()
    endless, long, short = (Deadline(whole, seconds) for seconds in (None, 1e6, 0.0))
    assert not any(one.is_stopped for one in (endless, long, short))
    for one in (endless, long, short):
        one.begin()
    assert [one.is_stopped for one in (endless, long, short)] == [False, False, True]
    whole.stop()
    assert endless.is_stopped
    assert long.is_stopped


def trial(scores, leaves, depth=1):
    return Trial(CART.with_settings(depth=depth), 1, scores, leaves)


def test_the_simplest_has_the_fewest_leaves_within_one_standard_error_and_losses_rank_by_size_then_by_leaves():
    """The best has mean 0.9 and standard error 0.05 / √4 · √(4/3) = 0.0289: at 0.88 it is within, at 0.85 not."""
    bench = Bench(IRIS, "accuracy", 0, None)
    best = trial((0.85, 0.95, 0.85, 0.95), 20)
    within, beyond = trial((0.88,) * 4, 6), trial((0.85,) * 4, 2)
    assert best.standard_error == pytest.approx(0.05 * np.sqrt(4 / 3) / 2)
    assert bench.simplest([beyond, best, within]) == within
    assert bench.ranked([beyond, within, best]) == [best, within, beyond]
    bench = Bench(IRIS, "log_loss", 0, None)
    low, high, none = trial((0.2, 0.3), 4), trial((0.8, 0.9), 2), trial((np.nan, np.nan), 1)
    assert bench.ranked([none, high, low])[:2] == [low, high]
    assert bench.simplest([none, high, low]) == low
    bench = Bench(IRIS, "accuracy", 0, None)
    assert [one.leaves for one in bench.ranked([trial((0.9, 0.9), 5), trial((0.9, 0.9), 3)])] == [3, 5]
    deep, flat = trial((0.9, 0.9), 3, depth=9)._replace(place=8), trial((0.9, 0.9), 3, depth=2)._replace(place=1)
    assert bench.ranked([deep, flat])[0] == bench.simplest([deep, flat]) == flat


def test_trials_of_little_data_are_not_compared_with_those_of_all():
    run, ledger = TuningRun(CART, IRIS), Ledger()
    lucky = Trial(CART.with_settings(depth=2), 9, (1.0,) * 5, 2)
    ledger.inner[ALL_ROWS, lucky.model, 9] = lucky
    ledger.inner[ALL_ROWS, CART, 1] = Trial(CART, 1, (0.9,) * 5, 5)
    found: Any = so_far(run, ledger)
    assert found.best().model == found.simplest().model == CART


def table(y, roles):
    X = np.arange(len(y), dtype=float)[:, None]
    y = np.array(y, dtype=np.int64)
    target = Feature("y", "category", ("no", "yes"))
    return make_dataset("table", X, (Feature("x"),), y, target, None, roles)


def test_a_bracket_of_the_paper_has_81_settings_on_one_part_of_81_and_each_rung_costs_the_same():
    """Li et al. (2018), Table 1: R = 81, η = 3, s = 4."""
    expected = [(81, 1), (27, 3), (9, 9), (3, 27), (1, 81)]  # settings, and what each is given of R
    assert [(n, 81 // divisor) for n, divisor in rungs(81, 5)] == expected
    assert {n / divisor for n, divisor in rungs(27, 3)} == {3.0}


@given(st.integers(1, 200), st.integers(1, 4))
def test_the_last_rung_gives_everything_to_at_least_one_setting(n, n_rungs):
    steps = rungs(n, n_rungs)
    assert steps[0][0] == n
    assert steps[-1][0] >= 1
    assert steps[-1][1] == 1


def test_small_tables_and_forests_are_not_parted_rungs_of_forests_are_of_trees_and_a_tree_has_none():
    assert rungs_for(Model("cart"), 100) == 1
    assert rungs_for(Model("random", (("trees", 10),)), 1_000_000) == 1
    model = Model("random", (("trees", 90),))
    assert rungs_for(model, 50) == 3
    assert [drop_trees(model, divisor).n_trees for divisor in (9, 3, 1)] == [10, 30, 90]
    assert drop_trees(Model("cart"), 9) == Model("cart")


def test_the_rows_of_a_lower_rung_are_among_those_of_a_higher_one_with_all_classes_and_whole_groups():
    for fold in folds_of(IRIS, Folds(5)):
        low, middle, high = (thin_fold(IRIS, fold, divisor) for divisor in (9, 3, 1))
        assert not (low.fitted_to & ~middle.fitted_to).any()
        assert not (middle.fitted_to & ~high.fitted_to).any()
        assert np.array_equal(high.fitted_to, fold.fitted_to)
        assert set(IRIS.y[low.fitted_to]) == {0, 1, 2}
        assert np.array_equal(low.rows, fold.rows)
    for codes in (np.arange(160) // 4, np.arange(160) // 14):  # the latter a group for each of nine parts
        roles = RowRoles(groups=row_groups("patient", [f"g{code}" for code in codes]))
        data = table([i % 2 for i in range(160)], roles)
        for fold in folds_of(data, Folds(4)):
            low = thin_fold(data, fold, 3).fitted_to
            assert low.any()
            assert not set(codes[low]) & set(codes[fold.fitted_to & ~low])


def test_folds_of_some_rows_know_no_others_are_as_few_as_groups_allow_and_do_not_part_one_time():
    rows = np.arange(10, 140, 3)
    for fold in folds_within(IRIS, rows, Folds(4)):
        assert set(fold.rows) | set(np.flatnonzero(fold.fitted_to)) <= set(rows)
        assert not fold.fitted_to[fold.rows].any()
    roles = RowRoles(groups=row_groups("school", ["a", "b", "c"] * 8))
    assert len(folds_within(table([0, 1] * 12, roles), np.arange(24), Folds(5))) == 3
    roles = RowRoles(times=row_times("year", np.repeat([2020.0, 2021.0], 10)))
    with pytest.raises(ValueError, match="at least 2"):
        folds_within(table([0, 1] * 10, roles), np.arange(10), Folds(5))
