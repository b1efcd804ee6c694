"""A person's own model as one that can be asked: read, put into the table's terms, and kept."""

from __future__ import annotations

from typing import Any, NamedTuple

import streamlit as st

from espalier.approximation.fidelity import Arranged, arrange
from espalier.data import Dataset
from espalier.language import Refusal
from espalier.learners.black_boxes.ready import ABSENT_FILE, read_onnx
from espalier.learners.catalogue import CommonTerms, Model
from espalier.learners.imports.in_table import TableForest
from espalier.learners.imports.read import holds_trees, read_apart
from pages.shared.app.store import Store
from pages.shared.own_models import trained, uploads
from pages.shared.own_models.uploads import UploadedModel

MOST_KEPT = 12


class ArrangedModel(NamedTuple):
    """A model in the table's terms, and the orders of its classes and columns."""

    model: Any
    arranged: Arranged


@st.cache_resource(show_spinner=False)
def store() -> Store[ArrangedModel]:
    """The server's models that have been read for a table."""
    return Store(MOST_KEPT)


def arranged(file: UploadedModel, dataset: Dataset, is_forest: bool = False) -> ArrangedModel:
    """The model of a file in the orders wanted, and these; `is_forest`: an ONNX file is read as trees, too.

    Raises ValueError, saying why, for one of no use.
    """
    key = _key(file, dataset) + " trees" * is_forest
    found = store().find(key)
    if found is None:
        model = _read(file, dataset, is_forest)
        found = ArrangedModel(*arrange(model, dataset, file.classes, file.columns))
        store().put(key, found)
    return found


def known(model: Model, dataset: Dataset) -> Arranged | None:
    """The orders of a model that has been read; None before."""
    key = _key(uploads.file_of(model), dataset)
    found = store().find(key) or store().find(key + " trees")
    return None if found is None else found.arranged


def _key(file: UploadedModel, dataset: Dataset) -> str:
    return f"{file} {dataset.digest}"


def _read(file: UploadedModel, dataset: Dataset, is_forest: bool) -> Any:
    data = uploads.store().find(file.digest)
    if data is None:
        raise Refusal(ABSENT_FILE)
    table = (dataset.features, dataset.classes)
    return TableForest(read_apart(data), *table) if is_forest or holds_trees(data) else read_onnx(data, *table)


def made(model: Model, dataset: Dataset, is_forest: bool = False, **terms: Any) -> Any:
    """The estimator of any model, not fitted; of a person's own, the model as it is. Raises as `arranged`."""
    if model.name == uploads.NAME:
        terms["box"] = arranged(uploads.file_of(model), dataset, is_forest).model
    return model.make(CommonTerms.of(dataset, **terms))


def why_not(model: Model, dataset: Dataset) -> str:
    """Why a person's own model cannot be judged on the table, Markdown; "" where it can, and of others."""
    if model.name != uploads.NAME:
        return ""
    return uploads.why_not(uploads.file_of(model).digest) or trained.why_not(
        dataset, dict(model.settings)["trained"]
    )
