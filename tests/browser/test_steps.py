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
