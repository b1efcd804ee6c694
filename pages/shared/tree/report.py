"""The scores of the tree, and the reason for a tree without splits."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from espalier.approximation.fidelity import r2
from espalier.comparison.class_rates import Rates, blind_words, class_rates_words, rates
from espalier.data.dataset import Dataset
from espalier.data.roles import weighted_mean
from espalier.display.text.settings import promise_sentences
from espalier.display.theme import SUPERSCRIPT, count, number, percent
from espalier.display.tree import figures
from espalier.grown import GrownTree
from espalier.kernels.cultivated.fractions import log_ensemble_size
from espalier.language import Texts, say, to_say
from espalier.learners.catalogue import Model
from espalier.trees import AnyTree, CultivatedTree
from pages.shared.app import pictures
from pages.shared.app.frame import plain
from pages.shared.app.store import of_table
from pages.shared.canvas.components import data_table
from pages.shared.tree import growing, results, selection

ROWS = Texts({"held-out": "held-out", "training": "training"})
ACCURACY = Texts({"accuracy": "accuracy", "r2": "R²"})
TREES = to_say("trees represented")
HELP = Texts(  # of each number above the tree
    {
        to_say("held-out"): "On rows that the tree has not seen: what to expect of new ones.",
        to_say("training"): "On the rows that the tree was grown on; a deep tree learns them by heart.",
        to_say("baseline"): "Without any question: the training rows' most frequent class, or mean.",
        to_say(
            "leaves"
        ): "Each is a region of the decision surface, and one rule. Rows held out are not in its count of rows.",
        to_say("depth"): "Questions on the longest way from the root to a leaf.",
        to_say("modules"): "Nodes that hesitate between columns or thresholds. *Term:* ensemble module.",
        TREES: ("Trees of one column and threshold in each node, whose average it answers. *Symbol:* |D×|."),
    }
)

CHANNEL = "explorer"  # of what is shown of one tree
# Settings that the greedy tree shares with one's own.
SHARED = ("criterion", "split", "leaf", "without", "weights", "random")
MANY_VALUES = 2_000_000  # values of a table beyond which no other trees are grown for a line of scores
AS_PERCENT = ("accuracy", "balanced_accuracy")
MAX_JUDGED = 40_000  # rows that the scores above a cultivated tree are measured on at most
LIMITS = ("monotonic_cst", "forbidden_features", "forced_splits")  # parameters that are about columns
LARGE = 5  # decimal logarithm of a number of trees from which on the power of ten is shown


@of_table(max_entries=256)
def headlines(grown: GrownTree) -> dict[str, tuple[float, float, Rates | None]]:
    """The score above the tree, the baseline's, and the rates of classes, on rows held out and on training rows.

    By weight where rows have some; a number has no rates. It is drawn again while a slider is dragged, and
    therefore has no other scores.
    """
    data, scores = grown.dataset, {}
    y, step = data.y, _step(grown) if grown.is_cultivated else 1
    for name, inside in kinds(grown):
        rows = np.flatnonzero(inside)[::step]
        outputs, weight = results.answers(grown, rows), data.weights_of(rows)
        if data.is_classification:
            most = int(grown.tree.value[0].argmax())
            each = rates(y[rows], outputs.argmax(axis=1), outputs.shape[1], most, weight)
            scores[name] = each.accuracy, each.baseline, each
        else:
            mean = weighted_mean(y[~grown.held], data.weights_of(~grown.held))
            baseline = r2(y[rows], np.full(len(rows), mean), weight)
            scores[name] = r2(y[rows], outputs[:, 0], weight), baseline, None
    return scores


def _step(grown: GrownTree) -> int:
    """Step between rows that a cultivated tree's score is measured on: fractions of very many take their time."""
    return len(grown.dataset.y) // MAX_JUDGED + 1


def kinds(grown: GrownTree) -> list[tuple[str, np.ndarray]]:
    """The rows held out, and those that the tree was grown on, as far as there are any."""
    kinds = (("held-out", grown.held), ("training", ~grown.held))
    return [(name, rows) for name, rows in kinds if rows.any()]


def figures_of(grown: GrownTree) -> list[dict[str, str]]:
    """The label, value and help of each number above the tree."""
    score = "accuracy" if grown.dataset.is_classification else "r2"
    scores = headlines(grown)
    numbers = {name: _written(score, own) for name, (own, *_) in scores.items()}
    first, (_, baseline, _) = next(iter(scores.items()))
    numbers |= {"baseline": _written(score, baseline), **sizes(grown.tree)}
    figures = [{"label": say(name), "value": value, "help": HELP[name]} for name, value in numbers.items()]
    figures[0]["label"] = f"{ACCURACY[score]}, {ROWS[first]}"
    if grown.is_cultivated and (step := _step(grown)) > 1:
        for figure in figures[: len(scores)]:
            figure["help"] += say(" Measured on one row in {step}.", step=step)
    return figures


def scores_in_short(grown: GrownTree) -> str:
    """The score above the tree in words: "accuracy 95 % held-out, 97 % training"."""
    score = "accuracy" if grown.dataset.is_classification else "r2"
    there = (f"{_written(score, own)} {ROWS[name]}" for name, (own, *_) in headlines(grown).items())
    return f"{ACCURACY[score]} {', '.join(there)}"


def errors_in_short(grown: GrownTree) -> str:
    """The share of rows with a wrong answer, in words: "error 5 % held-out, 3 % training"; of a number, R²."""
    if not grown.dataset.is_classification:
        return scores_in_short(grown)
    there = (f"{percent(1 - own)} {ROWS[name]}" for name, (own, *_) in headlines(grown).items())
    return f"{say('error')} {', '.join(there)}"


def beside_greedy(grown: GrownTree) -> None:
    """Draw the scores of a tree changed by hand beside CART of as many leaves, grown where impurity falls most."""
    if not grown.by_hand or grown.tree.n_leaves < 2 or grown.dataset.X.size > MANY_VALUES:
        return
    values = dict(grown.source.model.settings) if grown.source.model.name == "cart" else {}
    settings = {key: values[key] for key in SHARED if key in values} | {
        "depth": None,
        "leaves": grown.tree.n_leaves,
    }
    greedy = growing.grow(grown.dataset, grown.source.holdout, Model("cart", tuple(settings.items())))
    mine, other = scores_in_short(grown), scores_in_short(greedy)
    words = say("**You**: {mine} · **CART** of as many leaves: {other}", mine=mine, other=other)
    st.markdown(f":material/trophy: {words}")


def written_score(data: Dataset, rows: np.ndarray, outputs: np.ndarray) -> str:
    """The score above a tree that gives these rows the outputs (n_rows, n_outputs), as it is written."""
    y, weight = data.y[rows], data.weights_of(rows)
    if data.is_classification:
        each = rates(y, outputs.argmax(axis=1), outputs.shape[1], 0, weight)
        return _written("accuracy", each.accuracy)
    return _written("r2", r2(y, outputs[:, 0], weight))


def sizes(tree: AnyTree) -> dict[str, str]:
    """Sizes of the tree, by their names in English."""
    there = {"leaves": number(tree.n_leaves), "depth": number(tree.depth)}
    if not isinstance(tree, CultivatedTree):
        return there
    n_before = np.append(0, np.cumsum(tree.cuts.weight > 0))[tree.cuts.start[tree.decisions.start]]
    n_modules = int(np.count_nonzero(np.diff(n_before) > 1))  # with several features, or several cuts of one
    return {
        "modules": number(n_modules),
        **there,
        TREES: ensemble(log_ensemble_size(tree)),
    }


def ensemble(log_size: float) -> str:
    """A number of trees from its decimal logarithm: "1", "12", "10⁴⁶⁸⁴"."""
    power = f"10{str(round(log_size)).translate(SUPERSCRIPT)}"
    return count(round(10**log_size)) if log_size < LARGE else power


def why_no_split(grown: GrownTree) -> str:
    """Reason for a lone root, as far as data and parameters tell."""
    y = grown.dataset.y[~grown.held]
    if (y == y[0]).all():
        return say("all rows that it was grown on have the same target")
    if selection.leaves_none(grown):
        return say("every column is in the list of columns that no split may ask about")
    return say("no split is worth while within its settings, or what pruning left is one leaf")


def notices(grown: GrownTree) -> None:
    """Draw notes on this tree, above it."""
    if grown.tree.n_nodes == 1:
        st.info(say("The tree is a lone root: {why}. It says the same of every row.", why=why_no_split(grown)))
    if grown.parameters.get("misclassification_cost") is not None or isinstance(grown.class_weight, dict):
        st.caption(say("Percentages in the tree count a row as often as mistaking it costs more than another."))
    if any(grown.parameters.get(name) is not None for name in LIMITS):
        for limit in promise_sentences(grown.dataset, grown.parameters):
            st.caption(limit)
    _, _, each = next(iter(headlines(grown).values()))
    if each is not None and each.is_blind:
        st.markdown(f":material/warning: {blind_words([(say('The tree'), each)], grown.dataset.target, plain)}")


def scores(grown: GrownTree) -> None:
    """Draw every score on training and held-out rows beside the baseline's, and what is taken for what."""
    from espalier.comparison import scores as metrics  # a second that the first screen can do without

    data, table = grown.dataset, pd.DataFrame()
    y_grown_on, weight_grown_on = data.y[~grown.held], data.weights_of(~grown.held)
    for rows_name, rows in kinds(grown):
        answers, weight = results.answers(grown)[rows], data.weights_of(rows)
        both = metrics.paired_scores(data.y[rows], answers, y_grown_on, weight, weight_grown_on)
        names = metrics.for_losses(both[0]._fields[1:], {grown.source.model.loss})
        for whose, values in zip((say("tree"), say("baseline")), both, strict=True):
            column = f"{ROWS[rows_name]}: {whose}"
            table[column] = [_written(name, getattr(values, name)) for name in names]
        arrows = ["↑" if name in metrics.HIGHER_IS_BETTER else "↓" for name in names]
        table.index = pd.Index([f"{say(metrics.LABELS[n])} {a}" for n, a in zip(names, arrows, strict=True)])
    data_table(table, alt=say("Scores of the tree and of the baseline"))
    st.caption(say("↑ more is better, ↓ less is better. The baseline asks no question."))
    for side, (name, rows) in zip(st.columns(2), kinds(grown) if data.is_classification else (), strict=False):
        codes, weight = results.answers(grown)[rows].argmax(axis=1), data.weights_of(rows)
        matrix = metrics.confusion(data.y[rows], codes, len(data.classes), weight)
        each = rates(data.y[rows], codes, len(data.classes), int(grown.tree.value[0].argmax()), weight)
        with side:
            st.markdown(say("**Confusion matrix, {rows} rows**", rows=ROWS[name]))
            pictures.plot(figures.confusion_picture(matrix, data.target), f"confusion {name}", pictures.NO_BAR)
            st.caption(class_rates_words(each, data.target, plain))


def _written(score: str, value: float) -> str:
    if score in AS_PERCENT and value == value:
        return percent(value)
    return number(round(value, 3) if score.startswith(("r2", "d2")) else value)
