"""Films on the Tree page: of growth, split by split, and of a search, which ends with the proof."""

from espalier.data import HeldOut, samples
from espalier.learners.catalogue import Model
from espalier.learners.optimal.tree_search import TreeSearch
from espalier.optimal import proof_words
from pages.shared.models.learners import OPTIMAL
from pages.shared.tree import fits, results
from pages.shared.tree.live import searching
from pages.shared.tree.near_optimal import asked
from tests.tools import on_page
from tests.tools.on_page import address_of, data_for, metric, open_tree, sent_to, until_grown, whole


def test_a_film_has_a_step_for_each_split_and_its_numbers_end_with_those_of_the_tree():
    page = whole(open_tree(graph="film", depth="4"))
    fold, player = data_for(page, "espalier_tree")["fold"], data_for(page, "espalier_player")
    first = (
        "Split 1 of 4: petal length ≤ 2.45. Mean gini of the leaves 0.333, error 33.3 % held-out, 33.3 % training."
    )
    assert player["texts"][1] == first
    assert player["texts"][0].startswith("A single leaf")
    assert len(player["texts"]) == int(metric(page, "leaves")) == len(fold["numbers"])
    shown = [one["value"] for one in data_for(page, "espalier_numbers")["numbers"]]
    assert fold["numbers"][-1][1] == shown
    assert fold["numbers"][0][1][-2:] == ["1", "0"]  # a leaf, no depth


def test_a_film_of_numbers_says_how_much_is_explained_and_that_of_an_optimal_tree_is_there_too():
    page = whole(open_tree(graph="film", data="sine", depth="1"))
    assert "Mean squared error of the leaves" in data_for(page, "espalier_player")["texts"][1]
    assert "R² " in data_for(page, "espalier_player")["texts"][1]
    page = on_page.until_grown(whole(open_tree(graph="film", model="optimal", depth="2", data="monks-1")))
    assert len(data_for(page, "espalier_player")["texts"]) == int(metric(page, "leaves"))


def test_the_order_of_growth_stands_in_the_address_and_a_tree_without_a_film_says_why():
    page = whole(open_tree(graph="film", data="wine"))
    before = data_for(page, "espalier_tree")["fold"]["stop"]
    whole(page.selectbox(key="film-order").set_value("found").run())
    assert address_of(page) == {"graph": "film", "data": "wine", "grows": "found"}
    assert data_for(page, "espalier_tree")["fold"]["stop"] != before
    for address, why in [
        ({"model": "cultivated"}, "no film"),
        ({"data": "diabetes", "depth": "none"}, "there is a film of up to"),
    ]:
        page = whole(open_tree(graph="film", **address))
        assert not on_page.sent_to(page, "espalier_player")
        assert any(why in caption.value for caption in page.caption)


def searched(name, **settings):
    data = samples.load(name)
    there = {key: one.default for key, one in OPTIMAL.own.of(data.target).items()}
    model: Model = OPTIMAL.own.model(data.target, there | settings)
    fit = fits.Fit(data, HeldOut(30), model)
    fitted = fit()
    assert isinstance(fit.search, TreeSearch)
    assert fitted.proof is not None
    return fit.search, fitted.proof, results.grown(data, HeldOut(30), model, fitted)


def test_the_record_closes_the_gap_and_ends_with_the_proof():
    for name, height in [("monks-2", 3), ("tic-tac-toe", 4), ("wine", 4)]:
        search, proof, _ = searched(name, height=height)
        record = searching.events(search, proof)
        best, bound = ([getattr(one, field) for one in record] for field in ("objective", "lower_bound"))
        assert best == sorted(best, reverse=True)
        assert bound == sorted(bound)
        assert (best[-1], bound[-1]) == (proof.objective, proof.lower_bound)
        assert {one.objective for one in search.trace} <= set(best)  # no better tree is left out
        assert len(search.finds) == len({one.objective for one in search.trace})


def test_the_film_of_a_search_ends_with_the_sentence_of_the_proof_and_the_tree_of_the_page():
    page = until_grown(whole(open_tree(model="optimal", data="monks-3", depth="3")))
    page.session_state["search-film"] = True
    page = whole(page.run())
    player = sent_to(page, "espalier_player")[0]
    assert player["texts"][-1].startswith("The end of the search. Proved: no tree of depth 3")
    race, drawn = player["panels"]
    assert len(race["frames"]) == len(drawn["frames"]) == len(player["texts"])
    _, proof, grown = searched("monks-1", height=2)
    assert proof_words(proof, asked(grown)).startswith("Proved")
