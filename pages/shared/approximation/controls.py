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
from espalier.language import in_style, say, uncapitalize
from espalier.learners.black_boxes.models import BLACK_BOXES, black_box
from espalier.learners.catalogue import Model, Setting, settings
from espalier.settings import MAX_APPROXIMATION_SECONDS
from pages.shared.app import address
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.app.links.readers import one_of
from pages.shared.canvas.slider import slider
from pages.shared.data import library
from pages.shared.jobs.note import Far, time_left
from pages.shared.jobs.run import Job
from pages.shared.models import drawer, forests
from pages.shared.models.of_columns import carried
from pages.shared.models.settings import spoken_options
from pages.shared.models.tree_settings import TreeSettings
from pages.shared.own_models import orders, uploads

WITH_ARTICLE = ("forest", "svm", "network", "cultivated")

OURS = {"forest-a": "a", "forest-b": "b"}  # forests of the Forests page, by their side there
OWN = "onnx"
TREES = {"cart", "optimal"}  # in forests whose trees have boxes for leaves
NO_TARGET = Feature("")  # the settings are the same for every target
BOX = "box"  # key of the choice of a black box
KEYS = {
    "depth": "ap-depth", "samples": "ap-samples", "method": "ap-method", "level": "ap-alpha", "width": "ap-width",
    "without": "ap-without", "jump": "ap-jump", "variance": "ap-variance", "undecided": "ap-limit",
    "random": "ap-seed", "box-random": "ap-box-seed",
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
    """Give way to a target of another kind (see `forest_controls.settle`) and to other columns; notes on these."""
    forests.drop_invalid(dataset)
    return orders.drop_invalid(dataset)


def model() -> Model:
    """The model that the controls stand for; its black box is one of `names`."""
    return SETTINGS.model(NO_TARGET).with_settings(method=_method())


def title(model: Model) -> str:
    """The name of the black box on the page."""
    box = model.value(BOX)
    if box in OURS:
        return say("Forest {title}", title=forests.title(OURS[box]))
    return say("Your model") if box == OWN else say(black_box(box).title)


def in_sentence(model: Model) -> str:
    """The name of the black box in the middle of a sentence."""
    return _name_in_sentence(model.value(BOX), title(model))


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
    samples, methods = spoken_options(settings.SAMPLES), spoken_options(settings.METHOD)
    is_exact = _method() == "exact"
    _pick(
        "samples", st.segmented_control, options=list(samples), format_func=samples.get, required=True,
        width="stretch", disabled=is_exact,
    )  # fmt: skip
    carried.carry(_asked_of_columns())
    _pick("method", st.radio, options=list(methods), format_func=methods.get, disabled=not can_be_exact())
    if not can_be_exact():
        st.caption(_why_not_exact())
    _pick("level", disabled=is_exact)
    _pick("width")
    _pick("jump", slider, options=range(0, 101, 5), format_func=app_sentences.percentage)
    for setting in ("variance", "undecided", "random"):
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


def _why_not_exact() -> str:
    box = st.session_state[BOX]
    if box in OURS and forests.model(OURS[box], library.chosen().target).kind.is_sum:
        return say(
            "Not exactly: what gradient boosting says of classes, and of counts, is no sum over "
            "its trees, since a link bends it."
        )
    return say("Only a tree or forest of ours can be asked exactly.")


def _pick(setting: str, widget: Callable[..., Any] | None = None, **options: Any) -> None:
    SETTINGS.pick(KEYS[setting], NO_TARGET, widget, **options)


def _title(name: str) -> str:
    if name in OURS:
        return say("Forest {title} of the Forests page", title=forests.title(OURS[name]))
    return say("Your own model (a file)") if name == OWN else say(black_box(name).title)


def _name_in_sentence(box: str, title: str) -> str:
    """Name of a black box in the middle of a sentence."""
    if box == "onnx":
        return say("your model")
    name = uncapitalize(title)
    if box.startswith("forest-"):
        return name
    return say("the {name}", name=name) if box in WITH_ARTICLE else say("{name}", context="a model", name=name)


# ---- progress of a black box and its tree, as a share and in words: learning, asking, growing, comparing

CLEAR_SECONDS = 2.0  # of growing, after which its pace is clear


def how_far(model: Model, job: Job) -> Far:
    """Return the share of the present phase that is done, and a text on it."""
    work, estimator = job.work.call, job.work.call.estimator
    if not work.is_growing:
        is_own = model.value(BOX) == OWN
        return Far(
            0.0,
            say(
                "{title} is being asked ({seconds} s so far)" if is_own else "{title} learns ({seconds} s so far)",
                title=title(model),
                seconds=in_style(f"{job.seconds:.0f}"),
            ),
        )
    if work.heard[1]:
        done, of = work.heard.tolist()
        return Far(
            done / of,
            say(
                "**The tree is grown.** To compare both, {n} of {of} other rows are asked about",
                n=count(done),
                of=count(of),
            ),
        )
    if getattr(estimator, "growth_", None) is not None:
        return _growing(model, job)
    return _asking(model, job)


def _asking(model: Model, job: Job) -> Far:
    """Progress before there is a root: the table's rows are asked about, and then the model is timed."""
    estimator, n = job.work.call.estimator, job.work.total
    if hasattr(estimator, "oracle_"):  # the rows have been answered; a slow model is timed
        return Far(1.0, say("**The tree begins**, {seconds} s so far", seconds=in_style(f"{job.seconds:.0f}")))
    asked = min(getattr(getattr(estimator, "asking_", None), "n_answered", 0), n)
    return Far(
        asked / n,
        say(
            "{title} is asked about {n} of the {of} rows of the table, {seconds} s so far",
            title=title(model),
            n=count(asked),
            of=count(n),
            seconds=in_style(f"{job.seconds:.0f}"),
        ),
    )


def _growing(model: Model, job: Job) -> Far:
    estimator = job.work.call.estimator
    since = time.monotonic() - estimator.growth_.began
    if model.value("method") == "exact":
        return Far(
            job.share,
            say(
                "**The tree grows**: {seconds} s so far, {left}",
                seconds=in_style(f"{job.seconds:.0f}"),
                left=_about(job, since),
            ),
        )
    asked, most = drawn(estimator)
    left = _at_most(asked, most, since)
    return Far(
        asked / max(most, 1),
        say(
            "**The tree grows**: {n} of at most {most} made-up cases asked, {seconds} s so far, {left}",
            n=count(asked),
            most=count(most),
            seconds=in_style(f"{job.seconds:.0f}"),
            left=left,
        ),
    )


def drawn(estimator: Any) -> tuple[int, int]:
    """Return the made-up cases that the model was asked about, and the most that there may be."""
    asked = estimator.n_asked_
    return asked, max(round(estimator.growth_.most), asked)


def _at_most(asked: int, most: int, seconds: float) -> str:
    """Time that is left at the pace so far, if all splits need all they may."""
    left = _until_limit(seconds)
    if asked and seconds >= CLEAR_SECONDS:
        left = min(seconds * (most - asked) / asked, left)
    return _time_limit(time_left(left))


def _about(job: Job, seconds: float) -> str:
    """Time that is left to the exact method, by the rows that are done."""
    left = _until_limit(seconds)
    if job.share and seconds >= CLEAR_SECONDS:
        return time_left(min(seconds * (1 / job.share - 1), left))
    return _time_limit(time_left(left))


def _until_limit(seconds: float) -> float:
    return max(MAX_APPROXIMATION_SECONDS - seconds, 1.0)


def _time_limit(time: str) -> str:
    """An upper limit of the time that is left."""
    return say("at most {time}", time=time)
