"""Both forests in short: kind, errors and size."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from espalier import export
from espalier.comparison import tables
from espalier.display.theme import count, number
from espalier.export.dialects import DIALECTS
from espalier.export.node_sources import bytes_of, check_onnx, check_python
from espalier.export.sql import check_sql
from espalier.export.sql_cells import check_dialect
from espalier.language import Refusal, Texts, say
from espalier.trees import Forest
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.app.links.readers import one_of
from pages.shared.forests import results, sentences
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models import forests
from pages.shared.models.forests import SIDES, title
from pages.shared.models.of_columns import kinds as of_columns
from pages.shared.own_models import fitted, orders, uploads
from pages.shared.tree import fits
from pages.shared.tree import sentences as tree_sentences
from pages.shared.tree.exports import menu as exports

MOST_SAVED = 200  # trees in a file


class ForestFormat(NamedTuple):
    """A kind of file to save a forest as."""

    ending: str
    mime: str
    write: Callable[..., str | bytes]
    check: Callable[[Forest], None]  # raises Refusal for a forest that cannot be written so


FORMATS = (
    ForestFormat("py", "text/x-python", export.forest_to_python, check_python),
    ForestFormat("sql", "application/sql", export.forest_to_sql, check_sql),
    ForestFormat("onnx", "application/octet-stream", export.forest_to_onnx, check_onnx),
)


def menu(pair: list[GrownForest]) -> None:
    """Draw the button, and once it is open all that both forests can be saved as."""
    opened = st.popover(say("Export"), icon=":material/download:", on_change="rerun", key="forest exports")
    if not opened.open:
        return
    with opened:
        dialect = st.selectbox(
            say("SQL for"), list(DIALECTS), format_func=lambda name: DIALECTS[name].label,
            key="SQL dialect of forests", help=say(tree_sentences.DIALECT_HELP),
        )  # fmt: skip
        for side, one in zip(SIDES, pair, strict=True):
            st.markdown(sentences.forest_heading(title(side)))
            _documents(one, side)
            _code(one, side, dialect)
        st.caption(say("Link to this page, with everything that is set and chosen:"))
        st.code(exports.link(), language=None, wrap_lines=True)


def _documents(one: GrownForest, side: str) -> None:
    st.download_button(
        say("Forest {side} (.json, {kilobytes} kB)", side=title(side), kilobytes=_kilobytes(one, document)),
        lambda: document(one),
        f"forest-{side}.json",
        "application/json",
        on_click="ignore",
        key=f"save whole forest {side}",
        width="stretch",
    )
    if one.is_sum:
        st.caption(say("The trees of forest {side} are steps: each alone says nothing.", side=title(side)))
        return
    st.download_button(
        say(
            "Trees of forest {side} (.zip of .json, {kilobytes} kB)",
            side=title(side),
            kilobytes=_kilobytes(one, archive),
        ),
        lambda: archive(one),
        f"forest-{side}.zip",
        "application/zip",
        on_click="ignore",
        key=f"save forest {side}",
        width="stretch",
    )


def _code(one: GrownForest, side: str, dialect: str) -> None:
    """Draw a button for each format, and for those that this forest has no file of the reason, each once."""
    reasons: list[str] = []
    for form in FORMATS:
        try:
            form.check(one.forest)
            if form.ending == "sql":
                check_dialect(one.forest, one.dataset.features, dialect)
        except Refusal as refused:
            reasons += [str(refused)] if str(refused) not in reasons else []
            continue
        others = {"dialect": dialect} if form.ending == "sql" else {}
        st.download_button(
            _code_label(title(side), form.ending, _kilobytes(one, partial(code, form=form, others=others))),
            lambda form=form, others=others: code(one, form, others), f"forest-{side}.{form.ending}", form.mime,
            on_click="ignore", key=f"save forest {side} {form.ending}", width="stretch",
        )  # fmt: skip
    for reason in reasons:
        st.caption(reason)


def _kilobytes(one: GrownForest, write: Callable[[GrownForest], str | bytes]) -> str:
    """About how large a file is, by those of the first trees."""
    size = bytes_of(lambda forest: write(one._replace(forest=forest)), one.forest)
    return count(max(round(size / 1000), 1))


def code(one: GrownForest, form: ForestFormat, others: dict[str, Any]) -> str | bytes:
    """The forest in this format; where it cannot be written, a text that says why."""
    try:
        return form.write(one.forest, one.dataset.features, one.dataset.target, **others)
    except ValueError as wrong:
        return f"{wrong}\n"  # two categories of one name, say


def document(one: GrownForest) -> str:
    """The whole forest as JSON that reads back."""
    return export.forest_to_json(one.forest, one.dataset.features, one.dataset.target)


def archive(one: GrownForest) -> bytes:
    """A zip file of the trees, each as JSON that reads back; of very many, the first."""
    packed, data = io.BytesIO(), one.dataset
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for nth, tree in enumerate(one.forest.trees[:MOST_SAVED], start=1):
            file.writestr(f"tree-{nth:03d}.json", export.to_json(tree, data.features, data.target))
        weights = "tree,weight\n" + "".join(f"{i},{w!r}\n" for i, w in enumerate(one.forest.weight.tolist(), 1))
        file.writestr("weights.csv", weights)
    return packed.getvalue()


def _code_label(side: str, ending: str, kilobytes: str) -> str:
    """Label of the button that saves a forest as code, in a file of about so many kilobytes."""
    kinds = {"py": say("Python function"), "sql": say("SQL expressions"), "onnx": say("ONNX file")}
    return say(
        "{kinds} of forest {side} (.{ending}, {kilobytes} kB)",
        kinds=kinds[ending],
        side=side,
        ending=ending,
        kilobytes=kilobytes,
    )


# ---- each forest in a line of numbers


MEANINGS = Texts(
    {
        "one": "**one tree**: the mean error of a tree alone on rows new to it",
        "out": "**out of bag**: every row judged by the trees that did not draw it",
        "held": "**held out**: on rows that no tree has seen",
        "baseline": "**baseline**: always the most frequent class",
    }
)


def url_entries(tabs: Iterable[str]) -> list[Entry]:
    """The open tab, as part of the address."""
    names = list(tabs)
    return [Entry("view", names[0], one_of(names), undo=False, stays=True, name="tab")]


def draw(pair: list[GrownForest], rooms: Sequence[DeltaGenerator]) -> None:
    """Draw the numbers of each forest in its room, and below what is to be known of them."""
    data = pair[0].dataset
    for room, one in zip(rooms, pair, strict=True):
        parts = [plain(text) for text in [*forests.settings_in_short(one.model), _size(one)]]
        parts += [f"{name} **{value}**" for name, value in metrics_of(one).items()]
        room.markdown(" · ".join(parts), help="- " + "\n- ".join(MEANINGS.values()) if one is pair[0] else None)
    for side, one in zip(SIDES, pair, strict=True):
        if one.is_own:
            st.caption(uploads.judged_on(one.model, data))
            orders.note(fitted.known(one.model, data), data)
        for promise in of_columns.in_force(data, fits.parameters_of(one.estimator)):
            st.caption(promise)
        rates, name = results.rates_of(one), sentences.forest_name(title(side))
        if rates is not None and (blind := tables.blind_words([(name, rates)], data.target, plain)):
            st.markdown(f":material/warning: {blind}")


def metrics_of(one: GrownForest) -> dict[str, str]:
    """The errors of a forest, by their names."""
    curve, own, rates = results.curve(one), results.own_errors(one), results.rates_of(one)
    errors = {say("one tree"): float(np.nanmean(own))} if np.isfinite(own).any() else {}
    held_out = (
        say("rows it may have seen")
        if one.may_have_seen
        else say("rows new to it")
        if one.is_own
        else say("held out")
    )
    curves = {say("out of bag"): curve.unseen, held_out: curve.held}
    errors |= {name: float(e[-1]) for name, e in curves.items() if e is not None}
    if rates is not None:
        errors[say("baseline")] = 1 - rates.baseline
    return {name: results.error_text(one, error) for name, error in errors.items()}


def _size(one: GrownForest) -> str:
    n, most = one.forest.n_trees, one.model.n_trees
    if one.has_rounds:
        return sentences.rounds(n // one.trees_a_round)
    if one.is_whole and most and n < most:
        return say("{n} of {most} trees", n=n, most=most)  # then there was nothing more to grow
    if one.model.n_trees is None or one.is_own:
        return say("1 tree") if n == 1 else say("{n} trees", n=n)
    leaves = float(np.mean([tree.n_leaves for tree in one.forest.trees]))
    return say("{leaves} leaves a tree", leaves=number(leaves))
