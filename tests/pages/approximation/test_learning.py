"""A model that cannot be interrupted while it learns holds nobody up who cancels."""

import threading

import pytest

from espalier.progress import Progress
from pages.shared.approximation import learning

SOON = 60  # seconds: far more than any of these waits needs


class Stubborn:
    """A fit that ends only when it is let."""

    def __init__(self):
        self.began, self.may_end, self.n_begun = threading.Event(), threading.Event(), 0

    def __call__(self):
        self.n_begun += 1
        self.began.set()
        assert self.may_end.wait(SOON)
        return "model"


@pytest.fixture
def stubborn():
    fit = Stubborn()
    yield fit
    fit.may_end.set()
    while learning._learning:
        threading.Event().wait(0.01)


def ask(key, fit, progress):
    """Ask for a model in a thread; what comes of it."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(learning.unless_stopped(key, fit, progress)))
    thread.start()
    return thread, answers


def test_what_has_learnt_is_given(stubborn):
    stubborn.may_end.set()
    assert learning.unless_stopped("quick", stubborn, Progress()) == "model"


def test_what_goes_wrong_is_raised_to_whoever_waits():
    def fails():
        raise ValueError("one class only")

    with pytest.raises(ValueError, match="one class only"):
        learning.unless_stopped("wrong", fails, Progress())


def test_whoever_cancels_is_free_at_once_though_the_model_goes_on(stubborn):
    progress = Progress()
    thread, answers = ask("left", stubborn, progress)
    assert stubborn.began.wait(SOON)
    progress.stop()
    thread.join(SOON)
    assert answers == [None]
    assert not stubborn.may_end.is_set()


def test_who_asks_again_waits_for_the_model_that_learns_already(stubborn):
    progress = Progress()
    thread, _ = ask("twice", stubborn, progress)
    assert stubborn.began.wait(SOON)
    progress.stop()
    thread.join(SOON)
    thread, answers = ask("twice", stubborn, Progress())
    stubborn.may_end.set()
    thread.join(SOON)
    assert answers == ["model"]
    assert stubborn.n_begun == 1


def test_no_more_than_two_models_learn_at_a_time_and_who_waits_can_cancel(stubborn):
    others = [Progress(), Progress()]
    threads = [ask(f"other {n}", stubborn, progress)[0] for n, progress in enumerate(others)]
    while stubborn.n_begun < 2:
        threading.Event().wait(0.01)
    for progress in others:
        progress.stop()
    for thread in threads:
        thread.join(SOON)
    progress = Progress()
    thread, answers = ask("third", stubborn, progress)
    progress.stop()
    thread.join(SOON)
    assert answers == [None]
    assert stubborn.n_begun == 2
