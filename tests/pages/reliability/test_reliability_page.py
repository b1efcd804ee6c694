"""The page that asks when a model should not answer, and what may change in the smallest change."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from espalier.data import samples
from espalier.data.folds import Folds
from espalier.learners import catalogue
from espalier.progress import Progress
from espalier.reliability.explanation import answers_of_refit
from espalier.reliability.reliability import fit_outside
from espalier.tasks import PARTS
from pages.shared.app import links
from pages.shared.comparison import runs
from pages.shared.data import library
from pages.shared.jobs.run import RUNNER, Outcome
from pages.shared.models import bar
from pages.shared.reliability import changing, explanation
from pages.shared.reliability.models import UncertainModel
from tests.tools import on_page
from tests.tools.on_page import (
    address_of,
    open_page,
    open_tree,
    opened,
    press,
    set_controls,
    settle,
    until_grown,
    values_of,
    whole,
    words_of,
)
from tests.tools.uneven import loans

QUICK = {"folds": "3", "m2-trees": "9", "m3-depth": "2"}
LIST = {"tab": "Who decides"}


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(explanation, "AGAIN", 3)


def at_goal(page):
    table = next(one.value for one in page.table if "answered" in one.value.index)
    return table.rename(index=lambda name: name.replace("\\", ""))


def listed(page):
    return next(one.value for one in page.dataframe if "why it is doubted" in one.value)


def test_of_uneven_classes_the_baseline_stands_beside_and_the_promise_names_the_class_that_gets_least():
    library.store().put(data := loans())
    link = QUICK | {"data": data.digest, "m1": "none", "m2": "none", "m3-depth": "1"}
    page = open_page("reliability", **link)
    assert ":material/warning: **Accuracy tells little here.**" in words_of(page)
    assert "by classes on 50 % on average. It never answers “default”" in words_of(page)
    assert at_goal(page).loc["right, of “default”", "CART"].startswith("0 ")
    assert at_goal(page).loc["baseline", "CART"] == at_goal(page).loc["right, of these", "CART"]
    promised = next(one.value for one in page.table if "truth inside" in one.value.index)
    assert promised.loc["least of a class", "CART"].replace("\\", "").startswith("default: 7.5 % (")
    page = open_page("reliability", **QUICK | {"data": data.digest, "m1": "none", "m2": "none", "m3": "baseline"})
    assert list(at_goal(page).columns) == ["Baseline"]
    assert "Accuracy tells little" not in words_of(page)  # it is blind by its nature


def test_the_first_screen_asks_three_models_and_lists_rows_for_an_expert_whose_story_is_told_where_one_is_ticked():
    page = open_page("reliability", **QUICK)
    assert list(at_goal(page).columns) == ["Cultivated", "Random forest", "CART"]
    page = open_page("reliability", **QUICK, **LIST)
    assert {"row", "doubt", "would say", "in truth", "right", "why it is doubted"} == set(listed(page).columns)
    assert len(listed(page)) == pytest.approx(0.2 * 150, abs=15)
    assert (listed(page)["doubt"].diff().dropna() <= 0).all()
    assert address_of(page) == QUICK | LIST
    table = next(one for one in page.dataframe if "why it is doubted" in one.value)
    first, second = table.value["row"].iloc[:2]
    page = settle(on_page.tick(page, table, 1))
    assert address_of(page)["row"] == str(second)
    assert f"Row {second}: " in words_of(page)
    page = until_grown(press(page, "Most doubted"))
    assert address_of(page)["row"] == str(first)
    assert f"Row {first}: " in words_of(page)


def test_every_control_changes_the_page_and_its_address_and_a_link_sets_all_of_them():
    page = open_page("reliability", **(QUICK | {"m1": "none", "m2": "none"}))
    rounds = [[("selectbox", "m1", "cart", "cart")], [("slider", "answer", 60, "60")]]
    for controls in rounds:
        before = at_goal(page)
        page = set_controls(page, controls)
        assert not at_goal(page).equals(before)
    again = open_page("reliability", **address_of(page))
    values, last = values_of(again, *rounds)
    assert values == last
    assert words_of(again) == words_of(page)
    again = set_controls(again, [("segmented_control", "goal", "cost", "cost")])
    assert "cost of a row" in at_goal(again).index
    assert open_page("reliability", **address_of(again)).segmented_control(key="goal").value == "cost"


def test_the_models_of_one_page_are_there_on_the_other_and_former_links_and_sessions_name_their_places():
    page = open_page("compare", **{"m1": "cart", "m1-depth": "1", "m2": "none", "m3": "none", "folds": "3"})
    page.query_params.clear()
    page = until_grown(on_page.whole(page.switch_page("pages/reliability.py").run()))
    assert list(at_goal(page).columns) == ["CART", "Baseline"]
    assert address_of(page)["m1-depth"] == "1"
    former = {"r1": "cart", "r1-cart-depth": "3", "r2": "none", "r3": "none", "folds": "3"}
    page = open_page("reliability", **former)
    assert address_of(page) == {"m1": "cart", "m1-depth": "3", "m2": "none", "m3": "none", "folds": "3"}
    there = links.rename_places({"r1": "cart", "m2": "root", "r2": "cart"})
    assert there == {"m1": "cart", "m2": "root"}


def has_a_story(page):
    assert "The model has not seen this row" in words_of(page)
    assert "What would change the answer" in words_of(page)
    assert "of 3 models on redrawn rows would say" in words_of(page)
    is_sure = bool(re.search(r"says \*\*[^*]*100 ", words_of(page)))
    assert ("What came second" in words_of(page)) != is_sure  # nothing comes second to 100 %


@pytest.mark.few(1)
@pytest.mark.parametrize("who", ["1", "2"])
def test_every_kind_of_model_has_a_story(who):
    has_a_story(open_page("reliability", **QUICK, row="70", who=who))


def test_what_stays_as_it_is_is_in_no_change_and_in_the_address():
    page = open_page("reliability", **QUICK, row="70", who="3")
    has_a_story(page)
    assert "proved to be the smallest change" in words_of(page)
    page = settle(page.multiselect(key="keep-features").set_value([0, 1, 2, 3]))
    assert address_of(page)["keep"] == "1.2.3.4"
    assert "No change of what may change makes it say another class" in words_of(page)
    again = open_page("reliability", **address_of(page))
    assert again.multiselect(key="keep-features").value == [0, 1, 2, 3]
    assert "No change of what may change" in words_of(again)


def test_a_number_has_errors_and_a_story_too_and_a_kind_that_is_not_for_it_leaves_the_others():
    page = open_page("reliability", data="diabetes", row="3", **QUICK)
    assert "models on redrawn rows would say between" in words_of(page)
    page = open_page("reliability", data="diabetes", goal="risk", off="1", **QUICK)
    assert "answers nothing" in words_of(page)
    page = settle(page.segmented_control(key="goal").set_value("answer"))
    assert "off by, on average" in at_goal(page).index
    assert "off by" in listed(open_page("reliability", data="diabetes", **QUICK, **LIST)).columns
    page = open_page("reliability", data="diabetes", **(QUICK | {"m1": "root"}))
    assert any("for classes only" in error.value for error in page.error)
    assert "CART" in at_goal(page).columns


def test_costs_say_what_answering_all_and_asking_about_all_would_cost_and_no_model_is_an_invitation():
    page = open_page("reliability", **QUICK, goal="cost", wrong="4", expert="1", m1="none", m2="none")
    assert at_goal(page).loc["to ask about all", "CART"] == "1"
    page = open_page("reliability", **QUICK, **LIST, goal="cost", wrong="0", m1="none", m2="none")
    assert "At this goal the model answers every row" in words_of(page)
    assert "Choose at least one model" in open_page("reliability", m1="none", m2="none", m3="none").info[0].value


def test_a_row_a_model_and_columns_that_are_not_there_are_let_go_of():
    page = open_page("reliability", **QUICK, row="4000", who="2", m2="none")
    assert any("rows 1 to 150" in warning.value for warning in page.warning)
    assert page.segmented_control(key="who").value == 1
    page = open_page("reliability", **(QUICK | {"m1": "none", "m2": "none"}), row="70", who="3", keep="9")
    assert any("numbers of columns from 1 to 4" in warning.value for warning in page.warning)
    assert address_of(page).get("keep") is None


def trial(**plan):
    kind = catalogue.find_kind("cart")
    model = catalogue.model(kind, kind.defaults(is_classification=True))
    return UncertainModel(0, model, 10.0, samples.load("iris"), Folds(3)._replace(**plan))


def test_a_story_that_was_stopped_goes_on_where_it_was_and_is_no_comparison():
    one = trial()
    fold = RUNNER.do(one, Progress()).tried[0]
    refits, progress = explanation.Refits(one, fold), Progress()
    model = fit_outside(one.estimator(), one.dataset, fold.rows)
    first = answers_of_refit(one.estimator(), one.dataset, fold.rows, 0, one.plan.seed)
    RUNNER.results(refits.key).update({0: model, 1: first})
    assert (refits.so_far[0] is model, len(refits.so_far)) == (True, 2)
    RUNNER.keep(refits.key, Outcome(RUNNER.do(refits, progress)))
    assert refits.so_far[1] is first
    assert len(refits.so_far) == refits.n_tasks == 4
    assert progress.done == 2 * PARTS
    assert one.key != runs.ComparisonJob(*one).key
    assert one.key != trial(seed=1).key


def test_a_promised_share_of_errors_says_its_confidence_or_how_many_rows_it_takes_and_other_data_keep_the_goal():
    alone = {"m1": "none", "m2": "none", "goal": "risk", "sure": "yes"}
    page = open_page("reliability", **(QUICK | alone | {"data": "breast-cancer", "right": "90"}))
    assert "Promised for new rows, with 90 % confidence." in words_of(page)
    page = open_page("reliability", **(QUICK | alone | {"right": "99"}))
    assert "takes 528 answers without a mistake" in words_of(page)
    page = open_page("reliability", **QUICK, m2="none", m3="none", goal="cost", wrong="7")
    page.selectbox(key=bar.PICKER).set_value("two-gaussians")
    said = address_of(settle(page))
    assert (said["data"], said["goal"], said.get("wrong")) == ("two-gaussians", "cost", None)


def test_a_change_leads_to_the_class_that_is_chosen_and_the_link_has_it():
    page = open_page("reliability", **(QUICK | {"m1": "none", "m3": "none", "row": "71", "toward": "1"}))
    told = words_of(page)
    assert r"it would say tie\: setosa\, virginica" in told  # of equal votes the forest says the first
    assert "proved to be the smallest change" in told
    assert page.selectbox(key="goal-of-change").value == "1"
    assert address_of(page)["toward"] == "1"


def test_where_nothing_may_change_enough_that_is_proved_and_a_link_to_ranges_says_what_there_is():
    page = open_page(
        "reliability", **(QUICK | {"m1": "none", "m3": "none", "row": "71", "toward": "1", "keep": "1.2.3.4"})
    )
    assert "No change of what may change makes it say setosa" in words_of(page)
    assert "all were ruled out" in words_of(page)
    page = open_page("reliability", **(QUICK | {"m1": "none", "m3": "none", "row": "71", "within": "3~5~2"}))
    assert "ranges of columns are gone" in words_of(page, "warning")
    assert "it would say" in words_of(page)


def test_a_longer_search_is_a_job_whose_story_takes_the_place_of_the_quick_one(monkeypatch):
    story_of = changing.story
    monkeypatch.setattr(changing, "story", lambda *asked: story_of(*asked)._replace(why_open="time"))
    page = open_page("reliability", **(QUICK | {"m1": "none", "m3": "none", "row": "72"}))
    (longer,) = [button for button in page.button if button.label == "Search for up to 60 seconds"]
    page = settle(longer.click())
    assert not [button for button in page.button if button.label == "Search for up to 60 seconds"]
    assert "proved to be the smallest change" in words_of(page)


def test_the_tree_page_tells_what_would_change_the_answer_to_the_chosen_row_and_draws_the_region_of_recourse():
    page = on_page.open_tree(data="iris", depth="3", row="71", toward="1")
    told = words_of(page)
    assert "it would say setosa" in told
    assert "proved to be the smallest change" in told
    pictures = " ".join(str(html.proto.body) for html in page.get("html"))
    assert "recourse" in " ".join(one.value for one in page.caption)
    assert "<svg" in pictures or "data:image/svg" in pictures


LINK = {"keep": "1", "up": "3", "toward": "1"}  # of iris


@pytest.fixture
def tree():
    """The Tree page with the section on the chosen row open; its tree asks about both columns of the petal."""
    return until_grown(open_tree(data="iris", depth="2", row="71", **LINK))


def of_change(page):
    return {key: value for key, value in address_of(page).items() if key in LINK}


def test_a_link_brings_all_of_it_to_the_tree_and_it_goes_to_reliability_and_back_past_other_pages(tree):
    assert of_change(tree) == LINK
    page = opened(tree, "compare", data="iris")
    page = opened(page, "reliability", data="iris")
    assert of_change(page) == LINK
    page = until_grown(whole(page.switch_page("pages/tree.py").run()))
    assert of_change(page) == LINK


def followed():
    import streamlit as st

    from espalier.data import samples
    from espalier.data.dataset import make_dataset
    from pages.shared.reliability import changing

    state, iris = st.session_state, samples.load("iris")
    if "may-keep" not in state:
        state.update({"may-keep": "2", "may-up": "3.4", "may-down": "", "may-toward": "2"})
    kept = state["columns"]
    target = iris.target if state["same"] else iris.target._replace(categories=("a", "b", "c"))
    data = make_dataset(iris.name, iris.X[:, kept], [iris.features[f] for f in kept], iris.y, target)
    state["notes"] = changing.follow(data, state["linked"])
    state["all"] = (changing.allowed(), changing.toward())


def after(columns, linked=False, same=True):
    """What may change, and the notes, once the table of iris has these columns alone."""
    app = AppTest.from_function(followed)
    for now, is_linked, is_same in (([0, 1, 2, 3], False, True), (columns, linked, same)):
        for key, value in (("columns", now), ("linked", is_linked), ("same", is_same)):
            app.session_state[key] = value
        app.run()
        assert not app.exception
    return *app.session_state["all"], app.session_state["notes"]


def test_a_choice_is_let_go_with_a_note_where_the_table_has_other_columns_and_a_link_is_taken_as_it_is():
    allowed, toward, notes = after([0, 1, 2, 3])
    assert (allowed.fixed, allowed.up, toward, notes) == ((1,), (2, 3), 1, [])
    for columns, same in (([3, 1, 2], True), ([0, 1, 2, 3], False)):
        allowed, toward, notes = after(columns, same=same)
        assert not any(allowed)
        assert toward is None
        assert notes == ["Limits on changes are gone: the table has other columns."]
    assert after([3, 1, 2], linked=True)[0].up == (2, 3)
