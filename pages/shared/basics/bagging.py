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
from espalier.forests.pictures import MODELS, fit_bags
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
    """Draw the rows with their curves and what these are worth, and the controls below."""
    with st.container(horizontal=True, vertical_alignment="center", key="heading-bagging"):
        st.subheader(
            say("Why does bagging help?"),
            anchor=False,
            width="stretch",
            help=say(
                "A bag has as many rows as there are, drawn with replacement. The error is the root of the mean "
                "squared distance from the truth. The influence of a row is how far the answer at its place rises "
                "if the row rises by 1. Arrows move the chosen row, N and P choose another."
            ),
        )
        st.button(
            say("Put rows back"),
            icon=":material/restart_alt:",
            on_click=callback(put_back),
            disabled=not st.session_state[MOVED],
        )
    st.caption(say("Drag any row: one fit to all rows, and the mean of fits to bags of them, follow."))
    _canvas(changed(example_of(st.session_state[EXAMPLE]), st.session_state[MOVED]))
    with st.container(horizontal=True, vertical_alignment="top"):
        st.selectbox(
            say("Rows"),
            list(EXAMPLE_NAMES),
            key=EXAMPLE,
            format_func=EXAMPLE_NAMES.__getitem__,
            on_change=callback(put_back),
            width=200,
        )
        st.segmented_control(
            say("What is fitted"), list(FITS), key=MODEL, required=True, format_func=FITS.__getitem__
        )
        with st.container(width=130):
            slider(say("Bags"), key=BAGS, options=N_BAGS, default=N_BAGS[-1])


def put_back() -> None:
    """Have all rows where the example has them (a callback)."""
    st.session_state[MOVED], st.session_state[ROW] = "", None


def _canvas(here: NoisyRows) -> None:
    fit = fit_bags(st.session_state[MODEL], here.x, here.y, AT, st.session_state[BAGS])
    truth, row, n_bags = here.truth(AT), chosen_row(here), len(fit.bags)
    errors = [float(np.sqrt(np.mean((answers - truth) ** 2))) for answers in (fit.one, fit.mean)]
    influences = float(fit.influence_in_one[row]), float(fit.influence_in_mean[row])
    names = {
        "truth": say("truth"),
        "one": say("one fit to all rows"),
        "mean": say("mean of {n_bags} bags", n_bags=n_bags) if n_bags > 1 else say("one bag"),
    }
    sent = _sent()
    data = bagging.plane(AT) | {
        "rows": np.column_stack([here.x, here.y]).tolist(),
        "chosen": row,
        "curves": bagging.curves(fit, truth, names),
        "columns": [say("error"), say("influence of row {row}", row=row + 1)],
        "numbers": {
            curve: (number(error), number(influence, 2))
            for curve, error, influence in zip(("one", "mean"), errors, influences, strict=True)
        },
        "alt": say(
            "{n_rows} rows on a plane, with a {fit} fitted to all of them and the mean of {n_bags} bags. Arrows "
            "move the chosen row, with Shift further; N and P choose the next and the previous one.",
            n_rows=len(here.x),
            fit=FITS[st.session_state[MODEL]],
            n_bags=n_bags,
        ),
        "words": {"row": say("row")},
        "n": sent["n"] if _is_count(sent.get("n")) else 0,
    }
    _component(data, key=CANVAS, on_moved_change=callback(take))


def _is_count(n: Any) -> bool:
    return isinstance(n, int | float) and not isinstance(n, bool) and 0 <= n < 2**53


def chosen_row(here: NoisyRows) -> int:
    """The row whose influence is said: the one that was dragged last, else the one that stands apart."""
    number = st.session_state[ROW]
    usual = 0 if here.outlier is None else here.outlier
    return number - 1 if number is not None and number <= len(here.x) else usual


def take() -> None:
    """Take up the row that was dragged, which becomes the chosen one (a callback)."""
    sent = _sent()
    row = row_of(sent.get("at"))
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


def _sent() -> dict[str, Any]:
    """The last message of the browser; empty before the first."""
    state: Any = st.session_state.get(CANVAS)
    sent = state.get("moved") if hasattr(state, "get") else None
    return sent if isinstance(sent, dict) else {}
