"""The stage of a lecture, the first visit, and the app in a frame, in a browser."""

import pytest

from espalier.data import samples
from pages.shared.words.everywhere import DISMISS, WELCOME
from tests.tools.in_browser import eventually, insist, shows, wait_for_tree

pytestmark = pytest.mark.browser
PRESENTED = {"width": 1920, "height": 1080}


def letters(page):
    """Sizes of all words on the cards of the tree, in pixels of the screen."""
    return page.locator("g.node text").evaluate_all(
        "all => all.map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"
    )


def test_on_the_stage_letters_are_large_and_nothing_stands_around_the_figures(app, open_page):
    page = open_page(f"{app}/?data=breast-cancer&depth=4")
    page.set_viewport_size(PRESENTED)
    wait_for_tree(page)
    rail = page.get_by_test_id("stSidebar")
    insist(page, lambda: rail.is_visible() and page.keyboard.press("p"), lambda: not rail.is_visible())
    eventually(page, lambda: min(letters(page)) >= 13)
    assert page.get_by_test_id("stTopNav").is_hidden()
    here = page.url
    page.keyboard.press("PageDown")
    eventually(page, shows(page, f"Forests: {samples.card('breast-cancer').title}"))
    assert page.url != here
    page.keyboard.press("Escape")
    eventually(page, rail.is_visible)


def test_a_tree_of_depth_3_is_whole_on_a_phone_and_at_150_per_cent(app, open_page):
    for size in ({"width": 390, "height": 844}, {"width": 1280, "height": 720}):
        page = open_page(f"{app}/?data=iris")
        page.set_viewport_size(size)
        wait_for_tree(page)
        eventually(page, lambda page=page: page.locator("g.node").count() == 7)
        eventually(page, lambda page=page: min(letters(page)) >= 11)


def test_the_sentence_of_a_first_visit_goes_for_good(app, open_page):
    page = open_page(app)
    wait_for_tree(page)
    eventually(page, shows(page, WELCOME))
    page.get_by_role("button", name=DISMISS).click()
    eventually(page, lambda: not page.get_by_text(WELCOME).count())
    page.reload()
    wait_for_tree(page)
    assert not page.get_by_text(WELCOME).count()


def test_a_frame_shows_the_figure_that_it_asks_for_alone(app, open_page):
    page = open_page(f"{app}/?data=iris&embed=true&figure=tree")
    eventually(page, lambda: page.locator("g.node").count() == 7)
    assert not page.get_by_text(WELCOME).count()
    for part in ("stSidebar", "stTopNav"):
        assert not page.get_by_test_id(part).is_visible()
    assert not page.locator(".espalier-surface").count()
