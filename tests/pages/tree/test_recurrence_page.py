"""How often each split comes back, on the cards of the tree and in a sentence."""

from espalier.data import make_dataset, samples
from espalier.data.folds import HeldOut, held_out
from espalier.learners import CartClassifier
from espalier.stability.replicates import replicate
from espalier.stability.splits import split_recurrence
from pages.shared.tree import recurrence
from tests.tools.on_page import address_of, captions, open_tree, sent_to, until_grown, whole


def expected(depth):
    iris = samples.load("iris")
    rows = ~held_out(iris, HeldOut(30))
    data = make_dataset(iris.name, iris.X[rows], iris.features, iris.y[rows], iris.target)
    learner = CartClassifier(max_depth=depth)
    trees = replicate(learner, data, recurrence.PLAN).trees
    return split_recurrence(learner.fit(data.X, data.y).tree_, trees).times.tolist()


def sent(page):
    return sent_to(page, "espalier_tree")[-1]


def test_cards_have_no_numbers_unless_they_are_asked_for():
    page = whole(open_tree(depth="2"))
    assert "again" not in sent(page)
    page.toggle(key=recurrence.TOGGLE.key).set_value(True)
    until_grown(whole(page.run()))
    times = expected(2)
    assert sent(page)["again"]["n"] == 100
    assert sent(page)["again"]["times"] == {str(node): n for node, n in enumerate(times) if n}
    assert address_of(page)["recurrence"] == "yes"
    assert f"came back in **{times[0]} of 100** trees" in captions(page)


def test_a_pruned_tree_shows_the_counts_of_the_whole_one_a_leaf_asks_nothing_and_the_best_tree_takes_too_long():
    page = until_grown(whole(open_tree(depth="3", recurrence="yes", prune="hand", size="3", node="2")))
    times = expected(3)
    shown = sent(page)["again"]["times"]
    assert shown == {"0": times[0], "2": times[2]}
    assert f"came back in **{times[2]} of 100** trees" in captions(page)
    page = until_grown(whole(open_tree(depth="1", recurrence="yes", node="1")))
    assert "A leaf asks nothing" in captions(page)
    page = until_grown(whole(open_tree(model="optimal", recurrence="yes")))
    assert not [toggle for toggle in page.toggle if toggle.key == recurrence.TOGGLE.key]
    assert "again" not in sent(page)
