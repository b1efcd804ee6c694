"""The notebook of the documentation in a real JupyterLab: run, clicked in, and opened again without its kernel."""

import json
import os
import shutil
import subprocess
import sysconfig
import venv

import pytest

from tests.tools.in_browser import PROJECT, eventually, free_port, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.browser]
NOTEBOOK = PROJECT / "docs" / "how-to" / "notebook.ipynb"
NEEDED = ("jupyterlab", "ipykernel", "anywidget")
STARTED_MS = 120_000  # until a kernel has begun, on a busy machine


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """Folder of the programs of an environment with JupyterLab, and with what this environment has."""
    folder = tmp_path_factory.mktemp("jupyter") / "environment"
    venv.create(folder, with_pip=True)
    install = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", *NEEDED]
    said = subprocess.run(install, capture_output=True, text=True)
    if said.returncode:
        pytest.skip(f"JupyterLab cannot be installed: {said.stderr.strip().splitlines()[-1]}")
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "beside.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "bin"


@pytest.fixture
def lab(programs, tmp_path):
    """Address of a JupyterLab whose folder has the notebook."""
    shutil.copy(NOTEBOOK, tmp_path)
    port = free_port()
    found = os.pathsep.join([str(PROJECT / "core"), os.environ.get("PYTHONPATH", "")])
    outside = os.environ | {"PYTHONPATH": found, "HOME": str(tmp_path)}
    command = [
        programs / "jupyter-lab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}",
        "--ServerApp.root_dir=.", "--IdentityProvider.token=", "--ServerApp.password=",
        "--LabApp.news_url=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]  # fmt: skip
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=tmp_path, env=outside, stdout=quiet, stderr=quiet) as server:
        try:
            wait_for(f"http://127.0.0.1:{port}/api", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.kill()  # some versions wait for ever where they are only asked to end


def opened(open_page, address, name):
    page = open_page(f"{address}/lab/tree/{name}")
    cell = page.locator(".jp-CodeCell .cm-content:visible").first
    cell.wait_for(timeout=STARTED_MS)
    return page


def test_a_tree_is_clicked_in_a_notebook_and_its_picture_stays_when_the_kernel_is_gone(lab, open_page, tmp_path):
    page = opened(open_page, lab, NOTEBOOK.name)
    page.get_by_text("| Idle").wait_for(timeout=STARTED_MS)  # before, cells are not run
    page.locator(".jp-CodeCell .cm-content").first.click()
    page.keyboard.press("Shift+Enter")
    widget = page.locator(".espalier-notebook").first
    nodes = widget.locator("[role=treeitem]")
    nodes.last.wait_for(timeout=STARTED_MS)
    assert not page.locator("[data-espalier] img").first.is_visible()
    nodes.last.click()
    words = widget.locator(".what")
    words.filter(has_text="Leaf 8").wait_for(timeout=STARTED_MS)
    page.locator(".jp-CodeCell .cm-content").nth(1).click()
    page.keyboard.press("Shift+Enter")
    page.locator(".jp-OutputArea-output", has_text="(8, None)").wait_for(timeout=STARTED_MS)
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    words.filter(has_text="Row 101").wait_for(timeout=STARTED_MS)  # Python chose it
    page.keyboard.press("Control+s")
    eventually(page, lambda: "data-espalier" in (tmp_path / NOTEBOOK.name).read_text("utf-8"))
    shutil.copy(tmp_path / NOTEBOOK.name, tmp_path / "saved.ipynb")
    page.close()
    later = opened(open_page, lab, "saved.ipynb?reset")
    later.locator("[data-espalier] img, figure img").first.wait_for(timeout=STARTED_MS)
    assert not later.locator(".espalier-notebook").count()
    assert (
        later.locator("figure img").first.get_attribute("alt").startswith("if petal length ≤ 2.45 then (setosa)")
    )


def test_every_cell_of_the_notebook_runs(programs, tmp_path):
    """As `jupyter execute` runs it, in a kernel of its own."""
    shutil.copy(NOTEBOOK, tmp_path)
    found = os.pathsep.join([str(PROJECT / "core"), os.environ.get("PYTHONPATH", "")])
    outside = os.environ | {"PYTHONPATH": found, "HOME": str(tmp_path)}
    command = [programs / "jupyter-execute", "--inplace", NOTEBOOK.name]
    ran = subprocess.run(command, cwd=tmp_path, env=outside, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-2000:]
    cells = json.loads((tmp_path / NOTEBOOK.name).read_text("utf-8"))["cells"]
    outputs = [output["data"] for cell in cells for output in cell.get("outputs", []) if "data" in output]
    assert sum("text/html" in data for data in outputs) == 5  # four widgets' pictures and a record's
    assert sum("application/vnd.jupyter.widget-view+json" in data for data in outputs) == 4
