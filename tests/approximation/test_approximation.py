"""How closely a tree follows a model, growing it again and again, and what is said and drawn of it."""

import math
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from espalier.approximation import pictures as fidelity_by_depth
from espalier.approximation import words
from espalier.approximation.fidelity import (
    Fidelity,
    FidelityLevel,
    arrange,
    candidates,
    class_agreement,
    cut,
    enough,
    fidelity,
    fidelity_levels,
    r2,
    replications,
    seeds_of,
)
from espalier.approximation.words import SplitFacts
from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.display.tree.cards import cards
from espalier.forests import surfaces as forests_surfaces
from espalier.learners import ApproximationClassifier, RandomForestClassifier
from espalier.learners.approximation.classifier import inputs_of, regrow
from espalier.learners.approximation.split_test import make_considered
from espalier.learners.black_boxes.ready import read_onnx
from espalier.progress import Progress
from tests.tools import onnx_files
from tests.tools.by_hand import admission, colours
from tests.tools.onnx_files import FLOAT, by_column, classifier, linear
from tests.tools.same_trees import are_same

SHARES = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.4, 0.6]])
TREE = np.array([[0.7, 0.3], [0.4, 0.6], [0.2, 0.8], [0.4, 0.6]])


def test_both_measures_of_fidelity_by_hand_for_classes_for_numbers_and_where_there_is_nothing_to_say():
    found = fidelity(SHARES, TREE, True)
    assert found.n_samples == 4
    assert found.distance == pytest.approx((0.2 + 0.2 + 0 + 0) / 4)
    assert found.distance == pytest.approx(np.abs(SHARES[:, 1] - TREE[:, 1]).mean())
    assert found.agreement == 3 / 4
    sure = np.eye(3)
    assert fidelity(sure, sure[[1, 2, 0]], True) == (3, 1.0, 0.0)
    assert fidelity(sure, sure, True) == (3, 0.0, 1.0)
    said, told = np.array([[1.0], [2.0], [6.0]]), np.array([[2.0], [2.0], [5.0]])
    found = fidelity(said, told, False)
    assert found.distance == pytest.approx(2 / 3)
    assert found.agreement == pytest.approx(1 - 2 / (4 + 1 + 9))
    nothing = fidelity(np.empty((0, 2)), np.empty((0, 2)), True)
    assert nothing.n_samples == 0
    assert math.isnan(nothing.distance)
    assert math.isnan(nothing.agreement)
    assert math.isnan(r2(np.ones(3), np.ones(3)))


def test_a_tree_that_is_cut_off_answers_as_its_nodes_do_and_fidelity_by_depth_is_that_of_the_tree_cut_off_there():
    whole = admission()
    assert [cut(whole, depth).n_leaves for depth in range(4)] == [1, 2, 3, 3]
    assert cut(whole, 0).value.tolist() == [[0.6, 0.4]]
    assert cut(whole, 1).value[2].tolist() == whole.value[2].tolist()
    X = np.array([[2.0, 70], [3.5, 60], [3.5, 70], [4.0, 80]])
    said = np.array([[0.9, 0.1], [0.7, 0.3], [0.1, 0.9], [0.0, 1.0]])
    levels = fidelity_levels(admission(), X, said, True)
    assert [one.depth for one in levels] == [0, 1, 2]
    assert [one.n_leaves for one in levels] == [1, 2, 3]
    assert [one.fidelity.agreement for one in levels] == [0.5, 0.75, 1.0]  # 6 of 10 rejected; by gpa; by both
    assert levels[0].fidelity.distance == pytest.approx(np.abs(said[:, 0] - 0.6).mean())
    assert levels[2].fidelity.distance == pytest.approx((0.1 + 0.3 + 0.1 + 0) / 4)


@pytest.mark.parametrize(
    ("distances", "depth"),
    [
        ([0.5, 0.2, 0.1, 0.095], 2),  # 0.005 is 1 % of 0.5
        ([0.5, 0.2, 0.1, 0.08], 3),
        ([0.5, 0.2, 0.194, 0.190, 0.188], 2),  # each takes 1 % away, all from depth 1 on more than 2 %
        ([0.5, 0.3, 0.4, 0.31], 1),  # what is lost on the way down does not come back
        ([0.0], 0),
        ([0.5, 0.5, 0.1], 2),  # a level may only pay later
    ],
)
def test_it_is_enough_where_all_deeper_levels_together_take_little_away(distances, depth):
    assert enough([level(d, distance) for d, distance in enumerate(distances)]) == depth


def test_agreement_is_counted_by_the_class_that_the_model_says():
    found = class_agreement(np.column_stack([SHARES, np.zeros(4)]), np.column_stack([TREE, np.zeros(4)]))
    assert found[:2] == [(2, 0.5), (2, 1.0)]
    n_rows, share = found[2]
    assert n_rows == 0
    assert math.isnan(share)


IRIS, SPECIES = (np.asarray(a) for a in load_iris(return_X_y=True))
FOREST = RandomForestClassifier(n_estimators=10, random_state=0).fit(IRIS, SPECIES)
MODEL = ApproximationClassifier(FOREST, max_depth=3, initial_samples=500, max_samples=3000, random_state=0).fit(
    IRIS
)


def test_grown_again_the_tree_is_the_one_that_was_fitted_and_trees_depend_on_the_seed_alone_and_come_in_order():
    tree, considered = regrow(inputs_of(MODEL), MODEL._seed(), Progress())
    assert are_same(tree, MODEL.tree_)
    assert np.array_equal(considered.p_value, MODEL.considered_.p_value, equal_nan=True)
    one = list(replications(MODEL, 6, seed=3))
    many = list(replications(MODEL, 8, seed=3, n_jobs=3))
    assert all(are_same(a.tree, b.tree) for a, b in zip(one, many, strict=False))
    assert not are_same(one[0].tree, one[1].tree)
    assert not are_same(one[0].tree, next(replications(MODEL, 1, seed=4)).tree)
    assert len(set(seeds_of(3, 100))) == 100


def test_the_fitted_approximation_is_left_as_it_was_and_progress_counts_all_rows_of_all_replications():
    asked = MODEL.oracle_.n_asked
    list(replications(MODEL, 2))
    assert asked <= MODEL.oracle_.n_asked <= asked + len(MODEL.table_.X)
    progress = Progress()
    grown = list(replications(MODEL, 5, 0, 2, progress))
    assert len(grown) == 5
    assert (progress.done, progress.is_stopped) == (5 * len(IRIS), False)


def test_told_to_stop_no_further_tree_comes():
    progress, asked = Progress(), []

    def chance(X):
        asked.append(len(X))
        return np.where(X[:, 0] > 5.8, 0.8, 0.2)

    model = ApproximationClassifier(chance, max_depth=2, initial_samples=500, max_samples=3000).fit(IRIS)
    asked.clear()
    stream = replications(model, 50, progress=progress)
    first = next(stream)
    progress.stop()
    assert list(stream) == []
    assert first.tree.n_nodes > 1
    per_tree = first.considered.n_samples.sum()
    assert sum(asked) < 25 * per_tree


def test_a_stream_that_is_left_ends_its_threads_and_what_cannot_be_replicated_is_named():
    stream = replications(MODEL, 200, n_jobs=2)
    next(stream)
    stream.close()
    with pytest.raises(StopIteration):
        next(stream)
    with pytest.raises(ValueError, match="replications is 0"):
        replications(MODEL, 0)
    with pytest.raises(NotFittedError):
        replications(ApproximationClassifier(FOREST), 2)


CLASSES = ("malignant", "benign")
NAMES = ("radius", "area")


def table(y=None, names=NAMES, classes: Any = CLASSES):
    """Malignant is what is large; area is twenty times radius, about."""
    X = np.random.default_rng(0).normal(size=(300, 2)) @ np.diag([1.0, 20.0])
    y = (X[:, 1] < X[:, 0] * 3).astype(int) if y is None else y(X)
    return make_dataset("t", X, [Feature(name) for name in names], y, Feature("y", "category", tuple(classes)))


def model_of(data, weights):
    """A model of two classes, numbered: class 1 where the sum of the weighted columns is positive."""
    return read_onnx(chance_of_one(np.asarray(weights, np.float32)), data.features, data.classes)


def chance_of_one(weights):
    """The chance of class 1, as (n, 1): a logistic regression."""
    helper, value, constant = onnx_files.helper, onnx_files.value, onnx_files.constant
    nodes = [helper.make_node("MatMul", ["X", "w"], ["z"]), helper.make_node("Sigmoid", ["z"], ["chance"])]
    ports = [value("X", FLOAT, (None, len(weights)))], [value("chance", FLOAT, (None, 1))]
    return onnx_files.file(nodes, *ports, [constant("w", weights[:, None])])


IS_BENIGN = [3.0, -1.0]  # the truth of `table`: class 1 of the table, where 3 radius > area
IS_MALIGNANT = [-3.0, 1.0]


def test_a_model_of_the_tables_own_orders_is_taken_as_it_is_another_is_turned_and_what_somebody_chooses_counts():
    data = table()
    model, found = arrange(model_of(data, IS_BENIGN), data)
    assert (found.classes, found.columns, found.right, found.as_table) == ((0, 1), (0, 1), 1.0, 1.0)
    assert (model.predict(data.X) == data.y).all()
    assert words.order_words(found, data) == (
        "Your model's class 0 = malignant, 1 = benign. Your model's columns stand as in the table: radius, area. "
        "So it is right in 100 % of the rows; in the table's own order it is right in 100 % of the rows."
    )
    assert words.warning(found, data) == ""
    upside_down = model_of(data, IS_MALIGNANT)
    assert (upside_down.predict(data.X) == data.y).mean() == 0
    model, found = arrange(upside_down, data)
    assert found.classes == (1, 0)
    assert (model.predict(data.X) == data.y).all()
    assert words.order_words(found, data) == (
        "Your model's class 0 = benign, 1 = malignant. Your model's columns stand as in the table: radius, area. "
        "So it is right in 100 % of the rows; in the table's own order it is right in 0 % of the rows."
    )
    model, found = arrange(model_of(data, [-1.0, 3.0]), data)  # area, radius
    assert found.columns == (1, 0)
    assert found.classes == (0, 1)
    assert (model.predict(data.X) == data.y).all()
    model, found = arrange(model_of(data, IS_BENIGN), data, classes=(1, 0), columns=(0, 1))
    assert (found.classes, found.right) == ((1, 0), 0.0)
    assert (model.predict(data.X) != data.y).all()
    assert "So it is right in 0 % of the rows;" in words.order_words(found, data)


def test_a_model_that_does_not_know_the_table_is_named_with_the_baseline_and_the_question():
    data = table(lambda X: (np.random.default_rng(1).random(len(X)) < 0.7).astype(int))
    _, found = arrange(model_of(data, IS_BENIGN), data)
    assert found.is_useless
    said = words.warning(found, data)
    assert "better than always saying benign:** it is right in" in said
    assert said.endswith("Are the columns in the right order?")


def test_classes_and_columns_by_name_leave_nothing_to_choose():
    data = table()
    model = read_onnx(classifier(["benign", "malignant"], zipmap=True), data.features, data.classes)
    _, found = arrange(model, data)
    assert not found.may_classes
    assert "class" not in words.order_words(found, data)
    data = make_dataset("n", table().X, [Feature(n) for n in NAMES], table().X.sum(axis=1), Feature("y"))
    model, found = arrange(read_onnx(by_column(["area", "radius"], [FLOAT] * 2), data.features), data)
    assert (found.may_columns, found.may_classes) == (False, False)
    assert found.right == pytest.approx(1, abs=1e-6)
    assert model.predict(data.X) == pytest.approx(data.y, abs=1e-4)
    assert words.order_words(found, data) == ""


def test_numbers_are_judged_by_how_much_they_explain_and_three_classes_are_matched_one_to_one():
    X = table().X
    data = make_dataset("n", X, [Feature(n) for n in NAMES], 5 * X[:, 0] + 1, Feature("y"))
    _, found = arrange(read_onnx(linear([0.0, 5.0], 1.0), data.features), data)
    assert found.columns == (1, 0)
    assert found.right == pytest.approx(1, abs=1e-6)
    assert not found.is_useless
    _, found = arrange(read_onnx(linear([0.0, 0.0], 9.0), data.features), data)
    assert words.warning(found, data).startswith("**Hardly better than always saying the mean:** R² of its")
    data = table(lambda X: np.argsort(np.argsort(X[:, 0])) * 3 // len(X), classes=("low", "middle", "high"))
    model = read_onnx(classifier([0, 1, 2], zipmap=False), data.features, data.classes)
    X = np.abs(data.X)
    said = model.predict(X)
    turned = make_dataset("t", X, data.features, np.array([2, 0, 1])[said], data.target)
    arranged, found = arrange(model, turned)
    seen = np.unique(said).tolist()
    assert [found.classes[j] for j in seen] == [[2, 0, 1][j] for j in seen]
    assert (arranged.predict(X) == turned.y).all()


def test_orders_that_people_use_are_each_offered_once_and_what_is_no_order_is_refused():
    assert candidates(["b", "a"]) == {"as in the table": (0, 1), "by the alphabet": (1, 0)}
    assert candidates(["b", "c", "a"]) == {
        "as in the table": (0, 1, 2),
        "by the alphabet": (2, 0, 1),
        "the other way round": (2, 1, 0),
    }
    assert candidates(["a"]) == {"as in the table": (0,)}
    data = table()
    with pytest.raises(ValueError, match=r"\[0, 0\] is no order of 2"):
        arrange(model_of(data, IS_BENIGN), data, classes=(0, 0))


NAN = float("nan")
GPA, TOEFL = Feature("gpa"), Feature("toefl")


def told(p_root=NAN, p_rivals=(0.3, 0.05), decided=(False, True), feature=(0, 1, 0), is_exact=False):
    """The course's tree; at the root gpa and two rivals, at node 2 toefl alone."""
    nodes = 5
    counts = np.array([7, 0, 4, 0, 0])
    sure = np.array([decided[0], False, decided[1], False, False])
    p = np.array([p_root, NAN, 0.01, NAN, NAN])
    runners = (
        [0, 3, 3, 4, 4, 4], [*feature, 1], [3.0, 60.0, 2.5, 64.5], [0] * 4, [False] * 4, [0.2, 0.15, 0.1, 0.3],
        [NAN, *p_rivals, NAN],
    )  # fmt: skip
    n_samples = np.array([30_000, 0, 10_000, 0, 0])
    made = make_considered(counts, np.zeros(nodes), n_samples, [3, 0, 1, 0, 0], p, sure, runners)
    return SplitFacts(admission(), made, (GPA, TOEFL), np.zeros(2, dtype=bool), 0.1, is_exact)


def level(depth, distance, agreement=0.9):
    return FidelityLevel(depth, 2**depth, Fidelity(100, distance, agreement))


# ---- in words


def test_a_split_that_the_test_decided_says_so_exact_ones_speak_of_no_samples_and_runners_have_their_chances():
    one = told(p_root=0.04, decided=(True, True))
    assert words.status(one, 0) == words.SURE
    assert words.verdict(one, 0) == (
        "**Decided with 30,000 made-up cases**: others differ with a chance of at most 4 %."
    )
    assert words.sureness(one) == "Every split was decided by the test."
    assert words.unsure_splits(one) == []
    one = told(decided=(True, True), is_exact=True)
    assert words.verdict(one, 0) == "**Found exactly:** the split that sampling without end would find."
    assert words.status(one, 0) == words.EXACT
    assert words.sureness(one) == "Every split is exact."
    assert "chance" not in words.runners_table(one, 0)
    table = words.runners_table(told(), 0)
    assert table["column"].tolist() == ["✓ gpa", "toefl", "gpa"]
    assert table["asks"].tolist() == ["≤ 3", "≤ 60", "≤ 2.5"]
    assert table["chance"].tolist() == ["best", "30 %", "5 %"]
    assert table["gain"].tolist() == [0.2, 0.15, 0.1]


def test_a_tie_warns_of_the_column_or_leaves_the_threshold_open():
    one = told(p_root=0.35)
    assert words.status(one, 0) == words.COLUMN
    said = words.verdict(one, 0)
    assert said.startswith(
        "**Do not rely on the column:** toefl ≤ 60 was not found to be worse. After 30,000 made-up"
    )
    assert words.unsure_splits(one) == [0]
    assert words.sureness(one) == "1 of 2 splits were decided; **?** marks the others."
    assert "<toefl ≤ 60>" in words.verdict(one, 0, lambda text: f"<{text}>")
    one = told(p_root=0.35, feature=(0, 0, 1), p_rivals=(0.3, 0.05))
    assert words.status(one, 0) == words.THRESHOLD
    assert words.verdict(one, 0).startswith("**Only the threshold is open.**")


def test_leaves_and_a_root_that_was_stopped_say_why_they_are_not_split():
    one = told()
    assert words.status(one, 1) == ""
    assert "no split was tried here" in words.verdict(one, 1)
    root = make_considered([7], [0], [500], [1], [0.4], [False], ([0, 1], [0], [3.0], [0], [False], [0.2], [NAN]))
    one = SplitFacts(cut(admission(), 0), root, (GPA, TOEFL), np.zeros(2, dtype=bool), 0.1)
    assert "growing was stopped" in words.verdict(one, 0)
    assert words.sureness(one) == "The tree asks nothing."
    nothing = make_considered([7], [0], [500], [1], [0.0], [True], ([0, 0], *[[]] * 6))
    assert "no split of these rows changes" in words.verdict(one._replace(considered=nothing), 0)


@pytest.mark.parametrize(("p", "written"), [(0.001, "0.1 %"), (0.0006, "<0.1 %"), (0.0, "<0.1 %")])
def test_a_chance_below_one_in_a_thousand_is_not_given_as_a_number(p, written):
    assert words.runners_table(told(p_rivals=(0.3, p)), 0)["chance"].tolist() == ["best", "30 %", written]


def test_runners_on_categories_are_named():
    tree = colours()
    made = make_considered(
        [1, 0, 0], [0] * 3, [100, 0, 0], [1, 0, 0], [0.0, NAN, NAN], [True, False, False],
        ([0, 1, 1, 1], [0], [NAN], [0b101], [False], [0.5], [NAN]),
    )  # fmt: skip
    colour = Feature("colour", "category", ("red", "green", "blue"))
    one = SplitFacts(tree, made, (colour,), np.zeros(1, dtype=bool), 0.1)
    assert words.asks(one, 0) == "colour is red or blue"
    assert words.runners_table(one, 0)["asks"].tolist() == ["is red or blue"]


@pytest.mark.parametrize(
    ("depths", "enough", "deepest", "said"),
    [
        (3, 2, 3, "**Depth 2 is enough:**"),
        (3, 3, 3, "**Still gaining at depth 3.**"),
        (3, 3, 5, "the rows allow no deeper tree"),
    ],
)
def test_where_to_stop_is_said(depths, enough, deepest, said):
    levels = [level(d, 0.5 / (d + 1)) for d in range(depths + 1)]
    assert said in words.enough_words(levels, enough, deepest)


# ---- pictures


def test_undecided_splits_are_marked_and_the_cards_are_then_others():
    data = samples.load("iris")
    tree = admission()._replace(value=np.tile([0.2, 0.3, 0.5], (5, 1)))
    plain = cards(tree, data, np.arange(20))
    marked = fidelity_by_depth.mark_unsure(plain, [2])
    assert [card["id"] for card in marked["nodes"] if card.get("unsure")] == [2]
    assert marked["id"] != plain["id"]
    assert not any("unsure" in card for card in plain["nodes"])
    assert fidelity_by_depth.mark_unsure(plain, []) is plain


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("is_classification", [False, True])
def test_the_curve_has_a_point_for_each_depth_and_a_mark(is_classification, dark):
    lines = {
        "made-up cases": [level(0, 0.6, 0.3), level(1, 0.2, 0.8), level(2, 0.19, 0.81)],
        "held out <b>": [level(0, 0.7, NAN), level(1, 0.3, NAN), level(2, 0.2, NAN)],
    }
    for measure in fidelity_by_depth.measures(is_classification):
        drawn = fidelity_by_depth.depth_picture(lines, measure, 1).draw(dark)
        svg = ElementTree.fromstring(drawn)
        known = 2 if measure.key == "distance" else 1
        assert len(svg.findall(".//{*}circle")) == 3 * known + known  # and in the legend
        assert [text.text for text in svg.findall(".//{*}text")].count("enough") == 1
        assert "enough" not in fidelity_by_depth.depth_picture(lines, measure, None).draw(dark)
        assert "<b>" not in drawn


def test_a_lone_root_has_a_curve_of_one_point_and_curves_are_told_in_numbers():
    measure = fidelity_by_depth.measures(True)[1]
    drawn = fidelity_by_depth.depth_picture({"made-up cases": [level(0, 0.0, 1.0)]}, measure, 0).draw(False)
    assert len(ElementTree.fromstring(drawn).findall(".//{*}circle")) == 2  # and in the legend
    first, second = fidelity_by_depth.measures(True)
    lines = {"made-up cases": [level(0, 0.6, 0.3), level(1, 0.2, 0.8)]}
    assert fidelity_by_depth.depth_picture(lines, first, 1).alt == (
        "Average gap in the chances on made-up cases, by depth from 0: 0.6, 0.2. Depth 1 is enough."
    )
    assert "30 %, 80 %" in fidelity_by_depth.depth_picture(lines, second, None).alt


def test_the_gap_of_classes_is_half_the_sum_and_of_numbers_a_part_of_the_range():
    model, tree = np.array([[0.9, 0.1, 0], [0.4, 0.5, 0.1]]), np.array([[0.8, 0.1, 0.1], [0.6, 0.3, 0.1]])
    gaps, is_other = fidelity_by_depth.gap(model, tree, samples.load("iris"))
    assert gaps == pytest.approx([0.1, 0.2])
    assert is_other.tolist() == [False, True]
    data = samples.load("diabetes")
    span = data.y.max() - data.y.min()
    gaps, is_other = fidelity_by_depth.gap(np.array([[0.0], [0.0]]), np.array([[span / 4], [3 * span]]), data)
    assert gaps == pytest.approx([0.25, 1.0])
    assert not is_other.any()


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_of_the_gap_is_paper_where_both_say_the_same(dark, monkeypatch):
    drawn = []
    monkeypatch.setattr(fidelity_by_depth, "frame_picture", lambda colours, *_: drawn.append(colours) or "<svg/>")
    data = samples.load("iris")
    plane = forests_surfaces.plane_of(data, (2, 3))
    said = np.tile([0.6, 0.3, 0.1], (3, 1))
    other = np.array([[0.6, 0.3, 0.1], [0.5, 0.4, 0.1], [0.3, 0.6, 0.1]])
    fidelity_by_depth.gap_picture(*fidelity_by_depth.gap(said, other, data), plane, data).draw(dark)
    paper = [0x17, 0x16, 0x14] if dark else [255, 255, 255]
    assert drawn[0][0].tolist() == paper
    far = np.abs(drawn[0].astype(int) - paper).sum(axis=1)
    assert 0 == far[0] < far[1] < far[2]


def test_the_gap_is_told_in_numbers():
    for name, is_other, said in (
        ("iris", True, "Over 50 % of this plane"),
        ("iris", False, "Over 0 % of this plane"),
        ("diabetes", True, "20 % of the target's range"),
    ):
        data = samples.load(name)
        gaps = np.array([0.1, 0.3]), np.array([False, is_other])
        plane = forests_surfaces.plane_of(data, (2, 3))
        assert said in fidelity_by_depth.gap_picture(*gaps, plane, data).alt
