"""The app in a real browser: what AppTest cannot see, from the first screen to a download."""

import re
from urllib.parse import urlsplit

import pytest

from tests.tools.in_browser import (
    asks,
    card_letters,
    eventually,
    insist,
    open_drawer,
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
    page = open_page(app)
    wait_for_tree(page)
    for part in (".espalier-tree", ".espalier-surface"):
        eventually(page, lambda part=part: lies_within(page, part, 1400, 900))
    eventually(page, lambda: page.locator("g.node").count() == 7)
    page.set_viewport_size({"width": 1280, "height": 720})
    eventually(page, lambda: min(card_letters(page)) >= 11)


@pytest.mark.slow
def test_a_page_prints_its_figures_whole_and_no_controls(app, open_page):
    page = open_page(app)
    wait_for_tree(page)
    page.emulate_media(media="print")
    for part in ("places", "tools", "stage-bar"):
        assert page.locator(f".st-key-{part}").is_hidden()
    tree, surface = (page.locator(f".espalier-{part}").bounding_box() for part in ("tree", "surface"))
    assert surface["y"] > tree["y"] + tree["height"]
    assert page.evaluate("() => document.documentElement.scrollHeight") > surface["y"] + surface["height"]


@pytest.mark.slow
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


def test_a_drag_regrows_the_tree_before_the_slider_is_let_go_and_is_one_step(app, open_page):
    page = open_page(f"{app}/?data=moons&depth=6")
    wait_for_tree(page)
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
    page = open_page(f"{app}/?node=2")
    wait_for_tree(page)
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
    page = open_page(app)
    wait_for_tree(page)
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
