"""The bundled samples, tables drawn on a plane, and simulated ones drawn anew."""

import csv
import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.filters import filter_of
from espalier.data.samples import descriptions, generators
from espalier.data.samples.descriptions import N_POSITIVE, questions
from espalier.data.samples.redrawn import (
    LONGEST,
    MOST_POINTS,
    SIMULATIONS,
    STRETCH,
    USUAL_NAME,
    Redrawing,
    five_covariate_logit,
    painted,
    painted_of,
    redraw_of,
    redrawn,
)
from espalier.data.subset import subset
from espalier.display.boundaries.surface import surface
from espalier.language import speaking
from espalier.learners import CartClassifier, CartRegressor
from espalier.paths import SAMPLE_DATA
from tests.tools.cases import case

NAMES = samples.names()


def test_the_gallery_has_the_fifteen_samples_by_their_names_in_the_address():
    expected = "iris wine breast-cancer diabetes tic-tac-toe monks-1 monks-2 monks-3 two-gaussians five-covariates"
    assert [*expected.split(), "sine", "xor", "stripes", "moons", "questionnaire"] == NAMES
    assert set(NAMES) == set(generators.GENERATORS)
    assert {path.stem for path in SAMPLE_DATA.glob("*.csv")} == set(NAMES)


def test_a_file_holds_what_its_generator_makes():
    for name in NAMES:
        with case(name):
            with (SAMPLE_DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
                header, *rows = csv.reader(file)
            own_header, own_rows = generators.GENERATORS[name]()
            assert header == own_header
            assert len(rows) == len(own_rows)
            for row, other in zip(rows, own_rows, strict=True):
                assert all(
                    a == b or float(a) == pytest.approx(float(b), abs=1e-9)
                    for a, b in zip(row, other, strict=True)
                )


def test_the_card_tells_the_truth():
    for name in NAMES:
        with case(name):
            card, dataset = samples.card(name), samples.load(name)
            assert dataset.name == card.title
            assert dataset.X.shape == (card.n_rows, card.n_columns)
            assert dataset.target.name == card.target
            assert dataset.is_classification == (card.task == "classification")
            assert card.description.endswith((".", "?"))
            assert card.source
            assert card.licence


def test_every_value_is_finite_and_every_category_and_class_occurs():
    for name in NAMES:
        with case(name):
            dataset = samples.load(name)
            assert np.isfinite(dataset.X).all()
            for column, feature in zip(dataset.X.T, dataset.features, strict=True):
                if feature.categories:
                    assert set(column) <= set(range(len(feature.categories)))
                    assert feature.kind == "ordered" or set(column) == set(range(len(feature.categories)))
            if dataset.is_classification:
                assert set(dataset.y) == set(range(len(dataset.classes)))


def test_the_sources_file_carries_the_facts_of_the_cards():
    lines = (SAMPLE_DATA / "SOURCES.md").read_text("utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")][1:]
    for (file, title, n_rows, n_columns, *others), name in zip(rows, NAMES, strict=True):
        card = samples.card(name)
        facts = (f"{name}.csv", card.title, card.n_rows, card.n_columns)
        assert (file, title, int(n_rows), int(n_columns)) == facts
        assert others == [card.target, card.task, card.source, card.licence]


def test_the_files_are_small():
    sizes = {path.name: path.stat().st_size for path in SAMPLE_DATA.iterdir()}
    assert max(sizes.values()) < 250_000
    assert sum(sizes.values()) < 1_000_000


def test_a_sample_is_read_once_and_cannot_be_changed():
    dataset = samples.load("iris")
    assert samples.load("iris") is dataset
    with pytest.raises(ValueError, match="read-only"):
        dataset.X[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        pickle.loads(pickle.dumps(dataset)).y[0] = 1


def test_digests_differ_between_samples_and_survive_a_copy():
    digests = [samples.load(name).digest for name in NAMES]
    assert len(set(digests)) == len(NAMES)
    assert pickle.loads(pickle.dumps(samples.load("wine"))).digest == samples.load("wine").digest


def test_an_unknown_sample_is_a_key_error():
    with pytest.raises(KeyError):
        samples.load("../secrets")
    with pytest.raises(KeyError):
        samples.card("titanic")


def test_loading_needs_no_pandas():
    # The first page on a bundled sample should not wait for pandas.
    import subprocess
    import sys

    code = "import sys; from espalier.data import samples; samples.load('iris'); print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_iris_is_fishers():
    iris = samples.load("iris")
    assert iris.classes == ("setosa", "versicolor", "virginica")
    assert [f.name for f in iris.features] == ["sepal length", "sepal width", "petal length", "petal width"]
    np.testing.assert_allclose(iris.X[0], [5.1, 3.5, 1.4, 0.2])
    assert np.bincount(iris.y).tolist() == [50, 50, 50]


@pytest.mark.parametrize("name", ["iris", "wine", "breast-cancer", "diabetes"])
def test_the_exported_values_are_those_of_scikit_learn(name):
    from sklearn import datasets

    load = getattr(datasets, f"load_{name.replace('-', '_')}")
    bunch = load(scaled=False) if name == "diabetes" else load()
    dataset = samples.load(name)
    X = dataset.X.copy()
    if name == "diabetes":
        X[:, 1] += 1  # sex is coded 1 and 2 there, and as the categories 0 and 1 here
    np.testing.assert_allclose(X, bunch.data)
    np.testing.assert_allclose(dataset.y, bunch.target)


def has_won(board, player):
    """Three in a row, spelled out square by square."""
    grid = [board[0:3], board[3:6], board[6:9]]
    rows = [*grid, *zip(*grid, strict=True), [grid[i][i] for i in range(3)], [grid[i][2 - i] for i in range(3)]]
    return any(all(mark == player for mark in row) for row in rows)


def test_tic_tac_toe_has_exactly_the_boards_a_game_can_end_with():
    # Naive: of all fillings, those with the right number of marks where the last to move won, or nobody can.
    def is_final(board):
        n_x, n_o = board.count("x"), board.count("o")
        if has_won(board, "x"):
            return n_x == n_o + 1 and not has_won(board, "o")
        return n_x == n_o if has_won(board, "o") else (n_x, n_o) == (5, 4)

    final = {board for board in itertools.product("xob", repeat=9) if is_final(board)}
    _, rows = generators.tic_tac_toe()
    assert {tuple(row[:-1]) for row in rows} == final
    assert len(rows) == len(final) == 958
    assert all((row[-1] == "x wins") == has_won(tuple(row[:-1]), "x") for row in rows)
    # The counts of the UCI data set of the same name.
    assert sum(row[-1] == "x wins" for row in rows) == 626


def test_monks_have_the_published_numbers_of_members():
    # Thrun et al. (1991): of all 432 robots 216, 142 and (without noise) 228 are members.
    members = {name: int(samples.load(name).y.sum()) for name in ("monks-1", "monks-2")}
    assert members == {"monks-1": 216, "monks-2": 142}
    clean = [
        (jacket == "green" and holding == "sword") or (jacket != "blue" and body != "octagon")
        for _, body, _, holding, jacket, _ in itertools.product(*descriptions.MONK_VALUES.values())
    ]
    assert sum(clean) == 228
    noisy = samples.load("monks-3").y.astype(bool)
    assert (noisy != np.array(clean)).sum() == 22  # 5 % of 432
    assert len(np.unique(samples.load("monks-1").X, axis=0)) == 432 == 3 * 3 * 2 * 3 * 4 * 2  # all different


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=5, max_size=5))
def test_the_logit_of_the_five_covariates_is_the_papers(x):
    x1, x2, x3, x4, x5 = x
    if x1 > 0.5:
        expected = 2 if x2 > 0.7 else -3 if x2 > 0.2 else -4
    elif x5 > 0.5:
        expected = 2
    else:
        curve = x3 + x4**2
        expected = 3 if curve >= 1.4 else 2 if curve >= 0.5 else -2
    assert five_covariate_logit(np.array([x]))[0] == expected


def test_the_five_covariates_follow_their_probabilities():
    dataset = samples.load("five-covariates")
    p = 1 / (1 + np.exp(-five_covariate_logit(dataset.X)))
    standard_error = np.sqrt((p * (1 - p)).sum())
    assert abs(dataset.y.sum() - p.sum()) < 4 * standard_error


def test_the_two_gaussians_stand_where_the_paper_puts_them():
    dataset = samples.load("two-gaussians")
    for k, centre in ((1, -1), (0, 1)):
        cloud = dataset.X[dataset.y == k]
        np.testing.assert_allclose(cloud.mean(axis=0), centre, atol=4 * 0.75 / np.sqrt(len(cloud)))
        np.testing.assert_allclose(cloud.std(axis=0), 0.75, atol=0.15)


def test_xor_is_the_sign_of_the_product_and_stripes_alternate():
    xor = samples.load("xor")
    assert ((xor.X.prod(axis=1) > 0) == (xor.y == xor.classes.index("same sign"))).all()
    stripes = samples.load("stripes")
    across = stripes.X @ [np.cos(np.pi / 6), np.sin(np.pi / 6)]
    assert ((np.floor(across / 0.5) % 2 == 0) == (stripes.y == stripes.classes.index("dark"))).all()


def test_the_questionnaire_has_the_shape_of_the_study():
    dataset = samples.load("questionnaire")
    sizes = [len(feature.categories) for feature in dataset.features]
    assert (sizes.count(2), sizes.count(4), sizes.count(5)) == (27, 11, 50)
    assert dataset.X.shape == (836, 88)
    assert dataset.y.sum() == N_POSITIVE == 257
    assert len({question.name for question in questions()}) == 88
    assert "ynthetic" in samples.card("questionnaire").description


def test_the_questions_tell_the_groups_apart_in_the_direction_they_are_worded():
    dataset = samples.load("questionnaire")
    correlations = np.array([np.corrcoef(column, dataset.y)[0, 1] for column in dataset.X.T])
    signs = np.array([question.sign for question in questions()])
    assert (correlations * signs > 0).mean() > 0.95
    assert 0.2 < np.abs(correlations).mean() < 0.6  # informative, and none gives the answer away
    assert np.abs(correlations).max() < 0.75


def test_a_sample_has_a_name_in_the_language_spoken_and_a_table_of_ones_own_keeps_its_name():
    iris = samples.load("iris")
    with speaking("de"):
        assert samples.title_of(iris) == "Irisblüten"
        assert samples.title_of(iris._replace(name="best")) == "best"
    assert samples.title_of(iris) == "Iris flowers"


# ---- Points drawn on a plane: the table and the text of them, and texts that name no table

places = st.floats(0, 10, allow_nan=False)
POINTS = st.lists(st.tuples(places, places, st.integers(0, 3)), min_size=1, max_size=60)


@given(POINTS)
def test_a_text_gives_the_table_back_that_it_was_written_of(points):
    table = painted("My points", points)
    again: Any = painted_of(table.text)
    assert again.dataset.digest == table.dataset.digest
    np.testing.assert_allclose(table.x, np.array(points)[:, :2], atol=0.002)


def test_a_drawing_without_points_or_under_a_name_for_no_link_is_no_table_and_seven_hundred_points_fit():
    data = painted("x", [(1, 1, 1), (2, 2, 3), (3, 3, 1)]).dataset
    assert data.classes == ("B", "D")
    assert data.y.tolist() == [0, 1, 0]
    assert len(painted("My points", [(1, 2, 0)] * 700).text) <= LONGEST
    assert len(painted("My points", [(1, 2, 0)] * 5000).y) == MOST_POINTS
    assert painted("a~b", [(1, 1, 0)]).name == USUAL_NAME
    assert painted("  ", [(1, 1, 0)]).name == USUAL_NAME
    with pytest.raises(ValueError, match="no point"):
        _ = painted("x", []).dataset
    for text in [*NO_TABLES, "drawn~<b>~AAAAAA", "drawn~x~" + "A" * 5000]:
        with case(text):
            assert painted_of(text) is None


NO_TABLES = ["", "iris", "drawn", "drawn~x", "drawn~x~", "drawn~x~AA", "drawn~x~????", "drawn~x~_____w"]


# ---- Simulated samples drawn anew: what a text names, and what noise, turning and stretching do to the rows

PLANES = [name for name, one in SIMULATIONS.items() if one.has_plane]


@pytest.mark.parametrize("name", SIMULATIONS)
def test_the_points_of_the_bundled_sample_are_drawn_by_the_same_rule(name):
    again, bundled = redrawn(Redrawing(name, rows=SIMULATIONS[name].rows)), samples.load(name)
    np.testing.assert_allclose(again.X, bundled.X)
    np.testing.assert_allclose(again.y, bundled.y)
    assert redrawn(Redrawing(name)) is bundled


@pytest.mark.parametrize("name", SIMULATIONS)
def test_another_seed_draws_other_rows_of_the_same_columns(name):
    first, second = redrawn(Redrawing(name, seed=1)), redrawn(Redrawing(name, seed=2))
    assert first.X.shape == second.X.shape
    assert not np.allclose(first.X, second.X)
    assert [f.name for f in first.features] == [f.name for f in samples.load(name).features]
    assert redrawn(Redrawing(name, seed=1)).digest == first.digest


@pytest.mark.parametrize("name", PLANES)
def test_turning_keeps_distances_and_classes(name):
    usual, turned = samples.load(name), redrawn(Redrawing(name, turn=30))
    np.testing.assert_allclose(np.linalg.norm(turned.X, axis=1), np.linalg.norm(usual.X, axis=1), atol=1e-3)
    np.testing.assert_array_equal(turned.y, usual.y)
    quarter = redrawn(Redrawing(name, turn=90))
    np.testing.assert_allclose(quarter.X, np.column_stack([-usual.X[:, 1], usual.X[:, 0]]), atol=1e-3)


@pytest.mark.parametrize("name", PLANES)
def test_stretching_an_axis_changes_no_answer_of_a_tree_and_turning_does(name):
    usual = samples.load(name)
    answers = [
        CartClassifier(max_depth=4).fit(data.X, data.y).predict(data.X)
        for data in (usual, redrawn(Redrawing(name, stretch=100.0)), redrawn(Redrawing(name, turn=25)))
    ]
    np.testing.assert_array_equal(answers[0], answers[1])
    assert (answers[0] != answers[2]).any()


def test_more_noise_flips_those_of_less_noise_too():
    usual, little, much = (redrawn(Redrawing("xor", noise=noise)).y for noise in (None, 0.1, 0.3))
    flipped = little != usual
    assert 0.05 < flipped.mean() < 0.15
    assert (much != usual)[flipped].all()


def test_more_overlap_brings_the_middles_of_the_classes_together():
    middles = []
    for overlap in (0.0, 0.5, 0.9):
        data = redrawn(Redrawing("two-gaussians", overlap=overlap))
        middles.append(np.linalg.norm(data.X[data.y == 0].mean(axis=0) - data.X[data.y == 1].mean(axis=0)))
    assert middles[0] > middles[1] > middles[2]


def test_the_curve_of_the_sine_goes_with_redrawn_rows_and_to_the_surface_and_is_dropped_with_other_rows():
    sine, noisy = samples.load("sine"), redrawn(Redrawing("sine", noise=0.5))
    card = surface(CartRegressor(max_depth=2).fit(sine.X, sine.y).tree_, sine, (0,))
    at = np.linspace(card["axes"][0]["low"], card["axes"][0]["high"], len(card["truth"]))
    assert card["truth"] == pytest.approx(np.sin(at), abs=1e-5)
    assert pickle.loads(pickle.dumps(noisy)).truth is np.sin
    for data in (
        redrawn(Redrawing("sine", stretch=10.0)),
        subset(sine, filter_of("x~gt~2")),
        samples.load("iris"),
    ):
        assert data.truth is None


SEEDS, ROWS = st.integers(0, 999), st.integers(20, 2000)


@given(st.sampled_from(PLANES), ROWS, st.integers(0, 90), st.sampled_from(STRETCH), SEEDS)
def test_a_text_is_read_as_it_was_written(name, rows, turn, stretch, seed):
    how = Redrawing(name, rows=rows, turn=float(turn), stretch=stretch, seed=seed)
    assert redraw_of(how.text) == how


def test_a_text_that_names_no_redrawing_is_none():
    wrong = "iris moons~ moons~z3 moons~n9 sine~t45 xor~o0.5 moons~r99999999 moons~s3 moons~nnan"
    for text in ["", *wrong.split()]:
        with case(text):
            assert redraw_of(text) is None
