"""Black boxes and their trees at work: jobs that are watched and stopped, what is kept, and what comes of them."""

import threading
import time

import numpy as np
import pytest

from espalier.approximation import stand_in
from espalier.data import HeldOut, make_dataset, samples
from espalier.learners import ApproximationClassifier
from espalier.progress import Progress
from pages.shared.approximation import fits, results
from pages.shared.approximation.fits import FittedBlackBox
from tests.pages.approximation.test_approximation_page import MODEL, fresh_seed, open_page
from tests.tools.on_page import SOON, begin_page, pictures, press, until_grown, whole, words_of


def approximated(data, model=MODEL, progress=None):
    """The work of a job, done here."""
    progress = progress or Progress()
    made = fits.maker(data, HeldOut(30), model)
    assert made is not None
    one = fits.ApproximationJob("key", data, HeldOut(30), model, made[1])(progress)
    assert one is not None
    return one


# ---- jobs


def test_growing_can_be_stopped_before_there_is_a_tree(monkeypatch):
    def learns(_key, _data, _rows, _model, progress):
        until = time.monotonic() + SOON
        while not progress.is_stopped and time.monotonic() < until:
            time.sleep(0.01)
        return None if progress.is_stopped else 1 / 0

    monkeypatch.setattr(fits, "learnt", learns)
    page = begin_page("approximate", ap_seed=fresh_seed())
    assert "Random forest learns" in page.get("progress")[0].proto.text
    page = until_grown(press(page, "Cancel"))
    assert "Growing was stopped. There is no tree for the random forest." in words_of(page)
    monkeypatch.undo()
    page = until_grown(press(page, "Try again"))
    assert "the tree agrees with" in words_of(page)


def test_what_had_grown_when_it_was_stopped_is_shown_as_a_part():
    progress = Progress()

    class Stopping:
        classes_ = np.arange(3)
        n_asked = 0

        def predict_proba(self, X):
            self.n_asked += len(X)
            if self.n_asked > 1_500:  # in the second node
                progress.stop()
            return np.eye(3)[(X[:, 2] > 2.5).astype(int) + (X[:, 3] > 1.6)]

    work = fits.ApproximationJob(
        "part", samples.load("iris"), HeldOut(30), MODEL, lambda _: FittedBlackBox(Stopping(), 105)
    )
    one = work(progress)
    assert one is not None
    assert not one.is_whole
    assert one.key.startswith("part ")
    assert one.tree.depth < 2


@pytest.mark.filterwarnings("ignore:growing was stopped after 0 seconds")
def test_a_tree_that_ran_out_of_time_is_shown_as_a_part_with_what_to_do(monkeypatch):
    monkeypatch.setattr(fits, "MAX_APPROXIMATION_SECONDS", 0.0)
    page = until_grown(open_page(box="linear", ap_seed=fresh_seed()))
    told = " ".join(warning.value for warning in page.warning)
    assert "Growing was stopped after 0 s" in told
    assert "Allow fewer questions or made-up cases, or take a faster black box" in told
    assert "Try again" not in [button.label for button in page.button]  # it would come to the same
    assert "the tree agrees with" in words_of(page)


def test_too_many_pseudo_samples_are_refused_by_the_limit(monkeypatch):
    monkeypatch.setattr(fits, "MAX_FOREST_MB", 0.007)
    page = open_page(box="linear", ap_seed=fresh_seed())
    assert "allow fewer of them" in page.error[0].value.replace("\\", "")
    assert not fits.too_large(samples.load("iris"), MODEL.with_settings(method="exact"))


def test_a_black_box_is_fitted_once_for_trees_of_several_depths_and_a_slow_one_from_some_of_very_many_rows(
    monkeypatch,
):
    data = samples.load("wine")
    first = approximated(data, MODEL.with_settings(depth=1))
    assert approximated(data, MODEL.with_settings(depth=2)).box is first.box
    assert approximated(data, MODEL.with_settings(**{"box-random": 1})).box is not first.box
    monkeypatch.setitem(stand_in.MOST_LEARNT, "svm", 60)
    data = samples.load("iris")
    some, all_of_them = (stand_in.learning_rows(data, HeldOut(30), box) for box in ("svm", "linear"))
    assert len(np.unique(some)) == 60
    assert set(some) < set(all_of_them)
    assert len(all_of_them) == 105
    assert "learned from 60 of the rows" in words_of(open_page(box="svm", ap_box_seed=fresh_seed()))
    assert "learned from" not in words_of(open_page(box="linear"))


# ---- what comes of it


def test_classes_without_a_row_have_a_share_of_nothing_and_codes_of_ordered_categories_jump():
    iris = samples.load("iris")
    rows = iris.y > 0
    data = make_dataset("two of three", iris.X[rows], iris.features, iris.y[rows], iris.target)
    one = approximated(data)
    assert one.tree.value.shape[1] == 3
    assert not one.tree.value[:, 0].any()
    assert one.ask_model(data.X[:7]).shape == (7, 3)
    assert one.ask_model(data.X[:7]).sum(axis=1) == pytest.approx(np.ones(7))
    data = samples.load("questionnaire")
    coded = [f.kind in ("ordered", "yes/no") for f in data.features]
    assert (stand_in.discrete_levels(data) >= np.array(coded)).all()
    assert not (stand_in.discrete_levels(data) & data.categorical).any()


def test_the_tree_of_a_work_is_that_of_the_estimator():
    data = samples.load("wine")
    one = approximated(data)
    same = ApproximationClassifier(
        one.box, max_depth=3, max_samples=1_000, random_state=0, discrete_features=stand_in.discrete_levels(data)
    ).fit(data.X[~one.held])
    assert same.tree_.threshold.tolist() == pytest.approx(one.tree.threshold.tolist(), nan_ok=True)


# ---- models that are slow to ask


def test_slow_models_are_compared_on_what_they_answer_in_ten_seconds_or_had_answered_when_stopped():
    assert stand_in.affordable(0.0001, 10_000) == 10_000
    assert stand_in.affordable(0.003, 10_000) == 3_000
    assert stand_in.affordable(60.0, 10_000) == stand_in.FEWEST
    progress, X = Progress(), np.arange(1_000.0)[:, None]

    def says(rows):
        if progress.done >= 250:
            progress.stop()
        return 2 * rows

    found = stand_in.compare_answers(says, 0.002, progress, X, np.array([7, 3, 5]), X)
    assert found.fresh[:, 0].tolist() == list(range(375))  # three parts of a quarter of a second
    assert found.of_fresh.tolist() == (2 * found.fresh).tolist()
    assert found.rows.tolist() == [3, 5, 7]
    assert found.of_rows[:, 0].tolist() == [6.0, 10.0, 14.0]
    assert progress.done == 378


@pytest.mark.filterwarnings("ignore:0 of")
def test_the_page_says_what_a_slow_model_was_asked_about_instead():
    one = approximated(samples.load("iris"))
    assert results.slowness(one) == ""
    assert one.compared is not None
    one.estimator.budget_, one.estimator.seconds_a_row_ = 3_000.0, 0.0025
    assert results.slowness(one) == "The model takes 2.5 ms a row, so fewer made-up cases are asked about."


def test_stopping_while_the_model_is_asked_about_the_table_leaves_no_tree_and_asks_no_more():
    progress, asked = Progress(), []

    class Cancelled:
        classes_ = np.arange(3)

        def predict_proba(self, X):
            asked.append(len(X))
            progress.stop()
            return np.eye(3)[np.zeros(len(X), int)]

    work = fits.ApproximationJob(
        "stopped", samples.load("iris"), HeldOut(30), MODEL, lambda _: FittedBlackBox(Cancelled(), 105)
    )
    assert work(progress) is None
    assert len(asked) == 1


@pytest.fixture
def gate(monkeypatch):
    """Holds back what a model says to a job."""
    may_answer, ask = threading.Event(), results.ask_in_steps

    def held(*given):
        assert may_answer.wait(SOON)
        return ask(*given)

    monkeypatch.setattr(results, "ask_in_steps", held)
    yield may_answer
    may_answer.set()


def open_tab():
    """The page with its tree, while the model is asked over the plane."""
    page = begin_page(
        "approximate", box="linear", about_tree="Side by side", ap_samples="1000", ap_seed=fresh_seed()
    )
    while not any("Asking logistic" in bar.proto.text for bar in page.get("progress")):
        page = whole(page.run())
    return page


def test_while_a_slow_model_is_asked_over_the_plane_the_page_says_how_far_it_is(gate):
    page = open_tab()
    (bar,) = page.get("progress")
    assert bar.proto.text == "Asking logistic regression …"
    gate.set()
    assert any("Where they differ" in alt for alt in pictures(until_grown(page)))


def test_asking_can_be_cancelled_and_begun_again(gate):
    page = open_tab()
    page = press(page, "Cancel")
    gate.set()
    page = until_grown(page)
    assert "Asking logistic regression was stopped." in words_of(page)
    assert any("Where they differ" in alt for alt in pictures(until_grown(press(page, "Try again"))))
