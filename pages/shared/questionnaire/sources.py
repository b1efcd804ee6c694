"""The tree that the questions come from: one that stands in for a black box, or one of the tree page."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import streamlit as st

from espalier.approximation import fidelity
from espalier.approximation.fidelity import FidelityLevel
from espalier.comparison.scores import Rates, rates
from espalier.data.dataset import Dataset
from espalier.decisions.decision import JudgedRows, rows_held_out, unweight_shares
from espalier.language import Texts, say, uncapitalize
from espalier.learners import catalogue
from espalier.learners.approximation import Considered
from espalier.learners.catalogue import Model
from espalier.learners.catalogue.settings import FORCED_SPLITS, MONOTONE
from espalier.predict import leaves, shares
from espalier.questionnaire.questionnaire import (
    AnswerSpread,
    Questionnaire,
    make_questionnaire,
    mean_asked,
    spread_of,
)
from espalier.ties import NO_PRIOR, winners
from espalier.trees import Tree, depths
from pages.shared.app.address import Choice, Entry
from pages.shared.app.links.readers import one_of, whole
from pages.shared.app.table_results import of_table
from pages.shared.approximation import controls as approximation_controls
from pages.shared.approximation import fits as approximations
from pages.shared.approximation import results
from pages.shared.approximation.fits import Approximated
from pages.shared.decisions import of_tree, section
from pages.shared.decisions.section import DecidingModel
from pages.shared.jobs import compilation
from pages.shared.models import drawer, learners, slots
from pages.shared.models.of_columns import carried, given
from pages.shared.models.of_columns import kinds as of_columns
from pages.shared.tree import fits, growing

CONTROLS = Texts(
    {
        "asking": (
            "Questions made from",
            "- **Full model.** One tree that stands in for a model nobody can read, as on the page "
            "Approximate.\n"
            "- **CART**, **Optimal.** The tree of the page Tree, with the settings that it has there.",
        ),
        "questions": (
            "Ask at most",
            "A shorter questionnaire leaves the last questions out and answers with what all who come so far "
            "have in common. *Term:* depth of the tree.",
        ),
        "sure": (
            "Sure enough from",
            "Where the likeliest answer is less likely than this, the questionnaire says that it is not sure, "
            "and "
            "names the two likeliest. *Term:* abstention, or reject option.",
        ),
    }
)


def number_of_questions(n: int) -> str:
    """A number of questions on the slider."""
    return say("{n} question" if n == 1 else "{n} questions", n=n)


def sheet_title(target: str) -> str:
    """Title of the sheet."""
    return say("Questionnaire: {target}", target=target)


def sheet_length(n: int) -> str:
    """Length of the sheet."""
    return say("At most {n}.", n=number_of_questions(n))


# ---- the tree that the questions come from: one that stands in for a black box, or one of the tree page

SOURCES = Texts({"approximation": "Full model", "cart": "CART", "optimal": "Optimal"})

APPROXIMATION = "approximation"
SPLITS = "asking-given"  # key of the session state: splits that the tree begins with
MOST_QUESTIONS = 20
PERCENT_SURE = 67  # two in three
SLACK = 0.005  # a share that is shown as so many percent is as many


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
        """(n_classes,) by which the black box breaks ties, as `espalier.ties` has it; or none."""
        return NO_PRIOR if self.box is None else self.box.prior

    @property
    def considered(self) -> Considered | None:
        """Tests of every split, where there were any."""
        return None if self.box is None else self.box.considered


def url_entries(dataset: Dataset) -> list[Entry]:
    """The choice, the most questions, and all controls of all sources, as parts of the address."""
    trees = [entry for name in ("cart", "optimal") for entry in learners.LEARNERS[name].entries(dataset.target)]
    every = [
        Entry("asking", APPROXIMATION, one_of(SOURCES), name="model"),
        Entry("questions", None, whole(1, MOST_QUESTIONS, optional=True)),
        Entry("sure", PERCENT_SURE, whole(0, 100)),
        *_while_asking(approximation_controls.url_entries(), {entry.parameter for entry in trees}),
        Entry(
            SPLITS,
            "",
            of_columns.reader(FORCED_SPLITS),
            name=FORCED_SPLITS.key,
            only=Choice("asking", carried.BY_HAND),
        ),
        *of_tree.url_entries(dataset),
        *section.group_entries(dataset),
        *(entry._replace(only=entry.only and Choice("asking", entry.only.values)) for entry in trees),
    ]
    return list({entry.key: entry for entry in every}.values())


def _while_asking(entries: list[Entry], names: set[str]) -> list[Entry]:
    """The controls of an approximation, of which those with these names are in the URL only while it is "
    "asked."""
    only = Choice("asking", (APPROXIMATION,))
    return [entry._replace(only=only) if entry.parameter in names else entry for entry in entries]


def drop_invalid(dataset: Dataset) -> None:
    """Give way to data that the choice does not serve."""
    if st.session_state["asking"] not in _offered(dataset):
        st.session_state["asking"] = APPROXIMATION
    approximation_controls.drop_invalid(dataset)


def _offered(dataset: Dataset) -> dict[str, str]:
    return {
        name: title
        for name, title in SOURCES.items()
        if name == APPROXIMATION or dataset.is_classification in learners.LEARNERS[name].kind.serves
    }


def draw_choice(dataset: Dataset) -> None:
    """Draw the choice of the tree."""
    offered = _offered(dataset)
    label, words = CONTROLS["asking"]
    st.segmented_control(
        label, list(offered), key="asking", format_func=offered.__getitem__, required=True, width="stretch",
        help=f"{words}\n\n{slots.not_offered()}",
    )  # fmt: skip


def draw_controls(dataset: Dataset) -> None:
    """Draw the controls of the tree, as on the page that it comes from."""
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
            of_columns.draw(SPLITS, FORCED_SPLITS)
        carried.note([(SPLITS, FORCED_SPLITS)], of=(FORCED_SPLITS,))
        given.note_room(_begun(dataset))
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
    by = st.session_state["asking"]
    if by == APPROXIMATION:
        one = approximations.approximated(dataset)
        return (
            None
            if one is None
            else QuestionnaireSource(one.key, dataset, one.held, one.tree, one.in_sentence, one, one.model)
        )
    learner = learners.LEARNERS[by]
    if not fits.can_grow(dataset, learner):
        compilation.progress(learner.kind.stage)
        return None
    model = _begun(dataset)
    grown = growing.grown(dataset, drawer.holdout(), model)
    who = say("the {title} tree", title=uncapitalize(say(learner.kind.title)))
    if grown is None:
        return None
    weight = of_tree.weight_of(grown)
    return QuestionnaireSource(grown.key, dataset, grown.held, grown.sharp, who, None, model, weight)


class QuestionnaireTree(NamedTuple):
    """The questionnaire as it is asked: a source's tree, cut off after so many questions."""

    source: QuestionnaireSource
    form: Questionnaire
    most: int  # questions, at most
    nodes: np.ndarray  # (n_nodes,) where each node is in the source's tree
    limit: float  # the share from which on a class is an answer

    @property
    def key(self) -> str:
        """Names the tree as it is asked."""
        return f"{self.source.key} {self.most}"


def asked(source: QuestionnaireSource) -> QuestionnaireTree:
    """The questionnaire that the controls stand for."""
    wanted, depth = st.session_state["questions"], source.tree.depth
    most = min(depth if wanted is None else wanted, MOST_QUESTIONS, depth)
    form, nodes = _cut(source, most)
    return QuestionnaireTree(source, form, most, nodes, st.session_state["sure"] / 100 - SLACK)


@of_table(max_entries=64)
def _cut(source: QuestionnaireSource, most: int) -> tuple[Questionnaire, np.ndarray]:
    tree, data = source.tree, source.dataset
    form = make_questionnaire(fidelity.cut(tree, most), data.features, data.X[~source.held])
    return form, np.flatnonzero(depths(tree) <= most)


def has_costs(dataset: Dataset) -> bool:
    """Whether costs of errors are settings of the tree that is asked; an approximation has none."""
    by = st.session_state["asking"]
    return by != APPROXIMATION and learners.LEARNERS[by].has_costs(dataset.target)


def deciding(one: QuestionnaireTree) -> DecidingModel:
    """The questionnaire as a model whose answers to the rows held out are decided on."""
    source, held = one.source, np.flatnonzero(one.source.held)

    def rows() -> JudgedRows:
        given = shares(one.form.tree, source.dataset.X[held])
        return rows_held_out(source.dataset, held, unweight_shares(given, source.class_weight))

    return DecidingModel(one.key, say("The questionnaire"), 0, rows)


# ---- rows that judge it


def _rows(source: QuestionnaireSource) -> tuple[np.ndarray, np.ndarray]:
    if source.box is not None:
        fresh = results.fresh(source.box)
        return fresh.X, fresh.model
    rows = source.held if source.held.any() else ~source.held
    return source.dataset.X[rows], truth(source.dataset, rows)


def _weight(source: QuestionnaireSource) -> np.ndarray | None:
    """How much each of the rows that judge the tree counts; None: all the same, as made-up rows do."""
    rows = source.held if source.held.any() else ~source.held
    return None if source.box is not None else source.dataset.weights_of(rows)


def truth(dataset: Dataset, rows: np.ndarray) -> np.ndarray:
    """(n, n_outputs) the target of rows, as class shares or numbers."""
    y = dataset.y[rows]
    return np.eye(len(dataset.classes))[y] if dataset.is_classification else y[:, None].astype(np.float64)


@of_table(max_entries=32)
def _leaves_judged(one: QuestionnaireTree) -> np.ndarray:
    """(n,) leaves of the made-up rows, or of those of the table, that judge the tree."""
    return leaves(one.form.tree, _rows(one.source)[0])


def spread_at(one: QuestionnaireTree, leaf: int) -> AnswerSpread | None:
    """Spread of the outputs of judging rows that end in a leaf; None where none does."""
    here = _rows(one.source)[1][_leaves_judged(one) == leaf]
    return spread_of(here, one.source.prior) if len(here) else None


class Lengths(NamedTuple):
    """The price of fewer questions: an entry for each number of them, from none to all."""

    levels: list[FidelityLevel]
    mean_asked: np.ndarray


@of_table(max_entries=32)
def lengths(source: QuestionnaireSource) -> Lengths:
    """How well the tree agrees, cut off after every number of questions."""
    X, outputs = _rows(source)
    weight, is_classification = _weight(source), source.dataset.is_classification
    levels = fidelity.fidelity_levels(source.tree, X, outputs, is_classification, source.prior, weight)
    return Lengths(levels, mean_asked(source.tree, leaves(source.tree, X)))


@of_table(max_entries=64)
def rates_of(source: QuestionnaireSource, most: int) -> Rates:
    """Rates of right answers by class with so many questions, on the rows that judge the tree."""
    X, outputs = _rows(source)
    tree = fidelity.cut(source.tree, most)
    usual = int(source.tree.value[0].argmax())
    said = winners(outputs, source.prior), winners(shares(tree, X))
    return rates(*said, outputs.shape[1], usual, _weight(source))


@of_table(max_entries=64)
def _leaves(one: QuestionnaireTree) -> np.ndarray:
    return leaves(one.form.tree, one.source.dataset.X)


def rows_at(one: QuestionnaireTree, leaf: int, held: bool) -> np.ndarray:
    """Numbers of the rows that end in a leaf, of those held out, or of those grown on."""
    return np.flatnonzero((_leaves(one) == leaf) & (one.source.held == held))
