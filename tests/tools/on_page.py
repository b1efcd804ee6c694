"""What the tests without a browser ask of a page."""

import json
import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from espalier.kernels import compile_all
from pages.shared.models import rail

SOON = 60  # seconds: far more than any of these waits needs
APP = str(Path(__file__).resolve().parent.parent.parent / "app.py")


@pytest.fixture(scope="module", autouse=True)
def engine():
    """The compiled kernels; without them the page would wait for them."""
    if not compile_all.is_warm():
        compile_all.main()


def open_tree(**address):
    """The tree page at this address."""
    page = AppTest.from_file(APP, default_timeout=300)
    for key, value in address.items():
        page.query_params[key] = value
    page.session_state[rail.MORE] = True  # all controls are there
    return page.run()


def sent_to(page, component):
    """What each component of this name was given."""
    return [json.loads(c.proto.json) for c in page.get("bidi_component") if c.proto.component_name == component]


def whole(page):
    """The page, checked to show neither an exception nor the apology for one."""
    assert not page.exception
    assert not [text.value for text in page.markdown if "Something went wrong" in text.value]
    return page


def until_grown(page):
    """The page, run again as long as something grows beside it."""
    until = time.monotonic() + SOON
    while page.get("progress"):
        assert time.monotonic() < until, "a bar of progress stays: of a job that does not end, or of none"
        whole(page.run())
    return page


def metric(page, label):
    return next(m.value for m in page.metric if m.label.startswith(label))


def address_of(page):
    return {key: values[0] if isinstance(values, list) else values for key, values in page.query_params.items()}
