"""Trees as good as the optimal one, or nearly: counted, on cards, opened, and the rows they leave open."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from espalier import optimal as optimal_words
from espalier.display.tables import labels_of
from espalier.display.theme import count, number, percent
from espalier.display.tree import small_tree
from espalier.grown import AsGood, FittedTree, GrownTree, join_data, objective_measure
from espalier.language import say, to_say
from espalier.learners.optimal import NearTree
from espalier.learners.optimal.rashomon.summaries import MOST_TREES
from espalier.optimal import SearchGoal, front_words, questions_words, trees_words
from espalier.progress import Progress
from pages.shared.app import links, pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import assign, callback, fold, plain
from pages.shared.app.links import whole
from pages.shared.canvas.components import data_table
from pages.shared.canvas.control import Control, slider
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Work
from pages.shared.tree import building, growing, results
from pages.shared.tree.growing import NOT_COUNTED

MOST = 5_000  # trees that are listed on cards; all are counted
SHOWN = 8  # cards drawn at once
ABREAST = 2  # cards
MOST_ROWS = 200  # of the table of rows that are not settled
STABLE = "-2"  # in links of earlier versions: a tree that was nearest to those of redrawn rows
OPENED = "near-optimal"  # key of the fold
OPEN_ROWS = "open-rows"  # key of the fold of rows that are not settled
LAST = "last-gallery"  # key of the session state: key of the optimal tree whose others were shown last
CARDS = "cards-of-gallery"  # key of the session state: how many cards are drawn
SLACK = Control(
    "slack", 0, (0, 5), to_say("Errors more, at most"),
    to_say("0: only trees as good as the optimal one. *Term:* `trees_as_good(slack=…)`."), slider, undo=False,
)  # fmt: skip


def choice() -> list[Entry]:
    """The card that is opened (0: the optimal tree, -1: one's own) and one's own tree."""
    return [Entry("tree", 0, _read_number, undo=False), *building.url_entries()]


def _read_number(text: str) -> int | None:
    if text == STABLE:
        raise links.Gone(say("this is the optimal tree; Stability compares trees of redrawn rows"))
    return whole(building.OWN, MOST)(text)


def can_list(grown: GrownTree) -> bool:
    """Whether other trees as good can be counted."""
    is_proved = grown.proof is not None and grown.proof.proved
    return is_proved and grown.dataset.is_classification and grown.parameters.get("monotonic_cst") is None


def near(grown: GrownTree) -> AsGood | None:
    """Trees within the chosen slack of the optimal one; None until they are counted, and where they cannot be."""
    if not can_list(grown):
        return None
    value = watch.outcome(_work(grown), beside=True).value
    return value if isinstance(value, AsGood) else None


def _work(grown: GrownTree) -> Work:
    slack, most = st.session_state["slack"], MOST

    def list_trees(progress: Progress) -> AsGood | str:
        return growing.find_fit(grown.key, grown.dataset, *grown.source).near(slack, most, progress)

    return Work(f"{grown.key} near {slack}", most, list_trees)


def asked(grown: GrownTree) -> SearchGoal:
    """The trees among which the best one was looked for."""
    model, data, rows = grown.source.model, grown.dataset, ~grown.held
    counted = objective_measure(data, data.y[rows], data.weights_of(rows), grown.parameters)
    directed = grown.parameters.get("monotonic_cst") is not None
    return SearchGoal(model.value("depth"), model.value("splits"), counted, directed)


# ---- one of them in place of the optimal tree


def opened(grown: GrownTree, linked: bool) -> tuple[GrownTree, list[str]]:
    """The tree of the gallery that is opened, or the tree itself; notes on a link to one that is not there."""
    state = st.session_state
    last, state[LAST] = state.get(LAST, grown.key), grown.key
    if last != grown.key and not linked:
        state["tree"], state[building.RECORD] = 0, ""
    number, trees = state["tree"], near(grown) if state["tree"] else None
    if trees is None:
        return grown, []
    tree = _opened_tree(trees)
    if tree is None:
        state["tree"] = 0
        text = say("tree={number}: there are {n} trees as good as that", number=number, n=len(trees.cards.cards))
        return grown, [text] if linked else []
    own = state[building.RECORD] if number == building.OWN else ""
    key = f"{_work(grown).key} tree {number} {own}"
    return join_data(key, FittedTree(tree.tree, grown.proof), grown.dataset, grown.source), []


def _opened_tree(trees: AsGood) -> NearTree | None:
    """The tree that is opened; None where it is not there."""
    number, cards = st.session_state["tree"], trees.cards.cards
    if number == building.OWN:
        return building.own_tree(trees)
    return trees.near(cards[number - 1].first) if 0 < number <= len(cards) else None


def way_back(grown: GrownTree) -> None:
    """Draw a note on the tree that is shown, and the way back to the optimal one; nothing where that is shown."""
    number, trees = st.session_state["tree"], near(grown) if st.session_state["tree"] else None
    tree = None if trees is None else _opened_tree(trees)
    if tree is None:
        return
    name = say("Your own tree") if number == building.OWN else say("Tree {number} of the gallery", number=number)
    with st.container(horizontal=True, vertical_alignment="center", key="way back"):
        st.info(f"{name}: {' · '.join(_facts(grown, tree))}")
        st.button(
            say("Back to the optimal tree"),
            icon=":material/undo:",
            on_click=callback(assign),
            args=(
                "tree",
                0,
            ),
        )


def _facts(grown: GrownTree, tree: NearTree) -> tuple[str, str]:
    amount = optimal_words.amount(tree.objective, results.prices(grown).are_equal)
    return amount, building.number_of_splits(tree.n_splits)


# ---- the section below the tree


def section(grown: GrownTree, entries: list[Entry]) -> None:
    """Draw how many there are, what they rely on, their cards, the rows they leave open, and one's own tree."""
    if not can_list(grown):
        st.caption(
            say("Counted once the best tree is proved, where the target is a class and no column monotone.")
        )
        return
    title, work = say("**Looking for trees that are as good**"), _work(grown)
    line = Line(work.key, title, lambda job: Far(job.share, f"{title} · {job.progress.done}"))
    left, right = st.columns([2, 3], gap="medium")
    with left:
        SLACK.draw()
    with right:
        trees = note.result(work, line, say("Stopped: there may be other trees as good."))
        if trees == NOT_COUNTED:
            st.caption(say("Too many trees to count: allow fewer errors, a smaller depth or fewer questions."))
    if not isinstance(trees, AsGood):
        return
    with left:
        _draw_counts(grown, trees)
    with right:
        _draw_reliance(grown, trees)
    _draw_gallery(grown, trees)
    _draw_unsettled(grown, trees)
    building.section(grown, trees, entries)


def _draw_counts(grown: GrownTree, trees: AsGood) -> None:
    """Say how many trees there are, of which questions, and what fewer splits cost."""
    assert grown.proof
    scope, counted = grown.proof, results.prices(grown).are_equal
    if not trees.is_every:
        scope = scope._replace(every_threshold=False, n_questions=trees.n_questions)
    n, slack = trees.trees.n_trees, st.session_state["slack"]
    near = plain(optimal_words.near_words(n, slack, grown.proof.objective, counted))
    kind = say("Each is a {kind}.", kind=optimal_words.kind_of_tree(scope, asked(grown)))
    cards = trees.cards
    n_cards = say("1 card") if len(cards.cards) == 1 else say("{n} cards", n=count(len(cards.cards)))
    if not cards.is_all:
        n_cards = say("{cards} of the first {n} trees", cards=n_cards, n=count(cards.n_listed))
    st.markdown(f"**{near}** {n_cards}. {front_words(trees.trees.sizes, counted)}")
    st.caption(kind)
    if not trees.is_every:
        st.caption(say("Over every threshold they are too many: these ask about ten questions of each column."))


def _draw_reliance(grown: GrownTree, trees: AsGood) -> None:
    """Draw the columns by how many of the trees ask about them, and by how much they rely on them."""
    n, features = trees.trees.n_trees, grown.dataset.features
    used = sorted((without, f) for f, without in enumerate(trees.without) if without < n)
    if n == 1 or not used:
        return
    ends = [[number(end) for end in pair] for pair in zip(trees.reliance.least, trees.reliance.most, strict=True)]
    share = say("trees that ask about it")
    table = pd.DataFrame(
        {
            say("column"): [features[f].name for _, f in used],
            share: [1 - without / n for without, _ in used],
            say("errors more if swapped"): [_range(*ends[f]) for _, f in used],
        }
    )
    bar = st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1)
    data_table(
        table, hide_index=True, height=min(38 + 35 * len(table), 250), column_config={share: bar},
        alt=say("How many of the trees ask about each column"),
    )  # fmt: skip
    which = say("all these trees") if trees.reliance.is_exact else say("{n} of these trees", n=count(MOST_TREES))
    st.caption(
        say(
            "*Swapped*: with the column's value of another row; least and most of {which}. *Term:* model class "
            "reliance.",
            which=which,
        )
    )


def _range(low: str, high: str) -> str:
    return low if low == high else say("{low} to {high}", low=low, high=high)


def _draw_gallery(grown: GrownTree, trees: AsGood) -> None:
    n_cards, n_shown = len(trees.cards.cards), st.session_state.get(CARDS, SHOWN)
    st.caption(
        say("Yes goes up. Trees of one card ask the same columns, and answer at most 2 % of the rows differently.")
    )
    shown = range(1, min(n_shown, n_cards) + 1)
    for start in range(0, len(shown), ABREAST):
        for column, card in zip(st.columns(ABREAST), shown[start : start + ABREAST], strict=False):
            with column, st.container(border=True, height="stretch"):
                _draw_card(grown, trees, card)
    if n_shown < n_cards:
        left = n_cards - n_shown
        label = say("Show {n} more of {left}", n=min(left, SHOWN), left=left)
        st.button(
            label,
            icon=":material/expand_more:",
            on_click=callback(assign),
            args=(
                CARDS,
                n_shown + SHOWN,
            ),
        )


def _draw_card(grown: GrownTree, trees: AsGood, number: int) -> None:
    data, card = grown.dataset, trees.cards.cards[number - 1]
    near = trees.near(card.first)
    pictures.draw(small_tree.tree_picture(near.tree, data.features, data.target), small_tree.width_of(near.tree))
    questions = questions_words(near.tree, data.features, card.ranges)
    st.markdown("\n".join(f"- :small[{plain(question)}]" for question in questions))
    st.space("stretch")
    facts = [f"**{number}**", *_facts(grown, near)]
    if card.n_trees > 1:
        facts += [
            trees_words(card.n_trees),
            say("{n} row apart" if card.n_differ == 1 else "{n} rows apart", n=count(card.n_differ)),
        ]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(" · ".join(facts), width="stretch")
        st.button(
            say("Open"), key=f"open tree {number}", disabled=st.session_state["tree"] == number,
            on_click=callback(assign), args=("tree", number),
            help=say("Show tree {number} above, in place of the optimal one", number=number),
        )  # fmt: skip


def _draw_unsettled(grown: GrownTree, trees: AsGood) -> None:
    """Draw the training rows that some of the trees give another class; nothing for a lone tree."""
    if trees.trees.n_trees == 1:
        return
    weight, rows = grown.dataset.weights_of(~grown.held), np.flatnonzero(~grown.held)
    rows = rows if weight is None else rows[weight > 0]
    n_open = int(trees.open.is_open.sum())
    st.markdown(
        say(
            "**{n} of {n_rows} training rows ({share}) are not settled**: these trees give them several classes. "
            "*Term:* ambiguity.",
            n=count(n_open),
            n_rows=count(len(rows)),
            share=percent(trees.open.ambiguity),
        )
    )
    if n_open:
        fold(say("Rows that are not settled"), OPEN_ROWS, lambda: _draw_open_rows(grown, trees, rows))


def _draw_open_rows(grown: GrownTree, trees: AsGood, rows: np.ndarray) -> None:
    """Draw the rows that are open, with the errors from which on each class is possible."""
    data, counted = grown.dataset, results.prices(grown).are_equal
    at = np.flatnonzero(trees.open.is_open)[:MOST_ROWS]
    truth = [data.classes[int(y)] for y in data.y[rows[at]]]
    columns: dict[str, object] = {say("row"): rows[at] + 1, **labels_of(data, rows[at]), say("in truth"): truth}
    for label, code in enumerate(trees.present.tolist()):
        columns[say("{name}, from", name=data.classes[int(code)])] = [
            optimal_words.amount(float(least), counted) if np.isfinite(least) else "–"
            for least in trees.open.objective[at, label]
        ]
    data_table(
        pd.DataFrame(columns), hide_index=True, height=min(38 + 35 * len(at), 300),
        alt=say("The first rows that are not settled"),
    )  # fmt: skip
