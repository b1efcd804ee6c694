"""A person's own model, as a file: kept by its digest while the server runs, for links to find it."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import streamlit as st

from espalier.analysis.approximation.arrangement import Arranged, arrange
from espalier.data import Dataset
from espalier.language import Refusal, say
from espalier.learners.black_boxes.onnx import ABSENT, GONE, can_read, read_onnx
from espalier.learners.imports.apart import holds_trees, read_apart
from espalier.learners.imports.in_table import TableForest
from espalier.settings import MAX_ONNX_MB
from pages.shared.app import sessions
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback
from pages.shared.app.store import Store
from pages.shared.approximation import orders
from pages.shared.words.approximate import page as words

KEY = "ap-onnx"  # digest of the file, in the address and in the session state
WIDGET = "onnx-upload"
MOST_KEPT = 8  # files
TREES = ["json", "ubj", "txt"]  # endings of files of trees, which need no runtime


class UploadedModel(NamedTuple):
    """A person's own model, and the orders of its classes and columns; None for those that agree best."""

    digest: str  # of the file; empty where there is none yet
    classes: tuple[int, ...] | None
    columns: tuple[int, ...] | None


def url_entries() -> list[Entry]:
    """The file and its orders, as parts of the address."""
    return [Entry(KEY, "", _digest, name="onnx"), *orders.url_entries()]


def brought() -> UploadedModel:
    """The model that the controls stand for."""
    return UploadedModel(st.session_state[KEY], orders.chosen(orders.CLASSES), orders.chosen(orders.COLUMNS))


def _digest(text: str) -> str:
    if len(text) != 32 or not set(text) <= set("0123456789abcdef"):
        raise ValueError(words.DIGEST)
    return text


@st.cache_resource(show_spinner=False)
def store() -> Store[bytes]:
    """The server's uploaded models."""
    return Store(MOST_KEPT)


def draw(dataset: Dataset) -> None:
    """The control that takes a file, and those of its classes and columns."""
    if not MAX_ONNX_MB:
        return
    st.file_uploader(
        words.file_label(MAX_ONNX_MB), type=[*TREES, "onnx"], max_upload_size=MAX_ONNX_MB, key=WIDGET,
        on_change=callback(_take), help=words.file_help(len(dataset.features)),
    )  # fmt: skip
    if st.session_state[KEY]:
        orders.draw(dataset)


def _take() -> None:
    file = sessions.take_file(WIDGET)
    if file is not None:
        digest = hashlib.blake2b(file.data, digest_size=16).hexdigest()
        store().put(digest, file.data)
        st.session_state[KEY] = digest
        orders.forget()


def is_there(digest: str) -> bool:
    """Whether the file of this digest can be used; the page says so where it cannot."""
    file = store().find(digest)
    if not MAX_ONNX_MB or (file is not None and not holds_trees(file) and not can_read()):
        st.info(words.cannot_read(say(ABSENT)))
    elif not digest:
        st.info(words.UPLOAD)
    elif file is None:
        st.warning(words.GONE)
    else:
        return True
    return False


def model_of(brought: UploadedModel, dataset: Dataset) -> tuple[Any, Arranged | None]:
    """The model of a file in the orders wanted, and these. Raises ValueError, saying why, for one of no use."""
    data = store().find(brought.digest)
    if data is None:
        raise Refusal(GONE)
    table = (dataset.features, dataset.classes)
    model = TableForest(read_apart(data), *table) if holds_trees(data) else read_onnx(data, *table)
    return arrange(model, dataset, brought.classes, brought.columns)
