"""Models that are slow to ask: they are stopped between batches, and asked as much as time allows."""

import threading
import time

import numpy as np
import pytest

from espalier.learners import ApproximationClassifier, ApproximationRegressor
from espalier.learners.approximation import asking, classifier, sampling
from espalier.learners.approximation.asking import Asking, StoppedAsking
from espalier.progress import Progress

MILLISECOND = 2.0**-10  # nearly
X = np.random.default_rng(0).uniform(size=(400, 3))


class Slow:
    """A model that takes a millisecond a row by a clock that only it moves."""

    def __init__(self):
        self.now, self.asked = 0.0, []

    def predict(self, rows):
        """The first column, noticeably bent."""
        self.now += MILLISECOND * len(rows)
        self.asked.append(len(rows))
        return np.where(rows[:, 0] > 0.5, 1.0, 0.0) + rows[:, 1] ** 2


def eventually(holds):
    until = time.monotonic() + 60
    while not holds() and time.monotonic() < until:
        time.sleep(0.001)
    return holds()


@pytest.fixture
def slow(monkeypatch):
    model = Slow()
    for module in (asking, sampling):
        monkeypatch.setattr(module.time, "perf_counter", lambda: model.now)
    return model


def test_what_takes_long_is_asked_in_parts_of_a_quarter_of_a_second(slow):
    ask = Asking(slow, "predict", lambda rows: rows)
    rows = np.tile(X, (3, 1))
    assert ask(rows) == pytest.approx(Slow().predict(rows))
    assert slow.asked == [64, 128, 256, 256, 496]
    slow.asked.clear()
    ask(X)
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
            ApproximationRegressor(model).fit(X, progress=progress)
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
        ask(X)
    assert len(ask(X)) == len(X)


def test_a_model_whose_calls_take_long_whatever_their_rows_is_not_asked_about_fewer_and_fewer(slow):
    def model(rows):
        slow.asked.append(len(rows))
        slow.now += 3.0
        return rows[:, 0]

    Asking(model, None, lambda rows: rows)(X)
    assert slow.asked == [64] * 6 + [16]


@pytest.mark.filterwarnings("ignore:0 of")
def test_a_slow_model_is_asked_about_what_fits_into_the_limit_and_the_tree_is_whole(slow):
    tree = ApproximationRegressor(slow, max_depth=4, time_limit=20.0, random_state=0).fit(X)
    assert tree.seconds_a_row_ == pytest.approx(MILLISECOND)
    assert tree.budget_ == 10_000  # 15 s, rounded down to one digit
    assert tree.considered_.n_samples.sum() <= tree.budget_ + classifier.FOR_ASKING * 15 * 100
    assert not tree.timed_out_
    assert tree.tree_.n_leaves > 8


def test_the_root_takes_the_part_of_its_level_and_what_a_node_leaves_over_others_take(slow):
    tree = ApproximationRegressor(slow, max_depth=2, time_limit=20.0, alpha=0.001, random_state=0).fit(X)
    drawn = tree.considered_.n_samples
    assert drawn[0] <= tree.budget_ / 2
    assert drawn.sum() <= tree.budget_ + 200


def test_a_model_that_is_quick_enough_is_asked_about_all(slow):
    quick = ApproximationClassifier(
        lambda rows: np.clip(rows[:, 0], 0, 1), max_depth=2, max_samples=500, time_limit=20.0
    ).fit(X)
    assert quick.budget_ == np.inf


@pytest.mark.parametrize("learner", [ApproximationClassifier, ApproximationRegressor])
def test_the_rows_of_the_table_are_asked_about_once(learner):
    asked = []

    def model(rows):
        asked.append(rows.copy())
        return np.clip(rows[:, 0], 0, 1)

    learner(model, max_depth=1, max_samples=200, n_jobs=1).fit(X)
    first = [tuple(row) for row in np.concatenate(asked)[: len(X)].tolist()]
    later = {tuple(row) for row in np.concatenate(asked)[len(X) :].tolist()}
    assert sorted(first) == sorted(map(tuple, X.tolist()))
    assert not later & set(first)


def test_a_model_that_does_not_answer_all_rows_within_the_limit_is_refused_with_what_to_do(monkeypatch):
    monkeypatch.setattr(classifier, "LEAST_FOR_ROWS", 0.01)
    progress = Progress()

    def model(rows):  # slower than any limit: the first batch ends when the time is over, if it began before
        assert eventually(lambda: progress.is_stopped)
        return rows[:, 0]

    with pytest.raises(ValueError, match=r"answered (64|0) of the 400 rows within .* give fewer rows"):
        ApproximationRegressor(model, time_limit=0).fit(X, progress=progress)


def test_the_most_that_growing_may_ask_falls_as_nodes_take_less_and_ends_at_what_was_asked():
    seen = []

    def model(rows):
        if hasattr(tree, "growth_"):
            seen.append((tree.n_asked_, tree.growth_.most))
        return np.where(rows[:, 0] > 0.5, 1.0, 0.0)

    tree = ApproximationRegressor(model, max_depth=3, max_samples=30_000, random_state=0)
    tree.fit(X)
    asked, most = np.array(seen).T
    assert most[0] == 7 * 30_000
    assert (np.diff(most) <= 0).all()
    assert (asked <= most).all()
    assert tree.growth_.most == tree.n_asked_ == tree.considered_.n_samples.sum() < most[0]


@pytest.mark.parametrize(("n", "rounded"), [(123_456, 100_000), (99, 90), (0.2, 1), (7.9, 7)])
def test_what_is_allowed_is_rounded_down_to_one_digit(n, rounded):
    assert sampling.rounded_down(n) == rounded
