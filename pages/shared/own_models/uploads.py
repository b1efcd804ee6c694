"""The model that a person has brought: its file, kept by its digest while the server runs, and its controls."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.approximation.fidelity import Arranged, arrange
from espalier.data import Dataset
from espalier.language import Refusal, say, to_say
from espalier.learners.black_boxes.ready import ABSENT, ABSENT_FILE, can_read, read_onnx
from espalier.learners.catalogue import OWN_MODEL, CommonTerms, Model
from espalier.learners.imports.in_table import TableForest
from espalier.learners.imports.read import holds_trees, read_apart
from espalier.settings import MAX_ONNX_MB
from pages.shared.app import links, sessions
from pages.shared.app.address import Choice, Entry
from pages.shared.app.frame import callback
from pages.shared.app.store import Store
from pages.shared.own_models import orders, trained

GONE = to_say("This server has no such model (any more). Upload the file again, and the link works.")

NAME = OWN_MODEL.name  # in a place for models
KEY = "ap-onnx"  # digest of the file in use, in the address, in saved sessions and in the session state
WIDGET = "onnx-upload"
MOST_KEPT = 8  # files
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


def former_entry(place: str, parameter: str) -> Entry:
    """The choice among several such models in a place, which has gone; in URLs it is called after `parameter`."""
    text = say("a page has one model of your own at a time")
    return links.gone_entry(f"{place}-own-file", text)._replace(
        name=f"{parameter}-file", only=Choice(place, (NAME,))
    )


def digest_of(text: str) -> str:
    """Reader of a digest in the address."""
    if len(text) != 32 or not set(text) <= set("0123456789abcdef"):
        raise ValueError(say("the 32 letters that a link to an uploaded model has"))
    return text


def brought() -> UploadedModel:
    """The model that the controls stand for."""
    return UploadedModel(st.session_state[KEY], orders.chosen(orders.CLASSES), orders.chosen(orders.COLUMNS))


def as_model() -> Model:
    """The model in use among others, with the rows that it was trained on."""
    return Model(NAME, tuple((brought()._asdict() | {"trained": st.session_state[trained.KEY]}).items()))


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


def why_unreadable(digest: str) -> str:
    """Why the file of this digest cannot be used, and what to do, Markdown; "" where it can."""
    file = store().find(digest)
    if not MAX_ONNX_MB or (file is not None and not holds_trees(file) and not can_read()):
        return say("**Your own model cannot be read here:** {why}. Or choose another model.", why=say(ABSENT))
    if not digest:
        return say("**Upload your model** above: it is asked as it is, and nothing is fitted again.")
    return say(GONE) if file is None else ""


def is_there(digest: str) -> bool:
    """Whether the file of this digest can be used; the page says so where it cannot."""
    why = why_unreadable(digest)
    if why:
        (st.warning if why == say(GONE) else st.info)(why)
    return not why


# ---- the controls


def draw(dataset: Dataset, judges: bool = True) -> None:
    """The control that takes a file, and what is said of the model in use.

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
    if st.session_state[KEY]:
        if judges:
            trained.draw(dataset)
        orders.draw(dataset)


def _take() -> None:
    if (file := sessions.take_file(WIDGET)) is not None:
        data, _ = file
        digest = hashlib.blake2b(data, digest_size=16).hexdigest()
        store().put(digest, data)
        st.session_state.update(
            {KEY: digest, orders.CLASSES: "", orders.COLUMNS: "", trained.KEY: trained.UNKNOWN}
        )


# ---- A person's own model as one that can be asked: read, put into the table's terms, and kept

MOST_READY = 12


@st.cache_resource(show_spinner=False)
def ready() -> Store[tuple[Any, Arranged]]:
    """The server's models that have been read for a table, with the orders of their classes and columns."""
    return Store(MOST_READY)


def arranged(file: UploadedModel, dataset: Dataset, is_forest: bool = False) -> tuple[Any, Arranged]:
    """The model of a file in the orders wanted, and these; `is_forest`: an ONNX file is read as trees, too.

    Raises ValueError, saying why, for one of no use.
    """
    key = _key(file, dataset) + " trees" * is_forest
    arranged_model = ready().find(key)
    if arranged_model is None:
        model = _read(file, dataset, is_forest)
        arranged_model = arrange(model, dataset, file.classes, file.columns)
        ready().put(key, arranged_model)
    return arranged_model


def known(model: Model, dataset: Dataset) -> Arranged | None:
    """The orders of a model that has been read; None before."""
    key = _key(file_of(model), dataset)
    arranged_model = ready().find(key) or ready().find(key + " trees")
    return None if arranged_model is None else arranged_model[1]


def _key(file: UploadedModel, dataset: Dataset) -> str:
    return f"{file} {dataset.digest}"


def _read(file: UploadedModel, dataset: Dataset, is_forest: bool) -> Any:
    data = store().find(file.digest)
    if data is None:
        raise Refusal(ABSENT_FILE)
    table = (dataset.features, dataset.classes)
    return TableForest(read_apart(data), *table) if is_forest or holds_trees(data) else read_onnx(data, *table)


def made(model: Model, dataset: Dataset, is_forest: bool = False, **terms: Any) -> Any:
    """The estimator of any model, not fitted; of a person's own, the model as it is. Raises as `arranged`."""
    if model.name == NAME:
        terms["box"], _ = arranged(file_of(model), dataset, is_forest)
    return model.make(CommonTerms.of(dataset, **terms))


def why_not(model: Model, dataset: Dataset) -> str:
    """Why a person's own model cannot be judged on the table, Markdown; "" where it can, and of others."""
    if model.name != NAME:
        return ""
    return why_unreadable(file_of(model).digest) or trained.why_not(dataset, dict(model.settings)["trained"])
