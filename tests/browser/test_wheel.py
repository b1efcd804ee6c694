"""The wheel in an empty environment outside the checkout: the command opens an app that grows trees."""

import os
import subprocess
import sys
import venv

import pytest

from tests.tools.in_browser import PROJECT, eventually, open_tree, running

pytestmark = pytest.mark.slow


def build(folder):
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, PROJECT]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    (wheel,) = folder.glob("espalier-*.whl")
    return wheel


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Folder of the programs of an environment that holds the wheel, and what it depends on."""
    folder = tmp_path_factory.mktemp("elsewhere")
    venv.create(folder / "environment", with_pip=True)
    programs = folder / "environment" / "bin"
    command = [programs / "python", "-m", "pip", "install", "--quiet", build(folder)]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return programs


@pytest.fixture
def installed(environment, tmp_path):
    """Address of the app that the command opens in an empty folder."""
    outside = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "NUMBA_CACHE_DIR")}
    outside["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    with running([environment / "espalier"], tmp_path, outside) as address:
        yield address
    assert (tmp_path / "cache" / "espalier" / "kernels").is_dir()  # not in the installed package


def test_the_command_opens_an_app_that_grows_another_tree_when_asked(installed, open_page):
    for depth, is_there in ((1, lambda n: n == 3), (3, lambda n: n > 3)):
        page = open_tree(open_page, f"{installed}/?depth={depth}")
        nodes = page.locator("g.node")
        eventually(page, lambda nodes=nodes, is_there=is_there: is_there(nodes.count()))


def test_the_command_brings_the_settings_of_the_app(installed, open_page):
    page = open_tree(open_page, installed)
    family = page.evaluate("getComputedStyle(document.body).getPropertyValue('--st-primary-color')")
    assert family.lower() in ("#0072b2", "")
