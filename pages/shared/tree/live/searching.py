"""The search for the optimal tree as a film: the best tree so far, and the bound that rises to meet it."""

from __future__ import annotations

import math
from itertools import pairwise

import streamlit as st

from espalier import optimal
from espalier.display.svg import Reel, place
from espalier.display.theme import number
from espalier.display.tree import small_tree
from espalier.language import Texts, say
from espalier.learners.optimal import Proof
from espalier.learners.optimal.tree_search import Glance, TreeSearch
from espalier.optimal import MeanError, Measure, proof_words, search_words
from espalier.trees import Tree
from pages.shared.app.frame import is_dark
from pages.shared.canvas.player import Panel, player_canvas
from pages.shared.tree import fits, near_optimal, proof, results
from pages.shared.tree.fits import Fit
from pages.shared.tree.results import GrownTree

SEARCH_PLAYER = Texts(
    {
        "film": "Film of the search",
        "splits": "Steps of the search",
        "start": "Back to the first tree",
        "back": "One step back",
        "play": "Play",
        "pause": "Pause",
        "step": "Next step",
        "end": "End of the search",
    }
)

CHANNEL, KEY = "search-film", "search-film"
WIDTH = 410  # pixels of a picture: both stand side by side
MOST_STEPS = 60  # of the film: trees that were found, and an even selection of the bound's steps


def above(grown: GrownTree) -> None:
    """Draw what stands above a tree that was searched for: its proof, and the way back from another."""
    proof.line(grown)
    near_optimal.way_back(grown)


def draw(grown: GrownTree) -> None:
    """Draw the film of the search."""
    assert grown.proof
    fit = fits.find(results.key_of(grown.dataset, *grown.source), grown.dataset, *grown.source)
    if not isinstance(fit.search, TreeSearch):
        st.caption(
            say("There is no record of this search: searches with monotone columns and older ones keep none.")
        )
        return
    _player(grown, grown.proof, fit, fit.search)


def _player(grown: GrownTree, ended: Proof, fit: Fit, search: TreeSearch) -> None:
    counted, dark = fit.counted, is_dark()
    record = events(search, ended)
    trees = _trees(record, fit, search, grown)
    panels = [
        Panel(
            say("Best tree found, and the bound that no tree can beat"),
            WIDTH,
            *optimal.reel(record, dark, counted),
        ),
        Panel(
            say("Best tree so far"), min(small_tree.width_of(grown.sharp), WIDTH), *_drawings(trees, grown, dark)
        ),
    ]
    texts = [_said(one, counted) for one in record[:-1]]
    texts.append(say("The end of the search. {proof}", proof=proof_words(ended, near_optimal.asked(grown))))
    player_canvas(KEY, f"{grown.key} {dark}", texts, SEARCH_PLAYER, channel=CHANNEL, panels=panels)


def _said(glance: Glance, counted: Measure) -> str:
    """A step of the search in words."""
    best, bound = glance.objective, glance.lower_bound
    gap = (best - bound) / (counted.weight if isinstance(counted, MeanError) else 1)
    return say(
        "After {seconds} s: {state}. Gap {gap}.",
        seconds=number(glance.seconds),
        state=search_words(best, bound, counted),
        gap=number(gap),
    )


def events(search: TreeSearch, ended: Proof) -> list[Glance]:
    """What the film shows: every better tree, some of the bound's steps, and the proof of the page at its end."""
    trace = [one for one in list(search.trace) if math.isfinite(one.objective)]
    trace = [one for one in trace if one.objective > ended.objective or one.lower_bound < ended.lower_bound]
    is_better = [True, *(after.objective < before.objective for before, after in pairwise(trace))]
    every = len(trace) // MOST_STEPS + 1
    kept = [one for i, one in enumerate(trace) if is_better[i] or i % every == 0]
    seconds = max([ended.seconds, *(one.seconds for one in kept)])
    return [*kept, Glance(seconds, ended.objective, ended.lower_bound)]


def _trees(record: list[Glance], fit: Fit, search: TreeSearch, grown: GrownTree) -> list[Tree]:
    """The best tree at each of these events; the page's own at the last."""
    found = [fit.all_classes(search.tree_of(questions)[0]) for questions in search.finds]
    number_of = {best: i for i, best in enumerate(sorted({one.objective for one in search.trace}, reverse=True))}
    places = [min(number_of.get(one.objective, 0), len(found) - 1) for one in record[:-1]]
    return [*(found[i] for i in places), grown.sharp]


def _drawings(trees: list[Tree], grown: GrownTree, dark: bool) -> Reel:
    features, target = grown.dataset.features, grown.dataset.target
    pictures = {id(tree): small_tree.tree_picture(tree, features, target) for tree in trees}
    drawings = {key: picture.draw(dark) for key, picture in pictures.items()}
    return Reel(place(0), [[drawings[id(tree)]] for tree in trees], [pictures[id(tree)].alt for tree in trees])
