"""Optimal trees on the Tree page: controls, proof, trees as good; and what it shows while any tree takes time."""

import itertools
import threading
import time

import numpy as np
import pytest

from espalier import learners as estimators
from espalier import predict
from espalier.data import Feature, HeldOut, make_dataset, samples
from espalier.data.sessions import SavedSession, table_of
from espalier.display.theme import percent
from espalier.grown import AsGood
from espalier.learners import CartClassifier, OptimalClassifier, catalogue
from espalier.learners.catalogue import Model
from espalier.learners.catalogue.estimators import costs
from espalier.learners.catalogue.settings import NUMBERS
from espalier.learners.optimal import Proof, threshold_search
from espalier.learners.optimal.rashomon.building import TreeBuilding
from espalier.progress import Progress
from pages.shared.jobs import compilation as engine_start
from pages.shared.jobs import watch
from pages.shared.jobs.run import RUNNER, Work
from pages.shared.models import learners
from pages.shared.models.learners import LEARNERS
from pages.shared.promises import section
from pages.shared.tree import growing, near_optimal
from tests.tools import on_page
from tests.tools.on_page import (
    address_of,
    begin_page,
    metric,
    open_page,
    open_session,
    open_tree,
    pictures,
    press,
    run_again,
    run_until,
    sent_to,
    set_controls,
    tree_id,
    until_grown,
    values_of,
    whole,
    words_of,
)


def open_optimal(**address):
    """The page once the search is done, however long that takes here."""
    return run_until(open_tree(model="optimal", **address), lambda page: not is_searching(page))


def open_and_hear(address):
    """The same with its warnings."""
    page = open_optimal(**address)
    return page, [one.value for one in page.warning]


def is_searching(page):
    return any(text in p.proto.text for p in page.get("progress") for text in ("Searching", "Looking for"))


def test_choosing_optimal_trees_shows_one_with_its_proof():
    page = open_tree()
    whole(page.segmented_control(key="learner").set_value("optimal").run())
    page = open_optimal(**{k: v for k, v in address_of(page).items() if k != "model"})
    assert address_of(page) == {"model": "optimal"}
    assert "tree of depth 3 over every threshold" in words_of(page)
    assert "Not proved" not in words_of(page)
    assert metric(page, "depth") in "123"


def test_every_control_stands_in_the_address_and_a_link_sets_all_of_them():
    rounds = [
        [("slider", "cuts", None, "none")],
        [
            ("slider", "cuts", 1, "1"),
            ("slider", "slack", 1, "1"),
            ("selectbox", "costly", "cultivar 2", "cultivar 2"),
            ("selectbox", "weights", "balanced", "balanced"),
            ("slider", "height", 2, "2"),
            ("number_input", "splits", 1, "1"),
            ("selectbox", "source", "forest", "forest"),
            ("number_input", "seconds", 7, "7"),
        ],
    ]
    page = set_controls(open_optimal(data="wine", depth="1"), *rounds, names={"height": "depth"})
    again = open_optimal(**{key: text for key, text in address_of(page).items() if key != "model"})
    values, last = values_of(again, *rounds)
    assert values == last
    assert address_of(again) == address_of(page)


def test_a_wrong_value_in_a_link_falls_back_with_a_note_and_a_number_beyond_its_limit_becomes_the_limit():
    every = {"source": "oak", "costly": "oak", "times": "half", "cuts": "1.5", "slack": "nan"}
    for link in (every, {"tree": "200", "depth": "1"}):
        page, notes = open_and_hear(link)
        wrong = link.keys() - {"depth"}
        assert all(f"{name}={link[name]}" in " ".join(notes) for name in wrong), notes
        assert not wrong & address_of(page).keys()
    link = {"cuts": "0", "splits": "0", "times": "0.5", "seconds": "0"}
    page, notes = open_and_hear(link)
    assert all(f"{name}={link[name]} should be a" in " ".join(notes) for name in link), notes
    assert address_of(page) == {"model": "optimal", **dict.fromkeys(link, "1")}


def test_costs_are_those_of_the_class_that_is_let_go_with_its_data():
    target = Feature("species", "category", ("a", "b", "c"))
    assert costs(target.categories, "b", 5.0) == ((0, 1, 1), (5, 0, 5), (1, 1, 0))
    assert costs(target.categories, "", 5.0) is None
    assert costs(target.categories, "b", 1.0) is None
    page = open_optimal(data="iris", depth="2", costly="virginica")
    whole(page.selectbox(key="data-picker").set_value("wine").run())
    assert page.selectbox(key="costly").value == ""
    assert not page.warning


@pytest.mark.few(2)
@pytest.mark.parametrize("name", ["tic-tac-toe", "monks-1", "two-gaussians", "questionnaire"])
def test_samples_of_classes_make_a_page(name):
    page = open_optimal(data=name, depth="2", cuts="3", node="1", row="3")
    assert int(metric(page, "leaves")) > 1


def test_where_the_target_is_a_number_the_tree_with_the_least_error_is_proved():
    page = open_optimal(data="diabetes", depth="2", leaf="20")
    words = words_of(page)
    assert "no tree of depth 2 over every threshold has less than a mean squared error of" in words
    assert "On the training rows the greedy tree has a mean squared error of" in words
    assert "**Optimal**, 4 leaves" in words
    assert "where the target is a class and no column monotone" in words
    assert len(sent_to(page, "espalier_surface")) == 3
    assert metric(page, "leaves") == "4"


def grown_of(page, name):
    """The tree that the page shows, and the greedy one, from the same caches."""
    data = samples.load(name)
    model = page.session_state["last-tree"].source.model
    greedy = Model("cart", (("depth", model.depth),))
    return growing.grow(data, HeldOut(30), model), growing.grow(data, HeldOut(30), greedy)


def ends(axis):
    return axis["name"], axis["low"], axis["high"]


def test_rows_on_which_greedy_and_optimal_differ_are_ringed_and_errors_are_those_of_the_predictions():
    page = open_optimal(data="wine", depth="2", x="ash", y="hue")
    best, greedy = grown_of(page, "wine")
    codes = [predict.classes(tree.tree, best.dataset.X) for tree in (greedy, best)]
    main, *beside = (sent["surface"] for sent in sent_to(page, "espalier_surface"))
    assert "ringed" not in main["points"]
    assert [axis["name"] for axis in main["axes"]] == ["ash", "hue"]
    for surface, told in zip(beside, codes, strict=True):
        assert surface["points"]["row"] == list(range(178))
        np.testing.assert_array_equal(surface["points"]["ringed"], codes[0] != codes[1])
        assert surface["points"]["wrong"] == (told != best.dataset.y).astype(int).tolist()
        assert [ends(axis) for axis in surface["axes"]] == [ends(axis) for axis in main["axes"]]
    for tree, title in ((greedy, "Greedy: CART of depth 2"), (best, "Optimal")):
        right = (predict.classes(tree.tree, best.dataset.X) == best.dataset.y)[best.held].mean()
        line = next(text.value for text in page.markdown if text.value.startswith(f"**{title}**"))
        assert f"accuracy {percent(right)} held-out" in line


def test_where_a_class_is_worse_to_mistake_the_page_speaks_of_cost_and_the_split_stands_first_among_columns():
    page = open_optimal(data="breast-cancer", depth="1", costly="malignant", times="20")
    assert "costs less than" in words_of(page)
    assert "makes fewer than" not in words_of(page)
    assert "a cost of" in words_of(page)
    beside = sent_to(page, "espalier_surface")[1]["surface"]
    wrong = [row for row, flag in zip(beside["points"]["row"], beside["points"]["wrong"], strict=True) if flag]
    truth = samples.load("breast-cancer").y[wrong]
    malignant = samples.load("breast-cancer").classes.index("malignant")
    assert (truth == malignant).sum() < (truth != malignant).sum()
    page = open_optimal(data="breast-cancer", depth="2")
    table = next(frame.value for frame in page.dataframe if "gain" in frame.value)
    assert table["column"].str.startswith("✓").tolist() == [True] + [False] * (len(table) - 1)
    assert list(table["gain"][1:]) == sorted(table["gain"][1:], reverse=True)


def known(page):
    """The trees of the page's gallery, from the same cache."""
    found = RUNNER.outcome(f"{page.session_state['last-gallery']} near {page.session_state['slack']}")
    assert found is not None
    return found.value


def test_the_gallery_has_a_picture_and_a_button_for_every_card_and_counts_all_trees():
    page = open_optimal(data="iris", depth="2", cuts="3", slack="3")
    found = known(page)
    n = len(found.cards.cards)
    assert n > near_optimal.SHOWN
    assert f"{found.trees.n_trees} trees with at most" in words_of(page)
    assert f"{n} cards." in words_of(page)
    assert sum(b.label == "Open" for b in page.button) == near_optimal.SHOWN
    left = n - near_optimal.SHOWN
    press(page, f"Show {min(left, near_optimal.SHOWN)} more of {left}")
    n_shown = min(2 * near_optimal.SHOWN, n)
    own = 1  # a picture, too: one's own tree
    assert sum(b.label == "Open" for b in page.button) == n_shown == len(pictures(page)) - own


def test_trees_beyond_those_listed_are_counted_and_too_many_to_count_are_said_to_be(monkeypatch):
    monkeypatch.setattr(near_optimal, "MOST", 5)
    page = open_optimal(data="iris", depth="2", cuts="4", slack="3")
    found = known(page)
    assert found.trees.n_trees > 5
    assert f"{found.trees.n_trees} trees with at most" in words_of(page)
    assert "of the first 5 trees" in words_of(page)
    monkeypatch.setattr(growing, "MOST_SPLITS", 1)
    page = open_optimal(data="iris", depth="2", cuts="5", slack="2")
    assert "Too many trees to count" in words_of(page)
    assert "Build your own" not in words_of(page)


def test_a_tree_of_the_gallery_opens_in_place_of_the_optimal_one_with_a_way_back_and_those_as_good_are_counted():
    page = open_optimal(data="iris", depth="2", slack="3")
    first = tree_id(page)
    [*_, last] = [b for b in page.button if b.label == "Open"]
    number = str(last.key).removeprefix("open tree ")
    last.click()
    whole(page.run())
    assert address_of(page)["tree"] == number
    assert tree_id(page) != first
    assert f"Tree {number} of the gallery" in words_of(page)
    again = open_optimal(**{k: v for k, v in address_of(page).items() if k != "model"})
    assert tree_id(again) == tree_id(page)
    press(page, "Back to the optimal tree")
    assert tree_id(page) == first
    assert "tree" not in address_of(page)


def test_an_opened_tree_is_let_go_when_the_search_is_another_and_an_old_link_to_the_stable_one_says_so():
    page = open_optimal(data="iris", depth="2", slack="3", tree="2")
    whole(on_page.Slider(page, "cuts").set_value(4).run())
    while is_searching(page):
        run_again(page)
    assert "tree" not in address_of(page)
    assert not page.warning
    page, warnings = open_and_hear({"data": "iris", "depth": "2", "tree": "-2"})
    assert any("tree=-2: this is the optimal tree" in warning for warning in warnings)
    assert tree_id(page) == tree_id(open_optimal(data="iris", depth="2"))
    assert "tree" not in address_of(page)


def test_the_page_says_how_many_rows_are_not_settled_and_which():
    page = open_optimal(data="iris", depth="2", slack="1")
    assert "training rows" in words_of(page)
    assert "are not settled" in words_of(page)
    page.session_state["open-rows"] = True
    until_grown(whole(page.run()))
    tables = [frame.value.columns.tolist() for frame in page.dataframe]
    assert ["setosa, from", "versicolor, from", "virginica, from"] in [columns[-3:] for columns in tables]


def test_a_tree_is_built_by_hand_and_shown_in_place_of_the_optimal_one():
    page = open_optimal(data="iris", depth="2", slack="1")
    first = tree_id(page)
    built = TreeBuilding(known(page).trees)
    assert f"**{built.n_trees} trees** left" in words_of(page)
    dearest = max(built.choices(""), key=lambda choice: choice.objective)  # which the optimal tree has not
    page = open_optimal(data="iris", depth="2", slack="1", own=built.with_choice("", dearest).text)
    press(page, "Finish for me")
    assert "Your tree is finished" in page.success[0].value
    whole(page.button(key="own show").click().run())
    assert "Your own tree" in words_of(page)
    assert address_of(page)["tree"] == "-1"
    assert tree_id(page) != first
    again = open_optimal(**{k: v for k, v in address_of(page).items() if k != "model"})
    assert tree_id(again) == tree_id(page)
    press(page, "Start anew")
    assert "own" not in address_of(page)
    assert tree_id(page) == first


@pytest.mark.few(1)
@pytest.mark.parametrize("record", ["q1.o", "q99999.o.o", "oak"])
def test_a_link_to_a_tree_that_no_tree_as_good_agrees_with_begins_anew(record):
    page = open_optimal(data="iris", depth="1", own=record)
    assert any("own" in warning.value for warning in page.warning)
    assert "own" not in address_of(page)


def test_all_targets_have_learners():
    kinds = [set(learner.kind.serves) for learner in LEARNERS.values()]
    assert all(kinds)
    assert set.union(*kinds) == {True, False}


@pytest.fixture
def patience(monkeypatch):
    """Time to count trees however busy the machine is."""
    monkeypatch.setattr(growing, "NEAR_SECONDS", 300.0)


def test_trees_are_counted_over_every_threshold_or_where_they_are_too_many_over_some_and_the_page_says_so(
    patience, monkeypatch
):
    monkeypatch.setattr(threshold_search, "MOST_LISTED", 10)
    page = open_optimal(data="moons", depth="3")
    found = known(page)
    assert found.n_questions > 10
    assert found.is_every
    assert "Each is a tree of depth 3 over every threshold." in words_of(page)
    counted = growing.trees_as_good

    def unless_every(*counting):
        if counting[-1]:
            raise growing.StoppedEarly
        return counted(*counting)

    monkeypatch.setattr(threshold_search, "MOST_LISTED", 10)
    monkeypatch.setattr(growing, "trees_as_good", unless_every)
    page = open_optimal(data="iris", depth="3", slack="1")
    assert not known(page).is_every
    assert "these ask about ten questions of each column" in words_of(page)


BMI = "body mass index:falling"
FORMER = [
    ("lines", "line", "a model tree has a formula in each leaf"),
    ("purity", "absolute", "CART can reduce the absolute error"),
    ("monotone", BMI, "CART, forests and gradient boosting can keep them"),
]
LINK = {"data": "diabetes", "depth": "1", "cuts": "5"}


def test_an_old_link_to_any_page_opens_without_what_is_gone_and_says_what_there_is_instead():
    plain = tree_id(open_optimal(**LINK))
    for name, text, instead in FORMER:
        page, said = open_and_hear(LINK | {name: text})
        assert not page.exception
        assert [one for one in said if f"{name}={text}: " in one and instead in one]
        assert tree_id(page) == plain
        assert name not in address_of(page)
    assert not open_and_hear(LINK | {"lines": "mean", "purity": "squared"})[1]
    assert not open_and_hear({"data": "two-gaussians", "depth": "1", "monotone": "x1:falling"})[1]
    every = catalogue.find_kind("optimal").former
    assert {one.key for one in every} == {name for name, _, _ in FORMER}
    assert {one.serves for one in every} == {NUMBERS}


@pytest.mark.usefixtures("idle")
def test_so_does_an_old_link_to_a_page_of_several_models():
    for name in ["compare", "reliability", "stability", "new_rows"]:
        link = {"m1": "optimal", "m1-depth": "1", "m1-purity": "absolute", "m1-monotone": BMI, "m2": "none"}
        page = begin_page(name, data="diabetes", **link)
        [said] = [one.value for one in page.warning if "m1-purity" in one.value]
        assert all(instead in said for _, _, instead in FORMER[1:])
        assert not {"m1-purity", "m1-monotone"} & address_of(page).keys()


def test_a_saved_session_opens_without_it_and_says_so_too():
    for name, text, instead in FORMER:
        texts = {
            "learner": "optimal",
            "height": "1",
            "cuts": "5",
            "lines": "mean",
            "purity": "squared",
            "monotone": "",
        }
        page = open_session(SavedSession(table_of(samples.load("diabetes"), "diabetes"), {**texts, name: text}))
        page = whole(page.switch_page("pages/tree.py").run())
        [said] = [one.value for one in page.warning]
        assert [words in said for _, _, words in FORMER] == [words == instead for _, _, words in FORMER]
        assert address_of(page) == {"model": "optimal", **LINK}


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
