"""Optimal trees in a real browser: a slider is dragged, a tree of the gallery is opened, a sample is marked."""

import pytest

from tests.tools.in_browser import asks, eventually, insist, shows, wait_for_tree

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_the_depth_is_moved_and_the_proof_is_of_the_new_tree(app, open_page):
    page = open_page(f"{app}/?model=optimal&depth=2")
    wait_for_tree(page)
    eventually(page, shows(page, "tree of depth 2 over every threshold"))
    slider = page.get_by_role("slider", name="Depth, at most")
    insist(page, lambda: slider.press("Home"), asks(page, "depth=1"))
    eventually(page, shows(page, "tree of depth 1 over every threshold"))
    eventually(page, lambda: page.locator("g.node").count() == 3)


@pytest.mark.slow
def test_a_tree_of_the_gallery_is_opened_and_back_closes_it(app, open_page):
    page = open_page(f"{app}/?model=optimal&depth=2&slack=3")
    wait_for_tree(page)
    button = page.locator(".st-key-open-tree-2").get_by_role("button")
    eventually(page, button.is_visible)
    insist(page, button.click, asks(page, "tree=2"))
    eventually(page, shows(page, "Tree 2 of the gallery"))
    page.go_back()
    eventually(page, lambda: not page.get_by_text("of the gallery:").count())


@pytest.mark.slow
def test_a_sample_clicked_on_the_greedy_surface_is_selected_in_the_tree(app, open_page):
    page = open_page(f"{app}/?model=optimal&depth=2&data=two-gaussians")
    wait_for_tree(page)
    planes = page.locator(".espalier-surface canvas.top")
    fold = page.get_by_text("Greedy beside optimal")
    insist(page, lambda: planes.count() == 3 or fold.click(), lambda: planes.count() == 3)

    def click_between_the_clouds():  # there is a sample near enough
        box = planes.nth(1).bounding_box()
        planes.nth(1).click(position={"x": box["width"] * 0.5, "y": box["height"] * 0.5})

    insist(page, click_between_the_clouds, asks(page, "row="))
    eventually(page, shows(page, "in truth"))
