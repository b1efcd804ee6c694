"""Pages on models in a real browser: what is clicked, chosen or brought is in the link and found again."""

import re

import pytest

from tests.tools.in_browser import asks, click_at, eventually, insist, open_tree, shows, wait_for_tree

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_models_are_compared_by_another_score_and_the_table_is_saved(app, open_page):
    page = open_page(f"{app}/compare?folds=3&m3=none")
    eventually(page, shows(page, "Row minus column"))
    eventually(page, lambda: page.locator(".js-plotly-plot").count() == 2)
    page.get_by_role("combobox", name="Compare by").fill("log loss")
    insist(page, lambda: page.keyboard.press("Enter"), asks(page, "by=log_loss"))
    eventually(page, shows(page, "differences in log loss"))
    page.get_by_text("Scores, size, time").click()
    with page.expect_download(timeout=60_000) as waiting:
        page.get_by_role("button", name="CSV", exact=True).click()
    table = waiting.value.path().read_text(encoding="utf-8")
    assert table.startswith("model,folds,accuracy")
    assert [line.split(",")[0] for line in table.splitlines()[1:]] == ["CART", "Optimal", "Baseline"]
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


@pytest.mark.slow
@pytest.mark.parametrize("link", ["compare?folds=3&m2=baseline&m3=none&m4=none", "reliability?folds=3&m2=none"])
def test_on_a_phone_nothing_is_wider_than_the_screen(app, open_page, link):
    page = open_page(f"{app}/{link}")
    page.set_viewport_size({"width": 390, "height": 844})
    eventually(page, shows(page, "When it says 80 %"))
    eventually(page, lambda: not page.evaluate("document.documentElement.scrollWidth > innerWidth"))


@pytest.mark.slow
def test_a_goal_is_set_and_a_ticked_row_has_its_story_told(app, open_page):
    page = open_page(f"{app}/reliability?folds=3&m2=none&m3-depth=3&who=3")
    eventually(page, lambda: page.locator(".js-plotly-plot").count() == 1)
    insist(page, page.get_by_role("radio", name="cost least").click, asks(page, "goal=cost"))
    eventually(page, shows(page, "to ask about all"))
    page.get_by_role("tab", name="Who decides").click()
    table = page.locator('.st-key-figure-rows [data-testid="stDataFrame"]').first

    def tick():
        table.scroll_into_view_if_needed()
        table.click(position={"x": 18, "y": 54})

    insist(page, tick, asks(page, "row="))
    eventually(page, shows(page, "What would change the answer"))
    eventually(page, shows(page, "models on redrawn rows would say"))
    page.get_by_role("tab", name="Who decides").click()
    with page.expect_download(timeout=60_000) as waiting:
        page.get_by_role("button", name="CSV", exact=True).click()
    saved = waiting.value.path().read_text(encoding="utf-8")
    assert saved.startswith("row,doubt,would say,in truth,right,why it is doubted,sepal length")
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_a_bar_is_pointed_at_clicked_linked_to_and_reached_with_the_keyboard(app, open_page):
    page = open_page(f"{app}/stability?draws=20&m2=none&m3=none&same=exact")
    bars = page.locator(".espalier-bars g.bar-of")
    eventually(page, lambda: bars.count() > 4)
    insist(page, lambda: bars.nth(1).hover(force=True), lambda: page.locator(".tip").first.is_visible())
    assert "have this structure at the root." in page.locator(".tip").first.inner_text()
    insist(page, lambda: bars.nth(1).click(force=True), asks(page, "bar=1.0.1."))
    eventually(page, shows(page, "Close"))
    tree = page.locator(".st-key-structure-1 img").bounding_box()
    assert tree["y"] + tree["height"] < page.viewport_size["height"]  # the answer is on the same screen
    page.reload()
    eventually(page, shows(page, "Close"))
    eventually(page, lambda: page.locator(".bar-of.selected").count() == 1)
    chart = page.locator(".espalier-bars svg")

    def choose_the_last():
        chart.focus()
        page.keyboard.press("End")
        page.keyboard.press("Enter")

    insist(page, choose_the_last, asks(page, "bar=1.0.3."))
    eventually(page, shows(page, "Close"))


@pytest.mark.slow
def test_a_clicked_node_is_still_clicked_after_a_look_at_another_tab(app, open_page):
    page = open_page(f"{app}/approximate?box=linear&samples=1000&depth=2")
    node = page.locator('g.node[data-node="1"]')
    eventually(page, node.is_visible)
    insist(page, node.click, asks(page, "node=1"))
    eventually(page, shows(page, "Clear selection"))
    insist(page, page.get_by_role("tab", name="Side by side").click, asks(page, "tab=Side"))
    eventually(page, lambda: page.get_by_alt_text("Where they differ").is_visible())
    page.go_back()
    eventually(page, shows(page, "Clear selection"))


@pytest.mark.slow
def test_a_model_in_a_file_is_approximated_and_its_link_finds_it_again(app, open_page):
    pytest.importorskip("onnxruntime")
    from tests.tools import onnx_files

    page = open_page(f"{app}/approximate?data=moons&box=onnx&samples=1000&depth=2")
    eventually(page, shows(page, "Upload your model"))
    data = onnx_files.classifier(["lower", "upper"], zipmap=False)
    file = {"name": "model.onnx", "mimeType": "application/octet-stream", "buffer": data}
    chooser = page.locator('[data-testid="stFileUploaderDropzoneInput"]')
    insist(page, lambda: chooser.set_input_files(file), asks(page, "onnx="))
    eventually(page, shows(page, "agrees with your model"))
    again = open_page(page.url)
    eventually(again, shows(again, "agrees with your model"))


OPEN = re.compile(r"Open tree \d")


@pytest.mark.slow
def test_a_tree_of_the_wall_is_opened_and_the_way_back_leads_to_the_wall(app, open_page):
    page = open_page(f"{app}/forests?data=moons&a-trees=8&tab=Trees")
    link = page.get_by_role("link", name=OPEN)
    eventually(page, link.is_visible)
    number = link.inner_text().split()[-1]
    insist(page, link.click, asks(page, f"number={number}"))
    wait_for_tree(page)
    page.get_by_role("button", name="More settings").click()
    back = page.get_by_role("link", name="Back to the forests")
    eventually(page, back.is_visible)
    insist(page, back.click, lambda: "/forests" in page.url)
    eventually(page, shows(page, f"Open tree {number}"))
    assert "a-trees=8" in page.url


@pytest.mark.slow
def test_a_sample_clicked_on_a_surface_has_its_votes_counted_tree_by_tree(app, open_page):
    page = open_page(f"{app}/forests?data=two-gaussians&a-trees=8&b-trees=8&tab=One%20row")
    planes = page.locator(".espalier-surface canvas.top")
    eventually(page, lambda: planes.count() == 2)
    # Between the clouds there is a row near enough.
    insist(page, lambda: click_at(planes.nth(0)), asks(page, "row="))
    eventually(page, lambda: page.get_by_alt_text("Tree by tree: of 8 trees").count() == 2)
    page.reload()
    eventually(page, lambda: page.get_by_alt_text("Tree by tree: of 8 trees").count() == 2)


@pytest.mark.slow
def test_tabs_are_reached_with_the_keyboard(app, open_page):
    page = open_page(f"{app}/forests?a-trees=5&b-trees=5")
    tab = page.get_by_role("tab", name="Trees")
    eventually(page, tab.is_visible)

    def move_on():
        tab.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")

    insist(page, move_on, asks(page, "tab=Error"))
    eventually(page, shows(page, "What limits the error"))


@pytest.mark.slow
def test_what_is_chosen_on_one_tab_is_still_chosen_after_a_look_at_others(app, open_page):
    chosen = "row=70&x=sepal%20length&side=b"
    page = open_page(f"{app}/forests?a-trees=5&b-trees=5&tab=Trees&{chosen}")
    eventually(page, page.get_by_role("link", name=OPEN).is_visible)
    for tab in ("Error", "One row", "Agreement", "Importance", "Film", "Error", "Trees"):
        by_default = tab == "Trees"  # which the address leaves out
        is_there = (lambda: "tab=" not in page.url) if by_default else asks(page, f"tab={tab.replace(' ', '+')}")
        insist(page, page.get_by_role("tab", name=tab).click, is_there)
        page.wait_for_timeout(300)  # a failing tab would apologise only once it has run
        eventually(page, lambda: page.locator('[data-test-script-state="notRunning"]').count() > 0)
        assert not page.get_by_text("Something went wrong").count()
    eventually(page, page.get_by_role("link", name=OPEN).is_visible)
    for part in ("row=70", "x=sepal+length", "side=b"):
        assert asks(page, part)(), page.url


@pytest.mark.slow
def test_the_depth_is_moved_and_the_proof_is_of_the_new_tree(app, open_page):
    page = open_tree(open_page, f"{app}/?model=optimal&depth=2")
    eventually(page, shows(page, "tree of depth 2 over every threshold"))
    slider = page.get_by_role("slider", name="Depth, at most")
    insist(page, lambda: slider.press("Home"), asks(page, "depth=1"))
    eventually(page, shows(page, "tree of depth 1 over every threshold"))
    eventually(page, lambda: page.locator("g.node").count() == 3)


@pytest.mark.slow
def test_a_tree_of_the_gallery_is_opened_and_back_closes_it(app, open_page):
    page = open_tree(open_page, f"{app}/?model=optimal&depth=2&slack=3")
    button = page.locator(".st-key-open-tree-2").get_by_role("button")
    eventually(page, button.is_visible)
    insist(page, button.click, asks(page, "tree=2"))
    eventually(page, shows(page, "Tree 2 of the gallery"))
    page.go_back()
    eventually(page, lambda: not page.get_by_text("of the gallery:").count())


@pytest.mark.slow
def test_a_sample_clicked_on_the_greedy_surface_is_selected_in_the_tree(app, open_page):
    page = open_tree(open_page, f"{app}/?model=optimal&depth=2&data=two-gaussians")
    planes = page.locator(".espalier-surface canvas.top")
    fold = page.get_by_text("Greedy beside optimal")
    insist(page, lambda: planes.count() == 3 or fold.click(), lambda: planes.count() == 3)
    # Between the clouds there is a row near enough.
    insist(page, lambda: click_at(planes.nth(1)), asks(page, "row="))
    eventually(page, shows(page, "in truth"))
