"""One fit beside the mean of many, over rows that a person drags: where bagging helps, and where it does not."""

from __future__ import annotations

import functools
import re
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.data.samples.generators import EXAMPLES, HIGH, LOW, PLACES, NoisyRows
from espalier.display.theme import number
from espalier.forests import pictures as bagging
from espalier.forests.pictures import MODELS, BaggedFit, fit_bags
from espalier.language import Texts, say
from pages.shared.app import address
from pages.shared.app.address import Choice, Entry
from pages.shared.app.frame import callback
from pages.shared.app.links.readers import one_of, whole
from pages.shared.canvas.mount import mount
from pages.shared.canvas.slider import slider

NUMBER = "[0-9]{1,2}(?:[.][0-9])?"
ONE = re.compile(f"([0-9]{{1,2}})-({NUMBER})-({NUMBER})")
MOST = 60  # rows of an example, at most


class DraggedRow(NamedTuple):
    """A row at another place."""

    number: int  # from 0 on
    x: float
    y: float

    @property
    def text(self) -> str:
        """The row in an address."""
        return f"{self.number}-{self.x:g}-{self.y:g}"


def row_of(text: object) -> DraggedRow | None:
    """The row of a text, which the browser or an address says; None for anything else.

    >>> row_of("14-9.5-2")
    DraggedRow(number=14, x=9.5, y=2.0)
    """
    found = ONE.fullmatch(text) if isinstance(text, str) else None
    row = DraggedRow(int(found[1]), float(found[2]), float(found[3])) if found else None
    return row if row and row.number < MOST and max(row.x, row.y) <= HIGH else None


def read(text: str) -> str:
    """Reader of rows that were dragged, each once and in order. Raises ValueError for anything else."""
    rows = [row_of(part) for part in text.split("_")] if text else []
    if len(rows) > MOST or None in rows:
        raise ValueError(
            say(
                "rows such as 14-9.5-2, their number, x and y from {low} to {high}, joined by _",
                low=number(LOW),
                high=number(HIGH),
            )
        )
    return written({row.number: row for row in rows if row})


def dragged(text: str) -> dict[int, DraggedRow]:
    """The rows of a text by number."""
    rows = [row_of(part) for part in text.split("_")]
    return {row.number: row for row in rows if row}


def written(rows: dict[int, DraggedRow]) -> str:
    """The text of rows by number."""
    return "_".join(row.text for _, row in sorted(rows.items()))


def changed(example: NoisyRows, text: str) -> NoisyRows:
    """The example with the rows of the text at their new places; numbers that it does not have mean nothing."""
    x, y = example.x.copy(), example.y.copy()
    for row in dragged(text).values():
        if row.number < len(x):
            x[row.number], y[row.number] = np.round([row.x, row.y], PLACES)
    return example._replace(x=x, y=y)


# ---- one fit beside the mean of many, over rows that a person drags: where bagging helps, and where it does not

EXAMPLE_NAMES = Texts(
    {
        "wave": "A wave with noise",
        "far": "A line, and a wrong row far out",
        "central": "A line, and a wrong row amidst",
        "right": "A line, and a true row far out",
    }
)
FITS = Texts({"tree": "tree", "line": "line", "mean": "mean"})

EXAMPLE, MODEL, BAGS, MOVED, ROW = "basics-example", "basics-model", "basics-bags", "basics-moved", "basics-row"
CANVAS = "bagging-rows"
N_BAGS = (1, 2, 5, 10, 20, 50, 100, 200)
AT = np.linspace(LOW, HIGH, 201)

_component = mount("points")
example_of = functools.cache(lambda name: EXAMPLES[name]())


def url_entries(only: Choice) -> list[Entry]:
    """The example, the model, the number of bags and what was dragged, as part of the address."""
    return [
        Entry(EXAMPLE, "wave", one_of(EXAMPLES), name="rows", only=only),
        Entry(MODEL, "tree", one_of(MODELS), name="fit", only=only),
        Entry(BAGS, 200, whole(1, N_BAGS[-1]), name="bags", only=only),
        Entry(MOVED, "", read, name="moved", only=only),
        Entry(ROW, None, whole(1, MOST, optional=True), name="row", only=only, undo=False),
    ]


def draw() -> None:
    """Draw the controls, the rows with their curves, and what the curves are worth."""
    st.markdown(
        say(
            "One fit to all rows, and the mean of fits to rows drawn with replacement. **Drag "
            "any row**, and both follow."
        )
    )
    figure, controls = st.columns([2, 1], gap="medium")  # on a phone the figure comes first
    with controls:
        _controls()
        place = st.container()
    here = changed(example_of(st.session_state[EXAMPLE]), st.session_state[MOVED])
    fit = fit_bags(st.session_state[MODEL], here.x, here.y, AT, st.session_state[BAGS])
    with figure:
        _canvas(here, fit)
    with place:
        _numbers(here, fit)


def _controls() -> None:
    examples, fits = EXAMPLE_NAMES, FITS
    st.radio(
        say("Rows"), list(examples), key=EXAMPLE, format_func=examples.__getitem__, on_change=callback(put_back)
    )
    st.radio(say("What is fitted"), list(fits), key=MODEL, format_func=fits.__getitem__, horizontal=True)
    slider(
        say("Bags"),
        key=BAGS,
        options=N_BAGS,
        default=N_BAGS[-1],
        help=say("How often rows are drawn and fitted; each bag has as many rows as there are."),
    )
    nothing = not st.session_state[MOVED]
    st.button(say("Put rows back"), icon=":material/restart_alt:", on_click=callback(put_back), disabled=nothing)


def put_back() -> None:
    """Have all rows where the example has them (a callback)."""
    st.session_state[MOVED], st.session_state[ROW] = "", None


def _canvas(here: NoisyRows, fit: BaggedFit) -> None:
    names = _curves(len(fit.bags))
    data = bagging.plane(AT) | {
        "rows": np.column_stack([here.x, here.y]).tolist(),
        "chosen": chosen(here),
        "curves": bagging.curves(fit, here.truth(AT), names),
        "alt": say(
            "{n_rows} rows on a plane, with a {fit} fitted to all of them and the mean of {n_bags} bags. Arrows "
            "move the chosen row, with Shift further; N and P choose the next and the previous one.",
            n_rows=len(here.x),
            fit=FITS[st.session_state[MODEL]],
            n_bags=len(fit.bags),
        ),
        "words": {"row": say("row")},
        "n": _last_message(),
    }
    _component(data, key=CANVAS, on_moved_change=callback(take))


def chosen(here: NoisyRows) -> int:
    """The row whose influence is said: the one that was dragged last, else the one that stands apart."""
    number = st.session_state[ROW]
    usual = 0 if here.outlier is None else here.outlier
    return number - 1 if number is not None and number <= len(here.x) else usual


def _numbers(here: NoisyRows, fit: BaggedFit) -> None:
    truth, row = here.truth(AT), chosen(here)
    errors = [float(np.sqrt(np.mean((said - truth) ** 2))) for said in (fit.one, fit.mean)]
    st.markdown(_errors(*errors))
    influences = float(fit.influence_in_one[row]), float(fit.influence_in_mean[row])
    st.markdown(_influences(row + 1, *influences))
    st.caption(
        say(
            "The error is the root of the mean squared distance from the truth. The influence of "
            "a row is how far the answer at its place rises if the row rises by 1."
        )
    )


def take() -> None:
    """Take up the row that was dragged, which becomes the chosen one (a callback)."""
    sent = _reported()
    row = row_of(sent.get("at")) if isinstance(sent, dict) else None
    example = example_of(st.session_state[EXAMPLE])
    if row is None or row.number >= len(example.x):
        return
    st.session_state[ROW] = row.number + 1
    if (row.x, row.y) == (example.x[row.number], example.y[row.number]):
        moved = {number: one for number, one in dragged(st.session_state[MOVED]).items() if number != row.number}
    else:
        moved = dragged(st.session_state[MOVED]) | {row.number: row}
    st.session_state[MOVED] = written(moved)
    if sent.get("over") is False:
        address.stay(MOVED)


def _reported() -> Any:
    state: Any = st.session_state.get(CANVAS)
    return state.get("moved") if hasattr(state, "get") else None


def _last_message() -> float:
    """The number of the last message of the browser; 0 before the first."""
    sent = _reported()
    n = sent.get("n") if isinstance(sent, dict) else None
    return n if isinstance(n, int | float) and not isinstance(n, bool) and 0 <= n < 2**53 else 0


def _curves(n_bags: int) -> dict[str, str]:
    """Names of the curves."""
    return {
        "truth": say("truth"),
        "one": say("one fit to all rows"),
        "mean": say("mean of {n_bags} bags", n_bags=n_bags) if n_bags > 1 else say("one bag"),
    }


def _errors(one: float, mean: float) -> str:
    """How far both are from the truth."""
    return say("Error of one fit **{one}**, of the mean **{mean}**", one=number(one), mean=number(mean))


def _influences(row: int, one: float, mean: float) -> str:
    """How much a row counts in both."""
    return say(
        "Influence of row {row} in one fit **{one}**, in the mean **{mean}**",
        row=row,
        one=number(one, 2),
        mean=number(mean, 2),
    )
