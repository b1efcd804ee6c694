"""One fit beside the mean of many, over rows that a person drags: where bagging helps, and where it does not."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import streamlit as st

from espalier.data.samples.dragged import MOST, move_rows, places_of, read_text, row_of, text_of
from espalier.data.samples.generators import EXAMPLES, HIGH, LOW, NoisyRows
from espalier.display.theme import number
from espalier.forests import pictures as bagging
from espalier.forests.pictures import fit_bags
from espalier.language import say, to_say
from pages.shared.app import address
from pages.shared.app.address import Choice, Entry
from pages.shared.app.frame import callback
from pages.shared.app.links import whole
from pages.shared.canvas.components import mount
from pages.shared.canvas.control import Control, slider

MOVED, CHOSEN = "basics-moved", "basics-row"  # keys of the session state
CANVAS = "bagging-rows"
N_BAGS = (1, 2, 5, 10, 20, 50, 100, 200)
AT = np.linspace(LOW, HIGH, 201)
EXAMPLE = Control(
    "basics-example", "wave",
    {
        "wave": to_say("A wave with noise"),
        "far": to_say("A line, and a wrong row far out"),
        "central": to_say("A line, and a wrong row amidst"),
        "right": to_say("A line, and a true row far out"),
    },
    to_say("Rows"), name="rows",
)  # fmt: skip
FITS = {"tree": to_say("tree"), "line": to_say("line"), "mean": to_say("mean")}
MODEL = Control(
    "basics-model", "tree", FITS, to_say("What is fitted"), widget=st.segmented_control, name="fit"
)  # fmt: skip
BAGS = Control("basics-bags", N_BAGS[-1], (1, N_BAGS[-1]), to_say("Bags"), widget=slider, name="bags")

_component = mount("points")
example_of = functools.cache(lambda name: EXAMPLES[name]())


def url_entries(only: Choice) -> list[Entry]:
    """The example, the model, the number of bags and what was dragged, as part of the address."""
    return [
        *(control.entry._replace(only=only) for control in (EXAMPLE, MODEL, BAGS)),
        Entry(MOVED, "", read_text, name="moved", only=only),
        Entry(CHOSEN, None, whole(1, MOST, optional=True), name="row", only=only, undo=False),
    ]


# ---- the figure


def draw() -> None:
    """Draw the rows with their curves and what these are worth, and the controls below."""
    with st.container(horizontal=True, vertical_alignment="center", key="heading-bagging"):
        st.subheader(
            say("Why does bagging help?"), anchor=False, width="stretch",
            help=say(
                "A bag is rows drawn with replacement. A row's influence is how far the answer at its place "
                "rises when the row rises by 1. Arrows move the row, N and P choose another."
            ),
        )  # fmt: skip
        st.button(
            say("Put rows back"), icon=":material/restart_alt:", on_click=callback(put_back),
            disabled=not st.session_state[MOVED],
        )  # fmt: skip
    st.caption(say("Drag any row: one fit to all rows, and the mean of fits to bags of them, follow."))
    _draw_canvas(move_rows(example_of(EXAMPLE.value), st.session_state[MOVED]))
    with st.container(horizontal=True, vertical_alignment="top"):
        EXAMPLE.draw(on_change=callback(put_back), width=200)
        MODEL.draw()
        with st.container(width=130):
            BAGS.draw(options=N_BAGS)


def put_back() -> None:
    """Have all rows where the example has them (a callback)."""
    st.session_state.update({MOVED: "", CHOSEN: None})


def _draw_canvas(here: NoisyRows) -> None:
    fit = fit_bags(MODEL.value, here.x, here.y, AT, BAGS.value)
    truth, row, n_bags, n = here.truth(AT), chosen_row(here), len(fit.bags), _sent().get("n")
    errors = [float(np.sqrt(np.mean((answers - truth) ** 2))) for answers in (fit.one, fit.mean)]
    influences = float(fit.influence_in_one[row]), float(fit.influence_in_mean[row])
    mean = say("mean of {n_bags} bags", n_bags=n_bags) if n_bags > 1 else say("one bag")
    names = {"truth": say("truth"), "one": say("one fit to all rows"), "mean": mean}
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
            "{n_rows} rows on a plane, with a {fit} fitted to all of them and the mean of {n_bags} bags.",
            n_rows=len(here.x),
            fit=say(FITS[MODEL.value]),
            n_bags=n_bags,
        ),
        "words": {"row": say("row")},
        "n": n if isinstance(n, int | float) and not isinstance(n, bool) and 0 <= n < 2**53 else 0,
    }
    _component(data, key=CANVAS, on_moved_change=callback(take))


def chosen_row(here: NoisyRows) -> int:
    """The row whose influence is said: the one that was dragged last, else the one that stands apart."""
    number = st.session_state[CHOSEN]
    return number - 1 if number is not None and number <= len(here.x) else here.outlier or 0


def take() -> None:
    """Take up the row that was dragged, which becomes the chosen one (a callback)."""
    sent, example = _sent(), example_of(EXAMPLE.value)
    row = row_of(sent.get("at"))
    if row is None or row[0] >= len(example.x):
        return
    n, place = row[0], row[1:]
    rows = places_of(st.session_state[MOVED]) | {n: place}
    if place == (example.x[n], example.y[n]):
        del rows[n]
    st.session_state.update({MOVED: text_of(rows), CHOSEN: n + 1})
    if sent.get("over") is False:
        address.stay(MOVED)


def _sent() -> dict[str, Any]:
    """The last message of the browser; empty before the first."""
    state: Any = st.session_state.get(CANVAS)
    sent = state.get("moved") if hasattr(state, "get") else None
    return sent if isinstance(sent, dict) else {}
