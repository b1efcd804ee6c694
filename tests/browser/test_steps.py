"""Back and Forward of a browser: one step for each choice, and never a state that nobody chose."""

import pytest

from tests.tools.in_browser import eventually, wait_for_tree

pytestmark = pytest.mark.browser


def is_at(page, depth, address):
    """Question whether the page shows a tree of this depth, at an address that ends so."""
    shown = page.locator(".espalier-numbers dl > div").last
    return lambda: shown.inner_text().endswith(f"\n{depth}") and page.url.endswith(address)


def choose_next_depth(page, depth):
    page.get_by_role("slider", name="Depth, at most").press("ArrowRight")
    eventually(page, is_at(page, depth, f"depth={depth}"))


def leave_and_return(page, depth):
    """To another page and back, by links."""
    page.get_by_role("link", name="Learn", exact=True).click()
    learns = page.locator(".st-key-place-here").filter(has_text="Learn")
    eventually(page, lambda: "/lessons" in page.url and learns.count())
    page.get_by_role("link", name="Tree", exact=True).click()
    eventually(page, is_at(page, depth, f"depth={depth}"))


@pytest.mark.few(1)
@pytest.mark.parametrize("pause", [0, 50, 200])  # milliseconds after each of the fast steps
def test_back_and_forward_walk_over_pages_and_settings_as_they_were_chosen_however_fast(app, open_page, pause):
    page = open_page(f"{app}/?data=moons&depth=3")
    wait_for_tree(page)
    choose_next_depth(page, 4)
    leave_and_return(page, 4)
    chosen = page.evaluate("history.length")
    begun, at_4 = is_at(page, 3, "data=moons"), is_at(page, 4, "depth=4")
    walk = [begun, at_4, lambda: "/lessons" in page.url, at_4]
    for place in reversed(walk[:-1]):
        page.go_back()
        eventually(page, place)
    for place in walk[1:]:
        page.go_forward()
        eventually(page, place)
    for step, place in ((page.go_back, begun), (page.go_forward, at_4)):
        for _ in walk[1:]:
            step()
            page.wait_for_timeout(pause)
        eventually(page, place)
    assert page.evaluate("history.length") == chosen
    assert not page.get_by_text("Connection error").count()
