"""A phone and fingers on it: the Tree page, figures that a finger drags, and points that it draws."""

import pytest

from tests.tools.in_browser import asks, eventually, insist, settle, wait_for_tree

pytestmark = pytest.mark.browser


def on_phone(open_page, address):
    page = open_page(address, has_touch=True, is_mobile=True)
    page.set_viewport_size({"width": 390, "height": 844})
    return page


def swipe(page, part, places):
    """Move a finger along these places of a part of the page, (x, y) each, as shares of its width and height."""
    part.scroll_into_view_if_needed()
    box, session = part.bounding_box(), page.context.new_cdp_session(page)
    points = [{"x": box["x"] + x * box["width"], "y": box["y"] + y * box["height"]} for x, y in places]
    for kind, point in zip(["touchStart", *["touchMove"] * (len(points) - 1)], points, strict=True):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
        page.wait_for_timeout(50)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


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
