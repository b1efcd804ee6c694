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
from urllib.parse import urlsplit

import pytest

playwright_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

PROJECT = Path(__file__).resolve().parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE_MS = 300_000  # of the first tree on a cold, busy machine: the engine may have to be compiled
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
    until = time.monotonic() + 180
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
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.goto(address)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not faults


def wait_for_tree(page):
    page.locator('g.node[data-node="0"]').wait_for(timeout=PATIENCE_MS)
    page.locator(".espalier-surface canvas").first.wait_for()


def query(page, part):
    """Wait until the address says so: the state of the page has reached the server and come back."""
    page.wait_for_function("part => decodeURIComponent(location.search).includes(part)", arg=part)


def says(page, text):
    page.get_by_text(text).first.wait_for()


def wait_for_depth(page, depth):
    shown = "[...document.querySelectorAll('[data-testid=stMetric]')].at(-1).innerText"
    page.wait_for_function(f"depth => {shown}.endsWith('\\n' + depth)", arg=depth)


def test_the_first_screen_is_a_tree_above_the_fold(app, open_page):
    page = open_page(app)
    wait_for_tree(page)
    for part in (".espalier-tree", ".espalier-surface"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= 900
    assert page.locator("g.node").count() == 7


def test_a_slider_regrows_the_tree_and_back_undoes_it(app, open_page):
    page = open_page(app)
    wait_for_tree(page)
    page.get_by_role("slider", name="Depth, at most").press("ArrowLeft")
    query(page, "depth=2")
    wait_for_depth(page, 2)
    page.go_back()
    wait_for_depth(page, 3)
    assert "depth" not in page.evaluate("location.search")


def test_other_data_are_one_step_that_back_undoes(app, open_page):
    page = open_page(f"{app}/?node=2")
    wait_for_tree(page)
    page.get_by_role("combobox", name="Data").click()
    page.get_by_role("option", name="Wine").click()
    query(page, "data=wine")
    says(page, "178 rows")
    page.go_back()
    says(page, "150 rows")
    assert page.evaluate("location.search") == "?node=2"


def test_a_click_on_a_node_opens_it_in_the_inspector(app, open_page):
    page = open_page(app)
    wait_for_tree(page)
    page.locator('g.node[data-node="2"]').click()
    query(page, "node=2")
    says(page, "Node 2")
    page.get_by_role("tab", name="Rule").click()
    says(page, "petal length > 2.45")


def test_a_click_on_a_point_lights_its_path(app, open_page):
    page = open_page(app)
    wait_for_tree(page)
    plane = page.locator(".espalier-surface canvas.top")
    plane.focus()
    plane.press("n")
    plane.press("Enter")
    query(page, "row=")
    says(page, "with row")
    box = plane.bounding_box()
    plane.click(position={"x": box["width"] * 0.8, "y": box["height"] * 0.3})
    query(page, "node=")


def test_the_keyboard_walks_the_tree(app, open_page):
    page = open_page(app)
    wait_for_tree(page)
    page.locator('g.node[data-node="0"]').focus()
    for key in ("ArrowDown", "Enter"):
        page.keyboard.press(key)
    query(page, "node=1")
    says(page, "Leaf 1")


def test_an_export_is_a_program_that_runs(app, open_page, tmp_path):
    page = open_page(app)
    wait_for_tree(page)
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Python function (.py)").click()
    file = tmp_path / "tree.py"
    waiting.value.save_as(file)
    space = {}
    exec(file.read_text("utf-8"), space)
    flower = {"sepal length": 5.0, "sepal width": 3.4, "petal length": 1.5, "petal width": 0.2}
    assert "setosa" in str(space["predict"](flower))


def test_a_link_opens_the_same_screen(app, open_page):
    page = open_page(f"{app}/?data=wine&depth=2&node=1&graph=classical&tab=Rule")
    page.locator('[data-testid="stGraphVizChart"] svg').wait_for(timeout=PATIENCE_MS)
    says(page, "Node 1")
    assert page.get_by_role("tab", name="Rule").get_attribute("aria-selected") == "true"


def test_a_wrong_link_shows_a_note_and_a_tree(app, open_page):
    page = open_page(f"{app}/?depth=banana&node=77")
    wait_for_tree(page)
    says(page, "was not understood")


def test_the_kind_of_a_column_is_changed_in_the_table(app, open_page):
    page = open_page(f"{app}/data")
    table = "a,b,verdict\n" + "".join(f"{i * 3 % 11},{i * 7 % 10},{'yes' if i % 3 else 'no'}\n" for i in range(30))
    page.get_by_label("Paste a table").fill(table)
    page.get_by_role("button", name="Read the pasted table").click()
    editor = page.locator('[data-testid="stDataFrame"]').first
    editor.scroll_into_view_if_needed()
    editor.dblclick(position={"x": 150, "y": 36 + 36 + 18})  # the kind of "b"
    page.keyboard.type("ignored")
    page.keyboard.press("Enter")
    says(page, "“b” (by your choice)")
    page.get_by_role("button", name="Use this table").click()
    wait_for_tree(page)
    query(page, "data=")
    page.go_back()
    says(page, "Pasted table")


def test_the_page_follows_a_dark_browser(app, open_page):
    page = open_page(app, color_scheme="dark")
    wait_for_tree(page)
    paper = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    assert max(int(part) for part in re.findall(r"\d+", paper)[:3]) < 60


def test_a_phone_shows_the_whole_width_and_no_more(app, open_page):
    page = open_page(app)
    page.set_viewport_size({"width": 390, "height": 844})
    wait_for_tree(page)
    for part in (".espalier-tree", ".espalier-surface"):
        box = page.locator(part).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


def test_a_link_into_a_server_that_has_just_started_finds_the_whole_app(browser, open_page):
    with running_app() as address:
        page = open_page(f"{address}/data")
        page.get_by_role("heading", name="Data").first.wait_for(timeout=PATIENCE_MS)
        page.get_by_role("link", name="Tree", exact=True).click()
        wait_for_tree(page)
