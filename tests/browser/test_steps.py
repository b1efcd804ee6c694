"""Back and Forward of a browser: one step for each choice, and never a state that nobody chose."""

import pytest

from tests.tools.in_browser import eventually, wait_for_tree

pytestmark = pytest.mark.browser


def test_back_and_forward_walk_over_pages_and_settings_as_they_were_chosen(app, open_page):
    page = open_page(f"{app}/?data=moons&depth=3")
    wait_for_tree(page)
    depth = page.locator(".espalier-numbers > div").last

    def shows(number, address):
        eventually(page, lambda: depth.inner_text().endswith(f"\n{number}") and page.url.endswith(address))

    slider = page.get_by_role("slider", name="Depth, at most")
    slider.press("ArrowRight")
    shows(4, "depth=4")
    page.get_by_role("link", name="Hesitation").click()
    eventually(page, lambda: "/hesitation" in page.url and page.get_by_text("First split of CART").count())
    page.get_by_role("link", name="Tree", exact=True).click()
    shows(4, "depth=4")
    chosen = page.evaluate("history.length")
    page.go_back()
    eventually(page, lambda: "/hesitation" in page.url)
    page.go_back()
    shows(4, "depth=4")
    page.go_back()
    eventually(page, lambda: depth.inner_text().endswith("\n3") and "depth=4" not in page.url)
    page.go_forward()
    shows(4, "depth=4")
    page.go_forward()
    eventually(page, lambda: "/hesitation" in page.url)
    page.go_forward()
    shows(4, "depth=4")
    assert page.evaluate("history.length") == chosen


def test_steps_that_follow_fast_on_each_other_end_where_they_lead(app, open_page):
    page = open_page(f"{app}/?data=moons")
    wait_for_tree(page)
    depth = page.locator(".espalier-numbers > div").last

    def is_at(number, address):
        return lambda: depth.inner_text().endswith(f"\n{number}") and page.url.endswith(address)

    for number in (4, 5):
        page.get_by_role("slider", name="Depth, at most").press("ArrowRight")
        eventually(page, is_at(number, f"depth={number}"))
    page.get_by_role("link", name="Hesitation").click()
    eventually(page, lambda: "/hesitation" in page.url and page.get_by_text("First split of CART").count())
    page.get_by_role("link", name="Tree", exact=True).click()
    eventually(page, is_at(5, "depth=5"))
    for pause in (0, 50, 0, 200):  # milliseconds after each step
        for step, number, address in ((page.go_back, 3, "data=moons"), (page.go_forward, 5, "depth=5")):
            for _ in range(4):
                step()
                page.wait_for_timeout(pause)
            eventually(page, is_at(number, address))
    assert not page.get_by_text("Connection error").count()
