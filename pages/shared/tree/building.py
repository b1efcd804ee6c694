"""A tree built by hand among those as good: at every node the choices that are left, each with what it leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from espalier import optimal as optimal_words
from espalier.display.text.trees import condition
from espalier.display.theme import count
from espalier.display.tree import small_tree
from espalier.grown import AsGood, GrownTree
from espalier.language import say
from espalier.learners.optimal import NearTree
from espalier.learners.optimal.rashomon.building import OPEN, NodeChoice, TreeBuilding, is_written
from espalier.learners.optimal.rashomon.graph import ChosenSplit
from espalier.learners.optimal.tree_builder import ColumnSplit
from espalier.optimal import trees_words, way_words
from espalier.trees import Tree
from pages.shared.app import address, pictures
from pages.shared.app.address import Choice, Entry
from pages.shared.app.frame import assign, callback, guarded, plain
from pages.shared.canvas.control import whole_page
from pages.shared.tree import results

PAGE = "tree"  # whose address has it
RECORD = "own"  # key of the session state: what was decided, as `TreeBuilding` writes it
OWN = -1  # number of one's own tree among those of the gallery


def url_entries() -> list[Entry]:
    """What was decided, as part of the address."""
    return [Entry(RECORD, "", _read, only=Choice("learner", ("optimal",)))]


def _read(text: str) -> str:
    if text and not is_written(text):
        raise ValueError(say("what was decided in building a tree"))
    return text


def _building(trees: AsGood) -> TreeBuilding | None:
    """The tree as far as it is built; None where no tree as good agrees with what the record says."""
    try:
        return TreeBuilding(trees.trees, st.session_state[RECORD] or OPEN)
    except ValueError:
        return None


def own_tree(trees: AsGood) -> NearTree | None:
    """One's own tree, if it is finished."""
    built = _building(trees)
    return trees.build(built.shape) if built is not None and built.is_finished else None


class TreeDraft(NamedTuple):
    """The tree as far as it is built, and what its choices are named by."""

    grown: GrownTree
    trees: AsGood
    built: TreeBuilding
    tree: Tree  # with a leaf at each open node

    @property
    def open(self) -> list[str]:
        """Paths of the nodes that are open."""
        return [node.path for node in self.built.nodes if node.tree is None]

    def amount(self, objective: float) -> str:
        """Errors, or a cost, in words."""
        return optimal_words.amount(objective, results.prices(self.grown).are_equal)

    def label(self, name: str, choices: Sequence[NodeChoice]) -> str:
        """What is chosen, the trees that it leaves, and the best of them."""
        n_trees, best = sum(choice.n_trees for choice in choices), min(choice.objective for choice in choices)
        return f"{plain(name)} · {count(n_trees)} · {self.amount(best)}"

    def feature(self, choice: NodeChoice) -> int:
        """The column that a choice asks about, -1 for an answer."""
        return -1 if choice.split is None else self.trees.trees.questions.feature[choice.split.place]

    def name(self, choice: NodeChoice) -> str:
        """An answer, or a question without the name of its column, which stands above it."""
        data = self.grown.dataset
        if choice.split is None:
            return data.classes[int(self.trees.present[choice.label])]
        stump = self.trees.build(ColumnSplit(choice.split.place, None, None)).tree
        return condition(stump, data.features, 0).removeprefix(data.features[self.feature(choice)].name).strip()


@st.fragment(key="own tree")
@guarded
def section(grown: GrownTree, trees: AsGood, entries: list[Entry]) -> None:
    """The tree as far as it is built, and the choices of one of its open nodes; a choice reruns only this."""
    st.markdown(say("#### Build your own"))
    built = _building(trees)
    if built is None:
        st.warning(say("own: no tree as good agrees with what was decided there"))
        st.session_state[RECORD] = ""
        built = TreeBuilding(trees.trees)
    draft = TreeDraft(grown, trees, built, trees.build(built.shape).tree)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        _draw_tree(draft)
    with right:
        if draft.open:
            _draw_choices(draft)
        else:
            _draw_finished(draft)
    address.save(PAGE, entries)


def _draw_tree(draft: TreeDraft) -> None:
    """Draw the tree with its questions, and the buttons that fill in the rest or begin anew."""
    data, nodes = draft.grown.dataset, draft.built.nodes
    unfinished = {i for i, node in enumerate(nodes) if node.tree is None}
    picture = small_tree.tree_picture(draft.tree, data.features, data.target, unfinished)
    pictures.draw(picture, small_tree.width_of(draft.tree))
    splits = [i for i, node in enumerate(nodes) if isinstance(node.tree, ChosenSplit)]
    st.markdown("\n".join(f"- :small[{plain(condition(draft.tree, data.features, i))}]" for i in splits))
    left = say(
        "**{trees}** left, the best with {errors}",
        trees=trees_words(draft.built.n_trees),
        errors=draft.amount(draft.built.objective),
    )
    st.markdown(left if unfinished else "")
    with st.container(horizontal=True, gap="xsmall", key="own buttons"):
        if unfinished:
            st.button(
                say("Finish for me"), help=say("Fills in the rest with the best tree that agrees."),
                key="own finish", icon=":material/auto_fix_high:",
                on_click=callback(lambda: _put(draft.built.finished().text)),
            )  # fmt: skip
        if len(unfinished) < len(nodes):
            st.button(say("Start anew"), key="own anew", on_click=callback(_put), args=("",))


def _draw_choices(draft: TreeDraft) -> None:
    """Draw the answers and the questions of an open node, each with the trees that it leaves."""
    path, text, features = draft.open[0], draft.built.text, draft.grown.dataset.features
    if len(draft.open) > 1:
        paths = [node.path for node in draft.built.nodes]
        path = st.pills(
            say("Node"), draft.open, default=path, required=True, key=f"own node {text}", wrap=True,
            format_func=lambda at: plain(way_words(draft.tree, features, paths.index(at), say("root"))),
        ) or path  # fmt: skip
    by_column: dict[int, list[NodeChoice]] = {}
    for choice in draft.built.choices(path):
        by_column.setdefault(draft.feature(choice), []).append(choice)
    answers = by_column.pop(-1, [])
    if answers:
        _draw_pills(draft, say("Answer at once"), path, answers)
    if not by_column:
        st.caption(say("No question leads to a tree as good here."))
        return
    column = st.selectbox(
        say("Ask about"), sorted(by_column, key=lambda f: -sum(choice.n_trees for choice in by_column[f])),
        key=f"own column {text} {path}", format_func=lambda f: draft.label(features[f].name, by_column[f]),
    )  # fmt: skip
    order = draft.trees.trees.questions.order
    _draw_pills(draft, say("Question"), path, sorted(by_column[column], key=lambda one: _threshold(one, order)))


def _threshold(choice: NodeChoice, order: Sequence[int]) -> int:
    """The place of a question among those of its column, by threshold."""
    assert choice.split is not None
    return order.index(choice.split.place)


def _draw_pills(draft: TreeDraft, label: str, path: str, choices: list[NodeChoice]) -> None:
    """Draw a row of choices, the first click on which takes one."""
    key = f"own {label} {draft.feature(choices[0])} {draft.built.text} {path}"
    st.pills(
        label, range(len(choices)), key=key, wrap=True, on_change=callback(_taker(draft, key, path, choices)),
        format_func=lambda at: draft.label(draft.name(choices[at]), [choices[at]]),
    )  # fmt: skip


def _taker(draft: TreeDraft, key: str, path: str, choices: list[NodeChoice]) -> Callable[[], None]:
    def take() -> None:
        if (at := st.session_state[key]) is not None:
            _put(draft.built.with_choice(path, choices[at]).text)

    return take


def _draw_finished(draft: TreeDraft) -> None:
    splits = number_of_splits(draft.tree.n_leaves - 1)
    errors = draft.amount(draft.built.objective)
    st.success(
        say(":material/check_circle: Your tree is finished: {errors}, {splits}.", errors=errors, splits=splits)
    )
    if st.button(
        say("Show it above"), key="own show", type="primary", icon=":material/visibility:",
        disabled=st.session_state["tree"] == OWN, on_click=callback(assign), args=("tree", OWN),
    ):  # fmt: skip
        st.rerun(scope="app")  # the tree is drawn outside of this fragment


def _put(record: str) -> None:
    """Take what was decided (a callback); the page goes back to the optimal tree where one's own was shown."""
    st.session_state[RECORD] = record
    has_undo = address.steps(PAGE) == (True, False)
    if st.session_state["tree"] == OWN:
        st.session_state["tree"], has_undo = 0, False
    if not has_undo:  # the buttons of the bar change
        whole_page()


def number_of_splits(n: int) -> str:
    """A number of splits."""
    return say("{n} split" if n == 1 else "{n} splits", n=n)
