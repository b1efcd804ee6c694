"""Models of other people: their columns by name and in their types; slow ones; and what is no model."""

import re
import threading
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from espalier import learners
from espalier.learners import ApproximationClassifier, ApproximationRegressor, CartClassifier
from espalier.learners.approximation import StoppedGrowing, UndecidedSplits, asking, classifier, sampling
from espalier.learners.approximation.asking import Asking, StoppedAsking
from espalier.progress import Progress
from tests.learners.test_frames import class_of, people
from tests.tools.waiting import until

FEW: Any = {"max_depth": 2, "initial_samples": 1000, "max_samples": 2000, "random_state": 0}


def numbers(n: int = 200) -> tuple[pd.DataFrame, np.ndarray]:
    """The first column decides, the others say nothing."""
    X = pd.DataFrame(np.random.default_rng(1).random((n, 3)), columns=["mean radius", "texture", "area"])
    return X, (X["mean radius"] > 0.5).to_numpy().astype(int)


class Insists(ClassifierMixin, BaseEstimator):
    """Stands for boosting with categories: takes the names, types and categories of the table it was fitted to."""

    def fit(self, X, y):
        self.classes_, self.dtypes_ = np.unique(y), X.dtypes
        self.best_ = X["city"].astype(object)[y == self.classes_[1]].mode()[0]
        return self

    def predict_proba(self, X):
        assert isinstance(X, pd.DataFrame)
        wrong = {name: str(X[name].dtype) for name, dtype in self.dtypes_.items() if X[name].dtype != dtype}
        if wrong or X.columns.tolist() != self.dtypes_.index.tolist():
            raise TypeError(f"other types than in fit: {wrong}")
        second = (X["city"].astype(object) == self.best_).to_numpy() * 0.8 + 0.1
        return np.column_stack([1 - second, second])


def test_columns_in_another_order_give_the_same_tree_about_the_same_columns():
    X, y = numbers()
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    turned = ApproximationClassifier(forest, **FEW).fit(X.iloc[:, ::-1])
    assert turned.feature_names_in_[turned.tree_.feature[0]] == "mean radius"
    assert (turned.predict(X.iloc[:, ::-1]) == forest.predict(X)).mean() > 0.95


def test_a_regressor_and_a_forest_of_this_project_are_asked_by_name_too():
    X, y = numbers()
    line = LinearRegression().fit(X, 5.0 * y)
    turned = ApproximationRegressor(line, **FEW).fit(X[["area", "mean radius", "texture"]])
    assert turned.tree_.feature[0] == 1
    X, y = numbers()
    ours = learners.RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    turned = ApproximationClassifier(ours, **FEW).fit(X.iloc[:, ::-1])
    assert turned.tree_.feature[0] == 2
    with pytest.raises(ValueError, match="method is 'exact', which looks into the model, and this one has other"):
        ApproximationClassifier(ours, method="exact", max_depth=2).fit(X.iloc[:, ::-1])


def test_columns_that_the_model_does_not_have_are_named():
    X, y = numbers()
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    words = "X lacks 'texture', and has 'weight' besides; give X the columns that the model was fitted to"
    with pytest.raises(ValueError, match=words):
        ApproximationClassifier(forest, **FEW).fit(X.rename(columns={"texture": "weight"}))


@pytest.mark.parametrize("names", [["Column_0", "Column_1", "Column_2"], ["mean_radius", "texture", "area"]])
def test_names_that_boosting_libraries_invent_or_change_are_understood(names):
    X, y = numbers()
    forest = RandomForestClassifier(20, random_state=0).fit(X.set_axis(names, axis=1), y)
    if names[0] == "Column_0":
        forest.feature_names_in_ = np.array(names, dtype=object)
        forest.predict_proba = RandomForestClassifier(20, random_state=0).fit(X.to_numpy(), y).predict_proba
    assert ApproximationClassifier(forest, **FEW).fit(X).tree_.feature[0] == 0


def one_hot(model) -> Any:
    """The pipeline that most people write: categories as zeros and ones, gaps filled."""
    text, number = ["city", "pet", "job"], ["age", "income"]
    columns = [("text", OneHotEncoder(handle_unknown="ignore"), text), ("number", SimpleImputer(), number)]
    return make_pipeline(ColumnTransformer(columns), model)


@pytest.mark.parametrize("is_fitted", [True, False])
def test_a_pipeline_with_one_hot_encoding_is_approximated_on_the_table_that_it_was_fitted_to(is_fitted):
    X: Any = people(300)[["city", "pet", "job", "age", "income"]]
    y = class_of(X)
    pipeline = one_hot(RandomForestClassifier(30, random_state=0))
    model = pipeline.fit(X, y) if is_fitted else pipeline
    tree = ApproximationClassifier(model, **{**FEW, "max_depth": 3}).fit(X, None if is_fitted else y)
    assert (tree.predict(X) == tree.model_.predict(X)).mean() > 0.9
    assert tree.is_categorical_.tolist() == [True, True, True, False, False]


def test_the_model_is_handed_names_types_and_categories_as_it_knows_them():
    X = people()
    columns = ["city", "job", "size", "member", "boolean", "string", "string[pyarrow]", "bool[pyarrow]", "income"]
    model = Insists().fit(X[columns], class_of(X))
    tree = ApproximationClassifier(model, **FEW).fit(X[columns])
    assert tree.feature_names_in_[tree.tree_.feature[0]] == "city"
    assert (
        tree.predict(X[columns]) == model.predict_proba(X[columns]).argmax(axis=1).choose(model.classes_)
    ).all()


def test_boosting_with_categories_by_type_is_approximated():
    X: Any = people(300)[["job", "income", "member"]]
    y = (X["job"].astype(object) == "cook").to_numpy()
    boosted = HistGradientBoostingClassifier(max_iter=10, categorical_features="from_dtype").fit(X, y)
    tree = ApproximationClassifier(boosted, **FEW).fit(X)
    assert (tree.predict(X) == y).mean() > 0.95
    assert tree.tree_.feature[0] == 0


def test_a_function_of_a_table_with_text_gets_that_table():
    X: Any = people()[["city", "income"]]
    tree = ApproximationClassifier(lambda rows: (rows["city"] == "Ulm").to_numpy(), **FEW).fit(X)
    assert (tree.predict(X) == (X["city"] == "Ulm")).all()


def test_a_tree_of_this_project_grown_on_text_is_integrated_exactly():
    X: Any = people()[["city", "job", "income"]]
    model = CartClassifier(max_depth=3).fit(X, class_of(X))
    exact = ApproximationClassifier(model, method="exact", max_depth=3).fit(X)
    assert (exact.predict(X) == model.predict(X)).mean() > 0.95


@pytest.mark.parametrize("name", ["lightgbm.LGBMClassifier", "xgboost.XGBClassifier"])
def test_other_boosting_libraries_take_their_categories_back(name):
    module, kind = name.split(".")
    library: Any = pytest.importorskip(module)
    X: Any = people(300)[["city", "job", "income"]].astype({"city": "category"})
    y = (X["city"] == "Ulm").to_numpy().astype(int)
    more: Any = {"enable_categorical": True} if module == "xgboost" else {"verbose": -1}
    model = getattr(library, kind)(n_estimators=10, n_jobs=1, **more).fit(X, y)
    tree = ApproximationClassifier(model, **FEW).fit(X[["income", "city", "job"]])
    assert tree.tree_.feature[0] == 1
    assert (tree.predict(X[["income", "city", "job"]]) == y).all()


@pytest.mark.filterwarnings("error")
def test_a_tree_of_which_no_split_was_decided_says_so_and_another_does_not_warn():
    X = np.random.default_rng(0).random((60, 2))
    with pytest.warns(UndecidedSplits, match="0 of 1 splits of this approximation were decided by 1,000 pseudo"):
        tree = ApproximationClassifier(lambda rows: 0.5 + rows[:, 0] * 0.01, max_depth=1, max_samples=1000).fit(X)
    assert (tree.considered_.n_splits, tree.considered_.n_decided) == (1, 0)
    X, y = numbers()
    step: Any = learners.CartClassifier(max_depth=1).fit(X.to_numpy(), y)
    tree = ApproximationClassifier(step, max_depth=1, random_state=0).fit(X.to_numpy())
    assert (tree.considered_.n_splits, tree.considered_.n_decided) == (1, 1)


class Alarm:
    """A timer that rings when it is told to; no time passes."""

    def __init__(self, seconds, ring):
        self.seconds, self.ring, self.is_on = seconds, ring, None

    def start(self):
        self.is_on = True

    def cancel(self):
        self.is_on = False


@pytest.mark.parametrize("make", [ApproximationClassifier, ApproximationRegressor])
def test_a_slow_model_is_asked_no_longer_than_allowed_and_leaves_the_tree_so_far(make, monkeypatch):
    alarms, asked = [], []
    monkeypatch.setattr(threading, "Timer", lambda *given: alarms.append(Alarm(*given)) or alarms[-1])

    def slow(rows):
        asked.append(len(rows))
        if len(asked) == 12:
            alarms[-1].ring()
        return np.clip(rows[:, 0], 0, 1)

    X, more = numbers()[0].to_numpy(), {**FEW, "max_depth": 8, "max_samples": 1_000_000, "time_limit": 0.5}
    with pytest.warns(StoppedGrowing, match=r"stopped after 0.5 seconds \(time_limit\), with \d+ lea"):
        tree = make(slow, **more).fit(X)
    assert tree.timed_out_
    assert 1 <= tree.tree_.n_leaves < 2**8
    assert len(asked) == 12  # none after the alarm
    # The first is for asking about the table's rows, which has at least ten seconds.
    assert [(alarm.seconds, alarm.is_on) for alarm in alarms] == [(10.0, False), (0.5, False)]


def test_a_model_that_is_asked_in_time_gives_the_same_tree_as_without_a_limit():
    X, y = numbers()
    model = LogisticRegression().fit(X.to_numpy(), y)
    free, limited = (ApproximationClassifier(model, **FEW, time_limit=t).fit(X.to_numpy()) for t in (None, 1e6))
    assert not limited.timed_out_
    assert (free.tree_.threshold.tobytes(), free.tree_.value.tobytes()) == (
        limited.tree_.threshold.tobytes(), limited.tree_.value.tobytes(),
    )  # fmt: skip


@pytest.mark.parametrize("kind", [ApproximationClassifier, ApproximationRegressor])
@pytest.mark.parametrize(("said", "words"), [([0.5] * 3, "3 answers"), (0.5, "a single answer")])
def test_a_function_that_says_too_little_is_told_so(kind, said, words):
    X, _ = numbers()
    with pytest.raises(ValueError, match=f"the model gave {words} to 64 rows; it must give one for each"):
        kind(lambda rows: np.array(said), **FEW).fit(X)


def test_a_classifier_is_no_model_of_numbers():
    X, y = numbers()
    words = "the model LogisticRegression is a classifier.*take ApproximationClassifier"
    with pytest.raises(ValueError, match=words):
        ApproximationRegressor(LogisticRegression().fit(X, y), **FEW).fit(X)


def test_a_regressor_fitted_to_zeros_and_ones_is_no_classifier_but_its_predict_may_say_chances():
    X, y = numbers()
    trees: Any = learners.CartRegressor(max_depth=2).fit(X.to_numpy(), y)
    with pytest.raises(ValueError, match=r"the model CartRegressor is a regressor.*give its predict"):
        ApproximationClassifier(trees, **FEW).fit(X.to_numpy())
    chances = ApproximationClassifier(trees.predict, **FEW).fit(X.to_numpy())
    assert (chances.predict(X.to_numpy()) == y).all()


def test_text_for_numbers_is_refused_before_the_model_is_fitted():
    X, _ = numbers()
    words = re.escape("the target y holds text ('benign'), and ApproximationRegressor predicts numbers")
    with pytest.raises(ValueError, match=words):
        ApproximationRegressor(LinearRegression(), **FEW).fit(X, ["benign", "malignant"] * 100)


# Forests of scikit-learn, which are converted before
UNDECIDED = pytest.mark.filterwarnings("ignore::espalier.learners.approximation.UndecidedSplits")
FEWER: Any = {"max_depth": 2, "initial_samples": 500, "max_samples": 500, "random_state": 0}
IRIS: Any = load_iris(as_frame=True)
DIABETES: Any = load_diabetes()
FOREST = RandomForestClassifier(20, random_state=0).fit(IRIS.data, IRIS.target_names[IRIS.target])


class Sharpened(RandomForestClassifier):
    """A forest that says something else than the mean of its trees."""

    def predict_proba(self, X):
        shares = np.square(super().predict_proba(X))
        return shares / shares.sum(axis=1, keepdims=True)


def n_besides(model: Any) -> int:
    """Return how many rows the model itself was asked about, besides those of the table."""
    return model.asking_.n_answered - len(model.table_.X)


@UNDECIDED
def test_labels_of_a_converted_model_are_its_own_shares_or_numbers():
    tree = ApproximationClassifier(FOREST, **FEWER).fit(IRIS.data)
    rows = tree.pseudo_samples(2000)
    said = FOREST.predict_proba(pd.DataFrame(rows, columns=IRIS.data.columns))
    np.testing.assert_allclose(tree.oracle_.coding.plain(tree.oracle_.labels(rows)), said, atol=1e-6)
    assert n_besides(tree) == 0
    forest = ExtraTreesRegressor(20, random_state=0).fit(DIABETES.data, DIABETES.target)
    tree = ApproximationRegressor(forest, **FEWER).fit(DIABETES.data)
    rows = tree.pseudo_samples(2000)
    labels = tree.oracle_.coding.plain(tree.oracle_.labels(rows))
    np.testing.assert_allclose(labels[:, 0], forest.predict(rows), rtol=1e-6)
    assert n_besides(tree) == 0


@UNDECIDED
@pytest.mark.parametrize("name", ["its own shares", "a function"])
def test_what_is_no_plain_forest_is_asked_as_it_is(name):
    X = IRIS.data.to_numpy()
    model: Any = Sharpened(5, random_state=0).fit(X, IRIS.target)
    if name == "a function":
        model = RandomForestClassifier(5, random_state=0).fit(X, IRIS.target).predict_proba
    assert n_besides(ApproximationClassifier(model, **FEWER).fit(X)) > 0


MILLISECOND = 2.0**-10  # nearly
ROWS = np.random.default_rng(0).uniform(size=(400, 3))


class Slow:
    """A model that takes a millisecond a row by a clock that only it moves."""

    def __init__(self):
        self.now, self.asked = 0.0, []

    def predict(self, rows):
        """The first column, noticeably bent."""
        self.now += MILLISECOND * len(rows)
        self.asked.append(len(rows))
        return np.where(rows[:, 0] > 0.5, 1.0, 0.0) + rows[:, 1] ** 2


@pytest.fixture
def slow(monkeypatch):
    model = Slow()
    for module in (asking, sampling):
        monkeypatch.setattr(module.time, "perf_counter", lambda: model.now)
    return model


def test_what_takes_long_is_asked_in_parts_of_a_quarter_of_a_second(slow):
    ask = Asking(slow, "predict", lambda rows: rows)
    rows = np.tile(ROWS, (3, 1))
    assert ask(rows) == pytest.approx(Slow().predict(rows))
    assert slow.asked == [64, 128, 256, 256, 496]
    slow.asked.clear()
    ask(ROWS)
    assert slow.asked == [400]  # less than half a second: no need for parts


def test_a_model_that_is_told_to_stop_is_asked_no_other_batch():
    begun, go_on = threading.Event(), threading.Event()
    progress, batches, ended = Progress(), [], []

    def model(rows):
        batches.append(len(rows))
        begun.set()
        assert go_on.wait(60)
        return rows[:, 0]

    def fit():
        with pytest.raises(StoppedAsking):
            ApproximationRegressor(model).fit(ROWS, progress=progress)
        ended.append(True)

    thread = threading.Thread(target=fit)
    thread.start()
    assert begun.wait(60)
    progress.stop()
    go_on.set()
    thread.join(60)
    assert ended == [True]
    assert batches == [asking.FIRST]


def test_a_model_can_be_asked_again_after_it_was_stopped():
    ask = Asking(lambda rows: rows[:, 0], None, lambda rows: rows)
    with ask.heeding(Progress(is_stopped=True)), pytest.raises(StoppedAsking):
        ask(ROWS)
    assert len(ask(ROWS)) == len(ROWS)


def test_a_model_whose_calls_take_long_whatever_their_rows_is_not_asked_about_fewer_and_fewer(slow):
    def model(rows):
        slow.asked.append(len(rows))
        slow.now += 3.0
        return rows[:, 0]

    Asking(model, None, lambda rows: rows)(ROWS)
    assert slow.asked == [64] * 6 + [16]


@pytest.mark.filterwarnings("ignore:0 of")
def test_a_slow_model_is_asked_about_what_fits_into_the_limit_and_the_tree_is_whole(slow):
    tree = ApproximationRegressor(slow, max_depth=4, time_limit=20.0, random_state=0).fit(ROWS)
    assert tree.seconds_a_row_ == pytest.approx(MILLISECOND)
    assert tree.budget_ == 10_000  # 15 s, rounded down to one digit
    assert tree.considered_.n_samples.sum() <= tree.budget_ + classifier.FOR_ASKING * 15 * 100
    assert not tree.timed_out_
    assert tree.tree_.n_leaves > 8


def test_the_root_takes_the_part_of_its_level_and_what_a_node_leaves_over_others_take(slow):
    tree = ApproximationRegressor(slow, max_depth=2, time_limit=20.0, alpha=0.001, random_state=0).fit(ROWS)
    drawn = tree.considered_.n_samples
    assert drawn[0] <= tree.budget_ / 2
    assert drawn.sum() <= tree.budget_ + 200


def test_a_model_that_is_quick_enough_is_asked_about_all(slow):
    quick = ApproximationClassifier(
        lambda rows: np.clip(rows[:, 0], 0, 1), max_depth=2, max_samples=500, time_limit=20.0
    ).fit(ROWS)
    assert quick.budget_ == np.inf


@pytest.mark.parametrize("learner", [ApproximationClassifier, ApproximationRegressor])
def test_the_rows_of_the_table_are_asked_about_once(learner):
    asked = []

    def model(rows):
        asked.append(rows.copy())
        return np.clip(rows[:, 0], 0, 1)

    learner(model, max_depth=1, max_samples=200, n_jobs=1).fit(ROWS)
    first = [tuple(row) for row in np.concatenate(asked)[: len(ROWS)].tolist()]
    later = {tuple(row) for row in np.concatenate(asked)[len(ROWS) :].tolist()}
    assert sorted(first) == sorted(map(tuple, ROWS.tolist()))
    assert not later & set(first)


def test_a_model_that_does_not_answer_all_rows_within_the_limit_is_refused_with_what_to_do(monkeypatch):
    monkeypatch.setattr(classifier, "LEAST_FOR_ROWS", 0.01)
    progress = Progress()

    def model(rows):  # slower than any limit: the first batch ends when the time is over, if it began before
        assert until(lambda: progress.is_stopped)
        return rows[:, 0]

    with pytest.raises(ValueError, match=r"answered (64|0) of the 400 rows within .* give fewer rows"):
        ApproximationRegressor(model, time_limit=0).fit(ROWS, progress=progress)


def test_the_most_that_growing_may_ask_falls_as_nodes_take_less_and_ends_at_what_was_asked():
    seen = []

    def model(rows):
        if hasattr(tree, "growth_"):
            seen.append((tree.n_asked_, tree.growth_.most))
        return np.where(rows[:, 0] > 0.5, 1.0, 0.0)

    tree = ApproximationRegressor(model, max_depth=3, max_samples=30_000, random_state=0)
    tree.fit(ROWS)
    asked, most = np.array(seen).T
    assert most[0] == 7 * 30_000
    assert (np.diff(most) <= 0).all()
    assert (asked <= most).all()
    assert tree.growth_.most == tree.n_asked_ == tree.considered_.n_samples.sum() < most[0]


@pytest.mark.parametrize(("n", "rounded"), [(123_456, 100_000), (99, 90), (0.2, 1), (7.9, 7)])
def test_what_is_allowed_is_rounded_down_to_one_digit(n, rounded):
    assert sampling.rounded_down(n) == rounded
