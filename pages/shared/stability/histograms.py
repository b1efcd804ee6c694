"""The histograms side by side, while trees arrive and afterwards; repetitions, and what can be saved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from espalier.views.spreadsheet import to_csv
from espalier.views.stability import bars, tables
from espalier.views.stability import words as stability_words
from espalier.views.stability.tables import StructureTable as Written
from pages.shared.app import pictures
from pages.shared.app.frame import callback, is_dark, plain
from pages.shared.canvas.bars import bars_canvas
from pages.shared.jobs import note
from pages.shared.stability import chosen_tree, controls, results, runs, slots
from pages.shared.stability.results import LearnerReplicates
from pages.shared.stability.runs import StabilityJob


def learners(trials: Sequence[StabilityJob], titles: Sequence[str]) -> list[LearnerReplicates]:
    """The learners that there are trees of, with these trees."""
    found, places = [], sorted({trial.slot for trial in trials})
    for title, place in zip(titles, places, strict=True):
        own = [(trial, trial.found) for trial in trials if trial.slot == place and trial.is_possible]
        own = [(trial, replicates) for trial, replicates in own if len(replicates.trees)]
        if own:
            found.append(LearnerReplicates(title, *(tuple(part) for part in zip(*own, strict=True))))
    return found


def draw_problems(trials: Sequence[StabilityJob], places: Sequence[Any]) -> None:
    """In each place what is wrong with its learner, or that it was stopped."""
    for trial in trials:
        if trial.is_possible or not trial.run:
            with places[trial.slot]:
                again = f"Repetition {trial.run}: " if trial.run else ""
                note.ended(trial.key, runs.outcome(trial), again + runs.how_stopped(trial))


def draw(trials: Sequence[StabilityJob], titles: Sequence[str]) -> None:
    """Progress of what is at work, and the histogram of every learner that there are trees of."""
    places = sorted({trial.slot for trial in trials})
    note.draw(runs.lines(trials, dict(zip(places, titles, strict=True))))
    found = learners(trials, titles)
    if not found:
        st.caption("The first bars come with the first trees.")
        return
    columns = dict(zip(places, st.columns(len(places), gap="medium"), strict=True))
    most = _scale(found)
    for learner in found:
        with columns[learner.place]:
            _panel(learner, most)
    st.caption(_explained(trials[0]))
    _repeat(found)
    if not any(runs.is_awaited(trial) for trial in trials):
        _numbers(found)
    chosen_tree.draw(found)


def _scale(found: Sequence[LearnerReplicates]) -> float:
    """The share at the top of all histograms."""
    return bars.scaled([chart for learner in found for chart in results.structure_counts(learner).charts])[0].most


def _panel(learner: LearnerReplicates, most: float) -> None:
    """A learner's histogram; below it those of the repetitions."""
    told = results.structure_counts(learner)
    symbol = slots.SYMBOLS[learner.place]
    st.markdown(f"**{symbol} {plain(learner.title)}**")
    for chart, levels, trial in zip(told.charts, told.levels, learner.trials, strict=True):
        if len(learner.trials) > 1:
            st.caption(f"Draws of seed {trial.plan.seed}")
        key = f"bars {learner.place} {trial.run}"
        selected = chosen_tree.selected_bar(learner, trial.run)
        card = bars.card(chart._replace(most=most), key, selected, is_dark())
        bars_canvas(card, key=key, on_pick=callback(chosen_tree.picker(learner.place, trial.run)))
        st.markdown(f":small[{stability_words.summary(levels[-1])}]")
    if len(told.charts) == 1:
        st.caption(stability_words.confidence(told.levels[0][-1], told.charts[0].n_trees))
    else:
        one = told.repeats
        depth = told.levels[0][-1].depth
        st.caption(
            stability_words.repeated(one.n_structures[:, -1], one.top_share[:, -1], one.same_top[:, -1], depth)
        )


def _explained(trial: StabilityJob) -> str:
    """What is drawn, and what it stands on."""
    kind = controls.KIND_OF[trial.plan.redraw.kind]
    n, times = trial.plan.n_replicates, controls.n_runs()
    again = f", {times} times over" if times > 1 else ""
    return (
        "A column compares so many levels of questions, from the root on; a bar is a structure (below: how "
        "many), its height the share of trees that have it; the deep-coloured one is the most frequent. *When two "
        f"trees are alike:* {controls.explained(trial.dataset)} *Draws:* "
        f"each histogram stands on {n:,} trees ({kind.title.lower()}) of one table of {len(trial.dataset.y):,} "
        f"rows{again}. Intervals say what more draws would change, not what another table would."
    )


def _repeat(found: Sequence[LearnerReplicates]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="repeat"):
        again = st.session_state["again"]
        is_asked = st.button(
            "Repeat with other draws", icon=":material/casino:", on_click=callback(_set_repeats),
            args=(again + 1,), disabled=again >= controls.MOST_REPEATS,
            help="One set of draws can be lucky: the same again with another seed, shown below the first",
        )  # fmt: skip
        if again:
            is_asked |= st.button(
                "Only the first draws", on_click=callback(_set_repeats), args=(0,), type="tertiary"
            )
        if is_asked:
            st.rerun(scope="app")  # the histograms are a fragment, and the trees are grown outside of it
        for learner in found:
            _save_picture(learner, _scale(found))
        pictures.save(lambda: to_csv(tables.by_structure(written(found))), "structures.csv")


def _set_repeats(n: int) -> None:
    st.session_state["again"] = n


def _save_picture(learner: LearnerReplicates, most: float) -> None:
    chart = results.structure_counts(learner).charts[0]._replace(most=most)
    svg = bars.picture(chart, f"{learner.title}, {chart.n_trees} trees", False)
    name = f"structures-{learner.place + 1}.svg"
    st.download_button(
        f"SVG {slots.SYMBOLS[learner.place]}", svg, name, pictures.MIMES["svg"], on_click="ignore",
        type="tertiary", icon=":material/download:", key=f"save {name}",
    )  # fmt: skip


def written(found: Sequence[LearnerReplicates]) -> list[Written]:
    """The structures of all learners, for tables."""
    return [
        Written(learner.title, trial.run + 1, chart, levels)
        for learner in found
        for told in [results.structure_counts(learner)]
        for trial, chart, levels in zip(learner.trials, told.charts, told.levels, strict=True)
    ]


def _numbers(found: Sequence[LearnerReplicates]) -> None:
    with st.expander("All levels in numbers"):
        table = tables.by_depth(written(found))
        st.dataframe(table, hide_index=True, alt="Structures by learner and level", key="structures table")
        st.caption(
            "*95 % interval*: of the share, by Wilson. *Entropy*: 0 for one structure, one bit for two equally "
            "frequent ones. *Chance of a new one*: share of the trees whose structure came out once only."
        )
