"""Two forests on a page: every tab, links, stopping, files, the film, and the rounds of gradient boosting."""

import itertools
import re
import threading

import numpy as np
import pytest

from espalier import predict
from espalier.data import HeldOut, held_out, samples
from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import guess_kinds
from espalier.data.dataset import Feature, make_dataset
from espalier.data.table import read_table
from espalier.export import forest_from_json
from espalier.forests.agreement import votes
from espalier.grown import forest_megabytes, limit_depth
from espalier.language import Refusal
from espalier.learners import RandomForestClassifier
from espalier.learners.catalogue import Model
from espalier.predict import shares_by_tree
from espalier.progress import Progress
from pages.shared.data import library
from pages.shared.forests import error, film, growing, heading, rounds, row
from pages.shared.forests import results as forests_results
from pages.shared.forests.forest_job import ForestJob
from pages.shared.jobs import compilation as engine_start
from pages.shared.jobs import watch
from pages.shared.tree import results as tree_results
from tests.tools import on_page
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


def test_what_a_link_says_wrong_is_noted_and_one_to_pairs_of_columns_says_that_they_are_gone():
    noted = words_of(open_forests(a_trees="many", row="999", x="no such feature"), "warning")
    for note in ("a-trees=many should be", "row=999: these data have rows 1 to 150", "x=no such feature"):
        assert note in noted
    page = open_forests(view="Importance", together="7-9", along="99")
    assert "pairs of columns are gone" in words_of(page, "warning")
    assert page.selectbox(key="along").value == 4


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


def test_until_forests_are_there_the_page_says_how_far_they_or_the_engine_are(monkeypatch):
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
    (value, is_unseen), in_bag = forests_results.fair(one), one.estimator.in_bag()
    for place, asked_row in enumerate(one.rows[:40]):
        unseen = np.flatnonzero(in_bag[:, place] == 0)
        asked = unseen if len(unseen) else np.arange(3)
        each = shares_by_tree(one.forest, one.dataset.X[[asked_row]])[:, 0]
        assert np.allclose(value[asked_row], each[asked].mean(axis=0))
        assert is_unseen[asked_row] == bool(len(unseen))
    one = planted()
    data = one.dataset
    shifted = data._replace(y=data.y + 1, target=data.target._replace(categories=("none", *data.classes)))
    found = ForestJob(shifted, HeldOut(30), one.model)(Progress()).forest
    assert all(tree.value.shape[1] == 4 and not tree.value[:, 0].any() for tree in found.trees)
    assert found.prior[0] == 0


def test_curves_can_be_saved_as_a_table_and_those_of_rounds_are_known_at_their_ends():
    lines = error.lines_of([planted(), planted(trees=4)])
    table = error.csv_of(lines).splitlines()
    assert table[0] == 'trees,"A, out of bag","A, held out","B, out of bag","B, held out"'
    assert len(table) == 1 + 9
    assert table[-1].endswith(",,")  # the smaller forest has no ninth tree
    one = grown("iris")
    _, held = forests_results.curves(one)
    assert held is not None
    assert np.isnan(held).tolist() == [True, True, False] * 6
    wrong = one.estimator.predict(one.dataset.X[one.held]) != one.dataset.y[one.held]
    assert held[-1] == pytest.approx(wrong.mean())
    assert np.isnan(forests_results.own_errors(one)).all()


# ---- a tree on its own page


def links(page, label):
    return [dict(part.split("=") for part in link.proto.query_string.split("&")) for link in page.get("page_link")
            if link.proto.label == label]  # fmt: skip


def test_a_tree_of_the_wall_opens_as_it_grew_in_the_forest():
    page = open_forests(data="moons", b_leaf="5", view="Trees", wall="b", tree="4")
    assert [sent["chart"]["selected"] for sent in sent_to(page, "espalier_bars")] == ["", "4"]
    (address,) = links(page, "Open tree 4")
    tree = open_tree(**address)
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
    page = open_tree(data="moons", model="forest", side="b", number="2", **FEW)
    grown = page.session_state["last-tree"]
    best = tree_results.curves(grown, 0)[0]
    assert best.feature == grown.tree.feature[0]
    assert best.threshold[best.best] == grown.tree.threshold[0]  # with other weights another split would be best
    assert tree_results.weights(grown, 0).sum() == grown.tree.n_samples[0]


def test_a_number_too_large_opens_the_last_tree_and_forests_are_offered_only_where_a_tree_came_from_one():
    page = open_tree(model="forest", number="500", **FEW)
    assert page.number_input(key="number").value == 9
    assert "**Tree 9 of 9 of forest A**" in words_of(page)
    page = whole(
        open_tree(model="forest", number="2", a="cultivated-forest", **{"a-cultivated-forest-depth": "3"})
    )
    assert int(metric(page, "modules")) > 0
    offered = ["CART", "Cultivated", "Optimal", "Model tree", "Oblique tree"]
    assert open_tree().segmented_control(key="learner").options == offered
    of_forest = open_tree(model="forest", **FEW)
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


def grown(data, percent=30, trees=6):
    data = samples.load(data) if isinstance(data, str) else data
    return ForestJob(data, HeldOut(percent), Model("gradient", (("trees", trees),)))(Progress())


@pytest.mark.few(len(VIEWS))  # each tab once
@pytest.mark.parametrize("data", ["iris", "breast-cancer", "diabetes", "sine"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_tab_is_drawn_for_many_classes_two_classes_and_numbers(view, data):
    page = open_forests(data=data, view=view, b="gradient", row="3", wall="b", a_trees="5", b_trees="6")
    assert not page.error
    if view in ("One row", "Agreement"):
        assert "Each tree corrects the sum of the earlier ones" in words_of(page)
    if view == "Importance":
        assert "There is none: the trees of a boosted sum are steps" in words_of(page).replace("\\", "")


def test_one_round_needs_no_slider_and_a_tree_of_a_sum_does_not_open_alone():
    page = open_forests(view="Round by round")  # of a link, where no forest has rounds
    assert "Round by round" not in [tab.label for tab in page.tabs]
    assert "tab" not in address_of(page)
    page = open_forests(data="sine", view="Round by round", b="gradient", b_trees="1", held="0")
    assert not page.error
    assert "**The tree of round 1**" in words_of(page)
    assert "round" not in on_page.sliders(page)
    page = open_tree(model="forest", side="b", number="2", b="gradient", b_trees="4")
    assert "is no tree by itself" in page.info[0].value


def test_a_round_stands_in_the_address_and_a_round_too_late_becomes_the_last():
    page = open_forests(data="iris", view="Round by round", b="gradient", b_trees="6", round="4", **{"class": "2"})
    assert "**The tree of round 4**, for versicolor" in words_of(page)
    assert (address_of(page)["round"], address_of(page)["class"]) == ("4", "2")
    page = open_forests(data="iris", view="Round by round", b="gradient", b_trees="3", round="400")
    assert "**The tree of round 3**" in words_of(page)
    on_page.Slider(page, "round").set_value(2)
    page.run()
    assert "**The tree of round 2**" in words_of(page)
    assert len(pictures(page)) == 3


def test_the_rounds_are_drawn_in_the_loss_of_the_model_and_a_row_without_a_count_is_named():
    loss, name = "poisson", "half Poisson deviance"
    page = open_forests(data="diabetes", view="Round by round", b="gradient", b_trees="4", b_loss=loss)
    assert f"**The {name} after each round**" in words_of(page)
    assert len(pictures(page)) == 3
    assert address_of(page)["b-loss"] == loss
    page = open_forests(data="sine", b="gradient", b_loss="poisson")
    assert "the target *y* is −0.13 in row 2. Choose squared or absolute error." in page.error[0].value


def test_the_whole_sum_is_exported_and_reads_back():
    for data in ["iris", "breast-cancer", "diabetes"]:
        one = grown(data)
        forest, _, _ = forest_from_json(str(heading.code(one, heading.FORMATS[0], {})))
        assert np.array_equal(predict.shares(forest, one.dataset.X), predict.shares(one.forest, one.dataset.X))


@pytest.mark.parametrize("present", [(0, 2), (0, 1, 3)], ids=["two of four classes", "three of four"])
def test_classes_without_a_row_have_no_share(present):
    iris = samples.load("iris")
    rows = iris.y < len(present)
    y = np.array(present)[iris.y[rows]]
    data = make_dataset("few", iris.X[rows], iris.features, y, Feature("k", "category", ("a", "b", "c", "d")))
    one = grown(data)
    said_of_rows = predict.shares(one.forest, data.X)
    assert said_of_rows[:, list(present)] == pytest.approx(one.estimator.predict_proba(data.X))
    assert said_of_rows.sum(axis=1) == pytest.approx(1)
    view = rounds.view_of(one, 2, 1)
    assert view.score in present
    after, before = (float(np.mean(view.residuals(is_after) ** 2)) for is_after in (True, False))
    assert after < before


FORMATS = {form.ending: form for form in heading.FORMATS}


def grown_forest(kind="random", data="iris", held=30, trees=3):
    return ForestJob(samples.load(data), HeldOut(held), Model(kind, (("trees", trees),)))(Progress())


BEGINS = {"py": "# Forest for species: 3 trees", "sql": "-- Forest for species: 3 trees"}


def test_a_forest_is_saved_as_code_and_onnx_or_has_a_reason(monkeypatch):
    for ending in BEGINS:
        text = heading.code(grown_forest(), FORMATS[ending], {"dialect": "duckdb"} if ending == "sql" else {})
        assert isinstance(text, str)
        assert text.startswith(BEGINS[ending])
    onnx = pytest.importorskip("onnx")
    model = onnx.load_from_string(heading.code(grown_forest(), FORMATS["onnx"], {}))
    assert [one.name for one in model.graph.output] == ["prediction", "shares"]
    page = open_page("forests", {"forest exports": True}, a_trees="9", b_trees="9")
    labels = [button.proto.label for button in page.get("download_button")]
    assert [label for label in labels if "report" not in label] == ["JSON", "Python", "SQL", "ONNX"] * 2
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(Refusal, match="the package onnx, which is not installed here"):
        FORMATS["onnx"].check(grown_forest().forest)


def test_a_database_whose_dates_are_not_written_has_a_reason_in_place_of_the_button():
    """On both pages, as soon as it is chosen."""
    days = [f"{2019 + i % 4}-{i % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(120)]
    text = "sent,late\n" + "".join(f"{day},{'yes' if day > '2021' else 'no'}\n" for day in days)
    read = read_table(text.encode(), "letters.csv")
    plans = guess_kinds(read.frame)
    data = to_dataset(read.frame, plans, "late", "letters", read.origins)[0]
    library.store().put(data)
    of_forests = {"a-trees": "3", "b-trees": "3"}
    for name, opened, box in (
        ("tree", "export menu", "SQL dialect"),
        ("forests", "forest exports", "SQL dialect of forests"),
    ):
        page = open_page(name, {opened: True}, data=data.digest, **(of_forests if name == "forests" else {}))
        n_files = len([button for button in page.get("download_button") if "SQL" in button.proto.label])
        assert n_files == (2 if name == "forests" else 1)
        whole(page.selectbox(key=box).select("sqlite").run())
        assert not [button for button in page.get("download_button") if "SQL" in button.proto.label]
        reasons = [one.value for one in page.caption if "SQL for SQLite is not written for dates" in one.value]
        assert len(reasons) == n_files


def test_the_film_has_two_surfaces_of_each_forest_and_the_errors_at_every_step_but_not_of_sums():
    page = open_forests(view="Film", a_trees="9", b_trees="5")
    player = sent_to(page, "espalier_player")[0]
    titles = [panel["title"] for panel in player["panels"]]
    assert titles[:2] == ["Forest A: all so far", "Forest A: the last tree"]
    assert len(titles) == 5
    assert len(player["texts"]) == 9
    assert all(len(panel["frames"]) == len(panel["alts"]) == 9 for panel in player["panels"])
    assert player["texts"][4].startswith("5 of 9. Error: A, out of bag ")
    average, newest = (player["panels"][i]["frames"] for i in (0, 1))
    assert average[0] == newest[0]  # the average of one tree
    assert player["panels"][2]["frames"][4] == player["panels"][2]["frames"][8]  # forest B has no more than five
    page = open_forests(view="Film", a="gradient", a_trees="4", b_trees="4")
    titles = [panel["title"] for panel in sent_to(page, "espalier_player")[0]["panels"]]
    assert titles[:2] == ["Forest A: all so far", "Forest B: all so far"]  # a step of a sum says nothing alone
    for n_trees in [1, 2, 12, 13, 40, 101, 1000]:
        steps = film.steps(n_trees)
        assert (steps[0], steps[-1]) == (1, n_trees)
        assert steps == sorted(set(steps))
        assert len(steps) <= 24


def forest(trees=100, depth=None, *others):
    return Model("random", (("trees", trees), ("depth", depth), *others))


def test_a_forest_of_a_large_table_is_as_deep_as_fits_where_nobody_asked_for_a_depth():
    assert limit_depth(forest(), 10_000, 750) == forest()
    assert limit_depth(forest(100, 40), 1_000_000, 750) == forest(100, 40)
    assert limit_depth(forest(100_000), 1_000_000, 750) == forest(100_000)
    found = limit_depth(forest(100, None, ("leaf", 5)), 500_000, 750)
    assert ("leaf", 5) in found.settings
    assert ("trees", 100) in found.settings
    for n_rows in [200_000, 350_000, 500_000, 1_000_000]:
        found = limit_depth(forest(), n_rows, 750)
        assert forest_megabytes(found, n_rows) <= 750
        assert found.depth is not None
        assert forest_megabytes(forest(100, found.depth + 1), n_rows) > 750
    grown = ForestJob(samples.load("iris"), HeldOut(30), forest(trees=3))(Progress())
    assert grown.surely_held.sum() == grown.held.sum() == 45
    assert not grown._replace(may_have_seen=True).surely_held.any()
