"""The models that a person has brought: their files, kept by digest while the server runs; which one is in use.

A session has several on a shelf, each with a name and with what was said of it; a place for models of a page may
have another one than that in use.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.data import Dataset
from espalier.language import say, to_say
from espalier.learners.black_boxes.ready import ABSENT, can_read
from espalier.learners.catalogue import OWN_MODEL, Model
from espalier.learners.imports.read import holds_trees
from espalier.settings import MAX_ONNX_MB
from pages.shared.app import sessions
from pages.shared.app.address import Choice, Entry
from pages.shared.app.frame import callback
from pages.shared.app.store import Store
from pages.shared.own_models import orders, trained

GONE = to_say("This server has no such model (any more). Upload the file again, and the link works.")

NAME = OWN_MODEL.name  # in a place for models
KEY = "ap-onnx"  # digest of the file in use, in the address, in saved sessions and in the session state
SHELF, PICKED, TITLE = "own-models", "own-model-picked", "own-model-name"  # keys of the session state
WIDGET = "onnx-upload"
MODEL_KEYS = (orders.CLASSES, orders.COLUMNS, trained.KEY)  # what is set for each model by itself
IN_USE = ""  # in a place: the model whose controls are drawn
MOST_KEPT = 8  # files
MOST_LETTERS = 60  # of a name
TREES = ["json", "ubj", "txt"]  # endings of files of trees, which need no runtime


class UploadedModel(NamedTuple):
    """A person's own model, and the orders of its classes and columns; None for those that agree best."""

    digest: str  # of the file; empty where there is none yet
    classes: tuple[int, ...] | None
    columns: tuple[int, ...] | None


@st.cache_resource(show_spinner=False)
def store() -> Store[bytes]:
    """The server's uploaded models."""
    return Store(MOST_KEPT)


def url_entries() -> list[Entry]:
    """The file, its orders and the rows that it was trained on, as parts of the address."""
    return [Entry(KEY, "", digest_of, name="onnx"), *orders.url_entries(), trained.entry()]


def place_entry(place: str, parameter: str) -> Entry:
    """The model of a place as a part of the address; `parameter` is what the URL calls the place."""
    return Entry(f"{place}-own-file", IN_USE, digest_of, name=f"{parameter}-file", only=Choice(place, (NAME,)))


def digest_of(text: str) -> str:
    """Reader of a digest in the address."""
    if len(text) != 32 or not set(text) <= set("0123456789abcdef"):
        raise ValueError(say("the 32 letters that a link to an uploaded model has"))
    return text


def brought() -> UploadedModel:
    """The model that the controls stand for."""
    return UploadedModel(st.session_state[KEY], orders.chosen(orders.CLASSES), orders.chosen(orders.COLUMNS))


def in_place(place: str) -> Model:
    """A person's own model among others, with the rows that it was trained on: that of a place."""
    digest = st.session_state.get(f"{place}-own-file", IN_USE) or st.session_state[KEY]
    there = _shelf().get(digest, {}) if digest != st.session_state[KEY] else st.session_state
    classes, columns, said = (there.get(key, "") for key in MODEL_KEYS)
    file = UploadedModel(digest, orders.order_of(classes), orders.order_of(columns))
    return Model(NAME, tuple((file._asdict() | {"trained": said}).items()))


def file_of(model: Model) -> UploadedModel:
    """The file of such a model."""
    settings = dict(model.settings)
    return UploadedModel(*(settings[name] for name in UploadedModel._fields))


def rows_of(model: Model, dataset: Dataset) -> np.ndarray | None:
    """(n_samples,) bool: the rows that such a model was trained on; None where it is not known."""
    return trained.mask(dataset, dict(model.settings)["trained"])


def judged_on(model: Model, dataset: Dataset) -> str:
    """Which rows judge such a model, in a sentence."""
    return trained.judged_on(dataset, dict(model.settings)["trained"])


def title(model: Model | None = None) -> str:
    """The name of a model, or of the one in use, of letters that mean nothing in Markdown and HTML."""
    return _title(st.session_state[KEY] if model is None else file_of(model).digest)


def why_not(digest: str) -> str:
    """Why the file of this digest cannot be used, and what to do, Markdown; "" where it can."""
    file = store().find(digest)
    if not MAX_ONNX_MB or (file is not None and not holds_trees(file) and not can_read()):
        return say("**Your own model cannot be read here:** {why}. Or choose another model.", why=say(ABSENT))
    if not digest:
        return say("**Upload your model** above: it is asked as it is, and nothing is fitted again.")
    return say(GONE) if file is None else ""


def is_there(digest: str) -> bool:
    """Whether the file of this digest can be used; the page says so where it cannot."""
    why = why_not(digest)
    if why:
        (st.warning if why == say(GONE) else st.info)(why)
    return not why


# ---- the controls


def draw(dataset: Dataset, judges: bool = True) -> None:
    """The control that takes a file, the shelf, and what is said of the model in use.

    `judges` says whether the page judges the model on rows of the table: then it asks which it was trained on.
    """
    if not MAX_ONNX_MB:
        return
    st.file_uploader(
        say("Model file (.json, .ubj, .txt or .onnx, at most {megabytes} MB)", megabytes=MAX_ONNX_MB),
        type=[*TREES, "onnx"], max_upload_size=MAX_ONNX_MB, key=WIDGET, on_change=callback(_take),
        help=say(
            "XGBoost writes .json or .ubj, LightGBM .txt, CatBoost .json; for R there is a script. The model "
            "takes the table's {n_columns} columns as numbers, categories as codes 0, 1, …. No pickle is opened.",
            n_columns=len(dataset.features),
        ),
    )  # fmt: skip
    for note in orders.drop_invalid(dataset):
        st.caption(note)
    digest = st.session_state[KEY]
    if not digest:
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="own model bar"):
        st.session_state[PICKED] = digest
        st.selectbox(
            say("Your model"), list(dict.fromkeys([digest, *_shelf()])), format_func=_title, key=PICKED,
            on_change=callback(_pick),
        )  # fmt: skip
        st.button(
            say("Remove this model"), icon=":material/delete:", type="tertiary", key="remove own model",
            help=say("This server then forgets the file. Links to it ask for it again."),
            on_click=callback(_remove),
        )  # fmt: skip
    if judges:
        trained.draw(dataset)
    orders.draw(dataset)


def draw_place(place: str) -> None:
    """Draw the choice among the session's models in a place, where there are several."""
    key, used = f"{place}-own-file", st.session_state[KEY]
    chosen = st.session_state.get(key, IN_USE)
    if chosen == used:
        chosen = st.session_state[key] = IN_USE
    others = [one for one in dict.fromkeys([*_shelf(), chosen]) if one not in (IN_USE, used)]
    if others:
        st.selectbox(
            say("Which of your models"), [IN_USE, *others], key=key,
            format_func=lambda digest: _title(digest or used),
            help=say("What each was trained on is set above, where you choose one after the other."),
        )  # fmt: skip


# ---- the shelf: name and settings of each model that the session has brought, by the digest of its file


def _shelf() -> dict[str, dict[str, Any]]:
    return st.session_state.setdefault(SHELF, {})


def _title(digest: str) -> str:
    return _shelf().get(digest, {}).get(TITLE, "") or say("Your model")


def _take() -> None:
    file = sessions.take_file(WIDGET)
    if file is not None:
        digest = hashlib.blake2b(file.data, digest_size=16).hexdigest()
        store().put(digest, file.data)
        add(digest, file.name)


def add(digest: str, name: str) -> None:
    """Put a model on the shelf, and use it (a callback); one that is there keeps its settings."""
    _set_aside()
    stem = name.rpartition(".")[0] or name
    inert = "".join(letter if letter.isalnum() or letter in "-. " else " " for letter in stem)
    _shelf().setdefault(digest, {TITLE: " ".join(inert.split())[:MOST_LETTERS]})
    _use(digest)


def _set_aside() -> None:
    """Note the settings of the model in use."""
    if digest := st.session_state.get(KEY, ""):
        _shelf().setdefault(digest, {}).update({key: st.session_state[key] for key in MODEL_KEYS})


def _use(digest: str) -> None:
    there = _shelf().get(digest, {})
    st.session_state.update({KEY: digest} | {key: there.get(key, "") for key in MODEL_KEYS})


def _pick() -> None:
    _set_aside()
    _use(st.session_state[PICKED])


def _remove() -> None:
    digest = st.session_state[KEY]
    store().drop(digest)
    _shelf().pop(digest, None)
    _use(next(iter(_shelf()), ""))
