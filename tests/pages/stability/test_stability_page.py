"""The page that grows trees on redrawn data, without a browser."""

import operator
import re
import time
from collections import Counter

import numpy as np
import pytest

from espalier.data import samples
from espalier.learners import CartClassifier, catalogue
from espalier.learners.catalogue import kinds
from espalier.progress import Progress
from espalier.stability import bars
from espalier.stability.replicates import Plan, replicate
from espalier.stability.resampling import Redraw
from espalier.stability.structures import EQUALITIES
from espalier.trees import LEAF
from pages.shared.app import store
from pages.shared.canvas import components as canvas_bars
from pages.shared.jobs.run import RUNNER, Outcome
from pages.shared.models import slots
from pages.shared.stability import controls, runs, structures, views
from pages.shared.stability.runs import StabilityJob
from tests.tools import on_page
from tests.tools.on_page import (
    address_of,
    metric,
    press,
    sent_to,
    set_controls,
    settle,
    until_grown,
    values_of,
    whole,
    words_of,
)

QUICK = {"draws": "8", "m2": "none", "m3": "none", "down": "2", "m1-depth": "2"}
IN_URL = {"t2": "m2", "t1-cart-depth": "m1-depth"}  # what the address calls a widget, where by another name


def open_page(state=None, **address):
    return on_page.open_page("stability", state, **(QUICK | address))


def charts(page):
    return [sent["chart"] for sent in sent_to(page, "espalier_bars")]


def counts(chart):
    """By depth, how many trees each bar stands for."""
    found = {}
    for bar in chart["bars"]:
        depth, n = bar["id"].split(".")[0], bar["say"].split()[0]
        found.setdefault(int(depth), []).append(int(n))
    return found


def by_features(tree, node, depth):
    """The tree down to a depth as nested tuples, thresholds left out."""
    if depth == 0 or tree.feature[node] == LEAF:
        return "leaf" if depth else "below"
    below = (by_features(tree, int(child[node]), depth - 1) for child in (tree.left, tree.right))
    return int(tree.feature[node]), *below


def trial(draws=8, data="iris", seed=0, name="cart", redraw="bootstrap", **settings):
    kind = catalogue.find_kind(name)
    told = kind.defaults(is_classification=True) | settings
    plan = Plan(Redraw(redraw), draws, seed)
    return StabilityJob(0, catalogue.model(kind, told), controls.SECONDS, samples.load(data), plan)


def test_bars_are_the_counts_of_structures_and_a_link_to_repetitions_says_what_takes_their_place():
    page = open_page()
    data = samples.load("iris")
    learner = CartClassifier(max_depth=2, random_state=0, categorical_features=data.categorical)
    trees = replicate(learner, data, Plan(Redraw("bootstrap"), 8)).trees
    for depth in (1, 2):
        naive = Counter(by_features(tree, 0, depth) for tree in trees)
        assert counts(charts(page)[0])[depth] == sorted(naive.values(), reverse=True)
    assert {key for key in QUICK if key != "draws"} <= set(address_of(page))
    assert "another *Seed of the draws* repeats them" in words_of(open_page(again="1"), "warning")


def test_learners_stand_side_by_side_each_with_bars_and_columns_depth_by_depth():
    page = open_page({"numbers": True}, m2="cultivated", m3="optimal")
    assert [chart["id"] for chart in charts(page)] == ["bars 0 0", "bars 1 0", "bars 2 0"]
    assert "● CART" in words_of(page)
    assert "▲ Optimal" in words_of(page)
    assert "8 trees (Bootstrap, seed 0) of one table of 150 rows" in words_of(page)
    assert any(
        "Not offered here: model tree, whose leaves have formulas" in one.proto.help for one in page.caption
    )
    pictures = [part.proto.body for part in page.get("html")]
    told = [re.search('alt="(At the root[^"]*)"', body) for body in pictures]
    assert len([found for found in told if found]) == 3


def test_every_control_changes_the_address_and_a_link_sets_all_of_them():
    controls = [
        ("selectbox", "redraw", "subsample", "subsample"),
        ("number_input", "draws", 9, "9"),
        ("number_input", "chance", 3, "3"),
        ("selectbox", "same", "exact", "exact"),
        ("slider", "down", 3, "3"),
        ("number_input", "t1-cart-depth", 5, "5"),
        ("selectbox", "t2", "optimal", "optimal"),
    ]
    page = set_controls(open_page(), controls, names=IN_URL)
    again = open_page(**address_of(page))
    assert operator.eq(*values_of(again, controls))
    assert [counts(chart) for chart in charts(again)] == [counts(chart) for chart in charts(page)]


def test_every_way_of_drawing_the_data_again_grows_trees_each_in_one_bar_whatever_counts_as_the_same():
    for redraw in list(controls.KIND_OF):
        page = open_page(redraw=redraw, draws="4")
        assert [sum(column) for column in counts(charts(page)[0]).values()] == [4, 4]
        is_by_chance = redraw != "seeds"
        assert is_by_chance or "Most frequent: **4** of 4 trees" in words_of(page)
    for same, *_ in EQUALITIES:
        found = counts(charts(open_page(same=same))[0])
        assert [sum(column) for column in found.values()] == [8, 8]
    page = open_page(redraw="leave_out", **{"size-leave_out": "5000"}, draws="2")
    assert page.number_input(key="size-leave_out").value == 149


def click(page, bar, chart="bars 0 0"):
    """The page after a bar was clicked: what the component's callback does, since nothing here can click."""
    sent = {"chart": chart, "bar": bar}
    card = next(one for one in charts(page) if one["id"] == chart)
    chosen = canvas_bars.chosen_bar(sent, card)
    assert chosen is not None
    _, place, run = chart.split()
    page.session_state["bar"] = f"{int(place) + 1}.{run}.{chosen}"
    return whole(page.run())


def tree_of(page):
    """The tree below the bars: the first picture of the page."""
    return on_page.pictures(page)[0]


def test_levels_that_no_tree_has_are_left_out_equally_frequent_structures_are_said_and_all_begin_at_one_depth():
    column = [bars.Bar(n, i, i == 0, "") for i, n in enumerate((3, 3, 2))]
    assert [structures.rank_words(i, column) for i in (1, 2)] == ["One of 2 most frequent", "Structure 3 of 3"]
    assert structures.rank_words(0, column[1:]) == "Most frequent"
    page = open_page(down="6")  # of trees of depth 2
    assert set(counts(charts(page)[0])) == {1, 2}
    for data in (samples.load("iris"), samples.load("diabetes")):
        entries = slots.url_entries(controls.PLACES, data)
        assert {entry.default for entry in entries if entry.key.endswith("-depth")} == {3}


def test_a_bar_that_is_clicked_shows_its_tree_in_place_of_the_most_frequent_one():
    page = open_page(same="exact")
    highest = tree_of(page)
    bars = [bar["id"] for bar in charts(page)[0]["bars"] if bar["id"].startswith("2.")]
    page = click(page, bars[-1])
    assert f"Structure {len(bars)} of {len(bars)}: **1** of 8 trees" in words_of(page)
    assert tree_of(page) != highest
    assert charts(page)[0]["selected"] == bars[-1]
    again = open_page(**address_of(page))
    assert charts(again)[0]["selected"] == bars[-1]
    page = press(page, "Close")
    assert tree_of(page) == highest


def test_only_a_bar_of_the_chart_is_a_click_and_what_a_link_says_wrong_is_noted():
    for sent, chosen in [
        ({"chart": "c", "bar": "1.0"}, "1.0"),
        ({"chart": "c", "bar": "1.1"}, None),
        ({"chart": "d", "bar": "1.0"}, None),
        ({"chart": "c", "bar": ["1.0"]}, None),
        ("1.0", None),
        (None, None),
    ]:
        assert canvas_bars.chosen_bar(sent, {"id": "c", "bars": [{"id": "1.0"}]}) == chosen
    for bar in ["1.0.2.700", "2.0.1.0", "1.3.1.0", "1.0.6.0"]:
        assert not charts(open_page(bar=bar))[0]["selected"]
    page = open_page(bar="first", redraw="coin", x="no such feature")
    said = " ".join(warning.value for warning in page.warning)
    assert all(part in said for part in ("bar=first", "redraw=coin", "x=no such feature"))


def test_more_draws_keep_the_trees_that_there_are_and_what_these_depend_on_is_in_the_name_of_their_family():
    first, more = trial(draws=5, seed=50), trial(draws=9, seed=50)
    first(Progress())
    trees = first.so_far.trees
    assert first.so_far.is_complete
    assert more.left().n_replicates == 4
    more(Progress())
    assert all(a is b for a, b in zip(trees, more.so_far.trees, strict=False))
    assert more.so_far.is_complete
    families = {
        trial().family, trial(data="xor").family, trial(seed=1).family, trial(name="cultivated").family,
        trial(redraw="seeds").family, trial(depth=1).family,
    }  # fmt: skip
    assert len(families) == 6
    assert trial(draws=3).family == trial(draws=4).family


def test_a_learner_that_was_stopped_shows_what_there_is_and_can_grow_the_rest():
    page = open_page(chance="77", same="exact")
    one = trial(seed=77, depth=2)
    trees = runs.replicates(one.family)
    assert len(trees) == 8
    for number in range(3, 8):
        del trees[number]
    RUNNER.keep(one.key, Outcome(is_stopped=True))
    page = settle(page)
    assert any("Stopped after 3 of 8 trees." in note.value for note in page.info)
    assert sum(counts(charts(page)[0])[1]) == 3
    others = [bar["say"] for bar in charts(page)[0]["bars"] if bar["id"].startswith("2.")][1:]
    assert others
    assert all("the most frequent" in words for words in others)
    page = until_grown(press(page, "Go on"))
    assert sum(counts(charts(page)[0])[1]) == 8


def test_a_job_that_is_told_to_stop_ends_and_keeps_its_trees():
    one = trial(draws=1000, data="breast-cancer", name="cultivated", seed=5)
    runs.start([one])
    while not one.so_far.trees:
        time.sleep(0.01)
    job = RUNNER.find(one.key)
    assert job is not None
    RUNNER.cancel(one.key)
    assert job.ended.result(60) == one.outcome == Outcome(is_stopped=True)
    assert 0 < len(one.so_far.trees) < 1000
    assert not one.is_awaited


def test_trees_that_find_no_room_are_not_grown_and_what_to_do_is_said(monkeypatch):
    monkeypatch.setattr(store.BUDGET, "most", 0.0)
    page = open_page(chance="91", data="breast-cancer", m1="cultivated", draws="1000")
    said = [note.value for note in page.info]
    assert any("of 1,000 trees: no room beyond" in words for words in said)
    assert 0 < sum(counts(charts(page)[0])[1]) < 1000


def test_a_fault_of_one_learner_stays_in_its_place_and_off_the_page(monkeypatch):
    def fail(_settings, _terms):
        raise RuntimeError("secret path")

    broken = catalogue.find_kind("cultivated")._replace(make=fail)
    patched = tuple(broken if kind.name == "cultivated" else kind for kind in kinds.KINDS)
    monkeypatch.setattr(kinds, "KINDS", patched)
    monkeypatch.setitem(kinds.KIND_OF_NAME, broken.name, broken)
    monkeypatch.setattr(runs, "KINDS", patched)
    page = open_page(data="xor", m2="cultivated", draws="3")
    assert any("Something went wrong" in error.value for error in page.error)
    assert not any("secret" in error.value for error in page.error)
    assert len(charts(page)) == 1


def test_no_learner_at_all_is_an_invitation_and_much_to_do_is_begun_only_when_asked_for(monkeypatch):
    page = open_page(m1="none")
    assert "Choose at least one learner" in page.info[0].value
    assert not charts(page)
    monkeypatch.setattr(runs, "LARGE", 100)
    page = open_page(data="monks-1", chance="8")
    assert "There is much to do: 8 trees" in page.info[0].value
    assert len(charts(until_grown(press(page, "Grow them")))) == 1


def test_coverage_and_agreement_are_told_in_numbers_and_lone_roots_break_no_tab():
    page = open_page(beside="Thresholds")
    assert re.search(r"of 8 trees ask .*T\\\(t₀\\\) covers .*∛N covers .*√N covers", words_of(page))
    page = settle(page.selectbox(key="threshold-of").set_value("sepal width"))
    assert "No tree asks sepal width at its root" in words_of(page)
    assert address_of(page)["threshold-of"] == "sepal width"
    page = open_page(beside="Agreement")
    assert metric(page, "Two trees agree on").endswith("of the rows")
    page = open_page(beside="Agreement", data="diabetes")
    assert float(metric(page, "Two trees differ by")) > 0
    for tab in ("Columns", "Thresholds", "Agreement", "Surface"):
        page = open_page(beside=tab, **{"m1-leaf": "150"}, draws="3")
        assert counts(charts(page)[0]) == {1: [3]}


def test_the_map_has_the_axes_that_are_chosen_and_other_data_let_go_of_bar_and_axes():
    page = open_page(bar="1.0.1.0", beside="Surface", x="sepal length", y="-")
    assert "Standard deviation" in words_of(page)
    assert page.selectbox(key="x").value == "sepal length"
    page = settle(page.selectbox(key="data-picker").set_value("xor"))
    assert not {"bar", "x"} & set(address_of(page))


def test_coverage_of_the_widest_window_is_that_of_all_thresholds_in_it():
    one = trial(draws=8, depth=2)
    one(Progress())
    learner = structures.LearnerReplicates("CART", one, one.so_far)
    for feature in views.root_features([learner])[:2]:
        inside = views.root_thresholds(learner, feature)
        window = views.root_windows(learner, feature)[-1]
        if len(inside):
            ends = samples.load("iris").X[:, feature]
            share = np.mean([(ends <= t).sum() >= (ends <= window.low).sum()
                             and (ends <= t).sum() <= (ends <= window.high).sum() for t in inside])  # fmt: skip
            assert window.coverage == pytest.approx(share)
