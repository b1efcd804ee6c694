"""The records of trees: laws, what becomes of them; each function of a tree takes one or refuses it by name."""

import importlib.util
import inspect
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from espalier import export, kinds, predict
from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.display.boundaries.surface import surface
from espalier.display.tree.cards import cards
from espalier.display.tree.drawings import sample_of
from espalier.display.tree.small_tree import tree_picture
from espalier.kernels.cultivated.fractions import fractions_of, reach
from espalier.kernels.oblique import oblique_leaf_of
from espalier.kernels.route import leaf_of, path_of
from espalier.leaf_models import check_model_tree, for_classes, formula_features, make_leaf_models
from espalier.learners import (
    BaggedForestClassifier,
    CartClassifier,
    CultivatedClassifier,
    CultivatedForestRegressor,
    ModelTreeClassifier,
    ModelTreeRegressor,
    ObliqueClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.learners.pruning import prune, reduced_error
from espalier.oblique import prune_oblique_to, terms_of
from espalier.predict import leaves, through_link
from espalier.reliability.counterfactuals import cuts_of
from espalier.reliability.explanation import steps_of
from espalier.reliability.uncertainty import LEAF_DOUBT, contributions, measure_of, uncertainties
from espalier.stability.structures import splits_of
from espalier.tree.nodes import features_of
from espalier.tree.rules import bounds, boxed
from espalier.tree_checks import check_oblique, check_tree
from espalier.trees import (
    Forest,
    depths,
    is_leaf,
    make_forest,
    make_tree,
    parents,
    path_to,
    prune_to,
    read_only,
    softened,
    subtree_end,
)
from tests.tools.by_hand import admission, colours, slanted
from tests.tools.cases import case
from tests.tools.same_trees import are_same


def test_the_tree_of_the_slides_sends_applicants_where_its_words_say_and_categories_in_the_mask_go_left():
    applicants = np.array([[2.9, 100], [3.0, 100], [3.1, 64], [3.1, 65]])
    assert leaf_of(admission(), applicants).tolist() == [1, 1, 3, 4]
    assert leaf_of(colours(), np.array([[0.0], [1.0], [2.0], [3.0]])).tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize("value", [np.nan, -1.0, 64.0, 1e9])
def test_what_is_no_category_goes_where_missing_goes(value):
    assert leaf_of(colours(), np.array([[value]])).tolist() == [1]


def test_a_path_leads_from_the_root_to_the_leaf_depths_and_parents_follow_the_children_a_subtree_is_a_slice():
    assert path_of(admission(), np.array([3.1, 70])) == [0, 2, 4]
    assert path_to(admission(), 4) == [0, 2, 4]
    assert depths(admission()).tolist() == [0, 1, 1, 2, 2]
    assert parents(admission()).tolist() == [-1, 0, 0, 2, 2]
    assert (admission().depth, admission().n_leaves, admission().n_nodes) == (2, 3, 5)
    assert [subtree_end(admission(), node) for node in range(5)] == [5, 2, 5, 4, 5]


def test_pruning_a_split_makes_it_a_leaf_and_keeps_preorder_and_pruning_nothing_changes_nothing():
    pruned = prune_to(admission(), np.array([True, False, False, False, False]))
    check_tree(pruned)
    assert pruned.feature.tolist() == [0, -1, -1]
    assert pruned.value[2].tolist() == admission().value[2].tolist()
    again = prune_to(admission(), np.ones(5, dtype=bool))
    assert are_same(again, admission())


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("left", [2, -1, 3, -1, -1], "children of node 0"),
        ("right", [2, -1, 9, -1, -1], "children of node 2"),
        ("right", [4, -1, 4, -1, -1], "node 2"),
        ("threshold", [3.0, 1.0, 64.5, np.nan, np.nan], "leaf 1"),
        ("threshold", [np.nan, np.nan, 64.5, np.nan, np.nan], "node 0 needs"),
        ("weight", [1.0], "weight has 1 entries"),
    ],
)
def test_arrays_that_make_no_tree_are_refused_with_the_place(field, value, says):
    broken = admission()._replace(**{field: np.array(value)})
    with pytest.raises(ValueError, match=says):
        check_tree(broken)


def with_surrogates():
    """The tree of admissions. For the grade stands in the score, turned around, and then a third column."""
    nodes = admission()[:-1]
    seen = [0, 0b11]
    pool = ([0, 2, 2, 2, 2, 2], [0] * 5, [1, 2], [70.0, np.nan], [0, 0b10], seen, [True, False], [0.8, 0.7])
    return make_tree(*nodes, pool)


def test_the_first_surrogate_that_is_known_decides():
    for grade, score, third, leaf in [
        (2.9, 80, 0, 1),  # its own split decides where it can
        (np.nan, 80, 0, 1),  # above 70, turned around: left
        (np.nan, 70, 1, 4),  # at most 70: right, where the score alone is asked
        (np.nan, np.nan, 1, 1),  # the second surrogate: category 1 passes
        (np.nan, np.nan, 0, 3),  # and 0 does not; below, the missing score goes where the node says
        (np.nan, np.nan, np.nan, 3),  # nothing known: where the node says, right
        (np.nan, np.nan, 64, 3),  # a code that is no category is not known
        (np.nan, np.nan, 2, 3),  # nor is a category that the surrogate never saw
    ]:
        with case((grade, score, third, leaf)):
            tree = with_surrogates()
            sides = np.array([False, False, True, False, False])
            tree = tree._replace(missing_left=read_only(sides))
            x = np.array([grade, score, third])
            assert leaf_of(tree, x[np.newaxis]).tolist() == [leaf]
            assert path_of(tree, x)[-1] == leaf
            assert path_to(tree, leaf) == path_of(tree, x)


@pytest.mark.parametrize(("colour", "leaf"), [(0, 1), (1, 2), (2, 1), (3, 2), (np.nan, 1)])
def test_the_surrogates_decide_about_a_category_that_the_node_never_saw(colour, leaf):
    """Of four colours the node saw two, red (left) and green. Of size, the surrogate, at most 5 goes left."""
    pool = ([0, 1, 1, 1], [0b0011, 0, 0], [1], [5.0], [0], [0], [False], [0.9])
    tree = make_tree(*colours()[:-1], pool)
    size = 4.0 if leaf == 1 else 6.0
    other = 4.0 if leaf == 2 else 6.0
    is_seen = colour in (0, 1)
    assert leaf_of(tree, np.array([[colour, other if is_seen else size]])).tolist() == [leaf]


def test_surrogates_stay_with_their_nodes():
    tree = with_surrogates()
    assert tree.has_surrogates
    assert not admission().has_surrogates
    kept = prune_to(tree, np.array([True, False, False, False, False]))
    check_tree(kept)
    assert kept.surrogates.start.tolist() == [0, 2, 2, 2]
    assert kept.surrogates.threshold[0] == 70.0
    assert not prune_to(tree, np.zeros(5, dtype=bool)).has_surrogates
    again = pickle.loads(pickle.dumps(tree))
    assert again.surrogates.reversed.tolist() == [True, False]
    with pytest.raises(ValueError, match="read-only"):
        again.surrogates.feature[0] = 3


@pytest.mark.parametrize(
    ("start", "says"),
    [([0, 2], "where each node's begin"), ([0, 1, 1, 1, 1, 1], "every array"), ([0, 0, 2, 2, 2, 2], "leaf 1")],
)
def test_surrogates_that_fit_no_tree_are_refused(start, says):
    tree = with_surrogates()
    broken = tree._replace(surrogates=tree.surrogates._replace(start=np.array(start)))
    with pytest.raises(ValueError, match=says):
        check_tree(broken)


@pytest.fixture(scope="module")
def grown():
    data = samples.load("wine")
    cart = CartClassifier(max_depth=4).fit(data.X, data.y).tree_
    return data, cart, CultivatedClassifier(max_depth=5).fit(data.X, data.y).tree_


def test_fractions_in_a_node_are_those_that_reach_it(grown):
    data, cart, tree = grown
    start, rows, fraction = reach(tree, data.X)
    for node in range(tree.n_nodes):
        expected = np.zeros(len(data.y))
        expected[rows[start[node] : start[node + 1]]] = fraction[start[node] : start[node + 1]]
        np.testing.assert_array_equal(predict.fractions_in(tree, data.X, node), expected)
    for node in range(cart.n_nodes):
        same = predict.fractions_in(softened(cart), data.X, node)
        np.testing.assert_array_equal(predict.fractions_in(cart, data.X, node), same)


def test_fractions_do_not_depend_on_how_many_rows_are_held_together(grown, monkeypatch):
    data, _, tree = grown
    whole_table = predict.fractions_in(tree, data.X, 2)
    monkeypatch.setattr(predict, "CHUNK", 7)
    np.testing.assert_array_equal(predict.fractions_in(tree, data.X, 2), whole_table)


def test_a_softened_tree_predicts_the_same_without_any_spread(grown):
    data, cart, tree = grown
    soft = softened(cart)
    np.testing.assert_allclose(predict.shares(soft, data.X), predict.shares(cart, data.X), atol=1e-12)
    assert (predict.classes(soft, data.X) == predict.classes(cart, data.X)).all()
    assert not predict.spreads(cart, data.X).any()
    np.testing.assert_allclose(predict.spreads(soft, data.X), 0, atol=1e-9)
    assert predict.spreads(tree, data.X).max() > 0.1
    sides = np.column_stack([cart.left, cart.right])[cart.left > 0]  # a split has the mean impurity of both sides
    means = np.average(cart.impurity[sides], axis=1, weights=cart.weight[sides])
    assert soft.decisions.impurity == pytest.approx(means)


def test_the_leaf_of_a_softened_tree_is_that_of_the_tree_and_of_a_cultivated_one_that_of_the_largest_fraction(
    grown,
):
    data, cart, _ = grown
    leaf, said = predict.leaves_and_shares(cart, data.X)
    np.testing.assert_array_equal(predict.leaves(softened(cart), data.X), leaf)
    np.testing.assert_array_equal(predict.leaves(cart, data.X), leaf)
    np.testing.assert_array_equal(said, cart.value[leaf])
    data, _, tree = grown
    expected = [np.where(is_leaf(tree), fractions_of(tree, x), 0.0).argmax() for x in data.X]
    leaf, said = predict.leaves_and_shares(tree, data.X)
    assert leaf.tolist() == predict.leaves(tree, data.X).tolist() == expected
    np.testing.assert_allclose(said, predict.shares(tree, data.X), atol=1e-12)


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(n_estimators=9, random_state=0),
        BaggedForestClassifier(CultivatedClassifier(max_depth=2), 4, random_state=0),
    ],
)
def test_a_forest_of_classes_predicts_as_its_estimator_and_as_the_votes_of_its_trees(grown, estimator):
    data, *_ = grown
    forest = estimator.fit(data.X, data.y).forest_
    np.testing.assert_allclose(predict.shares(forest, data.X), estimator.predict_proba(data.X), atol=1e-12)
    np.testing.assert_array_equal(predict.classes(forest, data.X), estimator.predict(data.X))
    np.testing.assert_array_equal(predict.predictions(forest, data.X), estimator.predict(data.X))
    together = np.einsum("t,tik->ik", forest.weight, predict.votes(forest, data.X))
    np.testing.assert_allclose(together, predict.shares(forest, data.X), atol=1e-12)
    each = predict.shares_by_tree(forest, data.X).argmax(axis=2)
    for tree, chosen in zip(forest.trees, each, strict=True):
        np.testing.assert_array_equal(predict.classes(tree, data.X), chosen)


@pytest.mark.parametrize("kind", [RandomForestRegressor, CultivatedForestRegressor])
def test_a_forest_of_numbers_predicts_as_its_estimator(kind):
    data = samples.load("sine")
    estimator = kind(n_estimators=3, random_state=0).fit(data.X, data.y)
    np.testing.assert_allclose(predict.predictions(estimator.forest_, data.X), estimator.predict(data.X))
    assert (predict.packed(estimator.forest_) is None) == (kind is CultivatedForestRegressor)


def test_a_tie_in_a_forest_goes_to_the_class_that_is_most_frequent_in_training():
    tree = admission()
    tied = tree._replace(value=np.full_like(tree.value, 0.5))
    row = np.zeros((1, 2))
    assert predict.classes(tied, row).tolist() == [0]
    assert predict.classes(make_forest((tied,), [1.0], "mean", [0.3, 0.7]), row).tolist() == [1]


# The samples in the cells of a grid

HELD = np.array([7.0, 8.0, 9.0])


@pytest.mark.parametrize(
    ("axes", "at", "expected"),
    [
        ([1], [[1, 2]], [[7, 1, 9], [7, 2, 9]]),
        ([2, 0], [[1, 2, 3], [5, 6]], [[5, 8, 1], [5, 8, 2], [5, 8, 3], [6, 8, 1], [6, 8, 2], [6, 8, 3]]),
        ([0, -1], [[1, 2], [5]], [[1, 8, 9], [2, 8, 9]]),
    ],
)
def test_the_first_axis_is_fastest_and_all_other_features_are_held(axes, at, expected):
    np.testing.assert_array_equal(predict.samples_over(axes, [np.array(a, float) for a in at], HELD), expected)
    assert HELD.tolist() == [7, 8, 9]


IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")
X = np.random.default_rng(0).normal(size=(300, 4))
CLASSIFIER = ModelTreeClassifier(max_depth=2).fit(X, np.digitize(np.abs(X[:, 0]) + X[:, 1] / 4, [0.4, 1.0]))
REGRESSOR = ModelTreeRegressor(max_depth=2).fit(DIABETES.X, DIABETES.y)
MODEL = CLASSIFIER.model_tree_


def test_the_record_of_a_model_tree_predicts_as_its_estimator_and_views_of_one_answer_refuse_it():
    assert MODEL.n_leaves > 2
    assert (predict.shares(MODEL, X) == CLASSIFIER.predict_proba(X)).all()
    assert (predict.predictions(MODEL, X) == CLASSIFIER.predict(X)).all()
    assert (predict.predictions(REGRESSOR.model_tree_, DIABETES.X) == REGRESSOR.predict(DIABETES.X)).all()
    assert (predict.leaves(MODEL, X) == CLASSIFIER.apply(X)).all()
    leaf = predict.leaves(MODEL, X)
    inside = predict.fractions_in(MODEL, X, int(MODEL.tree.right[0]))
    assert ((leaf >= MODEL.tree.right[0]) == inside).all()
    assert not predict.spreads(MODEL, X).any()
    assert (predict.vote(MODEL, X, "votes").argmax(axis=1) == predict.classes(MODEL, X)).all()
    with pytest.raises(ValueError, match="a node alone has no vote"):
        predict.votes_at_nodes(MODEL, "mean")
    with pytest.raises(ValueError, match=r"this surface needs one answer in each leaf.*formulas"):
        boxed(MODEL, "this surface")


@pytest.mark.parametrize("present", [[0, 1], [0, 3], [2, 3]])
def test_classes_that_no_row_has_get_the_share_0_and_the_others_keep_theirs(present):
    rows = IRIS.y < 2
    two = ModelTreeClassifier(max_depth=1).fit(IRIS.X[rows], IRIS.y[rows]).model_tree_
    wide = two._replace(models=for_classes(two.models, present, 4))
    absent = sorted(set(range(4)) - set(present))
    shares = predict.shares(wide, IRIS.X)
    assert np.allclose(shares[:, present], predict.shares(two, IRIS.X), atol=1e-12)
    assert not shares[:, absent].any()
    check_model_tree(wide)


def test_the_only_class_that_there_is_has_all_of_the_share_and_three_classes_of_four_keep_their_scores():
    one = ModelTreeClassifier().fit(IRIS.X[:50], IRIS.y[:50]).model_tree_
    wide = for_classes(one.models, [1], 3)
    assert through_link(wide.intercept, wide.link).tolist() == [[0, 1, 0]]
    wide = for_classes(MODEL.models, [0, 1, 3], 4)
    assert (wide.coefficient[:, [0, 1, 3]] == MODEL.models.coefficient).all()
    four = predict.shares(MODEL._replace(models=wide), X)
    assert np.allclose(four[:, [0, 1, 3]], predict.shares(MODEL, X))


def test_the_features_of_a_formula_are_those_with_a_coefficient():
    models = make_leaf_models(
        [[np.nan], [1.0], [2.0]], [0, 0, 2, 3], [3, 1, 3], np.ones((3, 1)), [0.0] * 3, [1.0] * 3, [0.0] * 4,
        [-9.0], [9.0], "identity",
    )  # fmt: skip
    assert formula_features(models) == [1, 3]
    assert formula_features(models, 2) == [3]
    assert formula_features(models, 0) == []


BROKEN = [
    ({"intercept": np.ones((2, 3))}, "intercept of the formulas has the shape"),
    ({"low": np.ones(1)}, "low of the formulas has the shape"),
    ({"start": np.zeros(MODEL.n_nodes + 1, np.int32)}, "start does not say where"),
    ({"intercept": np.zeros_like(MODEL.models.intercept)}, "a leaf needs a formula, and a split has none"),
    ({"feature": MODEL.models.feature + 4}, "outside of the 4"),
    ({"low": MODEL.models.high + 1}, "low is above its high"),
    ({"least": MODEL.models.greatest, "greatest": MODEL.models.least}, "the least of a score is above"),
]


def test_formulas_that_do_not_fit_the_tree_are_refused():
    for changes, message in BROKEN:
        with case((changes, message)):
            check_model_tree(MODEL)
            with pytest.raises(ValueError, match=message):
                check_model_tree(MODEL._replace(models=MODEL.models._replace(**changes)))


NAN = np.nan


def test_a_sum_is_compared_with_the_threshold_missing_values_count_as_the_mean_and_it_is_shaped_as_any_tree():
    X = np.array([[1.0, 2, 0], [1, 2.1, 1], [3, 1, 0], [-9, 12, 0]])
    assert oblique_leaf_of(slanted(), X).tolist() == [1, 3, 4, 1]
    X = np.array([[NAN, 2.0, 0], [NAN, 2.5, 1], [1.5, NAN, NAN], [5, 5, 64], [5, 5, -1]])
    assert oblique_leaf_of(slanted(), X).tolist() == [1, 3, 4, 4, 4]
    X = np.array([[1.0, 2, 0], [3, 1, 0]])
    assert predict.leaves(slanted(), X).tolist() == [1, 4]
    assert predict.shares(slanted(), X).tolist() == [[1, 0], [0, 1]]
    assert predict.classes(slanted(), X).tolist() == [0, 1]
    assert predict.fractions_in(slanted(), X, 2).tolist() == [0, 1]
    assert predict.spreads(slanted(), X).tolist() == [0, 0]
    tree: Any = slanted()
    assert (tree.n_nodes, tree.n_leaves, tree.depth) == (5, 3, 2)
    assert depths(tree).tolist() == [0, 1, 1, 2, 2]
    assert path_to(tree, 4) == [0, 2, 4]
    assert [subtree_end(tree, node) for node in range(5)] == [5, 2, 5, 4, 5]
    assert terms_of(tree, 0)[0].tolist() == [0, 1]
    assert len(terms_of(tree, 2)[0]) == 0


def test_pruning_takes_the_terms_of_what_is_left():
    stump = prune_oblique_to(slanted(), np.array([True, False, False, False, False]))
    check_oblique(stump)
    assert stump.terms.start.tolist() == [0, 2, 2, 2]
    assert prune(slanted(), 1.0).terms.start.tolist() == [0, 0]
    assert prune(slanted(), 0.0).n_leaves == 3


def changed(**fields):
    return slanted()._replace(**fields)


def test_arrays_that_make_no_tree_are_refused_by_node():
    for tree, reason in [
        (changed(impurity=np.zeros(3)), "impurity has 3 entries"),
        (changed(right=np.array([2, -1, 3, -1, -1])), "children of node 2"),
        (changed(fill=np.array([1.0, NAN, 0])), "finite"),
        (changed(fill=np.ones(1)), "outside"),
        (changed(feature=np.array([1, -1, 2, -1, -1])), "do not begin with its feature"),
        (changed(terms=slanted().terms._replace(start=np.array([0, 1, 2, 2, 2, 2]))), "node 0 are fewer"),
        (changed(terms=slanted().terms._replace(start=np.array([0, 0, 2, 2, 2, 2]))), "node 1 has terms, but is"),
        (changed(terms=slanted().terms._replace(start=np.zeros(3))), "do not say where"),
        (changed(terms=slanted().terms._replace(coefficient=np.ones(3))), "every array needs"),
    ]:
        with case((tree, reason)):
            check_oblique(slanted())
            with pytest.raises(ValueError, match=reason):
                check_oblique(tree)


FEATURES = (Feature("x"), Feature("y"), Feature("c", "category", ("a", "b")))
TARGET = Feature("z", "category", ("no", "yes"))
DATA = make_dataset("one", np.array([[1.0, 2, 0], [3, 1, 1]]), FEATURES, np.array([0, 1]), TARGET)
NEEDS_BOXES = {
    "scikit-learn": lambda tree: export.to_sklearn(tree, FEATURES, TARGET),
    "rule": lambda tree: bounds(tree, 1),
    "contributions": lambda tree: contributions(tree, DATA.X[0]),
    "explanation": lambda tree: steps_of(tree, DATA, DATA.X[0]),
    "smallest change": lambda tree: cuts_of(tree, 3),
    "structures": splits_of,
}


@pytest.mark.parametrize("words", NEEDS_BOXES)
def test_what_needs_splits_on_one_feature_refuses_an_oblique_tree_by_name(words):
    with pytest.raises(ValueError, match=f"{words}.* needs .*oblique tree"):
        NEEDS_BOXES[words](slanted())


def test_it_knows_all_features_that_it_asks_for_and_the_doubt_of_its_leaves():
    assert features_of(slanted()) == [0, 1, 2]
    X = np.array([[1.0, 2, 0], [3, 1, 0]])
    assert measure_of(slanted()) == LEAF_DOUBT
    assert (uncertainties(slanted(), X, np.array([0, 1])).leaf_weight == [4, 4]).all()


REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"
TREE: Any = ObliqueClassifier(max_depth=4).fit(IRIS.X, IRIS.y).tree_
ARGUMENTS = {
    "dataset": IRIS, "X": IRIS.X, "x": IRIS.X[60], "y": IRIS.y, "features": IRIS.features, "target": IRIS.target,
    "alpha": 0.01, "node": 0, "others": [TREE, TREE], "combine": "votes", "b": TREE, "feature": 0,
}  # fmt: skip
OWN = {"espalier.analysis.pair_dependence": {"features": (0, 1)}}  # where a name means something else
DESCRIBED = {"features", "target"}  # which an estimator brings along, and a tree does not
OF_THE_RECORD = {"check_tree", "prune_to", "softened"}  # of `Tree` itself; `ObliqueTree` has its own, or none


def functions_of_trees():
    """Documented functions whose first argument may be a `Tree`, by name; exports also take an estimator."""
    pages = "\n".join(page.read_text("utf-8") for page in REFERENCE.glob("*.md"))
    found = {}
    for path in re.findall(r"^::: (\S+)", pages, re.MULTILINE):
        module, _, name = path.rpartition(".")
        one = getattr(importlib.import_module(module), name, None) if importlib.util.find_spec(module) else None
        if inspect.isfunction(one) and name not in OF_THE_RECORD and _takes_a_tree(one):
            found[path] = one
    return found


def _takes_a_tree(function) -> bool:
    first = next(iter(inspect.signature(function).parameters.values()), None)
    if first is not None and first.name == "model" and "export" in function.__module__:
        return not function.__name__.startswith("forest_")
    return first is not None and bool(re.fullmatch(r"(Any|Some)?Tree( \|.*)?", str(first.annotation)))


FUNCTIONS = functions_of_trees()


def test_the_walk_finds_functions_of_every_subject():
    assert {path.split(".")[1] for path in FUNCTIONS} >= {"analysis", "export", "learners", "predict", "trees"}


def refusal_of(function, given) -> str | None:
    """None if the tree is taken; "oblique" if the refusal says that word, else what it says."""
    try:
        function(TREE, **given)
    except ValueError as wrong:
        return "oblique" if "oblique" in str(wrong) else str(wrong)
    return None


def test_a_public_function_takes_an_oblique_tree_or_refuses_it_by_name():
    for path in FUNCTIONS:
        with case(path):
            function = FUNCTIONS[path]
            _, *others = inspect.signature(function).parameters.values()
            known = ARGUMENTS | OWN.get(path, {})
            needed = (
                one.name for one in others if one.default is inspect.Parameter.empty or one.name in DESCRIBED
            )
            given = {name: known[name] for name in needed}
            assert refusal_of(function, given) in (None, "oblique")


def test_a_pruned_oblique_tree_is_a_part_of_the_whole_one():
    rows = np.arange(150) % 3 == 0
    whole: Any = ObliqueClassifier().fit(IRIS.X[~rows], IRIS.y[~rows]).tree_
    for pruned in (prune(whole, 0.05), reduced_error(whole, IRIS.X[rows], IRIS.y[rows])):
        assert 1 < pruned.n_leaves <= whole.n_leaves
        where = leaves(whole, IRIS.X)
        parts = {(leaf, part) for leaf, part in zip(where.tolist(), leaves(pruned, IRIS.X).tolist(), strict=True)}
        assert len(parts) == len(set(where.tolist()))


OBLIQUE = ObliqueClassifier(max_depth=2).fit(IRIS.X, IRIS.y).tree_
SHALLOW_MODEL = ModelTreeClassifier(max_depth=1).fit(IRIS.X, IRIS.y).model_tree_
SOFT: Any = CultivatedClassifier(max_depth=1).fit(IRIS.X, IRIS.y).tree_
EVERYONE = np.ones(len(IRIS.y), bool)


@pytest.mark.parametrize("tree", [OBLIQUE, SHALLOW_MODEL], ids=["oblique", "model"])
@pytest.mark.parametrize("function", [softened, lambda tree: prune_to(tree, np.zeros(tree.n_nodes, bool))])
def test_what_takes_only_trees_of_questions_on_one_feature_names_the_kind_and_what_to_give(function, tree):
    with pytest.raises(ValueError, match=rf"knows no {type(tree).__name__}: give it the tree of a CART learner"):
        function(tree)


def test_check_tree_checks_oblique_and_model_trees_by_their_own_rules_and_refuses_the_rest_by_name():
    check_tree(OBLIQUE)
    check_tree(SHALLOW_MODEL)
    with pytest.raises(ValueError, match="children of node 0"):
        check_tree(OBLIQUE._replace(left=np.zeros(OBLIQUE.n_nodes, np.int32)))
    with pytest.raises(ValueError, match="check_tree knows no CultivatedTree"):
        check_tree(SOFT)
    with pytest.raises(ValueError, match="softened knows no CultivatedTree"):
        softened(SOFT)


def test_every_kind_of_tree_is_in_every_column_of_the_table_of_kinds():
    for kind in kinds.KINDS:
        expected = {"asked_by", "set_splits", "shares"} if kind is Forest else set(kinds.ABILITIES)
        assert kinds.table()[kind] == expected


def test_pictures_of_boxes_refuse_trees_without_boxes_by_name():
    for draw in [
        lambda tree: surface(tree, IRIS, (0, 1)),
        lambda tree: cards(tree, IRIS, EVERYONE),
        lambda tree: tree_picture(tree, IRIS.features, IRIS.target).draw(False),
        lambda tree: sample_of(tree, IRIS.X, IRIS.y),
    ]:
        for tree, says in [(OBLIQUE, "splits on one feature each"), (SHALLOW_MODEL, "one answer in each leaf")]:
            with case(draw), pytest.raises(ValueError, match=f"{says}.*Take a CART tree"):
                draw(tree)


def test_names_of_scikit_learn_are_there_where_they_mean_the_same():
    tree = admission()
    assert (tree.capacity, tree.n_classes.tolist()) == (tree.node_count, [tree.value.shape[1]])
