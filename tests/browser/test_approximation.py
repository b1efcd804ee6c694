"""A black box and its tree in a real browser: a node is clicked and questioned, a model is brought as a file."""

import pytest

from tests.tools.in_browser import asks, eventually, insist, shows

pytestmark = pytest.mark.browser


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
