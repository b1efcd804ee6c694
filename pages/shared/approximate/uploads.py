"""A person's own model, as an ONNX file: kept by its digest while the server runs, for links to find it."""

from __future__ import annotations

import hashlib
from typing import Any

import streamlit as st

from core.data import Dataset
from core.learners.onnx_model import read_onnx
from core.settings import MAX_ONNX_MB
from pages.shared.address import Entry
from pages.shared.approximate.kept import Kept

KEY = "ap-onnx"  # digest of the file, in the address and in the session state
WIDGET = "onnx upload"
MOST_KEPT = 8  # files
GONE = (
    "This link asks for a model that this server does not have (any more): uploaded models are kept only while it "
    "runs and has room. Upload the file again; the same link then works again."
)
ABSENT = "this installation cannot run ONNX files; install Espalier with its extra onnx, or choose another model."


def entries() -> list[Entry]:
    """Which file, as part of the address."""
    return [Entry(KEY, "", _digest)]


def _digest(text: str) -> str:
    if len(text) != 32 or not set(text) <= set("0123456789abcdef"):
        raise ValueError("the 32 letters that a link to an uploaded model has")
    return text


@st.cache_resource(show_spinner=False)
def store() -> Kept[bytes]:
    """The server's uploaded models."""
    return Kept(MOST_KEPT)


def draw(dataset: Dataset) -> None:
    """The control that takes a file."""
    st.file_uploader(
        f"Model file (.onnx, at most {MAX_ONNX_MB} MB)", type=["onnx"], key=WIDGET, on_change=_take,
        help=f"A model that takes one row of the table's {len(dataset.features)} columns as numbers, categories "
        "as codes 0, 1, …, and says the chances of the classes, or a number. It is run on this server within "
        "limits, and nothing else of it is trusted.",
    )  # fmt: skip


def _take() -> None:
    file = st.session_state.get(WIDGET)
    if file is not None:
        data = file.getvalue()
        digest = hashlib.blake2b(data, digest_size=16).hexdigest()
        store().put(digest, data)
        st.session_state[KEY] = digest


def is_there(digest: str) -> bool:
    """Whether the file of this digest can be used; the page says so where it cannot."""
    if not digest:
        st.info(
            "**Upload your model** as an ONNX file in the left rail; the tree that stands in for it grows here."
        )
        return False
    if store().find(digest) is None:
        st.warning(GONE)
        return False
    return True


def model_of(digest: str, dataset: Dataset) -> Any:
    """The model of this file. Raises ValueError, in plain words, where it is of no use for these data."""
    data = store().find(digest)
    if data is None:
        raise ValueError("the uploaded file is no longer here; upload it again")
    try:
        return read_onnx(data, dataset.features, dataset.classes)
    except ImportError as absent:  # it needs an extra; everything else works without
        raise ValueError(str(absent)) from None
