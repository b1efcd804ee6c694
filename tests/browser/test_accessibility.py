"""Every page by axe-core, in light and dark and from 320 pixels up, and by the keyboard alone."""

from pathlib import Path

import pytest

from tests.tools.in_browser import RUNNING, eventually, said_by, wait_for_tree

pytestmark = pytest.mark.browser

WIDTHS = (1280, 320)
TREES = (
    "",
    "?data=wine&learner=cultivated",
    "?data=wine&learner=optimal&depth=2",
    "?data=sine",
    "?data=wine&node=1",
)
PAGES = ("data", "approximate", "questionnaire", "compare", "reliability", "stability", "hesitation")
OF_STREAMLIT = {("presentation-role-conflict", "stFileUploaderDropzone")}  # the rule, and the element it is about


def axe_core():
    package = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    return (Path(package.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def violations(page):
    """Rules that the page breaks, each with the element."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(axe_core())
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")["violations"]
    every = {(rule["id"], node["html"][:160]) for rule in found for node in rule["nodes"]}
    return {
        (rule, html) for rule, html in every if not any(rule == r and part in html for r, part in OF_STREAMLIT)
    }


def settle(page):
    """Wait until the page has been drawn and nothing on it moves any more."""
    eventually(page, lambda: page.get_by_test_id("stMainBlockContainer").is_visible())
    at_work = page.locator(RUNNING).or_(page.get_by_role("button", name="Cancel"))
    eventually(page, lambda: len(said_by(page)) > 300 and not at_work.count())
    page.wait_for_timeout(1000)  # colours fade in


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


def test_axe_has_nothing_to_say_of_trees(app, open_page):
    page = open_page(app)
    wait_for_tree(page)
    assert broken_rules(page, WIDTHS) == {}


def test_axe_has_nothing_to_say_of_forests(app, open_page):
    page = open_page(f"{app}/forests?a-trees=5&b-trees=5")
    settle(page)
    assert broken_rules(page, WIDTHS) == {}


def test_axe_would_find_a_picture_without_words(app, open_page):
    page = open_page(app)
    wait_for_tree(page)
    page.evaluate(
        "() => document.querySelector('main, section').append(Object.assign(new Image(), {src: 'x.png'}))"
    )
    assert any(rule == "image-alt" for rule, _ in violations(page))


@pytest.mark.slow
@pytest.mark.parametrize("place", [*TREES, *PAGES])
def test_axe_has_nothing_to_say_of_any_page_at_any_width(app, open_page, place):
    page = open_page(f"{app}/{place}")
    settle(page)
    assert broken_rules(page, (1920, 768, *WIDTHS)) == {}


# By the keyboard -------------------------------------------------------------------------------------

LOOKS = """
() => {
  const parts = ["outlineStyle", "outlineWidth", "outlineColor", "boxShadow", "borderColor", "backgroundColor"];
  parts.push("stroke", "strokeWidth", "strokeDasharray");
  window.lookOf = (one) => parts.map((part) => getComputedStyle(one)[part]).join("|");
  window.walked = [];
}
"""
STEP = """
() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  if (!at || at === document.body) return null;
  const around = [at, ...[...at.querySelectorAll("*")].slice(0, 6)];
  for (let up = at.parentElement, i = 0; up && i < 3; up = up.parentElement, i++) around.push(up);
  const again = walked.some((step) => step.at === at);
  walked.push({ at, looks: around.map((one) => [one, lookOf(one)]) });
  const name = at.getAttribute("aria-label") || at.textContent.trim() || at.tagName;
  return { name: name.slice(0, 80), again };
}
"""
UNSEEN = """
() => {
  document.activeElement?.blur();
  // Streamlit's tables draw their focus, and a slider has it around its thumb, whose style a script cannot read.
  const drawn = (at) => at.dataset.testid === "data-grid-canvas" || at.type === "range";
  const asBefore = ([one, look]) => look === lookOf(one);
  const same = ({ at, looks }) => at.isConnected && !drawn(at) && looks.every(asBefore);
  return walked.filter(same).map(({ at }) => at.outerHTML.slice(0, 160));
}
"""
MOST_STEPS = 250


def walk(page):
    """Names of what has the focus from one Tab to the next, until it leaves the page or begins again."""
    names = []
    page.evaluate(LOOKS)
    for _ in range(MOST_STEPS):
        page.keyboard.press("Tab")
        page.wait_for_timeout(40)
        step = page.evaluate(STEP)
        if names and (step is None or step["again"]):
            return names
        names += [step["name"]] if step else []
    pytest.fail(f"the focus does not leave the page after {MOST_STEPS} steps; at last it was at {names[-5:]}")


def test_the_keyboard_reaches_every_control_of_the_tree_page_and_the_focus_is_seen(app, open_page):
    page = open_page(app)
    wait_for_tree(page)
    page.emulate_media(reduced_motion="reduce")
    names = "\n".join(walk(page))
    for control in ("Forests", "Depth", "Export", "decision surface", "Reset"):
        assert control in names
    page.wait_for_timeout(500)  # colours fade out
    unseen = page.evaluate(UNSEEN)
    assert not unseen, "\n".join(unseen)
