"""Cultivated trees in a real browser: the learner is switched, k is moved, and a sample is in many nodes."""

import pytest

from tests.in_browser import app, asks, browser, eventually, insist, open_page, shows, wait_for_tree

__all__ = ["app", "browser", "open_page"]  # pytest finds fixtures by name
pytestmark = pytest.mark.browser


def has_metric(page, label, value):
    metrics = page.get_by_test_id("stMetric").filter(has_text=label)
    return lambda: metrics.first.inner_text().endswith(f"\n{value}")


def width_of(page):
    return page.get_by_role("slider", name="Width of the neighbourhood, k")


def test_the_learner_is_switched_and_back_undoes_it(app, open_page):
    page = open_page(f"{app}/?data=two-gaussians")
    wait_for_tree(page)
    insist(page, page.get_by_role("radio", name="Cultivated").click, asks(page, "learner=cultivated"))
    eventually(page, shows(page, "stands for"))
    page.go_back()
    eventually(page, lambda: not page.get_by_text("stands for").count())


def test_the_width_of_the_neighbourhood_is_moved_with_the_keyboard(app, open_page):
    page = open_page(f"{app}/?data=two-gaussians&learner=cultivated&k=1&eta=0")
    wait_for_tree(page)
    assert not has_metric(page, "modules", 0)()
    insist(page, lambda: width_of(page).press("ArrowLeft"), asks(page, "k=0"))
    eventually(page, has_metric(page, "stands for", "1 tree"))
    eventually(page, has_metric(page, "modules", 0))


def test_settings_of_the_other_learner_survive_a_click_on_the_tree(app, open_page):
    page = open_page(f"{app}/?learner=cultivated&depth=5&k=2")
    wait_for_tree(page)
    insist(page, page.locator("g.node").nth(1).click, asks(page, "node="))
    assert asks(page, "depth=5")()
    assert asks(page, "k=2")()


def test_a_sample_is_shown_with_its_fractions(app, open_page):
    page = open_page(f"{app}/?learner=cultivated&row=77")
    wait_for_tree(page)
    eventually(page, lambda: page.locator("g.badge").count() > 2)


def test_figure_3_is_opened_from_the_gallery(app, open_page):
    page = open_page(f"{app}/data")
    link = page.get_by_role("link", name="The paper's Figure 3")
    insist(page, link.click, lambda: page.url.split("?")[0].endswith("/hesitation"))
    eventually(page, lambda: page.locator(".espalier-surface canvas.top").count() == 3)
    insist(page, lambda: width_of(page).press("End"), asks(page, "k=all"))
