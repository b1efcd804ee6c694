"""Two forests in a real browser: a tree of the wall is opened, a sample is clicked and its votes are counted."""

import re

import pytest

from tests.tools.in_browser import asks, eventually, insist, shows, wait_for_tree

pytestmark = pytest.mark.browser
OPEN = re.compile(r"Open tree \d")


@pytest.mark.slow
def test_a_tree_of_the_wall_is_opened_and_the_way_back_leads_to_the_wall(app, open_page):
    page = open_page(f"{app}/forests?data=moons&a-trees=8&tab=Trees")
    link = page.get_by_role("link", name=OPEN)
    eventually(page, link.is_visible)
    number = link.inner_text().split()[-1]
    insist(page, link.click, asks(page, f"number={number}"))
    wait_for_tree(page)
    page.get_by_role("button", name="More settings").click()
    back = page.get_by_role("link", name="Back to the forests")
    eventually(page, back.is_visible)
    insist(page, back.click, lambda: "/forests" in page.url)
    eventually(page, shows(page, f"Open tree {number}"))
    assert "a-trees=8" in page.url


@pytest.mark.slow
def test_a_sample_clicked_on_a_surface_has_its_votes_counted_tree_by_tree(app, open_page):
    page = open_page(f"{app}/forests?data=two-gaussians&a-trees=8&b-trees=8&tab=One%20row")
    planes = page.locator(".espalier-surface canvas.top")
    eventually(page, lambda: planes.count() == 2)

    def click_between_the_clouds():  # there is a sample near enough
        box = planes.nth(0).bounding_box()
        planes.nth(0).click(position={"x": box["width"] * 0.5, "y": box["height"] * 0.5})

    insist(page, click_between_the_clouds, asks(page, "row="))
    eventually(page, lambda: page.get_by_alt_text("Tree by tree: of 8 trees").count() == 2)
    page.reload()
    eventually(page, lambda: page.get_by_alt_text("Tree by tree: of 8 trees").count() == 2)


@pytest.mark.slow
def test_tabs_are_reached_with_the_keyboard(app, open_page):
    page = open_page(f"{app}/forests?a-trees=5&b-trees=5")
    tab = page.get_by_role("tab", name="Trees")
    eventually(page, tab.is_visible)

    def move_on():
        tab.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")

    insist(page, move_on, asks(page, "tab=Error"))
    eventually(page, shows(page, "What limits the error"))


@pytest.mark.slow
def test_what_is_chosen_on_one_tab_is_still_chosen_after_a_look_at_others(app, open_page):
    chosen = "row=70&x=sepal%20length&side=b"
    page = open_page(f"{app}/forests?a-trees=5&b-trees=5&tab=Trees&{chosen}")
    eventually(page, page.get_by_role("link", name=OPEN).is_visible)
    for tab in ("Error", "One row", "Agreement", "Importance", "Film", "Error", "Trees"):
        by_default = tab == "Trees"  # which the address leaves out
        is_there = (lambda: "tab=" not in page.url) if by_default else asks(page, f"tab={tab.replace(' ', '+')}")
        insist(page, page.get_by_role("tab", name=tab).click, is_there)
        page.wait_for_timeout(300)  # a failing tab would apologise only once it has run
        eventually(page, lambda: page.locator('[data-test-script-state="notRunning"]').count() > 0)
        assert not page.get_by_text("Something went wrong").count()
    eventually(page, page.get_by_role("link", name=OPEN).is_visible)
    for part in ("row=70", "x=sepal+length", "side=b"):
        assert asks(page, part)(), page.url
