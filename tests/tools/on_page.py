"""What the tests without a browser ask of a page."""

import json
import time
from concurrent.futures import wait
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from espalier.data.sessions import session_text
from espalier.kernels import compile_all
from pages.shared.app.address import BY_ITSELF
from pages.shared.data.sessions import FOLD, UPLOAD
from pages.shared.jobs import run
from pages.shared.jobs.run import RUNNER
from pages.shared.models import bar, drawer
from pages.shared.tree import explorer, near_optimal, proof

SOON = 60  # seconds: far more than any of these waits needs
FOLDS = ["critical-look", "all-scores", "are-shares-true", "what-errors-cost", "every-group"]
PLACES = [f"settings {page}{number}" for page in "mtn" for number in (1, 2, 3, 4)]
FOLDS += ["by-threshold", "promises", near_optimal.OPENED, proof.OPENED, FOLD]
# Open, so that all controls are there.
DRAWERS = (drawer.SETTINGS, bar.TABLES, explorer.OPTIONS, explorer.AXES, *PLACES, *FOLDS)
APP = str(Path(__file__).resolve().parent.parent.parent / "app.py")


@pytest.fixture(scope="session", autouse=True)
def engine():
    """The compiled kernels; without them the page would wait for them."""
    if not compile_all.is_warm():
        compile_all.main()


def begin_page(name, state=None, **address) -> Any:
    """A page by a link, after its first run, when what it asks for may still be on its way; `b_trees` is b-trees.

    The session knows `state` already: which drawers are open, say.
    """
    page = AppTest.from_file(APP, default_timeout=300)
    for key, value in address.items():
        page.query_params[key if "-" in key else key.replace("_", "-")] = value
    for key, value in {**dict.fromkeys(DRAWERS, True), **(state or {})}.items():
        page.session_state[key] = value
    return whole(page.switch_page(f"pages/{name}.py").run())


def open_tree(**address):
    """The Tree page at this address, whose drawers are open, so that all controls are there."""
    return begin_page("tree", **address)


def open_page(name, state=None, **address) -> Any:
    """A page by a link, once nothing grows beside it any more. See `begin_page`."""
    return until_grown(begin_page(name, state, **address))


def data_of(component):
    """The data of a component of the app."""
    return json.loads(component.proto.bytes)


def sent_to(page, component):
    """What each component of this name was given."""
    return [data_of(c) for c in page.get("bidi_component") if c.proto.component_name == component]


def data_for(page, component):
    """What the first component of this name was given."""
    return sent_to(page, component)[0]


def tree_id(page):
    """The identity of the tree that a page draws."""
    return data_for(page, "espalier_tree")["cards"]["id"]


def pictures(page):
    """The pictures of a page."""
    return [html.value for html in page.get("html") if "data:image/svg+xml" in html.value]


def whole(page):
    """The page, checked to show neither an exception nor the apology for one."""
    assert not page.exception
    assert not [text.value for text in page.markdown if "Something went wrong" in text.value]
    return page


def run_again(page):
    """The page, run as it runs by itself once jobs have ended, or in a moment: it would only take their time."""
    with RUNNER._lock:
        jobs = [job.ended for job in RUNNER._jobs.values()]
    wait(jobs, 0.3)
    page.session_state[BY_ITSELF] = True
    return whole(page.run())


def run_until(page, is_so):
    """The page, run again until it is so, or long enough."""
    until = time.monotonic() + SOON
    while not is_so(page) and time.monotonic() < until:
        run_again(page)
    return page


def until_grown(page):
    """The page, run again as long as something grows beside it, unless no job ever begins (`idle`)."""
    until = time.monotonic() + SOON
    while page.get("progress") and run.MOST_AT_ONCE:
        assert time.monotonic() < until, "a bar of progress stays: of a job that does not end, or of none"
        run_again(page)
    return page


def with_file(page, key, name, content):
    """The page after a file was given to this uploader."""
    box: Any = next(one for one in page.get("file_uploader") if one.key == key)
    box.set_value([(name, content, "application/octet-stream")])
    return whole(page.run())


def open_session(session):
    """The Data page, once the file of a saved session was given to it."""
    return with_file(begin_page("data"), UPLOAD, "session.json", session_text(session).encode())


def settle(page):
    """The page after a run, and as many more as there is something that grows beside it; or that of a widget."""
    return until_grown(whole(page.run()))


def press(page, name):
    """The page after a press on the button of this label or key."""
    next(button for button in page.button if name in (button.label, button.key)).click()
    return whole(page.run())


def paste(page, text):
    """The Data page after this text was pasted there and read."""
    page.text_area(key="pasted").set_value(text)
    return press(page, "Read the pasted table")


def words_of(page, *kinds):
    """What a page says in elements of these kinds, or of all kinds that say something, links among them."""
    links = [link.proto.label for link in page.get("page_link") if not kinds]
    kinds = kinds or ("markdown", "caption", "info", "warning", "error", "success")
    return "\n".join([*(one.value for kind in kinds for one in getattr(page, kind)), *links])


def captions(page):
    """The captions of a page, without the backslashes that keep names from being Markdown."""
    return words_of(page, "caption").replace("\\", "")


def opened(page, name, **address):
    """Another page, by a link; Stability with few draws, since its trees take long."""
    few = {"draws": "3"} if name == "stability" else {}
    page.query_params.clear()
    for key, value in (few | address).items():
        page.query_params[key] = value
    return until_grown(whole(page.switch_page(f"pages/{name}.py").run()))


def metric(page, label):
    shown = [number for sent in sent_to(page, "espalier_numbers") for number in sent["numbers"]]
    values = {m.label: m.value for m in page.metric} | {number["label"]: number["value"] for number in shown}
    return next(value for name, value in values.items() if name.startswith(label))


def address_of(page):
    return {key: values[0] if isinstance(values, list) else values for key, values in page.query_params.items()}


MESSAGES = count(1)


def say(page, component, **values):
    """The page, to which the browser says this of a component at the next run."""
    return _told(page, WidgetState(id=component.proto.id, json_value=json.dumps(values)))


def tick(page, table, *rows):
    """The page, on which these rows of a table are ticked at the next run."""
    selection = {"selection": {"rows": rows, "columns": [], "cells": []}}
    return _told(page, WidgetState(id=table.proto.id, string_value=json.dumps(selection)))


def _told(page, said):
    tree, states = page._tree, page._tree.get_widget_states

    def with_message():
        every = states()
        every.widgets.append(said)
        return every

    tree.get_widget_states = with_message
    return page


def click_bar(page, bar):
    """The page, with a click on this bar of its only chart of bars at the next run."""
    chart = next(one for one in page.get("bidi_component") if one.proto.component_name == "espalier_bars")
    of = data_of(chart)["chart"]["id"]
    return say(page, chart, picked={"chart": of, "bar": bar, "at": next(MESSAGES)})


class Slider:
    """A slider of the app; what `set_value` sets, the browser says at the next run."""

    def __init__(self, page, key):
        self.key, self._page = key, page
        self._found = next(one for one in page.get("bidi_component") if one.key == f"{key} slider")
        self.data = data_of(self._found)

    @property
    def value(self):
        return self.data["values"][self.data["at"]]

    def set_value(self, value, over=True):
        assert not self.data["disabled"]
        move = {"at": self.data["values"].index(value), "over": over, "n": next(MESSAGES)}
        return say(self._page, self._found, moved=move)


def sliders(page):
    """Keys of the app's sliders on a page."""
    return [data["name"] for data in sent_to(page, "espalier_slider")]


def control(page, kind, key):
    """A widget of Streamlit, or a slider of the app; the page is run again where a run of a part lost it."""
    if key not in (sliders(page) if kind == "slider" else [widget.key for widget in getattr(page, kind)]):
        whole(page.run())
    return Slider(page, key) if kind == "slider" else getattr(page, kind)(key=key)


def set_controls(page, *rounds, names=()):
    """The page with these controls set, those of a round at once, each of which is then in the address.

    A control is its kind, its key, a value and its text; `names` says what the address calls some of the keys.
    """
    for controls in rounds:
        for kind, key, value, _ in controls:
            control(page, kind, key).set_value(value)
        page = settle(page)
        for _, key, _, text in controls:
            assert address_of(page)[dict(names).get(key, key)] == text, key
    return page


def values_of(page, *rounds):
    """What stands in these controls; and what was set in them last."""
    last = {(kind, key): value for controls in rounds for kind, key, value, _ in controls}
    return {place: control(page, *place).value for place in last}, last
