"""The Tree page by fingers on a phone."""

import pytest

from tests.browser.touch.fingers import on_phone, swipe
from tests.tools.in_browser import asks, eventually, insist, settle, wait_for_tree

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_a_finger_moves_a_cut_and_takes_it(app, open_page):
    page = on_phone(open_page, f"{app}/?data=iris&depth=2&node=2")
    curve, take = page.locator(".espalier-curve svg").first, page.get_by_role("button", name="Split at this cut")
    eventually(page, curve.is_visible)
    settle(page)
    insist(page, lambda: swipe(page, curve, [(0.5, 0.4), (0.55, 0.4), (0.6, 0.4)]), take.is_enabled)
    insist(page, take.tap, asks(page, "edits=Rc4_"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "edit"), [("Without", "edits=Rn4"), ("Second best", "edits=Rf3"), ("Make a leaf", "edits=Rx")]
)
def test_a_finger_changes_a_node(app, open_page, name, edit):
    page = on_phone(open_page, f"{app}/?data=iris&depth=2&node=2")
    insist(page, page.get_by_role("button", name=name).tap, asks(page, edit))


@pytest.mark.slow
def test_a_finger_drags_the_depth(app, open_page):
    page = on_phone(open_page, f"{app}/?data=iris")
    wait_for_tree(page)
    slider = page.get_by_role("slider", name="Depth, at most")
    insist(page, lambda: swipe(page, slider, [(0.2, 0.4), (0.4, 0.4), (0.6, 0.4)]), asks(page, "depth="))
