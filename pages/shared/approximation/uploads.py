"""A person's own model, as an ONNX file: kept by its digest while the server runs, for links to find it."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import streamlit as st

from espalier.analysis.approximation.arrangement import Arranged, arrange
from espalier.data import Dataset
from espalier.learners.black_boxes.onnx import ABSENT, can_read, read_onnx
from espalier.settings import MAX_ONNX_MB
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback
from pages.shared.approximation import orders
from pages.shared.jobs.store import Store

KEY = "ap-onnx"  # digest of the file, in the address and in the session state
WIDGET = "onnx upload"
MOST_KEPT = 8  # files
GONE = (
    "This link asks for a model that this server does not have (any more): uploaded models are kept only while it "
    "runs and has room. Upload the file again; the same link then works again."
)


class UploadedModel(NamedTuple):
    """A person's own model, and in which orders its classes and columns stand; None: whichever agree best."""

    digest: str  # of the file; empty where there is none yet
    classes: tuple[int, ...] | None
    columns: tuple[int, ...] | None


def url_entries() -> list[Entry]:
    """Which file, and its orders, as parts of the address."""
    return [Entry(KEY, "", _digest, name="onnx"), *orders.url_entries()]


def brought() -> UploadedModel:
    """What the controls stand for."""
    return UploadedModel(st.session_state[KEY], orders.chosen(orders.CLASSES), orders.chosen(orders.COLUMNS))


def _digest(text: str) -> str:
    if len(text) != 32 or not set(text) <= set("0123456789abcdef"):
        raise ValueError("the 32 letters that a link to an uploaded model has")
    return text


@st.cache_resource(show_spinner=False)
def store() -> Store[bytes]:
    """The server's uploaded models."""
    return Store(MOST_KEPT, lambda file: len(file) / 1e6)


def draw(dataset: Dataset) -> None:
    """The control that takes a file, and those of its classes and columns."""
    if not can_read():
        return
    st.file_uploader(
        f"Model file (.onnx, at most {MAX_ONNX_MB} MB)", type=["onnx"], key=WIDGET, on_change=callback(_take),
        help=f"A model that takes one row of the table's {len(dataset.features)} columns as numbers, categories "
        "as codes 0, 1, …, and says the chances of the classes, or a number. It is run on this server within "
        "limits, and nothing else of it is trusted.",
    )  # fmt: skip
    if st.session_state[KEY]:
        orders.draw(dataset)


def _take() -> None:
    file = st.session_state.get(WIDGET)
    if file is not None:
        data = file.getvalue()
        digest = hashlib.blake2b(data, digest_size=16).hexdigest()
        store().put(digest, data)
        st.session_state[KEY] = digest
        orders.forget()


def is_there(digest: str) -> bool:
    """Whether the file of this digest can be used; the page says so where it cannot."""
    if not can_read():
        st.info(f"**Your own model cannot be read here:** {ABSENT}. Or choose another black box.")
        return False
    if not digest:
        st.info(
            "**Upload your model** as an ONNX file in the left rail; the tree that stands in for it grows here."
        )
        return False
    if store().find(digest) is None:
        st.warning(GONE)
        return False
    return True


def model_of(brought: UploadedModel, dataset: Dataset) -> tuple[Any, Arranged | None]:
    """The model of a file in the orders wanted, and these. Raises ValueError, saying why, for one of no use."""
    data = store().find(brought.digest)
    if data is None:
        raise ValueError("the uploaded file is no longer here; upload it again")
    return arrange(read_onnx(data, dataset.features, dataset.classes), dataset, brought.classes, brought.columns)
