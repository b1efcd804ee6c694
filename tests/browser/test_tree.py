"""Trees in a real browser: what AppTest cannot see, from the first screen to a download, and steps back."""

import re
import shutil
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from espalier.kernels import compile_all
from espalier.kernels.caches import cache_folders
from tests.tools.in_browser import (
    asks,
    card_letters,
    click_at,
    eventually,
    insist,
    open_drawer,
    open_tree,
    running_app,
    shows,
    wait_for_tree,
)

pytestmark = pytest.mark.browser


def has_depth(page, depth):
    return lambda: page.locator(".espalier-numbers dl > div").last.inner_text().endswith(f"\n{depth}")


def lies_within(page, part, width, height):
    """Whether all of a part that is drawn, and not just being so, stands in this frame."""
    box = page.locator(part).bounding_box()
    if box is None or min(box["width"], box["height"]) < 200:
        return False
    return box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] + box["height"] <= height


def test_the_first_screen_is_a_tree_above_the_fold_which_is_legible_at_150_per_cent_too(app, open_page):
    page = open_tree(open_page, app)
    for part in (".espalier-tree", ".espalier-surface"):
        eventually(page, lambda part=part: lies_within(page, part, 1400, 900))
    eventually(page, lambda: page.locator("g.node").count() == 7)
    page.set_viewport_size({"width": 1280, "height": 720})
    eventually(page, lambda: min(card_letters(page)) >= 11)


@pytest.mark.slow
def test_a_page_prints_its_figures_whole_and_no_controls(app, open_page):
    page = open_tree(open_page, app)
    page.emulate_media(media="print")
    for part in ("places", "tools", "stage-bar"):
        assert page.locator(f".st-key-{part}").is_hidden()
    tree, surface = (page.locator(f".espalier-{part}").bounding_box() for part in ("tree", "surface"))
    assert surface["y"] > tree["y"] + tree["height"]
    assert page.evaluate("() => document.documentElement.scrollHeight") > surface["y"] + surface["height"]


@pytest.mark.slow
def test_a_slider_regrows_the_tree_and_back_undoes_it(app, open_page):
    page = open_tree(open_page, app)
    slider = page.get_by_role("slider", name="Depth, at most")

    def press_once():
        if slider.get_attribute("aria-valuetext") == "3":
            slider.press("ArrowLeft")

    insist(page, press_once, asks(page, "depth=2"))
    eventually(page, has_depth(page, 2))
    page.go_back()
    eventually(page, has_depth(page, 3))
    eventually(page, lambda: "depth" not in page.url)


def test_a_drag_regrows_the_tree_before_the_slider_is_let_go_and_is_one_step(app, open_page):
    page = open_tree(open_page, f"{app}/?data=moons&depth=6")
    slider = page.get_by_role("slider", name="Depth, at most")

    def drag():
        box, most = slider.bounding_box(), int(slider.get_attribute("max"))
        places = [box["x"] + 8 + (box["width"] - 16) * (depth - 1) / most for depth in range(6, 1, -1)]
        page.mouse.move(places[0], box["y"] + box["height"] / 2)
        page.mouse.down()
        for place in places[1:]:
            page.mouse.move(place, box["y"] + box["height"] / 2)

    insist(page, drag, has_depth(page, 2))
    assert "depth=6" in page.url
    page.mouse.up()
    eventually(page, asks(page, "depth=2"))
    page.go_back()
    eventually(page, has_depth(page, 6))


@pytest.mark.slow
def test_other_data_are_one_step_that_back_undoes(app, open_page):
    page = open_tree(open_page, f"{app}/?node=2")
    data, wine = page.get_by_role("combobox", name="Data"), page.get_by_role("option", name="Wine")
    open_drawer(page, "Other tables")

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


def test_a_node_is_opened_in_the_inspector_by_a_click_and_by_the_keyboard(app, open_page):
    page = open_tree(open_page, app)
    insist(page, page.locator('g.node[data-node="2"]').click, asks(page, "node=2"))
    eventually(page, shows(page, "Node 2"))
    assert page.locator('g.node[data-node="2"] text', has_text=re.compile("^2$")).count() == 1
    rule = page.get_by_role("listitem").filter(has_text="petal length > 2.45")
    insist(page, page.get_by_role("tab", name="Rule").click, lambda: rule.is_visible())

    def walk():
        page.locator('g.node[data-node="0"]').focus()
        for key in ("ArrowDown", "Enter"):
            page.keyboard.press(key)

    insist(page, walk, asks(page, "node=1"))
    eventually(page, shows(page, "Leaf 1"))


def test_a_click_on_a_point_lights_its_path(app, open_page):
    page = open_tree(open_page, app)
    plane = page.locator(".espalier-surface canvas.top")

    def pick_a_sample():
        plane.press("n")
        plane.press("Enter")

    insist(page, pick_a_sample, asks(page, "row="))
    eventually(page, shows(page, "with row"))
    beside_the_rows = partial(click_at, plane, y=0.15)
    insist(page, beside_the_rows, lambda: asks(page, "node=")() and not asks(page, "row=")())


def test_an_export_is_a_program_that_runs(app, open_page, tmp_path):
    page = open_tree(open_page, app)
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


@pytest.mark.parametrize("canvas", ["tree", "surface", "curve"])
def test_a_picture_in_a_file_brings_the_font_of_the_page(app, open_page, canvas):
    page = open_tree(open_page, f"{app}/?data=iris")
    pictures = []
    for kind in ("SVG", "PNG"):
        with page.expect_download() as waiting:
            page.locator(f".espalier-{canvas} .bar").get_by_text(kind, exact=True).dispatch_event("click")
        pictures.append(waiting.value.path().read_bytes())
    [face] = re.findall(rb"@font-face {[^}]*}", pictures[0])
    assert b'"Source Sans"' in face
    assert b"url(data:font/woff2;base64,d09GMg" in face  # as WOFF2 begins
    assert pictures[1].startswith(b"\x89PNG")


def test_a_link_opens_the_same_screen(app, open_page):
    page = open_page(f"{app}/?data=wine&depth=2&node=1&graph=classical&tab=Rule")
    eventually(page, lambda: page.locator('[data-testid="stGraphVizChart"] svg').is_visible())
    eventually(page, shows(page, "Node 1"))
    eventually(page, lambda: page.get_by_role("tab", name="Rule", selected=True).is_visible())


def test_a_file_is_uploaded_and_the_kind_of_a_column_changed_in_its_table(app, open_page):
    page = open_page(f"{app}/data")
    table = "a,b,verdict\n" + "".join(f"{i * 3 % 11},{i * 7 % 10},{'yes' if i % 3 else 'no'}\n" for i in range(30))
    file = {"name": "two.csv", "mimeType": "text/csv", "buffer": table.encode()}
    chooser = page.locator('[data-testid="stFileUploaderDropzoneInput"]').first
    use = page.get_by_role("button", name="Grow its tree")

    def ignore_b():
        page.get_by_test_id("stDataFrame").first.dblclick(position={"x": 210, "y": 36 + 36 + 18})
        kind = page.locator("#portal input")  # of the list that opens: keys pressed before are lost
        kind.fill("ignored")
        kind.press("Enter")

    insist(
        page, lambda: chooser.set_input_files(file), lambda: page.get_by_text("Kinds of the columns").is_visible()
    )
    page.get_by_text("Kinds of the columns").click()
    insist(page, ignore_b, shows(page, "“b” (by your choice)"))
    insist(page, use.click, asks(page, "data="))
    wait_for_tree(page)
    page.go_back()
    eventually(page, lambda: urlsplit(page.url).path == "/data" and use.is_visible())
    eventually(page, shows(page, "two.csv"))


def test_tree_surface_and_depth_stand_on_one_screen_of_a_phone_which_turns_light_as_a_whole(app, open_page):
    page = open_page(
        f"{app}/?data=iris", color_scheme="dark", is_mobile=True, viewport={"width": 390, "height": 844}
    )
    wait_for_tree(page)
    foot = page.get_by_test_id("stBottom").bounding_box()["y"]
    for part in (".espalier-tree", ".espalier-surface .stage"):
        eventually(page, lambda part=part: lies_within(page, part, 390, foot + 1))
    eventually(page, lambda: page.locator("g.node").count() == 7)
    eventually(page, lambda: min(card_letters(page)) >= 11)
    assert page.get_by_role("slider", name="Depth, at most").is_visible()
    mark = page.get_by_test_id("stHeaderLogo")

    def is_dark():
        paper = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
        return max(int(part) for part in re.findall(r"\d+", paper)[:3]) < 60

    eventually(page, is_dark)
    before = mark.get_attribute("src")
    page.emulate_media(color_scheme="light")
    eventually(page, lambda: not is_dark() and mark.get_attribute("src") != before)  # the server's pictures, too


def test_a_link_into_a_server_that_has_just_started_finds_the_whole_app(browser, open_page):
    with running_app() as address:
        page = open_page(f"{address}/data")
        eventually(page, lambda: page.get_by_test_id("stFileUploader").first.is_visible())
        insist(page, page.get_by_role("link", name="Tree", exact=True).click, lambda: page.url == f"{address}/")
        wait_for_tree(page)


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
    page = open_tree(open_page, f"{app}/?data=two-gaussians&model=cultivated&eta=0&depth=3")
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
    page = open_tree(open_page, f"{app}/?model=cultivated&depth=5&k=2")
    insist(page, page.locator("g.node").nth(1).click, asks(page, "node="))
    assert asks(page, "depth=5")()
    assert asks(page, "k=2")()


def test_fractions_of_a_clicked_sample_run_through_the_tree_and_colours_show_the_hesitation(app, open_page):
    page = open_tree(open_page, f"{app}/?data=two-gaussians&model=cultivated&depth=1")
    assert not page.locator("g.badge").count()
    plane = page.locator(".espalier-surface canvas.top")
    # Between the clouds there is a row near enough.
    insist(page, lambda: click_at(plane), asks(page, "row="))
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


def is_at(page, depth, address):
    """Question whether the page shows a tree of this depth, at an address that ends so."""
    shown = page.locator(".espalier-numbers dl > div").last
    return lambda: shown.inner_text().endswith(f"\n{depth}") and page.url.endswith(address)


def choose_next_depth(page, depth):
    page.get_by_role("slider", name="Depth, at most").press("ArrowRight")
    eventually(page, is_at(page, depth, f"depth={depth}"))


def leave_and_return(page, depth):
    """To another page and back, by links."""
    page.get_by_role("link", name="Learn", exact=True).click()
    learns = page.locator(".st-key-place-here").filter(has_text="Learn")
    eventually(page, lambda: "/lessons" in page.url and learns.count())
    page.get_by_role("link", name="Tree", exact=True).click()
    eventually(page, is_at(page, depth, f"depth={depth}"))


@pytest.mark.few(1)
@pytest.mark.parametrize("pause", [0, 50, 200])  # milliseconds after each of the fast steps
def test_back_and_forward_walk_over_pages_and_settings_as_they_were_chosen_however_fast(app, open_page, pause):
    page = open_tree(open_page, f"{app}/?data=moons&depth=3")
    choose_next_depth(page, 4)
    leave_and_return(page, 4)
    chosen = page.evaluate("history.length")
    begun, at_4 = is_at(page, 3, "data=moons"), is_at(page, 4, "depth=4")
    walk = [begun, at_4, lambda: "/lessons" in page.url, at_4]
    for place in reversed(walk[:-1]):
        page.go_back()
        eventually(page, place)
    for place in walk[1:]:
        page.go_forward()
        eventually(page, place)
    for step, place in ((page.go_back, begun), (page.go_forward, at_4)):
        for _ in walk[1:]:
            step()
            page.wait_for_timeout(pause)
        eventually(page, place)
    assert page.evaluate("history.length") == chosen
    assert not page.get_by_text("Connection error").count()
