"""Files typed by hand, files that are refused, and how nodes of files become trees and a ready model."""

import json
import pickle
import re
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import espalier
from espalier.data import samples
from espalier.language import Refusal
from espalier.learners import GradientBoostingClassifier, RandomForestRegressor
from espalier.learners.catalogue import OWN_MODEL, CommonTerms, Model
from espalier.learners.imports import read_file
from espalier.learners.imports.model import ReadyModel
from espalier.learners.imports.nodes import FileNodes, at_most_as_float32, below, below_as_float32, trees_of
from espalier.learners.imports.xgboost import UbjsonError, from_ubjson
from espalier.tree_checks import check_tree

TREE = {
    "left_children": [1, -1, -1], "right_children": [2, -1, -1], "default_left": [1, 0, 0],
    "split_indices": [0, 0, 0],
    "split_conditions": [0.5, -1.0, 2.0], "split_type": [0, 0, 0], "sum_hessian": [3.0, 1.0, 2.0],
    "loss_changes": [4.0, 0.0, 0.0], "categories": [], "categories_nodes": [], "categories_segments": [],
    "categories_sizes": [],
}  # fmt: skip
XGBOOST = {
    "learner": {
        "learner_model_param": {"base_score": "5E-1", "num_class": "0", "num_feature": "2", "num_target": "1"},
        "objective": {"name": "reg:squarederror"}, "feature_names": ["a", "b"], "attributes": {},
        "gradient_booster": {
            "name": "gbtree",
            "model": {"trees": [TREE], "tree_info": [0], "gbtree_model_param": {"num_parallel_tree": "1"}},
        },
    },
    "version": [2, 0, 3],
}  # fmt: skip
LIGHTGBM_PARTS = """tree
version=v4
num_class=1
num_tree_per_iteration=1
max_feature_idx=1
objective=regression
feature_names=a b
feature_infos=[0:1] 0:1:2
tree_sizes=1

Tree=0
num_leaves=3
num_cat=1
split_feature=0 1
split_gain=4 1
threshold=0.5 0
decision_type=10 1
left_child=-1 -2
right_child=1 -3
leaf_value=1 2 4
leaf_count=3 2 2
internal_count=7 4
cat_boundaries=0 1
cat_threshold=5
is_linear=0
shrinkage=1

end of trees

feature_importances:
a=1
b=1

parameters:
[objective: regression]
[boosting: gbdt]

end of parameters

pandas_categorical:null
"""


def resized(text):
    """The text of LightGBM with the sizes of its trees as they are, in bytes."""
    blocks = text.partition("\nend of trees")[0].split("\nTree=")[1:]
    sizes = [len(f"Tree={block}\n".encode()) for block in blocks]
    return re.sub(r"tree_sizes=[\d ]+", f"tree_sizes={' '.join(map(str, sizes))}", text)


LIGHTGBM = resized(LIGHTGBM_PARTS)
COLUMN = {"feature_index": 0, "flat_feature_index": 0, "nan_value_treatment": "AsTrue", "borders": [0.5, 1.5]}
QUESTION = {"split_type": "FloatFeature", "float_feature_index": 0}
COUNTED = {"leaf_values": [1, 2], "splits": [{"split_type": "OnlineCtr"}]}
CATBOOST = {
    "features_info": {"float_features": [COLUMN]},
    "model_info": {"params": {"loss_function": {"type": "RMSE"}}}, "scale_and_bias": [2.0, [10.0]],
    "oblivious_trees": [{
        "leaf_values": [1.0, 2.0, 3.0, 4.0], "leaf_weights": [1, 1, 1, 1],
        "splits": [QUESTION | {"border": 0.5}, QUESTION | {"border": 1.5}],
    }],
}  # fmt: skip


def read(document) -> Any:
    return read_file(json.dumps(document).encode())


def changed(**learner):
    return XGBOOST | {"learner": XGBOOST["learner"] | learner}


def test_xgboost_compares_by_less_in_float32_and_adds_the_base_score():
    model = read(XGBOOST)
    below = float(np.nextafter(np.float32(0.5), np.float32(0)))
    rows = np.array([[below, 0], [0.5 - 1e-12, 0], [0.5, 0], [np.nan, 0]])
    assert model.predict(rows).tolist() == [-0.5, 2.5, 2.5, -0.5]  # 0.5 - 1e-12 is 0.5 as a float32
    assert [feature.name for feature in model.features_] == ["a", "b"]


def test_classes_of_xgboost_are_0_and_1_or_the_labels_that_versions_before_1_6_wrote_beside_the_trees():
    old = {"scikit_learn": '{"use_label_encoder": true, "_le": {"classes_": ["no", "yes"]}}'}
    models = [read(changed(objective={"name": "binary:logistic"}, attributes=more)) for more in ({}, old)]
    assert [model.classes_.tolist() for model in models] == [[0, 1], ["no", "yes"]]


def test_lightgbm_asks_for_doubles_and_for_sets_of_categories():
    model = read_file(LIGHTGBM.encode())
    rows = [[0.5, 0], [np.nextafter(0.5, 1), 0], [1, 1], [1, 2], [np.nan, 5], [1, np.nan]]
    assert model.predict(rows).tolist() == [1, 2, 4, 2, 1, 4]  # bits 0 and 2; a gap in a is left, one in b right
    assert [feature.kind for feature in model.features_] == ["number", "category"]


def test_lightgbm_takes_zeros_out_of_their_place_where_they_are_missing():
    as_zero = LIGHTGBM.replace("decision_type=10 1", "decision_type=4 1")  # zeros and gaps go right
    rows = [[0.4, 0], [0.0, 0], [np.nan, 0], [-1e-36, 0], [-1, 0], [0.6, 0]]
    assert read_file(resized(as_zero).encode()).predict(rows).tolist() == [1, 2, 2, 2, 1, 2]


def test_catboost_numbers_leaves_by_the_answers_the_first_question_counting_least():
    assert read(CATBOOST).predict([[0.5], [0.6], [1.6], [np.nan]]).tolist() == [12, 14, 18, 18]


def test_a_table_of_trees_as_from_r_may_be_strict_and_hold_numbers_as_text():
    stump = {"feature": [1, -1, -1], "threshold": ["0.5", None, None], "left": [1, -1, -1], "right": [2, -1, -1]}
    head = {"format": "espalier-trees", "version": 1, "combine": "votes", "strict": True, "classes": ["no", "yes"],
            "features": [{"name": "a", "categories": ["u", "v"]}, {"name": "b"}]}  # fmt: skip
    votes = [stump | {"value": [None, [1, 0], [0, 1]]}, stump | {"value": [None, ["0.4", "0.6"], [0, 1]]}]
    model = read(head | {"trees": votes})
    assert model.predict_proba([[0, 0.4], [0, 0.5]]).tolist() == [[0.5, 0.5], [0, 1]]
    assert model.predict([[0, 0.5]]).tolist() == ["yes"]
    by_set = {"feature": [0, -1, -1], "threshold": [None] * 3, "left": [1, -1, -1], "right": [2, -1, -1],
              "categories_left": [[1], None, None], "value": [None, [1, 0], [0, 1]], "n": [5, 2, 3]}  # fmt: skip
    assert read(head | {"trees": [by_set]}).predict([[0, 0], [1, 0], [np.nan, 0]]).tolist() == ["yes", "no", "yes"]


def ubjson(value):
    """The value as Universal Binary JSON, lists of numbers with their type and length, as XGBoost writes them."""
    if isinstance(value, dict):
        pairs = (b"L" + len(k).to_bytes(8, "big") + k.encode() + ubjson(v) for k, v in value.items())
        return b"{" + b"".join(pairs) + b"}"
    if isinstance(value, str):
        return b"SL" + len(value).to_bytes(8, "big") + value.encode()
    if isinstance(value, int):
        return b"l" + value.to_bytes(4, "big", signed=True)
    if value and isinstance(value[0], float):
        return b"[$d#L" + len(value).to_bytes(8, "big") + np.array(value, ">f4").tobytes()
    if value and isinstance(value[0], int):
        return b"[$l#L" + len(value).to_bytes(8, "big") + np.array(value, ">i4").tobytes()
    return b"[#L" + len(value).to_bytes(8, "big") + b"".join(map(ubjson, value))


def test_xgboosts_binary_file_holds_the_same_model():
    rows = np.random.default_rng(0).normal(size=(50, 2))
    assert (read_file(ubjson(XGBOOST)).predict(rows) == read(XGBOOST).predict(rows)).all()


@pytest.mark.parametrize(
    "data", [b"", b"[", b"[$d#L\xff\xff\xff\xff\xff\xff\xff\xff", b"SL\x00", b"?", b"[" * 100]
)
def test_bytes_that_are_no_ubjson_are_refused(data):
    with pytest.raises(UbjsonError):
        from_ubjson(data)


def changed_tree(**fields):
    model = {"trees": [TREE | fields], "tree_info": [0], "gbtree_model_param": {}}
    return changed(gradient_booster={"name": "gbtree", "model": model})


SETS = {"split_type": [1, 0, 0], "categories": [3, 70], "categories_nodes": [0], "categories_segments": [0]}
REFUSED: Any = {
    "pickle": (pickle.dumps([1]), "pickle"), "zip": (b"PK\x03\x04", "pickle"), "words": (b"{hello", "no model"),
    "other JSON": (b'{"a": 1}', "no model"), "nested": (b'{"a":' * 5000, "no model"),
    "linear": (changed(gradient_booster={"name": "gblinear"}), "only trees"),
    "objective": (changed(objective={"name": "binary:hinge"}), "binary:hinge"),
    "circle": (changed_tree(left_children=[0, -1, -1]), "damaged"),
    "column": (changed_tree(split_indices=[9, 0, 0]), "column"),
    "short": (changed_tree(default_left=[1]), "several numbers"),
    "lacking": (changed_tree(sum_hessian=None), "damaged"),
    "70 categories": (changed_tree(**SETS, categories_sizes=[2]), "more than 64 categories"),
    "linear leaves": (resized(LIGHTGBM.replace("is_linear=0", "is_linear=1")).encode(), "formulas"),
    "cut off": (LIGHTGBM.split("leaf_value")[0].encode(), "damaged"),
    "counted categories": (CATBOOST | {"oblivious_trees": [COUNTED]}, "numbers of its own"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_of_no_use_is_refused_in_words(name):
    file, why = REFUSED[name]
    with pytest.raises(Refusal) as refusal:
        read_file(file if isinstance(file, bytes) else json.dumps(file).encode())
    assert why in str(refusal.value)


def test_a_model_is_read_from_a_path_and_takes_only_its_own_columns(tmp_path):
    file = tmp_path / "model.json"
    file.write_text(json.dumps(XGBOOST))
    model = espalier.read_model(str(file))
    with pytest.raises(Refusal, match="takes 2 columns"):
        model.predict(np.zeros((3, 5)))


NAN = np.nan


def nodes(left, right, value, **more):
    n = len(left)
    feature = np.zeros(n, np.int64)
    threshold = np.arange(n, dtype=float)
    value = np.array(value, float)[:, None]
    return FileNodes(feature, threshold, np.array(left), np.array(right), np.zeros(n, bool), value, **more)


def test_nodes_of_two_trees_in_any_order_stand_in_preorder():
    #  the leaves first, then two roots: 4 has the leaves 1 and 3, whose split 3 has the leaves 0 and 2
    several = nodes([-1, -1, -1, 0, 1, -1], [-1, -1, -1, 2, 3, -1], [1, 2, 4, NAN, NAN, 9])
    first, second = trees_of(several, np.array([4, 5]), 1)
    check_tree(first)
    assert first.left.tolist() == [1, -1, 3, -1, -1]
    assert first.threshold[[0, 2]].tolist() == [4.0, 3.0]
    assert first.value[:, 0].tolist() == [7 / 3, 2, 2.5, 1, 4]
    assert second.value.tolist() == [[9.0]]


def test_a_node_with_two_parents_is_there_twice():
    tree = trees_of(nodes([1, 2, -1, -1], [2, 3, -1, -1], [NAN, NAN, 5, 7]), np.array([0]), 1)[0]
    assert tree.value[tree.left == -1, 0].tolist() == [5, 7, 5]
    assert tree.n_samples.tolist() == [3, 2, 1, 1, 1]


def test_gains_become_impurity_so_that_a_split_decreases_it_by_its_gain():
    gain = np.array([6.0, 4.0, 0, 0, 0])
    one = nodes([1, 2, -1, -1, -1], [4, 3, -1, -1, -1], [0] * 5, gain=gain, n_samples=np.array([8, 4, 2, 2, 4]))
    tree = trees_of(one, np.array([0]), 1)[0]
    amount = tree.weight * tree.impurity
    assert amount[0] - amount[1] - amount[4] == 6.0
    assert amount[1] - amount[2] - amount[3] == 4.0


@pytest.mark.parametrize(
    ("left", "right"),
    [([0], [0]), ([1, 0], [1, 0]), ([1, 7], [1, 7]), ([-2], [-2])],
    ids=["self", "circle", "far", "before"],
)
def test_nodes_that_make_no_tree_are_refused(left, right):
    with pytest.raises(Refusal, match="damaged"):
        trees_of(nodes(left, right, [0.0] * len(left)), np.array([0]), 1)


def test_a_question_about_a_column_that_is_not_there_is_refused():
    with pytest.raises(Refusal, match="column"):
        trees_of(nodes([1, -1, -1], [2, -1, -1], [0, 0, 0]), np.array([0]), 0)


# Thresholds of float32 as thresholds of doubles: by law, at the edges of float32 too
RNG = np.random.default_rng(0)
EDGES = [0.0, -0.0, 1e-45, -1e-45, 2.0**-126, 1e-300, -1e-300, 3.4028234663852886e38, -3.4028234663852886e38]
DOUBLES = np.concatenate(
    [RNG.normal(size=500), RNG.normal(size=500).astype(np.float32), 10.0 ** RNG.uniform(-44, 38, 500), EDGES]
)


def rounded(values):
    with np.errstate(over="ignore", under="ignore"):
        return values.astype(np.float32).astype(np.float64)


def test_the_threshold_is_the_greatest_double_whose_float32_is_at_most_or_below_the_librarys():
    ours = at_most_as_float32(DOUBLES)
    assert (rounded(ours) <= DOUBLES).all()
    assert (rounded(np.nextafter(ours, np.inf)) > DOUBLES).all()
    theirs = rounded(DOUBLES)
    ours = below_as_float32(theirs)
    assert (rounded(ours) < theirs).all()
    assert (rounded(np.nextafter(ours, np.inf)) >= theirs).all()
    assert below(np.array([0.5]))[0] == np.nextafter(0.5, 0)


def test_a_value_halfway_between_two_float32_rounds_to_the_even_one():
    one, after = 1.0, float(np.nextafter(np.float32(1), np.float32(2)))
    assert at_most_as_float32(np.array([one]))[0] == (one + after) / 2  # 1 is even
    assert (
        at_most_as_float32(np.array([after]))[0]
        < (after + float(np.nextafter(np.float32(after), np.float32(2)))) / 2
    )


@pytest.mark.parametrize("same", [np.inf, np.nan])
def test_what_parts_known_from_missing_stays(same):
    assert np.array_equal(at_most_as_float32(np.array([same])), [same], equal_nan=True)


# A fitted model among estimators stays as it is, and shows what it is
IRIS = samples.load("iris")
BOOSTED: Any = GradientBoostingClassifier(n_estimators=4, random_state=0).fit(IRIS.X, IRIS.y)


def test_a_fit_to_other_rows_changes_nothing():
    twin: Any = clone(ReadyModel(BOOSTED))
    ready = twin.fit(IRIS.X[:20], IRIS.y[:20])
    assert np.array_equal(ready.predict_proba(IRIS.X), BOOSTED.predict_proba(IRIS.X))
    assert np.array_equal(ready.predict(IRIS.X), BOOSTED.predict(IRIS.X))


def test_it_has_shares_and_trees_only_if_the_model_has():
    class Same:
        def predict(self, X):
            return np.zeros(len(X))

    ready = ReadyModel(Same())
    assert not any(hasattr(ready, name) for name in ("predict_proba", "classes_", "forest_"))
    assert ReadyModel(BOOSTED).forest_ is BOOSTED.forest_


def test_a_round_of_three_classes_has_three_trees_and_one_of_a_mean_one():
    assert ReadyModel(BOOSTED).n_trees_per_iteration_ == 3
    mean = RandomForestRegressor(n_estimators=6, random_state=0).fit(IRIS.X, IRIS.X[:, 0])
    assert ReadyModel(mean).n_trees_per_iteration_ == 1


def test_trees_that_do_not_take_turns_make_no_round():
    forest = BOOSTED.forest_
    ready = ReadyModel(BOOSTED)
    ready.__dict__["model"] = type("Turned", (), {"forest_": forest._replace(trees=forest.trees[::-1])})()
    assert ready.n_trees_per_iteration_ == 1


def test_the_catalogue_makes_it_of_the_model_in_the_terms():
    terms = CommonTerms.of(IRIS, box=BOOSTED)
    assert Model(OWN_MODEL.name).make(terms).model is BOOSTED
    with pytest.raises(AttributeError):
        _ = ReadyModel(None).classes_
