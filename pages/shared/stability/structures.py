"""The histograms of structures side by side, each above the tree of the bar that is clicked in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from espalier.display.tables import to_csv
from espalier.display.theme import count
from espalier.display.tree import small_tree
from espalier.language import say
from espalier.stability import bars, thresholds
from espalier.stability.thresholds import StructureTable
from espalier.trees import depths, prune_to
from pages.shared.app import pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.canvas.curve import bars_canvas
from pages.shared.canvas.data_table import data_table
from pages.shared.jobs import note
from pages.shared.stability import controls, results, runs, slots
from pages.shared.stability.results import LearnerReplicates
from pages.shared.stability.runs import StabilityJob

KEY = "bar"  # in the address: place, repetition, depth and number of the tree, such as "1.0.3.17"
TREE_WIDTH, TREE_HEIGHT = 420, 208  # pixels of the tree below the bars
LARGER = 1.3


def url_entries() -> list[Entry]:
    """The clicked bar, as part of the address."""
    return [Entry(KEY, "", _read, undo=False, stays=True)]


def _read(text: str) -> str:
    if not re.fullmatch(r"[1-3]\.[0-3]\.[1-6]\.\d{1,4}", text):
        raise ValueError(say("four numbers with points between: learner, repetition, depth and tree"))
    return text


def learners(trials: Sequence[StabilityJob], titles: Sequence[str]) -> list[LearnerReplicates]:
    """Learners with their trees so far; those without a tree are left out."""
    there, places = [], sorted({trial.slot for trial in trials})
    for title, place in zip(titles, places, strict=True):
        own = [(trial, trial.so_far) for trial in trials if trial.slot == place and trial.is_possible]
        own = [(trial, replicates) for trial, replicates in own if len(replicates.trees)]
        if own:
            there.append(LearnerReplicates(title, *(tuple(part) for part in zip(*own, strict=True))))
    return there


def draw_problems(trials: Sequence[StabilityJob], places: Sequence[Any]) -> None:
    """Say in a learner's place what is wrong with it, or that it was stopped."""
    for trial in trials:
        if trial.is_possible or not trial.run:
            with places[trial.slot]:
                again = say("Repetition {run}: ", run=trial.run) if trial.run else ""
                note.ended(trial.key, runs.outcome(trial), again + runs.how_stopped(trial))


def draw(trials: Sequence[StabilityJob], titles: Sequence[str]) -> None:
    """Draw each learner's bars, with the progress of its trees, and the tree of its chosen or highest bar."""
    st.caption(
        say(
            "A bar is one structure, as high as its share of {n} trees of redrawn data. Click it to see its tree.",
            n=count(trials[0].plan.n_replicates),
        )
    )
    there = {learner.place: learner for learner in learners(trials, titles)}
    most, waiting = scale(list(there.values())) if there else 1.0, {}
    for trial in trials:
        if runs.is_awaited(trial):
            waiting.setdefault(trial.key, trial)
    columns = st.columns(len(slots.SYMBOLS), gap="small")
    for place, title in zip(sorted({trial.slot for trial in trials}), titles, strict=True):
        with columns[place]:
            lines = [runs.line(trial, title) for trial in waiting.values() if trial.slot == place]
            _draw_learner(place, there.get(place), most, lines)
    if chosen := next((one for one in there.values() if _chosen(one)), None):
        larger = st.expander(say("Beside the most frequent tree"), key="larger", on_change="rerun")
        if larger.open:
            with larger:
                _draw_pair(chosen)


def _draw_learner(place: int, learner: LearnerReplicates | None, most: float, lines: list[note.Line]) -> None:
    with st.container(key=f"bars-{place + 1}"):
        if learner:
            _draw_bars(learner, 0, most)
    with st.container(key=f"structure-{place + 1}"):
        note.draw(lines)
        if learner and not lines:
            _draw_tree(learner)
    if learner and len(learner.trials) > 1:
        for index in range(1, len(learner.trials)):
            _draw_bars(learner, index, most)
        counts = results.structure_counts(learner)
        same, depth = counts.repeats, counts.levels[0][-1].depth
        st.caption(
            bars.repeats_words(same.n_structures[:, -1], same.top_share[:, -1], same.same_top[:, -1], depth)
        )


def _draw_bars(learner: LearnerReplicates, index: int, most: float) -> None:
    """Draw the histogram of a run, below its seed if it is a repetition."""
    trial = learner.trials[index]
    if index:
        st.caption(results.seed_line(trial.plan.seed))
    key = f"bars {learner.place} {trial.run}"
    counts, chosen = results.structure_counts(learner), _chosen(learner)
    selected = ""
    if chosen and chosen[0] == index:
        selected = f"{chosen[1]}.{_bar(learner, *chosen)[1].tree}"
    card = bars.chart_card(counts.charts[index]._replace(most=most), key, selected)
    bars_canvas(card, key=key, on_pick=callback(_picker(learner.place, trial.run)))


def _picker(place: int, run: int) -> Callable[[str], None]:
    """Function that chooses a clicked bar, of a learner and one of its runs."""

    def take(bar: str) -> None:
        st.session_state[KEY] = f"{place + 1}.{run}.{bar}"

    return take


def _chosen(learner: LearnerReplicates) -> tuple[int, int, int] | None:
    """Index of the run, depth, and position of the tree of the chosen bar; None if it is not here."""
    if not (text := st.session_state.get(KEY, "")):
        return None
    place, run, depth, number = map(int, text.split("."))
    there = [trial.run for trial in learner.trials]
    if place - 1 != learner.place or run not in there:
        return None
    index = there.index(run)
    at = np.flatnonzero(learner.runs[index].numbers == number)
    n_levels = len(results.structure_counts(learner).levels[0])
    return (index, depth, int(at[0])) if len(at) and depth <= n_levels else None


def _bar(learner: LearnerReplicates, index: int, depth: int, at: int) -> tuple[int, bars.Bar]:
    """Rank of the bar of a tree among those of its depth, from 0 on; and the bar."""
    counts = results.structure_counts(learner)
    label = int(counts.labels[index][depth - 1, at])
    return label, counts.charts[index].columns[depth - 1][label]


def _draw_tree(learner: LearnerReplicates) -> None:
    """Draw the tree of the chosen bar, or of the most frequent structure, under how many trees are like it."""
    chosen, counts = _chosen(learner), results.structure_counts(learner)
    index, depth, at = chosen or (0, len(counts.levels[0]), int(counts.levels[0][-1].first[0]))
    rank, bar = _bar(learner, index, depth, at)
    tree = _upper(learner.runs[index].trees[at], depth)
    with st.container(horizontal=True, vertical_alignment="center", key=f"structure-line-{learner.place + 1}"):
        column, n = counts.charts[index].columns[depth - 1], counts.charts[index].n_trees
        text = say(
            ":small[{rank}: **{n}** of {n_trees} trees]", rank=rank_words(rank, column), n=bar.n_trees, n_trees=n
        )
        st.markdown(text, width="stretch", help=(bar.differs and plain(bar.differs)) or None)
        if chosen:
            st.button(
                say("Close"), icon=":material/close:", key=f"close-{learner.place + 1}", type="tertiary",
                on_click=callback(_close),
            )  # fmt: skip
    data, line = learner.dataset, min(float(small_tree.LINE), TREE_HEIGHT / tree.n_leaves)
    picture = small_tree.tree_picture(tree, data.features, data.target, size=(TREE_WIDTH, line))
    pictures.thumbnail(picture, TREE_WIDTH)


def rank_words(rank: int, column: Sequence[bars.Bar]) -> str:
    """The place of a structure among those of its depth; of several that are most frequent it says so."""
    ties = sum(bar.n_trees == column[0].n_trees for bar in column)
    if rank < ties > 1:
        return say("One of {n} most frequent", n=ties)
    if rank == 0:
        return say("Most frequent")
    return say("Structure {rank} of {n}", rank=rank + 1, n=len(column))


def _draw_pair(learner: LearnerReplicates) -> None:
    """Draw the chosen tree beside the most frequent one, larger, with their first difference."""
    index, depth, at = _chosen(learner) or (0, 1, 0)
    tree = learner.runs[index].trees[at]
    first = learner.runs[0].trees[int(results.structure_counts(learner).levels[0][depth - 1].first[0])]
    st.markdown(
        say("Tree {number}, {levels}.", number=int(learner.runs[index].numbers[at]) + 1, levels=bars.upper(depth))
        + f" {plain(results.difference_words(learner, tree, first, depth))}"
    )
    titles = (say("**This one**"), say("**The most frequent one**"))
    for column, title, one in zip(st.columns(2, gap="medium"), titles, (tree, first), strict=True):
        with column:
            st.markdown(title)
            upper, data = _upper(one, depth), learner.dataset
            picture = small_tree.tree_picture(upper, data.features, data.target)
            pictures.draw(picture, int(LARGER * small_tree.width_of(upper)))


def _upper(tree: Any, depth: int) -> Any:
    """The questions above this depth, which are compared."""
    return prune_to(tree, depths(tree) < depth) if tree.depth > depth else tree


def _close() -> None:
    st.session_state[KEY] = ""


# ---- in numbers, and for the report


def draw_numbers(there: Sequence[LearnerReplicates]) -> None:
    """Draw the fold of all levels in numbers, with what can be saved of the bars."""
    fold = st.expander(say("In numbers"), key="numbers", on_change="rerun")
    if not fold.open:
        return
    with fold:
        alt = say("Structures by learner and level")
        data_table(thresholds.level_table(structure_tables(there)), hide_index=True, alt=alt, key="levels")
        st.caption(
            say(
                "*95 % interval*: of the share, by Wilson. *Entropy*: one bit for two equally frequent structures."
                " *Chance of a new one*: share of the trees whose structure came out once only."
            )
        )
        st.caption(caption(there[0].trials[0]))
        with st.container(horizontal=True):
            for learner in there:
                _save_picture(learner, scale(there))
            pictures.save(lambda: to_csv(thresholds.structure_table(structure_tables(there))), "structures.csv")


def _save_picture(learner: LearnerReplicates, most: float) -> None:
    chart = results.structure_counts(learner).charts[0]._replace(most=most)
    picture = bars.chart_picture(chart, results.picture_title(learner.title, chart.n_trees))
    name = f"structures-{learner.place + 1}.svg"
    st.download_button(
        say("SVG {symbol}", symbol=slots.SYMBOLS[learner.place]), picture.draw(False), name,
        pictures.MIMES["svg"], on_click="ignore", type="tertiary", icon=":material/download:", key=f"save {name}",
    )  # fmt: skip


def scale(there: Sequence[LearnerReplicates]) -> float:
    """The share at the top of all histograms."""
    return bars.scale_charts([chart for learner in there for chart in results.structure_counts(learner).charts])[
        0
    ].most


def structure_tables(there: Sequence[LearnerReplicates]) -> list[StructureTable]:
    """The structures of all learners, for tables."""
    return [
        StructureTable(learner.title, trial.run + 1, chart, levels)
        for learner in there
        for counts in [results.structure_counts(learner)]
        for trial, chart, levels in zip(learner.trials, counts.charts, counts.levels, strict=True)
    ]


def caption(trial: StabilityJob) -> str:
    """When two trees are alike, and what the histograms stand on."""
    return say(
        "*When two trees are alike:* {same} *Draws:* {draws} Intervals say what more draws would change, not what "
        "another table would.",
        same=controls.equality_words(trial.dataset),
        draws=draws_words(trial),
    )


def draws_words(trial: StabilityJob) -> str:
    """A sentence on the trees behind each histogram."""
    n_runs = controls.n_runs()
    return say(
        "each histogram stands on {n_trees} trees ({kind}) of one table of {n_rows} rows{again}.",
        n_trees=count(trial.plan.n_replicates),
        kind=say(controls.KIND_OF[trial.plan.redraw.kind].title),
        n_rows=count(len(trial.dataset.y)),
        again=say(", {n_runs} times over", n_runs=n_runs) if n_runs > 1 else "",
    )
