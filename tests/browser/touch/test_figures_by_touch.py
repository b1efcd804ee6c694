"""Figures that a finger drags on a phone: it takes a row, a handle or a point along, and not the page."""

import pytest

from tests.browser.touch.fingers import on_phone, swipe
from tests.tools.in_browser import asks, eventually, settle

pytestmark = pytest.mark.browser
ALONG = [(0.5 + share, 0.5 - share) for share in (0, 0.5, 1, 1.5, 2, 2.5)]  # in sizes of what is dragged


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "part", "said"),
    [
        ("basics?view=bagging&rows=far&fit=line", ".espalier-points .hand >> nth=0", "moved=0-2"),
        ("basics", ".espalier-impurity circle[role] >> nth=0", "left="),
    ],
)
def test_a_finger_drags_a_row_and_a_handle(app, open_page, place, part, said):
    page = on_phone(open_page, f"{app}/{place}")
    eventually(page, page.locator(part).is_visible)
    settle(page)
    swipe(page, page.locator(part), ALONG)
    eventually(page, asks(page, said))


@pytest.mark.slow
def test_a_finger_drags_the_points_of_a_sketch(app, open_page):
    page = on_phone(open_page, f"{app}/?lesson=purity&step=2")
    points = page.locator(".espalier-sketch circle")
    eventually(page, lambda: points.count() == 7)
    settle(page)
    assert page.locator(".st-key-lesson").bounding_box()["height"] <= 0.42 * 844 + 1
    eventually(page, lambda: points.nth(1).bounding_box()["y"] < 844)  # the figure is on the screen, too
    before = points.nth(1).get_attribute("aria-valuenow")
    swipe(page, points.nth(1), [(0.5, 0.5 - share) for share in (0, 0.5, 1, 1.5, 2)])
    eventually(page, lambda: float(points.nth(1).get_attribute("aria-valuenow")) > float(before) + 0.05)
