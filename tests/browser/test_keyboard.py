"""Every page without a mouse: Tab reaches all controls in order, the focus is seen, and tasks get done."""

import re

import pytest

from tests.tools.in_browser import asks, eventually, settle, shows

pytestmark = pytest.mark.browser

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
