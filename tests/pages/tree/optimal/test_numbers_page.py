"""Links and saved sessions of versions that offered more for optimal trees of numbers; without a browser."""

import pytest
from streamlit.testing.v1 import AppTest

from espalier.data import samples
from espalier.learners import catalogue
from espalier.learners.catalogue.settings import NUMBERS
from pages.shared.data.saved.session_file import SavedSession, table_of
from tests.pages.data.saved.test_session_page import opened as opened_session
from tests.pages.tree.test_optimal_page import open_and_hear, open_optimal, tree_id
from tests.tools.on_page import APP, address_of, engine, whole

__all__ = ["engine"]

BMI = "body mass index:falling"
FORMER = [
    ("lines", "line", "a model tree has a formula in each leaf"),
    ("purity", "absolute", "CART can reduce the absolute error"),
    ("monotone", BMI, "CART, forests and gradient boosting can keep them"),
]
LINK = {"data": "diabetes", "depth": "1", "cuts": "5"}


def test_all_settings_of_earlier_versions_are_known():
    every = catalogue.find_kind("optimal").former
    assert {one.key for one in every} == {name for name, _, _ in FORMER}
    assert {one.serves for one in every} == {NUMBERS}


@pytest.mark.parametrize(("name", "text", "instead"), FORMER)
def test_an_old_link_opens_the_tree_without_it_and_says_what_there_is_instead(name, text, instead):
    page, said = open_and_hear(LINK | {name: text})
    assert not page.exception
    assert [one for one in said if f"{name}={text}: " in one and instead in one]
    assert tree_id(page) == tree_id(open_optimal(**LINK))
    assert name not in address_of(page)


@pytest.mark.parametrize("name", ["compare", "reliability", "stability", "new_rows"])
@pytest.mark.usefixtures("idle")
def test_so_does_an_old_link_to_a_page_of_several_models(name):
    link = {"m1": "optimal", "m1-depth": "1", "m1-purity": "absolute", "m1-monotone": BMI, "m2": "none"}
    page = AppTest.from_file(APP, default_timeout=300)
    for key, value in ({"data": "diabetes"} | link).items():
        page.query_params[key] = value
    page = whole(page.switch_page(f"pages/{name}.py").run())
    assert not page.exception
    [said] = [one.value for one in page.warning if "m1-purity" in one.value]
    assert all(instead in said for _, _, instead in FORMER[1:])
    assert not {"m1-purity", "m1-monotone"} & address_of(page).keys()


def test_what_never_had_an_effect_is_not_spoken_of():
    assert not open_and_hear(LINK | {"lines": "mean", "purity": "squared"})[1]
    assert not open_and_hear({"data": "two-gaussians", "depth": "1", "monotone": "x1:falling"})[1]


@pytest.mark.parametrize(("name", "text", "instead"), FORMER)
def test_a_saved_session_opens_without_it_and_says_so_too(name, text, instead):
    texts = {
        "learner": "optimal",
        "height": "1",
        "cuts": "5",
        "lines": "mean",
        "purity": "squared",
        "monotone": "",
    }
    page = opened_session(SavedSession(table_of(samples.load("diabetes"), "diabetes"), {**texts, name: text}))
    page = whole(page.switch_page("pages/tree.py").run())
    [said] = [one.value for one in page.warning]
    assert [words in said for _, _, words in FORMER] == [words == instead for _, _, words in FORMER]
    assert address_of(page) == {"model": "optimal", **LINK}
