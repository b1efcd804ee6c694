"""One row before both forests: the answer of every tree, and the answer of all together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from espalier.display.parts import Picture
from espalier.display.tables import to_csv
from espalier.display.text.trees import class_answer
from espalier.display.text.values import value_text
from espalier.forests import pictures as forests_votes
from espalier.forests.pictures import Votes
from espalier.language import Texts, say
from pages.shared.app import chosen_row, pictures
from pages.shared.app.frame import callback, plain
from pages.shared.forests import intervals, results, sentences
from pages.shared.forests import plane as forests_plane
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title

WRONG = Texts({True: "wrong by trees new to it", False: "wrong"})

CANVASES = [f"votes-surface-{side}" for side in SIDES]  # keys of the surfaces


def draw(pair: list[GrownForest]) -> None:
    """The choice of a sample, and of each forest the strip of votes and the surface."""
    plane = forests_plane.axes(pair[0])
    with st.container(horizontal=True, vertical_alignment="bottom", key="sample bar"):
        n = len(pair[0].dataset.y)
        chosen_row.number_input(n, 160, pair[0].dataset.roles)
        st.button(say("Draw one"), on_click=callback(_draw_one), args=(n,), help=say("Another row, by chance"))
        forests_plane.pick_axes(pair[0])
        forests_plane.pick_others()
    forests_plane.line(pair[0], plane, forests_plane.row_words(pair[0]), CANVASES)
    for column, side, one, key in zip(st.columns(2, gap="medium"), SIDES, pair, CANVASES, strict=True):
        with column:
            st.markdown(sentences.forest_heading(title(side)))
            if chosen_row.chosen() is not None:
                _votes(one, side)
            forests_plane.surface(one, plane, (wrong(one), WRONG[one.in_bag is not None]), key)


def wrong(one: GrownForest) -> np.ndarray:
    """(n_samples,) bool: rows to which the forest gives the wrong class; no row, of a number."""
    if not one.dataset.is_classification:
        return np.zeros(len(one.dataset.y), bool)
    return results.predicted(one, results.fair(one).value) != one.dataset.y


def _draw_one(n: int) -> None:
    chosen_row.choose(int(np.random.default_rng().integers(n)))


class AnsweredRow(NamedTuple):
    """A forest's answer to a row."""

    said: list[str]  # sentences in Markdown
    votes: Picture | None  # None of a sum, whose trees have none
    note: str


def answered(one: GrownForest, side: str, row: int) -> AnsweredRow:
    """The answer to the chosen row with the vote of every tree; of a boosted sum the reason why none has one."""
    if one.is_sum:
        shares = results.answers(one, one.dataset.X[[row]])
        answer = _answer(one, float(results.predicted(one, shares)[0]), shares[0])
        return AnsweredRow([say("Says **{text}**.", text=answer)], None, sentences.no_votes(one, title(side)))
    votes, data = votes_of(one, row), one.dataset
    said = [_verdict(one, votes), *filter(None, [intervals.line_of_row(one, row)])]
    return AnsweredRow(said, forests_votes.votes_picture(votes, data.target), _legend(one))


def _votes(one: GrownForest, side: str) -> None:
    row = chosen_row.chosen()
    assert row is not None
    answer = answered(one, side, row)
    st.markdown("\n\n".join(answer.said))
    if answer.votes is None:
        st.caption(answer.note)
        return
    pictures.draw(answer.votes, forests_votes.STRIP_WIDTH)
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        st.caption(answer.note, width="stretch")
        pictures.save(lambda: csv_of(one, votes_of(one, row)), f"votes-of-forest-{side}.csv")


def votes_of(one: GrownForest, row: int) -> Votes:
    """Answers of the trees to a row, and which trees grew on it."""
    data = one.dataset
    whole = results.answers(one, data.X[[row]])
    answer = float(results.predicted(one, whole)[0])
    return Votes(results.each(one, row), one.saw(row), float(data.y[row]), answer)


def _verdict(one: GrownForest, votes: Votes) -> str:
    """Answer of the forest with its votes, and that of the trees that have not seen the row."""
    data, row = one.dataset, chosen_row.chosen()
    assert row is not None
    shares = results.answers(one, data.X[[row]])[0]
    fair = results.fair(one)
    counts = plain(forests_votes.votes_words(votes, data.target))
    text = say("Says **{answer}**: {votes}.", answer=_answer(one, votes.answer, shares), votes=counts)
    if votes.seen.any() and not votes.seen.all() and fair.is_unseen[row]:
        unseen = fair.value[[row]]
        answer = _answer(one, float(results.predicted(one, unseen)[0]), unseen[0])
        text += " " + say(
            "The {n} trees that did not grow on it say **{answer}**.", n=int((~votes.seen).sum()), answer=answer
        )
    return text


def _answer(one: GrownForest, answer: float, shares: np.ndarray) -> str:
    target = one.dataset.target
    if not target.categories:
        return value_text(target, answer, 3)
    return class_answer(target, np.minimum(shares, 1.0), None, plain)


def _legend(one: GrownForest) -> str:
    return (
        say(
            "A cell for each tree, in its class's colour: dotted where it grew on the row, underlined where wrong."
        )
        if one.dataset.is_classification
        else say("A dot for each tree: hollow where it grew on the row.")
    )


def csv_of(one: GrownForest, votes: Votes) -> str:
    """The votes as a table, a row for each tree."""
    table = pd.DataFrame({say("tree"): np.arange(1, len(votes.value) + 1), say("grew on the row"): votes.seen})
    if one.dataset.is_classification:
        names = pd.Index(one.dataset.classes)
        table[say("says")] = names[votes.value.argmax(axis=1)]
        table[[say("share of {name}", name=name) for name in names]] = votes.value
    else:
        table[say("says")] = votes.value[:, 0]
    table[say("weight")] = one.forest.weight
    return to_csv(table)
