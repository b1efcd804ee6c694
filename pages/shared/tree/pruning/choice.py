"""Which subtree of a CART tree is shown: the whole tree, or the one that a rule or a person chooses."""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from espalier.display.scales import short_between
from espalier.learners.pruning import PruningPath, prune, pruning_path, reduced_error
from espalier.progress import Progress
from espalier.tree.pruning import PruningSequence, SubtreeErrors, pruning_sequence, sequence_parts, subtree_errors
from espalier.trees import Tree
from pages.shared.app.address import Choice, Entry
from pages.shared.app.links.readers import one_of, whole
from pages.shared.app.table_results import of_table
from pages.shared.jobs import compilation, watch
from pages.shared.jobs.run import Outcome, Work
from pages.shared.jobs.workers import workers
from pages.shared.models import learners
from pages.shared.models.tree_settings import ALPHA
from pages.shared.tree import fits, results
from pages.shared.tree import sentences as tree_sentences
from pages.shared.tree.fits import FittedTree
from pages.shared.tree.results import GrownTree

RULE, LEAVES, ACROSS = "prune", "pruned_size", "across"  # keys of the session state
WHOLE, ONE_ERROR, LEAST, BY_HAND, REDUCED = "no", "one-se", "least", "hand", "reduced"
FOLDS = 10
MOST_LEAVES = 1_000_000
LARGE = 100_000_000  # values to learn from, over all folds: more is begun only when asked for


class Errors(NamedTuple):
    """The errors of all subtrees that take no other tree to measure."""

    training: SubtreeErrors
    held: SubtreeErrors | None  # None: no rows are held out


def url_entries() -> list[Entry]:
    """What is across the picture of errors, the rule, and the leaves chosen by hand, as parts of the address."""
    return [
        Entry(ACROSS, "depth", one_of(tree_sentences.ACROSS), undo=False),
        Entry(RULE, WHOLE, one_of(tree_sentences.RULES)),
        Entry(LEAVES, 1, whole(1, MOST_LEAVES), name="size", only=Choice(RULE, (BY_HAND,))),
    ]


def is_offered(whole_tree: GrownTree) -> bool:
    """Whether the tree is one of CART's, grown to its end."""
    source = whole_tree.source
    is_cart = source.model.name == learners.CART.own.name
    return is_cart and whole_tree.key == results.key_of(whole_tree.dataset, *source)


def pruned(whole_tree: GrownTree) -> GrownTree:
    """The subtree to show; the whole tree where there is no rule, or its choice is not known yet."""
    if (
        not is_offered(whole_tree)
        or st.session_state[RULE] == WHOLE
        or not compilation.is_ready(learners.CART.kind.stage)
    ):
        return whole_tree
    if st.session_state[RULE] == REDUCED:
        return _reduced(whole_tree) if whole_tree.held.any() else whole_tree
    at = _number(whole_tree)
    return whole_tree if at is None else _subtree(whole_tree, float(path(whole_tree).alpha[at]))


def unpruned(whole_tree: GrownTree) -> GrownTree:
    """The tree of the same settings without a price of leaves."""
    source = whole_tree.source
    if not source.model.value(ALPHA):
        return whole_tree
    settings = tuple((key, 0.0 if key == ALPHA else value) for key, value in source.model.settings)
    return results.grown(whole_tree.dataset, source.holdout, source.model._replace(settings=settings))


def take_price(path: PruningPath, at: int) -> None:
    """Have the control of the price leave this tree of the sequence, by the shortest price that does."""
    above = float(path.alpha[at + 1]) if at + 1 < len(path.alpha) else math.inf
    st.session_state[ALPHA] = short_between(float(path.alpha[at]), above)
    st.session_state[RULE] = WHOLE


def _number(whole_tree: GrownTree) -> int | None:
    """Number of the chosen tree in the sequence; None while it is not known."""
    if st.session_state[RULE] == BY_HAND:
        sizes = path(whole_tree).n_leaves
        return int(np.flatnonzero(sizes <= max(st.session_state[LEAVES], 1))[0])
    found: PruningSequence | None = sequence(whole_tree).value
    if found is None:
        return None
    return found.least if st.session_state[RULE] == LEAST else found.one_standard_error


def needs_folds() -> bool:
    """Whether the rule takes cross-validated errors."""
    return st.session_state[RULE] in (ONE_ERROR, LEAST)


# Errors ----------------------------------------------------------------------------------------------


@of_table(max_entries=32)
def path(whole_tree: GrownTree) -> PruningPath:
    """The sequence of subtrees."""
    return pruning_path(whole_tree.sharp)


@of_table(max_entries=32)
def errors(whole_tree: GrownTree) -> Errors:
    """The errors of all subtrees on the rows that the tree was grown on, and on those held out."""
    data, held = whole_tree.dataset, whole_tree.held

    def of(rows: np.ndarray) -> SubtreeErrors:
        return subtree_errors(whole_tree.sharp, data.X[rows], data.y[rows], weight=data.weights_of(rows))

    return Errors(of(~held), of(held) if held.any() else None)


def job_key(whole_tree: GrownTree) -> str:
    """Names the job that cross-validates."""
    return f"{whole_tree.key} pruning"


def may_begin(whole_tree: GrownTree) -> bool:
    """Whether cross-validation is little work, or was asked for."""
    return watch.may_begin([job_key(whole_tree)], whole_tree.dataset.X.size * FOLDS, LARGE)


def sequence(whole_tree: GrownTree) -> Outcome:
    """The cross-validated sequence as far as it has come; its job is begun."""
    if not may_begin(whole_tree):
        return Outcome()
    work = Work(job_key(whole_tree), sequence_parts(FOLDS), partial(_validated, whole_tree))
    return watch.outcome(work, beside=True)


def _validated(whole_tree: GrownTree, progress: Progress) -> PruningSequence | None:
    compilation.wait(learners.CART.kind.stage)
    fit = fits.Fit(whole_tree.dataset, *whole_tree.source)
    with workers(fit.X.nbytes) as executor:
        return pruning_sequence(fit.estimator, fit.X, fit.y, fit.folds(FOLDS), progress, fit.weight, executor)


# Trees -----------------------------------------------------------------------------------------------


@of_table(max_entries=32)
def _subtree(whole_tree: GrownTree, alpha: float) -> GrownTree:
    return _in_place(whole_tree, prune(whole_tree.sharp, alpha), f"alpha {alpha!r}")


@of_table(max_entries=32)
def _reduced(whole_tree: GrownTree) -> GrownTree:
    data, held = whole_tree.dataset, whole_tree.held
    judged = data.X[held], data.y[held], data.weights_of(held)
    return _in_place(whole_tree, reduced_error(whole_tree.sharp, *judged), "reduced")


def _in_place(whole_tree: GrownTree, tree: Tree, how: str) -> GrownTree:
    """The pruned tree with all that the whole one has; itself where nothing is pruned."""
    if tree.n_nodes == whole_tree.tree.n_nodes:
        return whole_tree
    fitted = FittedTree(tree, None)
    found = results.with_data(f"{whole_tree.key} {how}", fitted, whole_tree.dataset, whole_tree.source)
    return found._replace(pruned_from=whole_tree.tree.n_leaves)
