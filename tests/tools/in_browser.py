"""What the tests in a real browser share: one server, pages that stay on this machine, and patience.

The fixtures are made known by ``conftest.py``, so Playwright is imported only where it is used.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

PROJECT = Path(__file__).resolve().parent.parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE_SECONDS = 600  # with a page that is at work, on a cold, busy machine: it waits as long for the engine
QUIET_SECONDS = 75  # in which nothing happens on a page: what has not come until then will not come
START_SECONDS = 90  # of a server, or until a page of it is there
GESTURE_SECONDS = 8  # of quiet until a gesture is made again; each time it gets twice as long
GESTURES = 3
HERE = ("127.0.0.1", "localhost", "")
RUNNING = '[data-testid="stApp"][data-test-script-state="running"]'  # while the page's script runs
SETTLED_SECONDS = 1  # without a change: a page may be drawn once more when its components have answered
MOVING = """() => document.getAnimations().some((one) =>
  one.playState === "running" && one.effect.getComputedTiming().endTime !== Infinity)"""
POLICY = "Content Security Policy"  # in what the browser says of anything that the server's headers forbid
LETTERS = """() => {  // sizes of the letters that are read, also in shadow trees, in SVG and in pictures
  const found = [];
  const say = (size, element) => found.push([Math.round(size * 10) / 10, element.textContent.trim().slice(0, 40)]);
  const scaleOf = (element) => {
    const matrix = element.ownerSVGElement?.contains(element) && element.getScreenCTM?.();
    return matrix ? Math.hypot(matrix.a, matrix.b) : 1;
  };
  const isRead = (element) => {
    const { width, height } = element.getBoundingClientRect();
    const isText = (node) => node.nodeType === 3 && /[\\p{L}\\p{N}]/u.test(node.textContent);
    const hasText = [...element.childNodes].some(isText);
    const isSeen = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    return hasText && width > 2 && height > 2 && isSeen && !element.closest("style, script, noscript");
  };
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) walk(element.shadowRoot);
      const style = getComputedStyle(element);
      const isIcon = /Material/.test(style.fontFamily);
      if (isRead(element) && !isIcon) say(parseFloat(style.fontSize) * scaleOf(element), element);
      if (element.tagName === "IMG" && element.src.startsWith("data:image/svg+xml;base64,")) picture(element);
    }
  };
  const picture = (image) => {
    const { width } = image.getBoundingClientRect();
    const svg = new DOMParser().parseFromString(atob(image.src.split(",")[1]), "image/svg+xml").documentElement;
    const scale = width / (parseFloat(svg.getAttribute("viewBox")?.split(/\\s+/)[2]) || image.naturalWidth);
    for (const text of svg.querySelectorAll("text")) {
      const size = text.closest("[font-size]")?.getAttribute("font-size");
      if (size && width > 2) say(parseFloat(size) * scale, text);
    }
  };
  walk(document);
  return found;
}"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def running_app(**environment):
    """Address of a freshly started server, with these variables of the environment; it is ended afterwards."""
    found = os.pathsep.join([str(PROJECT / "core"), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.address", "127.0.0.1"]
    return running(command, PROJECT, os.environ | {"PYTHONPATH": found} | environment)


@contextlib.contextmanager
def running(command, folder, environment, **how):
    """Address of the app that the command starts in the folder; it is ended afterwards."""
    port = free_port()
    options = ["--server.port", str(port), "--server.headless", "true"]
    quiet = subprocess.DEVNULL
    outside = {"cwd": folder, "env": environment, "stdout": quiet, "stderr": quiet}
    with subprocess.Popen([*command, *options], **outside, **how) as server:
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
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and server.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=1):
            return
        time.sleep(0.1)
    ended = server.poll()
    pytest.fail(f"the app did not start in {START_SECONDS} s" if ended is None else f"the app ended with {ended}")


def find_browser():
    named = os.environ.get("CHROMIUM")
    return named or next((path for name in BROWSERS if (path := shutil.which(name))), None)


class Chromium:
    """The one browser of this process, launched for the first test that needs it.

    It is to be closed before a test that needs none: as long as Playwright runs, asyncio can run nothing else.
    Pages share what the browser has loaded and compiled of the app, which spares each nearly half of its work.
    """

    FLAGS = (
        "--no-sandbox",
        "--disable-background-networking",
        f"--host-resolver-rules=MAP * ~NOTFOUND, {', '.join(f'EXCLUDE {host}' for host in HERE if host)}",
    )

    def __init__(self):
        self._open, self._browser, self._context, self._why_not = contextlib.ExitStack(), None, None, ""
        self.outside = []  # requests that were to leave this machine, which none does

    def launch(self):
        """Launch the browser unless it runs; skip the test where there is none."""
        api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
        if self._why_not:
            pytest.skip(self._why_not)
        if self._browser:
            return
        try:
            playwright = self._open.enter_context(api.sync_playwright())
            self._browser = playwright.chromium.launch(executable_path=find_browser(), args=self.FLAGS)
            self._open.callback(self._browser.close)
        except Exception as wrong:  # Playwright's driver says no more than that when it lacks a system library
            self.close()
            self._why_not = f"no Chromium that starts (set CHROMIUM to one): {str(wrong).splitlines()[0]}"
            pytest.skip(self._why_not)

    def close(self):
        self._open.close()
        self._browser = self._context = None

    @contextlib.contextmanager
    def context(self, **options):
        """Where a test opens its pages, which are closed afterwards: the common one, but for options a new one."""
        assert self._browser is not None
        common = not options and self._context
        context = common or self._browser.new_context(**({"viewport": {"width": 1400, "height": 900}} | options))
        if not common:
            context.on("request", lambda request: self._note(request.url))
        if not options:
            self._context = context
        yield context
        for page in context.pages:
            with forgiving():
                page.evaluate("() => localStorage.clear()")
            page.close()
        context.clear_cookies()
        if options:
            context.close()

    def _note(self, url):
        if url.startswith("http") and urlsplit(url).hostname not in HERE:
            self.outside.append(f"a request for {url}, which is not on this machine")


CHROMIUM = Chromium()


@pytest.fixture
def browser():
    CHROMIUM.launch()
    return CHROMIUM


@pytest.fixture(scope="session")
def server():
    with running_app() as address:
        yield address


@pytest.fixture
def app(browser, request):
    """Address of the one server of all files; it is started only where there is a browser."""
    return request.getfixturevalue("server")


@pytest.fixture
def open_page(browser):
    """Function that opens an address; it fails on a fault of the page, and on what the server's headers forbid."""
    faults, contexts = browser.outside, contextlib.ExitStack()
    faults.clear()

    def open_(address, **options):
        page = contexts.enter_context(browser.context(**options)).new_page()
        page.set_default_timeout(1000 * GESTURE_SECONDS)
        page.set_default_navigation_timeout(1000 * START_SECONDS)
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda said: faults.append(said.text) if POLICY in said.text else None)
        page.goto(address)
        return page

    with contexts:
        yield open_
    assert not faults, faults


def forgiving():
    """Let pass what Playwright says of a part of the page that is not there, or not any more."""
    from playwright.sync_api import Error

    return contextlib.suppress(Error)


class Quiet:
    """How long nothing has happened on a page: it showed the same, and its script did not run."""

    def __init__(self, page):
        self._page, self._shown, self._at, self.seconds = page, None, time.monotonic(), 0.0

    def look(self):
        """Count the time since the last look, which is quiet if the page shows what it showed then."""
        shown, now = None, time.monotonic()
        with forgiving():
            shown = self._page.url, said_by(self._page)
        if shown is None or shown != self._shown:
            self.seconds = 0.0
        elif not self._page.locator(RUNNING).count():
            self.seconds += now - self._at
        self._shown, self._at = shown, now


def said_by(page):
    return page.locator("body").inner_text()


def holds(page, question, seconds=QUIET_SECONDS):
    """Whether the question is answered with yes before the page has been quiet for so long.

    The page draws its parts anew whenever it likes, so a single look, or a part that is not there, proves nothing.
    """
    until, quiet = time.monotonic() + PATIENCE_SECONDS, Quiet(page)
    while True:
        with forgiving():
            if question():
                return True
        quiet.look()
        if quiet.seconds > seconds or time.monotonic() > until:
            return False
        page.wait_for_timeout(50)


def eventually(page, question):
    assert holds(page, question), f"this did not come, and now the page waits: {page.url}\n{said_by(page)}"


def insist(page, gesture, answered):
    """Make a gesture, which must do no harm twice, until the page answers: what it aims at may just be redrawn."""
    for doubling in range(GESTURES):
        with forgiving():
            gesture()
        if holds(page, answered, GESTURE_SECONDS << doubling):
            return
    pytest.fail(f"no answer to a gesture made {GESTURES} times: {page.url}\n{said_by(page)}")


def open_drawer(page, name):
    """Open the drawer whose button has this name, and leave it open."""
    button, drawer = page.get_by_role("button", name=name).first, page.get_by_test_id("stPopoverBody")
    insist(page, lambda: drawer.is_visible() or button.click(), drawer.is_visible)


def settle(page):
    """Wait until the page has been drawn and nothing on it moves any more."""
    eventually(page, lambda: page.get_by_test_id("stMainBlockContainer").is_visible())
    at_work = page.locator(RUNNING).or_(page.get_by_role("button", name="Cancel"))
    eventually(page, lambda: len(said_by(page)) > 300 and not at_work.count())
    quiet = Quiet(page)

    def rests():
        quiet.look()
        return quiet.seconds > SETTLED_SECONDS and not page.evaluate(MOVING)

    eventually(page, rests)


def wait_for_tree(page):
    eventually(page, lambda: page.locator('g.node[data-node="0"]').is_visible())
    eventually(page, lambda: page.locator(".espalier-surface canvas").first.is_visible())


def open_tree(open_page, address):
    """The Tree page of this address, once its tree and its surface are there."""
    page = open_page(address)
    wait_for_tree(page)
    return page


def click_at(plane, x=0.5, y=0.5):
    """Click at these shares of the width and the height of a plane."""
    box = plane.bounding_box()
    plane.click(position={"x": box["width"] * x, "y": box["height"] * y})


def asks(page, part):
    """Question whether the address says so: the state of the page has reached the server and come back."""
    return lambda: part in unquote(urlsplit(page.url).query)


def shows(page, text):
    return lambda: page.get_by_text(text).first.is_visible()


def small_letters(page, least):
    """(size, text) of the letters that are smaller than so many pixels, each once."""
    return sorted({(size, text) for size, text in page.evaluate(LETTERS) if size < least})


def card_letters(page):
    """Sizes of all words on the cards of the tree, in pixels of the screen."""
    return page.locator("g.node text").evaluate_all(
        "all => all.map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"
    )
