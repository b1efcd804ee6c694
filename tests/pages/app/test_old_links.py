"""Links of earlier versions open the state that they meant, on every page."""

import pytest
from streamlit.testing.v1 import AppTest

from espalier.data import samples
from pages.shared.app.address import Choice, Entry
from pages.shared.app.links import aliases
from pages.shared.app.links.readers import one_of
from pages.shared.app.links.readers import whole as whole_number
from pages.shared.approximation import controls
from pages.shared.comparison import folds
from pages.shared.data.saved.session_file import SavedSession, table_of
from pages.shared.models import forests, learners
from pages.shared.questionnaire import sources
from pages.shared.reliability import models
from pages.shared.stability import slots
from tests.pages.data.saved.test_session_page import opened as opened_session
from tests.tools.on_page import APP, address_of, engine, until_grown, whole

__all__ = ["engine"]

LINKS = [
    ("tree", {"learner": "cultivated", "levels": "4"}, {"learner": "cultivated", "levels": 4}),
    ("tree", {"learner": "cultivated", "depth": "5"}, {"learner": "cultivated", "levels": 14, "depth": 3}),
    ("tree", {"learner": "optimal", "height": "2", "depth": "9"}, {"learner": "optimal", "height": 2}),
    ("tree", {"model": "cultivated", "robust": "no"}, {"learner": "cultivated", "hesitates": "feature"}),
    ("tree", {"learner": "cultivated", "options": "no"}, {"learner": "cultivated", "hesitates": "threshold"}),
    ("tree", {"model": "cultivated", "robust": "no", "options": "no"}, {"hesitates": "never"}),
    ("tree", {"model": "cultivated", "robust": "yes"}, {"hesitates": "both"}),
    ("tree", {"depth": "5", "levels": "6"}, {"learner": "cart", "depth": 5}),
    (
        "tree",
        {"learner": "forest", "side": "b", "number": "2", "b-random-trees": "4", "b-seed": "3"},
        {"learner": "forest", "side": "b", "number": 2, "b-random-trees": 4, "b-random": 3},
    ),
    (
        "forests",
        {"a": "bagged", "a-bagged-trees": "3", "a-random-trees": "7", "b-random-trees": "4", "a-seed": "5"},
        {"a": "bagged", "a-bagged-trees": 3, "b-random-trees": 4, "a-random": 5},
    ),
    ("forests", {"a-random-trees": "3", "b-random-trees": "3", "view": "One sample"}, {"view": "One row"}),
    ("stability", {"draws": "4", "t2": "none", "t3": "none", "tab": "Features"}, {"beside": "Columns"}),
    ("forests", {"a-random-trees": "3", "b-random-trees": "3", "view": "Trees", "wall": "b"}, {"wall": "b"}),
    (
        "approximate",
        {"box": "linear", "ap-depth": "2", "ap-samples": "1000", "ap-alpha": "0.2", "ap-limit": "order"},
        {"box": "linear", "ap-depth": 2, "ap-samples": "1000", "ap-alpha": 0.2, "ap-limit": "order"},
    ),
    ("questionnaire", {"asking": "cart", "depth": "2", "questions": "1"}, {"asking": "cart", "depth": 2}),
    ("questionnaire", {"asking": "optimal", "height": "2", "depth": "7"}, {"asking": "optimal", "height": 2}),
    (
        "compare",
        {"folds": "2", "m1-cart-depth": "2", "m2": "baseline", "m3": "none", "m4": "none", "limit": "5"},
        {"m1": "cart", "m1-cart-depth": 2, "m2": "baseline", "limit": 5},
    ),
    (
        "reliability",
        {"folds": "2", "r1": "cart", "r1-cart-depth": "2", "r2": "none", "r3": "none"},
        {"r1": "cart", "r1-cart-depth": 2, "r2": "none"},
    ),
    (
        "stability",
        {"draws": "3", "t1-cart-depth": "2", "t2": "none", "t3": "none", "beside": "Thresholds"},
        {"t1": "cart", "t1-cart-depth": 2, "t2": "none", "beside": "Thresholds"},
    ),
    ("hesitation", {"k": "100"}, {"k": 100}),
    ("data", {"held": "50", "seed": "7"}, {"held": 50, "seed": 7}),
]


@pytest.mark.parametrize(
    ("page", "link", "meant"), LINKS, ids=[f"{page} {'&'.join(link)}" for page, link, _ in LINKS]
)
def test_an_old_link_opens_the_state_that_it_meant(page, link, meant):
    opened = AppTest.from_file(APP, default_timeout=300)
    for name, text in link.items():
        opened.query_params[name] = text
    whole(opened.switch_page(f"pages/{page}.py").run())
    if page != "questionnaire":  # its bar counts questions
        until_grown(opened)
    assert {key: opened.session_state[key] for key in meant} == meant
    assert not opened.warning
    former = {"learner", "asking", "levels", "height", "limit", "view", "wall", "beside", "robust", "options"}
    assert not [name for name in address_of(opened) if name in former or name.startswith("ap-")]


GONE = [
    ("tree", {"tab": "Missing values", "removals": "5"}, {"tab": "Why this split"}, "a setting of the tree"),
    ("tree", {"data": "monks-1", "groups": "jacket", "ranges": "2"}, {"tab": "Why this split"}, "Filter rows"),
    (
        "forests",
        {"a": "subspace", "a-trees": "3", "b-trees": "3"},
        {"a": "bagged", "a-bagged-trees": 3},
        "bagged forest",
    ),
    (
        "forests",
        {"a": "bagged", "a-apart": "yes", "a-trees": "3", "b-trees": "3"},
        {"a": "bagged"},
        "decorrelated",
    ),
    (
        "compare",
        {"m1": "subspace", "m1-trees": "3", "m2": "none", "m3": "none", "m4": "none"},
        {"m1": "bagged"},
        "library",
    ),
]


@pytest.mark.parametrize(("page", "link", "nearest", "sentence"), GONE, ids=[str(link) for _, link, _, _ in GONE])
def test_a_link_to_what_is_gone_opens_the_nearest_place_with_a_sentence(page, link, nearest, sentence):
    opened = AppTest.from_file(APP, default_timeout=300)
    for name, text in link.items():
        opened.query_params[name] = text
    until_grown(whole(opened.switch_page(f"pages/{page}.py").run()))
    assert {key: opened.session_state[key] for key in nearest} == nearest
    assert [note.value for note in opened.warning if sentence in note.value]


def test_a_saved_session_with_what_is_gone_opens_with_the_same_sentences():
    texts = {
        "a": "subspace",
        "a-bagged-apart": "yes",
        "b": "bagged",
        "b-bagged-trees": "3",
        "tab": "Missing values",
    }
    texts |= {"tab": "Missing values", "groups": "jacket", "missing-repeats": "5"}
    page = opened_session(SavedSession(table_of(samples.load("monks-1"), "monks-1"), texts))
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


@pytest.mark.parametrize(
    ("link", "today"),
    [
        ({"levels": "5"}, {"depth": "5"}),
        ({"levels": "5", "height": "2", "kind": "optimal"}, {"model": "optimal", "depth": "2"}),
        ({"levels": "5", "kind": "optimal"}, {"model": "optimal"}),
        ({"depth": "6", "model": "optimal"}, {"model": "optimal", "depth": "6"}),
        ({"levels": "5", "data": "wine"}, {"depth": "5", "data": "wine"}),
    ],
)
def test_a_former_name_is_of_its_own_entry_and_only_while_that_is_in_use(link, today):
    assert aliases.current(link, ENTRIES) == today


SPLITS = [Entry("hesitates", "both", one_of(("both", "threshold", "feature", "never")))]


@pytest.mark.parametrize(
    ("link", "today"),
    [
        ({"robust": "no"}, {"hesitates": "feature"}),
        ({"robust": "perhaps", "options": "no"}, {"hesitates": "perhaps"}),
        ({"robust": "no", "hesitates": "never"}, {"hesitates": "never"}),
        ({"data": "wine"}, {"data": "wine"}),
    ],
)
def test_two_former_switches_are_one_choice(link, today):
    assert aliases.current(link, SPLITS) == today


def test_on_a_page_without_that_choice_the_names_of_the_switches_mean_nothing():
    assert aliases.current({"robust": "no"}, ENTRIES) == {"robust": "no"}


IRIS = samples.load("iris")
PAGES = {
    "tree": [*learners.url_entries(IRIS.target), *learners.FOREST.entries(IRIS.target)],
    "forests": forests.url_entries(),
    "approximate": controls.url_entries(),
    "questionnaire": sources.url_entries(IRIS),
    "compare": folds.url_entries(IRIS),
    "reliability": models.url_entries(IRIS),
    "stability": slots.url_entries(IRIS),
}


@pytest.mark.parametrize("entries", PAGES.values(), ids=PAGES)
def test_no_name_in_an_address_is_of_two_things_at_once(entries):
    alone = [entry.parameter for entry in entries if entry.only is None]
    chosen = [(e.parameter, e.only.key, value) for e in entries if e.only for value in e.only.values]
    assert len(set(alone)) == len(alone)
    assert len(set(chosen)) == len(chosen)
    assert not set(alone) & {name for name, _, _ in chosen}


@pytest.mark.parametrize("entries", PAGES.values(), ids=PAGES)
def test_the_depth_of_a_tree_is_called_so_on_every_page(entries):
    deep = {entry.parameter for entry in entries if entry.key.endswith(("depth", "levels", "height"))}
    assert deep
    assert {name.split("-")[-1] for name in deep} == {"depth"}
