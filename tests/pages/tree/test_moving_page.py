"""What moves on the Tree page by itself, the film of a tree's growth, and the controls at its foot."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from espalier.data import samples
from espalier.data.folds import HeldOut
from espalier.display.theme import percent
from espalier.grown import TreeSource, join_data
from espalier.learners.catalogue import Model
from pages.shared.models import drawer, learners
from pages.shared.tree import growing, moving, report
from tests.tools import on_page
from tests.tools.on_page import (
    Slider,
    address_of,
    begin_page,
    data_for,
    metric,
    open_tree,
    pictures,
    press,
    sent_to,
    until_grown,
    whole,
)


def test_the_browser_is_given_the_tree_of_all_depths_where_this_one_is_part_of_it_though_a_price_pruned_it():
    fold = data_for(open_tree(depth="2"), "espalier_tree")["fold"]
    deepest = data_for(open_tree(depth="none"), "espalier_tree")["cards"]
    assert fold["cards"] == deepest
    held_out = fold["scores"][0]
    assert metric(open_tree(alpha="0.9"), "accuracy, held-out") == percent(
        1 - held_out["lost"][0] / held_out["of"]
    )
    for other in [{"leaves": "5"}, {"prune": "hand", "size": "2"}]:
        page = open_tree(depth="2", data="breast-cancer", **other)
        assert "fold" not in data_for(page, "espalier_tree")
    page = open_tree(depth="2", alpha="0.02", data="breast-cancer")
    assert data_for(page, "espalier_tree")["at"] == {"depth": 2, "alpha": 0.02}
    fold = data_for(page, "espalier_tree")["fold"]
    assert fold == data_for(open_tree(depth="3", data="breast-cancer"), "espalier_tree")["fold"]
    assert [len(prices) for prices in fold["prices"][:2]] == [1, 3]


OTHER_SETTINGS = [
    (),
    (("leaf", 7), ("gain", 0.01)),
    (("features", "sqrt"), ("random", 3)),
    (("splitter", "random"),),
    (("missing", "surrogate"),),
    (("missing", "impute"),),
]


@pytest.mark.parametrize("settings", OTHER_SETTINGS)
@pytest.mark.parametrize("name", ["wine", "diabetes", "tic-tac-toe"])
def test_the_deepest_tree_cut_off_and_pruned_is_the_one_that_grows_with_the_limit_and_the_price(name, settings):
    data, holdout = samples.load(name), HeldOut(30, 0)
    X = np.array(data.X, order="F")
    X[::7, 0] = np.nan
    data = data._replace(X=X, digest=f"{data.digest} with gaps")
    for depth, alpha in ((1, 0.0), (3, 0.0), (4, 0.004), (None, 0.01)):
        model = Model("cart", (("depth", depth), ("alpha", alpha), *settings))
        assert growing.is_cut(data, model)
        cut, fitted = growing.grow(data, holdout, model), growing.Fit(data, holdout, model)()
        own = join_data(cut.key, fitted, data, TreeSource(holdout, model))
        assert [array.tobytes() for array in (*cut.sharp[:-1], *cut.sharp.surrogates)] == [
            array.tobytes() for array in (*own.sharp[:-1], *own.sharp.surrogates)
        ]
        assert repr(cut.parameters) == repr(own.parameters)


def test_nothing_is_folded_for_a_moment_while_a_slider_moves_but_the_depth_itself():
    page = open_tree()
    whole(on_page.Slider(page, "held").set_value(40, over=False).run())
    assert "fold" not in data_for(page, "espalier_tree")
    whole(on_page.Slider(page, "held").set_value(40).run())
    assert "fold" in data_for(page, "espalier_tree")
    before = data_for(page, "espalier_tree")["fold"]
    whole(on_page.Slider(page, "depth").set_value(2, over=False).run())
    assert data_for(page, "espalier_tree")["fold"] == before


def test_a_surface_that_is_averaged_over_rows_is_folded_by_the_rows_in_each_node():
    fold = data_for(open_tree(data="wine", depth="1"), "espalier_tree")["fold"]
    assert "boxes" not in fold  # of the whole tree, which asks more columns than there are axes
    assert fold["average"]["rows"] == fold["average"]["reached"][0] == 178
    slice_of = data_for(open_tree(data="wine", depth="1", others="typical"), "espalier_tree")["fold"]
    assert slice_of["cards"] == fold["cards"]
    assert slice_of["boxes"]


def test_a_cultivated_tree_is_given_with_all_levels_their_numbers_the_gates_of_its_surface_and_the_wrong_rows():
    page = open_tree(data="wine", model="cultivated", depth="3")
    fold = data_for(page, "espalier_tree")["fold"]
    assert (fold["name"], data_for(page, "espalier_tree")["at"]) == ("levels", {"levels": 3, "alpha": 0})
    shown = [one["value"] for one in data_for(page, "espalier_numbers")["numbers"]]
    said = dict(fold["numbers"])[3]
    assert [mine or own for mine, own in zip(said, shown, strict=True)] == shown
    assert [mine for mine in said if mine is not None] != [mine for mine in dict(fold["numbers"])[1] if mine]
    fold, surface = data_for(page, "espalier_tree")["fold"], data_for(page, "espalier_surface")["surface"]
    axes = [(axis["edges"][0], axis["edges"][-1]) for axis in fold["soft"]["along"]]
    assert axes == [(axis["edges"][0], axis["edges"][-1]) for axis in surface["axes"]]
    assert [int(mark) for mark in dict(fold["soft"]["wrong"])[3]] == surface["points"]["wrong"]
    assert len(fold["leaf"]) == len(surface["points"]["row"])


@pytest.mark.few(3)  # one of each learner
@pytest.mark.parametrize(
    ("address", "key", "value"),
    [
        ({"model": "cultivated", "data": "moons"}, "eta", 0.5),
        ({"model": "cultivated", "data": "moons"}, "k", 0),
        ({"model": "optimal", "data": "monks-1"}, "height", 2),
        ({"model": "optimal", "costly": "yes", "data": "monks-1"}, "times", 3.0),
        ({}, "held", 40),
    ],
)
def test_the_picture_is_what_the_page_shows_once_the_slider_rests(address, key, value, monkeypatch):
    monkeypatch.setattr(moving, "MOMENT_SECONDS", 60)
    page = on_page.until_grown(open_tree(**address))
    whole(Slider(page, key).set_value(value, over=False).run())
    picture = Slider(page, key).data["picture"]
    page = on_page.until_grown(whole(Slider(page, key).set_value(value).run()))
    assert "picture" not in Slider(page, key).data
    assert picture["cards"] == data_for(page, "espalier_tree")["cards"]
    assert picture["surface"] == data_for(page, "espalier_surface")["surface"]
    assert picture["numbers"] == data_for(page, "espalier_numbers")["numbers"]


def test_where_the_page_shows_another_tree_than_that_of_the_controls_the_whole_page_runs():
    for address in [{"graph": "film"}, {"edits": "Rx"}, {"prune": "hand", "size": "2"}]:
        page = open_tree(**address)
        whole(Slider(page, "held").set_value(40, over=False).run())
        assert "picture" not in Slider(page, "held").data
        assert Slider(page, "held").value == 40


def test_while_a_slider_moves_a_search_shows_its_best_tree_and_a_slow_surface_is_averaged_over_fewer_rows(
    monkeypatch,
):
    page = open_tree(model="cultivated")
    rested = data_for(page, "espalier_surface")["surface"]["averaged"]
    whole(Slider(page, "eta").set_value(0.5, over=False).run())
    assert 1 < Slider(page, "eta").data["picture"]["surface"]["averaged"] < rested
    monkeypatch.setattr(moving, "MOMENT_SECONDS", 0)
    page = open_tree(model="optimal", data="questionnaire", height="2")
    whole(Slider(page, "height").set_value(5, over=False).run())
    picture = Slider(page, "height").data["picture"]
    assert picture["note"] == "best tree so far"
    assert picture["cards"]["nodes"]


def test_a_film_has_a_step_for_each_split_and_its_numbers_end_with_those_of_the_tree():
    page = open_tree(graph="film", depth="4")
    fold, player = data_for(page, "espalier_tree")["fold"], data_for(page, "espalier_player")
    first = (
        "Split 1 of 4: petal length ≤ 2.45. Mean gini of the leaves 0.333, error 33.3 % held-out, 33.3 % training."
    )
    assert player["texts"][1] == first
    assert player["texts"][0].startswith("A single leaf")
    assert len(player["texts"]) == int(metric(page, "leaves")) == len(fold["numbers"])
    shown = [one["value"] for one in data_for(page, "espalier_numbers")["numbers"]]
    assert fold["numbers"][-1][1] == shown
    assert fold["numbers"][0][1][-2:] == ["1", "0"]  # a leaf, no depth


def test_a_film_of_numbers_and_one_of_an_optimal_tree_say_what_is_explained_and_a_race_is_drawn_when_opened():
    page = open_tree(graph="film", data="sine", depth="1")
    assert "Mean squared error of the leaves" in data_for(page, "espalier_player")["texts"][1]
    assert "R² " in data_for(page, "espalier_player")["texts"][1]
    page = on_page.until_grown(open_tree(graph="film", model="optimal", depth="2", data="monks-1"))
    assert len(data_for(page, "espalier_player")["texts"]) == int(metric(page, "leaves"))
    page = until_grown(open_tree(model="optimal", data="monks-3", depth="3"))
    before = len(pictures(page))
    page.session_state["search-film"] = True
    assert len(pictures(whole(page.run()))) == before + 1


def test_a_tree_without_a_film_says_why_and_a_former_order_of_growth_what_there_is_now():
    for address, why in [
        ({"model": "cultivated"}, "no film"),
        ({"data": "diabetes", "depth": "none"}, "There is a film of up to"),
    ]:
        page = open_tree(graph="film", **address)
        assert not on_page.sent_to(page, "espalier_player")
        assert any(why in caption.value for caption in page.caption)
    page = open_tree(grows="found")
    assert "films grow the best split first" in page.warning[0].value
    assert address_of(page) == {}


@pytest.fixture
def controls(monkeypatch):
    """The names of the data of each run that has drawn the controls."""
    runs, draw = [], learners.draw_choice
    monkeypatch.setattr(learners, "draw_choice", lambda data, most: (runs.append(data.name), draw(data, most)))
    return runs


def rested(page, **values):
    """The page after moves of these sliders, in this order."""
    for key, value in values.items():
        whole(Slider(page, key).set_value(value).run())
    return page


def n_nodes(page):
    return len(sent_to(page, "espalier_tree")[0]["cards"]["nodes"])


def test_a_slider_and_a_box_that_come_to_rest_change_tree_and_address_and_not_the_controls(controls):
    page = open_tree(held="20")
    page.session_state[drawer.SETTINGS] = False
    page = rested(whole(page.run()), depth=4)  # the first step makes Undo possible
    before = len(controls)
    assert address_of(rested(page, depth=1)) == {"held": "20", "depth": "1"}
    assert n_nodes(page) == 3
    assert len(controls) == before
    page.session_state[drawer.SETTINGS] = True
    page = whole(page.run())
    page.number_input(key="leaf").set_value(61)
    assert address_of(whole(page.run())) == {"held": "20", "depth": "1", "leaf": "61"}
    assert n_nodes(page) == 1
    assert len(controls) == before + 2  # its place in the drawer is part of the page
    page = whole(page.run())
    for address in ({"held": "20", "depth": "1"}, {"held": "20", "depth": "4"}, {"held": "20"}):
        assert address_of(press(page, "Undo")) == address
    assert Slider(page, "depth").value == 3
    assert page.number_input(key="leaf").value == 1


def test_the_controls_run_where_the_move_changes_something_of_them_as_redo_after_undo(controls):
    for address, moves, state in [
        ({"held": "20"}, {"depth": 4}, {}),  # Undo is possible from now on
        ({"held": "20"}, {"depth": 4}, {"share": True}),  # the link to the page follows
        ({"model": "cultivated", "data": "moons"}, {"levels": 3, "eta": 0.5}, {}),  # a preset is left
    ]:
        page = open_tree(**address)
        for key, value in state.items():
            page.session_state[key] = value
        whole(page.run())
        before = len(controls)
        rested(page, **moves)
        assert len(controls) == before + len(moves)
    page = press(rested(open_tree(held="20"), depth=4), "Undo")
    before = len(controls)
    rested(page, depth=5)
    assert len(controls) == before + 1
    assert next(button for button in page.button if button.label == "Redo").disabled


def page_with_fragment():
    import streamlit as st

    from pages.shared.app.address import Arrival
    from pages.shared.tree import moving

    state = st.session_state
    state["page runs"] = state.get("page runs", 0) + 1

    @st.fragment(key=moving.KEY)
    def part():
        moving.begin([])
        st.button("Click", on_click=lambda: st.rerun(moving.KEY))  # as a browser asks for it

    st.session_state[moving.ARRIVAL] = Arrival(False, [])
    part()


def test_a_click_beside_the_controls_runs_the_whole_page():
    page = AppTest.from_function(page_with_fragment).run()
    before = page.session_state["page runs"]
    whole(page.button[0].click().run())
    assert page.session_state["page runs"] == before + 1
    assert page.button[0].label == "Click"


def choice_alone():
    """The choice of the learner without its tree."""

    from espalier.data import samples
    from pages.shared.app import address
    from pages.shared.models import learners

    data = samples.load("iris")
    entries = learners.url_entries(data.target)
    address.begin()
    address.load("controls", entries)
    learners.draw_choice(data)
    address.save("controls", entries)


def opened_choice(**link):
    app = AppTest.from_function(choice_alone, default_timeout=60)
    for key, text in link.items():
        app.query_params[key] = text
    return app.run()


def change(app, learner):
    app.segmented_control(key="learner").set_value(learner)
    app.run()
    assert not app.exception
    return app


def test_a_depth_that_was_set_goes_along_up_to_the_greatest_and_each_learner_begins_with_its_own():
    app = change(opened_choice(depth="2"), "optimal")
    assert app.session_state["height"] == 2
    assert change(app, "cultivated").session_state["levels"] == 2
    app.session_state["levels"] = 3
    assert change(app.run(), "cart").session_state["depth"] == 3
    assert change(opened_choice(), "cultivated").session_state["levels"] == 14
    assert change(opened_choice(depth="12"), "optimal").session_state["height"] == 6


def test_the_curves_behind_the_depth_are_the_errors_of_the_trees_of_each_depth():
    for name, score in (("iris", "accuracy"), ("sine", "R²")):
        held, own = Slider(open_tree(data=name, held="40"), "depth").data["behind"]
        assert len(held) == len(own) > 3
        for depth in range(1, len(held)):
            model = Model("cart", (("depth", depth),))
            there = report.headlines(growing.grow(samples.load(name), HeldOut(40), model))
            means = (there["held-out"][0], there["training"][0])
            if score == "accuracy":  # of numbers the spread is around the mean of the same rows
                assert [1 - held[depth], 1 - own[depth]] == pytest.approx(means)
            else:
                assert 1 - own[depth] == pytest.approx(means[1])
    assert len(Slider(open_tree(held="0"), "depth").data["behind"]) == 1


def test_the_drawer_counts_what_differs_from_the_defaults_and_the_table_is_a_click_away_on_every_page():
    for address, n in (
        ({}, ""),
        ({"depth": "2"}, ""),
        ({"leaf": "5"}, " · 1"),
        ({"leaf": "5", "held": "9"}, " · 2"),
    ):
        labels = [box.proto.popover.label for box in open_tree(**address).get("popover")]
        assert f"More settings{n}" in labels
    for name in ("tree", "lessons", "practice", "basics", "hesitation", "compare"):
        links = [link.proto for link in begin_page(name).get("page_link") if "150 rows" in link.proto.label]
        assert [link.page for link in links] == ["data"], name
