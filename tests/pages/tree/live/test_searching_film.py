"""The film of a search for an optimal tree: its events, and its end, which is the proof on the page."""

import pytest

from espalier.data import HeldOut, samples
from espalier.learners.catalogue import Model
from espalier.learners.optimal.tree_search import TreeSearch
from espalier.optimal.words import proof_words
from pages.shared.models.optimal import SETTINGS
from pages.shared.tree import fits, results
from pages.shared.tree.live import searching
from pages.shared.tree.near_optimal import asked
from tests.tools.on_page import engine, open_tree, sent_to, until_grown, whole

__all__ = ["engine"]


def searched(name, **settings):
    data = samples.load(name)
    there = {key: one.default for key, one in SETTINGS.of(data.target).items()}
    model: Model = SETTINGS.model(data.target, there | settings)
    fit = fits.Fit(data, HeldOut(30), model)
    fitted = fit()
    assert isinstance(fit.search, TreeSearch)
    assert fitted.proof is not None
    return fit.search, fitted.proof, results.grown(data, HeldOut(30), model, fitted)


@pytest.mark.parametrize(("name", "height"), [("monks-2", 3), ("tic-tac-toe", 4), ("wine", 4)])
def test_the_record_closes_the_gap_and_ends_with_the_proof(name, height):
    search, proof, _ = searched(name, height=height)
    record = searching.events(search, proof)
    best, bound = ([getattr(one, field) for one in record] for field in ("objective", "lower_bound"))
    assert best == sorted(best, reverse=True)
    assert bound == sorted(bound)
    assert (best[-1], bound[-1]) == (proof.objective, proof.lower_bound)
    assert {one.objective for one in search.trace} <= set(best)  # no better tree is left out
    assert len(search.finds) == len({one.objective for one in search.trace})


def test_the_film_ends_with_the_sentence_and_the_tree_of_the_page():
    page = until_grown(whole(open_tree(model="optimal", data="monks-3", depth="3")))
    page.session_state["search-film"] = True
    page = whole(page.run())
    player = sent_to(page, "espalier_player")[0]
    assert player["texts"][-1].startswith("The end of the search. Proved: no tree of depth 3")
    race, drawn = player["panels"]
    assert len(race["frames"]) == len(drawn["frames"]) == len(player["texts"])


def test_the_sentence_at_the_end_is_that_of_the_proof():
    _, proof, grown = searched("monks-1", height=2)
    assert proof_words(proof, asked(grown)).startswith("Proved")
