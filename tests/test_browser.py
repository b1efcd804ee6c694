"""The app in a real browser: what AppTest cannot see, from the first screen to a download."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

playwright_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

PROJECT = Path(__file__).resolve().parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE_SECONDS = 600  # of anything on a cold, busy machine: the page itself may wait 300 for the engine
GESTURE_SECONDS = 10  # until a gesture that nobody answered is made again; each time it gets twice as long
HERE = ("127.0.0.1", "localhost", "")

pytestmark = pytest.mark.browser


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running_app():
    """Address of a freshly started server, which is ended afterwards."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    options = ["--server.port", str(port), "--server.headless", "true", "--server.address", "127.0.0.1"]
    with subprocess.Popen(
        command + options, cwd=PROJECT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            wait_for(f"http://127.0.0.1:{port}/_stcore/health", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()


def wait_for(url, server):
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until and server.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=1):
            return
        time.sleep(0.1)
    pytest.fail("the app did not start")


def find_browser():
    named = os.environ.get("CHROMIUM")
    return named or next((path for name in BROWSERS if (path := shutil.which(name))), None)


@pytest.fixture(scope="module")
def browser():
    flags = ["--no-sandbox", "--disable-background-networking"]
    with contextlib.ExitStack() as stack:
        try:
            playwright = stack.enter_context(playwright_api.sync_playwright())
            browser = playwright.chromium.launch(executable_path=find_browser(), args=flags)
        except Exception as wrong:  # Playwright's driver says no more than that when it lacks a system library
            pytest.skip(f"no Chromium that starts (set CHROMIUM to one): {str(wrong).splitlines()[0]}")
        stack.callback(browser.close)
        yield browser


@pytest.fixture(scope="module")
def app(browser):
    with running_app() as address:
        yield address


@pytest.fixture
def open_page(browser):
    """Function that opens an address; a fault of the page, or a request that leaves this machine, fails."""
    faults, contexts = [], []

    def check(route):
        if urlsplit(route.request.url).hostname in HERE:
            route.continue_()
        else:
            faults.append(f"a request left this machine: {route.request.url}")
            route.abort()

    def open_(address, **options):
        context = browser.new_context(viewport={"width": 1400, "height": 900}, accept_downloads=True, **options)
        contexts.append(context)
        context.route(re.compile("^https?:"), check)
        page = context.new_page()
        page.set_default_timeout(1000 * GESTURE_SECONDS)
        page.set_default_navigation_timeout(1000 * PATIENCE_SECONDS)
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.goto(address)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not faults


def holds(page, question, seconds=PATIENCE_SECONDS):
    """Whether the question is answered with yes in time.

    The page draws its parts anew whenever it likes, so a single look, or a part that is not there, proves nothing.
    """
    until = time.monotonic() + seconds
    while True:
        with contextlib.suppress(playwright_api.Error):
            if question():
                return True
        if time.monotonic() > until:
            return False
        page.wait_for_timeout(50)


def eventually(page, question):
    assert holds(page, question), page.locator("body").inner_text()


def insist(page, gesture, answered):
    """Make a gesture, which must do no harm twice, until the page answers: what it aims at may just be redrawn."""
    for doubling in range(5):
        with contextlib.suppress(playwright_api.Error):
            gesture()
        if holds(page, answered, GESTURE_SECONDS << doubling):
            return
    pytest.fail("no answer from: " + page.locator("body").inner_text())


def wait_for_tree(page):
    eventually(page, lambda: page.locator('g.node[data-node="0"]').is_visible())
    eventually(page, lambda: page.locator(".espalier-surface canvas").first.is_visible())


def asks(page, part):
    """Question whether the address says so: the state of the page has reached the server and come back."""
    return lambda: part in unquote(urlsplit(page.url).query)


def shows(page, text):
    return lambda: page.get_by_text(text).first.is_visible()


def has_depth(page, depth):
    return lambda: page.get_by_test_id("stMetric").last.inner_text().endswith(f"\n{depth}")


def lies_within(page, part, width, height):
    """Whether all of a part that is drawn, and not just being so, stands in this frame."""
    box = page.locator(part).bounding_box()
    if box is None or min(box["width"], box["height"]) < 300:
        return False
    return box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] + box["height"] <= height


def test_the_first_screen_is_a_tree_above_the_fold(app, open_page):
    page = open_page(app)
    wait_for_tree(page)
    for part in (".espalier-tree", ".espalier-surface"):
        eventually(page, lambda part=part: lies_within(page, part, 1400, 900))
    eventually(page, lambda: page.locator("g.node").count() == 7)


def test_a_slider_regrows_the_tree_and_back_undoes_it(app, open_page):
    page = open_page(app)
    wait_for_tree(page)
    slider = page.get_by_role("slider", name="Depth, at most")

    def press_once():
        if slider.get_attribute("aria-valuetext") == "3":
            slider.press("ArrowLeft")

    insist(page, press_once, asks(page, "depth=2"))
    eventually(page, has_depth(page, 2))
    page.go_back()
    eventually(page, has_depth(page, 3))
    eventually(page, lambda: "depth" not in page.url)


def test_other_data_are_one_step_that_back_undoes(app, open_page):
    page = open_page(f"{app}/?node=2")
    wait_for_tree(page)
    data, wine = page.get_by_role("combobox", name="Data"), page.get_by_role("option", name="Wine")

    def choose():
        if data.input_value() != "Wine":  # chosen twice it would be two steps
            if not wine.is_visible():
                data.click()
            wine.click()

    insist(page, choose, asks(page, "data=wine"))
    eventually(page, shows(page, "178 rows"))
    page.go_back()
    eventually(page, shows(page, "150 rows"))
    eventually(page, lambda: page.url.endswith("/?node=2"))


def test_a_click_on_a_node_opens_it_in_the_inspector(app, open_page):
    page = open_page(app)
    wait_for_tree(page)
    insist(page, page.locator('g.node[data-node="2"]').click, asks(page, "node=2"))
    eventually(page, shows(page, "Node 2"))
    rule = page.get_by_role("listitem").filter(has_text="petal length > 2.45")
    insist(page, page.get_by_role("tab", name="Rule").click, lambda: rule.is_visible())


def test_a_click_on_a_point_lights_its_path(app, open_page):
    page = open_page(app)
    wait_for_tree(page)
    plane = page.locator(".espalier-surface canvas.top")

    def pick_a_sample():
        plane.press("n")
        plane.press("Enter")

    def click_beside_the_samples():
        box = plane.bounding_box()
        plane.click(position={"x": box["width"] * 0.5, "y": box["height"] * 0.15})

    insist(page, pick_a_sample, asks(page, "row="))
    eventually(page, shows(page, "with row"))
    insist(page, click_beside_the_samples, lambda: asks(page, "node=")() and not asks(page, "row=")())


def test_the_keyboard_walks_the_tree(app, open_page):
    page = open_page(app)
    wait_for_tree(page)

    def walk():
        page.locator('g.node[data-node="0"]').focus()
        for key in ("ArrowDown", "Enter"):
            page.keyboard.press(key)

    insist(page, walk, asks(page, "node=1"))
    eventually(page, shows(page, "Leaf 1"))


def test_an_export_is_a_program_that_runs(app, open_page, tmp_path):
    page = open_page(app)
    wait_for_tree(page)
    python, downloads = page.get_by_role("button", name="Python function (.py)"), []
    page.on("download", lambda download: downloads.append(download))

    def save():
        if not python.is_visible():
            page.get_by_role("button", name="Export").click()
        python.click()

    insist(page, save, lambda: downloads)
    file = tmp_path / "tree.py"
    downloads[0].save_as(file)
    space = {}
    exec(file.read_text("utf-8"), space)
    flower = {"sepal length": 5.0, "sepal width": 3.4, "petal length": 1.5, "petal width": 0.2}
    assert "setosa" in str(space["predict"](flower))


def test_a_link_opens_the_same_screen(app, open_page):
    page = open_page(f"{app}/?data=wine&depth=2&node=1&graph=classical&tab=Rule")
    eventually(page, lambda: page.locator('[data-testid="stGraphVizChart"] svg').is_visible())
    eventually(page, shows(page, "Node 1"))
    eventually(page, lambda: page.get_by_role("tab", name="Rule", selected=True).is_visible())


def test_a_wrong_link_shows_a_note_and_a_tree(app, open_page):
    page = open_page(f"{app}/?depth=banana&node=77")
    eventually(page, shows(page, "was not understood"))
    wait_for_tree(page)


def test_the_kind_of_a_column_is_changed_in_the_table(app, open_page):
    page = open_page(f"{app}/data")
    table = "a,b,verdict\n" + "".join(f"{i * 3 % 11},{i * 7 % 10},{'yes' if i % 3 else 'no'}\n" for i in range(30))
    use = page.get_by_role("button", name="Use this table")

    def paste():
        page.get_by_label("Paste a table").fill(table)
        page.get_by_role("button", name="Read the pasted table").click()

    def ignore_b():
        page.get_by_test_id("stDataFrame").first.dblclick(position={"x": 150, "y": 36 + 36 + 18})
        kind = page.locator("#portal input")  # of the list that opens: keys pressed before are lost
        kind.fill("ignored")
        kind.press("Enter")

    insist(page, paste, use.is_visible)
    insist(page, ignore_b, shows(page, "“b” (by your choice)"))
    insist(page, use.click, asks(page, "data="))
    wait_for_tree(page)
    page.go_back()
    eventually(page, lambda: urlsplit(page.url).path == "/data" and use.is_visible())
    eventually(page, shows(page, "Pasted table"))


def test_the_page_follows_a_dark_browser(app, open_page):
    page = open_page(app, color_scheme="dark")
    wait_for_tree(page)

    def is_dark():
        paper = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
        return max(int(part) for part in re.findall(r"\d+", paper)[:3]) < 60

    eventually(page, is_dark)


def test_a_phone_shows_the_whole_width_and_no_more(app, open_page):
    page = open_page(app)
    page.set_viewport_size({"width": 390, "height": 844})
    wait_for_tree(page)
    for part in (".espalier-tree", ".espalier-surface"):
        eventually(page, lambda part=part: lies_within(page, part, 390, float("inf")))


def test_a_link_into_a_server_that_has_just_started_finds_the_whole_app(browser, open_page):
    with running_app() as address:
        page = open_page(f"{address}/data")
        eventually(page, lambda: page.get_by_role("heading", name="Data").first.is_visible())
        insist(page, page.get_by_role("link", name="Tree", exact=True).click, lambda: page.url == f"{address}/")
        wait_for_tree(page)
