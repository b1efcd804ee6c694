"""A tree handed to scikit-learn predicts there what it predicts here, and other programs can read it."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import tree as sklearn_tree
from sklearn.base import clone

from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.export import to_sklearn
from espalier.export.sklearn import LostSplits, rounded_down
from espalier.kernels.task import midpoint
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, OptimalClassifier
from espalier.learners.imports import nodes
from espalier.predict import shares
from espalier.trees import is_leaf
from tests.tools import random_trees
from tests.tools.by_hand import stump

untimed = settings(deadline=None, max_examples=80)
IRIS, SINE = samples.load("iris"), samples.load("sine")
NAMES = [feature.name for feature in IRIS.features]
CART = CartClassifier(max_depth=3).fit(IRIS.X, IRIS.y)
SMOOTH = CartRegressor(max_depth=3).fit(SINE.X, SINE.y)
THEIRS: Any = to_sklearn(CART.tree_, IRIS.features, IRIS.target)


@st.composite
def cases(draw):
    """A tree without splits on categories, its target, and rows with thresholds, their neighbours and missing."""
    features = tuple(Feature(f"x{column}") for column in range(draw(st.integers(1, 3))))
    target = draw(random_trees.targets())
    tree = draw(random_trees.trees(features, target))
    rows = draw(random_trees.samples(features, tree))
    nearest = rows.astype(np.float32)
    beside = [np.nextafter(nearest, np.float32(side)) for side in (-np.inf, np.inf)]
    return tree, features, target, np.concatenate([rows, nearest, *beside]).astype(np.float64)


@pytest.mark.filterwarnings("ignore::espalier.export.sklearn.LostSplits")
@untimed
@given(cases())
def test_predictions_are_those_for_the_rows_as_float32(case):
    tree, features, target, X = case
    theirs: Any = to_sklearn(tree, features, target)
    expected = shares(tree, X.astype(np.float32).astype(np.float64))
    if target.categories:
        assert np.array_equal(theirs.predict_proba(X), expected)
        assert theirs.predict(X).tolist() == [target.categories[c] for c in expected.argmax(axis=1)]
    else:
        assert np.array_equal(theirs.predict(X), expected[:, 0])


NUMBERS = st.floats(-1e30, 1e30, allow_nan=False).filter(lambda value: value == 0 or abs(value) > 1e-30)


@untimed
@given(NUMBERS, st.integers(1, 2**31))
def test_a_threshold_halfway_between_two_values_parts_them_unless_float32_has_one_number_for_both(low, apart):
    high = low + abs(low) * apart * 2.0**-53 + 2.0**-99 * apart
    threshold = rounded_down(np.array([midpoint(low, high)]))[0]
    if np.float32(low) < np.float32(high):
        assert np.float32(low) <= threshold < np.float32(high)


def test_a_threshold_is_rounded_down_also_where_float32_ends_so_that_values_above_it_change_sides():
    tree, value = stump(0.8, ([0.0], [1.0])), np.array([[0.8]])
    assert shares(tree, value)[0, 0] == 0  # at most 0.8
    assert to_sklearn(tree).predict(value)[0] == 1  # 0.800000012 is not
    assert shares(tree, value.astype(np.float32).astype(float))[0, 0] == 1
    values = [math.inf, -math.inf, 1e300, -1e300, 1e-60, -1e-60, 1.0]
    most = float(np.finfo(np.float32).max)
    tiny = float(np.finfo(np.float32).smallest_subnormal)
    assert rounded_down(np.array(values)).tolist() == [math.inf, -math.inf, most, -math.inf, 0.0, -tiny, 1.0]


def test_a_tree_has_the_nodes_of_the_tree_that_scikit_learn_grows():
    grown = sklearn_tree.DecisionTreeClassifier(max_depth=3, random_state=0)
    grown.fit(IRIS.X[:, [2]], IRIS.y)
    ours = CartClassifier(max_depth=3).fit(IRIS.X[:, [2]], IRIS.y)
    theirs: Any = to_sklearn(ours.tree_)
    for name in ("children_left", "children_right", "feature", "n_node_samples", "weighted_n_node_samples"):
        assert np.array_equal(getattr(theirs.tree_, name), getattr(grown.tree_, name)), name
    for name in ("threshold", "impurity", "value"):
        assert getattr(theirs.tree_, name) == pytest.approx(getattr(grown.tree_, name)), name
    for name in ("n_features_in_", "n_outputs_", "n_classes_", "max_features_"):
        assert getattr(theirs, name) == getattr(grown, name), name
    assert theirs.get_depth() == grown.get_depth()
    assert theirs.feature_importances_ == pytest.approx(grown.feature_importances_)


def test_an_optimal_tree_and_a_lone_leaf_become_trees_that_can_be_cloned_and_fitted_as_any_of_theirs():
    model = OptimalClassifier(max_depth=2).fit(IRIS.X, IRIS.y)
    theirs = to_sklearn(model.tree_)
    assert theirs.score(IRIS.X.astype(np.float32), IRIS.y) == model.score(IRIS.X, IRIS.y)
    leaf = CartRegressor().fit([[0.0], [1.0]], [3.0, 3.0]).tree_
    assert to_sklearn(leaf).predict([[7.0]]).tolist() == [3.0]
    again: Any = clone(THEIRS)
    again.fit(IRIS.X, IRIS.y)
    assert again.get_n_leaves() > THEIRS.get_n_leaves()  # parameters are scikit-learn's own


@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
def test_the_impurity_is_that_of_the_criterion_whatever_the_tree_was_grown_with(criterion: str):
    name: Any = criterion
    grown = sklearn_tree.DecisionTreeClassifier(criterion=name, max_depth=1).fit(IRIS.X, IRIS.y)
    ours = CartClassifier(criterion="misclassification", max_depth=1).fit(IRIS.X, IRIS.y).tree_
    theirs: Any = to_sklearn(ours, IRIS.features, IRIS.target, criterion)
    assert theirs.criterion == criterion
    assert theirs.tree_.impurity[0] == pytest.approx(grown.tree_.impurity[0])


def test_splits_on_categories_cultivated_trees_and_what_does_not_fit_the_tree_are_refused_by_name():
    X = np.array([[0.0], [1], [2], [0], [1], [2]])
    model = CartRegressor(categorical_features=[0]).fit(X, [1.0, 5, 1, 1, 5, 1])
    with pytest.raises(ValueError, match=r"splits 'colour' by sets of categories"):
        to_sklearn(model.tree_, [Feature("colour", "category", ("red", "green", "blue"))], Feature("y"))
    model = CultivatedClassifier(max_depth=2).fit(IRIS.X, IRIS.y)
    with pytest.raises(ValueError, match="both ways"):
        to_sklearn(model.tree_)
    with pytest.raises(ValueError, match="a node has 3 values, but the target 'y' has 0 classes"):
        to_sklearn(CART.tree_, IRIS.features, Feature("y"))
    with pytest.raises(ValueError, match="the tree splits on column 3, but features has 1 entries"):
        to_sklearn(CART.tree_, IRIS.features[:1], IRIS.target)
    with pytest.raises(ValueError, match=r"criterion is 'poisson'; for this target .* one of gini, entropy"):
        to_sklearn(CART.tree_, criterion="poisson")


def test_export_text_and_export_graphviz_read_the_tree():
    text = sklearn_tree.export_text(THEIRS, feature_names=NAMES, show_weights=True)
    assert text.count("class: ") == CART.tree_.n_leaves
    assert "|--- petal length <= 2.45" in text
    dot: Any = sklearn_tree.export_graphviz(THEIRS, feature_names=NAMES, class_names=list(IRIS.classes))
    assert dot.count("samples = ") == CART.tree_.n_nodes
    assert "class = setosa" in dot


# The programs below need not be installed to test Espalier: `pip install dtreeviz shap skl2onnx`.


@pytest.fixture
def quiet():
    """Matplotlib without a screen; figures are closed afterwards."""
    pytest.importorskip("matplotlib").use("Agg")
    yield
    pytest.importorskip("matplotlib.pyplot").close("all")


def test_plot_tree_draws_the_tree(quiet):
    texts = sklearn_tree.plot_tree(THEIRS, feature_names=NAMES, class_names=list(IRIS.classes))
    shown = [text.get_text() for text in texts if "samples" in text.get_text()]
    assert len(shown) == CART.tree_.n_nodes
    assert shown[0].startswith("petal length <= 2.45\ngini = 0.667\nsamples = 150")


@pytest.mark.filterwarnings("ignore")  # of programs that are not ours
def test_dtreeviz_reads_the_tree(quiet):
    dtreeviz = pytest.importorskip("dtreeviz")
    names = {"feature_names": NAMES, "target_name": "species", "class_names": list(IRIS.classes)}
    model = dtreeviz.model(to_sklearn(CART.tree_), IRIS.X, IRIS.y, **names)
    X = IRIS.X.astype(np.float32).astype(np.float64)
    assert [model.shadow_tree.predict(x) for x in X] == CART.predict(X).tolist()
    assert len(model.shadow_tree.leaves) == CART.tree_.n_leaves


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("numbers", [False, True])
def test_shap_explains_the_tree_so_that_values_sum_to_its_prediction(numbers: bool):
    shap = pytest.importorskip("shap")
    data, model = (SINE, SMOOTH) if numbers else (IRIS, CART)
    explainer = shap.TreeExplainer(to_sklearn(model.tree_))
    X = data.X.astype(np.float32)
    parts = np.asarray(explainer.shap_values(X)).reshape(len(X), data.X.shape[1], -1).sum(axis=1)
    expected = shares(model.tree_, X.astype(np.float64))
    assert parts + explainer.expected_value == pytest.approx(expected, abs=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_skl2onnx_converts_the_tree_and_rows_at_thresholds_go_the_same_way():
    skl2onnx, onnxruntime = pytest.importorskip("skl2onnx"), pytest.importorskip("onnxruntime")
    theirs = to_sklearn(CART.tree_)
    splits = ~is_leaf(CART.tree_)
    at_thresholds = np.repeat(IRIS.X[:20], splits.sum(), axis=0)
    column = np.tile(CART.tree_.feature[splits], 20)
    at_thresholds[np.arange(len(column)), column] = np.tile(CART.tree_.threshold[splits], 20)
    X = np.concatenate([at_thresholds, IRIS.X]).astype(np.float32)
    session = onnxruntime.InferenceSession(skl2onnx.to_onnx(theirs, X[:1]).SerializeToString())
    label = session.run(None, {session.get_inputs()[0].name: X})[0]
    assert np.array_equal(label, CART.predict(X))
    assert np.array_equal(label, theirs.predict(X))


# ---- splits that float32 loses

CLOSE = np.array([[1.0], [1 + 1e-9]] * 20)
SIDES = np.array([0, 1] * 20)


def test_a_split_between_values_that_are_one_float32_is_lost_with_a_warning_and_a_leaf_without_rows_is_named():
    model = CartClassifier().fit(CLOSE, SIDES)
    with pytest.warns(LostSplits, match=r"thresholds of 'x' have more digits than float32, such as 1\.0000000005"):
        theirs = to_sklearn(model.tree_, [Feature("x")], Feature("t", "category", ("a", "b")))
    assert len(set(theirs.predict(CLOSE))) == 1
    with pytest.warns(LostSplits, match="20 of 40 rows are answered otherwise"):
        to_sklearn(model, X=CLOSE)
    middle = CartClassifier().fit(np.repeat([[2.0], [2 + 2e-9], [2 + 4e-9]], 5, axis=0), np.repeat([0, 1, 0], 5))
    with pytest.warns(LostSplits, match="no row reaches the leaf 3 .* thresholds of 'x0' meet"):
        to_sklearn(middle)


@pytest.mark.parametrize("name", ["iris", "wine", "breast-cancer", "diabetes"])
def test_tables_of_few_digits_are_handed_over_without_a_word(name):
    data = samples.load(name)
    learner = CartClassifier if data.is_classification else CartRegressor
    model = learner(max_depth=6).fit(data.X, data.y)
    to_sklearn(model)
    theirs: Any = to_sklearn(model, X=data.X)
    assert theirs.predict(data.X).tolist() == model.predict(data.X).tolist()


def test_rows_say_that_long_thresholds_do_no_harm():
    X = np.random.default_rng(0).random((200, 2))
    model = CartRegressor(max_depth=3).fit(X, X[:, 0])
    with pytest.warns(LostSplits, match="more digits than float32"):
        to_sklearn(model)
    to_sklearn(model, X=X)


def test_a_version_of_scikit_learn_that_compares_doubles_gets_the_thresholds_as_they_are(monkeypatch):
    model = CartClassifier().fit(CLOSE, SIDES)
    monkeypatch.setattr("espalier.export.sklearn.is_sklearn_float32", lambda: False)
    assert to_sklearn(model).tree_.threshold[0] == model.tree_.threshold[0]
    monkeypatch.setattr(nodes, "is_sklearn_float32", lambda: False)
    assert nodes.sklearn_thresholds(np.array([0.1])).tolist() == [0.1]


def test_the_installed_version_is_asked_how_it_compares_and_warnings_point_at_the_line_that_asked():
    stump: Any = sklearn_tree.DecisionTreeRegressor(max_depth=1).fit([[0.0], [2.0]], [0.0, 1.0])
    assert stump.tree_.threshold[0] == 1.0
    assert nodes.is_sklearn_float32() == (stump.predict([[1 + 1e-12]])[0] == 0.0)
    with pytest.warns(LostSplits) as caught:
        to_sklearn(CartClassifier().fit(CLOSE, SIDES))
    assert caught[0].filename == __file__
