"""One row's story: reasons of the answer, the runner-up, changes that alter it, and models on redrawn data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.boundaries.plane import in_words
from espalier.display.parts import Picture
from espalier.display.tables import to_csv
from espalier.display.theme import number
from espalier.explanation import parts as parts_picture
from espalier.forests import pictures as forests_votes
from espalier.forests.pictures import Votes
from espalier.language import Later, english, say
from espalier.leaf_models import ModelTree
from espalier.predict import record_of, shares_by_tree
from espalier.reliability import curves, explanation_words
from espalier.reliability.changeable import ChangeAim, PredictionStrip
from espalier.reliability.curves import ExplanationInputs
from espalier.reliability.explanation import RecoursePlane, Story, recourse_plane, story, strips_of
from espalier.reliability.reliability import FoldModel
from espalier.reliability.words import measure_words
from espalier.trees import CultivatedTree, Forest
from pages.shared.app import chosen_row, pictures
from pages.shared.app.frame import callback, is_dark, plain
from pages.shared.app.table_results import of_table
from pages.shared.canvas.data_table import data_table
from pages.shared.jobs.run import Outcome
from pages.shared.reliability import changing, refitting
from pages.shared.reliability import sentences as reliability_sentences
from pages.shared.reliability.models import AnsweredModel
from pages.shared.reliability.refitting import Refits

MOST_STRIPS = 8  # features whose strips are drawn
LEAST_AGAIN = 5  # models on redrawn data before their answers are shown


def draw(dataset: Dataset, one: AnsweredModel) -> None:
    """Draw the choice of a row, and its story."""
    n = len(dataset.y)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen_row.number_input(n, 150, dataset.roles)
        st.button(
            say("Most doubted"),
            on_click=callback(chosen_row.choose),
            args=(_most_doubted(one),),
            help=say("The row that it doubts most"),
        )
    row = chosen_row.chosen()
    if row is None:
        st.info(
            say("Tick a row under *Who decides*, or give its number, to read why the model says what it says.")
        )
        return
    fold = _fold_of(one, row)
    if fold is None:
        st.info(say("The model was stopped before it was asked about this row."))
        return
    _draw_story(one, *refitting.refits_of(one.trial, fold), row)


class ToldStory(NamedTuple):
    """The story of a row, as far as the page has it."""

    look: ExplanationInputs
    refits: Refits
    row: int


def told(one: AnsweredModel) -> ToldStory | None:
    """The story of the chosen row, for a sheet of paper; None without a row, and while its model is fitted."""
    row = chosen_row.chosen()
    fold = None if row is None else _fold_of(one, row)
    if row is None or fold is None:
        return None
    refits, _ = refitting.refits_of(one.trial, fold)
    return None if refits.fitted is None else _told(refits, row)


def _told(refits: Refits, row: int) -> ToldStory:
    quick = _story(f"{refits.key} {row} {changing.key()}", refits, row)
    look = ExplanationInputs(refitting.of_row(refits, row).better(quick), refits.data)
    return ToldStory(look, refits, row)


def _most_doubted(one: AnsweredModel) -> int:
    return int(one.answers.row[np.argmax(one.answers.doubt)])


def _fold_of(one: AnsweredModel, row: int) -> FoldModel | None:
    """The first fold that the row is in."""
    return next((fold for fold in one.fold_models.tried if row in fold.rows), None)


def _draw_story(one: AnsweredModel, refits: Refits, outcome: Outcome, row: int) -> None:
    if refits.fitted is None:
        refitting.draw_progress(refits, outcome)
        return
    look = _told(refits, row).look
    st.markdown(headline(one, look, row))
    left, right = st.columns(2, gap="large")
    with left:
        _why(look, row)
    with right:
        _changes(look, refits, row)
        _again(look, refits, row)
        refitting.draw_progress(refits, outcome)


@of_table(max_entries=64, show_spinner=Later(lambda: say("Looking for the smallest change …")))
def _story(key: str, _refits: Refits, row: int) -> Story:
    data, aim = _refits.data, ChangeAim(changing.toward())
    return story(_refits.fitted, data, data.X[row], changing.allowed(), aim)


@of_table(max_entries=64, show_spinner=Later(lambda: say("Asking the model along each column …")))
def _strips(key: str, _refits: Refits, _x: np.ndarray, _features: list[int]) -> list[PredictionStrip]:
    return strips_of(_refits.fitted, _refits.data, _x, _features)


@of_table(max_entries=64, show_spinner=Later(lambda: say("Asking the model along each column …")))
def _plane(key: str, _refits: Refits, _story: Story) -> RecoursePlane | None:
    return recourse_plane(_refits.fitted, _refits.data, _story)


def headline(one: AnsweredModel, look: ExplanationInputs, row: int) -> str:
    """The answer to the row, the truth, and how much the model doubts it; Markdown."""
    data, story = look.dataset, look.story
    n = explanation_words.rows_behind(story.model, story.x)
    answer = plain(explanation_words.says(data, story.answers, story.answer, n))
    truth = plain(in_words(data.target, float(data.y[row])))
    measure = measure_words(one.fold_models.measure, data.is_classification)
    doubt = say(
        "Its doubt is {value} ({measure}). The model has not seen this row.",
        value=number(float(story.doubts.doubt[0])),
        measure=measure,
    )
    return (
        say(
            "{row}: **{model}** says **{answer}**; in truth it is **{truth}**.",
            row=plain(data.roles.name_of(row, begins=True)),
            model=one.title,
            answer=answer,
            truth=truth,
        )
        + f" {doubt}"
    )


def _why(look: ExplanationInputs, row: int) -> None:
    data, story = look.dataset, look.story
    is_cultivated = isinstance(story.model, CultivatedTree)
    st.markdown(say("**Why**"))
    _sentences(explanation_words.why(story, data))
    _parts(look, row)
    if is_cultivated:
        pictures.draw(curves.leaves_picture(look), curves.WIDTH)
        st.caption(say(reliability_sentences.LEAVES))
    if isinstance(story.model, Forest):
        _votes(look, story.model, row)
    elif story.steps:
        picture = curves.way_picture(look)
        pictures.draw(picture, curves.WIDTH)
        _caption(reliability_sentences.way_caption(is_cultivated), picture, _file("way-of", look, row) + ".svg")
    nearly = explanation_words.nearly(story, data)
    if nearly:
        st.markdown(
            say("**What nearly won**") if explanation_words.is_near(story, data) else say("**What came second**")
        )
        _sentences(nearly)


def _parts(look: ExplanationInputs, row: int) -> None:
    """Draw what each column adds to the answer."""
    parts = explanation_words.parts_of(look.story, look.dataset)
    if parts is None or not parts.added.any():
        return
    picture = parts_picture.reasons_picture(parts, look.dataset, look.story.x)
    pictures.draw(picture, parts_picture.WIDTH)
    _caption(reliability_sentences.parts_caption(parts.link), picture, _file("reasons-of", look, row) + ".svg")


def _file(of_what: str, look: ExplanationInputs, row: int) -> str:
    """The beginning of the name of a file on this row."""
    with english():
        return f"{of_what}-{pictures.file_name(look.dataset.roles.name_of(row))}"


def _votes(look: ExplanationInputs, forest: Forest, row: int) -> None:
    """Draw the vote of every tree."""
    data, picture = look.dataset, votes_picture(look, forest, row)
    pictures.draw(picture, forests_votes.STRIP_WIDTH)
    _caption(
        say("A cell for each tree, in its class's colour; underlined where it is wrong.")
        if data.is_classification
        else say("A dot for each tree."),
        picture,
        _file("votes-on", look, row) + ".svg",
    )


def votes_picture(look: ExplanationInputs, forest: Forest, row: int) -> Picture:
    """The votes of the trees on the row."""
    data, story = look.dataset, look.story
    value = shares_by_tree(forest, story.x[None, :])[:, 0]
    if data.is_classification:
        of_all = np.zeros((len(value), len(data.classes)))
        of_all[:, story.classes] = value
        value = of_all
    votes = Votes(value, np.zeros(len(value), bool), float(data.y[row]), story.answer)
    return forests_votes.votes_picture(votes, data.target)


def _caption(text: str, picture: Picture, name: str) -> None:
    """Draw the caption of a picture, and the button that saves it in the colours of the page."""
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        st.caption(text, width="stretch")
        pictures.save(picture.draw(is_dark()), name)


def _changes(look: ExplanationInputs, refits: Refits, row: int) -> None:
    """Draw the smallest change that alters the answer, and those of single features."""
    data, story = look.dataset, look.story
    st.markdown(say("**What would change the answer**"))
    model = record_of(refits.fitted)
    if model is not None:
        changing.draw_goal(data, story)
    _sentences([explanation_words.counterfactual_words(story, data)])
    refitting.draw(refitting.of_row(refits, row), story)
    if model is not None and not isinstance(model, ModelTree):
        changing.draw(data, model)
    _recourse(look, refits, row)
    table = explanation_words.changes_table(story, data)
    if len(table):
        strips = strips_shown(ToldStory(look, refits, row))
        picture = curves.strips_picture(look, strips)
        pictures.draw(picture, curves.WIDTH)
        st.caption(reliability_sentences.strips_caption(data.is_classification))
        with st.expander(say("Column by column")):
            if story.is_cut:
                st.caption(explanation_words.stopped_words())
            data_table(table, hide_index=True, alt=say("For each column the smallest change that does it alone"))
            with st.container(horizontal=True):
                name = _file("changes-of", look, row)
                pictures.save(lambda: to_csv(explanation_words.changes_table(story, data)), f"{name}.csv")
                pictures.save(picture.draw(is_dark()), f"{name}.svg")


def _recourse(look: ExplanationInputs, refits: Refits, row: int) -> None:
    """Draw where another answer lies, over two columns."""
    plane = recourse_of(ToldStory(look, refits, row))
    if plane is None:
        return
    picture = curves.recourse_picture(look, plane)
    pictures.draw(picture, curves.WIDTH)
    _caption(
        reliability_sentences.recourse_caption(look.dataset.is_classification),
        picture,
        _file("recourse-of", look, row) + ".svg",
    )


def _again(look: ExplanationInputs, refits: Refits, row: int) -> None:
    """Draw the answers of models on redrawn data."""
    st.markdown(say(reliability_sentences.AGAIN))
    if not refits.n_again:
        st.caption(
            say(
                "Your own model is not fitted again, so how its answer would change with other "
                "training rows is not known here."
            )
        )
        return
    if (answers := answers_again(refits, row)) is not None:
        text = explanation_words.refit_words(look.dataset, look.story.answer, answers)
        _sentences([text])
        pictures.draw(curves.refit_picture(look, answers, text), curves.WIDTH)
        st.caption(say(reliability_sentences.AGAIN_MODELS))


def answers_again(refits: Refits, row: int) -> np.ndarray | None:
    """Answers to the row of models on redrawn data; None before there are enough, and of a person's own model."""
    if not refits.n_again or not (len(refits.again) >= LEAST_AGAIN or refits.is_done):
        return None
    return np.stack(refits.again)[:, place_in_fold(refits, row)]


def recourse_of(told: ToldStory) -> RecoursePlane | None:
    """Where another answer lies, over two columns; None where no two columns change it."""
    return _plane(f"{told.refits.key} {told.row} {changing.key()}", told.refits, told.look.story)


def strips_shown(told: ToldStory) -> list[PredictionStrip]:
    """What would be said along each of the columns that alone change the answer."""
    story = told.look.story
    features = [flip.changes[0].feature for flip in story.singles[:MOST_STRIPS]]
    return _strips(f"{told.refits.key} {told.row} {changing.key()}", told.refits, story.x, features)


def place_in_fold(refits: Refits, row: int) -> int:
    """Position of the row among those of its fold."""
    return int(np.searchsorted(refits.rows, row))


def _sentences(sentences: Sequence[str]) -> None:
    st.markdown(" ".join(plain(sentence) for sentence in sentences))
