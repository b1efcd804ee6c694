"""A tree built by hand among those as good: at every node the choices that are left, each with what it leaves."""

from __future__ import annotations

import math

import streamlit as st

from espalier import optimal as optimal_words
from espalier.data.dataset import Dataset
from espalier.display.text.trees import condition
from espalier.display.theme import count, number
from espalier.display.tree import small_tree
from espalier.language import say
from espalier.learners.optimal import NearTree
from espalier.learners.optimal.rashomon.building import (
    OPEN,
    ClosedAnswer,
    ClosedFeature,
    NodeChoice,
    TreeBuilding,
    is_written,
)
from espalier.learners.optimal.rashomon.graph import ChosenSplit
from espalier.learners.optimal.tree_builder import ColumnSplit
from espalier.optimal import trees_words, way_words
from espalier.trees import Tree
from pages.shared.app import address, pictures
from pages.shared.app.address import Choice, Entry
from pages.shared.app.frame import callback, guarded, plain
from pages.shared.canvas.slider import whole_page
from pages.shared.tree import results
from pages.shared.tree import sentences as tree_sentences
from pages.shared.tree.fits import AsGood
from pages.shared.tree.results import GrownTree

PAGE = "tree"  # whose address has it
RECORD = "own"  # key of the session state: what was decided, as `TreeBuilding` writes it
OWN = -1  # number of one's own tree among those of the gallery
MOST_CLOSED = 8  # columns with a reason of their own


def url_entries() -> list[Entry]:
    """What was decided, as part of the address."""
    return [Entry(RECORD, "", _read, only=Choice("learner", ("optimal",)))]


def _read(text: str) -> str:
    if text and not is_written(text):
        raise ValueError(say("what was decided in building a tree"))
    return text


def building(others: AsGood) -> TreeBuilding | None:
    """The tree as far as it is built; None where no tree as good agrees with what the record says."""
    try:
        return TreeBuilding(others.trees, st.session_state[RECORD] or OPEN)
    except ValueError:
        return None


def own_tree(others: AsGood) -> NearTree | None:
    """One's own tree, if it is finished."""
    built = building(others)
    if built is None or not built.is_finished:
        return None
    return others.built(built.shape)


@st.fragment(key="own tree")
@guarded
def section(grown: GrownTree, others: AsGood, entries: list[Entry]) -> None:
    """The tree as far as it is built, and the choices of one of its open nodes; a choice reruns only this."""
    st.markdown(say("#### Build your own"))
    st.caption(
        say(
            "Decide node by node. Beside each choice stands how many of the trees above agree "
            "with it and with all that you have decided, and the best of them. The numbers are "
            "exact, and count trees: a function may be several."
        )
    )
    built = building(others)
    if built is None:
        st.warning(say("own: no tree as good agrees with what was decided there"))
        st.session_state[RECORD] = ""
        built = TreeBuilding(others.trees)
    _Drawn(grown, others, built).draw()
    address.save(PAGE, entries)


class _Drawn:
    """The section, for one state of the tree."""

    def __init__(self, grown: GrownTree, others: AsGood, built: TreeBuilding):
        self.data: Dataset = grown.dataset
        self.counted = results.prices(grown).are_equal
        self.others, self.built = others, built
        self.nodes = built.nodes
        self.open = [node.path for node in self.nodes if node.tree is None]
        self.tree: Tree = others.built(built.shape).tree

    def draw(self) -> None:
        """Draw the tree on the left, and the choices on the right."""
        left, right = st.columns([2, 3], gap="medium")
        with left:
            self._picture()
            self._buttons()
        with right:
            if self.open:
                self._choices()
            else:
                self._finished()

    def _picture(self) -> None:
        unfinished = {i for i, node in enumerate(self.nodes) if node.tree is None}
        picture = small_tree.tree_picture(self.tree, self.data.features, self.data.target, unfinished)
        pictures.draw(picture, small_tree.width_of(self.tree))
        asked = [self._decision(node.path) for node in self.nodes if isinstance(node.tree, ChosenSplit)]
        st.markdown("\n".join(f"- :small[{plain(question)}]" for question in asked))
        if self.open:
            st.markdown(
                say(
                    "**{trees}** left; the best has {errors}.",
                    trees=trees_words(self.built.n_trees),
                    errors=self._amount(self.built.objective),
                )
            )

    def _buttons(self) -> None:
        decided = [node.path for node in self.nodes if node.tree is not None]
        with st.container(horizontal=True, gap="xsmall", key="own buttons"):
            if self.open:
                st.button(
                    say("Finish for me"),
                    help=say("Fills in the rest with the best tree that agrees with what you have decided."),
                    key="own finish",
                    icon=":material/auto_fix_high:",
                    on_click=callback(self._finish),
                )
            if decided:
                self._taking_back(decided)
                st.button(say("Start anew"), key="own anew", on_click=callback(_put), args=("",))

    def _taking_back(self, decided: list[str]) -> None:
        drawer = st.popover(
            say("Take back"), help=say("Opens a node again, with all below it."), key="own back", on_change="rerun"
        )
        if drawer.open:
            with drawer:
                for path in reversed(decided):
                    label = f"{self._way(path)}: {self._decision(path)}"
                    st.button(
                        plain(label), key=f"own back {path}", on_click=callback(self._take), args=(path, None)
                    )

    def _choices(self) -> None:
        """The choices of an open node."""
        path = self.open[0]
        if len(self.open) > 1:
            path = st.pills(
                say("Node"), self.open, default=path, format_func=lambda at: plain(self._way(at)), required=True,
                key=f"own node {self.built.text}", wrap=True,
            ) or path  # fmt: skip
        choices = self.built.choices(path)
        self._answers(path, [choice for choice in choices if choice.split is None])
        self._questions(path, [choice for choice in choices if choice.split is not None])
        self._closed(path)

    def _answers(self, path: str, leaves: list[NodeChoice]) -> None:
        if not leaves:
            return
        classes = [self.data.classes[int(self.others.present[leaf.label])] for leaf in leaves]
        names = [self._label(name, leaf) for name, leaf in zip(classes, leaves, strict=True)]
        self._pills(say("Answer at once"), path, "answer", leaves, names)

    def _questions(self, path: str, splits: list[NodeChoice]) -> None:
        if not splits:
            st.caption(
                say("No question leads to a tree as good here.")
                if self._left(path)
                else say("The greatest depth is reached here: only an answer is left.")
            )
            return
        by_feature: dict[int, list[NodeChoice]] = {}
        for choice in splits:
            by_feature.setdefault(self._feature(choice), []).append(choice)
        asked = sorted(by_feature, key=lambda one: -sum(choice.n_trees for choice in by_feature[one]))
        feature = st.selectbox(
            say("Ask about"), asked, key=f"own column {self.built.text} {path}",
            format_func=lambda one: self._column(one, by_feature[one]),
        )  # fmt: skip
        chosen = sorted(by_feature[feature], key=self._order)
        names = [self._label(self._question(choice), choice) for choice in chosen]
        self._pills(say("Question"), path, f"question {feature}", chosen, names)

    def _left(self, path: str) -> int:
        """How many splits may follow one another from a node on."""
        return next(node.rows.left for node in self.nodes if node.path == path)

    def _pills(self, label: str, path: str, kind: str, choices: list[NodeChoice], names: list[str]) -> None:
        """A row of choices, the first click on which takes one."""
        key = f"own {kind} {self.built.text} {path}"

        def take() -> None:
            if (at := st.session_state[key]) is not None:
                self._take(path, choices[at])

        st.pills(
            label,
            range(len(choices)),
            format_func=lambda at: names[at],
            key=key,
            on_change=callback(take),
            wrap=True,
        )

    def _closed(self, path: str) -> None:
        closed = sorted(self.built.closed(path), key=lambda one: one.objective)
        answers = self.built.closed_answers(path)
        if not (closed or answers):
            return
        drawer = st.expander(say("Not possible here any more"), key="own closed", on_change="rerun")
        if not drawer.open:
            return
        parting = [one for one in closed if math.isfinite(one.objective)]
        lines = [self._reason_of_answer(one) for one in answers]
        lines += [self._reason(one) for one in parting[:MOST_CLOSED]]
        names = [plain(self.data.features[one.feature].name) for one in closed if one not in parting]
        if names:
            lines.append(f"- {say('They part none of the rows here')}: {', '.join(names)}.")
        drawer.markdown("\n".join(lines))

    def _reason_of_answer(self, closed: ClosedAnswer) -> str:
        """Why a class cannot be answered at once, and what would make it possible."""
        name, over = plain(self.data.classes[int(self.others.present[closed.label])]), ""
        if math.isfinite(closed.objective):
            more = self._more(closed.objective - self.others.most)
            least = self._amount(closed.objective)
            reason = say(
                "- Answering **{name}** at once: the best such tree has {errors}, {more} more than allowed.",
                name=name,
                errors=least if closed.is_exact else _lower_bound(least),
                more=more,
            )
            over = self._allowed(closed)
        else:
            reason = say(
                "- Answering **{name}** at once: both sides of the question above would answer the same.",
                name=name,
            )
        return reason + (over if closed.instead_of is None else _remedy(plain(self._way(closed.instead_of))))

    def _reason(self, closed: ClosedFeature) -> str:
        over, name = closed.objective - self.others.most, plain(self.data.features[closed.feature].name)
        least = self._amount(closed.objective)
        reason = say(
            "- **{name}**: the best tree with it has {errors}, {more} more than allowed.",
            name=name,
            errors=least if closed.is_exact else _lower_bound(least),
            more=self._more(over),
        )
        if closed.instead_of is not None:
            return reason + _remedy(plain(self._way(closed.instead_of)))
        return reason + self._allowed(closed)

    def _allowed(self, closed: ClosedAnswer | ClosedFeature) -> str:
        """How much more than the best must be allowed, or at least that, where only a bound is known."""
        more = self._more(closed.objective - self.others.best)
        return (
            say(" Allow {slack} more than the best tree has, and it is possible.", slack=more)
            if closed.is_exact
            else say(" For that, at least {slack} more than the best tree has must be allowed.", slack=more)
        )

    def _finished(self) -> None:
        facts = self._amount(self.built.objective), tree_sentences.number_of_splits(self.tree.n_leaves - 1)
        st.success(_completion_note(*facts))
        if st.button(
            say("Show it above"),
            help=say("Shows your tree in place of the optimal one, with its surface, its scores and its exports."),
            key="own show",
            type="primary",
            icon=":material/visibility:",
            disabled=st.session_state["tree"] == OWN,
            on_click=callback(_show),
        ):
            st.rerun(scope="app")  # the tree is drawn outside of this fragment

    def _finish(self) -> None:
        _put(self.built.finished().text)

    def _take(self, path: str, choice: NodeChoice | None) -> None:
        _put(self.built.with_choice(path, choice).text)

    def _feature(self, choice: NodeChoice) -> int:
        assert choice.split is not None
        return self.others.trees.questions.feature[choice.split.place]

    def _column(self, feature: int, choices: list[NodeChoice]) -> str:
        """The label of a column: its name, the trees that it leaves, and the best of them."""
        n_trees, best = sum(choice.n_trees for choice in choices), min(choice.objective for choice in choices)
        return say(
            "{name} · {trees} · best {errors}",
            name=self.data.features[feature].name,
            trees=trees_words(n_trees),
            errors=self._amount(best),
        )

    def _label(self, what: str, choice: NodeChoice) -> str:
        return f"{plain(what)} · {count(choice.n_trees)} · {self._amount(choice.objective)}"

    def _order(self, choice: NodeChoice) -> int:
        """The place of a question among those of its column, by threshold."""
        assert choice.split is not None
        return self.others.trees.questions.order.index(choice.split.place)

    def _question(self, choice: NodeChoice) -> str:
        """A question without the name of its column, which stands above it."""
        assert choice.split is not None
        stump = self.others.built(ColumnSplit(choice.split.place, None, None)).tree
        name = self.data.features[self._feature(choice)].name
        return condition(stump, self.data.features, 0).removeprefix(name).strip()

    def _decision(self, path: str) -> str:
        """What was decided at a node, in words."""
        at = next(i for i, node in enumerate(self.nodes) if node.path == path)
        if isinstance(self.nodes[at].tree, ChosenSplit):
            return condition(self.tree, self.data.features, at)
        return small_tree.answer(self.tree, self.data.target, at)

    def _way(self, path: str) -> str:
        at = next(i for i, node in enumerate(self.nodes) if node.path == path)
        return way_words(self.tree, self.data.features, at, say("root"))

    def _amount(self, objective: float) -> str:
        return optimal_words.amount(objective, self.counted)

    def _more(self, difference: float) -> str:
        return number(round(difference, 6))


def _put(record: str) -> None:
    """Take what was decided (a callback); the page goes back to the optimal tree where one's own was shown."""
    st.session_state[RECORD] = record
    has_undo = address.can_undo(PAGE) and not address.can_redo(PAGE)
    if st.session_state["tree"] == OWN:
        st.session_state["tree"], has_undo = 0, False
    if not has_undo:  # the buttons of the bar change
        whole_page()


def _show() -> None:
    st.session_state["tree"] = OWN


def _completion_note(errors: str, splits: str) -> str:
    """Line about a tree that is finished."""
    return say(":material/check_circle: Your tree is finished: {errors}, {splits}.", errors=errors, splits=splits)


def _remedy(decision: str) -> str:
    """What would make it possible: a decision taken back."""
    return say(" It is possible again without the decision at “{decision}”.", decision=decision)


def _lower_bound(errors: str) -> str:
    """A lower bound of the errors, or the cost."""
    return say("at least {errors}", errors=errors)
