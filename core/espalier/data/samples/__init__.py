"""The bundled data sets, read from `sample_data` by their declared kinds."""

from __future__ import annotations

import csv
import functools

import numpy as np

from espalier.data.dataset import Dataset, Feature, are_whole, make_dataset, title_of
from espalier.data.samples import descriptions
from espalier.data.samples.descriptions import CARDS, SampleCard
from espalier.language import Phrase, Title
from espalier.paths import SAMPLE_DATA

__all__ = ["CARDS", "SampleCard", "card", "load", "names", "title_of"]


def names() -> list[str]:
    """Return the names of the samples, as in URLs, in the order of the gallery.

    >>> names()[:3]
    ['iris', 'wine', 'breast-cancer']
    """
    return list(CARDS)


def card(name: str) -> SampleCard:
    """Return the description and source of a sample. Raises KeyError for an unknown name.

    >>> card("iris").title
    'Iris flowers'
    """
    return CARDS[name]


@functools.cache
def load(name: str) -> Dataset:
    """Return the sample as a data set; read once, immutable. Raises KeyError for an unknown name.

    >>> load("iris").X.shape
    (150, 4)
    """
    title = Title(Phrase(CARDS[name].title, {}))
    with (SAMPLE_DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    columns = list(zip(*rows, strict=True))
    features = [*(descriptions.feature(name, column) for column in header[:-1]), descriptions.target(name)]
    values = [_values(cells, feature) for cells, feature in zip(columns, features, strict=True)]
    *features, target = (
        feature._replace(is_whole=feature.kind == "number" and are_whole(x))
        for feature, x in zip(features, values, strict=True)
    )
    dataset = make_dataset(title, np.column_stack(values[:-1]), features, values[-1], target)
    return dataset._replace(truth=np.sin if name == "sine" else None)


def _values(cells: tuple[str, ...], feature: Feature) -> np.ndarray:
    """Return numbers, or the codes of categories; a file may hold a category's name or its code."""
    if feature.kind == "number":
        return np.array(cells, dtype=np.float64)
    codes = {str(i): i for i in range(len(feature.categories))}
    codes |= {category: i for i, category in enumerate(feature.categories)}
    return np.array([codes[cell] for cell in cells], dtype=np.float64)
