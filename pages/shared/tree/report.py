"""The scores of the tree, and the reason for a tree without splits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from espalier.approximation.fidelity import r2
from espalier.comparison import tables as rates_words
from espalier.comparison.scores import Rates, rates
from espalier.data.dataset import Dataset
from espalier.data.roles import weighted_mean
from espalier.data.samples import title_of
from espalier.display import tables
from espalier.display.tables import listed
from espalier.display.theme import SUPERSCRIPT, count, number, percent
from espalier.display.tree import figures
from espalier.kernels.cultivated.fractions import log_ensemble_size
from espalier.language import Texts, say
from espalier.trees import AnyTree, CultivatedTree
from pages.shared.app import pictures
from pages.shared.app.frame import plain
from pages.shared.app.table_results import of_table
from pages.shared.canvas.curve import numbers_canvas
from pages.shared.canvas.data_table import data_table
from pages.shared.models import learners
from pages.shared.models.of_columns import kinds as of_columns
from pages.shared.tree import results, selection
from pages.shared.tree import sentences as tree_sentences
from pages.shared.tree.grown.record import places
from pages.shared.tree.results import GrownTree

ACCURACY = Texts({"accuracy": "accuracy", "r2": "R²"})
WHOSE = Texts({"tree": "tree", "baseline": "baseline"})

CHANNEL = "explorer"  # of what is shown of one tree
AS_PERCENT = ("accuracy", "balanced_accuracy")
MAX_JUDGED = 40_000  # rows that the scores above a cultivated tree are measured on at most
LARGE = 5  # decimal logarithm of a number of trees from which on the power of ten is shown


class Figure(NamedTuple):
    """A number above the tree."""

    label: str
    value: str
    help: str


class Headline(NamedTuple):
    """The score above the tree, of the tree and of the baseline on the same rows."""

    tree: float
    baseline: float
    rates: Rates | None = None  # of classes


@of_table(max_entries=256)
def headlines(grown: GrownTree) -> dict[str, Headline]:
    """The score above the tree on rows held out and on training rows, by weight where they have some.

    It is drawn again while a slider is dragged, and therefore has no other scores.
    """
    data, headlines = grown.dataset, {}
    y = data.y
    for name, inside in kinds(grown):
        rows = np.flatnonzero(inside)[:: _step(grown)]
        outputs = results.answers_of(grown, rows)
        if data.is_classification:
            most = int(grown.tree.value[0].argmax())
            each = rates(y[rows], outputs.argmax(axis=1), outputs.shape[1], most, data.weights_of(rows))
            scores = Headline(each.accuracy, each.baseline, each)
        else:
            mean, weight = weighted_mean(y[~grown.held], data.weights_of(~grown.held)), data.weights_of(rows)
            scores = Headline(r2(y[rows], outputs[:, 0], weight), r2(y[rows], np.full(len(rows), mean), weight))
        headlines[name] = scores
    return headlines


def headline_words(grown: GrownTree, kind: str) -> str:
    """The score above the tree on rows of this kind, "held-out" or "training", in figures."""
    score = "accuracy" if grown.dataset.is_classification else "r2"
    return _written(score, headlines(grown)[kind].tree)


def _step(grown: GrownTree) -> int:
    """Step between rows that the score above the tree is measured on: fractions of very many take their time."""
    return len(grown.dataset.y) // MAX_JUDGED + 1 if grown.is_cultivated else 1


def kinds(grown: GrownTree) -> list[tuple[str, np.ndarray]]:
    """The rows held out, and those that the tree was grown on, as far as there are any."""
    kinds = (("held-out", grown.held), ("training", ~grown.held))
    return [(name, rows) for name, rows in kinds if rows.any()]


def numbers(grown: GrownTree) -> None:
    """Draw the score of the tree, and the other numbers in short."""
    numbers_canvas(
        [figure._asdict() for figure in figures_of(grown)],
        at=places(grown),
        channel=CHANNEL,
        key="heading numbers",
    )


def figures_of(grown: GrownTree) -> list[Figure]:
    """The numbers above the tree."""
    score = "accuracy" if grown.dataset.is_classification else "r2"
    scores_by_rows, some, label = headlines(grown), _sample_note(_step(grown)), ACCURACY[score]
    found = [
        Figure(tree_sentences.ROWS[name], _written(score, one.tree), _number_help()[name] + some)
        for name, one in scores_by_rows.items()
    ]
    found[0] = found[0]._replace(label=f"{label}, {found[0].label}")
    baseline = _written(score, next(iter(scores_by_rows.values())).baseline)
    others = {say("baseline"): baseline, **sizes(grown.tree)}
    return found + [Figure(label, value, _number_help()[label]) for label, value in others.items()]


def scores_in_short(grown: GrownTree) -> str:
    """The score above the tree in words: "accuracy 95 % held-out, 97 % training"."""
    score = "accuracy" if grown.dataset.is_classification else "r2"
    there = (
        (f"{_written(score, one.tree)} {tree_sentences.ROWS[name]}") for name, one in headlines(grown).items()
    )
    return f"{ACCURACY[score]} {', '.join(there)}"


def errors_in_short(grown: GrownTree) -> str:
    """The share of rows with a wrong answer, in words: "error 5 % held-out, 3 % training"; of a number, R²."""
    if not grown.dataset.is_classification:
        return scores_in_short(grown)
    there = ((f"{percent(1 - one.tree)} {tree_sentences.ROWS[name]}") for name, one in headlines(grown).items())
    return f"{say('error')} {', '.join(there)}"


def written_score(data: Dataset, rows: np.ndarray, outputs: np.ndarray) -> str:
    """The score above a tree that gives these rows the outputs (n_rows, n_outputs), as it is written."""
    y, weight = data.y[rows], data.weights_of(rows)
    if data.is_classification:
        each = rates(y, outputs.argmax(axis=1), outputs.shape[1], 0, weight)
        return _written("accuracy", each.accuracy)
    return _written("r2", r2(y, outputs[:, 0], weight))


def sizes(tree: AnyTree) -> dict[str, str]:
    """Sizes of the tree, by label."""
    found = {say("leaves"): number(tree.n_leaves), say("depth"): number(tree.depth)}
    if not isinstance(tree, CultivatedTree):
        return found
    stands_for = ensemble(log_ensemble_size(tree))
    return {say("modules"): number(n_modules(tree)), **found, say("stands for"): stands_for}


def n_modules(tree: CultivatedTree) -> int:
    """Nodes that hesitate: with several features, or several cuts of one."""
    n_before = np.append(0, np.cumsum(tree.cuts.weight > 0))[tree.cuts.start[tree.decisions.start]]
    return int(np.count_nonzero(np.diff(n_before) > 1))


def ensemble(log_size: float) -> str:
    """A number of trees from its decimal logarithm: "1 tree", "12 trees", "10⁴⁶⁸⁴ trees"."""
    if log_size < LARGE:
        return _number_of_trees(count(round(10**log_size)))
    return _number_of_trees(f"10{str(round(log_size)).translate(SUPERSCRIPT)}")


def why_no_split(grown: GrownTree) -> str:
    """Reason for a lone root, as far as the data and the parameters tell."""
    y = grown.dataset.y[~grown.held]
    if (y == y[0]).all():
        return say("all rows that it was grown on have the same target, so there is nothing to tell apart")
    if selection.leaves_none(grown):
        return say("every column is in the list of columns that no split may ask about")
    if grown.pruned_from:
        return say("all {n_leaves} leaves were pruned into one", n_leaves=grown.pruned_from)
    return learners.chosen().why_no_split(len(y)) or say("no split of any column lowers the impurity")


def notices(grown: GrownTree) -> None:
    """Draw notes on this tree, above it."""
    if grown.tree.n_nodes == 1:
        why = why_no_split(grown)
        st.info(
            say("The tree is a lone root with a formula: {why}.", why=why)
            if grown.has_formulas
            else say("The tree is a lone root: {why}. It says the same of every row.", why=why)
        )
    if grown.parameters.get("misclassification_cost") is not None or isinstance(grown.class_weight, dict):
        st.caption(say("Percentages in the tree count a row as often as mistaking it costs more than another."))
    for held in of_columns.in_force(grown.dataset, grown.parameters):
        st.caption(held)
    first = next(iter(headlines(grown).values())).rates
    named = [] if first is None else [(say("The tree"), first)]
    if named and (blind := rates_words.blind_words(named, grown.dataset.target, plain)):
        st.markdown(f":material/warning: {blind}")


def preview(dataset: Dataset) -> None:
    """The data, as something to look at until there is a tree."""
    st.markdown(f"#### {plain(title_of(dataset))}\n:small[:gray[{_size(dataset)}]]")
    n = len(dataset.features)
    table = listed(dataset, np.arange(min(len(dataset.y), 100)), features=tables.on_page(n))
    data_table(table, hide_index=True, height=420)
    if left_off := tables.left_off(n):
        st.caption(left_off)


def scores(grown: GrownTree) -> None:
    """Draw all scores of the tree; only when they are opened."""
    opened = st.expander(say("How good is this tree?"), on_change="rerun", key="scores")
    if opened.open:
        with opened:
            _table(grown)
            if grown.dataset.is_classification:
                _confusions(grown)


def _table(grown: GrownTree) -> None:
    """Every score on training and held-out rows beside the baseline's."""
    from espalier.comparison import scores as metrics  # a second that the first screen can do without

    data = grown.dataset
    trained, table = ~grown.held, pd.DataFrame()
    y_grown_on, weight_grown_on = data.y[trained], data.weights_of(trained)
    for rows_name, rows in kinds(grown):
        said, weight = results.answers(grown)[rows], data.weights_of(rows)
        both = metrics.paired_scores(data.y[rows], said, y_grown_on, weight, weight_grown_on)
        names = metrics.for_losses(both.tree._fields[1:], {grown.source.model.loss})
        for whose, values in both._asdict().items():
            table[f"{tree_sentences.ROWS[rows_name]}: {WHOSE[whose]}"] = [
                _written(n, getattr(values, n)) for n in names
            ]
        arrows = ["↑" if n in metrics.HIGHER_IS_BETTER else "↓" for n in names]
        table.index = pd.Index([f"{say(metrics.LABELS[n])} {a}" for n, a in zip(names, arrows, strict=True)])
    data_table(table, alt=say("Scores of the tree and of the baseline"))
    st.caption(_scores_note(say(rates_words.BRIER) if data.is_classification else ""))


def _confusions(grown: GrownTree) -> None:
    from espalier.comparison.scores import confusion

    data = grown.dataset
    for side, (name, rows) in zip(st.columns(2), kinds(grown), strict=False):
        codes, weight = results.answers(grown)[rows].argmax(axis=1), data.weights_of(rows)
        matrix = confusion(data.y[rows], codes, len(data.classes), weight)
        with side:
            st.markdown(say("**Confusion matrix, {rows} rows**", rows=tree_sentences.ROWS[name]))
            pictures.plot(figures.confusion_picture(matrix, data.target), f"confusion {name}", pictures.NO_BAR)
            each = rates(data.y[rows], codes, len(data.classes), int(grown.tree.value[0].argmax()), weight)
            st.caption(_by_class(each, data))


def _by_class(each: Rates, data: Dataset) -> str:
    """Sentences on the right answers by class, and on those of the baseline."""
    sentences = (rates_words.class_rates_words, rates_words.baseline_words)
    return " ".join(sentence(each, data.target, plain) for sentence in sentences)


def _size(data: Dataset) -> str:
    n_classes = len(data.classes) if data.is_classification else 0
    return _data_size(len(data.y), len(data.features), plain(data.target.name), n_classes)


def _written(score: str, value: float) -> str:
    return (
        percent(value)
        if score in AS_PERCENT and value == value
        else number(round(value, 3) if score.startswith(("r2", "d2")) else value)
    )


def _number_help() -> dict[str, str]:
    """Help of each number, by its label."""
    return {
        "held-out": say("On rows that the tree has not seen: what to expect of new ones."),
        "training": say("On the rows that the tree was grown on; a deep tree learns them by heart."),
        say("baseline"): say(
            "What one gets without any question: the training rows' most frequent class, or mean."
        ),
        say("leaves"): say("Each is a region of the decision surface, and one rule."),
        say("depth"): say("Questions on the longest way from the root to a leaf."),
        say("modules"): say(
            "Nodes that hesitate: they ask several columns, or keep several thresholds of one. *Term:* ensemble "
            "module (option, robust split)."
        ),
        say("stands for"): say(
            "One cultivated tree answers as the average of all trees that decide for one column and one "
            "threshold in each of its nodes; so many there are. *Symbol:* |D×|, the size of the Cartesian "
            "product of all modules (Nalenz & Augustin 2021, equation 1)."
        ),
    }


def _sample_note(step: int) -> str:
    """Note on a score that is measured on some of the rows; empty for 1."""
    if step == 1:
        return ""
    return say(" Measured on one in {step} of them; the scores at the foot of the page have all.", step=step)


def _data_size(n_rows: int, n_features: int, target: str, n_classes: int) -> str:
    """Size of the data; the target's name is Markdown, and a number has no classes."""
    features = say("1 column") if n_features == 1 else say("{n_features} columns", n_features=n_features)
    return say(
        "{n_rows} rows · {features} · target {target}, {n_classes} classes"
        if n_classes
        else "{n_rows} rows · {features} · target {target}, a number",
        n_rows=count(n_rows),
        features=features,
        target=target,
        n_classes=n_classes,
    )


def _number_of_trees(number: str) -> str:
    """A number of trees."""
    return say("{number} tree" if number == "1" else "{number} trees", number=number)


def _scores_note(brier: str) -> str:
    """Note below the table; with a sentence on the Brier score, or none."""
    return say(
        "↑ more is better, ↓ less is better. The baseline asks no question. {brier}"
        if brier
        else "↑ more is better, ↓ less is better. The baseline asks no question.",
        brier=brier,
    )
