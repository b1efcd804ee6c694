"""The steps of the Dockerfile in a plain folder, and the app that is started from there.

There is no container: the folder stands for the image, another user for its user, and folders of root for those
that cannot be written.
"""

import os
import shutil
import subprocess
import tempfile
import urllib.request
from pathlib import Path

import pytest

from tests.tools.dockerfile import DOCKERFILE, PlainFolder, command, steps
from tests.tools.in_browser import eventually, running, wait_for_tree

pytestmark = pytest.mark.slow
STEPS = steps(DOCKERFILE.read_text("utf-8"))
HITS = """  # whether a kernel was loaded and not compiled
from espalier.kernels.prune import _collapse, collapse_prices
from espalier.kernels.stages import stump
from espalier.trees import parents
tree = stump()
collapse_prices(tree, parents(tree))
print(bool(_collapse.stats.cache_hits))
"""
BASE_MB, MOST_MB = 130, 1_200  # of the slim base image, as its makers give it; of the whole image


def python_of_the_image():
    (base,) = (step.text for step in STEPS if step.word == "FROM")
    name = "python" + ".".join(base.partition(":")[2].split(".")[:2])
    for folder in ("/usr/bin", "/usr/local/bin"):
        if (found := Path(folder) / name).exists():
            return str(found)
    pytest.skip(f"no {name} that every user may run")


@pytest.fixture(scope="module")
def image():
    python = python_of_the_image()
    root = Path(tempfile.mkdtemp(prefix="image-", dir="/tmp"))  # pytest's own folders are closed to other users
    root.chmod(0o755)
    folder = PlainFolder(root, python)
    try:
        for step in STEPS:
            folder.take(step)
        yield folder
    finally:
        shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(scope="module")
def started(image):
    """Address of the app as the image starts it, but with a home that does not even exist."""
    (run,) = (step for step in STEPS if step.word == "CMD")
    environment = image.environment | {"HOME": "/nonexistent", "ESPALIER_MAX_JOB_SECONDS": "60"}
    program = shutil.which(command(run)[0], path=image.environment["PATH"])
    options = [o for o in command(run)[1:] if not o.startswith(("--server.port", "--server.address"))]
    with running([program, *options], image.at, environment, **without_rights()) as address:
        yield address


def without_rights():
    return {"user": 10001, "group": 10001, "extra_groups": []} if os.geteuid() == 0 else {}


def test_the_image_is_small_enough(image):
    assert BASE_MB + image.megabytes < MOST_MB


def test_the_app_answers_that_it_is_well_and_draws_a_tree_without_compiling(image, started, open_page):
    with urllib.request.urlopen(f"{started}/_stcore/health") as answer:
        assert answer.status == 200
    page = open_page(started)
    wait_for_tree(page)
    page.goto(f"{started}/forests")
    eventually(page, lambda: page.get_by_text("out of bag").first.is_visible())
    assert not new_kernels(image)


def new_kernels(image):
    """Compiled kernels that stand beside the links to those of the image."""
    return [path for path in (image.root / "tmp").rglob("*.nb*") if not path.is_symlink()]


def test_without_the_features_of_the_processor_the_kernels_are_not_found(image):
    environment = {name: v for name, v in image.everything().items() if name != "NUMBA_CPU_FEATURES"}
    for known, hits in ((image.everything(), True), (environment, False)):
        said = subprocess.run(["python", "-c", HITS], cwd=image.at, env=known, capture_output=True, text=True)
        assert (said.stdout.strip() == "True") == hits, said.stderr
