"""Each kind of the catalogue is on the pages that it serves, and so is each way of missing values."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from espalier.data import samples
from espalier.learners import catalogue
from espalier.learners.catalogue import KINDS
from espalier.learners.catalogue.settings import COLUMN_DIRECTIONS, COLUMN_NAMES, COLUMN_SPLITS, needs
from espalier.trees import read_only
from pages.shared.app import address
from pages.shared.approximation import controls
from pages.shared.comparison import folds
from pages.shared.data import library
from pages.shared.models import forests, learners, slots
from pages.shared.models.settings import LEARNER, TreeSettings, reader
from pages.shared.stability import controls as stability
from tests.tools.on_page import address_of, control, metric, open_page, open_tree, whole
from tests.tools.uneven import removed

IRIS = samples.load("iris")
FOREST_SLOTS = [forests.slot(side) for side in forests.SIDES]
BASIC_SLOTS = [*folds.COMPARED.slots, *stability.PLACES.slots]
OF_COLUMNS = {COLUMN_DIRECTIONS: ["age:rising,a%2Cb:falling"], COLUMN_NAMES: ["age,a%2Cb"]}
OF_COLUMNS |= {COLUMN_SPLITS: [":age:40,L:a%2Cb:=x|y"]}
ENTRIES = [
    *slots.url_entries(folds.COMPARED, IRIS), *slots.url_entries(stability.PLACES, IRIS), *forests.url_entries(),
]  # fmt: skip


def slots_of(kind):
    """The places of all pages where the kind has to be."""
    found = [*folds.COMPARED.slots]
    found += stability.PLACES.slots if kind.is_tree else []
    return found + (FOREST_SLOTS if kind.is_forest else [])


def texts(setting):
    """Values as an address says them: all words, and the ends of the numbers."""
    ends = [f"{number:g}" if setting.is_decimal else str(int(number)) for number in (setting.low, setting.high)]
    words = [name for name, _ in setting.options] or (["yes", "no"] if isinstance(setting.default, bool) else [])
    words += OF_COLUMNS.get(setting.of_columns, [])
    return [*words, *(ends if setting.is_number else []), *(["none"] if setting.no_number else [])]


def test_a_kind_is_offered_where_its_capabilities_say_and_a_page_of_trees_names_those_that_it_does_not():
    for kind in KINDS:
        there = {slot.name for slot in [*BASIC_SLOTS, *FOREST_SLOTS] if kind in slot.kinds}
        assert there == {slot.name for slot in slots_of(kind)}, kind.name
    single = [kind for kind in KINDS if not kind.is_forest and kind.name != "baseline"]
    named = {kind.name for kind in single if kind.title.lower() in slots.not_offered()}
    assert named
    assert named == {kind.name for kind in single if kind not in stability.PLACES.kinds}
    assert {*learners.GROWN, "approximation"} == {kind.name for kind in single}


def test_every_setting_of_a_kind_stands_in_the_address_of_each_place_with_the_default_and_all_its_values():
    for kind in KINDS:
        by_key = {entry.key: entry for entry in ENTRIES}
        for slot in slots_of(kind):
            for setting in slot.settings(kind):
                entry = by_key[slot.key(kind, setting)]
                assert entry.default == slot.defaults.get(entry.key, setting.default)
                assert entry.parameter.endswith(f"-{setting.key}")
                needed = {one.key: one.value for one in needs(setting, kind.settings)}
                beside = {slot.key(kind, one): needed[one.key] for one in kind.settings if one.key in needed}
                assert entry.is_in_use({slot.name: kind.name} | beside)
                assert bool(beside) != entry.is_in_use({slot.name: kind.name})
    for kind in KINDS:
        for setting in kind.settings:
            read = reader(setting, IRIS.target)
            values = {text: read(text) for text in texts(setting)}
            assert values
            assert {address.text_of(value) for value in values.values()} == set(values)
            with pytest.raises(ValueError, match=r"one of|a whole number|a number|names of columns|splits, each"):
                read("," if setting.of_columns == COLUMN_NAMES else "no such value")  # any text may be a name


@pytest.mark.parametrize("name", learners.GROWN)
def test_the_tree_page_grows_with_every_learner_to_the_depth_that_is_set_and_its_address_has_each_setting(name):
    learner, kind = learners.GROWN[name], catalogue.find_kind(name)
    entries = {entry.key: entry for entry in learner.entries(IRIS.target)}
    for key, setting in learner.own.of(IRIS.target).items():
        beside = {learner.own.key_of(need.key): need.value for need in needs(setting, kind.settings)}
        assert entries[key].is_in_use({LEARNER: name} | beside), key
        assert entries[key].parameter == setting.key
        assert setting.key in {*(learner.order or [setting.key]), "depth", "costly", "times"}
    link = {"data": "iris"} if name == learners.DEFAULT else {"data": "iris", "model": name}
    page = open_tree(**link)
    page = whole(control(page, "slider", learner.own.key_of("depth")).set_value(2).run())
    assert address_of(page) == link | {"depth": "2"}
    assert 1 <= int(metric(page, "leaves")) <= 4


def page():
    import streamlit as st

    from espalier.data import samples
    from espalier.learners import catalogue
    from pages.shared.models import settings

    for kind in catalogue.KINDS:
        for setting in kind.for_target(is_classification=True):
            st.session_state.setdefault(f"{kind.name} {setting.key}", setting.default)
            settings.draw(f"{kind.name} {setting.key}", setting, samples.load("iris").target)


def test_every_setting_has_a_widget_with_its_label_its_meaning_and_its_default():
    app = AppTest.from_function(page).run()
    assert not app.exception
    drawn = {widget.key: widget for widget in [*app.selectbox, *app.toggle, *app.number_input]}
    drawn |= {str(widget.key).removesuffix(" columns"): widget for widget in app.multiselect}
    expected = {f"{kind.name} {one.key}": one for kind in KINDS for one in kind.for_target(True)}
    assert set(drawn) == set(expected)
    for key, setting in expected.items():
        default = [] if setting.of_columns else setting.default
        widget = drawn[key]
        assert (widget.label, widget.help, widget.value) == (setting.label, setting.words, default), key


def test_a_learner_that_knows_no_costs_has_no_controls_of_them():
    approximation = TreeSettings("approximation")
    assert "costly" not in approximation.of(IRIS.target)
    approximation.pick_costs(IRIS.target)


def test_the_greatest_depth_is_the_same_on_every_page():
    for own in [*learners.SETTINGS.values(), controls.SETTINGS]:
        everywhere = next(one for one in catalogue.find_kind(own.name).settings if one.key == "depth")
        here = own.of(IRIS.target)[own.key_of("depth")]
        assert (here.low, here.high, here.no_number) == (everywhere.low, everywhere.high, everywhere.no_number)


def with_gaps():
    iris = samples.load("iris")
    X = read_only(np.asfortranarray(removed(iris.X, 0.2, 4)))
    data = iris._replace(X=X, name="iris with gaps", digest="of iris with gaps")
    library.store().put(data)
    return data.digest


def open_gaps(name, **address):
    return open_page(name, **({"data": with_gaps()} | address))


def drawn(page):
    return {one.key for one in [*page.selectbox, *page.number_input]}


def test_the_tree_page_and_its_address_have_a_setting_only_where_the_way_asks_for_it():
    links: list[dict[str, str]] = [{}, {"missing": "impute"}, {"missing": "surrogate"}]
    plain, impute, surrogate = (open_tree(data="iris", **link) for link in links)
    dependent = {"impute-with", "surrogates"}
    assert drawn(whole(plain)) & dependent == set()
    assert drawn(whole(impute)) & dependent == {"impute-with"}
    assert drawn(whole(surrogate)) & dependent == {"surrogates"}
    link = {"data": "iris", "missing": "surrogate", "surrogates": "2"}
    page = open_tree(**link)
    assert address_of(page) == link
    page.selectbox(key="missing").set_value("side")
    assert address_of(whole(page.run())) == {"data": "iris"}


def test_pages_of_several_models_offer_every_way():
    for name, link in (
        ("compare", {"folds": "3", "m1": "cart", "m2": "none", "m3": "none", "m4": "none"}),
        ("stability", {"draws": "6", "m1": "cart", "m2": "none", "m3": "none", "down": "2"}),
        ("reliability", {"folds": "3", "m1": "cart", "m2": "none", "m3": "none"}),
    ):
        for chosen in ({"m1-missing": "surrogate", "m1-surrogates": "1"}, {"m1-missing": "impute"}):
            page = open_gaps(name, **link, **chosen)
            assert chosen.items() <= address_of(page).items()
            assert not page.error


def test_trees_of_forests_have_three_ways():
    for kind in ["bagged", "boosted"]:
        few = {"a": kind, "a-trees": "5", "b": kind, "b-trees": "5"}
        page = open_gaps("forests", **few, **{"a-missing": "impute", "a-impute-with": "median"})
        way = page.selectbox(key=f"a-{kind}-missing")
        assert len(way.options) == 3
        assert f"a-{kind}-impute-with" in drawn(page)
        assert f"b-{kind}-impute-with" not in drawn(page)
        assert not page.error


def test_the_story_of_a_row_with_gaps_asks_a_tree_with_surrogate_splits():
    """Its leaves are no boxes for such a row: other columns decide."""
    gaps = np.isnan(removed(samples.load("iris").X, 0.2, 4)).any(axis=1)
    row = str(int(np.flatnonzero(gaps)[0]) + 1)
    address = {"folds": "3", "m1": "cart", "m2": "none", "m3": "none", "m1-missing": "surrogate"}
    page = open_gaps("reliability", **address, row=row)
    assert any("Because" in one.value for one in page.markdown)
