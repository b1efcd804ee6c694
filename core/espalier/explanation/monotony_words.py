"""Whether answers only rise or only fall along a column, in words; of a direction asked for, if it is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.theme import number, percent
from espalier.explanation.dependence import Monotony, Reversal
from espalier.language import say


class ColumnMonotony(NamedTuple):
    """What is known of a column, and of the rows that its curves belong to."""

    found: Monotony
    feature: Feature
    steps: np.ndarray  # (n_steps,) as in `FeatureCurves`
    rows: tuple[str, ...]  # names of the rows, as a sentence begins with them
    is_share: bool
    asked: int = 0  # the direction that the model was asked for: 1 to rise, -1 to fall, 0 for none


def monotony_words(one: ColumnMonotony, mark: Callable[[str], str] = str) -> str:
    """Return the sentences, Markdown; empty for a column of categories, which have no order here.

    `mark` treats names from the data.

    >>> from espalier.data.dataset import Feature
    >>> level = ColumnMonotony(Monotony(1.0, 1.0, None, None), Feature("age"), np.empty(0), (), True)
    >>> monotony_words(level)
    'No answer changes along age.'
    """
    if one.feature.categories:
        return ""
    if one.asked:
        return _asked(one, mark)
    name, found = mark(one.feature.name), one.found
    if found.rise is None and found.fall is None:
        return say("No answer changes along {column}.", column=name)
    if found.fall is None:
        return say("Along {column} answers **only rise**: for none of the rows do they fall.", column=name)
    if found.rise is None:
        return say("Along {column} answers **only fall**: for none of the rows do they rise.", column=name)
    shares = {"rising": percent(round(found.rising, 3)), "falling": percent(round(found.falling, 3))}
    text = say(
        "Along {column} answers **neither only rise nor only fall**: they never fall for {rising} of the rows, "
        "and never rise for {falling}.", column=name, **shares,
    )  # fmt: skip
    turn = found.fall if found.rising >= found.falling else found.rise
    return f"{text} {_example(one, turn, mark)}"


def _asked(one: ColumnMonotony, mark: Callable[[str], str]) -> str:
    """Return whether the direction asked for is kept, and if it is broken, an example."""
    known = {"column": mark(one.feature.name), "share": percent(round(1 - one.found.kept(one.asked), 3))}
    turn = one.found.against(one.asked)
    if turn is None:
        return say(
            "Asked to only rise along {column}: **kept**, for all of the rows."
            if one.asked > 0
            else "Asked to only fall along {column}: **kept**, for all of the rows.",
            **known,
        )
    text = say(
        "Asked to only rise along {column}: **broken** for {share} of the rows."
        if one.asked > 0
        else "Asked to only fall along {column}: **broken** for {share} of the rows.",
        **known,
    )
    return f"{text} {_example(one, turn, mark)}"


def _example(one: ColumnMonotony, turn: Reversal, mark: Callable[[str], str]) -> str:
    written = percent if one.is_share else number
    return say(
        "{row}: where {column} passes {value}, its answer goes from {before} to {after}.",
        row=mark(one.rows[turn.row]),
        column=mark(one.feature.name),
        value=number(float(one.steps[turn.place - 1])),
        before=written(turn.before),
        after=written(turn.after),
    )
