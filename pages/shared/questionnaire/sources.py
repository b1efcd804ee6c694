"""The tree that the questions come from: one that stands in for a black box, or one of the tree page."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from espalier.approximation import fidelity
from espalier.approximation.fidelity import FidelityLevel
from espalier.approximation.stand_in import Approximated
from espalier.data.dataset import Dataset
from espalier.data.samples import title_of
from espalier.display.theme import count, number, percent
from espalier.language import as_spoken, say, to_say, uncapitalize
from espalier.learners import catalogue
from espalier.learners.catalogue import Model
from espalier.learners.catalogue.settings import FORCED_SPLITS, MONOTONE
from espalier.predict import NO_PRIOR, leaves
from espalier.questionnaire import sheet as sheets
from espalier.questionnaire.questionnaire import Questionnaire, make_questionnaire, mean_asked
from espalier.trees import Tree
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Choice, Entry
from pages.shared.app.frame import plain
from pages.shared.app.pictures import file_name
from pages.shared.app.store import of_table
from pages.shared.approximation import controls as approximation_controls
from pages.shared.approximation import fits as approximations
from pages.shared.approximation import results
from pages.shared.canvas.components import data_table
from pages.shared.canvas.control import Control, slider
from pages.shared.decisions import section
from pages.shared.jobs import compilation
from pages.shared.models import carried, columns, drawer, learners
from pages.shared.tree import growing

APPROXIMATION = "approximation"
SPLITS = "asking-given"  # key of the session state: splits that the tree begins with
MOST_QUESTIONS = 20
SLACK = 0.005  # a share that is shown as so many percent is as many
SOURCES = {"approximation": to_say("Full model"), "cart": to_say("CART"), "optimal": to_say("Optimal")}
CONTROLS = {
    control.key: control
    for control in (
        Control(
            "asking", APPROXIMATION, SOURCES, to_say("Questions made from"),
            to_say(
                "**Full model**: one tree that stands in for a model nobody can read. **CART**, **Optimal**: the "
                "tree of the page Tree, with its settings."
            ),
            st.segmented_control, name="model",
        ),
        Control(
            "questions", None, (1, MOST_QUESTIONS), to_say("Ask at most"),
            to_say("Leaves the last questions out. *Term:* depth of the tree."), slider, empty=to_say("all"),
        ),
        Control(
            "sure", 67, (0, 100), to_say("Sure enough from"),
            to_say("Where the likeliest answer is less likely, it says that it is not sure. *Term:* abstention."),
            slider, said=app_sentences.percentage,
        ),
    )
}  # fmt: skip


def number_of_questions(n: int) -> str:
    """A number of questions on the slider."""
    return say("{n} question" if n == 1 else "{n} questions", n=n)


# ---- the tree that the questions come from: one that stands in for a black box, or one of the tree page


class QuestionnaireSource(NamedTuple):
    """A tree, the rows it grew on, and, where it stands in for one, the black box."""

    key: str  # names all of it
    dataset: Dataset
    held: np.ndarray  # (n_samples,) bool: rows held out
    tree: Tree
    who: str  # the model or tree that answers, in the middle of a sentence
    box: Approximated | None
    model: Model  # of this tree
    class_weight: np.ndarray | None = None  # (n_classes,) of rows as the tree grew; None: all count the same

    @property
    def prior(self) -> np.ndarray:
        """(n_classes,) by which the black box breaks ties, as `espalier.predict` has it; or none."""
        return NO_PRIOR if self.box is None else self.box.prior


def url_entries(dataset: Dataset) -> list[Entry]:
    """The choice, the most questions, and all controls of all sources, as parts of the address."""
    trees = [entry for name in ("cart", "optimal") for entry in learners.LEARNERS[name].entries(dataset.target)]
    names = {entry.parameter for entry in trees}
    only = Choice("asking", (APPROXIMATION,))  # of controls whose names those of a tree have, too
    every = [
        *(control.entry for control in CONTROLS.values()),
        *(
            entry._replace(only=only) if entry.parameter in names else entry
            for entry in approximation_controls.url_entries()
        ),
        Entry(
            SPLITS, "", columns.reader(FORCED_SPLITS), name=FORCED_SPLITS.key,
            only=Choice("asking", carried.BY_HAND),
        ),
        *section.tree_entries(dataset),
        *section.group_entries(dataset),
        *(entry._replace(only=entry.only and Choice("asking", entry.only.values)) for entry in trees),
    ]  # fmt: skip
    return list({entry.key: entry for entry in every}.values())


def drop_invalid(dataset: Dataset) -> None:
    """Give way to data that the choice does not serve."""
    if st.session_state["asking"] not in offered(dataset):
        st.session_state["asking"] = APPROXIMATION
    approximation_controls.drop_invalid(dataset)


def offered(dataset: Dataset) -> list[str]:
    """The trees that can be asked about these data, by name."""
    trees = [one for one in SOURCES if one != APPROXIMATION]
    return [APPROXIMATION, *(n for n in trees if dataset.is_classification in learners.LEARNERS[n].kind.serves)]


def draw_controls(dataset: Dataset) -> None:
    """Draw how sure is sure enough, and the controls of the tree, as on the page that it comes from."""
    if dataset.is_classification:
        CONTROLS["sure"].draw()
    if st.session_state["asking"] == APPROXIMATION:
        with approximation_controls.draw_first(dataset):
            approximation_controls.SETTINGS.pick_depth(approximation_controls.NO_TARGET)
        approximation_controls.draw()
        return
    n_rows = drawer.holdout().n_left(len(dataset.y))
    learner = learners.LEARNERS[st.session_state["asking"]]
    learner.own.drop_invalid(dataset.target)
    learner.draw_first(dataset.target)
    learner.draw_more(dataset.target, n_rows)
    carried.carry([(SPLITS, FORCED_SPLITS)])
    if _may_begin(dataset):
        if st.session_state[SPLITS]:
            columns.draw(SPLITS, FORCED_SPLITS)
        carried.note([(SPLITS, FORCED_SPLITS)], of=(FORCED_SPLITS,))
    else:
        carried.note([], of=(FORCED_SPLITS,))


def _may_begin(dataset: Dataset) -> bool:
    """Whether the tree can begin with given splits: not beside directions, nor an optimal one of numbers."""
    kind = catalogue.find_kind(st.session_state["asking"])
    can = any(one.key == FORCED_SPLITS.key for one in kind.for_target(dataset.is_classification))
    return can and not st.session_state[MONOTONE.key]


def _begun(dataset: Dataset) -> Model:
    """The model of the controls, with the splits that it is given to begin with."""
    model = learners.LEARNERS[st.session_state["asking"]].model(dataset.target)
    has_splits = _may_begin(dataset) and st.session_state[SPLITS]
    return model.with_settings(given=st.session_state[SPLITS]) if has_splits else model


def source(dataset: Dataset) -> QuestionnaireSource | None:
    """Return the source that the controls stand for; None while it is not there, with the reason on the page."""
    if st.session_state["asking"] == APPROXIMATION:
        box = approximations.approximated(dataset)
        if box is None:
            return None
        who = approximation_controls.in_sentence(box.model)
        return QuestionnaireSource(box.key, dataset, box.held, box.tree, who, box, box.model)
    learner = learners.LEARNERS[st.session_state["asking"]]
    if not learner.can_grow(dataset):
        compilation.progress(learner.kind.stage)
        return None
    model = _begun(dataset)
    grown = growing.grow_with_progress(dataset, drawer.holdout(), model)
    if grown is None:
        return None
    who = say("the {title} tree", title=uncapitalize(say(learner.kind.title)))
    weight = section.weight_of(grown)
    return QuestionnaireSource(grown.key, dataset, grown.held, grown.sharp, who, None, model, weight)


class QuestionnaireTree(NamedTuple):
    """The questionnaire as it is asked: a source's tree, cut off after so many questions."""

    source: QuestionnaireSource
    form: Questionnaire
    most: int  # questions, at most
    limit: float  # the share from which on a class is an answer

    @property
    def key(self) -> str:
        """Names the tree as it is asked."""
        return f"{self.source.key} {self.most}"


def asked(source: QuestionnaireSource) -> QuestionnaireTree:
    """The questionnaire that the controls stand for."""
    wanted, depth = CONTROLS["questions"].value, source.tree.depth
    most = min(depth if wanted is None else wanted, MOST_QUESTIONS, depth)
    return QuestionnaireTree(source, _form(source, most), most, CONTROLS["sure"].value / 100 - SLACK)


@of_table(max_entries=64)
def _form(source: QuestionnaireSource, most: int) -> Questionnaire:
    data = source.dataset
    return make_questionnaire(fidelity.cut(source.tree, most), data.features, data.X[~source.held])


# ---- rows that judge it


def rows_to_judge(source: QuestionnaireSource) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Rows, what is true of them as class shares or numbers (n, n_outputs), and their weight; None: the same."""
    if source.box is not None:
        fresh = results.fresh(source.box)
        return fresh.X, fresh.model, None
    data, rows = source.dataset, source.held if source.held.any() else ~source.held
    y = data.y[rows]
    outputs = np.eye(len(data.classes))[y] if data.is_classification else y[:, None].astype(np.float64)
    return data.X[rows], outputs, data.weights_of(rows)


@of_table(max_entries=32)
def leaves_judged(asked: QuestionnaireTree) -> np.ndarray:
    """(n,) leaves of the rows that judge the tree."""
    return leaves(asked.form.tree, rows_to_judge(asked.source)[0])


@of_table(max_entries=32)
def lengths(source: QuestionnaireSource) -> tuple[list[FidelityLevel], np.ndarray]:
    """How well the tree agrees, cut off after every number of questions from none on; how many these are."""
    X, outputs, weight = rows_to_judge(source)
    levels = fidelity.fidelity_levels(
        source.tree, X, outputs, source.dataset.is_classification, source.prior, weight
    )
    return levels, mean_asked(source.tree, leaves(source.tree, X))


@of_table(max_entries=64)
def _leaves(asked: QuestionnaireTree) -> np.ndarray:
    return leaves(asked.form.tree, asked.source.dataset.X)


def rows_at(asked: QuestionnaireTree, leaf: int, held: bool) -> np.ndarray:
    """Numbers of the rows that end in a leaf, of those held out, or of those grown on."""
    return np.flatnonzero((_leaves(asked) == leaf) & (asked.source.held == held))


# ---- the questionnaire to print, and how many of its questions are enough

MOST_PRINTED = 200  # questions on a sheet


def draw_sheet(asked: QuestionnaireTree) -> None:
    """The questionnaire on paper: a look at it, to print or to save."""
    if asked.form.tree.n_leaves > MOST_PRINTED + 1:
        st.info(length_warning(asked))
        return
    name = file_name(asked.source.dataset.name) or "data"
    st.download_button(
        say("Save as a web page (.html)"), as_spoken(lambda: html(asked)), f"questionnaire-{name}.html",
        "text/html", on_click="ignore", key="save sheet", icon=":material/download:",
    )  # fmt: skip
    st.iframe(html(asked, button=True), height=700)


def length_warning(asked: QuestionnaireTree) -> str:
    """Note in place of a sheet with too many questions."""
    n = count(asked.form.tree.n_leaves - 1)
    return say("{n} questions are too many for paper (at most {most}): ask fewer.", n=n, most=MOST_PRINTED)


def html(asked: QuestionnaireTree, button: bool = False) -> str:
    """The sheet as a document of its own."""
    source, target = asked.source, asked.source.dataset.target
    behind = say("how often that was right, and of how many rows of the table")
    if source.box is not None:
        behind = say("how likely {who} finds that, and how many rows of the table led there", who=source.who)
    title = say("Questionnaire: {target}", target=target.name)
    length = f"{say('At most {n}.', n=number_of_questions(asked.most))} {worth(source, asked.most)}"
    heading = sheets.Heading(title, (origin(source), length), behind, asked.limit, source.box is None)
    return sheets.sheet(asked.form, target, heading, button)


def origin(source: QuestionnaireSource) -> str:
    """A sentence on the model or tree that the questions come from."""
    n, name = count(int((~source.held).sum())), title_of(source.dataset)
    return say("Stands for {who}, made from {n} rows of “{name}” by Espalier.", who=source.who, n=n, name=name)


def worth(source: QuestionnaireSource, most: int) -> str:
    """A sentence on how good the questionnaire is with so many questions."""
    agreement = lengths(source)[0][most].fidelity.agreement
    if math.isnan(agreement):
        return ""
    share = percent(max(round(agreement, 3), 0.0))
    if not source.dataset.is_classification:
        whose = say("the target") if source.box is None else source.who
        return say("It explains {share} of how {whose} varies.", share=share, whose=whose)
    if source.box is not None:
        return say("It answers as {who} does in {share} of made-up cases.", who=source.who, share=share)
    return say("It is right on {share} of {rows}.", share=share, rows=judging_rows(source))


def judging_rows(source: QuestionnaireSource) -> str:
    """The rows that say how good the questionnaire is, in the middle of a sentence."""
    if source.box is not None:
        return say("made-up cases that {who} answered", who=source.who)
    return say("rows kept for testing") if source.held.any() else say("the rows that it was made from")


def draw_length(source: QuestionnaireSource) -> None:
    """Draw the control of the number of questions, and a note on what the choice is worth."""
    depth, control = min(source.tree.depth, MOST_QUESTIONS), CONTROLS["questions"]
    if control.value is not None and control.value >= depth:
        st.session_state["questions"] = None
    if depth > 1:
        control.draw(
            options=[*range(1, depth), None],
            format_func=lambda n: number_of_questions(n) if n else say("all {n}", n=depth),
        )
    st.caption(plain(worth(source, depth if control.value is None else control.value)))
    if source.box is not None:
        st.caption(say("That model is not the Tree page's tree."))


def draw_lengths(asked: QuestionnaireTree) -> None:
    """Draw the table of the price of fewer questions."""
    alt = say("What the questionnaire is worth by its length")
    data_table(lengths_table(asked.source), hide_index=True, alt=alt)
    st.caption(plain(say("Measured on {rows}.", rows=judging_rows(asked.source))))


def lengths_table(source: QuestionnaireSource) -> pd.DataFrame:
    """A row for each number of questions, from none on."""
    levels, mean_asked = lengths(source)
    rows = range(min(len(levels), MOST_QUESTIONS + 1))
    column = say("variation explained")
    if source.dataset.is_classification:
        column = say("right", context="correct") if source.box is None else say("same as the full model")
    table = {
        say("questions, at most"): list(rows),
        say("asked on average"): [number(float(mean_asked[n])) for n in rows],
        column: [percent(max(round(levels[n].fidelity.agreement, 3), 0.0)) for n in rows],
        say("endings"): [levels[n].n_leaves for n in rows],
    }
    return pd.DataFrame(table)
