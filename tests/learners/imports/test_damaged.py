"""A damaged file gives the answers of the whole one or a refusal: no other error, and no other model."""

import json
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

from espalier.language import Refusal
from espalier.learners.imports import read_file
from tests.learners.imports.damage import at, cuts, damaged_documents, with_change
from tests.learners.imports.test_files import resized

N = 300
RNG = np.random.default_rng(0)
X = pd.DataFrame({"x": RNG.normal(size=N), "z": RNG.normal(size=N).round(1), "flag": RNG.integers(0, 2, N)})
WORD = pd.Categorical(RNG.choice(["b", "a", "c"], N), categories=["b", "c", "unused", "a"])
THREE = (X["x"] > 0).to_numpy().astype(int) + (np.asarray(WORD) == "a")
ROWS = np.column_stack([X.to_numpy(), WORD.codes]).astype(float)


def answers(data) -> Any:
    """What the model in a file says of rows with codes, and of a table with words if it does not refuse those."""
    model: Any = read_file(data)
    ask = model.predict_proba if hasattr(model, "classes_") else model.predict
    said = [ask(ROWS[:, : model.n_features_in_]), np.asarray(getattr(model, "classes_", []), object)]
    try:
        return [*said, ask(X.assign(word=np.asarray(WORD).astype(object)).iloc[:, : model.n_features_in_])]
    except Refusal:
        return [*said, None]


def differs(data, expected) -> bool:
    """Whether a file gives other answers than expected; one that is refused does not."""
    try:
        said = answers(data)
    except Refusal:
        return False
    return not all(
        mine is None or (mine.shape == right.shape and (mine == right).all())
        for mine, right in zip(said, expected, strict=True)
    )


def check(files, expected):
    """None of the damaged files, given with what was done to each, says anything else."""
    wrong = [what for what, data in files if differs(data, expected)]
    assert not wrong


def written(document) -> bytes:
    return json.dumps(document).encode()


def fitted(library: str, **settings):
    """A classifier of three classes, fitted to numbers and words."""
    module: Any = pytest.importorskip(library, reason=f"{library} is not installed")
    table = X.assign(word=WORD)
    if library == "xgboost":
        model = module.XGBClassifier(n_estimators=3, max_depth=2, enable_categorical=True, n_jobs=1, **settings)
        return model.fit(table, THREE)
    if library == "lightgbm":
        few = {"n_estimators": 3, "num_leaves": 4, "n_jobs": 1, "verbose": -1, "min_data_per_group": 5}
        return module.LGBMClassifier(**few, **settings).fit(table, THREE)
    quiet = {"verbose": 0, "allow_writing_files": False, "thread_count": 1}
    return module.CatBoostClassifier(iterations=3, depth=2, **quiet, **settings).fit(X, THREE)


# What stands in the file once alone: no reader could know that it was another number.
ONCE: Any = ("split_conditions", "split_indices", "default_left", "base_score", "categories", "values",
             "weight_drop", "sum_hessian", "loss_changes", "version")  # fmt: skip
MODEL = ("learner", "gradient_booster", "model")


MANY = pytest.mark.parametrize("n", [80, pytest.param(250, marks=pytest.mark.slow)])  # faults of each kind


@MANY
@pytest.mark.filterwarnings("ignore:.*booster=dart:UserWarning")
@pytest.mark.parametrize("settings", [{}, {"booster": "dart", "rate_drop": 0.5}], ids=["trees", "dropout"])
def test_json_of_xgboost(settings, n):
    whole = bytes(fitted("xgboost", **settings).get_booster().save_raw("json"))
    expected, document = answers(whole), json.loads(whole)
    check([(len(part), part) for part in cuts(whole, n)], expected)
    faults = dict(damaged_documents(document, n, ONCE))
    faults.pop(f"without {(*MODEL, 'weight_drop')}", None)  # as of one without dropout
    check([(what, written(other)) for what, other in faults.items()], expected)


def test_ubj_of_xgboost():
    whole = bytes(fitted("xgboost").get_booster().save_raw("ubj"))
    expected = answers(whole)
    check([(len(part), part) for part in cuts(whole, 300)], expected)


def test_json_of_xgboost_without_some_of_its_trees():
    whole = bytes(fitted("xgboost").get_booster().save_raw("json"))
    expected, document = answers(whole), json.loads(whole)
    trees = at(document, MODEL)["trees"]
    n = len(trees)

    def without(key):
        return lambda parent, name: parent.update({name: parent[name] | {key: parent[name][key][:-1]}})

    def turned(parent, name):
        parent[name]["trees"] = [trees[1], trees[0], *trees[2:]]

    changes = [without("trees"), without("tree_info"), without("iteration_indptr"), turned]
    both = with_change(with_change(document, MODEL, without("trees")), MODEL, without("tree_info"))
    check([(k, written(with_change(document, MODEL, change))) for k, change in enumerate(changes)], expected)
    check([(f"{n - 1} of {n} trees", written(both))], expected)


def test_a_leaf_that_is_null_is_refused():
    document = json.loads(bytes(fitted("xgboost").get_booster().save_raw("json")))
    tree = document["learner"]["gradient_booster"]["model"]["trees"][0]
    tree["split_conditions"][-1] = None
    with pytest.raises(Refusal, match="no number"):
        read_file(written(document))


def test_a_small_file_of_a_million_columns_is_refused_at_once():
    document = json.loads(bytes(fitted("xgboost").get_booster().save_raw("json")))
    learner = document["learner"]
    learner["learner_model_param"]["num_feature"] = "1000000"
    learner["feature_names"], learner["feature_types"] = [], []
    with pytest.raises(Refusal, match="1,000,000 columns"):
        read_file(written(document))


def test_a_best_round_that_got_lost_is_noticed():
    model = fitted("xgboost", early_stopping_rounds=None)
    booster = model.get_booster()
    booster.set_attr(best_iteration="0", best_score="0.5", scikit_learn="{}")
    document = json.loads(bytes(booster.save_raw("json")))
    expected = answers(written(document))
    del document["learner"]["attributes"]["best_iteration"]
    check([("no best round", written(document))], expected)


@pytest.fixture(scope="module")
def lightgbm_text() -> str:
    return fitted("lightgbm").booster_.model_to_string()


def test_text_of_lightgbm_that_is_cut_off_or_has_trees_in_another_order_or_lacks_one(lightgbm_text):
    whole = lightgbm_text.encode()
    check([(len(part), part) for part in cuts(whole, 600)], answers(whole))
    head, *trees = lightgbm_text.partition("\nend of trees")[0].split("\nTree=")
    rest, expected = lightgbm_text.partition("\nend of trees")[2], answers(lightgbm_text.encode())
    orders = [[1, 0, *range(2, 9)], range(8), range(1, 9), [*range(9), 8]]
    texts = ["\nTree=".join([head, *(trees[k] for k in order)]) + "\nend of trees" + rest for order in orders]
    check([(list(order), text.encode()) for order, text in zip(orders, texts, strict=True)], expected)


def test_text_of_lightgbm_without_a_line_or_with_another_value(lightgbm_text):
    lines, expected = lightgbm_text.split("\n"), answers(lightgbm_text.encode())
    files = []
    for k, line in enumerate(lines):
        name = line.partition("=")[0]
        others = [[], *([f"{name}={value}"] for value in ("", "x", "nan", "-7", "99999999") if "=" in line)]
        files += [(f"{line[:40]}: {other}", "\n".join([*lines[:k], *other, *lines[k + 1 :]])) for other in others]
    check([(what, text.encode()) for what, text in files], expected)


def test_text_of_lightgbm_whose_numbers_are_others_where_its_sizes_were_made_right(lightgbm_text):
    lines, expected = lightgbm_text.split("\n"), answers(lightgbm_text.encode())
    inner = range(lines.index("Tree=0"), lines.index("end of trees"))
    files = []
    for k in inner:
        name, _, values = lines[k].partition("=")
        others = [" ".join(["nan", *values.split()[1:]]), " ".join(values.split()[:-1]), "x"]
        files += [
            (f"{name}: {other[:30]}", [*lines[:k], f"{name}={other}", *lines[k + 1 :]])
            for other in others
            if values
        ]
    check([(what, resized("\n".join(text)).encode()) for what, text in files if "gain" not in what], expected)


@MANY
def test_json_of_catboost(tmp_path, n):
    fitted("catboost").save_model(str(tmp_path / "m.json"), format="json")
    whole = (tmp_path / "m.json").read_bytes()
    expected, document = answers(whole), json.loads(whole)
    check([(len(part), part) for part in cuts(whole, n)], expected)
    once = ("leaf_values", "leaf_weights", "scale_and_bias", "class_names", "float_feature_index")
    check([(what, written(other)) for what, other in damaged_documents(document, n, once)], expected)
    for k in range(3):
        del (less := json.loads(whole))["oblivious_trees"][k]
        check([(f"without tree {k}", written(less))], expected)


def test_an_onnx_file_that_is_cut_off_or_lacks_a_part():
    onnx: Any = pytest.importorskip("onnx", reason="onnx is not installed")
    from espalier.data.dataset import Feature
    from espalier.export import forest_to_onnx
    from espalier.learners import RandomForestClassifier

    forest = RandomForestClassifier(n_estimators=3, max_depth=3, random_state=0).fit(X, THREE).forest_
    features = [Feature(name) for name in X.columns]
    whole = forest_to_onnx(forest, features, Feature("y", "category", ("0", "1", "2")))
    expected = answers(whole)
    check([(len(part), part) for part in cuts(whole, 300)], expected)
    proto = onnx.load_from_string(whole)
    for k, attribute in enumerate(proto.graph.node[0].attribute):
        less, shorter = onnx.load_from_string(whole), onnx.load_from_string(whole)
        del less.graph.node[0].attribute[k]
        del shorter.graph.node[0].attribute[k].ints[-1:]
        check(
            [
                (f"{kind}, {attribute.name}", m.SerializeToString())
                for kind, m in (("none", less), ("less", shorter))
            ],
            expected,
        )
    for name in ("graph", "opset_import", "metadata_props", "producer_name"):
        less = onnx.load_from_string(whole)
        less.ClearField(name)
        check([(f"without {name}", less.SerializeToString())], expected)


def test_bytes_that_are_no_model_are_called_so_also_without_the_package_onnx(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    for data in (b"garbage", b"", bytes(range(256)), b"tree", b"\x08\x07junk", RNG.bytes(500)):
        with pytest.raises(Refusal, match="no model that can be read"):
            read_file(data)
