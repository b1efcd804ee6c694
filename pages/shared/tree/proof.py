"""The proof of the optimal tree, above it; and the greedy tree beside it, below."""

from __future__ import annotations

import streamlit as st

from espalier import optimal as optimal_words
from espalier.grown import GrownTree, tree_key
from espalier.language import say
from espalier.learners.catalogue import Model
from espalier.learners.catalogue.settings import CUTS
from espalier.tree.model_size import cost_of_errors, row_weights
from pages.shared.app.frame import callback
from pages.shared.jobs import watch
from pages.shared.tree import explorer, growing, near_optimal, results, two

OPENED = "greedy-beside-optimal"  # key of the fold


def line(grown: GrownTree) -> None:
    """Draw the proof, in a line above the tree; "Go on" where the search has not come to its end."""
    proof = grown.proof
    if proof is None:
        return
    is_every = proof.every_threshold or grown.dataset.categorical.all()
    why = say("About ten thresholds of each number, to save time. *Questions a column* asks about every one.")
    few = why if grown.source.model.value("cuts") == CUTS.default and not is_every else None
    icon = "verified" if proof.proved else "hourglass_top"
    with st.container(horizontal=True, vertical_alignment="center", key="proof"):
        words = optimal_words.proof_words(proof, near_optimal.asked(grown))
        st.markdown(f":material/{icon}: {words}", width="stretch", help=few)
        if not proof.proved:
            st.button(
                say("Go on"), icon=":material/play_arrow:", on_click=callback(watch.drop),
                args=(tree_key(grown.dataset, *grown.source),),
                help=say("Searches for as many seconds again."),
            )  # fmt: skip


def beside_greedy(grown: GrownTree, shown: GrownTree) -> None:
    """Draw the greedy tree of the same depth beside the optimal one, on the plane of the tree above."""
    greedy, counted = _greedy(grown), near_optimal.asked(grown).counted
    differ = two.differing(greedy, grown)
    sentences = [
        say(
            "On the training rows the greedy tree has {greedy}, this one {optimal}.",
            greedy=optimal_words.amount(_objective(greedy, grown), counted),
            optimal=optimal_words.amount(_objective(grown, grown), counted),
        )
    ]
    if grown.dataset.is_classification:
        sentences.append(optimal_words.differ_words(int(differ.sum()), len(differ)))
    st.markdown(" ".join(sentences))
    best = say("Optimal") if grown.proof is not None and grown.proof.proved else say("Best found")
    titles = (say("Greedy: CART of depth {depth}", depth=grown.source.model.depth), best)
    two.draw_pair((greedy, grown), titles, differ, shown, explorer.BESIDE)


def _greedy(grown: GrownTree) -> GrownTree:
    """CART of the same size on the same rows, with the same directions, and weights of the classes for costs."""
    model, splits = grown.source.model, grown.source.model.value("splits")
    if grown.dataset.is_classification:
        weights = row_weights(results.prices(grown))
        own = {"weights": tuple(weights.tolist()) if (weights != 1).any() else "none"}
    else:
        own = {"leaf": model.value("leaf", is_classification=False)}
    settings = {key: model.value(key) for key in ("random", "monotone", "without")} | own
    settings |= {"depth": model.depth, "leaves": None if splits is None else splits + 1}
    return growing.grow(grown.dataset, grown.source.holdout, Model("cart", tuple(settings.items())))


def _objective(tree: GrownTree, grown: GrownTree) -> float:
    """Errors of a tree on the training rows, or their cost, or of numbers the sum of squared ones."""
    data, rows = grown.dataset, ~grown.held
    answers, weight = results.answers(tree)[rows], data.weights_of(rows)
    if data.is_classification:
        return cost_of_errors(data.y[rows], answers.argmax(axis=1), results.prices(grown), weight)
    errors = (data.y[rows] - answers[:, 0]) ** 2
    return float(errors.sum() if weight is None else errors @ weight)
