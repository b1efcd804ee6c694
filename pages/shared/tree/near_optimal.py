"""Trees that are as good as the optimal one, or nearly: a gallery, what they share, and any of them opened."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from espalier import optimal as optimal_words
from espalier.display.theme import count, number
from espalier.display.tree import small_tree
from espalier.language import Texts, say
from espalier.learners.optimal import NearTree, Proof
from espalier.learners.optimal.rashomon.summaries import MOST_TREES, TreeCard
from espalier.optimal import Others, SearchGoal, front_words, questions_words, scope_words, trees_words
from espalier.tree.splits import Use
from espalier.trees import Tree
from pages.shared.app import pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.links import gone
from pages.shared.app.links.readers import whole
from pages.shared.canvas.data_table import data_table
from pages.shared.canvas.slider import slider
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Work
from pages.shared.models import drawer
from pages.shared.tree import fits, results, sentences
from pages.shared.tree.as_good import building, disagreement, multiple
from pages.shared.tree.fits import AsGood, FittedTree, NotCounted
from pages.shared.tree.results import GrownTree

SLACK = Texts(
    {
        "slack": (
            "How much worse than the best, at most",
            "0: only trees as good as the optimal one. With more, also those that make so many errors more (cost "
            "so much more, where errors differ). *Term:* `optimal_trees(slack=…)`.",
        )
    }
)

MOST = 5_000  # trees that are listed on cards; all are counted
SHOWN = 8  # cards drawn at once
ABREAST = 2  # cards
MAX_SLACK = 5
STABLE = "-2"  # in links of earlier versions: a tree that was nearest to those of redrawn rows
OPENED = "near-optimal"  # key of the fold
LAST = "last-gallery"  # key of the session state: key of the optimal tree whose others were shown last
PAGES = "galleries"  # key of the session state: (key of the trees, how many are drawn)


def url_entries() -> list[Entry]:
    """The slack, as part of the address; no step of Undo."""
    return [Entry("slack", 0, whole(0, MAX_SLACK), undo=False)]


def choice() -> list[Entry]:
    """The card that is opened (0: the optimal tree, -1: one's own) and one's own tree."""
    return [Entry("tree", 0, _read_number, undo=False), *building.url_entries()]


def _read_number(text: str) -> int | None:
    if text == STABLE:
        raise gone.Gone(
            say(
                "there is no stable tree here any more, so this is the optimal one; the page "
                "Stability compares trees of redrawn rows"
            )
        )
    return whole(building.OWN, MOST)(text)


def near(grown: GrownTree) -> AsGood | None:
    """Trees within the chosen slack of the optimal one; None until they are counted, and where they cannot be."""
    is_listed = grown.dataset.is_classification and not has_directions(grown)
    if grown.proof is None or not grown.proof.proved or not is_listed:
        return None
    key, slack = _job_key(grown), st.session_state["slack"]
    outcome = watch.found(key)
    if outcome is None:
        fit = fits.find(grown.key, grown.dataset, *grown.source)
        outcome = watch.outcome(Work(key, MOST, partial(fit.near, slack, MOST)), beside=True)
    return outcome.value if isinstance(outcome.value, AsGood) else None


def has_directions(grown: GrownTree) -> bool:
    """Whether the tree keeps to directions of columns."""
    return grown.parameters.get("monotonic_cst") is not None


def _job_key(grown: GrownTree) -> str:
    return f"{grown.key} near {st.session_state['slack']}"


def opened(grown: GrownTree, linked: bool) -> tuple[GrownTree, list[str]]:
    """The tree of the gallery that is opened, or the tree itself; notes on a link to one that is not there."""
    last, st.session_state[LAST] = st.session_state.get(LAST, grown.key), grown.key
    if last != grown.key and not linked:
        st.session_state["tree"], st.session_state[building.RECORD] = 0, ""
    number = st.session_state["tree"]
    others = near(grown) if number else None
    if others is None:
        return grown, []
    one = _chosen(grown, others)
    if one is None:
        st.session_state["tree"] = 0
        note = say("tree={number}: there are {n} trees as good as that", number=number, n=len(others.cards.cards))
        return grown, [note] if linked else []
    key = f"{_job_key(grown)} tree {number} {st.session_state[building.RECORD] if number == building.OWN else ''}"
    return results.with_data(key, FittedTree(one.tree, grown.proof), grown.dataset, grown.source), []


def _chosen(grown: GrownTree, others: AsGood) -> NearTree | None:
    """The tree that is opened; None where it is not there."""
    number = st.session_state["tree"]
    if number == building.OWN:
        return building.own_tree(others)
    cards = others.cards.cards
    return others.near(cards[number - 1].first) if number <= len(cards) else None


def _shown(grown: GrownTree, others: AsGood) -> Tree:
    """The tree that is shown above: the one that is opened, else the optimal one."""
    one = _chosen(grown, others) if st.session_state["tree"] else None
    tree = grown.tree if one is None else one.tree
    assert isinstance(tree, Tree)
    return tree


def way_back(grown: GrownTree) -> None:
    """Draw a note on the tree that is shown, and the way back to the optimal one; nothing where that is shown."""
    number, others = st.session_state["tree"], near(grown)
    one = _chosen(grown, others) if number and others is not None else None
    if one is None:
        return
    facts = (
        optimal_words.amount(one.objective, results.prices(grown).are_equal),
        sentences.number_of_splits(one.n_splits),
    )
    with st.container(horizontal=True, vertical_alignment="center", key="way back"):
        st.info(
            _own_tree_note(*facts)
            if number == building.OWN
            else say("This is tree {number} of the gallery below: {facts}.", number=number, facts=", ".join(facts))
        )
        st.button(say("Back to the optimal tree"), icon=":material/undo:", on_click=callback(_open), args=(0,))


def section(grown: GrownTree, entries: list[Entry]) -> None:
    """The gallery, with what its trees share, and one's own tree."""
    assert grown.proof
    if not grown.dataset.is_classification:
        st.caption(
            say("They are looked for only where the target is a class: of numbers hardly two trees are as good.")
        )
        return
    if has_directions(grown):
        st.caption(say("They are looked for only where no columns are monotone."))
        return
    if not grown.proof.proved:
        st.caption(say("Which other trees are as good can be told only of a tree that is proved to be the best."))
        return
    left, right = st.columns([2, 3], gap="medium")
    with left:
        drawer.pick(SLACK, "slack", slider, options=range(MAX_SLACK + 1), default=0)
    others = near(grown)
    with right:
        _looking(_job_key(grown))
    if others is None:
        return
    with left:
        _numbers(grown, grown.proof, others)
    with right:
        _shared_features(grown, others)
    multiple.section(_job_key(grown), grown, _shown(grown, others), others)
    _gallery(grown, others)
    disagreement.section(grown, others)
    building.section(grown, others, entries)


def asked(grown: GrownTree) -> SearchGoal:
    """The trees among which the best one was looked for."""
    model = grown.source.model
    size, directed = (model.value("depth"), model.value("splits")), has_directions(grown)
    data, rows = grown.dataset, ~grown.held
    counted = fits.measure_of(data, data.y[rows], data.weights_of(rows), grown.parameters)
    return SearchGoal(*size, counted, directed)


def _numbers(grown: GrownTree, proof: Proof, others: AsGood) -> None:
    """Say how many trees there are, of what questions, and on how many cards."""
    cards, scope = others.cards, proof
    if not others.is_every:
        scope = proof._replace(every_threshold=False, n_questions=others.n_questions)
    best = proof.objective, results.prices(grown).are_equal
    near = optimal_words.near_words(others.trees.n_trees, st.session_state["slack"], *best)
    listed = "" if cards.is_all else count(cards.n_listed)
    on_cards = _cards(count(cards.n_functions), count(len(cards.cards)), listed)
    smallest = front_words(others.trees.sizes, results.prices(grown).are_equal)
    st.markdown(f"{plain(near)} {scope_words(scope, asked(grown))} {on_cards} {smallest}")
    if not others.is_every:
        st.caption(
            say(
                "Over every threshold there are too many of these trees to count here, or it would "
                "take too long. Those shown ask what the optimal tree asks, and about ten other "
                "questions of each column. To see all trees, allow fewer more errors, a smaller "
                "depth, or fewer questions per column."
            )
        )


def _looking(key: str) -> None:
    """Draw the number of trees so far, or a note where the search was stopped."""
    ended = watch.found(key)
    if ended is None:
        note.progress(
            [
                Line(
                    key,
                    say("**Looking for trees that are as good**"),
                    lambda job: Far(
                        job.share,
                        say(
                            "{LOOKING} {n} so far",
                            LOOKING=say("**Looking for trees that are as good**"),
                            n=job.progress.done,
                        ),
                    ),
                )
            ]
        )
    else:
        note.ended(key, ended, say("Stopped: there may be other trees as good."), say("There are no other trees."))
        if isinstance(ended.value, NotCounted) and not ended.is_stopped:
            st.caption(
                say(
                    "There are too many trees to count here. Allow fewer errors more, a smaller depth, "
                    "or fewer questions a column."
                )
            )


def others(grown: GrownTree) -> Others | None:
    """Number of other trees exactly as good as the optimal one; None where that is not known yet."""
    trees = near(grown)
    return None if trees is None else Others(trees.n_best - 1, trees.is_every)


def _shared_features(grown: GrownTree, others: AsGood) -> None:
    """Draw the features that the trees share: a sentence and, of several trees, a bar for each."""
    n, names = others.trees.n_trees, [feature.name for feature in grown.dataset.features]
    counts = [Use(feature, n - without) for feature, without in enumerate(others.without) if without < n]
    shared = sorted(counts, key=lambda use: (-use.n_trees, use.feature))
    st.markdown(optimal_words.shared_words(shared, n, [plain(name) for name in names]))
    if n == 1:
        return
    least, most = others.reliance.least, others.reliance.most
    table = pd.DataFrame(
        {
            say("column"): [names[use.feature] for use in shared],
            say("trees that ask about it"): [use.n_trees / n for use in shared],
            say("errors more if swapped"): [
                _range_or_value(number(least[use.feature]), number(most[use.feature])) for use in shared
            ],
        }
    )
    bar = st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1)
    height = min(38 + 35 * len(table), 250)
    config = {say("trees that ask about it"): bar}
    data_table(
        table,
        hide_index=True,
        height=height,
        column_config=config,
        alt=say("How many of the trees ask about each column"),
    )
    st.caption(_reliance_caption(0 if others.reliance.is_exact else MOST_TREES))


def _gallery(grown: GrownTree, others: AsGood) -> None:
    place, cards = f"{grown.key} {st.session_state['slack']}", others.cards.cards
    n_shown = _n_shown(place)
    st.caption(
        say(
            "Questions from left to right; a row that answers yes goes up. A card has trees with "
            "the same columns and the same answers in the same places, which answer at most 2 % "
            "of the rows differently from its best tree; a range has all thresholds that they "
            "ask there. Trees that give every possible row the same answer count as one "
            "function. *Open* shows the best tree of a card."
        )
    )
    shown = range(1, min(n_shown, len(cards)) + 1)
    for start in range(0, len(shown), ABREAST):
        for column, card in zip(st.columns(ABREAST), shown[start : start + ABREAST], strict=False):
            with column, st.container(border=True, height="stretch"):
                _card(grown, others, card)
    if n_shown < len(cards):
        left = len(cards) - n_shown
        label = say("Show {n} more of {left}", n=min(left, SHOWN), left=left)
        st.button(label, icon=":material/expand_more:", on_click=callback(_show_more), args=(place, n_shown))


def _card(grown: GrownTree, others: AsGood, number: int) -> None:
    data, card = grown.dataset, others.cards.cards[number - 1]
    near = others.near(card.first)
    picture = small_tree.tree_picture(near.tree, data.features, data.target)
    pictures.draw(picture, small_tree.width_of(near.tree))
    questions = questions_words(near.tree, data.features, card.ranges)
    st.markdown("\n".join(f"- :small[{plain(question)}]" for question in questions))
    st.space("stretch")
    with st.container(horizontal=True, vertical_alignment="center"):
        errors = optimal_words.amount(near.objective, results.prices(grown).are_equal)
        facts = errors, sentences.number_of_splits(near.n_splits), *_members(card)
        st.markdown(f"**{number}** · {' · '.join(facts)}", width="stretch")
        st.button(
            say("Open"), key=f"open tree {number}", disabled=st.session_state["tree"] == number,
            on_click=callback(_open), args=(number,), help=sentences.opening_help(number),
        )  # fmt: skip


def _members(card: TreeCard) -> list[str]:
    """How many functions and trees a card stands for, and on how many rows they differ at most."""
    functions = say(
        "{number} function" if card.n_functions == 1 else "{number} functions", number=count(card.n_functions)
    )
    if card.n_trees == 1:
        return [functions]
    return [functions, trees_words(card.n_trees), _distance_sentence(card.n_differ, count(card.n_differ))]


def _n_shown(place: str) -> int:
    kept, n_shown = st.session_state.get(PAGES, (place, SHOWN))
    return n_shown if kept == place else SHOWN


def _show_more(place: str, n_shown: int) -> None:
    st.session_state[PAGES] = (place, n_shown + SHOWN)


def _open(number: int) -> None:
    st.session_state["tree"] = number


def _cards(n_functions: str, n_cards: str, n_listed: str) -> str:
    """Number of functions and cards; `n_listed` of the trees that were listed, empty for all."""
    functions = (
        say("1 function") if n_functions == "1" else say("{n_functions} functions", n_functions=n_functions)
    )
    cards_there = say("1 card") if n_cards == "1" else say("{n_cards} cards", n_cards=n_cards)
    if n_listed:
        return say(
            "The first {n_listed} are at least {functions} on {cards_there}.",
            n_listed=n_listed,
            functions=functions,
            cards_there=cards_there,
        )
    return say("They are {functions} on {cards_there}.", functions=functions, cards_there=cards_there)


def _distance_sentence(n: int, number: str) -> str:
    """The most rows that a tree of a card answers otherwise than its best tree."""
    if not n:
        return say("every row answered alike")
    return say(
        "at most {number} row answered differently" if n == 1 else "at most {number} rows answered differently",
        number=number,
    )


def _own_tree_note(errors: str, splits: str) -> str:
    """Note that the tree that was built is shown in place of the optimal one."""
    return say("This is the tree that you have built: {errors}, {splits}.", errors=errors, splits=splits)


def _reliance_caption(n_drawn: int) -> str:
    """What the ranges of the columns are; `n_drawn` of the trees were drawn for them, 0: all were asked."""
    whose = (
        say("{n_drawn} trees drawn from them all: other trees may reach further", n_drawn=n_drawn)
        if n_drawn
        else say("all these trees")
    )
    return say(
        "How many errors more (how much more cost) it makes on average if each training row gets the column's "
        "value of another row: the least and the most of {whose}. *Term:* model class reliance (Fisher, Rudin & "
        "Dominici 2019).",
        whose=whose,
    )


def _range_or_value(low: str, high: str) -> str:
    """A range, or its one value."""
    return low if low == high else say("{low} to {high}", low=low, high=high)
