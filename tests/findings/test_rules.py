"""Checks of a table: the best rule of one column against all, laws, sentences, and what is planted is found."""

import itertools
import re
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pandas as pd
import pytest

from espalier.data import (
    Feature,
    HeldOut,
    RowRoles,
    RowWeights,
    held_out,
    make_dataset,
    row_groups,
    row_times,
    samples,
)
from espalier.data.column_changes import assign_roles
from espalier.data.columns.kinds import KINDS as KINDS_OF_COLUMNS
from espalier.data.dataset import column_name
from espalier.data.options import Moment
from espalier.data.samples import redrawn
from espalier.data.samples.descriptions import PICTURES
from espalier.data.samples.redrawn import SIMULATIONS, Redrawing
from espalier.display.column_pictures import SMALL_HEIGHT, SMALL_POINTS, SMALL_WIDTH, thumbnail
from espalier.display.theme import colours_of
from espalier.findings import finding as kinds
from espalier.findings.check import TOTAL, check_table
from espalier.findings.columns import log_chance, rule_of
from espalier.findings.finding import KINDS, Finding
from espalier.findings.findings import advice, sentences
from espalier.language import ENGLISH, speak
from espalier.progress import Progress
from tests.findings import planted
from tests.findings.planted import noise, table, with_column
from tests.tools.cases import case

X = np.array([1.0, 2.0, 2.0, 3.0, 5.0, np.nan])
Y = np.array([0, 0, 1, 1, 1, 0])


def test_a_number_never_seen_gets_the_class_of_the_nearest_and_a_category_that_of_the_others():
    rule: Any = rule_of(X, Y, 2, True, np.ones(6))
    assert rule.answer(np.array([-9.0, 1.4, 2.9, 4.5, 99.0, np.nan])).tolist() == [0, 0, 1, 1, 1, 0]
    rule: Any = rule_of(np.array([0.0, 0.0, 2.0]), np.array([1, 1, 0]), 2, False, np.ones(3))
    assert rule.answer(np.array([0.0, 1.0, 2.0, np.nan])).tolist() == [1, 1, 0, 1]
    x, y = np.array([0.0, 0.0, 0.0, 1.0]), np.array([1, 1, 0, 0])
    rule: Any = rule_of(x, y, 2, False, np.ones(4))
    assert rule.is_right_without(x, y, np.ones(4)).tolist() == [False, False, False, False]
    heavy = np.array([2.0, 2.0, 1.0, 1.0])
    rule: Any = rule_of(x, y, 2, False, heavy)
    assert rule.is_right_without(x, y, heavy).tolist() == [True, True, False, False]


@pytest.mark.parametrize("seed", range(5))
def test_no_intervals_in_this_order_of_the_classes_are_right_more_often(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 8, 40).astype(float), rng.integers(0, 3, 40)
    weight = rng.random(40)
    rule: Any = rule_of(x, y, 3, True, weight)
    values, n_values = np.unique(x), len(np.unique(x))
    order = np.argsort([np.average(np.searchsorted(values, x[y == k]), weights=weight[y == k]) for k in range(3)])
    cuts = itertools.combinations_with_replacement(range(n_values + 1), 2)
    best = max(
        weight[order[(np.searchsorted(values, x) >= a).astype(int) + (np.searchsorted(values, x) >= b)] == y].sum()
        for a, b in cuts
    )
    assert weight[rule.answer(x) == y].sum() == pytest.approx(best)


def test_the_chance_of_a_perfect_cut_is_that_of_all_orders_of_the_rows():
    """Of the 70 orders of four rows and four, two have all rows of a class first."""
    x, y = np.arange(8.0), np.repeat([0, 1], 4)
    rule = rule_of(x, y, 2, True, np.ones(8))
    assert rule is not None
    assert np.exp(log_chance(rule, np.array([4, 4]), 0)) == pytest.approx(2 / 70)


@pytest.mark.parametrize("is_number", [True, False])
def test_the_bound_on_the_chance_is_above_what_happens_by_chance(is_number):
    rng = np.random.default_rng(0)
    x, y = np.arange(10.0) if is_number else np.arange(10.0) // 3, np.repeat([0, 1], 5)
    n_wrong, bounds = [], []
    for _ in range(300):
        rule: Any = rule_of(x, rng.permutation(y), 2, is_number, np.ones(10))
        n_wrong.append(int(10 - rule.counts[np.arange(len(rule.values)), rule.answers].sum()))
        bounds.append(log_chance(rule, np.array([5, 5]), n_wrong[-1]))
    for most, bound in zip(n_wrong, bounds, strict=True):
        assert np.mean(np.array(n_wrong) <= most) <= min(np.exp(bound), 1) + 0.03


OF_ORDER = {kinds.ORDER, kinds.SERIES, kinds.IDENTIFIER}


def everything(seed):
    """A table with a copy of the class, a number for each row, a drift, copies of rows, and a series."""
    one = noise(seed)
    X = np.column_stack([np.cumsum(one.X, axis=0), one.y, np.arange(300)])
    data = table(np.vstack([X, X[40:60]]), np.r_[one.y, one.y[40:60]])
    held = held_out(data, HeldOut(30, seed))
    return data, held


def without_rows(findings):
    """All but which rows are shown, and the order of equal kinds."""
    return {(one.kind, one.columns, tuple(sorted(one.figures.items()))) for one in findings}


@pytest.mark.parametrize("seed", range(3))
def test_permuting_the_rows_changes_only_what_is_said_of_their_order(seed):
    data, held = everything(seed)
    order = np.random.default_rng(seed).permutation(len(held))
    other = make_dataset("T", data.X[order], data.features, data.y[order], data.target)
    before, after = check_table(data, held), check_table(other, held[order])
    assert {one.kind for one in before} >= {kinds.COPY, kinds.SAME_ROWS, kinds.SERIES}
    of_order = {one.kind for one in after} - {one.kind for one in before}
    assert of_order <= OF_ORDER
    assert without_rows(one for one in before if one.kind not in OF_ORDER) == without_rows(
        one for one in after if one.kind not in OF_ORDER
    )


def test_renaming_changes_nothing_that_is_found_and_a_look_that_is_stopped_returns_what_it_has():
    data, held = everything(0)
    features = [feature._replace(name=f"column {i}") for i, feature in enumerate(data.features)]
    other = make_dataset("T", data.X, features, data.y, data.target._replace(name="y", categories=("a", "b")))
    assert check_table(data, held) == check_table(other, held)
    one = noise()
    data = table(one.X, one.X[:, 0] > 0, ("low", "high"))
    progress = Progress()
    assert len(check_table(data, progress=progress)) > 0
    assert progress.done == TOTAL
    assert check_table(data, progress=Progress(is_stopped=True)) == []


@pytest.mark.few(2)
@pytest.mark.parametrize("holdout", [HeldOut(30, 0), HeldOut(0), HeldOut(20, 1), HeldOut(30, 7), HeldOut(50, 3)])
def test_nothing_is_said_of_the_bundled_samples_whichever_rows_are_held_out(holdout):
    for name in samples.names():
        data = samples.load(name)
        assert check_table(data, held_out(data, holdout)) == [], name


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(1, 4))
def test_nothing_is_said_of_simulations_drawn_anew(seed):
    for name in SIMULATIONS:
        assert check_table(redrawn.redrawn(Redrawing(name, seed=seed, rows=400))) == [], name


IRIS = samples.load("iris")
NAMES = "n n_wrong right training held n_parted n_held share low high n_values class n_folds value distance area"
FIGURES: dict[str, float] = dict.fromkeys(NAMES.split(), 1.0)


def test_every_kind_has_sentences_that_name_the_columns():
    for language in [ENGLISH, "de"]:
        for kind in KINDS:
            with case((language, kind)):
                speak(language)
                try:
                    words = advice(IRIS, Finding(kind, (1, 2), (0, 1), FIGURES), name=str.upper)
                finally:
                    speak(ENGLISH)
                assert all(text.endswith(".") and "{" not in text for text in words)
                if kind not in ("same-rows", "near-rows", "series", "rare-class"):
                    assert "SEPAL WIDTH" in words[0]


def test_leaks_rows_on_both_sides_columns_distributed_otherwise_and_dates_are_told_in_sentences():
    one = noise()
    data = with_column(one, one.y)
    assert sentences(data, check_table(data)) == [
        "“x4” has one value for each class of “illness”. That is the answer in other words, unknown of a new row. "
        "Leave it out, unless it is known before."
    ]
    parted = Finding("same-rows", (), (), FIGURES | {"n": 60, "n_parted": 12, "n_held": 99})
    assert advice(IRIS, parted)[0] == (
        "60 rows are equal to another one, “species” included. 12 of the 99 rows held out stand in training, too."
    )
    whole = parted._replace(figures=FIGURES | {"n": 60, "n_parted": 0})
    assert advice(IRIS, whole)[0] == "60 rows are equal to another one, “species” included."
    drifted = Finding("drift", (1,), (), {"distance": 0.4, "training": 1.0, "held": 1.0})
    assert advice(IRIS, drifted)[0] == "“sepal width” is otherwise distributed in the rows held out."
    sent = Feature("sent", is_whole=True, moment=Moment("sent", "date"))
    data = make_dataset("Letters", np.arange(18628.0, 18632)[:, None], [sent], np.arange(4.0), Feature("y"))
    seen, *_ = advice(data, Finding("identifier", (0,), (), {"low": 18628, "high": 18631, "n": 4}))
    assert seen == "“sent” numbers the rows from 2021-01-01 to 2021-01-04."


PATH = "{http://www.w3.org/2000/svg}path"


def test_every_sample_has_a_small_picture_with_a_path_per_class_inside_of_it_and_higher_values_higher():
    for name in samples.names():
        dataset = samples.load(name)
        picture = thumbnail(dataset, *PICTURES[name])
        paths = ET.fromstring(picture).findall(PATH)
        colours = colours_of(dataset.target)
        pairs = zip(colours["light"], colours["dark"], paths, strict=True)
        assert all(f"light-dark({light}, {dark})" in path.get("style", "") for light, dark, path in pairs)
        assert all(path.get("d") for path in paths)
        assert len(picture) < 7_000
    X = np.array([[0.0, 0.0], [1.0, 10.0]])
    dataset = make_dataset(
        "t", X, [Feature("a"), Feature("b")], np.array([0, 1]), Feature("c", "category", ("u", "v"))
    )
    low, high = re.findall(r"M(\d+) (\d+)h0", thumbnail(dataset, "a", "b"))
    assert (int(low[0]) < int(high[0]), int(low[1]) > int(high[1])) == (True, True)
    assert all(0 <= int(x) <= SMALL_WIDTH and 0 <= int(y) <= SMALL_HEIGHT for x, y in (low, high))


def test_many_rows_are_thinned_out_an_unknown_column_is_refused_and_a_mosaic_shares_cells_among_classes():
    picture = thumbnail(samples.load("five-covariates"), "x1", "x2")
    assert picture.count("h0") == SMALL_POINTS
    with pytest.raises(ValueError, match="wings"):
        thumbnail(samples.load("iris"), "wings", "petal width")
    X = np.zeros((4, 2))
    features = [Feature("a", "category", ("only",)), Feature("b", "category", ("only",))]
    dataset = make_dataset("t", X, features, np.array([0, 0, 0, 1]), Feature("c", "category", ("u", "v")))
    widths = [float(w) for w in re.findall(r"h(\d[\d.]*)v", thumbnail(dataset, "a", "b"))]
    assert widths[0] == pytest.approx(3 * widths[1], abs=0.2)


SEEDS = range(3)


def found(dataset, held=None):
    return {one.kind: one for one in check_table(dataset, held)}


def only(dataset, kind, held=None):
    """The one finding, which must be of this kind."""
    one = check_table(dataset, held)
    assert [f.kind for f in one] == [kind]
    return one[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_measurements_that_say_a_little_of_the_class_are_left_alone(seed):
    one = planted.noise(seed)
    assert check_table(planted.table(one.X, one.y)) == []
    assert check_table(planted.table(one.X, one.X.sum(axis=1) + one.rng.normal(size=300), classes=())) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_column_with_a_value_for_each_class_is_a_copy_of_the_target(seed):
    one = planted.noise(seed)
    assert only(planted.with_column(one, 7 - 3 * one.y), kinds.COPY).columns == (planted.PLANTED,)


def test_a_category_for_each_class_and_a_number_in_another_unit_are_copies_of_the_target():
    one = planted.noise()
    column = np.where(one.y == 1, np.nan, 2.0)
    features = [*(Feature(f"x{i}") for i in range(4)), Feature("code", "category", ("a", "b", "c"))]
    target = Feature("illness", "category", ("well", "ill"))
    data = make_dataset("T", np.column_stack([one.X, column]), features, one.y, target)
    assert only(data, kinds.COPY).columns == (planted.PLANTED,)
    days = one.X.sum(axis=1) + one.rng.normal(size=300)
    data = planted.table(np.column_stack([one.X, 3 - days / 7]), days, classes=())
    assert only(data, kinds.COPY).columns == (planted.PLANTED,)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_column_that_alone_predicts_the_class_nearly_always_is_found_with_the_rows_that_it_gets_wrong(seed):
    one = planted.noise(seed)
    wrong = one.rng.permutation(300)[:2]
    column = one.y + 0.8 * one.rng.random(300)
    column[wrong] = 1.5 - one.y[wrong]
    finding = only(planted.with_column(one, column), kinds.ALONE)
    assert finding.columns == (planted.PLANTED,)
    assert set(wrong.tolist()) <= set(finding.rows)


def test_a_column_that_is_missing_wherever_one_class_is_and_one_that_explains_nearly_all_of_a_number_are_found():
    one = planted.noise()
    finding = only(planted.with_column(one, np.where(one.y == 1, np.nan, one.rng.normal(size=300))), kinds.ALONE)
    assert finding.columns == (planted.PLANTED,)
    assert finding.figures["n_wrong"] == 0
    days = one.X.sum(axis=1) + one.rng.normal(size=300)
    near = np.exp(days / 4) + 0.001 * one.rng.normal(size=300)
    assert only(planted.table(np.column_stack([one.X, near]), days, classes=()), kinds.ALONE).columns == (
        planted.PLANTED,
    )


def test_chance_separates_the_classes_of_few_rows_and_rows_count_by_their_weight():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(8, 400)), np.arange(8) % 2
    X[:, 7] = y + 0.5 * rng.random(8)  # one of many: 2 in 70 columns do so by chance
    assert not found(planted.table(X, y)).keys() & {kinds.ALONE, kinds.COPY}
    one = planted.noise()
    column = np.where(np.arange(300) < 30, 1 - one.y, one.y) + 0.5 * one.rng.random(300)
    assert kinds.ALONE not in found(planted.with_column(one, column))
    light = RowWeights("w", np.where(np.arange(300) < 30, 0.001, 1.0))
    assert kinds.ALONE in found(planted.with_column(one, column, weights=light))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_column_that_knows_the_answers_of_training_rows_only_is_found(seed):
    one, held = planted.noise(seed), planted.some_held()
    column = np.where(held, one.rng.random(300), one.y + 0.5 * one.rng.random(300))
    finding = found(planted.with_column(one, column), held)[kinds.ONLY_TRAINING]
    assert finding.columns == (planted.PLANTED,)
    assert finding.figures["training"] > 0.9 > 0.7 > finding.figures["held"]


def test_a_column_that_knows_a_number_in_training_only_and_one_that_varies_among_rows_held_out_alone_are_found():
    one, held = planted.noise(), planted.some_held()
    days = one.X.sum(axis=1) + one.rng.normal(size=300)
    column = np.where(held, one.rng.normal(size=300), days / 2)
    data = planted.table(np.column_stack([one.X, column]), days, classes=())
    assert found(data, held)[kinds.ONLY_TRAINING].columns == (planted.PLANTED,)
    column = np.zeros(300)
    column[np.flatnonzero(held)[:20]] = 1
    finding = only(planted.with_column(one, column), kinds.CONSTANT, held)
    assert finding.columns == (planted.PLANTED,)
    assert set(finding.rows) == set(np.flatnonzero(column).tolist())
    column[:] = 0
    column[np.flatnonzero(held)[0]] = 1  # of 300 rows, 90 of them held out, that is no wonder
    assert check_table(planted.with_column(one, column), held) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_copies_of_rows_are_found_and_those_on_both_sides_counted(seed):
    one = planted.noise(seed)
    rows, held = one.rng.permutation(300)[:30], np.zeros(330, dtype=bool)
    held[rows[:12]] = held[320:] = True
    finding = only(planted.with_more_rows(one, one.X[rows], rows), kinds.SAME_ROWS, held)
    assert finding.figures["n"] == 60
    copies = {300 + i: row for i, row in enumerate(rows.tolist())}
    assert finding.figures["n_parted"] == sum(held[i] != held[row] for i, row in copies.items())
    assert all(copies[max(pair)] == min(pair) for pair in zip(finding.rows[::2], finding.rows[1::2], strict=True))


def test_copies_within_a_group_and_equal_rows_of_coarse_answers_do_not_matter():
    one = planted.noise()
    rows = one.rng.permutation(300)[:30]
    groups = row_groups("patient", np.r_[np.arange(300), rows].tolist())
    data = planted.with_more_rows(one, one.X[rows], rows)
    together = make_dataset("T", data.X, data.features, data.y, data.target, roles=RowRoles(groups))
    assert kinds.SAME_ROWS in found(data)
    assert check_table(together) == []
    rng = np.random.default_rng(0)
    assert check_table(planted.table(rng.integers(0, 3, (300, 4)), rng.integers(0, 2, 300))) == []
    mostly_zero = (rng.random((400, 8)) < 0.1).astype(float)
    assert check_table(planted.table(mostly_zero, rng.integers(0, 2, 400))) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_that_differ_in_one_column_only_name_it(seed):
    one = planted.noise(seed)
    rows = one.rng.permutation(300)[:30]
    X = np.column_stack([np.vstack([one.X, one.X[rows]]), one.rng.random(330)])
    finding = only(planted.table(X, np.r_[one.y, one.y[rows]]), kinds.ALIKE_ROWS)
    assert (finding.columns, finding.figures["n"]) == ((planted.PLANTED,), 60)


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_that_are_equal_but_for_trifles_are_found_in_pairs(seed):
    one = planted.noise(seed)
    rows = one.rng.permutation(300)[:40]
    jittered = one.X[rows] + 1e-3 * one.rng.normal(size=(40, 4))
    finding = only(planted.with_more_rows(one, jittered, rows), kinds.NEAR_ROWS)
    copies = dict(zip(rows.tolist(), range(300, 340), strict=True))
    pairs = list(zip(finding.rows[::2], finding.rows[1::2], strict=True))
    assert np.mean([copies.get(a) == b for a, b in pairs]) > 0.9


@pytest.mark.parametrize("seed", SEEDS)
def test_a_column_that_counts_the_rows_of_a_file_sorted_by_class_separates_by_order(seed):
    one = planted.noise(seed)
    order = np.argsort(one.y + 0.3 * one.rng.normal(size=300))
    data = planted.table(np.column_stack([one.X[order], np.arange(300)]), one.y[order])
    assert only(data, kinds.ORDER).columns == (planted.PLANTED,)


def test_a_number_for_each_group_numbers_the_groups_a_clock_separates_by_order_and_an_age_is_no_group():
    one = planted.noise()
    days = np.arange(300) / 50 + one.rng.normal(size=300)
    data = planted.table(np.column_stack([one.X, 0.25 * np.arange(300)]), days, classes=())
    assert only(data, kinds.ORDER).columns == (planted.PLANTED,)
    one = planted.noise()
    patients = np.repeat(np.arange(60), 5)
    groups = RowRoles(row_groups("patient", patients.tolist()))
    numbers = one.rng.permutation(60)[patients]
    assert only(planted.with_column(one, numbers, roles=groups), kinds.IDENTIFIER).columns == (planted.PLANTED,)
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, 400)
    X = np.column_stack([age / 10 + 0.5 * rng.normal(size=400), 200 - age + 5 * rng.normal(size=400), age])
    assert check_table(planted.table(X, rng.integers(0, 2, 400))) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_whole_numbers_that_are_all_different_by_no_chance_number_the_rows(seed):
    one = planted.noise(seed)
    assert only(planted.with_column(one, 1000 + one.rng.permutation(300)), kinds.IDENTIFIER).columns == (
        planted.PLANTED,
    )
    assert check_table(planted.with_column(one, one.rng.integers(0, 10**7, 300))) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_an_identifier_that_repeats_over_rows_that_are_alike_may_be_the_group(seed):
    rng = np.random.default_rng(seed)
    patients = rng.permutation(np.repeat(np.arange(75), 4))
    X = rng.normal(size=(75, 4))[patients] + 0.3 * rng.normal(size=(300, 4))
    y = rng.integers(0, 2, 300)
    finding = only(planted.table(np.column_stack([X, patients]), y), kinds.GROUPS)
    assert (finding.columns, finding.figures["n_values"]) == ((planted.PLANTED,), 75)


def test_rows_like_the_next_one_in_the_file_are_a_series_unless_they_have_times_or_are_only_sorted():
    one = planted.noise()
    X = np.cumsum(one.rng.normal(size=(400, 4)), axis=0)
    y = one.rng.integers(0, 2, 400)
    assert kinds.SERIES in found(planted.table(X, y))
    assert kinds.SERIES not in found(planted.table(X, y, roles=RowRoles(times=row_times("day", np.arange(400.0)))))
    for order in (np.argsort(one.y, kind="stable"), np.argsort(one.X[:, 0])):
        assert check_table(planted.table(one.X[order], one.y[order])) == []


def test_a_class_of_fewer_rows_than_folds_or_of_few_groups_is_too_rare():
    one = planted.noise()
    y = one.y.copy()
    y[:4] = 2
    finding = only(planted.table(one.X, y, ("well", "ill", "dead")), kinds.RARE_CLASS)
    assert (finding.rows, finding.figures["class"], finding.figures["n"]) == ((0, 1, 2, 3), 2, 4)
    y[4] = 2
    assert check_table(planted.table(one.X, y, ("well", "ill", "dead"))) == []
    groups = RowRoles(row_groups("patient", np.repeat(np.arange(60), 5).tolist()))
    y = (np.arange(300) < 20).astype(int)
    assert found(planted.table(one.X, y, roles=groups))[kinds.RARE_CLASS].figures["n"] == 4


@pytest.mark.parametrize("seed", SEEDS)
def test_a_column_that_shifts_in_the_rows_held_out_drifts(seed):
    one, held = planted.noise(seed), np.arange(300) >= 200
    X = one.X.copy()
    X[held, 2] += 1
    assert only(planted.table(X, one.y), kinds.DRIFT, held).columns == (2,)
    X = one.X.copy()
    X[np.flatnonzero(held)[:40], 3] = np.nan  # so do values that begin to be missing
    assert only(planted.table(X, one.y), kinds.DRIFT, held).columns == (3,)


def test_the_rows_of_a_group_are_one_witness_of_drift_and_parts_that_differ_in_pairs_are_told_apart_by_a_tree():
    """Twelve groups of equal rows may differ by chance; three hundred independent rows would not."""
    one, patients = planted.noise(), np.repeat(np.arange(50), 6)
    X, held = one.X[patients], patients >= 32
    X[held, 2] += 0.7
    roles = RowRoles(row_groups("patient", patients.tolist()))
    assert kinds.DRIFT in found(planted.table(X, one.y), held)
    assert kinds.DRIFT not in found(planted.table(X, one.y, roles=roles), held)
    one, held = planted.noise(n=2000), np.arange(2000) >= 1200
    X = one.X.copy()
    sign = np.where(held, 1, -1) * np.sign(X[:, 2])
    X[:, 3] = sign * np.abs(X[:, 3])
    finding = only(planted.table(X, one.y), kinds.PARTS_DIFFER, held)
    assert {2, 3} <= set(finding.columns)
    assert finding.figures["area"] > 0.9


def test_rows_held_out_of_another_table_are_refused():
    one = planted.noise()
    with pytest.raises(ValueError, match="5 rows are said to be held out or not, but there are 300"):
        check_table(planted.table(one.X, one.y), np.zeros(5, dtype=bool))


def test_a_column_of_any_kind_that_is_known_too_late_is_found_once_and_leaves_nothing_of_itself():
    assert set(planted.CELLS) == set(KINDS_OF_COLUMNS) - {"identifier", "ignored"}  # which make no features
    for kind in planted.CELLS:
        frame = planted.known_after(kind)
        data = planted.planned(frame, kind)
        (one,) = check_table(data)
        assert one.is_serious
        assert column_name(data.features[one.columns[0]]) == "ended", kind
        rest, never = assign_roles(data, {"ended": "out"}), planted.planned(frame.drop(columns="ended"), kind)
        assert [f.name for f in rest.features] == [f.name for f in never.features], kind
        assert np.array_equal(rest.X, never.X), kind
        assert check_table(rest) == []


def test_rows_that_only_a_date_distinguishes_are_alike_in_all_but_that_column():
    one = planted.noise()
    X = np.vstack([one.X, one.X[:40]])
    frame = pd.DataFrame(X.round(6), columns=list("abcd")).assign(class_=np.r_[one.y, one.y[:40]].astype(str))
    days = np.datetime64("2021-03-01") + np.random.default_rng(0).permutation(3 * len(X))[: len(X)]
    frame["seen"] = pd.Series([str(day) for day in days], dtype="str")
    data = planted.planned(frame.astype({"class_": "str"}), "date", "seen")
    assert len(data.features) > 5  # the date, its month, its weekday
    alike = found(data)[kinds.ALIKE_ROWS]
    assert column_name(data.features[alike.columns[0]]) == "seen"
    assert alike.figures["n"] == 80
