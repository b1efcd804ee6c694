"""The histograms of structures side by side, each above the tree of the bar that is clicked in it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.boundaries import plane
from espalier.display.parts import Picture
from espalier.display.theme import count
from espalier.display.tree import small_tree
from espalier.language import say
from espalier.stability import bars
from espalier.stability.bars import Bar, Chart
from espalier.stability.replicates import Replicates
from espalier.stability.splits import difference
from espalier.stability.structures import EQUALITIES, StructureLevel, levels, structures_of
from espalier.stability.thresholds import level_table
from espalier.trees import AnyTree, depths, prune_to
from pages.shared.app import pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import assign, callback, plain
from pages.shared.app.store import of_table
from pages.shared.canvas.components import bars_canvas, data_table
from pages.shared.jobs import note
from pages.shared.stability import controls
from pages.shared.stability.controls import SYMBOLS
from pages.shared.stability.runs import StabilityJob

KEY = "bar"  # in the address: place, 0, depth and number of the tree, such as "1.0.3.17"
TREE_WIDTH, TREE_HEIGHT = 420, 208  # pixels of the tree below the bars


class LearnerReplicates(NamedTuple):
    """A learner with its replicates."""

    title: str
    trial: StabilityJob
    run: Replicates

    @property
    def place(self) -> int:
        """Number of its place among those side by side."""
        return self.trial.slot

    @property
    def dataset(self) -> Dataset:
        """The data that are drawn again."""
        return self.trial.dataset

    @property
    def trees(self) -> tuple[AnyTree, ...]:
        """All trees."""
        return self.run.trees

    @property
    def key(self) -> str:
        """Key of the trees: those of one family with the same numbers are the same."""
        numbers = hashlib.blake2b(self.run.numbers.tobytes(), digest_size=8).hexdigest()
        return f"{self.trial.family} {numbers}"


# A learner's histogram, the counts at each depth, and (n_depths, n_trees) the bar of each tree in its column.
StructureCounts = tuple[Chart, tuple[StructureLevel, ...], np.ndarray]


def learners(trials: Sequence[StabilityJob], titles: Sequence[str]) -> list[LearnerReplicates]:
    """Learners with their trees so far; those without a tree are left out."""
    there = [LearnerReplicates(title, trial, trial.so_far) for trial, title in zip(trials, titles, strict=True)]
    return [learner for learner in there if learner.trees and not learner.trial.outcome.wrong]


def structure_counts(learner: LearnerReplicates) -> StructureCounts:
    """The structures, under the equality and down to the depth that are set."""
    depth = controls.CONTROLS["down"].value
    if learner.trial.is_awaited:  # other trees come at any time: nothing to remember
        return _structure_counts(learner, depth)
    return _settled_counts(learner.key, (depth, *controls.equality_key()), learner)


@of_table(max_entries=64)
def _settled_counts(key: str, ask: tuple[Any, ...], _learner: LearnerReplicates) -> StructureCounts:
    return _structure_counts(_learner, ask[0])


def _structure_counts(learner: LearnerReplicates, depth: int) -> StructureCounts:
    data, trees, equality = learner.dataset, learner.trees, controls.equality(learner.dataset)
    depth = min(depth, max(1, *(tree.depth for tree in trees)))  # no levels that no tree has
    same = structures_of(trees, depth, equality, data.X[plane.drawn_rows(len(data.y))])
    histogram, is_settled, columns = levels(same), not learner.trial.is_awaited, []
    for level in histogram:
        model, some, column = trees[level.first[0]], bars.n_shown_bars(level.n_structures, len(histogram)), []
        for i, (n, first) in enumerate(zip(level.counts.tolist(), level.first.tolist(), strict=True)):
            text = ""
            if 0 < i < some and is_settled:
                apart = difference(trees[first], model, level.depth, equality)
                text = bars.differs(trees[first], model, apart, data.features)
            column.append(Bar(n, int(learner.run.numbers[first]), i == 0, text))
        columns.append(tuple(column))
    return Chart(len(trees), tuple(columns)), histogram, same.label


def panels(there: Iterable[LearnerReplicates]) -> Iterator[LearnerReplicates]:
    """Each learner, within its column and below its heading."""
    columns = st.columns(len(SYMBOLS), gap="small")
    for learner in there:
        with columns[learner.place]:
            st.markdown(f"**{SYMBOLS[learner.place]} {plain(learner.title)}**")
            yield learner


# ---- the bars, and the tree below them


def url_entries() -> list[Entry]:
    """The clicked bar, as part of the address."""
    return [Entry(KEY, "", _read, undo=False, stays=True)]


def _read(text: str) -> str:
    if not re.fullmatch(r"[1-3]\.[0-3]\.[1-6]\.\d{1,4}", text):
        raise ValueError(say("four numbers with points between: learner, 0, depth and tree"))
    return text


def draw_problems(trials: Sequence[StabilityJob], places: Sequence[Any]) -> None:
    """Say in a learner's place what is wrong with it, or that it was stopped."""
    for trial in trials:
        with places[trial.slot]:
            note.ended(trial.key, trial.outcome, trial.how_stopped())


def draw(trials: Sequence[StabilityJob], titles: Sequence[str]) -> None:
    """Draw each learner's bars, with the progress of its trees, and the tree of its chosen or highest bar."""
    st.caption(
        say(
            "A bar is one structure, as high as its share of {n} trees of redrawn data. Click it to see its tree.",
            n=count(trials[0].plan.n_replicates),
        )
    )
    there = {learner.place: learner for learner in learners(trials, titles)}
    most, columns = scale(there.values()), st.columns(len(SYMBOLS), gap="small")
    waiting = {trial.key: trial for trial in reversed(trials) if trial.is_awaited}  # of two alike the first
    for trial, title in zip(trials, titles, strict=True):
        lines, learner = [trial.line(title)] if waiting.get(trial.key) is trial else [], there.get(trial.slot)
        with columns[trial.slot]:
            with st.container(key=f"bars-{trial.slot + 1}"):
                if learner:
                    _draw_bars(learner, most)
            with st.container(key=f"structure-{trial.slot + 1}"):
                note.draw(lines)
                if learner and not lines:
                    _draw_tree(learner)


def scale(there: Iterable[LearnerReplicates]) -> float:
    """The share at the top of all histograms."""
    charts = bars.scale_charts([structure_counts(learner)[0] for learner in there])
    return charts[0].most if charts else 1.0


def _draw_bars(learner: LearnerReplicates, most: float) -> None:
    key, (chart, _, label), click = f"bars {learner.place} 0", structure_counts(learner), _click(learner)
    bar_of_click = ""
    if click:
        depth, at = click
        bar_of_click = f"{depth}.{chart.columns[depth - 1][label[depth - 1, at]].tree}"
    card = bars.chart_card(chart._replace(most=most), key, bar_of_click)
    bars_canvas(card, key=key, on_pick=callback(_picker(learner.place)))


def _picker(place: int) -> Callable[[str], None]:
    """Function that chooses a clicked bar of a learner."""

    def take(bar: str) -> None:
        st.session_state[KEY] = f"{place + 1}.0.{bar}"

    return take


def _click(learner: LearnerReplicates) -> tuple[int, int] | None:
    """Depth, and position of the tree of the chosen bar; None if it is not here."""
    if not (text := st.session_state.get(KEY, "")):
        return None
    place, run, depth, number = map(int, text.split("."))
    at = np.flatnonzero(learner.run.numbers == number)
    _, counts, _ = structure_counts(learner)
    is_here = place - 1 == learner.place and not run and depth <= len(counts)
    return (depth, int(at[0])) if is_here and len(at) else None


def _draw_tree(learner: LearnerReplicates) -> None:
    """Draw the tree of the chosen bar, or of the most frequent structure, under how many trees are like it."""
    click, (chart, counts, label) = _click(learner), structure_counts(learner)
    depth, at = click or (len(counts), int(counts[-1].first[0]))
    rank, column = int(label[depth - 1, at]), chart.columns[depth - 1]
    bar = column[rank]
    tree: Any = learner.trees[at]
    with st.container(horizontal=True, vertical_alignment="center", key=f"structure-line-{learner.place + 1}"):
        rank_text, n = rank_words(rank, column), chart.n_trees
        text = say(":small[{rank}: **{n}** of {n_trees} trees]", rank=rank_text, n=bar.n_trees, n_trees=n)
        st.markdown(text, width="stretch", help=(bar.differs and plain(bar.differs)) or None)
        if click:
            st.button(
                say("Close"), icon=":material/close:", key=f"close-{learner.place + 1}", type="tertiary",
                on_click=callback(assign), args=(KEY, ""),
            )  # fmt: skip
    upper = prune_to(tree, depths(tree) < depth) if tree.depth > depth else tree  # what is compared
    data, line = learner.dataset, min(float(small_tree.LINE), TREE_HEIGHT / upper.n_leaves)
    picture = small_tree.tree_picture(upper, data.features, data.target, size=(TREE_WIDTH, line))
    pictures.thumbnail(picture, TREE_WIDTH)


def rank_words(rank: int, column: Sequence[Bar]) -> str:
    """The place of a structure among those of its depth; of several that are most frequent it says so."""
    ties = sum(bar.n_trees == column[0].n_trees for bar in column)
    if rank < ties > 1:
        return say("One of {n} most frequent", n=ties)
    if rank == 0:
        return say("Most frequent")
    return say("Structure {rank} of {n}", rank=rank + 1, n=len(column))


# ---- in numbers, and for the report


def draw_numbers(there: Sequence[LearnerReplicates]) -> None:
    """Draw all levels in numbers, and what saves each learner's bars."""
    table, alt = structure_table(there), say("Structures by learner and level")
    data_table(table, hide_index=True, alt=alt, key="levels")
    st.caption(
        caption(there[0].trial),
        help=say(
            "*Entropy*: one bit for two equally frequent structures. *Chance of a new one*: share of the trees "
            "whose structure came out once only."
        ),
    )
    most = scale(there)
    for learner in panels(there):
        pictures.save(chart_picture(learner, most).draw(False), f"structures-{learner.place + 1}.svg")


def chart_picture(learner: LearnerReplicates, most: float) -> Picture:
    """The histogram under its title, for paper and for a file."""
    chart, *_ = structure_counts(learner)
    title = say("{title}, {n_trees} trees", title=learner.title, n_trees=chart.n_trees)
    return bars.chart_picture(chart._replace(most=most), title)


def structure_table(there: Sequence[LearnerReplicates]) -> Any:
    """The structures of all learners at every level."""
    counts = [structure_counts(learner) for learner in there]
    return level_table(
        [(one.title, chart.n_trees, each) for one, (chart, each, _) in zip(there, counts, strict=True)]
    )


def caption(trial: StabilityJob) -> str:
    """When two trees are alike, and what the histograms stand on."""
    same = {name: text for name, _, text in EQUALITIES}[st.session_state["same"]]
    return say("*Alike:* {same} *Draws:* {draws}", same=say(same), draws=draws_words(trial))


def draws_words(trial: StabilityJob) -> str:
    """The trees behind each histogram."""
    plan = trial.plan
    return say(
        "{n_trees} trees ({kind}, seed {seed}) of one table of {n_rows} rows.",
        n_trees=count(plan.n_replicates),
        kind=say(controls.KIND_OF[plan.redraw.kind].title),
        seed=plan.seed,
        n_rows=count(len(trial.dataset.y)),
    )
