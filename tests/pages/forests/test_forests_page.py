"""Two forests on a page: every tab, links, stopping, and a tree of theirs on the tree page; without a browser."""

import itertools
import re
import threading

import numpy as np
import pytest

from espalier.data import HeldOut, held_out, samples
from espalier.forests.agreement import votes
from espalier.learners import RandomForestClassifier
from espalier.learners.catalogue import Model
from espalier.predict import shares_by_tree
from espalier.progress import Progress
from pages.shared.data import library
from pages.shared.forests import error, growing, row
from pages.shared.forests import results as forests_results
from pages.shared.forests.forest_job import ForestJob
from pages.shared.jobs import compilation as engine_start
from pages.shared.jobs import watch
from pages.shared.tree import results as tree_results
from tests.tools.on_page import (
    SOON,
    address_of,
    begin_page,
    captions,
    metric,
    open_page,
    open_tree,
    pictures,
    press,
    sent_to,
    settle,
    until_grown,
    whole,
    words_of,
)
from tests.tools.uneven import loans

FRESH = itertools.count(1)  # seeds, each used once: what is grown with them was not grown before
FEW = {"a-trees": "9", "b-trees": "9"}
NUMBERS = r".*one tree \*\*.* %\*\* · out of bag \*\*.* %\*\* · held out \*\*.* %\*\* · baseline \*\*.* %\*\*"
ROUNDS = "Round by round"
VIEWS = ("Trees", "Error", ROUNDS, "One row", "Agreement", "Importance", "Film")


def open_forests(**address):
    return open_page("forests", **(FEW | address))


def planted(data="iris", trees=9, features="own", percent=30, seed=0):
    settings = (("trees", trees), ("depth", None), ("leaf", 1), ("features", features), ("random", seed))
    return ForestJob(samples.load(data), HeldOut(percent), Model("random", settings))(Progress())


def lines_of(page):  # of numbers, one for each forest
    return [one.value.replace("\\", "") for one in page.markdown if "leaves a tree" in one.value]


def fresh_seed():
    return str(10**5 + next(FRESH))


# ---- the page


def test_a_newcomer_sees_two_forests_and_a_change_can_be_taken_back_while_what_is_looked_at_stays():
    page = open_forests()
    assert all(re.fullmatch(NUMBERS, line) for line in lines_of(page))
    assert "columns tried at each split: all of them" in lines_of(page)[1]
    assert "of forest A** · the most typical · " in words_of(page)
    assert len(pictures(page)) == 2  # the legend, and the tree that is looked at
    assert len(sent_to(page, "espalier_bars")) == 2
    assert address_of(page) == FEW
    page = settle(page.number_input(key="b-random-trees").set_value(4))
    assert address_of(page)["b-trees"] == "4"
    page.session_state["view"] = "Error"
    whole(page.run())
    assert address_of(until_grown(press(page, "Undo"))) == FEW | {"tab": "Error"}
    page = settle(page.selectbox(key="a").set_value("root"))
    assert address_of(page)["a"] == "root"
    assert address_of(until_grown(press(page, "Reset"))) == {}


@pytest.mark.few(len(VIEWS))  # each tab once
@pytest.mark.parametrize(("data", "b"), [("iris", "root"), ("diabetes", "cultivated-forest")])
@pytest.mark.parametrize("view", VIEWS)
def test_every_tab_is_drawn_for_classes_and_for_numbers(view, data, b):
    page = open_forests(data=data, view=view, row="3", b=b)
    assert not page.error
    assert [tab.label for tab in page.tabs] == [name for name in VIEWS if name != ROUNDS]
    assert address_of(page)["b"] == b
    if view == "Trees":
        assert len(sent_to(page, "espalier_bars")[0]["chart"]["bars"]) == 9


def test_what_is_set_stands_in_the_address_and_comes_back_from_it():
    page = open_forests(a="bagged", a_trees="5", a_depth="2", b_random="7", view="Trees", wall="a")
    assert page.number_input(key="a-bagged-trees").value == 5
    page.number_input(key="a-bagged-trees").set_value(4)
    page = until_grown(whole(page.run()))
    assert address_of(page)["a-trees"] == "4"
    assert len(sent_to(page, "espalier_bars")[0]["chart"]["bars"]) == 4
    again = open_forests(**{k.replace("-", "_"): v for k, v in address_of(page).items()})
    assert pictures(again) == pictures(page)


def test_a_wrong_value_in_a_link_is_noted_and_a_row_that_is_not_there_too():
    noted = words_of(open_forests(a_trees="many", row="999", x="no such feature"), "warning")
    for note in ("a-trees=many should be", "row=999: these data have rows 1 to 150", "x=no such feature"):
        assert note in noted


def test_what_is_held_out_or_not_for_a_target_gives_way_or_is_said_not_to_be_measured():
    page = open_forests(held="0", b="root", view="Error")
    assert "held out" not in lines_of(page)[0]
    assert "out of bag" in lines_of(page)[0]
    assert page.table[0].value.columns.tolist() == ["measure", "A", "B"]
    assert "Not measured: every tree saw every row" in words_of(page)
    page = open_forests(data="diabetes", a="boosted")
    assert page.selectbox(key="a").value == "random"
    assert not page.error


# ---- growing


def test_while_forests_grow_or_the_engine_compiles_the_page_says_how_far_they_are_until_they_are_there(
    monkeypatch,
):
    gate, seed = threading.Event(), fresh_seed()
    real = ForestJob.__call__

    def held_up(job, progress):
        gate.wait(SOON)
        return real(job, progress)

    monkeypatch.setattr(ForestJob, "__call__", held_up)
    monkeypatch.setattr(watch, "PATIENCE_SECONDS", 0.05)
    page = begin_page("forests", **(FEW | {"a-random": seed, "b-random": seed}))
    told = [p.proto.text for p in page.get("progress")]
    assert told == ["**Forest A** grows …", "**Forest B** waits for its turn …"]
    assert address_of(page)["a-random"] == seed  # what is growing can be sent on
    gate.set()
    assert len(lines_of(until_grown(page))) == 2
    monkeypatch.setattr(engine_start, "is_ready", lambda _stage: False)
    page = begin_page("forests", a_seed=fresh_seed())
    assert "Preparing the engine" in page.get("progress")[0].proto.text


def test_a_forest_that_was_stopped_is_shown_as_far_as_it_grew_and_can_be_grown_to_the_end(monkeypatch):
    real, stopped = ForestJob.__call__, []

    def stop_once(job, progress):
        if not stopped:
            progress.stop()
        stopped.append(True)
        return real(job, progress)

    monkeypatch.setattr(ForestJob, "__call__", stop_once)
    page = open_forests(a_random=fresh_seed())
    assert "**Forest A** was stopped with 1 tree." in [i.value for i in page.info]
    press(page, "Try again")
    assert not [i.value for i in until_grown(page).info if "stopped" in i.value]


def test_what_cannot_be_grown_is_said_in_words_as_is_the_limit_of_memory(monkeypatch):
    page = open_forests(a="bagged", a_base="optimal", a_depth="20")
    assert "**Forest A** could not be grown" in page.error[0].value
    assert "have a depth of 6 at most" in page.error[0].value.replace("\\", "")
    assert not [b.label for b in page.button if b.label == "Try again"]  # it would come to the same
    monkeypatch.setattr(growing, "MAX_FOREST_MB", 0.01)
    page = open_forests(a_random=fresh_seed())
    assert "this server allows 0.01 MB" in page.error[0].value.replace("\\", "")
    assert "fewer trees" in page.error[0].value


# ---- what is told


def test_the_votes_for_a_row_are_those_of_the_trees_and_say_which_of_them_grew_on_it():
    one = planted()
    number = int(one.rows[4])
    found = row.votes_of(one, number)
    assert found.value.argmax(axis=1).tolist() == votes(one.forest, one.dataset.X[[number]])[:, 0].tolist()
    assert found.seen.tolist() == (one.estimator.in_bag()[:, 4] > 0).tolist()
    out = int(np.flatnonzero(one.held)[0])
    assert not row.votes_of(one, out).seen.any()


def test_a_row_is_judged_by_trees_that_have_not_seen_it_and_a_class_that_no_row_has_gets_nothing():
    one = planted(trees=3)
    fair, in_bag = forests_results.fair(one), one.estimator.in_bag()
    for place, asked_row in enumerate(one.rows[:40]):
        unseen = np.flatnonzero(in_bag[:, place] == 0)
        asked = unseen if len(unseen) else np.arange(3)
        each = shares_by_tree(one.forest, one.dataset.X[[asked_row]])[:, 0]
        assert np.allclose(fair.value[asked_row], each[asked].mean(axis=0))
        assert fair.is_unseen[asked_row] == bool(len(unseen))
    one = planted()
    data = one.dataset
    shifted = data._replace(y=data.y + 1, target=data.target._replace(categories=("none", *data.classes)))
    found = ForestJob(shifted, HeldOut(30), one.model)(Progress()).forest
    assert all(tree.value.shape[1] == 4 and not tree.value[:, 0].any() for tree in found.trees)
    assert found.prior[0] == 0


def test_curves_can_be_saved_as_a_table():
    lines = error.lines_of([planted(), planted(trees=4)])
    table = error.csv_of(lines).splitlines()
    assert table[0] == 'trees,"A, out of bag","A, held out","B, out of bag","B, held out"'
    assert len(table) == 1 + 9
    assert table[-1].endswith(",,")  # the smaller forest has no ninth tree


# ---- a tree on its own page


def links(page, label):
    return [dict(part.split("=") for part in link.proto.query_string.split("&")) for link in page.get("page_link")
            if link.proto.label == label]  # fmt: skip


def test_a_tree_of_the_wall_opens_as_it_grew_in_the_forest():
    page = open_forests(data="moons", b_leaf="5", view="Trees", wall="b", tree="4")
    assert [sent["chart"]["selected"] for sent in sent_to(page, "espalier_bars")] == ["", "4"]
    (address,) = links(page, "Open tree 4")
    tree = whole(open_tree(**address))
    estimator = RandomForestClassifier(n_estimators=9, min_samples_leaf=5, random_state=0)
    estimator.set_params(max_features=None)
    data = samples.load("moons")
    rows = ~held_out(data, HeldOut(30))
    expected = estimator.fit(data.X[rows], data.y[rows]).forest_.trees[3]
    assert metric(tree, "leaves") == str(expected.n_leaves)
    (cards,) = (sent["cards"] for sent in sent_to(tree, "espalier_tree"))
    assert [card["id"] for card in cards["nodes"]] == list(range(expected.n_nodes))
    drawn = int((estimator.in_bag()[3] > 0).sum())
    assert f"It drew {drawn} of {rows.sum()} rows" in words_of(tree)
    (back,) = links(tree, "Back to the forests")
    assert back["b-leaf"] == "5"
    assert back["data"] == "moons"


def test_the_splits_of_a_tree_of_a_forest_are_questioned_on_the_rows_that_it_drew():
    page = whole(open_tree(data="moons", model="forest", side="b", number="2", **FEW))
    grown = page.session_state["last-tree"]
    best = tree_results.curves(grown, 0)[0]
    assert best.feature == grown.tree.feature[0]
    assert best.threshold[best.best] == grown.tree.threshold[0]  # with other weights another split would be best
    assert tree_results.weights(grown, 0).sum() == grown.tree.n_samples[0]


def test_a_number_too_large_opens_the_last_tree_and_forests_are_offered_only_where_a_tree_came_from_one():
    page = whole(open_tree(model="forest", number="500", **FEW))
    assert page.number_input(key="number").value == 9
    assert "**Tree 9 of 9 of forest A**" in words_of(page)
    page = whole(
        open_tree(model="forest", number="2", a="cultivated-forest", **{"a-cultivated-forest-depth": "3"})
    )
    assert int(metric(page, "modules")) > 0
    offered = ["CART", "Cultivated", "Optimal", "Model tree", "Oblique tree"]
    assert whole(open_tree()).segmented_control(key="learner").options == offered
    of_forest = whole(open_tree(model="forest", **FEW))
    assert of_forest.segmented_control(key="learner").options == [*offered, "Of a forest"]


def test_of_uneven_classes_every_class_and_the_baseline_stand_beside_the_error():
    library.store().put(data := loans())
    page = open_forests(data=data.digest, a_depth="1", b_depth="1")
    assert "baseline **10 %**" in lines_of(page)[0]
    told = " ".join(one.value for one in page.markdown)
    assert "It never answers “default”" in told


def test_surfaces_are_averaged_over_the_rows_where_there_is_an_exact_average_and_soft_trees_have_no_parts():
    first, second = sent_to(open_forests(view="One row", b="cultivated-forest"), "espalier_surface")
    assert first["surface"]["averaged"] == 150
    assert "averaged" not in second["surface"]
    page = open_forests(view="Importance", a="cultivated-forest", a_trees="2")
    assert not page.error
    assert "No exact answer" in captions(page)


def test_the_class_and_the_column_that_are_explained_stand_in_the_address_and_changes_may_be_accumulated():
    page = open_forests(view="Importance", explained="3", along="3", curve="accumulated")
    assert "Thick: accumulated changes" in captions(page)
    assert "petal length goes closely together with petal width" in words_of(page)
    assert "**read the accumulated changes**" in words_of(page)
    assert address_of(page)["curve"] == "accumulated"
    assert (page.selectbox(key="explained").value, page.selectbox(key="along").value) == (3, 3)
    page.selectbox(key="along").set_value(2)
    assert address_of(whole(page.run()))["along"] == "2"


def test_a_column_that_there_is_not_is_let_go_and_a_link_to_pairs_says_that_they_are_gone():
    page = open_forests(view="Importance", together="7-9", along="99")
    assert "pairs of columns are gone" in words_of(page, "warning")
    assert page.selectbox(key="along").value == 4
