"""Files typed by hand, which need none of the libraries, and files that are refused."""

import json
import pickle
import re
from typing import Any

import numpy as np
import pytest

import espalier
from espalier.language import Refusal
from espalier.learners.imports import read_file
from espalier.learners.imports.xgboost import UbjsonError, from_ubjson

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
