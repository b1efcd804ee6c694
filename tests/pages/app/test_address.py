"""The address of a page and its controls, and links: of earlier versions, by chance, back and forward."""

import json
import random
import re
from collections import defaultdict
from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from espalier.data import samples
from espalier.data.sessions import SavedSession, table_of
from pages.shared.app import address, links
from pages.shared.app.address import Choice, Entry
from pages.shared.app.links import OutOfRange, one_of
from pages.shared.app.links import whole as whole_number
from pages.shared.approximation import controls
from pages.shared.canvas.control import Control
from pages.shared.comparison import folds
from pages.shared.jobs import run, watch
from pages.shared.models import forests, learners
from pages.shared.models import slots as model_slots
from pages.shared.questionnaire import sources
from pages.shared.reliability import models
from pages.shared.stability.controls import PLACES
from tests.tools.on_page import APP, address_of, begin_page, open_page, open_session, press, until_grown, whole
from tests.tools.selection import TIMES


def pages():
    """Pages, some with a number and its Undo; a run that is stopped ends before or after its values are there."""
    import streamlit as st

    from pages.shared.app import address, links
    from pages.shared.models import bar

    place, stops = st.session_state.get("goes to", "tree"), st.session_state.get("stops", "")
    entries = [address.Entry("depth", 3, links.whole(0, 9))] if place in ("tree", "compare") else []
    address.begin()
    address.come(place)
    if stops == "early":
        st.stop()
    st.session_state["arrival"] = address.load(place, entries)
    if stops == "late":
        st.stop()
    if st.session_state.get("by hand"):
        st.slider("depth", 0, 9, key="depth")
    address.save(place, entries)
    bar.undo(place)


def goes(app, place="tree", stops="", **texts):
    """The app after the browser has gone to this page with these texts in its address."""
    app.query_params.clear()
    for key, text in texts.items():
        app.query_params[key] = text
    app.session_state["goes to"], app.session_state["stops"] = place, stops
    return app.run()


def opened(depth, stops=""):
    return goes(AppTest.from_function(pages), stops=stops, depth=depth)


def test_a_link_is_one_and_what_is_wrong_with_it_is_said_until_a_run_is_through():
    app = opened("2")
    assert app.session_state["arrival"].linked
    assert app.session_state["depth"] == 2
    assert not app.run().session_state["arrival"].linked
    app = opened("2", "late").run()
    assert app.session_state["arrival"].linked
    app.session_state["stops"] = ""
    assert app.run().session_state["arrival"].linked
    assert not app.run().session_state["arrival"].linked
    app = opened("banana", "late").run()
    assert "banana" in app.session_state["arrival"].notes[0]
    app.session_state["stops"] = ""
    assert app.run().session_state["arrival"].notes
    assert not app.run().session_state["arrival"].notes


def test_a_number_beyond_its_limits_becomes_the_limit_and_strange_parameters_are_left_alone():
    app = opened("12")
    assert app.session_state["depth"] == 9
    assert app.query_params["depth"] in ("9", ["9"])
    assert "depth=12 should be a whole number from 0 to 9" in app.session_state["arrival"].notes[0]
    assert opened("-3").session_state["depth"] == 0
    app = goes(AppTest.from_function(pages), fbclid="abc")
    assert app.query_params["fbclid"] in ("abc", ["abc"])
    assert not app.session_state["arrival"].notes


def chosen(*depths):
    app = AppTest.from_function(pages)
    app.session_state["by hand"] = True
    app.run()
    for depth in depths:
        app.slider(key="depth").set_value(depth).run()
    return app


def test_redo_makes_again_what_undo_took_back_until_something_new_is_chosen():
    app = chosen(5, 7)
    seen = [press(app, label).slider(key="depth").value for label in ("Undo", "Undo", "Redo", "Redo")]
    assert seen == [5, 3, 5, 7]
    off = {button.label for button in app.button if button.disabled}
    assert off == {"Redo"}
    app = press(chosen(5, 7), "Undo")
    app.slider(key="depth").set_value(8).run()
    assert {button.label for button in app.button if button.disabled} == {"Redo"}
    assert press(app, "Undo").slider(key="depth").value == 5


def test_back_and_forward_of_the_browser_walk_along_the_steps_of_undo_and_redo():
    app = goes(chosen(5, 7), depth="5")
    assert press(app, "Undo").slider(key="depth").value == 3  # not 7, which Back had left
    assert press(app, "Redo").slider(key="depth").value == 5
    app = goes(app, depth="7")  # Forward
    assert {button.label for button in app.button if button.disabled} == {"Redo"}
    assert press(app, "Undo").slider(key="depth").value == 5


def at_depth_four():
    return goes(goes(AppTest.from_function(pages), "tree", depth="4"), "hesitation")


def test_a_page_keeps_its_values_though_a_run_is_stopped_and_two_steps_back_lead_to_the_defaults():
    for stops in ("", "early", "late"):
        app = at_depth_four()
        goes(app, "tree", stops)
        app.session_state["stops"] = ""
        assert app.run().session_state["depth"] == 4
    for stops in ("early", "late"):
        app = goes(at_depth_four(), "tree")
        goes(app, "hesitation", stops)
        assert goes(app, "tree").session_state["depth"] == 4
    for stops in ("", "early", "late"):
        app = goes(at_depth_four(), "tree", stops, depth="4")
        assert goes(app, "tree").session_state["depth"] == 3


def test_back_to_a_bare_address_brings_the_defaults_that_were_shown_there(monkeypatch):
    app = goes(at_depth_four(), "compare")
    app.session_state["depth"] = 3  # by a widget
    assert not app.run().query_params
    for elsewhere in ({}, {"depth": "7"}):
        goes(app, "tree", depth="4")
        goes(app, "hesitation")
        goes(app, "compare", **elsewhere)
        goes(app, "hesitation")
        with monkeypatch.context() as browser:
            browser.setattr(address, "is_step_of_browser", lambda: True)
            assert goes(app, "compare", stops="early").query_params == {}
        app.session_state["stops"] = ""
        assert app.run().session_state["depth"] == 3


def test_back_to_a_bare_address_brings_the_defaults_whatever_another_page_has_changed_since(monkeypatch):
    app = goes(goes(AppTest.from_function(pages), "tree"), "compare", depth="7")
    monkeypatch.setattr(address, "is_step_of_browser", lambda: True)
    assert goes(app, "tree").session_state["depth"] == 3


def test_back_wins_over_the_menu_that_was_used_a_moment_before(monkeypatch):
    app = goes(goes(AppTest.from_function(pages), "tree"), "tree", depth="4")
    goes(goes(app, "hesitation"), "tree", stops="early")
    with monkeypatch.context() as browser:
        browser.setattr(address, "is_step_of_browser", lambda: True)
        goes(app, "tree", stops="early")
    assert goes(app, "tree").session_state["depth"] == 3


def test_back_past_a_step_that_was_left_before_its_end_brings_what_was_shown_there(monkeypatch):
    app = goes(goes(AppTest.from_function(pages), "tree", depth="5"), "hesitation")
    monkeypatch.setattr(address, "is_step_of_browser", lambda: True)
    goes(app, "tree", depth="5", stops="late")
    goes(app, "tree", depth="4", stops="late")
    assert goes(app, "tree").session_state["depth"] == 3


def test_back_to_a_page_that_was_left_before_its_end_keeps_what_was_set(monkeypatch):
    app = goes(at_depth_four(), "tree", stops="late")
    goes(app, "hesitation")
    monkeypatch.setattr(address, "is_step_of_browser", lambda: True)
    assert goes(app, "tree").session_state["depth"] == 4


def test_what_a_link_or_a_person_says_is_there_on_other_pages_too_though_its_page_is_left_before_its_end():
    app = goes(AppTest.from_function(pages), "compare", stops="late", depth="4")
    assert goes(app, "tree").session_state["depth"] == 4
    assert goes(app, "compare").session_state["depth"] == 4
    app = goes(at_depth_four(), "compare")
    app.session_state["depth"] = 7  # by a widget
    app.session_state["stops"] = "late"
    app.run()
    assert goes(app, "tree").session_state["depth"] == 7
    assert goes(app, "hesitation", depth="2").session_state["depth"] == 7  # which has none
    app = goes(AppTest.from_function(pages), "compare", stops="early", depth="4")
    assert goes(app, "hesitation").query_params == {}
    assert goes(app, "compare").session_state["depth"] == 4
    app = goes(AppTest.from_function(pages), "compare", stops="early", depth="4")
    goes(app, "hesitation")
    assert goes(app, "compare", depth="5").session_state["depth"] == 5  # another link
    assert goes(goes(app, "hesitation"), "compare").session_state["depth"] == 5


def part():
    """A page with two numbers, the second of which stands in a part that runs alone."""
    import streamlit as st

    from pages.shared.app import address, links

    entries = [address.Entry(key, 1, links.whole(0, 9)) for key in ("first", "second")]

    def alone():
        address.hold(entries[1:])
        st.slider("second", 0, 9, key="second")
        address.save_again()

    address.begin()
    address.load("part", entries)
    st.slider("first", 0, 9, key="first")
    address.save("part", entries)
    st.fragment(alone)()


def test_a_part_that_runs_alone_saves_the_whole_address():
    app = AppTest.from_function(part).run()
    app.slider(key="first").set_value(4).run()
    app.slider(key="second").set_value(7).run()
    assert address_of(app) == {"first": "4", "second": "7"}


WORDS = Control("way", "a", {"a": "First", "b": "Second"}, "The way", name="w", undo=False)
NUMBER = Control("n", 3, (1, 9), "Numbers")
SHARE = Control("share", None, (0.5, 99.0), "Share", empty="all of it")
SWITCH = Control("on", False, None, "On")


@pytest.mark.parametrize(
    ("control", "text", "value"),
    [(WORDS, "b", "b"), (NUMBER, "7", 7), (SHARE, "2.5", 2.5), (SHARE, "none", None), (SWITCH, "yes", True)],
)
def test_a_link_sets_what_the_control_may_be(control, text, value):
    assert control.entry.read(text) == value


@pytest.mark.parametrize(("control", "text"), [(WORDS, "c"), (NUMBER, "2.5"), (NUMBER, "none"), (SWITCH, "maybe")])
def test_a_link_with_anything_else_says_what_is_accepted(control, text):
    with pytest.raises(ValueError, match=r"first|one of|whole number|yes|a, b"):
        control.entry.read(text)


def test_a_number_beyond_its_ends_names_the_nearest_and_its_place_in_links_has_its_name():
    with pytest.raises(OutOfRange) as beyond:
        NUMBER.entry.read("99")
    assert beyond.value.nearest == 9
    assert (WORDS.entry.parameter, WORDS.entry.undo, NUMBER.entry.parameter) == ("w", False, "n")


def controls_page():
    import streamlit as st

    from tests.pages.app.test_address import NUMBER, SHARE, SWITCH, WORDS

    for control in (WORDS, NUMBER, SHARE, SWITCH):
        st.session_state.setdefault(control.key, control.default)
        control.draw()
    st.markdown(f"{WORDS.value} {NUMBER.value} {SHARE.value} {SWITCH.value}")


def test_its_widget_is_a_list_a_box_or_a_switch():
    app = AppTest.from_function(controls_page).run()
    assert app.selectbox("way").options == ["First", "Second"]
    assert (app.number_input("n").min, app.number_input("n").max) == (1, 9)
    app.number_input("share").set_value(2.0)
    app.selectbox("way").set_value("b")
    app.toggle("on").set_value(True).run()
    assert not app.exception
    assert app.markdown[0].value == "b 3 2.0 True"


@pytest.fixture(scope="module")
def readings_of():
    """What the address of each page is made of, by the name of its file and by key: of two tables."""
    places = [path.stem for path in (Path(APP).parent / "pages").glob("[a-z]*.py")]
    seen, load = {place: defaultdict(list) for place in places}, address.load
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "MOST_AT_ONCE", 0)
        patch.setattr(watch, "PATIENCE_SECONDS", 0.0)
        for data, place in product(("sine", "iris"), places):
            app = begin_page("tree", data=data)

            def noted(page, entries, place=place):
                for entry in entries:
                    seen[place][entry.key].append(entry)
                return load(page, entries)

            patch.setattr(address, "load", noted)
            app.query_params.update({"data": data} | ({"model": "forest"} if place == "tree" else {}))
            whole(app.switch_page(f"pages/{place}.py").run())
            patch.setattr(address, "load", load)
    assert all(seen.values())
    return seen


@pytest.fixture(scope="module")
def entries_of(readings_of):
    """The same with one entry a key, for classes where there is a choice."""
    return {place: {key: there[-1] for key, there in readings.items()} for place, readings in readings_of.items()}


LINKS = [
    ("tree", {"learner": "cultivated", "levels": "4"}, {"learner": "cultivated", "levels": 4}),
    ("tree", {"learner": "cultivated", "depth": "5"}, {"learner": "cultivated", "levels": 14, "depth": 3}),
    ("tree", {"learner": "optimal", "height": "2", "depth": "9"}, {"learner": "optimal", "height": 2}),
    ("tree", {"model": "cultivated", "robust": "no"}, {"learner": "cultivated", "hesitates": "feature"}),
    ("tree", {"learner": "cultivated", "options": "no"}, {"learner": "cultivated", "hesitates": "threshold"}),
    ("tree", {"model": "cultivated", "robust": "no", "options": "no"}, {"hesitates": "never"}),
    ("tree", {"model": "cultivated", "robust": "yes"}, {"hesitates": "both"}),
    ("tree", {"depth": "5", "levels": "6"}, {"learner": "cart", "depth": 5}),
    ("tree", {"learner": "forest", "side": "b", "number": "2", "b-random-trees": "4", "b-seed": "3"},
     {"learner": "forest", "side": "b", "number": 2, "b-random-trees": 4, "b-random": 3}),
    ("forests",
     {"a": "bagged", "a-bagged-trees": "3", "a-random-trees": "7", "b-random-trees": "4", "a-seed": "5"},
     {"a": "bagged", "a-bagged-trees": 3, "b-random-trees": 4, "a-random": 5}),
    ("forests", {"a-random-trees": "3", "b-random-trees": "3", "view": "One sample"}, {"view": "One row"}),
    ("stability", {"draws": "4", "t2": "none", "t3": "none", "tab": "Features"}, {"beside": "Columns"}),
    ("forests", {"a-random-trees": "3", "b-random-trees": "3", "view": "Trees", "wall": "b"}, {"wall": "b"}),
    ("approximate",
     {"box": "linear", "ap-depth": "2", "ap-samples": "1000", "ap-alpha": "0.2"},
     {"box": "linear", "ap-depth": 2, "ap-samples": "1000", "ap-alpha": 0.2}),
    ("questionnaire", {"asking": "cart", "depth": "2", "questions": "1"}, {"asking": "cart", "depth": 2}),
    ("questionnaire", {"asking": "optimal", "height": "2", "depth": "7"}, {"asking": "optimal", "height": 2}),
    ("compare", {"folds": "2", "m1-cart-depth": "2", "m2": "baseline", "m3": "none", "m4": "none", "limit": "5"},
     {"m1": "cart", "m1-cart-depth": 2, "m2": "baseline", "limit": 5}),
    ("reliability", {"folds": "2", "r1": "cart", "r1-cart-depth": "2", "r2": "none", "r3": "none"},
     {"m1": "cart", "m1-cart-depth": 2, "m2": "none"}),
    ("stability", {"draws": "3", "t1-cart-depth": "2", "t2": "none", "t3": "none", "beside": "Thresholds"},
     {"t1": "cart", "t1-cart-depth": 2, "t2": "none", "beside": "Thresholds"}),
    ("hesitation", {"k": "100"}, {"k": 100}),
    ("data", {"held": "50", "seed": "7"}, {"held": 50, "seed": 7}),
]  # fmt: skip


def test_an_old_link_opens_the_state_that_it_meant():
    for page, link, meant in LINKS:
        opened = begin_page(page, **link)
        if page != "questionnaire":  # its bar counts questions
            until_grown(opened)
        assert {key: opened.session_state[key] for key in meant} == meant, link
        assert not opened.warning
        former = {"learner", "asking", "levels", "height", "limit", "view", "wall", "beside", "robust", "options"}
        assert not [name for name in address_of(opened) if name in former or name.startswith("ap-")]


GONE = [
    ("tree", {"tab": "Missing values", "removals": "5"}, {"tab": "Why this split"}, "a setting of the tree"),
    ("tree", {"data": "monks-1", "groups": "jacket", "ranges": "2"}, {"tab": "Why this split"}, "Filter rows"),
    ("forests", {"a": "subspace", "a-trees": "3", "b-trees": "3"}, {"a": "bagged", "a-bagged-trees": 3},
     "bagged forest"),
    ("forests", {"a": "bagged", "a-apart": "yes", "a-trees": "3", "b-trees": "3"}, {"a": "bagged"},
     "decorrelated"),
    ("approximate", {"box": "linear", "samples": "1000", "undecided": "order"}, {"box": "linear"},
     "library alone"),
    ("compare", {"m1": "subspace", "m1-trees": "3", "m2": "none", "m3": "none", "m4": "none"}, {"m1": "bagged"},
     "library"),
]  # fmt: skip


def test_a_link_to_what_is_gone_opens_the_nearest_place_with_a_sentence_and_so_does_a_saved_session(monkeypatch):
    monkeypatch.setattr(watch, "PATIENCE_SECONDS", 0.0)  # pages run again by themselves, and the sentence stays
    for page, link, nearest, sentence in GONE:
        opened = open_page(page, **link)
        assert {key: opened.session_state[key] for key in nearest} == nearest, link
        assert [note.value for note in opened.warning if sentence in note.value]
    texts = {"a": "subspace", "a-bagged-apart": "yes", "b": "bagged", "b-bagged-trees": "3"}
    texts |= {"tab": "Missing values", "groups": "jacket", "missing-repeats": "5"}
    page = open_session(SavedSession(table_of(samples.load("monks-1"), "monks-1"), texts))
    page = whole(page.switch_page("pages/forests.py").run())
    assert (page.session_state["a"], page.session_state["b-bagged-trees"]) == ("bagged", 3)
    said = "\n".join(note.value for note in page.warning)
    assert "a=subspace" in said
    assert "a-apart=yes" in said
    page = until_grown(whole(page.switch_page("pages/tree.py").run()))
    assert page.session_state["tab"] == "Why this split"
    said = "\n".join(note.value for note in page.warning)
    assert "tab=Missing values" in said
    assert "groups=jacket" in said


ENTRIES = [
    Entry("kind", "cart", one_of(("cart", "optimal")), name="model"),
    Entry("levels", 3, whole_number(1, 9), name="depth", only=Choice("kind", ("cart",))),
    Entry("height", 4, whole_number(1, 6), name="depth", only=Choice("kind", ("optimal",))),
]
SPLITS = [Entry("hesitates", "both", one_of(("both", "threshold", "feature", "never")))]


def test_a_former_name_is_of_its_own_entry_while_that_is_in_use_and_two_former_switches_are_one_choice():
    for entries, link, today in (
        (ENTRIES, {"levels": "5"}, {"depth": "5"}),
        (ENTRIES, {"levels": "5", "height": "2", "kind": "optimal"}, {"model": "optimal", "depth": "2"}),
        (ENTRIES, {"levels": "5", "kind": "optimal"}, {"model": "optimal"}),
        (ENTRIES, {"depth": "6", "model": "optimal"}, {"model": "optimal", "depth": "6"}),
        (ENTRIES, {"levels": "5", "data": "wine"}, {"depth": "5", "data": "wine"}),
        (ENTRIES, {"robust": "no"}, {"robust": "no"}),  # a page without that choice
        (SPLITS, {"robust": "no"}, {"hesitates": "feature"}),
        (SPLITS, {"robust": "perhaps", "options": "no"}, {"hesitates": "perhaps"}),
        (SPLITS, {"robust": "no", "hesitates": "never"}, {"hesitates": "never"}),
        (SPLITS, {"data": "wine"}, {"data": "wine"}),
    ):
        assert links.current(link, entries) == today


IRIS = samples.load("iris")


def test_no_name_in_an_address_is_of_two_things_at_once_and_the_depth_of_a_tree_is_called_so_on_every_page():
    for entries in (
        [*learners.url_entries(IRIS.target), *learners.FOREST.entries(IRIS.target)],
        forests.url_entries(),
        controls.url_entries(),
        sources.url_entries(IRIS),
        [*folds.plan_entries(), *model_slots.url_entries(models.PLACES, IRIS)],
        model_slots.url_entries(PLACES, IRIS),
    ):
        alone = [entry.parameter for entry in entries if entry.only is None]
        chosen = [(e.parameter, e.only.key, value) for e in entries if e.only for value in e.only.values]
        assert len(set(alone)) == len(alone)
        assert len(set(chosen)) == len(chosen)
        assert not set(alone) & {name for name, _, _ in chosen}
        deep = {entry.parameter for entry in entries if entry.key.endswith(("depth", "levels", "height"))}
        assert {name.split("-")[-1] for name in deep} == {"depth"}


# By page and key, its name in links, and texts of it as they stood in links once.
PARTS = json.loads(Path(__file__).with_name("addresses.json").read_text("utf-8"))
TEXTS = st.one_of(
    st.text(max_size=30),
    st.text("0123456789.-+eE_ ,naif∞٣", max_size=30),
    st.integers().map(str),
    st.floats().map(str),
    st.integers(0, 9).map(lambda n: f"{n:040d}"),
)


@given(st.sampled_from([(place, key) for place, parts in PARTS.items() for key in parts]), TEXTS)
@example(("tree", "held"), "9" * 5_000)
@example(("tree", "held"), "0" * 5_000 + "30")
@example(("approximate", "ap-alpha"), "0.123456789")
def test_any_text_is_a_value_that_is_read_again_or_refused_by_a_valueerror(entries_of, part, text):
    entry = entries_of[part[0]][next(iter(links.rename_places({part[1]: ""})))]
    try:
        value = entry.read(text)
    except ValueError:  # which the page says; any other error fails this test
        return
    assert entry.read(address.text_of(value)) == value


@given(st.integers(0, 10**25), st.integers(0, 30))
@example(5_999, 20)
def test_a_whole_number_is_within_its_limits_however_many_zeros_precede_it(n, zeros):
    text = "0" * zeros + str(n)
    if n <= 100:
        assert links.whole(0, 100)(text) == n
    else:
        with pytest.raises(OutOfRange, match="a whole number from 0 to 100") as beyond:
            links.whole(0, 100)(text)
        assert beyond.value.nearest == 100


LIMITS = re.compile(r"(whole )?number from (\S+) to (\S+)")


def limits_of(entry):
    """Limits of an entry's numbers, as its note names them, and the way beyond; empty where it takes none."""
    try:
        entry.read("no such value")
    except OutOfRange:
        raise AssertionError("a text that is no number is beyond no limit") from None
    except ValueError as refused:
        if named := LIMITS.search(str(refused)):
            number = int if named[1] else float
            return [(number(named[2]), -1), (number(named[3]), 1)]
    return []


def test_a_number_beyond_its_limits_is_refused_with_the_limit_next_to_it_and_what_is_none_without(entries_of):
    for key, entry in (item for entries in entries_of.values() for item in entries.items()):
        for limit, step in limits_of(entry) if key != "tree" else []:  # -2 was another tree once
            for text in (str(limit + step), str(step * 10**20), f"{step * 10**20}0000"):
                with pytest.raises(OutOfRange) as beyond:
                    entry.read(text)
                assert beyond.value.nearest == limit, key
                assert entry.read(address.text_of(beyond.value.nearest)) == limit, key
    for text in ["nan", "inf", "-inf", "1e999", "", "ten"]:
        for read in (links.whole(1, 9), links.word_or(["all"], links.whole(1, 9)), links.decimal(0.5, 9.5)):
            with pytest.raises(ValueError) as refused:  # noqa: PT011
                read(text)
            assert not isinstance(refused.value, OutOfRange)


NONSENSE = ["", " ", "-1", "nan", "inf", "1e309", "9" * 400, "٣", "none", "true", "[1]", "a,b", "1.0.0"]
NONSENSE += ["\u202e", "\0", "<b>", "`", "%00"]


def test_every_part_of_a_link_that_a_page_ever_had_is_read_there_still(readings_of):
    for place, parts in PARTS.items():
        for key, (name, *texts) in parts.items():
            entries = readings_of[place][next(iter(links.rename_places({key: ""})))]
            assert {entry.parameter for entry in entries} == {name}, (place, key)
            for text in texts:
                assert any(_reads(entry, text) for entry in entries), (place, key, text)


def _reads(entry, text):
    """Whether the text is a value, or says what has come in its place."""
    try:
        return entry.read(text) != entry.default
    except links.Gone:
        return True
    except ValueError:
        return False


def test_whatever_two_pages_keep_by_one_key_each_of_them_reads(entries_of):
    """A value is there on every page that has its key: text of one page would be a number's on another."""
    for one in entries_of.values():
        for key in one:
            default = one[key].default
            for entry in (other[key] for other in entries_of.values() if key in other):
                assert entry.default == default or entry.read(address.text_of(default)) is not None


@pytest.mark.parametrize("draw", range(TIMES))
def test_a_link_of_nonsense_opens_the_page_without_a_fault(draw, entries_of):
    for place, entries in entries_of.items():
        page = AppTest.from_file(APP, default_timeout=300)
        chance = random.Random(f"{place} {draw}")
        for key in [*sorted(entries), "draft", "no such key"]:
            page.query_params[key] = chance.choice(NONSENSE)
        whole(page.switch_page(f"pages/{place}.py").run())
        page.query_params["data"] = chance.choice(NONSENSE)
        whole(page.run())
