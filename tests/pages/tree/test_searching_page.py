"""Trees that take their time: what the page shows meanwhile, Cancel, going on; and the promises of leaves."""

import itertools
import threading
import time

import pytest

from espalier import learners as estimators
from espalier.data import HeldOut, make_dataset, samples
from espalier.grown import AsGood
from espalier.learners import CartClassifier, OptimalClassifier
from espalier.learners.catalogue import Model
from espalier.learners.optimal import Proof
from espalier.progress import Progress
from pages.shared.jobs import compilation as engine_start
from pages.shared.jobs import watch
from pages.shared.jobs.run import RUNNER, Work
from pages.shared.models import learners
from pages.shared.models.learners import LEARNERS
from pages.shared.promises import section
from pages.shared.tree import growing
from tests.tools import on_page
from tests.tools.on_page import (
    address_of,
    metric,
    open_page,
    open_tree,
    pictures,
    press,
    run_until,
    tree_id,
    whole,
    words_of,
)

SOON = 60  # seconds: far more than any of these waits needs
FRESH = itertools.count(1)  # seeds, each used once: what is grown with them was not grown before


class SlowSearch:
    """Finds a stump and stays there until it is told to stop; what is proved comes when it goes on."""

    megabytes = 1.0
    lists_every = True

    aim = 14.0, 0.25

    def __init__(self, **parameters):
        self.parameters = OptimalClassifier().get_params() | parameters
        self.time_limit, self.trace, self.seconds = self.parameters["time_limit"], [], 1.0

    def get_params(self, deep=False):
        return self.parameters

    def fit(self, X, y, sample_weight, progress):
        self.search_, self.X, self.y = self, X, y
        self._find(1, False)
        until = time.monotonic() + SOON
        while not progress.is_stopped and time.monotonic() < until:
            time.sleep(0.005)
        self.tree_, self.proof_ = self.tree(), self._proof

    def go_on(self, time_limit, progress):
        assert time_limit == self.time_limit
        self._find(2, True)
        self.tree_, self.proof_ = self.tree(), self._proof

    def _find(self, depth, proved):
        self._tree = CartClassifier(max_depth=depth).fit(self.X, self.y).tree_
        self._proof = Proof(14.0, 14.0 if proved else 9.0, proved, 42, 40, 7, 0.0, 1.0)
        self.trace.append((1.0, 14.0, self._proof.lower_bound))

    def tree(self):
        return self._tree


class QuickSearch(SlowSearch):
    """Is proved at once."""

    def fit(self, X, y, sample_weight, progress):
        self.search_, self.X, self.y = self, X, y
        self.go_on(self.time_limit, progress)


@pytest.fixture
def slow(monkeypatch):
    """Searches are slow; gives a seed that no tree was grown with before."""
    monkeypatch.setattr(estimators, "OptimalClassifier", SlowSearch)
    monkeypatch.setattr(growing.Fit, "near", lambda *_: growing.NOT_COUNTED)  # others are of no concern here
    return str(10**5 + next(FRESH))


def test_a_search_shows_best_and_bound_cancel_keeps_what_was_found_and_it_goes_on_from_there(slow):
    page = run_until(open_tree(model="optimal", random=slow), pictures)
    said_so_far = "best found 14 errors, none has fewer than 9; proving 14 at least: 25 %"
    assert said_so_far in page.get("progress")[0].proto.text
    assert page.get("progress")[0].proto.value == 64  # per cent: 9 of 14
    assert len(pictures(page)) == 2
    assert not on_page.sent_to(page, "espalier_tree")
    press(page, "Cancel")
    assert "Best found: 14 errors" in words_of(page)
    assert "makes fewer than 9 errors on the training rows. Not proved" in words_of(page)
    assert metric(page, "depth") == "1"
    assert "Counted once the best tree is proved" in words_of(page)
    before = tree_id(page)
    press(page, "Go on")
    assert "makes fewer than 14 errors on the training rows." in words_of(page)
    assert tree_id(page) != before
    assert not any(b.label == "Go on" for b in page.button)


def test_two_people_who_look_for_the_same_tree_share_the_search_and_what_it_found(slow):
    first = run_until(open_tree(model="optimal", random=slow), pictures)
    second = run_until(open_tree(model="optimal", random=slow), pictures)
    press(first, "Cancel")
    whole(second.run())
    assert tree_id(second) == tree_id(first)


def test_a_large_cart_that_was_stopped_can_be_grown_to_the_end(monkeypatch):
    monkeypatch.setitem(learners.LEARNERS, "cart", LEARNERS["cart"]._replace(long=10))
    real, calls = growing.Fit.__call__, []

    def stopped_at_first(fit, progress=None):
        if progress is not None and not calls:
            progress.stop()
        calls.append(fit)
        return real(fit, progress)

    monkeypatch.setattr(growing.Fit, "__call__", stopped_at_first)
    page = whole(open_tree(random=str(10**5 + next(FRESH))))
    assert "Growing was stopped" in words_of(page)
    press(page, "Try again")
    assert "Growing was stopped" not in words_of(page)
    assert int(metric(page, "leaves")) > 1


def until_stopped(progress):
    while not progress.is_stopped:
        time.sleep(0.005)


def test_a_tree_that_was_cancelled_while_it_waited_can_be_asked_for_again(monkeypatch, slow):
    monkeypatch.setattr(watch, "PATIENCE_SECONDS", 0.05)
    busy = RUNNER.start(Work("something else", 1, until_stopped), "test session id")
    assert busy is not None
    page = open_tree(model="optimal", random=slow)
    assert "waits for its turn" in page.get("progress")[0].proto.text
    press(page, "Cancel")
    assert "stopped before there was a tree" in words_of(page)
    RUNNER.cancel("something else")
    busy.ended.result(SOON)
    press(run_until(press(page, "Try again"), pictures), "Cancel")
    assert "Best found: 14 errors" in words_of(page)


def test_while_other_trees_are_counted_the_page_says_how_far_that_is(monkeypatch):
    gate = threading.Event()

    def counted(fit, slack, limit, progress):
        progress.done = 1
        gate.wait(SOON)
        return growing.NOT_COUNTED

    monkeypatch.setattr(estimators, "OptimalClassifier", QuickSearch)
    monkeypatch.setattr(growing.Fit, "near", counted)
    page = whole(open_tree(model="optimal", random=str(10**5 + next(FRESH))))
    assert "Looking for trees that are as good** · 1" in page.get("progress")[0].proto.text
    assert "makes fewer than 14 errors on the training rows." in words_of(
        page
    )  # how many others there are comes later
    gate.set()
    whole(page.run())
    assert not page.get("progress")


def test_moving_on_stops_the_search_and_coming_back_lets_it_go_on(slow):
    page = run_until(open_tree(model="optimal", random=slow), pictures)
    job = next(job for job in RUNNER._jobs.values() if isinstance(job.work.call, growing.Fit))
    page.segmented_control(key="learner").set_value("cart")
    assert int(metric(whole(page.run()), "leaves")) > 1
    assert job.ended.result(SOON).is_stopped
    page.segmented_control(key="learner").set_value("optimal")
    assert "makes fewer than 14 errors on the training rows." in words_of(whole(page.run()))


def test_while_the_engine_compiles_an_optimal_tree_waits(monkeypatch):
    monkeypatch.setattr(engine_start, "is_ready", lambda _stage: False)
    page = open_tree(model="optimal")
    assert "Preparing the engine" in page.get("progress")[0].proto.text


def test_a_class_that_no_row_has_gets_a_share_of_nothing_and_only_a_few_fits_are_kept():
    iris = samples.load("iris")
    target = iris.target._replace(categories=("none", *iris.classes))
    data = make_dataset("shifted", iris.X, iris.features, iris.y + 1, target)
    model = Model("optimal", (("depth", 1), ("costly", "virginica"), ("times", 3.0)))
    fit = growing.Fit(data, HeldOut(30), model)
    fitted = fit()
    assert fitted.tree.value.shape[1] == 4
    assert not fitted.tree.value[:, 0].any()
    others = fit.near(0, 5, Progress())
    assert isinstance(others, AsGood)
    assert others.near(0).tree.value.shape[1] == 4
    data, name = samples.load("iris"), f"only a few {next(FRESH)}"
    cart = Model("cart")
    made = [growing.find_fit(f"{name} {i}", data, HeldOut(30, i), cart) for i in range(growing.MOST_KEPT + 1)]
    assert growing.find_fit(f"{name} 1", data, HeldOut(30, 1), cart) is made[1]
    assert growing.find_fit(f"{name} 0", data, HeldOut(30), cart) is not made[0]


def test_the_address_and_undo_follow_while_a_search_runs(slow):
    page = open_tree(random=slow)
    page.segmented_control(key="learner").set_value("optimal")
    page = run_until(whole(page.run()), pictures)
    assert address_of(page)["model"] == "optimal"
    assert "Undo" in [button.label for button in page.button]
    press(page, "Cancel")
    assert address_of(page)["model"] == "optimal"


def opened(**address):
    return open_page("tree", {section.OPENED: True}, **address)


def leaves(page):
    return next(one.value for one in page.dataframe if "truth of new rows" in one.value)


def test_each_leaf_has_a_promise_of_its_own_rows_and_a_link_to_the_test_for_drift_says_where_it_is():
    page = opened(data="iris", depth="2", level="90")
    table = leaves(page)
    assert len(table) == 3
    assert sum(int(n) for n in table["rows held out"]) == 45
    page = opened(data="iris", depth="2", level="95")
    assert set(leaves(page)["truth of new rows"]) == {"too few rows: 19 are needed"}
    page = opened(data="iris", drift="yes")
    assert any("Ask it, under Use" in one.value for one in page.warning)
    assert "drift" not in address_of(page)
