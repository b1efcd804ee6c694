"""Settings of hypothesis for every test: no deadline, since the first example may compile a kernel.

Also the fixtures of the tests in a browser, which know them by these names. Before the whole suite all kernels are
compiled once, as each of its processes, and each server they start, would otherwise compile them for itself.
"""

import os
import subprocess
import sys

# One thread for each process: on small tables, those of scikit-learn's boosting mostly wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Jobs of pages work on threads here: a test may then put something else in the place of what they call.
os.environ.setdefault("ESPALIER_EXECUTOR", "threads")
# These limits stop hostile files and models; what a test reads is not to fail on a machine that is slow.
os.environ.setdefault("ESPALIER_MAX_READ_SECONDS", "100")
os.environ.setdefault("ESPALIER_MAX_ONNX_SECONDS", "300")

from functools import partial

import pytest
from hypothesis import HealthCheck, settings
from streamlit.testing.v1 import AppTest

from tests.kernels.compiled_late import CompiledLate
from tests.tools import selection
from tests.tools.in_browser import CHROMIUM, app, browser, open_page, server

__all__ = ["app", "browser", "open_page", "server"]

settings.register_profile(
    "espalier",
    deadline=None,
    derandomize="CI" in os.environ,  # a submission is not judged by luck; at home every run tries new examples
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("espalier")


# Streamlit gives a page three seconds, which a busy machine may not have.
AppTest.from_function = partial(AppTest.from_function, default_timeout=300)


def pytest_addoption(parser):
    """Let the command line say which tests run."""
    selection.add_options(parser)


def pytest_collection_modifyitems(config, items):
    """Choose the tests; those in a browser begin, whose files take longest."""
    selection.select(config, items)
    items.sort(key=lambda item: (item.get_closest_marker("browser") is None, item.path))


@pytest.hookimpl(trylast=True)  # when what the test used of the browser is closed
def pytest_runtest_teardown(item, nextitem):
    """Close the browser of this process if the next test needs none."""
    if nextitem is None or "browser" not in nextitem.fixturenames:
        CHROMIUM.close()


def pytest_configure(config):
    """Say at the end of the whole suite which kernels it had to compile after all."""
    selection.include_slow(config)
    if config.args == ["tests"]:
        config.pluginmanager.register(CompiledLate())
        config.args = selection.rotate(config, sorted(map(str, config.rootpath.glob("tests/**/test_*.py"))))


def pytest_sessionstart(session):
    """Compile ahead of the whole suite; one file compiles what it needs."""
    is_worker, is_whole = hasattr(session.config, "workerinput"), session.config.args == ["tests"]
    if is_worker or not is_whole or session.config.option.collectonly:
        return
    from espalier.kernels import compile_all  # takes seconds, which one file need not wait for

    if not compile_all.is_warm():
        say = session.config.get_terminal_writer().line
        say("compiling the kernels, once: this takes some minutes")
        subprocess.run([sys.executable, "-m", "espalier.kernels.compile_all"], check=False)
