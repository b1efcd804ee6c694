"""Every kind of model that pages offer: made of its settings, learned, searched, and begun with given splits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.data import samples
from espalier.learners import catalogue
from espalier.learners.catalogue import KINDS, CommonTerms, Model, find_kind
from espalier.learners.catalogue.estimators import GivenSplit, read_splits, splits_in_text
from espalier.learners.catalogue.kinds import SPACES, combinations, space_of
from espalier.learners.catalogue.settings import MISSING_OF_TREES
from espalier.trees import LEAF

CASES = [(kind, serves) for kind in KINDS for serves in kind.serves]
SMALL = {"trees": 3, "depth": 2}


def settings_of(kind, is_classification=True, **changes):
    known = kind.defaults(is_classification)
    return known | {key: value for key, value in (SMALL | changes).items() if key in known}


def fitted(kind, is_classification, **changes):
    data = samples.load("iris" if is_classification else "diabetes")
    chosen = catalogue.model(kind, settings_of(kind, is_classification, **changes))
    model = chosen.make(CommonTerms.of(data, seconds=20))
    return model.fit(data.X, data.y), data


@pytest.mark.parametrize(("kind", "is_classification"), CASES, ids=[f"{k.name} {s}" for k, s in CASES])
def test_every_kind_learns_what_it_says_it_serves(kind, is_classification):
    model, data = fitted(kind, is_classification)
    floor = 0.3 if is_classification else -0.01
    assert model.score(data.X, data.y) > (floor if kind.name == "baseline" else 2 * abs(floor))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_choice_of_a_setting_makes_a_model(kind):
    for setting in kind.settings:
        for value, _ in setting.options:
            of, changes = setting.serves[0], {setting.key: value}
            assert catalogue.model(kind, settings_of(kind, of) | changes).make(CommonTerms(of)) is not None


@pytest.mark.parametrize("base", ["cart", "cultivated", "optimal"])
@pytest.mark.parametrize("name", ["bagged", "root", "boosted"])
def test_forests_are_made_of_any_trees(name, base):
    model, data = fitted(catalogue.find_kind(name), True, base=base)
    assert model.score(data.X, data.y) > 0.6


def test_a_tree_that_cannot_be_says_why():
    forest = catalogue.find_kind("bagged")
    with pytest.raises(ValueError, match="optimal trees are for classes"):
        catalogue.model(forest, settings_of(forest, False, base="optimal")).make(CommonTerms(False))
    with pytest.raises(ValueError, match="depth of 6 at most"):
        catalogue.model(forest, settings_of(forest, base="optimal", depth=None)).make(CommonTerms(True))


def test_names_are_unique_titles_fit_into_a_select_box_of_a_quarter_of_a_page_and_kinds_serve_the_target():
    assert set(SPACES) == {kind.name for kind in KINDS}
    assert len(SPACES) == len(KINDS)
    assert max(len(kind.title) for kind in KINDS) <= 20
    assert all(False in kind.serves for kind in catalogue.kinds_for(False))
    assert {kind.name for kind in catalogue.kinds_for(False)} < {kind.name for kind in catalogue.kinds_for(True)}
    for kind in KINDS:
        assert catalogue.find_kind(kind.name) is kind
        for serves in kind.serves:
            there = kind.for_target(serves)
            assert len({setting.key for setting in there}) == len(there)


@pytest.mark.parametrize(("kind", "is_classification"), CASES, ids=[f"{k.name} {s}" for k, s in CASES])
def test_every_setting_that_names_a_parameter_reaches_the_estimator(kind, is_classification):
    data = samples.load("iris" if is_classification else "diabetes")
    made = catalogue.Model(kind.name).make(CommonTerms.of(data))
    there = made.get_params()
    named = {setting.parameter for setting in kind.for_target(is_classification) if setting.parameter}
    assert not [name for name in named if name not in there and f"estimator__{name}" not in there]


def test_settings_reach_the_estimator_by_their_values_there():
    iris, diabetes = CommonTerms.of(samples.load("iris"), seed=3), CommonTerms.of(samples.load("diabetes"))
    tree = catalogue.Model("cart", (("features", "half"), ("weights", "balanced"), ("depth", None))).make(iris)
    assert (tree.max_features, tree.class_weight, tree.max_depth, tree.random_state) == (0.5, "balanced", None, 3)
    assert catalogue.Model("cart", (("weights", (1.0, 2.0, 5.0)),)).make(iris).class_weight == {0: 1, 1: 2, 2: 5}
    assert catalogue.Model("cart", (("criterion", "absolute"),)).make(diabetes).criterion == "absolute_error"
    assert catalogue.Model("cultivated", (("sharing", "gain2"), ("random", 8))).make(iris).share_power == 2.0
    told = catalogue.Model("optimal", (("costly", "setosa"), ("times", 3.0), ("seconds", 7))).make(iris)
    assert told.time_limit == 7.0
    every = catalogue.Model("optimal", (("cuts", None),)).make(iris)
    assert (every.max_thresholds, every.binarisation) == (None, "quantiles")
    assert told.misclassification_cost == ((0, 3, 3), (1, 0, 1), (1, 1, 0))
    for settings in ((("costly", "setosa"), ("times", 1.0)), (("costly", "rose"), ("times", 5.0))):
        assert catalogue.Model("cart", settings).make(iris).class_weight is None  # as bad as any, or not there


WITH_COSTS = [kind.name for kind in KINDS if any(one.key == "costly" for one in kind.settings)]
NO_COSTS = ("baseline", "approximation")  # the kinds that grow no tree of the table


def test_every_kind_of_one_tree_of_the_table_itself_takes_costs():
    assert [kind.name for kind in KINDS if kind.name not in NO_COSTS and not kind.is_forest] == WITH_COSTS


@pytest.mark.parametrize("name", [name for name in WITH_COSTS if name != "optimal"])
def test_where_a_learner_has_no_costs_rows_of_the_costly_class_weigh_as_much_more(name):
    iris = samples.load("iris")
    costly = catalogue.Model(name, (("depth", 2), ("costly", "virginica"), ("times", 5.0)))
    rows = iris.y != 0  # without the first class, the codes are 1 and 2
    terms = CommonTerms.of(iris)._replace(classes=iris.classes[1:], codes=(1, 2))
    dear = costly.make(terms).fit(iris.X[rows], iris.y[rows])
    times = np.where(iris.y[rows] == 2, 5.0, 1.0)
    weighed = catalogue.Model(name, (("depth", 2),)).make(terms).fit(iris.X[rows], iris.y[rows], times)
    plain = catalogue.Model(name, (("depth", 2),)).make(terms).fit(iris.X[rows], iris.y[rows])
    assert (dear.predict_proba(iris.X) == weighed.predict_proba(iris.X)).all()
    assert (dear.predict_proba(iris.X) != plain.predict_proba(iris.X)).any()


@pytest.mark.parametrize("loss", ["absolute", "poisson"])
@pytest.mark.parametrize("name", ["cart", "random", "extra", "bagged", "gradient"])
def test_a_loss_of_numbers_reaches_the_estimator_or_the_trees_it_is_made_of(name, loss):
    chosen = catalogue.Model(name, (("loss" if name == "gradient" else "criterion", loss),))
    assert chosen.loss == loss
    made = chosen.make(CommonTerms.of(samples.load("diabetes")))
    made = getattr(made, "estimator", made)
    found = made.loss if name == "gradient" else made.criterion
    assert found == {"absolute": "absolute_error"}.get(loss, loss)


def test_models_of_the_same_kind_and_settings_are_one_key_of_caches():
    one, other = (catalogue.model(catalogue.find_kind("cart"), {"depth": 2, "leaf": 1}) for _ in range(2))
    assert one == other
    assert len({one, other, one.with_settings(depth=3)}) == 2


def test_a_setting_without_an_effect_is_left_out_of_the_model():
    tree, forest = catalogue.find_kind("cart"), catalogue.find_kind("bagged")
    values = {"missing": "surrogate", "impute-with": "median", "surrogates": 2}
    assert catalogue.model(tree, values).settings == (("missing", "surrogate"), ("surrogates", 2))
    assert catalogue.model(tree, {"impute-with": "median"}).settings == ()
    gaps = {"missing": "impute", "impute-with": "median"}
    assert catalogue.model(forest, gaps).settings == tuple(gaps.items())
    assert catalogue.model(forest, {"base": "cultivated"} | gaps).settings == (("base", "cultivated"),)


def test_ways_of_missing_values_reach_trees_and_the_trees_of_forests():
    iris = CommonTerms.of(samples.load("iris"))
    gaps = (("missing", "impute"), ("impute-with", "median"))
    tree = catalogue.Model("cart", (("missing", "surrogate"), ("surrogates", 2))).make(iris)
    assert (tree.missing, tree.max_surrogates) == ("surrogate", 2)
    base = catalogue.Model("bagged", gaps).make(iris).estimator
    assert (base.missing, base.impute_with) == ("impute", "median")
    assert "surrogate" not in dict(MISSING_OF_TREES.options)


def is_value(setting, value):
    options = {name for name, _ in setting.options}
    if value in options or (value is None and setting.no_number):
        return True
    return setting.is_number and setting.low <= value <= setting.high and isinstance(value, int | float)


@pytest.mark.parametrize("name", SPACES)
def test_the_values_of_a_space_are_values_of_its_settings_and_the_first_and_last_make_an_estimator(name):
    settings = {one.key: one for one in find_kind(name).settings}
    for key, values in SPACES[name].items():
        assert all(is_value(settings[key], value) for value in values), key
        assert len(set(values)) == len(values)
    terms = CommonTerms(is_classification=True in find_kind(name).serves)
    every = combinations(Model(name), space_of(Model(name)))
    assert every[0].make(terms) is not None
    assert every[-1].make(terms) is not None


def test_settings_outside_of_the_space_stay():
    model = Model("cart", (("criterion", "entropy"), ("depth", 7)))
    every = combinations(model, space_of(model))
    assert {one.value("criterion") for one in every} == {"entropy"}
    assert len(every) == 9 * 6 * 5


def test_a_price_of_leaves_is_in_the_unit_of_the_variance_or_not_tried():
    assert space_of(Model("cart"), variance=100.0)["alpha"] == (3.0, 1.0, 0.3, 0.1, 0.0)
    absolute = Model("cart", (("criterion", "absolute"),))
    assert "alpha" not in space_of(absolute, variance=100.0)
    assert "alpha" in space_of(absolute)


# The text of splits that trees begin with, and the estimators that it makes
NAMES = st.text(min_size=1, max_size=8)
AT = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.lists(NAMES, min_size=1, max_size=3).map(tuple)
)


@given(st.dictionaries(st.sampled_from(["", "L", "R", "LR", "LRL"]), st.builds(GivenSplit, NAMES, AT)))
def test_a_text_is_read_as_what_was_written(splits):
    splits = {path: one for path, one in splits.items() if all(path[:n] in splits for n in range(len(path)))}
    assert read_splits(splits_in_text(splits)) == splits


@pytest.mark.parametrize("text", ["age", ":age", ":age:x", "X:age:1", "L:age:1", ":age:inf", ":age:nan", ":a:1:2"])
def test_another_text_is_refused(text):
    with pytest.raises(ValueError, match=r"split|splits|float"):
        read_splits(text)


def forced(name, table, text, **settings):
    data = samples.load(table)
    return Model(name, (("given", text), *settings.items())).make(CommonTerms.of(data)).forced_splits


def test_columns_and_categories_are_numbers_and_codes_of_the_table():
    assert forced("cart", "iris", ":petal width:0.8,R:sepal length:5") == {"": (3, 0.8), "R": (0, 5.0)}
    there = forced("cart", "tic-tac-toe", ":centre:=x")
    (column, codes), data = there[""], samples.load("tic-tac-toe")
    assert data.features[column].name == "centre"
    assert [data.features[column].categories[code] for code in codes] == ["x"]


def test_splits_on_what_is_not_there_go_with_those_below_them():
    assert forced("cart", "iris", ":gone:1") is None
    assert forced("cart", "iris", ":petal width:0.8,L:gone:1,LL:petal width:0.3") == {"": (3, 0.8)}
    assert forced("cart", "iris", ":petal width:0.8", without="petal width") is None
    assert forced("cart", "iris", ":petal width:=a|b") is None


def test_an_optimal_tree_has_those_that_it_has_room_for():
    text = ":petal width:0.8,R:petal width:1.7,RR:petal length:5"
    assert len(forced("optimal", "iris", text, depth=3)) == 3
    assert list(forced("optimal", "iris", text, depth=2)) == ["", "R"]
    assert list(forced("optimal", "iris", text, depth=3, splits=1)) == [""]


@pytest.mark.parametrize("name", ["cart", "optimal"])
def test_the_model_begins_with_them(name):
    data = samples.load("iris")
    model = Model(name, (("given", ":sepal width:3"), ("depth", 2)))
    tree = model.make(CommonTerms.of(data)).fit(data.X, data.y).tree_
    assert (tree.feature[0], tree.threshold[0]) == (1, 3.0)
    assert (tree.feature != LEAF).sum() > 1
