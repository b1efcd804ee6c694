"""A black box and its tree on a page: every tab, links, how both learn beside the pages and stop; no browser."""

import itertools
import json
import os
import re
import threading
import time
from functools import partial
from typing import Any

import numpy as np
import pytest

from espalier.approximation import stand_in
from espalier.approximation.stand_in import fit_until_stopped
from espalier.data import HeldOut, make_dataset, samples
from espalier.learners import ApproximationClassifier
from espalier.learners.approximation.grow import ApproximationParameters, Growth
from espalier.learners.catalogue import Model
from espalier.learners.imports import read_file
from espalier.progress import Progress
from espalier.tasks import Call
from pages.shared.approximation import controls, fits, results
from pages.shared.approximation.fits import FittedBlackBox
from pages.shared.jobs import note, watch, workers
from pages.shared.jobs.note import Line
from pages.shared.jobs.run import Job, Work
from pages.shared.own_models import uploads
from tests.tools import on_page
from tests.tools.on_page import (
    SOON,
    address_of,
    begin_page,
    pictures,
    press,
    sent_to,
    until_grown,
    whole,
    words_of,
)

MODEL = Model("approximation", (("box", "linear"), ("depth", 3), ("samples", "1000")))
FRESH = itertools.count(1)  # seeds, each used once: what is grown with them was not grown before
FEW = {"samples": "1000"}
TABS = ("Tree", "Side by side", "Fidelity")


def open_page(**address):
    return on_page.open_page("approximate", **(FEW | address))


def fresh_seed():
    return str(10**5 + next(FRESH))


# ---- the page


def test_a_newcomer_sees_a_forest_its_tree_and_how_sure_it_is():
    page = open_page()
    assert page.table[0].value.columns.tolist() == ["accuracy, model", "accuracy, tree", "accuracy, baseline"]
    assert "the tree agrees with the random forest" in words_of(page).replace("\\", "")
    assert re.search(r"\d of \d+ splits were decided|decided by the test", words_of(page))
    assert len(sent_to(page, "espalier_tree")) == 1
    assert address_of(page) == FEW


def test_every_tab_is_drawn_for_classes_numbers_and_categories():
    drawn = {"Tree": 0, "Side by side": 4, "Fidelity": 2}  # the legend is a picture too
    for data, box in (("iris", "linear"), ("diabetes", "cultivated"), ("tic-tac-toe", "forest")):
        for tab in TABS:
            page = open_page(data=data, box=box, tab=tab)
            assert not page.error
            assert address_of(page).get("box", "forest") == box
            assert len(pictures(page)) == drawn[tab], (data, tab)


def test_what_is_set_stands_in_the_address_a_link_sets_it_and_a_change_can_be_taken_back():
    page = open_page(box="neighbours")
    on_page.Slider(page, "ap-depth").set_value(2)
    page.number_input(key="ap-alpha").set_value(0.2)
    page = until_grown(whole(page.run()))
    expected = FEW | {"box": "neighbours", "depth": "2", "level": "0.2"}
    assert address_of(page) == expected
    again = open_page(**{key.replace("-", "_"): text for key, text in expected.items()})
    assert on_page.Slider(again, "ap-depth").value == 2
    assert words_of(again) == words_of(page)
    page = open_page(box="linear")
    on_page.Slider(page, "ap-depth").set_value(2)
    page = until_grown(whole(page.run()))
    page = until_grown(press(page, "Undo"))
    assert on_page.Slider(page, "ap-depth").value == 4
    assert address_of(until_grown(press(page, "Reset"))) == {}


def test_the_selected_node_shows_its_own_contest_or_that_it_is_a_leaf():
    page = open_page(box="linear", depth="2")
    cards = sent_to(page, "espalier_tree")[0]["cards"]
    leaf = next(card["id"] for card in cards["nodes"] if "f" not in card)
    page = open_page(box="linear", depth="2", node=str(leaf))
    assert "A leaf: no split was tried here." in words_of(page)
    assert not page.dataframe
    page = open_page(box="linear", depth="2", tab="Splits")  # of a link, where a tab had all splits
    assert "a click on a node shows how sure its split is" in page.warning[0].value
    assert page.dataframe[0].value["column"][0].startswith("✓ ")


def test_where_the_depth_is_more_than_enough_a_press_stops_there_and_where_the_tree_gains_one_allows_more():
    page = open_page(tab="Fidelity", depth="6")
    (button,) = (b for b in page.button if b.label.startswith("Stop at depth"))
    depth = int(button.label.split()[-1])
    assert f"**Depth {depth} is enough:**" in words_of(page)
    page = until_grown(press(page, button.label))
    assert on_page.Slider(page, "ap-depth").value == depth
    page = open_page(data="diabetes", box="linear", tab="Fidelity", depth="2")
    assert "**Still gaining at depth 2.**" in words_of(page)
    page = until_grown(press(page, "Allow 3 questions"))
    assert on_page.Slider(page, "ap-depth").value == 3


def test_only_the_open_tab_is_worked_out_and_without_held_out_rows_fidelity_is_that_of_made_up_cases(monkeypatch):
    page = open_page(box="linear", held="0", tab="Fidelity")
    assert "made-up cases" in pictures(page)[0]
    assert "held-out" not in pictures(page)[0]
    asked = []
    monkeypatch.setattr(results, "over_plane", lambda *_: asked.append("plane"))
    open_page(tab="Fidelity")
    assert not asked


def test_a_model_that_always_says_the_same_has_a_lone_root(monkeypatch):
    class Same:
        classes_ = np.arange(3)

        def predict_proba(self, X):
            return np.tile([0.2, 0.5, 0.3], (len(X), 1))

    seed = fresh_seed()
    monkeypatch.setattr(fits, "learnt", lambda *_: FittedBlackBox(Same(), 105))
    for tab in TABS:
        page = open_page(random=seed, tab=tab)
        assert "The tree asks nothing." in words_of(page)
        assert "**100 %** of the time" in words_of(page)


# ---- exactly


def test_a_forest_of_ours_is_asked_exactly_other_models_are_not_and_wrong_values_of_a_link_are_noted(monkeypatch):
    page = open_page(method="exact", depth="2")
    assert "Every split is exact." in words_of(page)
    assert "Found exactly" in words_of(page)
    page = open_page(method="exact", box="linear", depth="2")
    assert "Only a mean of our trees can be asked exactly." in words_of(page)
    monkeypatch.setattr(watch, "PATIENCE_SECONDS", SOON)  # to the end of the one run that came by the link
    page = open_page(samples="7", box="oracle", node="999", x="no such feature")
    note = page.warning[0].value
    assert "box=oracle should be one of forest, boosting" in note
    assert "samples=7 should be one of 1000, 10000" in note
    assert "node=999: this tree has nodes 0 to" in note
    assert "x=no such feature" in note


# ---- forests of their page


def test_a_forest_of_the_forests_page_is_a_black_box():
    for address, exact in [
        ({"box": "forest-b", "b": "bagged", "b_trees": "5", "b_depth": "2"}, True),
        ({"box": "forest-a", "a": "cultivated-forest", "a_trees": "3"}, False),
    ]:
        page = open_page(depth="2", **address)
        name = "forest B" if exact else "forest A"
        assert f"agrees with {name}" in words_of(page)
        assert page.radio(key="ap-method").disabled != exact
        (link,) = (link.proto for link in page.get("page_link") if link.proto.label == "Change it on its page")
        expected = {k.replace("_", "-"): v for k, v in address.items() if k != "box"}
        assert dict(part.split("=") for part in link.query_string.split("&")) == expected
        if exact:
            assert "Every split is exact." in words_of(open_page(depth="2", method="exact", **address))


# ---- a person's own model


def test_without_a_file_the_page_says_what_to_do_and_a_link_to_one_that_is_gone_too():
    page = open_page(box="onnx")
    assert "Upload your model" in page.info[0].value
    assert page.get("file_uploader")
    assert "has no such model (any more)" in open_page(box="onnx", onnx="0" * 32).warning[0].value
    assert "onnx=seven should be" in open_page(box="onnx", onnx="seven").warning[-1].value


class Step:
    """Stands for a model of iris that was read from a file; its class j is the table's ``own[j]``."""

    n_features_in_, classes_, names_columns, names_classes = 4, np.arange(3), False, False

    def __init__(self, own=(0, 1, 2), order=(0, 1, 2)):
        self.own, self.order = own, order

    def arranged(self, classes=None, columns=None):
        return type(self)(self.own, self.order if classes is None else classes)

    def predict_proba(self, X):
        return self.words_of(X)[:, list(self.own)][:, np.argsort(self.order)]

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)

    def words_of(self, X):
        return np.eye(3)[(X[:, 2] > 2.5).astype(int) + (X[:, 3] > 1.6)]


class Ignorant(Step):
    """Says the same of everything."""

    def words_of(self, X):
        return np.tile([1.0, 0.0, 0.0], (len(X), 1))


def stored(content):
    """The digest of an upload that nobody has read before."""
    uploads.store().put(digest := f"{next(FRESH):032x}", content)
    return digest


def brought(monkeypatch, model, **address):
    """The page with a file that is read as this model."""
    asked = []
    monkeypatch.setattr(uploads, "read_onnx", lambda *told: asked.append(told) or model)
    digest = stored(b"a model")
    return open_page(box="onnx", onnx=digest, **address), asked


def test_a_file_that_is_kept_is_read_approximated_has_no_credit_for_rows_it_may_know_and_an_order_of_classes(
    monkeypatch,
):
    page, asked = brought(monkeypatch, Step())
    assert asked[0][0] == b"a model"
    assert asked[0][2] == samples.load("iris").classes
    assert "agrees with your model" in words_of(page)
    assert page.table[0].value.columns.tolist() == ["agrees with the model", "average gap"]
    assert "which it may have learned from" in words_of(page)
    page.selectbox(key="ap-classes").set_value("2-1-0")
    page = until_grown(whole(page.run()))
    assert address_of(page)["classes"] == "2-1-0"
    assert "So it is right in 3" in words_of(page)
    again, _ = brought(monkeypatch, Step(), classes="2-1-0")
    assert again.selectbox(key="ap-classes").value == "2-1-0"


def test_a_model_with_its_classes_in_another_order_is_turned_and_an_order_that_is_none_is_noted(monkeypatch):
    page, _ = brought(monkeypatch, Step((2, 0, 1)))
    words = words_of(page).replace("\\", "")
    assert "Your model's class 0 = virginica, 1 = setosa, 2 = versicolor." in words
    assert "Your model's columns stand as in the table" in words
    assert "So it is right in 9" in words
    assert "in the table's own order" in words
    assert page.selectbox(key="ap-classes").value == ""
    assert "classes" not in address_of(page)
    page, _ = brought(monkeypatch, Step(), classes="0-0-1", columns="1-0")
    assert "classes=0-0-1 should be the places of the table's classes" in page.warning[0].value
    assert "columns=1-0 is of another table" in page.warning[0].value


def test_a_model_that_knows_nothing_of_the_table_is_named_and_columns_can_stand_in_another_order(monkeypatch):
    page, _ = brought(monkeypatch, Ignorant())
    warned = page.warning[0].value
    assert "better than always saying" in warned
    assert "Are the columns in the right order?" in warned
    page = until_grown(whole(page.selectbox(key="ap-columns").set_value("3-2-1-0").run()))
    assert not page.error
    assert address_of(page)["columns"] == "3-2-1-0"


def test_a_file_of_trees_is_read_as_a_forest_and_needs_no_runtime(monkeypatch):
    monkeypatch.setattr(uploads, "can_read", lambda: False)
    monkeypatch.setattr(uploads, "read_apart", read_file)  # the process is tested with its reader
    stump = {"feature": [2, -1, -1], "threshold": [2.5, None, None], "left": [1, -1, -1], "right": [2, -1, -1],
             "value": [None, [0, 0, 1], [1, 0, 0]]}  # fmt: skip
    names = [{"name": feature.name} for feature in samples.load("iris").features]
    head = {"format": "espalier-trees", "version": 1, "combine": "mean", "features": names, "classes": [7, 8, 9]}
    page = open_page(box="onnx", onnx=stored(json.dumps(head | {"trees": [stump]}).encode()))
    assert not page.exception
    assert "agrees with your model" in words_of(page)


def test_files_of_no_use_are_refused_in_words_and_without_what_runs_onnx_files_the_page_says_so(monkeypatch):
    def refuse(*_):
        raise ValueError("the model takes 7 columns")

    monkeypatch.setattr(uploads, "read_onnx", refuse)
    page = open_page(box="onnx", onnx=stored(b"no model"))
    assert "There is no tree for your model" in page.error[0].value
    assert "The model takes 7 columns" in page.error[0].value
    assert "Try again" not in [button.label for button in page.button]
    monkeypatch.setattr(uploads, "can_read", lambda: False)
    page = open_page(box="onnx", onnx=stored(b"a model"))
    assert "Your own model cannot be read here" in page.info[0].value
    assert 'pip install ".[onnx]"' in page.info[0].value
    assert "Try again" not in [button.label for button in page.button]


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
    for _ in range(stand_in.MOST_AT_ONCE):
        assert stand_in._room.acquire(timeout=SOON)
    stand_in._room.release(stand_in.MOST_AT_ONCE)


def ask(fit, progress):
    """Ask for a model in a thread; what comes of it."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(fit_until_stopped(fit, progress)))
    thread.start()
    return thread, answers


def test_what_has_learnt_is_given_and_what_goes_wrong_is_raised_to_whoever_waits(stubborn):
    stubborn.may_end.set()
    assert fit_until_stopped(stubborn, Progress()) == "model"

    def fails():
        raise ValueError("one class only")

    with pytest.raises(ValueError, match="one class only"):
        fit_until_stopped(fails, Progress())


def test_whoever_cancels_is_free_at_once_and_no_more_than_two_models_learn_at_a_time(stubborn):
    progresses = [Progress(), Progress()]
    asked = [ask(stubborn, progress) for progress in progresses]
    while stubborn.n_begun < 2:
        threading.Event().wait(0.01)
    for (thread, answers), progress in zip(asked, progresses, strict=True):
        progress.stop()
        thread.join(SOON)
        assert answers == [None]
    progress = Progress()
    thread, answers = ask(stubborn, progress)
    progress.stop()
    thread.join(SOON)
    assert answers == [None]
    assert stubborn.n_begun == 2


@pytest.mark.usefixtures("beside")
def test_in_another_process_a_model_learns_beside_the_pages_is_ended_by_cancel_and_what_goes_wrong_is_raised():
    progress = Progress()
    assert fits.outside(Call(os.getpid, ()), progress) != os.getpid()
    threading.Timer(0.2, progress.stop).start()
    assert fits.outside(Call(time.sleep, (10 * SOON,)), progress) is None
    with pytest.raises(ZeroDivisionError):
        fits.outside(Call(divmod, (1, 0)), Progress())


@pytest.mark.usefixtures("beside")
@pytest.mark.slow
def test_a_black_box_that_learnt_in_another_process_answers_as_one_that_learnt_here(monkeypatch):
    wine, model = samples.load("wine"), Model("approximation", (("box", "linear"),))
    there = fits.learnt("there", wine, HeldOut(30), model, Progress())
    monkeypatch.setattr(workers, "JOB_EXECUTOR", "threads")
    here = fits.learnt("here", wine, HeldOut(30), model, Progress())
    assert here is not None
    assert there is not None
    np.testing.assert_array_equal(there.model.predict_proba(wine.X), here.model.predict_proba(wine.X))


N = 105


class Estimator:
    """What there is of an approximation that is being fitted."""

    growth_: Growth
    n_asked_: int
    asking_: object


class Asking:
    n_answered = 42


@pytest.fixture
def job():
    work = fits.ApproximationJob("words", samples.load("iris"), HeldOut(30, 0), MODEL, lambda _: None)
    made = Job(Work("words", N, work), "")
    made.began = time.monotonic()
    return made


def phase(job, model=MODEL):
    share, words = note.how_far(Line("words", "**The tree**", partial(controls.how_far, model)), job)
    return share, words


def grows(job, n_asked, seconds, budget=np.inf):
    """Let the tree have grown for so many seconds."""
    estimator = Estimator()
    nothing: Any = None
    growth = Growth(ApproximationParameters(3, 6, nothing, True, budget, 1_000))
    growth.began = time.monotonic() - seconds
    estimator.growth_, estimator.n_asked_ = growth, n_asked
    job.work.call.is_growing, job.work.call.estimator = True, estimator
    return growth


def test_the_page_says_whether_the_model_learns_is_asked_or_both_are_compared(job):
    assert phase(job) == (0.0, "Logistic regression learns …")
    estimator = Estimator()
    estimator.asking_ = Asking
    job.work.call.is_growing, job.work.call.estimator = True, estimator
    assert phase(job) == (pytest.approx(42 / N), "Logistic regression is asked about the table …")
    grows(job, 7_000, seconds=10)
    job.work.call.n_compared, job.progress.done = 100, 25
    assert phase(job) == (0.25, "**The tree has grown**, and is compared …")
    job.progress.stop()
    assert phase(job)[1] == "**The tree**: stopping …"


def test_the_tree_takes_at_most_what_open_splits_the_limit_and_its_time_allow(job):
    growth = grows(job, 3_500, seconds=10)
    share, words = phase(job)
    assert share == pytest.approx(0.5)
    assert words == "**The tree grows**: 3,500 of at most 7,000 made-up cases, about 10 s left …"
    growth.settle(1_000, 3)  # one subtree is a leaf: 3,000 fewer
    growth.settle(500, 1)
    assert phase(job)[1] == "**The tree grows**: 3,500 of at most 4,500 made-up cases, about 3 s left …"
    grows(job, 1, seconds=fits.MAX_APPROXIMATION_SECONDS - 13)
    assert phase(job)[1].endswith("about 13 s left …")
    grows(job, 0, seconds=12)
    job.progress.done = 84
    share, words = phase(job, MODEL.with_settings(method="exact"))
    assert share == pytest.approx(0.8)
    assert words == "**The tree grows**, about 3 s left …"


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
