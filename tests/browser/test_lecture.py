"""The stage of a lecture, the first visit, and the app in a frame, in a browser."""

import contextlib
import http.server
import threading
from html import escape
from itertools import pairwise

import pytest

from espalier.lessons import BUNDLED, from_folder, lesson_in
from pages.shared.app.frame import FIGURES
from tests.tools.in_browser import (
    card_letters,
    eventually,
    holds,
    insist,
    open_drawer,
    open_tree,
    settle,
    shows,
    small_letters,
    wait_for_tree,
)

pytestmark = pytest.mark.browser
PRESENTED = {"width": 1920, "height": 1080}
BOXES = """all => all.map((one) => one.getBoundingClientRect()).map((box) => [box.left, box.right])"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "screen"),
    [("?data=breast-cancer&depth=4", PRESENTED), ("?data=iris&depth=3", {"width": 1280, "height": 720})],
)
def test_on_the_stage_letters_are_large_the_tree_is_whole_and_its_controls_stay(app, open_page, place, screen):
    page = open_page(f"{app}/{place}")
    page.set_viewport_size(screen)
    wait_for_tree(page)
    tools, foot = page.locator(".st-key-tools"), page.locator(".st-key-stage-bar")
    insist(page, lambda: tools.is_visible() and page.keyboard.press("p"), lambda: not tools.is_visible())
    eventually(page, lambda: min(card_letters(page)) >= 16)
    eventually(page, lambda: not small_letters(page, 16))
    for control in (page.get_by_role("slider", name="Depth, at most"), page.get_by_role("radio", name="CART")):
        assert control.is_visible()

    def bottom():
        return max(
            node.bounding_box()["y"] + node.bounding_box()["height"] for node in page.locator("g.node").all()
        )

    eventually(page, lambda: bottom() < foot.bounding_box()["y"])
    page.keyboard.press("PageDown")
    eventually(page, lambda: "/forests" in page.url)
    page.keyboard.press("Escape")
    eventually(page, tools.is_visible)


def test_the_button_enters_the_stage_as_often_as_it_is_pressed_and_leaves_the_link_as_it_is(app, open_page):
    page = open_tree(open_page, f"{app}/?data=iris")
    share, button = page.get_by_role("button", name="Share"), page.get_by_role("button", name="Present")
    leave = page.get_by_role("button", name="Leave the stage")
    for way_out in (lambda: page.keyboard.press("Escape"), leave.click):
        insist(page, share.click, button.is_visible)
        assert not leave.is_visible()
        button.click()
        eventually(page, lambda: not share.is_visible() and not button.is_visible())
        way_out()
        eventually(page, share.is_visible)
    assert "present" not in page.url


@pytest.mark.slow
def test_on_the_stage_words_of_charts_are_large_and_whole_and_so_are_tables_under_a_figure(app, open_page):
    page = open_page(f"{app}/reliability?present&folds=3&m1=cart&m2=baseline&m3=none")
    page.set_viewport_size(PRESENTED)
    settle(page)
    eventually(page, lambda: page.locator(".js-plotly-plot text").count())
    assert not small_letters(page, 18)
    words = page.locator(".js-plotly-plot .legendtext").evaluate_all(BOXES)
    assert all(before[1] < after[0] for before, after in pairwise(words))
    page.goto(f"{app}/compare?present&folds=3&m3=none")
    settle(page)
    [(left, right)] = page.locator(".js-plotly-plot").last.evaluate_all(BOXES)
    words = page.locator(".js-plotly-plot").last.locator("text").evaluate_all(BOXES)
    assert all(left <= begin and end <= right for begin, end in words)
    page.goto(f"{app}/basics?present")
    settle(page)
    for row in page.locator("tbody tr").all():
        assert row.bounding_box()["y"] + row.bounding_box()["height"] <= PRESENTED["height"]


def test_another_language_is_that_of_the_buttons_on_the_tree_too(app, open_page):
    page = open_tree(open_page, f"{app}/?data=iris")
    open_drawer(page, "Share")
    page.get_by_text("Deutsch", exact=True).click()
    eventually(page, page.get_by_role("button", name="Ganz").is_visible)
    assert page.locator(".bar").get_by_text("Fit", exact=True).count() == 0


@pytest.mark.slow
@pytest.mark.parametrize("part", [".welcome button", ".espalier-tree", ".espalier-surface", ".st-key-stage-bar"])
def test_the_sentence_of_a_first_visit_lies_over_the_page_and_goes_for_good(app, open_page, part):
    page = open_tree(open_page, app)
    welcome = page.get_by_text("Grow a decision tree. Click a box or a point; drag Depth.")
    eventually(page, welcome.is_visible)
    settle(page)
    before = page.locator(".espalier-surface").bounding_box()
    page.keyboard.press("p")
    eventually(page, lambda: welcome.count() and not welcome.is_visible())  # nothing lies over a lecture
    page.keyboard.press("Escape")
    eventually(page, welcome.is_visible)
    page.locator(part).click(position={"x": 5, "y": 5})
    eventually(page, lambda: not welcome.count())
    settle(page)
    assert page.locator(".espalier-surface").bounding_box() == before
    page.reload()
    wait_for_tree(page)
    assert not welcome.count()


def test_a_frame_shows_the_figure_that_it_asks_for_alone(app, open_page):
    page = open_page(f"{app}/?data=iris&embed=true&figure=tree")
    eventually(page, lambda: page.locator("g.node").count() == 7)
    assert not page.get_by_text("Grow a decision tree. Click a box or a point; drag Depth.").count()
    for part in ("places", "tools", "stage-bar"):
        assert not page.locator(f".st-key-{part}").is_visible()
    assert not page.locator(".espalier-surface").count()


@pytest.mark.slow
def test_a_lesson_is_walked_by_keys_alone_from_its_first_step_to_the_result(app, open_page):
    steps = lesson_in(from_folder(BUNDLED / "purity")).steps
    places = [f"{n}{r}" for n, step in enumerate(steps, 1) for r in ("", "r")[: 1 + bool(step.reveal)]]
    page = open_page(f"{app}/?lesson=purity&step=1&present")
    page.set_viewport_size(PRESENTED)
    heading = page.locator(".st-key-lesson h4")
    for before, place in pairwise(places):
        title = steps[int(before.rstrip("r")) - 1].title
        eventually(page, lambda title=title: heading.filter(has_text=title).count())
        settle(page)
        insist(page, lambda: page.keyboard.press("PageDown"), lambda at=place: f"step={at}&" in f"{page.url}&")
    insist(page, lambda: page.keyboard.press("PageUp"), lambda: f"step={places[-2]}&" in f"{page.url}&")
    settle(page)
    insist(page, lambda: page.keyboard.press("PageDown"), lambda: f"step={places[-1]}&" in f"{page.url}&")
    settle(page)
    insist(page, lambda: page.keyboard.press("PageDown"), shows(page, "No question was answered yet."))


@contextlib.contextmanager
def slide(address):
    """Address of a page, on a port of its own, that shows another one in a frame."""

    class Slide(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            frame = f'<iframe src="{escape(address)}" width="1000" height="620"></iframe>'
            self.wfile.write(f"<!doctype html><p>A slide</p>{frame}".encode())

        def log_message(self, format, *args):
            """Say nothing of each request."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slide) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.slow
def test_a_slide_of_another_server_shows_one_figure_in_its_own_colours(app, open_page):
    with slide(f"{app}/hesitation?embed=true&figure=surfaces") as address:
        page = open_page(address, color_scheme="dark")
        frame = page.frame_locator("iframe")
        eventually(page, lambda: frame.locator(".espalier-surface").count() == 3)
        assert not frame.get_by_role("heading").count()
        assert frame.get_by_role("slider").is_visible()
        paper = frame.locator("[data-testid=stApp]").evaluate("(app) => getComputedStyle(app).colorScheme")
        assert paper == "dark"


PLACES = {
    "forests": "a-trees=5&b-trees=5",
    "compare": "folds=3",
    "reliability": "folds=3&m2=none&row=70",
    "new_rows": "rows=held",
}


@pytest.mark.slow
def test_a_frame_of_the_tree_page_shows_the_tab_that_is_asked_for_alone(app, open_page):
    page = open_page(f"{app}/?data=iris&tab=Error+by+size&embed=true&figure=view")
    eventually(page, page.locator(".st-key-figure-view svg").first.is_visible)
    assert not page.locator("g.node").count()


@pytest.mark.slow
@pytest.mark.parametrize("path", FIGURES)
def test_on_the_stage_no_page_has_a_tab_with_letters_under_13_pixels(app, open_page, path):
    page = open_page(f"{app}/{path}?{PLACES.get(path, '')}&present")
    page.set_viewport_size(PRESENTED)
    settle(page)
    eventually(page, lambda: page.locator("html.espalier-presents").count() == 1)
    tabs = page.get_by_role("tab")
    found = {}
    for name in tabs.all_inner_texts() or [None]:
        if name:
            tab = tabs.filter(has_text=name).first
            insist(page, tab.click, lambda tab=tab: tab.get_attribute("aria-selected") == "true")
            settle(page)
        if not holds(page, lambda: not small_letters(page, 13), 3):
            found[name] = small_letters(page, 13)
    assert found == {}


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in FIGURES if path])
def test_every_page_draws_the_figures_that_a_frame_can_show_alone(app, open_page, path):
    for figure in FIGURES[path]:
        page = open_page(f"{app}/{path}?{PLACES.get(path, '')}&embed=true&figure={figure}")
        eventually(page, page.locator(f".st-key-figure-{figure}").is_visible)
