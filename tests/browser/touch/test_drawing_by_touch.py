"""Points of one's own by fingers on a phone: placed, brushed, moved and deleted, and grown into a tree."""

import pytest

from tests.browser.touch.fingers import on_phone, swipe
from tests.tools.in_browser import asks, eventually, insist, settle, wait_for_tree

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_fingers_draw_points_move_and_delete_them_and_grow_their_tree(app, open_page):
    page = on_phone(open_page, f"{app}/data?tab=Draw+points")
    board, points = page.locator(".espalier-paint svg"), page.locator(".espalier-paint svg path:not(.cursor)")
    eventually(page, board.is_visible)
    settle(page)

    def use(tool):
        button = page.get_by_role("button", name=tool, exact=True)
        insist(page, button.tap, lambda: button.get_attribute("aria-pressed") == "true")

    def draws(tool, places, many):
        use(tool)
        before = points.count()
        swipe(page, board, places)
        eventually(page, lambda: many(before, points.count()))

    def placed():
        return [points.nth(i).get_attribute("d") for i in range(points.count())]

    draws("Add", [(0.3, 0.3)], lambda before, after: after == before + 1)
    first = placed()
    draws("Move", [(0.32, 0.3), (0.5, 0.5), (0.7, 0.7)], lambda before, after: after == before)
    assert placed() != first
    draws("Delete", [(0.7, 0.68)], lambda before, after: after == before - 1)
    draws("Brush", [(0.2, 0.2), (0.25, 0.25), (0.3, 0.3)], lambda before, after: after >= before + 8)
    page.locator(".espalier-paint .choices").last.get_by_role("button").nth(1).tap()
    draws("Brush", [(0.8, 0.8), (0.75, 0.75), (0.7, 0.7)], lambda before, after: after >= before + 8)
    insist(page, page.get_by_role("button", name="Grow").first.tap, asks(page, "data="))
    wait_for_tree(page)
