"""One row before both forests: the answer of every tree, of all together, and the surfaces to click."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from espalier import predict
from espalier.data.dataset import Dataset
from espalier.display.boundaries import plane
from espalier.display.boundaries.plane import mark, points, raster, ringed
from espalier.display.parts import Picture
from espalier.display.text.trees import class_answer
from espalier.display.text.values import in_words, value_text
from espalier.forests import pictures as votes_pictures
from espalier.forests.growth import can_average, gains
from espalier.forests.pictures import Votes
from espalier.forests.surfaces import forest_average
from espalier.grown import GrownForest
from espalier.language import say
from pages.shared.app import links, pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.store import of_table
from pages.shared.canvas.components import Selected, node_line, surface_canvas
from pages.shared.forests import results, sentences
from pages.shared.models.forests import SIDES, title
from pages.shared.tree import selection

CANVASES = [f"votes-surface-{side}" for side in SIDES]  # keys of the surfaces
CHANNEL = "forests"
HEIGHT = 400  # pixels of a surface
MOST_AVERAGED = 1_000  # rows, evenly spread over the table


def url_entries() -> list[Entry]:
    """The row and the axes as part of the address, as on the tree page."""
    others = links.gone_entry("forest-others", say("surfaces of forests are averaged over the rows"))
    return [selection.row_entry(), *selection.axis_entries(), others._replace(name="others")]


def drop_invalid(dataset: Dataset, linked: bool) -> list[str]:
    """Drop a row and axes that these data do not have; notes on them where a link asked for them."""
    notes = selection.drop_invalid_axes(dataset.features) + selection.drop_invalid_row(len(dataset.y))
    return notes if linked else []


def draw(pair: list[GrownForest]) -> None:
    """The choice of a row, and of each forest the strip of votes and the surface."""
    data, place = pair[0].dataset, axes(pair[0])
    with st.container(horizontal=True, vertical_alignment="bottom", key="sample bar"):
        n = len(data.y)
        selection.row_number_input(n, 160, data.roles)
        st.button(
            say("Draw one"), help=say("Another row, by chance"),
            on_click=callback(lambda: selection.choose_row(int(np.random.default_rng().integers(n)))),
        )  # fmt: skip
        pick_axes(pair[0])
    row = selection.chosen_row()
    sample = None if row is None else mark(data, place, row)
    node_line(_row_words(pair[0]), "", Selected("", 0, 0, sample), channel=CHANNEL, canvases=CANVASES)
    for column, side, one, key in zip(st.columns(2, gap="medium"), SIDES, pair, CANVASES, strict=True):
        with column:
            st.markdown(sentences.forest_heading(title(side)))
            if row is not None:
                words, votes, note = answered(one, row)
                st.markdown("\n\n".join(words))
                if votes is not None:
                    pictures.draw(votes, votes_pictures.STRIP_WIDTH)
                st.caption(note)
            reason = say("wrong by trees new to it") if one.in_bag is not None else say("wrong")
            drawn = ringed(_surface(one, place), _wrong(one), reason)
            surface_canvas(drawn, key=key, tree=None, channel=CHANNEL, on_pick=callback(_pick), height=HEIGHT)


def _pick(spot: dict[str, Any] | None) -> None:
    selection.choose_row((spot or {}).get("row"))


def _wrong(one: GrownForest) -> np.ndarray:
    """(n_samples,) bool: rows to which the forest gives the wrong class; no row, of a number."""
    if not one.dataset.is_classification:
        return np.zeros(len(one.dataset.y), bool)
    value, _ = results.fair(one)
    return results.predicted(one, value) != one.dataset.y


def _row_words(grown: GrownForest) -> list[str]:
    """The chosen row: its number, and the truth; every other part is bold."""
    row, data = selection.chosen_row(), grown.dataset
    if row is None:
        return [say("No row is chosen"), say(": click one on a surface, or give its number.")]
    origin = say(" (held out)" if grown.held[row] else " (grown on)")
    begin = say("{known}, in truth ", known="" if grown.may_have_seen else origin)
    return [data.roles.name_of(row, begins=True), begin, in_words(data.target, float(data.y[row]))]


# ---- the answers of both forests to the row


def answered(one: GrownForest, row: int) -> tuple[list[str], Picture | None, str]:
    """The answer to a row in Markdown sentences, the vote of every tree, and a note on the votes.

    A boosted sum has no votes; the note says why.
    """
    data, shares = one.dataset, predict.shares(one.forest, one.dataset.X[[row]])
    answer = _answer(one, shares)
    if one.is_sum:
        return [say("Says **{answer}**.", answer=answer)], None, sentences.no_votes(one)
    votes, (value, is_unseen) = votes_of(one, row), results.fair(one)
    counts = plain(votes_pictures.votes_words(votes, data.target))
    words = [say("Says **{answer}**: {votes}.", answer=answer, votes=counts)]
    if votes.seen.any() and not votes.seen.all() and is_unseen[row]:
        unseen, n = _answer(one, value[[row]]), int((~votes.seen).sum())
        words.append(say("The {n} trees that did not grow on it say **{answer}**.", n=n, answer=unseen))
    legend = say(
        "A cell for each tree: dotted where it grew on the row, underlined where wrong."
        if data.is_classification
        else "A dot for each tree: hollow where it grew on the row."
    )
    return words, votes_pictures.votes_picture(votes, data.target), legend


def votes_of(one: GrownForest, row: int) -> Votes:
    """Answers of the trees to a row, and which trees grew on it."""
    data, X = one.dataset, one.dataset.X[[row]]
    answer = float(results.predicted(one, predict.shares(one.forest, X))[0])
    return Votes(predict.shares_by_tree(one.forest, X)[:, 0], one.saw(row), float(data.y[row]), answer)


def _answer(one: GrownForest, shares: np.ndarray) -> str:
    """What shares, or a number, (1, n_outputs) say."""
    target = one.dataset.target
    if not target.categories:
        return value_text(target, float(shares[0, 0]), 3)
    return class_answer(target, np.minimum(shares[0], 1.0), None, plain)


# ---- the plane of the surfaces


@of_table(max_entries=32)
def _by_use(grown: GrownForest) -> list[int]:
    features = grown.dataset.features
    gain = gains(grown.forest, len(features))
    order = np.argsort(-gain, kind="stable").tolist()
    best = selection.legible(features, order, np.flatnonzero(gain > 0).tolist())
    return sorted(best[:2]) + best[2:]


def axes(grown: GrownForest) -> tuple[int, ...]:
    """The chosen features of the axes, else the two most used by the trees of this forest."""
    return selection.chosen_axes([feature.name for feature in grown.dataset.features], _by_use(grown))


def pick_axes(grown: GrownForest) -> None:
    """The choice of both axes, in a line."""
    selection.pick_axes([feature.name for feature in grown.dataset.features], axes(grown))


@of_table(max_entries=16)
def _surface(grown: GrownForest, axes: tuple[int, ...]) -> dict[str, Any]:
    """The answers averaged over rows, or, where a forest has no exact average, with typical values."""

    def ask(X: np.ndarray) -> np.ndarray:
        return predict.shares(grown.forest, X)

    data = grown.dataset
    if can_average(grown.forest):
        rows = np.linspace(0, len(data.X) - 1, min(len(data.X), MOST_AVERAGED)).astype(np.int64)
        dots = points(data, axes, lambda X: (np.zeros(len(X), np.int64), ask(X)), grown.surely_held)
        return forest_average(grown.forest, data, axes, data.X[rows]) | dots
    return raster(lambda X: (ask(X), None), data, axes, plane.typical(data), grown.surely_held)
