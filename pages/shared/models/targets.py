"""Why a model cannot learn the target of some data, in a sentence that says what to do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display.theme import number
from espalier.language import say
from espalier.learners.catalogue import Model
from pages.shared.app.frame import plain


def why_not(model: Model, dataset: Dataset, used: Callable[[], np.ndarray] | None = None) -> str:
    """Return why the model is not for the target, Markdown; "" where it is.

    `used`, (n_samples,) bool, says which rows it learns from, and is asked only where that matters; None: all.
    """
    target, is_classification = plain(dataset.target.name), dataset.is_classification
    if is_classification not in model.kind.serves:
        kind, others = (say("a class"), say("numbers")) if is_classification else (say("a number"), say("classes"))
        return say(
            "This kind is for {others} only, and the target, {target}, is {kind}. Choose another kind.",
            others=others,
            target=target,
            kind=kind,
        )
    if is_classification or model.loss != "poisson":
        return ""
    if (dataset.y < 0).any():
        row = int(np.argmax(dataset.y < 0))
        return say(
            "**Poisson deviance is not for this target.** It is for counts, and the target *{target}* is {value} "
            "in {row}. Choose squared or absolute error.",
            target=target,
            value=number(float(dataset.y[row])),
            row=plain(dataset.roles.name_of(row)),
        )
    y = dataset.y if used is None else dataset.y[used()]
    return (
        ""
        if y.any()
        else say(
            "**Poisson deviance is not for this target**: *{target}* is 0 in every row to learn from. Choose "
            "squared or absolute error.",
            target=target,
        )
    )
