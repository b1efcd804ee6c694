"""Our browser components: the tree graph, the surface, small figures beside them, the player of films, the stage.

What is sent of a component at every run is its data, as text, and little else: its code and its styles are at an
address of their own (`display/components`). What comes back from the browser is not to be trusted until it was
checked (`chosen_node`, `chosen_spot`, `chosen_cut`, `chosen_bar`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import pandas as pd
import streamlit as st
from streamlit.components.v2 import component

from espalier.display.components import loader
from espalier.display.theme import number, percent
from espalier.language import ENGLISH, in_style, say, spoken
from pages.shared.app import pictures
from pages.shared.app.frame import callback

Mount = Callable[..., Any]


def mount(name: str, html: str = "") -> Mount:
    """The component of the folder of this name: a function of its data, and of what Streamlit's take.

    It draws into the element `html`, of the class "espalier-name".
    """
    element = html or f'<div class="espalier-{name}"></div>'
    # Streamlit takes a text of one line for the name of a file.
    mounted = component(f"espalier_{name}", html=f"{element}\n", js=loader(f"{name}/main.js"))

    def draw(data: Mapping[str, Any], **terms: Any) -> Any:
        text = json.dumps({**data, "spoken": spoken()}, ensure_ascii=False, separators=(",", ":"))
        return mounted(data=text.encode(), **{"height": "content", **terms})

    return draw


def reported(key: str, name: str) -> Any:
    """What the component of this key says under a name, which is to be checked; None where it says nothing."""
    state: Any = st.session_state.get(key)
    return state.get(name) if hasattr(state, "get") else None


# ---- the tree graph: zoom, folded branches and focus stay in the browser; only the selected node comes back, as
# {"tree": id of the cards, "id": node or null, "at": when}; `node_line`, of the same channel, describes it

TREE_HEIGHT = 560  # pixels
NOWHERE: dict[str, Any] = {}

_tree = mount("tree")


def tree_canvas(
    cards: dict[str, Any],
    *,
    key: str,
    channel: str,
    on_select: Callable[[int | None], None] | None = None,
    height: int = TREE_HEIGHT,
    grows: float = 0,
    again: dict[str, Any] | None = None,
    fold: dict[str, Any] | None = None,
    at: dict[str, Any] = NOWHERE,
) -> None:
    """Draw the tree graph of `espalier.display.tree.cards.cards`.

    `channel` names the `node_line` whose selection it shows. `on_select` is called with a new selection
    before the page runs again. `height` is in pixels; a canvas that `grows` takes this share of the window's.
    `again`, {"n": trees, "times": {node: times}}, is how often splits came back.
    `fold` is the greater tree of `boundaries.surface.fold`, which a slider cuts off without Python; all that show
    the channel follow. `at` has the values of such sliders for this tree.
    """

    def report() -> None:
        if on_select is not None:
            on_select(chosen_node(reported(key, "selected"), cards))

    data = {"cards": cards, "channel": channel, "height": height, "grows": grows, "at": at}
    data |= {} if again is None else {"again": again}
    data |= {} if fold is None else {"fold": fold}
    _tree(data, key=key, on_selected_change=callback(report))


def chosen_node(sent: Any, cards: dict[str, Any]) -> int | None:
    """The node that the browser says is selected, or None for anything that is not a node of these cards."""
    if not isinstance(sent, dict) or sent.get("tree") != cards["id"]:
        return None
    node = sent.get("id")
    if isinstance(node, bool) or not isinstance(node, int):
        return None
    return node if any(card["id"] == node for card in cards["nodes"]) else None


# ---- the selected node in a line, which also hands the selection to tree graph and surface

_node_line_component = mount(
    "line",
    '<div class="espalier-line" role="status"><div class="what"></div>\n<div class="rule"></div></div>',
)


class Selected(NamedTuple):
    """Selection in a tree."""

    tree: str  # id of its cards
    node: int
    end: int  # the subtree's nodes are ``node`` to ``end - 1``
    # A sample, as `display.boundaries.surface.mark` gives it: {"row", "x", "y", "target"}; if cultivated also
    # {"fractions": {"7": per mille, …}} of the nodes that have at least one per mille of it.
    row: dict[str, Any] | None


def node_line(
    line: Sequence[str], rule: str, selected: Selected, *, channel: str, canvases: Iterable[str] = ()
) -> None:
    """Write the line, every other part of it bold from the first on, and the rule below it.

    All that listen to `channel` show the selection. `canvases` are the keys of those among them that can be
    clicked.
    """
    times = [0.0]  # of clicks, by the browser's clock
    for key in canvases:
        canvas: Any = st.session_state.get(key)
        for sent in canvas.values() if hasattr(canvas, "values") else ():
            at = sent.get("at") if isinstance(sent, dict) else None
            if isinstance(at, int | float) and not isinstance(at, bool) and 0 <= at < 2**53:
                times.append(at)
    state = {
        "tree": selected.tree,
        "id": selected.node,
        "end": selected.end,
        "row": selected.row,
        "at": max(times),
    }
    data = {"channel": channel, "line": list(line), "rule": rule, "state": state}
    _node_line_component(data, key=f"{channel} line")


# ---- the decision surface: a click comes back as {"surface": id, "row": sample}, or with its "x" and "y"

SURFACE_HEIGHT = 460  # pixels
Show = Literal["probability", "class", "uncertainty", "spread"]


_surface = mount("surface")


def surface_canvas(
    surface: dict[str, Any],
    *,
    key: str,
    tree: str | None,
    channel: str,
    show: Show = "probability",
    lit: dict[str, Any] | None = None,
    on_pick: Callable[[dict[str, Any] | None], None] | None = None,
    height: int = SURFACE_HEIGHT,
    grows: float = 0,
    at: dict[str, Any] = NOWHERE,
) -> None:
    """Draw the surface of `display.boundaries.surface.surface`.

    `channel` names the `node_line` whose selection it shows, of the cards whose id is `tree`; None for a surface
    of another tree, which shows the selected sample alone, and where nothing but samples can be clicked. `lit`
    is the place of the selected node of a cultivated tree (`display.boundaries.plane.node_raster`); the boxes of
    other trees are known without it. A cultivated tree shows "spread"; others show "uncertainty" for it.
    `on_pick` is called with a new click before the page runs again. A canvas that `grows` takes this share of the
    window's height, others `height` pixels.
    `at` has the values of the sliders that fold the tree (`display.boundaries.surface`) for this one.
    """

    def report() -> None:
        if on_pick is not None:
            on_pick(chosen_spot(reported(key, "picked"), surface))

    data = {"surface": surface, "tree": tree, "channel": channel, "show": show, "height": height, "at": at}
    data |= {"grows": grows} if grows else {}
    data |= {} if lit is None else {"lit": lit}
    _surface(data, key=key, on_picked_change=callback(report))


def chosen_spot(sent: Any, surface: dict[str, Any]) -> dict[str, Any] | None:
    """Return the click that the browser reports: {"row": int} or {"x": float, "y": float} ({"x"} on one axis).

    None for anything else: another surface, a row that is not drawn, a place outside the axes.
    """
    if not isinstance(sent, dict) or sent.get("surface") != surface["id"]:
        return None
    if "row" in sent:
        row = sent["row"]
        is_row = isinstance(row, int) and not isinstance(row, bool) and row in surface["points"]["row"]
        return {"row": row} if is_row else None
    names = ("x", "y")[: len(surface["axes"])]
    spot = {name: _within(sent.get(name), axis) for name, axis in zip(names, surface["axes"], strict=True)}
    return None if None in spot.values() else spot


def _within(value: Any, axis: dict[str, Any]) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if axis["low"] <= value <= axis["high"] else None


# ---- small figures: a node's impurity curve, the numbers above a tree, and the bars of structures

_curve = mount("curve")


def curve_canvas(
    curve: dict[str, Any],
    alt: str,
    *,
    key: str,
    channel: str = "",
    take: Callable[[int], None] | None = None,
) -> None:
    """Draw the curve of `espalier.display.tree.impurity_curve.card`, with `alt` to be read aloud in its place.

    A cut that is chosen on it is drawn on the surfaces of the `channel`, too. With `take`, a button takes it:
    that is called with the cut's number before the page runs again.
    """

    def report() -> None:
        taken = chosen_cut(reported(key, "taken"), curve)
        if take is not None and taken is not None:
            take(taken)

    data = {"curve": curve, "alt": alt, "channel": channel, "takes": take is not None}
    _curve(data, key=key, on_taken_change=callback(report))


def chosen_cut(sent: Any, curve: dict[str, Any]) -> int | None:
    """The number of the cut that the browser says was taken; None for anything that is no cut of this curve."""
    if not isinstance(sent, dict) or sent.get("curve") != curve["id"]:
        return None
    cut = sent.get("cut")
    is_cut = isinstance(cut, int) and not isinstance(cut, bool) and 0 <= cut < len(curve["x"])
    return cut if is_cut else None


# ---- the numbers above a tree, which change with it in the browser while a slider folds it

_numbers_component = mount("numbers")


def numbers_canvas(numbers: Sequence[dict[str, Any]], at: dict[str, Any], *, channel: str, key: str) -> None:
    """Draw the numbers, {"label", "value", "help"} each, in a row; `at` is as for `tree_canvas`."""
    data = {"numbers": list(numbers), "channel": channel, "at": at}
    _numbers_component(data, key=key, width="content")


# ---- the bars of structures on a page: data for the browser, and clicks from it, checked

_bars_component = mount("bars")


def bars_canvas(card: dict[str, Any], *, key: str, on_pick: Callable[[str], None]) -> None:
    """Draw the chart of `stability.bars.card`; `on_pick` is called with the bar that was clicked."""

    def report() -> None:
        picked = chosen_bar(reported(key, "picked"), card)
        if picked is not None:
            on_pick(picked)

    _bars_component({"chart": card}, key=key, on_picked_change=callback(report))


def chosen_bar(sent: Any, card: dict[str, Any]) -> str | None:
    """The bar that the browser says was clicked, or None for anything that is not a bar of this chart."""
    if not isinstance(sent, dict) or sent.get("chart") != card["id"]:
        return None
    bar = sent.get("bar")
    return bar if isinstance(bar, str) and any(one["id"] == bar for one in card["bars"]) else None


# ---- the player of a film, which runs in the browser alone

_player = mount("player")


class Panel(NamedTuple):
    """A picture of a film."""

    title: str
    width: int  # pixels
    svg: str  # this and what follows as in `espalier.display.svg.Reel`
    frames: Sequence[Sequence[str]]
    alts: Sequence[str]


def player_canvas(
    name: str,
    id: str,
    texts: Sequence[str],
    words: Mapping[str, str],
    *,
    channel: str,
    panels: Sequence[Panel] = (),
) -> None:
    """Draw the player of a film: of the fold of this name on a channel (`boundaries.surface.fold`), or of panels.

    `texts` says of every step what it shows; `id` is that of the film, and `words` are the names of its buttons.
    """
    data = {"name": name, "id": id, "texts": list(texts), "words": dict(words), "channel": channel}
    if panels:
        data["font"] = pictures.font()
    data["panels"] = [panel._asdict() for panel in panels]
    _player(data, key=f"{channel} player")


# ---- the stage around every page: the sentence of a first visit, and the keys of a lecture

PRESENT = "present"  # parameter of the URL
ENTERED = "stage-entered"  # key of the session state: how often the button has entered the stage
WELCOMES = "stage-welcomes"  # key of the session state: whether the sentence was drawn last

_stage = mount("stage")


def draw_stage(page: st.Page) -> None:
    """Draw the sentence of a first visit, and have the browser listen to the keys of a lecture.

    Who opens a link, or a frame of another page, has come for what it shows, and is not told how to begin; nor is
    anybody who has begun, and comes back.
    """
    is_bare = not page.url_path and not st.query_params and not st.context.is_embedded
    is_bare = st.session_state[WELCOMES] = is_bare and st.session_state.get(WELCOMES, True)
    data = {"present": PRESENT in st.query_params, "entered": st.session_state.get(ENTERED, 0)} | (
        {"welcome": say("Grow a decision tree. Click a box or a point; drag Depth."), "dismiss": say("Got it")}
        if is_bare
        else {}
    )
    with st.container(key="stage"):
        _stage(
            data, key="stage of a lecture", on_scheme_change=callback(lambda: None)
        )  # the run that follows is all


# ---- tables, whose numbers have the marks of the language: a browser writes them in English otherwise

MOST_CELLS = 40_000  # that pandas writes in half a second; larger tables stay as the browser writes them
DIGITS = 6  # of numbers without a format of their own
NUMBER, PROGRESS = "number", "progress"  # kinds of columns
PERCENT = "percent"  # format, which a browser writes as 12%


def data_table(table: Any, *, column_config: Mapping[str, Any] | None = None, **options: Any) -> Any:
    """Draw the table as `st.dataframe` does, sorted by its numbers, which are written in the language spoken.

    It is a data frame, or a table of Arrow.
    """
    columns = dict(column_config or {})
    types = {
        name: (one.get("type_config") or {}) if isinstance(one, dict) else {} for name, one in columns.items()
    }
    if spoken() == ENGLISH and not any(kind.get("format") == PERCENT for kind in types.values()):
        return st.dataframe(table, column_config=columns, **options)
    if not isinstance(table, pd.DataFrame):
        table = table.to_pandas()
    if table.size > MOST_CELLS or not (table.columns.is_unique and table.index.is_unique):
        return st.dataframe(table, column_config=columns, **options)
    writers = {}
    for name in (name for name in table if table[name].dtype.kind == "f"):
        kind = types.get(name, {})
        writers[name] = _writer(kind.get("format"))
        if kind.get("type") == NUMBER:  # a format would overrule ours
            columns[name] = {**columns[name], "type_config": {**kind, "format": None}}
        elif kind.get("type") == PROGRESS and kind.get("format") != PERCENT:  # the browser writes in a bar
            columns[name] = {**columns[name], "type_config": {**kind, "format": "localized"}}
    return st.dataframe(table.style.format(writers, na_rep=""), column_config=columns, **options)


def _writer(form: str | None) -> Callable[[float], str]:
    if form == PERCENT:
        return percent
    if form and form.startswith("%"):
        return lambda value: in_style((form % value).replace("-", "−"))
    return partial(number, digits=DIGITS)


def picked_row(table: pd.DataFrame, key: str, column: str) -> int | None:
    """The number in this column of the row that was ticked in the table of this key; None where none is."""
    rows = st.session_state[key].selection.rows
    return int(table[column].to_numpy()[rows[0]]) if rows and rows[0] < len(table) else None


# ---- tabs, which the address knows by their English names in every language


def draw_tabs(names: Iterable[str], key: str) -> dict[str, Any]:
    """Draw the tabs, each by its English name; `key` has that of the open one."""
    titles = {name: say(name) for name in names}
    if spoken() == ENGLISH:
        return dict(zip(titles, st.tabs(list(titles), key=key, on_change="rerun"), strict=True))
    widget = f"{key} in {spoken()}"
    st.session_state[widget] = titles[st.session_state[key]]
    texts = list(titles.values())
    tabs = st.tabs(texts, key=widget, on_change=callback(_take), args=(key, widget, list(titles), texts))
    return dict(zip(titles, tabs, strict=True))


def draw_open_tab(bodies: Mapping[str, Callable[..., Any]], key: str, *of: Any) -> None:
    """Draw the tabs, and in the open one what its function draws of these arguments."""
    for name, tab in draw_tabs(bodies, key).items():
        if tab.open:
            with tab:
                bodies[name](*of)


def _take(key: str, widget: str, english: list[str], texts: list[str]) -> None:
    st.session_state[key] = english[texts.index(st.session_state[widget])]
