"""One sample before both forests: what every tree says of it, and what they say together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from espalier.views.boundaries.surface import in_words
from espalier.views.forests import votes as forests_votes
from espalier.views.forests.votes import Votes
from espalier.views.spreadsheet import to_csv
from espalier.views.theme import number, percent
from pages.shared.app import chosen_row, pictures
from pages.shared.app.frame import callback, is_dark, plain
from pages.shared.forests import plane as forests_plane
from pages.shared.forests import results
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title

CANVASES = [f"votes surface {side}" for side in SIDES]  # keys of the surfaces
WRONG = {True: "wrong by trees new to it", False: "wrong"}  # whether rows are new to some trees


def draw(planted: list[GrownForest]) -> None:
    """The choice of a sample, and of each forest the strip of votes and the surface."""
    plane = forests_plane.axes(planted[0])
    with st.container(horizontal=True, vertical_alignment="bottom", key="sample bar"):
        n = len(planted[0].dataset.y)
        chosen_row.number_input(n, 160)
        st.button("Draw one", on_click=callback(_draw_one), args=(n,), help="Another row, by chance")
        forests_plane.pick_axes(planted[0])
    forests_plane.line(planted[0], plane, forests_plane.row_words(planted[0]), CANVASES)
    for column, side, one, key in zip(st.columns(2, gap="medium"), SIDES, planted, CANVASES, strict=True):
        with column:
            st.markdown(f"**Forest {title(side)}**")
            if chosen_row.chosen() is not None:
                _votes(one, side)
            forests_plane.surface(one, plane, (wrong(one), WRONG[one.in_bag is not None]), key)


def wrong(one: GrownForest) -> np.ndarray:
    """(n_samples,) bool: rows of which the forest says the wrong class; no row, of a number."""
    if not one.dataset.is_classification:
        return np.zeros(len(one.dataset.y), bool)
    return results.predicted(one, results.fair(one).said) != one.dataset.y


def _draw_one(n: int) -> None:
    chosen_row.choose(int(np.random.default_rng().integers(n)))


def _votes(one: GrownForest, side: str) -> None:
    row = chosen_row.chosen()
    assert row is not None
    votes, data = votes_of(one, row), one.dataset
    drawn = (forests_votes.strip if data.is_classification else forests_votes.dots)(votes, data.target, is_dark())
    st.markdown(_verdict(one, votes))
    pictures.show(drawn, f"Tree by tree: {forests_votes.votes_words(votes, data.target)}", forests_votes.WIDTH)
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        st.caption(_legend(one), width="stretch")
        pictures.save(lambda: csv_of(one, votes), f"votes-of-forest-{side}.csv")


def votes_of(one: GrownForest, row: int) -> Votes:
    """What the trees say of a row, and which of them grew on it."""
    data, said = one.dataset, results.each(one, row)
    whole = results.answers(one, data.X[[row]])
    answer = float(results.predicted(one, whole)[0])
    return Votes(said, one.saw(row), float(data.y[row]), answer)


def _verdict(one: GrownForest, votes: Votes) -> str:
    """What the forest says, with the shares, and what the trees say that have not seen the row."""
    data, row = one.dataset, chosen_row.chosen()
    assert row is not None
    shares = results.answers(one, data.X[[row]])[0]
    fair = results.fair(one)
    told = f"Says **{_said(one, votes.answer, shares)}**: {plain(forests_votes.votes_words(votes, data.target))}."
    if votes.seen.any() and not votes.seen.all() and fair.is_unseen[row]:
        unseen = fair.said[[row]]
        said = _said(one, float(results.predicted(one, unseen)[0]), unseen[0])
        told += f" The {int((~votes.seen).sum())} trees that did not grow on it say **{said}**."
    return told


def _said(one: GrownForest, answer: float, shares: np.ndarray) -> str:
    target = one.dataset.target
    if not target.categories:
        return number(answer)
    k = int(answer)
    return f"{plain(in_words(target, k))}, {percent(min(float(shares[k]), 1.0))}"


def _legend(one: GrownForest) -> str:
    if one.dataset.is_classification:
        return (
            "A cell for each tree, in its class's colour: dotted where it grew on the row, underlined where wrong."
        )
    return "A dot for each tree: hollow where it grew on the row."


def csv_of(one: GrownForest, votes: Votes) -> str:
    """The votes as a table, a row for each tree."""
    table = pd.DataFrame({"tree": np.arange(1, len(votes.said) + 1), "grew on the row": votes.seen})
    if one.dataset.is_classification:
        names = pd.Index(one.dataset.classes)
        table["says"] = names[votes.said.argmax(axis=1)]
        table[[f"share of {name}" for name in names]] = votes.said
    else:
        table["says"] = votes.said[:, 0]
    return to_csv(table.assign(weight=one.forest.weight))
