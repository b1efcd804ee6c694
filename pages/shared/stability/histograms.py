"""The histograms side by side, while trees arrive and afterwards; repetitions, and what can be saved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from espalier.display.tables import to_csv
from espalier.display.theme import count, number
from espalier.language import say
from espalier.stability import bars, thresholds
from espalier.stability.thresholds import StructureTable
from pages.shared.app import pictures
from pages.shared.app.frame import callback, is_dark, plain
from pages.shared.canvas.bars import bars_canvas
from pages.shared.canvas.data_table import data_table
from pages.shared.jobs import note
from pages.shared.stability import chosen_tree, controls, results, runs, slots
from pages.shared.stability.results import LearnerReplicates
from pages.shared.stability.runs import StabilityJob


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
    """Draw the progress, and the histogram of every learner with trees."""
    places = sorted({trial.slot for trial in trials})
    note.draw(runs.lines(trials, dict(zip(places, titles, strict=True))))
    there = learners(trials, titles)
    if not there:
        st.caption(say("The first bars come with the first trees."))
        return
    columns = dict(zip(places, st.columns(len(places), gap="medium"), strict=True))
    most = scale(there)
    for learner in there:
        with columns[learner.place]:
            _panel(learner, most)
    st.caption(caption(trials[0]))
    _repeat(there)
    if not any(runs.is_awaited(trial) for trial in trials):
        for learner in there:
            with columns[learner.place]:
                _spread(learner, results.best_axes(there))
        _numbers(there)
    chosen_tree.draw(there)


def scale(there: Sequence[LearnerReplicates]) -> float:
    """The share at the top of all histograms."""
    return bars.scale_charts([chart for learner in there for chart in results.structure_counts(learner).charts])[
        0
    ].most


def _panel(learner: LearnerReplicates, most: float) -> None:
    """Draw a learner's histogram; below it those of the repetitions."""
    counts = results.structure_counts(learner)
    st.markdown(results.learner_heading(slots.SYMBOLS[learner.place], plain(learner.title)))
    for chart, levels, trial in zip(counts.charts, counts.levels, learner.trials, strict=True):
        if len(learner.trials) > 1:
            st.caption(results.seed_line(trial.plan.seed))
        key = f"bars {learner.place} {trial.run}"
        selected = chosen_tree.selected_bar(learner, trial.run)
        card = bars.chart_card(chart._replace(most=most), key, selected, is_dark())
        bars_canvas(card, key=key, on_pick=callback(chosen_tree.picker(learner.place, trial.run)))
        st.markdown(say(":small[{text}]", text=bars.summary(levels[-1])))
    if len(counts.charts) == 1:
        st.caption(bars.confidence(counts.levels[0][-1], counts.charts[0].n_trees))
    else:
        one = counts.repeats
        depth = counts.levels[0][-1].depth
        st.caption(bars.repeats_words(one.n_structures[:, -1], one.top_share[:, -1], one.same_top[:, -1], depth))


def _spread(learner: LearnerReplicates, axes: Sequence[int]) -> None:
    """Say how much the answers vary: trees that ask otherwise may still say the same."""
    variance = float(np.mean(results.spread(learner, tuple(axes[:2])).variance))
    st.markdown(_spread_sentence(variance**0.5, learner.dataset.is_classification))


def caption(trial: StabilityJob) -> str:
    """Caption of the histograms."""
    return say(
        "Each group of bars compares the trees down to one level, from the root on. A bar is a structure "
        "(*kinds* counts them), and its height the share of trees that have it; the deep-coloured bar is the "
        "most frequent one. *When two trees are alike:* {same} *Draws:* {draws} Intervals say what more draws "
        "would change, not what another table would.",
        same=controls.equality_words(trial.dataset),
        draws=draws_words(trial),
    )


def draws_words(trial: StabilityJob) -> str:
    """A sentence on the trees behind each histogram."""
    kind, n_rows = say(controls.KIND_OF[trial.plan.redraw.kind].title), len(trial.dataset.y)
    return _draws_sentence(trial.plan.n_replicates, kind, n_rows, controls.n_runs())


def _repeat(there: Sequence[LearnerReplicates]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="repeat"):
        again = st.session_state["again"]
        is_asked = st.button(
            say("Repeat with other draws"), icon=":material/casino:", on_click=callback(_set_repeats),
            args=(again + 1,), disabled=again >= controls.MOST_REPEATS,
            help=say("One set of draws can be lucky: the same again with another seed, shown below the " "first"),
        )  # fmt: skip
        if again:
            is_asked |= st.button(
                say("Only the first draws"), on_click=callback(_set_repeats), args=(0,), type="tertiary"
            )
        if is_asked:
            st.rerun(scope="app")  # the histograms are a fragment, and the trees are grown outside of it
        for learner in there:
            _save_picture(learner, scale(there))
        pictures.save(lambda: to_csv(thresholds.structure_table(structure_tables(there))), "structures.csv")


def _set_repeats(n: int) -> None:
    st.session_state["again"] = n


def _save_picture(learner: LearnerReplicates, most: float) -> None:
    chart = results.structure_counts(learner).charts[0]._replace(most=most)
    picture = bars.chart_picture(chart, results.picture_title(learner.title, chart.n_trees))
    name = f"structures-{learner.place + 1}.svg"
    st.download_button(
        say("SVG {symbol}", symbol=slots.SYMBOLS[learner.place]),
        picture.draw(False),
        name,
        pictures.MIMES["svg"],
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
        key=f"save {name}",
    )


def structure_tables(there: Sequence[LearnerReplicates]) -> list[StructureTable]:
    """The structures of all learners, for tables."""
    return [
        StructureTable(learner.title, trial.run + 1, chart, levels)
        for learner in there
        for counts in [results.structure_counts(learner)]
        for trial, chart, levels in zip(learner.trials, counts.charts, counts.levels, strict=True)
    ]


def _numbers(there: Sequence[LearnerReplicates]) -> None:
    with st.expander(say("All levels in numbers")):
        table = thresholds.level_table(structure_tables(there))
        data_table(table, hide_index=True, alt=say("Structures by learner and level"), key="structures table")
        st.caption(
            say(
                "*95 % interval*: of the share, by Wilson. *Entropy*: 0 for one structure, one bit "
                "for two equally frequent ones. *Chance of a new one*: share of the trees whose "
                "structure came out once only."
            )
        )


def _draws_sentence(n_trees: int, kind: str, n_rows: int, n_runs: int) -> str:
    """The draws in words; `kind` is their title."""
    again = say(", {n_runs} times over", n_runs=n_runs) if n_runs > 1 else ""
    return say(
        "each histogram stands on {n_trees} trees ({kind}) of one table of {n_rows} rows{again}.",
        n_trees=count(n_trees),
        kind=kind,
        n_rows=count(n_rows),
        again=again,
    )


def _spread_sentence(deviation: float, is_classification: bool) -> str:
    """How much the answers of redrawn trees vary, below the bars of their structures, in Markdown."""
    of = say("shares") if is_classification else say("answers")
    return say(
        ":small[Standard deviation of the {of} over the trees: **{deviation}**]",
        of=of,
        deviation=number(deviation),
    )
