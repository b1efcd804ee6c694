"""One row's story: why the model says what it says, what nearly won, what would change it, how steady it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from espalier.analysis.reliability.counterfactuals import PredictionStrip
from espalier.analysis.reliability.explanation import Story, story, strips_of
from espalier.analysis.reliability.reliability import FoldModel
from espalier.data.dataset import Dataset
from espalier.predict import shares_by_tree
from espalier.trees import CultivatedTree, Forest
from espalier.views.boundaries.surface import in_words
from espalier.views.forests import votes as forests_votes
from espalier.views.forests.votes import Votes
from espalier.views.reliability import explanation_pictures, explanation_words
from espalier.views.reliability.explanation_pictures import ExplanationInputs
from espalier.views.reliability.words import measure_words
from espalier.views.spreadsheet import to_csv
from espalier.views.theme import number
from pages.shared.app import chosen_row, pictures
from pages.shared.app.frame import callback, is_dark, plain
from pages.shared.app.table_results import of_table
from pages.shared.jobs.run import Outcome
from pages.shared.reliability import changing, refitting
from pages.shared.reliability.models import AnsweredModel
from pages.shared.reliability.refitting import Refits

MOST_STRIPS = 8  # features whose strips are drawn
LEAST_AGAIN = 5  # models on redrawn data that say anything


def draw(dataset: Dataset, one: AnsweredModel) -> None:
    """The choice of a row, and its story as the model tells it."""
    st.markdown("#### One row's story")
    n = len(dataset.y)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen_row.number_input(n, 150)
        st.button(
            "Most doubted",
            on_click=callback(chosen_row.choose),
            args=(_most_doubted(one),),
            help="The row that it doubts most",
        )
    row = chosen_row.chosen()
    if row is None:
        st.info("Tick a row in the list above, or give its number, to read why the model says what it says of it.")
        return
    fold = _fold_of(one, row)
    if fold is None:
        st.info("The model was stopped before it was asked about this row.")
        return
    _tell(one, *refitting.retelling(one.trial, fold), row)


def _most_doubted(one: AnsweredModel) -> int:
    return int(one.answers.row[np.argmax(one.answers.doubt)])


def _fold_of(one: AnsweredModel, row: int) -> FoldModel | None:
    """The first fold that the row is in."""
    return next((fold for fold in one.questioned.tried if row in fold.rows), None)


def _tell(one: AnsweredModel, found: Refits, outcome: Outcome, row: int) -> None:
    if found.fitted is None:
        refitting.draw_progress(found, outcome)
        return
    told = _story(f"{found.key} {row} {changing.key()}", found, row)
    look = ExplanationInputs(told, found.data, is_dark())
    st.markdown(_headline(one, look, row))
    left, right = st.columns(2, gap="large")
    with left:
        _why(look, row)
    with right:
        _what_would_change_it(look, found, row)
        _again(look, found, row)
        refitting.draw_progress(found, outcome)


@of_table(max_entries=64, show_spinner="Looking for the smallest change …")
def _story(key: str, _found: Refits, row: int) -> Story:
    return story(_found.fitted, _found.data, _found.data.X[row], changing.allowed())


@of_table(max_entries=64, show_spinner="Asking the model along each feature …")
def _strips(key: str, _found: Refits, _x: np.ndarray, _features: list[int]) -> list[PredictionStrip]:
    return strips_of(_found.fitted, _found.data, _x, _features)


def _headline(one: AnsweredModel, look: ExplanationInputs, row: int) -> str:
    data, told = look.dataset, look.story
    says = plain(explanation_words.says(data, told.answers, told.answer))
    truth = plain(in_words(data.target, float(data.y[row])))
    doubt = number(float(told.doubts.doubt[0]))
    words = measure_words(one.questioned.measure, data.is_classification)
    return (
        f"Row {row + 1}: **{one.title}** says **{says}**; in truth it is **{truth}**. "
        f"Its doubt is {doubt} ({words}). The model has not seen this row."
    )


def _why(look: ExplanationInputs, row: int) -> None:
    data, told = look.dataset, look.story
    st.markdown("**Why**")
    _sentences(explanation_words.why(told, data))
    if isinstance(told.model, CultivatedTree):
        pictures.show(
            explanation_pictures.leaves_bar(look),
            explanation_pictures.leaves_alt(look),
            explanation_pictures.WIDTH,
        )
        st.caption(
            "A part for each leaf that it is in, as wide as its fraction, in the colour of what the leaf says."
        )
    if isinstance(told.model, Forest):
        _votes(look, told.model, row)
    elif told.steps:
        picture, alt = explanation_pictures.way(look), explanation_pictures.way_alt(look)
        pictures.show(picture, alt, explanation_pictures.WIDTH)
        which = "What divides it most. " * isinstance(told.model, CultivatedTree)
        _under(f"{which}The dot is this row, on the range of the feature; grey is where it is cut.", picture,
               f"way-of-row-{row + 1}.svg")  # fmt: skip
    nearly = explanation_words.nearly(told, data)
    if nearly:
        st.markdown("**What nearly won**" if explanation_words.is_near(told, data) else "**What came second**")
        _sentences(nearly)


def _votes(look: ExplanationInputs, forest: Forest, row: int) -> None:
    """What every tree says."""
    data, told = look.dataset, look.story
    said = shares_by_tree(forest, told.x[None, :])[:, 0]
    if data.is_classification:
        among = np.zeros((len(said), len(data.classes)))
        among[:, told.classes] = said
        said = among
    votes = Votes(said, np.zeros(len(said), bool), float(data.y[row]), told.answer)
    drawn = (forests_votes.strip if data.is_classification else forests_votes.dots)(votes, data.target, is_dark())
    pictures.show(drawn, f"Tree by tree: {forests_votes.votes_words(votes, data.target)}", forests_votes.WIDTH)
    cell = "A cell for each tree, in its class's colour; underlined where it is wrong."
    _under(cell if data.is_classification else "A dot for each tree.", drawn, f"votes-on-row-{row + 1}.svg")


def _under(words: str, picture: str, name: str) -> None:
    """What a picture shows, and the button that saves it."""
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        st.caption(words, width="stretch")
        pictures.save(picture, name)


def _what_would_change_it(look: ExplanationInputs, found: Refits, row: int) -> None:
    data, told = look.dataset, look.story
    st.markdown("**What would change the answer**")
    _sentences([explanation_words.counterfactual_words(told, data)])
    if told.model is not None:
        changing.draw(data, told.model)
    table = explanation_words.changes_table(told, data)
    if len(table):
        features = [flip.changes[0].feature for flip in told.singles[:MOST_STRIPS]]
        strips = _strips(f"{found.key} {row} {changing.key()}", found, told.x, features)
        picture, alt = explanation_pictures.strips(look, strips), explanation_pictures.strips_alt(look, strips)
        pictures.show(picture, alt, explanation_pictures.WIDTH)
        what = (
            "in the colour of the class that would be said" if data.is_classification else "the deeper the greater"
        )
        st.caption(f"Along each feature what would be said, all else held, {what}; the mark is this row.")
        with st.expander("Feature by feature"):
            if told.is_cut:
                st.caption(explanation_words.CUT)
            st.dataframe(table, hide_index=True, alt="For each feature the smallest change that does it alone")
            with st.container(horizontal=True):
                pictures.save(lambda: to_csv(table), f"changes-of-row-{row + 1}.csv")
                pictures.save(picture, f"changes-of-row-{row + 1}.svg")


def _again(look: ExplanationInputs, found: Refits, row: int) -> None:
    st.markdown("**Would it say the same, had the data been drawn again?**")
    again = found.again
    if len(again) >= LEAST_AGAIN or found.is_done:
        again = np.stack(again)[:, place_in_fold(found, row)]
        _sentences([explanation_words.refit_words(look.dataset, look.story.answer, again)])
        words = explanation_words.refit_words(look.dataset, look.story.answer, again)
        pictures.show(explanation_pictures.refit_bar(look, again), words, explanation_pictures.WIDTH)
        st.caption("Each model has learned from rows drawn anew from the other folds. *Term:* bootstrap.")


def place_in_fold(found: Refits, row: int) -> int:
    """Where the row stands among those of its fold."""
    return int(np.searchsorted(found.rows, row))


def _sentences(found: Sequence[str]) -> None:
    st.markdown(" ".join(plain(sentence) for sentence in found))
