"""The proof of the optimal tree, above it; and the greedy tree beside it, below."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier import optimal as optimal_words
from espalier.display.boundaries.plane import ringed
from espalier.display.theme import count
from espalier.language import say
from espalier.learners.catalogue import Model
from espalier.learners.catalogue.settings import CUTS
from espalier.learners.optimal import Proof
from espalier.optimal import MeanError
from espalier.tree.model_size import Mistakes, mistakes, row_weights
from pages.shared.app.frame import callback
from pages.shared.canvas.surface import surface_canvas
from pages.shared.jobs import watch
from pages.shared.tree import explorer, near_optimal, results, sentences
from pages.shared.tree.fits import measure_of
from pages.shared.tree.results import GrownTree

OPENED = "greedy-beside-optimal"  # key of the fold
HEIGHT = 400  # pixels of a surface


def line(grown: GrownTree) -> None:
    """Draw the proof, in a line above the tree; "Go on" where the search has not come to its end."""
    if grown.proof is None:
        return
    sentence = optimal_words.proof_words(grown.proof, near_optimal.asked(grown))
    with st.container(horizontal=True, vertical_alignment="center", key="proof"):
        if grown.proof.proved:
            st.markdown(f":material/verified: {sentence}", width="stretch", help=_why_not_every(grown))
            return
        st.markdown(f":material/hourglass_top: {sentence}", width="stretch", help=_why_not_every(grown))
        key = results.key_of(grown.dataset, *grown.source)
        st.button(
            say("Go on"),
            icon=":material/play_arrow:",
            on_click=callback(watch.drop),
            args=(key,),
            help=say("Goes on with the search from where it was, for as many seconds again."),
        )


def _why_not_every(grown: GrownTree) -> str | None:
    """Why the tree asks only about some thresholds, where that was not chosen by hand."""
    is_automatic = grown.source.model.value("cuts") == CUTS.default
    is_every = grown.proof is None or grown.proof.every_threshold or grown.dataset.categorical.all()
    return (
        say(
            "Automatic: about ten thresholds of each number, since every threshold could take "
            "long at this depth and size, or with these limits. *Questions a column* asks for "
            "every one."
        )
        if is_automatic and not is_every
        else None
    )


def beside_greedy(grown: GrownTree, shown: GrownTree) -> None:
    """The greedy tree of the same depth beside the optimal one, on the plane that the tree above is shown on."""
    assert grown.proof
    greedy = _greedy(grown)
    said = [_answers(tree) for tree in (greedy, grown)]
    # of numbers nearly all answers differ, and rings around all rows would say nothing
    differ = (said[0] != said[1]) & grown.dataset.is_classification
    st.markdown(_verdict(grown, grown.proof, said, differ))
    titles = (say("Greedy: CART of depth {depth}", depth=grown.source.model.depth), _title(grown))
    for i, (side, tree) in enumerate(zip(st.columns(2, gap="medium"), (greedy, grown), strict=True)):
        with side:
            _surface(tree, shown, differ, titles[i], _errors(grown, said[i]))


def _answers(grown: GrownTree) -> np.ndarray:
    """(n_samples,): what the tree says of every row, a number or the code of a class."""
    found = results.answers(grown)
    return found.argmax(axis=1) if grown.dataset.is_classification else found[:, 0]


def _title(grown: GrownTree) -> str:
    return say("Optimal") if grown.proof is not None and grown.proof.proved else say("Best found")


def _greedy(grown: GrownTree) -> GrownTree:
    """CART of the same size on the same rows, with the same directions, and weights of the classes for costs."""
    model, splits = grown.source.model, grown.source.model.value("splits")
    if grown.dataset.is_classification:
        weights = row_weights(results.prices(grown))
        own = {"weights": tuple(weights.tolist()) if (weights != 1).any() else "none"}
    else:
        own = {"leaf": model.value("leaf", is_classification=False)}
    settings = {
        "depth": model.depth,
        "leaves": None if splits is None else splits + 1,
        "random": model.value("random"),
        "monotone": model.value("monotone"),
        "without": model.value("without"),
        **own,
    }
    return results.grown(grown.dataset, grown.source.holdout, Model("cart", tuple(settings.items())))


def _verdict(grown: GrownTree, proof: Proof, said: list[np.ndarray], differ: np.ndarray) -> str:
    """Sentences on the proof, on the greedy tree, and on the rows where the two differ."""
    size, trained = near_optimal.asked(grown), ~grown.held
    if isinstance(size.counted, MeanError):
        greedy, optimal = (_total(grown, own, trained) for own in said)
        beside = optimal_words.greedy_error_words(greedy, optimal, proof.proved)
        return f"{optimal_words.proof_words(proof, size)} {beside}"
    others = near_optimal.others(grown)
    greedy, optimal = (_mistakes(grown, own, trained) for own in said)
    return " ".join(
        [
            optimal_words.proof_words(proof, size, others),
            optimal_words.greedy_words(greedy, optimal, proof.proved, size.counted),
            optimal_words.differ_words(int(differ.sum()), len(differ)),
        ]
    )


def _errors(grown: GrownTree, codes: np.ndarray) -> str:
    """Errors on the training rows and on those held out, in words."""
    kinds = (("training", ~grown.held), ("held-out", grown.held))
    if not grown.dataset.is_classification:
        return " · ".join(_error_words(grown, codes, kind, rows) for kind, rows in kinds if rows.any())
    counted = results.prices(grown).are_equal
    some = [(kind, _mistakes(grown, codes, rows)) for kind, rows in kinds if rows.any()]
    return " · ".join(optimal_words.mistakes_words(one, sentences.ROWS[kind], counted) for kind, one in some)


def _mistakes(grown: GrownTree, codes: np.ndarray, rows: np.ndarray) -> Mistakes:
    data = grown.dataset
    return mistakes(data.y[rows], codes[rows], results.prices(grown), data.weights_of(rows))


def _error_words(grown: GrownTree, said: np.ndarray, kind: str, rows: np.ndarray) -> str:
    """The mean error of answers on rows of a kind, in words."""
    data = grown.dataset
    measure = measure_of(data, data.y[rows], data.weights_of(rows), grown.parameters)
    amount = optimal_words.amount(_total(grown, said, rows), measure)
    return say(
        "{amount} on {n_rows} {kind} rows", amount=amount, n_rows=count(int(rows.sum())), kind=sentences.ROWS[kind]
    )


def _total(grown: GrownTree, said: np.ndarray, rows: np.ndarray) -> float:
    """The sum of squared errors of answers on these rows."""
    data, weight = grown.dataset, grown.dataset.weights_of(rows)
    errors = (data.y[rows] - said[rows]) ** 2
    return float(errors.sum() if weight is None else errors @ weight)


def _surface(tree: GrownTree, shown: GrownTree, differ: np.ndarray, title: str, errors: str) -> None:
    st.markdown(
        say(
            "**{title}**, {n_leaves} leaves  \n:small[{errors}]",
            title=title,
            n_leaves=tree.tree.n_leaves,
            errors=errors,
        )
    )
    axes, is_shown = explorer.plane_of(shown), tree.key == shown.key
    drawn = ringed(results.surface(tree, axes, explorer.like(tree, axes)), differ, say("the trees differ"))
    surface_canvas(
        drawn,
        key=explorer.BESIDE[tree.proof is not None],
        tree=results.cards(shown)["id"] if is_shown else None,
        channel=explorer.CHANNEL,
        show=st.session_state["show"],
        on_pick=callback(lambda spot: explorer.pick(shown, axes, spot) if spot or is_shown else None),
        height=HEIGHT,
    )
