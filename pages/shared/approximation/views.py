"""The tree that stands in for a black box, as people see it: how near it is, its nodes, surfaces and curves."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from espalier.approximation import fidelity, words
from espalier.approximation import pictures as fidelity_pictures
from espalier.approximation.stand_in import MOST_LEARNT, Approximated
from espalier.comparison.class_rates import blind_words
from espalier.display.parts import Picture
from espalier.display.text import trees
from espalier.display.text.trees import answer_share, class_answer
from espalier.display.theme import count, number, percent
from espalier.forests import surfaces
from espalier.language import say
from espalier.learners.catalogue.settings import DEEPEST_APPROXIMATION
from espalier.trees import LEAF, subtree_end
from pages.shared.app import pictures
from pages.shared.app.frame import assign, callback, drawer, is_dark, plain
from pages.shared.approximation import controls, results
from pages.shared.approximation.controls import BOX, OWN
from pages.shared.canvas.components import Selected, data_table, node_line, tree_canvas
from pages.shared.forests import sentences
from pages.shared.own_models import orders
from pages.shared.tree import explorer, selection
from pages.shared.tree import results as tree_results

KEY, CHANNEL = "approximation-tree", "approximation"
HEIGHT = 470


def draw_heading(one: Approximated) -> None:
    """Draw how well the tree stands in, in a line, and below what is to be known of the model."""
    data, box = one.dataset, one.model.value(BOX)
    text = f"{alike(one)} {words.sureness(results.split_facts(one))}"
    truth = results.truth(one)
    if box == OWN and truth is not None:
        text += f" {words.known_rows(truth.model, truth.tree, data.is_classification)}"
    if box in MOST_LEARNT and one.n_learnt < int((~one.held).sum()):
        name, n = controls.title(one.model), count(one.n_learnt)
        text += " " + say("{box} learned from {n} of the rows.", box=name, n=n)
    st.markdown(text)
    if slowness := results.slowness(one):
        st.caption(f":material/hourglass: {slowness}")
    orders.note(one.arranged, data)
    if (both := results.rates_of(one)) and (blind := blind_words(both, data.target, plain)):
        st.markdown(f":material/warning: {blind}")


def alike(one: Approximated) -> str:
    """A sentence on how well the tree stands in."""
    agreement, n = results.overall(one).agreement, one.tree.n_leaves
    share = "–" if agreement != agreement else percent(max(agreement, 0.0))  # without any variation there is no R²
    leaves, who = say("{n} leaf" if n == 1 else "{n} leaves", n=n), plain(controls.in_sentence(one.model))
    return say(
        "With {leaves} the tree agrees with {who} **{share}** of the time."
        if one.dataset.is_classification
        else "With {leaves} the tree explains **{share}** of the variation in the answers of {who}.",
        leaves=leaves,
        who=who,
        share=share,
    )


def metrics_of(one: Approximated) -> dict[str, str]:
    """How near both are on fresh made-up cases, and their scores on rows held out, by label."""
    overall, truth, is_share = results.overall(one), results.truth(one), one.dataset.is_classification
    agreement, gap = say("R² to the model"), say("difference")
    if is_share:
        agreement, gap = say("agrees with the model"), say("average gap")
    metrics = {agreement: _written(overall.agreement, is_share), gap: number(overall.distance)}
    if truth is not None and one.model.value(BOX) != OWN:  # which may have learned from these rows
        score = say("accuracy") if is_share else "R²"
        names = {say("model"): truth.model, say("tree"): truth.tree, say("baseline"): truth.baseline}
        metrics |= {f"{score}, {name}": _written(value, is_share) for name, value in names.items()}
    return metrics


def _written(value: float, is_share: bool) -> str:
    return percent(value) if is_share and value == value else number(round(value, 3))


# ---- the tree, and how sure the split of the node that is selected is


def draw_tree(one: Approximated) -> None:
    """Draw the tree to click, and beside it the numbers of both and the test at the selected node."""
    grown, unsure = results.as_grown(one), words.unsure_splits(results.split_facts(one))
    drawn, value = tree_results.cards(grown), one.tree.value
    if one.dataset.is_classification:  # shares are the model's, of made-up cases, and not said of rows
        nodes = [card | {"percent": answer_share(value[card["id"]], None)} for card in drawn["nodes"]]
        drawn = drawn | {"nodes": nodes}
    drawn = fidelity_pictures.mark_unsure(drawn, unsure)
    left, right = st.columns([2, 1], gap="medium")
    with left:
        tree_canvas(
            drawn, key=KEY, channel=CHANNEL, height=HEIGHT,
            on_select=callback(lambda node: selection.select_node(node or 0)),
        )  # fmt: skip
        metrics = [*metrics_of(one).items()]
        scores = pd.DataFrame(
            {label: [value] for label, value in metrics[2:] or metrics}
        )  # a line above is on these
        st.table(scores, border="horizontal", hide_index=True, alt=say("How good both are"))
    with right:
        _draw_line(one, drawn["id"])
        _draw_test(one, st.session_state["node"])


def _draw_line(one: Approximated, tree_id: str) -> None:
    """Draw the selected node: its answer, its size, and its rule."""
    node, tree, data = st.session_state["node"], one.tree, one.dataset
    n = int(tree.n_samples[node])
    size = trees.rows_and_share(n, n / int(tree.n_samples[0]))
    # Its shares are the model's, of made-up cases, and not of the rows.
    answer = class_answer(data.target, tree.value[node], None) if data.is_classification else ""
    line = trees.node_parts(tree, data.target, node, size, answer)
    conditions = trees.rule(tree, data.features, node, tree_results.missing(results.as_grown(one).dataset))
    rule = trees.rule_line(conditions) if node else say("Click a node for its test.")
    with st.container(horizontal=True, vertical_alignment="center", wrap=False, key="node bar"):
        selected = Selected(tree_id, node, subtree_end(tree, node), None)
        node_line(line, rule, selected, channel=CHANNEL, canvases=(KEY,))
        if node:
            st.button(say("Clear selection"), on_click=callback(selection.select_node), args=(0,), type="tertiary")


def _draw_test(one: Approximated, node: int) -> None:
    """Draw the verdict on the split of a node, and the runners-up."""
    facts = results.split_facts(one)
    verdict = words.verdict(facts, node, plain)
    if one.tree.feature[node] == LEAF:
        st.markdown(verdict)
        return
    table = words.runners_table(facts, node)
    st.markdown(
        verdict,
        help=say(
            "✓ is what the tree asks. *Gain*: by how much a split lowers the impurity. *Chance*: how likely other "
            "made-up cases would put it first (Zhou & Hooker 2016, equation 4)."
        ),
    )
    runners = facts.considered.runners
    listed = runners.feature[runners.start[node] : runners.start[node + 1]].tolist()
    is_short = not any(one.dataset.features[feature].categories for feature in listed)  # asks for numbers alone
    most = max(1e-12, *table[say("gain")].tolist())
    data_table(
        table,
        hide_index=True,
        column_config={
            say("gain"): st.column_config.ProgressColumn(format="%.4g", min_value=0.0, max_value=most, width=115),
            say("chance"): st.column_config.TextColumn(width=62),
            say("asks"): st.column_config.TextColumn(width=80 if is_short else 140),
        },
        height=min(38 + 35 * len(table), 214),
        alt=say("Splits of node {node} that came closest", node=node),
    )


# ---- both over a plane, by depth, and by class


def draw_side_by_side(one: Approximated) -> None:
    """The black box, the tree, and where they differ, over a plane of two features."""
    grown = results.as_grown(one)
    with st.container(horizontal=True, vertical_alignment="center", key="surface bar"):
        st.markdown(say("Both over the same plane"), width="stretch")
        drawer(say("Axes"), "line_axis", explorer.AXES, lambda: explorer.pick_axes(grown))
    panels = surface_pictures(one, explorer.plane_of(grown), surfaces.SIZE)
    if not panels:
        return
    pictures.legend(one.dataset, sentences.colours(one.dataset))
    for column, name, picture in zip(st.columns(3), ("black-box", "tree", "difference"), panels, strict=True):
        with column:
            st.markdown(f"**{plain(picture.caption)}**")
            pictures.show(picture.draw(is_dark()), f"{picture.caption}: {picture.alt}", 2 * surfaces.WIDTH)
            pictures.save(picture.draw(False), f"{name}.svg")
    st.caption(f"{panels[-1].alt} {say('The stronger the colour, the further apart.')}")


def surface_pictures(one: Approximated, axes: tuple[int, ...], size: int = surfaces.SMALL) -> list[Picture]:
    """The surfaces of both, and where they differ; none while the black box is asked."""
    outputs, data = results.over_plane(one, axes), one.dataset
    if outputs is None:
        return []
    plane = results.plane_of(data, axes)
    gap = fidelity_pictures.gap(outputs.model, outputs.tree, data, one.prior)
    return [
        surfaces.surface_picture(outputs.model, plane, data, controls.title(one.model), one.prior, size),
        surfaces.surface_picture(outputs.tree, plane, data, say("The tree"), size=size),
        fidelity_pictures.gap_picture(*gap, plane, data, size),
    ]


def draw_fidelity(one: Approximated) -> None:
    """Both measures by depth, and where to stop; then the classes."""
    levels, most = results.levels(one), one.model.value("depth")
    enough = fidelity.enough(levels)
    with st.container(horizontal=True, vertical_alignment="center", key="where to stop"):
        st.markdown(words.enough_words(levels, enough, most), width="stretch")
        if 0 < enough < most:
            _offer(say("Stop at depth {depth}", depth=enough), enough, ":material/content_cut:")
        elif enough == most < DEEPEST_APPROXIMATION:
            _offer(say("Allow {n} questions", n=enough + 1), enough + 1, ":material/add:")
    for column, picture in zip(st.columns(2), depth_pictures(one), strict=True):
        with column:
            st.markdown(f"**{picture.caption}**")
            pictures.draw(picture, 560, f"fidelity-{pictures.file_name(picture.caption)}.svg")
    if one.dataset.is_classification:
        st.markdown(say("**By class**"))
        data_table(
            by_class(one), hide_index=True, alt=say("How often the tree agrees, by what the black box says")
        )


def depth_pictures(one: Approximated) -> list[Picture]:
    """Both measures by depth, on made-up cases and on rows held out."""
    levels, held = results.levels(one), results.levels(one, is_held=True)
    lines = {say("made-up cases"): levels} | ({say("held-out rows"): held} if held else {})
    enough = fidelity.enough(levels)
    mark = enough if enough < one.model.value("depth") else None  # else it is still gaining
    measures = fidelity_pictures.measures(one.dataset.is_classification)
    return [fidelity_pictures.depth_picture(lines, measure, mark) for measure in measures]


def _offer(label: str, depth: int, icon: str) -> None:
    if st.button(
        label,
        on_click=callback(assign),
        args=(
            "ap-depth",
            depth,
        ),
        icon=icon,
    ):
        st.rerun(scope="app")  # the tabs are a fragment, and the tree is grown outside of it


def by_class(one: Approximated) -> pd.DataFrame:
    """A line for each class of the black box: rows, and how many of them the tree gives the same."""
    columns = {say("made-up cases"): results.fresh(one), say("held-out rows"): results.held(one)}
    table = pd.DataFrame({say("the black box says"): one.dataset.classes})
    for name, rows in columns.items():
        if rows is not None:
            each = fidelity.class_agreement(rows.model, rows.tree, one.prior, rows.weight)
            table[name] = [count(n) for n, _ in each]
            agrees = [percent(share) if n else "–" for n, share in each]
            table[say("tree agrees, {rows}", rows=name)] = agrees
    return table
