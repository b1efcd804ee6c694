"""Cultivated trees in a real browser: the learner is switched, k is moved, and a sample is in many nodes."""

import shutil
from pathlib import Path

import pytest

from espalier.kernels import compile_all
from espalier.kernels.caches import cache_folders
from tests.tools.in_browser import asks, eventually, insist, open_drawer, running_app, shows, wait_for_tree

pytestmark = pytest.mark.browser
PREPARING = "Preparing the engine"
PICTURE = "canvas => canvas.toDataURL()"
UNCOMPILED = ("warm*", "grow._grow*", "gate._*")  # enough to be busy with for a while, in either stage


def has_metric(page, label, value):
    metrics = page.locator(".espalier-numbers dl > div").filter(has_text=label)
    return lambda: metrics.first.inner_text().endswith(f"\n{value}")


def has_hesitation(page):
    return page.locator("g.node").filter(has_text="hesitates").count() > 0


def width_of(page):
    return page.get_by_role("slider", name="Width of the neighbourhood, k")


@pytest.mark.slow
def test_dragging_the_width_of_the_neighbourhood_changes_the_tree(app, open_page):
    page = open_page(f"{app}/?data=two-gaussians&model=cultivated&eta=0&depth=3")
    wait_for_tree(page)
    assert has_hesitation(page)
    open_drawer(page, "More settings")

    def drag_to_one_cut():
        box = width_of(page).bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(0, box["y"], steps=5)
        page.mouse.up()

    insist(page, drag_to_one_cut, asks(page, "k=0"))
    eventually(page, has_metric(page, "trees represented", 1))
    eventually(page, has_metric(page, "modules", 0))
    eventually(page, lambda: not has_hesitation(page))


@pytest.mark.slow
def test_settings_of_the_other_learner_survive_a_click_on_the_tree(app, open_page):
    page = open_page(f"{app}/?model=cultivated&depth=5&k=2")
    wait_for_tree(page)
    insist(page, page.locator("g.node").nth(1).click, asks(page, "node="))
    assert asks(page, "depth=5")()
    assert asks(page, "k=2")()


def test_fractions_of_a_clicked_sample_run_through_the_tree_and_colours_show_the_hesitation(app, open_page):
    page = open_page(f"{app}/?data=two-gaussians&model=cultivated&depth=1")
    wait_for_tree(page)
    assert not page.locator("g.badge").count()
    plane = page.locator(".espalier-surface canvas.top")

    def click_between_the_clouds():  # there is a sample near enough
        box = plane.bounding_box()
        plane.click(position={"x": box["width"] * 0.5, "y": box["height"] * 0.5})

    insist(page, click_between_the_clouds, asks(page, "row="))
    eventually(page, lambda: page.locator("g.badge").count() == 2)
    left, right = (float(pill.removesuffix(" %")) for pill in page.locator("g.badge").all_text_contents())
    assert min(left, right) > 0
    assert left + right == pytest.approx(100, abs=1)  # each is rounded
    hesitation = page.get_by_text("Hesitation σ")
    colours = page.locator(".espalier-surface canvas").first
    probability = colours.evaluate(PICTURE)

    def switch():
        if not hesitation.is_visible():
            page.locator(".st-key-surface-options button").click()
        hesitation.click()

    insist(page, switch, asks(page, "show=spread"))
    eventually(page, shows(page, "σ 0"))  # the legend
    eventually(page, lambda: colours.evaluate(PICTURE) != probability)


@pytest.mark.slow
def test_figure_3_is_opened_from_the_gallery(app, open_page):
    page = open_page(f"{app}/data?data=two-gaussians")
    link = page.get_by_role("link", name="The paper's Figure 3")
    insist(page, link.click, lambda: page.url.split("?")[0].endswith("/hesitation"))
    eventually(page, lambda: page.locator(".espalier-surface canvas.top").count() == 3)
    insist(page, lambda: width_of(page).press("End"), asks(page, "k=all"))


@pytest.fixture
def cold_address(browser, tmp_path):
    """Address of a server whose engine is not ready: cold in part, so that it does not take a minute to be."""
    if compile_all.is_warm():
        for folder in filter(Path.is_dir, cache_folders()):
            copy = tmp_path / folder.name
            shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(*UNCOMPILED))
    with running_app(NUMBA_CACHE_DIR=str(tmp_path)) as address:
        yield address


@pytest.mark.slow  # it compiles two engines
def test_a_cold_server_shows_a_sharp_tree_at_once_and_a_cultivated_one_by_itself(cold_address, open_page):
    sharp = open_page(cold_address)
    waits, root = shows(sharp, PREPARING), sharp.locator('g.node[data-node="0"]')
    eventually(sharp, lambda: waits() and root.is_visible())
    wait_for_tree(sharp)
    drawn = root.element_handle()
    cultivated = open_page(f"{cold_address}/?model=cultivated&depth=2")
    eventually(cultivated, lambda: shows(cultivated, PREPARING)() and not cultivated.locator("g.node").count())
    eventually(sharp, lambda: not sharp.get_by_text(PREPARING).count())
    wait_for_tree(cultivated)
    eventually(cultivated, lambda: not cultivated.get_by_text(PREPARING).count())
    assert drawn.evaluate("node => node.isConnected")  # it was not drawn anew: zoom and focus stay
