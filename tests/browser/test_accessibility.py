"""Every page by axe-core, in light and dark and from 320 pixels up."""

from pathlib import Path

import pytest

from tests.tools.in_browser import settle, wait_for_tree

pytestmark = pytest.mark.browser

WIDTHS = (1280, 320)
TREES = (
    "",
    "?data=wine&learner=cultivated",
    "?data=wine&learner=optimal&depth=2",
    "?data=sine",
    "?data=wine&node=1",
)
PAGES = ["forests?a-trees=5&b-trees=5", "data", "approximate", "questionnaire", "compare", "reliability"]
PAGES += ["stability", "new_rows", "hesitation", "basics", "lessons", "practice"]


def axe_core():
    package = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    return (Path(package.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def violations(page, part="html"):
    """Rules that a part of the page breaks, each with the element."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(axe_core())
    found = page.evaluate("(part) => axe.run(part, {resultTypes: ['violations']})", part)["violations"]
    return {(rule["id"], node["html"][:160]) for rule in found for node in rule["nodes"]}


def lasting(page):
    """Violations that are there again a moment later: what the server is at is paler meanwhile."""
    broken = violations(page)
    for _ in range(3):
        if broken:
            page.wait_for_timeout(2000)
            broken &= violations(page)
    return broken


def broken_rules(page, widths):
    """Violations of the page by colours and width."""
    found = {}
    for colours in ("light", "dark"):
        page.emulate_media(color_scheme=colours, reduced_motion="reduce")
        page.reload()  # so that the server knows of the colours, too
        for width in widths:
            page.set_viewport_size({"width": width, "height": 900})
            settle(page)
            if broken := lasting(page):
                found[colours, width] = broken
    return found


def test_axe_has_nothing_to_say_of_a_tree_and_would_find_a_picture_without_words(app, open_page):
    page = open_page(app)
    wait_for_tree(page)
    settle(page)
    assert lasting(page) == set()
    page.evaluate(
        "() => document.querySelector('main, section').append(Object.assign(new Image(), {src: 'x.png'}))"
    )
    assert any(rule == "image-alt" for rule, _ in violations(page, "img[src='x.png']"))


@pytest.mark.slow
@pytest.mark.parametrize("place", [*TREES, *PAGES])
def test_axe_has_nothing_to_say_of_any_page_at_any_width(app, open_page, place):
    page = open_page(f"{app}/{place}")
    settle(page)
    assert broken_rules(page, (1920, 768, *WIDTHS)) == {}
