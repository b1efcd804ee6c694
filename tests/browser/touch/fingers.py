"""A phone in the browser, and fingers on it."""


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
