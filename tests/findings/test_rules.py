"""Checks of a table: the best rule of one column against all, laws, and the sentences on what misleads."""

import itertools
import re
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

from espalier.data import Feature, HeldOut, held_out, make_dataset, samples
from espalier.data.options import Moment
from espalier.data.samples import redrawn
from espalier.data.samples.descriptions import PICTURES
from espalier.data.samples.redrawn import SIMULATIONS, Redrawing
from espalier.display.column_pictures import SMALL_HEIGHT, SMALL_POINTS, SMALL_WIDTH, thumbnail
from espalier.display.theme import class_colours
from espalier.findings import finding as kinds
from espalier.findings.check import TOTAL, check_table
from espalier.findings.columns import log_chance, rule_of
from espalier.findings.finding import KINDS, Finding
from espalier.findings.findings import advice, sentences
from espalier.language import ENGLISH, speak
from espalier.progress import Progress
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
                    assert "SEPAL WIDTH" in words.seen


def test_leaks_rows_on_both_sides_columns_distributed_otherwise_and_dates_are_told_in_sentences():
    one = noise()
    data = with_column(one, one.y)
    assert sentences(data, check_table(data)) == [
        "“x4” has one value for each class of “illness”. That is the answer in other words, unknown of a new row. "
        "Leave it out, unless it is known before."
    ]
    parted = Finding("same-rows", (), (), FIGURES | {"n": 60, "n_parted": 12, "n_held": 99})
    assert advice(IRIS, parted).seen == (
        "60 rows are equal to another one, “species” included. 12 of the 99 rows held out stand in training, too."
    )
    whole = parted._replace(figures=FIGURES | {"n": 60, "n_parted": 0})
    assert advice(IRIS, whole).seen == "60 rows are equal to another one, “species” included."
    drifted = Finding("drift", (1,), (), {"distance": 0.4, "training": 1.0, "held": 1.0})
    assert advice(IRIS, drifted).seen == "“sepal width” is otherwise distributed in the rows held out."
    sent = Feature("sent", is_whole=True, moment=Moment("sent", "date"))
    data = make_dataset("Letters", np.arange(18628.0, 18632)[:, None], [sent], np.arange(4.0), Feature("y"))
    seen = advice(data, Finding("identifier", (0,), (), {"low": 18628, "high": 18631, "n": 4})).seen
    assert seen == "“sent” numbers the rows from 2021-01-01 to 2021-01-04."


PATH = "{http://www.w3.org/2000/svg}path"


def test_every_sample_has_a_small_picture_with_a_path_per_class_inside_of_it_and_higher_values_higher():
    for name in samples.names():
        dataset = samples.load(name)
        picture = thumbnail(dataset, *PICTURES[name])
        paths = ET.fromstring(picture).findall(PATH)
        colours = class_colours(max(len(dataset.classes), 1))
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
