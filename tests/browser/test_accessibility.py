"""Every page by axe-core in light and dark, without a mouse, on a phone, and by the fingers on it."""

import re
from pathlib import Path

import pytest

from tests.tools.in_browser import asks, eventually, insist, open_tree, settle, shows, wait_for_tree

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
    page = open_tree(open_page, app)
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


SCRIPTS = """
() => {
  const parts = ["outlineStyle", "outlineWidth", "outlineColor", "boxShadow", "borderColor", "backgroundColor"];
  parts.push("stroke", "strokeWidth", "strokeDasharray");
  window.lookOf = (one) => parts.map((part) => getComputedStyle(one)[part]).join("|");
  window.deepest = () => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return at === document.body ? null : at;
  };
  const textOf = (id) => document.getElementById(id)?.textContent ?? "";
  window.nameOf = (at) => (at.getAttribute("aria-label")
    || (at.getAttribute("aria-labelledby") ?? "").split(" ").map(textOf).join(" ").trim()
    || [...(at.labels ?? [])].map((label) => label.textContent).join(" ").trim()
    || at.textContent.trim() || at.getAttribute("placeholder") || "").slice(0, 80);
  window.walked = [];
}
"""
STEP = """
() => {
  const at = deepest();
  if (!at) return null;
  const around = [at, ...[...at.querySelectorAll("*")].slice(0, 6)];
  for (let up = at.parentElement, i = 0; up && i < 3; up = up.parentElement, i++) around.push(up);
  const stays = walked.at(-1)?.at === at; // Tab goes from cell to cell of a table
  const again = !stays && walked.some((step) => step.at === at);
  if (!stays) walked.push({ at, looks: around.map((one) => [one, lookOf(one)]) });
  return { name: nameOf(at), again, stays, code: at.outerHTML.slice(0, 160) };
}
"""
UNSEEN = """
() => {
  document.activeElement?.blur();
  // Streamlit's tables draw their focus, and a slider has it around its thumb, whose style a script cannot read.
  const drawn = (at) => at.closest("[data-testid=stDataFrame]") || at.type === "range";
  const asBefore = ([one, look]) => look === lookOf(one);
  const same = ({ at, looks }) => at.isConnected && !drawn(at) && looks.every(asBefore);
  return walked.filter(same).map(({ at }) => at.outerHTML.slice(0, 160));
}
"""
NAME = "() => { const at = deepest(); return at ? nameOf(at) : ''; }"
OF_STREAMLIT = ("dvn-scroller",)  # what a table scrolls in, which Chromium lets Tab reach, has no name
MOST_STEPS = 250
PLACES = ["Skip", "Tree", "Forest", "Trust", "Use", "Learn"]
FORESTS = "forests?a-trees=5&b-trees=5"
WALKS = {
    "data": [*PLACES, "More settings", "Role of petal width", "Upload", "Paste", "Read the pasted", "Wine"],
    FORESTS: [*PLACES, "Share", "Forests", "More settings", "Trees", "Open tree", "Export"],
    "approximate": [*PLACES, "Share", "One tree", "More settings", "decision tree", "zoom out", "CSV"],
    "compare?folds=3": [*PLACES, "Share", "Compare", "More settings", "● Model 1", "Compare by", "Scores"],
    "stability?times=20": [*PLACES, "Drawn again by", "More settings", "● Learner 1", "Structures of", "SVG"],
    "reliability?folds=3&m2=none": [*PLACES, "Share", "Reliability", "More settings", "● Model 1", "How far"],
    "questionnaire": [*PLACES, "Share", "Questionnaire", "Yes", "No", "I do not know", "Or the value", "Print"],
    "new_rows?m1=none": [*PLACES, "Share", "Ask it", "Model"],
    "hesitation": [*PLACES, "Back to your tree", "Width of the neighbourhood", "decision surface", "Its tree"],
    "basics": [*PLACES, "Gini", "Left child", "Right child", "Parent"],
    "basics?view=bagging": [*PLACES, "40 rows on a plane", "Rows", "tree", "Bags"],
}


def begin(open_page, address):
    """The page at an address, drawn and with nothing in motion."""
    page = open_page(address)
    page.emulate_media(reduced_motion="reduce")
    settle(page)
    page.evaluate(SCRIPTS)
    return page


def walk(page):
    """What has the focus from one Tab to the next, until it leaves the page."""
    steps = []
    for _ in range(MOST_STEPS):
        page.keyboard.press("Tab")
        page.wait_for_timeout(30)
        step = page.evaluate(STEP)
        if steps and (step is None or step["again"]):
            assert step is None, f"the focus goes round, and never leaves the page: {step['code']}"
            return steps
        steps += [step] if step and not step["stays"] else []
    pytest.fail(f"the focus does not leave the page after {MOST_STEPS} steps; at last it was at {steps[-3:]}")


def find_faults(page, *controls):
    """Problems of a walk with Tab: controls that it does not reach in this order, focus unseen, stops unnamed."""
    steps = walk(page)
    rest, missed = iter([step["name"] for step in steps]), []
    for control in controls:
        missed += [] if any(control in name for name in rest) else [f"not reached in turn: {control}"]
    unnamed = [step["code"] for step in steps if not step["name"]]
    unnamed = [f"unnamed: {code}" for code in unnamed if not any(part in code for part in OF_STREAMLIT)]
    page.wait_for_timeout(500)  # colours fade out
    return missed + unnamed + [f"unseen: {code}" for code in page.evaluate(UNSEEN)]


def test_the_keyboard_reaches_every_control_of_the_tree_page_and_the_focus_is_seen(app, open_page):
    order = ("Iris flowers", "Other rows", "Other tables", "Share", "Film", "View", "Export", "decision tree")
    order += ("decision surface", "Why this split", "How good is this tree?", "CART", "Depth", "More settings")
    assert not find_faults(begin(open_page, app), *PLACES, *order)


@pytest.mark.slow
@pytest.mark.parametrize("place", WALKS)
def test_the_keyboard_reaches_every_control_of_every_page_in_order_and_the_focus_is_seen(app, open_page, place):
    assert not find_faults(begin(open_page, f"{app}/{place}"), *WALKS[place])


# Tasks -----------------------------------------------------------------------------------------------

TASKS = {  # the page, the name of a control, the keys there, and what the address or the page then says
    "a sample is chosen": ("data?data=iris", "Wine", ["Enter"], "data=wine"),
    "a drawer is entered": ("?data=iris", "Other tables", ["Enter", "Tab", "Wine", "Enter"], "data=wine"),
    "a table is pasted": ("data", "Paste", ["a,b\n1,x\n2,y\n3,x\n", "Tab", "Enter"], "Discard"),
    "points are drawn": ("data?tab=Draw+points", "plane", ["Enter", "ArrowRight", "Enter"], "2 points"),
    "a node is chosen": ("?data=iris", "all 105 rows", ["ArrowDown", "Enter"], "node=1"),
    "forests get another tree": (FORESTS, "Trees$", ["ArrowUp", "Tab"], "a-trees=6"),
    "another view of forests": (f"{FORESTS}&tab=Error", "Error$", ["ArrowRight"], "tab=One"),
    "a node of an approximation": ("approximate", "all 105 rows", ["ArrowDown", "Enter"], "node=1"),
    "a model is added": ("compare?folds=3", "◆ Model 4", ["Cult", "Enter"], "m4=cultivated"),
    "a structure is chosen": ("stability?times=20", "Structures of", ["ArrowRight", "Enter"], "bar="),
    "a row is ticked": (
        "reliability?folds=3&m2=none&tab=Who+decides",
        "rowdoubt",
        ["ArrowDown", "Shift+Space"],
        "row=",
    ),
    "a question is answered": ("questionnaire", "Yes", ["Enter"], "said="),
    "a slider moves": ("hesitation", "Width of the neighbourhood, k$", ["ArrowRight", "Tab"], "k=20"),
}
KEYS = re.compile(r"Enter|Tab|Arrow\w+|Shift\+Space")


def go_to(page, name):
    """Press Tab until what has the focus has a name that begins so."""
    for _ in range(MOST_STEPS):
        page.keyboard.press("Tab")
        page.wait_for_timeout(30)
        if re.match(name, page.evaluate(NAME)):
            return
    pytest.fail(f"Tab does not reach {name}")


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_a_task_gets_done_by_the_keyboard(app, open_page, task):
    place, control, keys, said = TASKS[task]
    page = begin(open_page, f"{app}/{place}")
    go_to(page, control)
    for key in keys:
        page.keyboard.press(key) if KEYS.fullmatch(key) else page.keyboard.type(key)
        page.wait_for_timeout(300)
    eventually(page, lambda: asks(page, said)() or shows(page, said)())


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
