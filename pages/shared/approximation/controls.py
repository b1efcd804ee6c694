"""Controls of the black box and of its tree, as parts of the address; other pages have the same."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from espalier.data import Dataset
from espalier.data.dataset import Feature
from espalier.display.theme import count
from espalier.language import say, uncapitalize
from espalier.learners.black_boxes.models import BLACK_BOXES, black_box
from espalier.learners.catalogue import Model, Setting, settings
from espalier.settings import MAX_APPROXIMATION_SECONDS
from pages.shared.app import address
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.app.links import one_of
from pages.shared.data import library
from pages.shared.jobs.note import Far
from pages.shared.jobs.run import Job
from pages.shared.models import carried, drawer, forests
from pages.shared.models.settings import TreeSettings, spoken_options
from pages.shared.own_models import orders, uploads

WITH_ARTICLE = ("forest", "svm", "network", "cultivated")

OURS = {"forest-a": "a", "forest-b": "b"}  # forests of the Forests page, by their side there
OWN = "onnx"
TREES = {"cart", "optimal"}  # in forests whose trees have boxes for leaves
NO_TARGET = Feature("")  # the settings are the same for every target
BOX = "box"  # key of the choice of a black box
KEYS = {
    "depth": "ap-depth", "samples": "ap-samples", "method": "ap-method", "level": "ap-alpha",
    "without": "ap-without", "random": "ap-seed", "box-random": "ap-box-seed",
}  # fmt: skip
SETTINGS = TreeSettings("approximation", KEYS, {"samples": "100000"}, is_only=True)


def url_entries() -> list[Entry]:
    """All controls, the rows held out among them; and those of the forests that may be the black box."""
    return [
        *drawer.held_out_entries(),
        Entry(BOX, settings.BOX.default, one_of(names())),
        *(entry for entry in SETTINGS.url_entries(NO_TARGET) if entry.key != BOX),
        *forests.url_entries(),
    ]


def names() -> list[str]:
    """Names of the black boxes in the address."""
    return [*(box.name for box in BLACK_BOXES), *OURS, OWN]


def drop_invalid(dataset: Dataset) -> list[str]:
    """Give way to a target of another kind, and to other columns; notes on these."""
    forests.drop_invalid(dataset)
    return orders.drop_invalid(dataset)


def model() -> Model:
    """The model that the controls stand for; its black box is one of `names`."""
    return SETTINGS.model(NO_TARGET).with_settings(method=_method())


def title(model: Model) -> str:
    """The name of the black box on the page."""
    return _title(model.value(BOX))


def _title(box: str) -> str:
    if box in OURS:
        return say("Forest {side}", side=forests.title(OURS[box]))
    return say("Your model") if box == OWN else say(black_box(box).title)


def in_sentence(model: Model) -> str:
    """The name of the black box in the middle of a sentence."""
    box = model.value(BOX)
    if box == OWN:
        return say("your model")
    name = uncapitalize(_title(box))
    if box in OURS:
        return name
    return say("the {name}", name=name) if box in WITH_ARTICLE else say("{name}", context="a model", name=name)


def can_be_exact() -> bool:
    """Whether the black box is made of trees with one leaf for every row."""
    box = st.session_state[BOX]
    if box not in OURS:
        return box == "forest"
    dataset = library.chosen()
    forest = forests.model(OURS[box], dataset.target)
    if forest.kind.is_sum:  # a link bends the sum, of classes and of counts
        return not dataset.is_classification and forest.loss != "poisson"
    return forest.name == "random" or dict(forest.settings).get("base") in TREES


def _method() -> str:
    return st.session_state["ap-method"] if can_be_exact() else "sampled"


FIRST_KEYS = {BOX, KEYS["depth"]}  # of the controls that stand on the page itself


def draw_first(dataset: Dataset) -> DeltaGenerator:
    """Draw the choice of the black box, and what it needs; the room for the depth, which the tree limits."""
    with st.container(horizontal=True, vertical_alignment="center", key="stand-in line"):
        st.selectbox(
            say(settings.BOX.label), names(), key=BOX, format_func=_title, label_visibility="collapsed", width=300
        )
        room = st.container(width=330)
        box = st.session_state[BOX]
        if box in OURS:
            _show_forest(OURS[box])
    if box == OWN:
        with st.container(border=True, key="controls of own model"):
            uploads.draw(dataset, judges=False)
    return room


def draw() -> None:
    """Draw all other settings, and the rows held out."""
    samples, methods, is_exact = (
        spoken_options(settings.SAMPLES),
        spoken_options(settings.METHOD),
        _method() == "exact",
    )
    _pick(
        "samples", st.segmented_control, options=list(samples), format_func=samples.get, required=True,
        width="stretch", disabled=is_exact,
    )  # fmt: skip
    carried.carry(_asked_of_columns())
    _pick("method", st.radio, options=list(methods), format_func=methods.get, disabled=not can_be_exact())
    if not can_be_exact():
        st.caption(say("Only a mean of our trees can be asked exactly."))
    for setting in ("level", "random"):
        _pick(setting, disabled=is_exact)
    _pick("without")
    if st.session_state[BOX] not in (*OURS, OWN):
        _pick("box-random")
    carried.note(_asked_of_columns())
    drawer.draw_held_out()


def _asked_of_columns() -> list[tuple[str, Setting]]:
    return [(key, setting) for key, setting in SETTINGS.of(NO_TARGET).items() if setting.of_columns]


def _show_forest(side: str) -> None:
    """Draw the forest of this side in short, and the way to its page."""
    st.caption(f"{plain(forests.short(forests.model(side, library.chosen().target)))}.", width="content")
    there = address.texts([*forests.url_entries(), *drawer.held_out_entries()])
    here = {key: text for key, text in st.query_params.to_dict().items() if key == "data"}
    st.page_link(
        "pages/forests.py", label=say("Change it on its page"), icon=":material/forest:", query_params=here | there
    )


def _pick(setting: str, widget: Callable[..., Any] | None = None, **options: Any) -> None:
    SETTINGS.pick(KEYS[setting], NO_TARGET, widget, **options)


# ---- progress of a black box and its tree, as a share and in words: learning, asking, growing, comparing

CLEAR_SECONDS = 2.0  # of growing, after which its pace is clear


def how_far(model: Model, job: Job) -> Far:
    """Return the share of the present phase that is done, and a text on it."""
    work, who = job.work.call, title(model)
    growth = getattr(work.estimator, "growth_", None)
    if not work.is_growing:
        return Far(0.0, say("{title} learns", title=who))
    if work.n_compared:
        return Far(job.progress.done / work.n_compared, say("**The tree has grown**, and is compared"))
    if growth is None:  # the table's rows are asked about, and a slow model is timed
        n_asked = getattr(getattr(work.estimator, "asking_", None), "n_answered", 0)
        return Far(min(n_asked / job.work.total, 1.0), say("{title} is asked about the table", title=who))
    share, text = job.share, say("**The tree grows**")
    if model.value("method") != "exact":
        n_asked, most = drawn(work.estimator)
        share = n_asked / max(most, 1)
        text = say("**The tree grows**: {n} of at most {most} made-up cases", n=count(n_asked), most=count(most))
    seconds = time.monotonic() - growth.began
    if share == 0 or seconds < CLEAR_SECONDS:
        return Far(share, text)
    return Far(share, text, min(seconds * (1 / share - 1), max(MAX_APPROXIMATION_SECONDS - seconds, 1.0)))


def drawn(estimator: Any) -> tuple[int, int]:
    """Return the made-up cases that the model was asked about, and the most that there may be."""
    asked = estimator.n_asked_
    return asked, max(round(estimator.growth_.most), asked)
