"""Trees of redrawn data in a real browser: bars arrive, and the one that is clicked shows its tree."""

import pytest

from tests.tools.in_browser import asks, eventually, insist, shows

pytestmark = pytest.mark.browser


def test_a_bar_is_pointed_at_clicked_linked_to_and_reached_with_the_keyboard(app, open_page):
    page = open_page(f"{app}/stability?draws=20&m2=none&m3=none&same=exact")
    bars = page.locator(".espalier-bars g.bar-of")
    eventually(page, lambda: bars.count() > 4)
    insist(page, lambda: bars.nth(1).hover(force=True), lambda: page.locator(".tip").first.is_visible())
    assert "have this structure at the root." in page.locator(".tip").first.inner_text()
    insist(page, lambda: bars.nth(1).click(force=True), asks(page, "bar=1.0.1."))
    eventually(page, shows(page, "Close"))
    tree = page.locator(".st-key-structure-1 img").bounding_box()
    assert tree["y"] + tree["height"] < page.viewport_size["height"]  # the answer is on the same screen
    page.reload()
    eventually(page, shows(page, "Close"))
    eventually(page, lambda: page.locator(".bar-of.selected").count() == 1)
    chart = page.locator(".espalier-bars svg")

    def choose_the_last():
        chart.focus()
        page.keyboard.press("End")
        page.keyboard.press("Enter")

    insist(page, choose_the_last, asks(page, "bar=1.0.3."))
    eventually(page, shows(page, "Close"))
