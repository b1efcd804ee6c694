"""The page that compares models, without a browser."""

import time

import numpy as np

from espalier.data import samples
from espalier.data.folds import Folds
from espalier.learners import catalogue
from espalier.learners.catalogue import KINDS, kinds
from espalier.progress import Progress
from espalier.tasks import PARTS
from pages.shared.comparison import folds, results, runs
from pages.shared.comparison.runs import ComparisonJob
from pages.shared.data import library
from pages.shared.jobs.run import RUNNER, Outcome
from tests.tools.on_page import (
    address_of,
    open_page,
    press,
    set_controls,
    settle,
    until_grown,
    values_of,
    words_of,
)
from tests.tools.uneven import loans

QUICK = {"folds": "3", "m1-depth": "2", "m2": "cultivated", "m3": "none"}
# What the address calls a widget, where by another name.
IN_URL = {"m1-cart-depth": "m1-depth", "m2-cultivated-hesitates": "m2-hesitates", "limit": "seconds"}


def table(page):
    return page.dataframe[0].value


def test_the_first_screen_compares_four_models_on_the_chosen_data():
    page = open_page("compare")
    assert list(table(page).columns) == ["CART", "Optimal", "Random forest", "Baseline"]
    assert str(table(page).loc["accuracy ↑", "Baseline"]).startswith("33.3 %")
    (pairs,) = (one.value for one in page.table if "verdict" in one.value)
    assert pairs["verdict"].tolist().count("clear") == 3
    assert address_of(page) == {}


def test_there_is_no_verdict_before_all_models_have_finished(monkeypatch):
    def all_but_one(trials):
        return [*done(trials)[:-1], Outcome()]

    done = runs.outcomes
    monkeypatch.setattr(runs, "outcomes", all_but_one)
    page = open_page("compare", **QUICK)
    assert list(table(page).columns) == ["CART", "Cultivated"]
    assert any("No verdict yet:** Baseline still to come" in caption.value for caption in page.caption)
    for word in ("A critical look", "Clear", "Best on average"):
        assert word not in words_of(page, "markdown")


def test_of_uneven_classes_accuracy_is_not_what_is_led_with_and_is_called_blind_where_it_is_asked_for():
    library.store().put(data := loans())
    page = open_page("compare", **(QUICK | {"data": data.digest, "m1-depth": "1", "m2": "none"}))
    assert "Clear differences in AUC" in words_of(page)
    assert "Accuracy tells little" not in words_of(page, "markdown")
    assert address_of(page).get("by") is None
    assert {"right, of “repaid” ↑", "right, of “default” ↑"} <= set(table(page).index)
    assert table(page).loc["right, of “default” ↑", "CART"] == "0 %"
    page = settle(page.selectbox(key="by").set_value("accuracy"))
    assert "by classes on 50 % on average. It never answers “default”" in words_of(page)
    page.selectbox(key="data-picker").set_value("xor")
    assert settle(page).session_state["by"] == "accuracy"


def test_numbers_have_models_and_scores_of_their_own_and_one_that_is_not_for_them_says_so_in_its_place():
    page = open_page("compare", data="diabetes", folds="3")
    assert list(table(page).columns) == ["CART", "Cultivated", "Random forest", "Baseline"]
    assert table(page).index[0] == "RMSE ↓"
    assert "When it says 80 %" not in [one.label for one in page.expander]
    page = open_page("compare", data="diabetes", folds="3", m2="root", m3="bagged", **{"m3-base": "optimal"})
    said = [error.value for error in page.error]
    assert any("for classes only" in error for error in said)
    assert any("Optimal trees are for classes" in error for error in said)
    assert list(table(page).columns) == ["CART", "Baseline"]


def test_every_control_changes_the_address_and_a_link_sets_all_of_them():
    rounds = [
        [
            ("selectbox", "m4", "none", "none"),
            ("number_input", "m1-cart-depth", 3, "3"),
            ("selectbox", "m2-cultivated-hesitates", "never", "never"),
            ("selectbox", "about", "setosa", "setosa"),
            ("number_input", "limit", 5, "5"),
            ("slider", "folds", 4, "4"),
            ("number_input", "deal", 7, "7"),
            ("slider", "repeats", 2, "2"),
        ],
        [("selectbox", "m2", "none", "none")],
    ]
    page = set_controls(open_page("compare", **QUICK), *rounds, names=IN_URL)
    again = open_page("compare", **address_of(page))
    rounds[0].pop(2)  # of a model that went
    values, last = values_of(again, *rounds)
    assert values == last
    assert list(table(again).columns) == list(table(page).columns)


def test_the_score_compared_by_is_in_the_address_and_what_a_link_says_wrong_is_noted():
    page = open_page("compare", **QUICK, by="log_loss", m4="oracle")
    assert "differences in log loss" in words_of(page)
    assert "m4=oracle" in words_of(page, "warning")
    assert "Baseline" in table(page).columns


def test_no_model_at_all_is_an_invitation_and_one_model_is_shown_by_itself_without_losses_of_numbers():
    page = open_page("compare", m1="none", m2="none", m3="none", m4="none")
    assert "Choose at least one model" in page.info[0].value
    assert not page.dataframe
    page = open_page("compare", m2="none", m3="none", m4="none", folds="3", m1_criterion="absolute")
    assert list(table(page).columns) == ["CART"]
    assert "m1-cart-criterion" not in [box.key for box in page.selectbox]
    assert "A critical look" not in words_of(page, "markdown")
    assert any("Choose a second model" in caption.value for caption in page.caption)


def test_models_of_the_same_kind_are_told_apart_by_what_differs_and_depth_may_be_without_a_limit():
    page = open_page("compare", m2="cart", m3="cart", folds="3", **{"m1-depth": "1"})
    assert list(table(page).columns) == [
        "CART, depth 1",
        "CART, depth 4, model 2",
        "CART, depth 4, model 3",
        "Baseline",
    ]
    (pairs,) = (one.value for one in page.table if "verdict" in one.value)
    assert "equal" in pairs["verdict"].tolist()
    page = open_page("compare", **(QUICK | {"m1-depth": "none"}))
    assert page.number_input(key="m1-cart-depth").value is None
    assert len(table(page).columns) == 3


def test_the_curve_is_of_the_class_that_is_chosen_or_counts_and_other_data_let_go_of_it():
    assert "ROC" not in words_of(open_page("compare", **QUICK), "markdown")
    page = open_page("compare", **QUICK, about="virginica")
    assert "ROC: virginica" in words_of(page)
    page = settle(page.selectbox(key="data-picker").set_value("breast-cancer"))
    assert page.selectbox(key="about").value == results.PREDICTED
    assert "ROC: malignant" in words_of(page)  # the class that counts
    page = open_page("compare", **QUICK, data="iris~p3")
    assert "ROC: virginica" in words_of(page)


def trial(name="cart", data="iris", **plan):
    kind = catalogue.find_kind(name)
    known = kind.defaults(is_classification=True)
    return ComparisonJob(0, catalogue.model(kind, known), 10.0, samples.load(data), Folds(3)._replace(**plan))


def test_what_an_outcome_depends_on_is_in_its_key_and_models_with_the_same_folds_are_compared_row_by_row():
    keys = {trial().key, trial("cultivated").key, trial(data="xor").key, trial(n_folds=4).key, trial(seed=1).key}
    assert len(keys) == 5
    assert trial().key == trial().key
    first, second = (RUNNER.do(trial(name), Progress()) for name in ("cart", "baseline"))
    assert [t.scores.n_samples for t in first.tried] == [t.scores.n_samples for t in second.tried]
    assert np.isfinite(first.predicted).all()
    assert np.isfinite(second.predicted).all()
    assert len(set(results.SYMBOLS)) == len(folds.COMPARED.names) == 4


def test_a_cancelled_model_says_how_far_it_came_and_may_be_tried_again():
    page = open_page("compare", **QUICK)
    kind = catalogue.find_kind("cart")
    shallow = catalogue.model(kind, kind.defaults(is_classification=True) | {"depth": 2})
    one = trial("cart", n_folds=3)._replace(model=shallow)
    found = RUNNER.outcome(one.key)
    assert found is not None
    RUNNER.drop(one.key)
    folds = [call.function(*call.arguments) for call in one.tasks()[:2]]
    RUNNER.results(one.key).update(enumerate(folds))
    RUNNER.keep(one.key, Outcome(one.gathered(folds), is_stopped=True))
    page = settle(page)
    assert any("Stopped after 2 of 3 folds" in note.value for note in page.info)
    press(page, "Go on")
    page = settle(page)
    assert not page.info


def test_a_model_that_was_told_to_stop_ends_and_goes_on_with_the_folds_that_are_left():
    one, progress = trial("cart", data="xor", n_folds=4, seed=77), Progress()
    calls = one.tasks()
    RUNNER.results(one.key)[0] = calls[0].function(*calls[0].arguments)
    work = RUNNER.work_of(one)
    assert work.total == 3 * PARTS
    assert RUNNER.do(one, progress).is_complete
    assert progress.done == work.total
    one = trial("random", data="breast-cancer", n_folds=20, n_repeats=20)
    job = RUNNER.start(RUNNER.work_of(one))
    assert job is not None
    while not job.progress.done:
        time.sleep(0.01)
    RUNNER.cancel(one.key)
    found = job.ended.result(60)
    assert found.is_stopped
    assert not found.value.is_complete


def test_a_fault_of_one_model_stays_in_its_place_and_off_the_page(monkeypatch):
    def fail(_settings, _terms):
        raise RuntimeError("secret path")

    broken = catalogue.find_kind("cultivated")._replace(make=fail)
    patched = tuple(broken if kind.name == "cultivated" else kind for kind in KINDS)
    monkeypatch.setattr(kinds, "KINDS", patched)
    monkeypatch.setitem(kinds.KIND_OF_NAME, broken.name, broken)
    monkeypatch.setattr(runs, "KINDS", patched)
    page = open_page("compare", data="xor", folds="3", m2="cultivated", m3="none")
    assert any("Something went wrong" in error.value for error in page.error)
    assert not any("secret" in error.value for error in page.error)
    assert [b.label for b in page.button if b.label == "Try again"]
    assert list(table(page).columns) == ["CART", "Baseline"]


def test_much_to_do_is_begun_only_when_asked_for(monkeypatch):
    monkeypatch.setattr(runs, "LARGE", 100)
    page = open_page("compare", data="monks-1", folds="4", m2="none", m3="none")
    assert "There is much to do" in page.info[0].value
    assert not page.dataframe
    page = until_grown(press(page, "Begin"))
    assert len(table(page).columns) == 2


def test_losses_of_numbers_are_offered_and_only_theirs_are_scored_in_addition():
    losses = {"m1-criterion": "absolute", "m2": "gradient", "m2-loss": "absolute", "m3": "none", "m4": "none"}
    page = open_page("compare", data="diabetes", folds="3", by="d2_absolute", **losses, **{"m2-trees": "5"})
    assert list(table(page).columns) == ["CART", "Gradient boosting"]
    assert [name for name in table(page).index if "²" in name] == ["R² ↑", "D², absolute error ↑"]
    page.selectbox(key="m2-gradient-loss").set_value("squared")
    page = settle(page.selectbox(key="m1-cart-criterion").set_value("poisson"))
    assert [name for name in table(page).index if "²" in name] == ["R² ↑", "D², Poisson ↑"]
    assert address_of(page)["m1-criterion"] == "poisson"
    assert "by" not in address_of(page)
