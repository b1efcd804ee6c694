"""Both forests in short: a line of numbers for each, and all that they can be saved as."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from espalier import export
from espalier.comparison.class_rates import blind_words
from espalier.display.text.settings import promise_sentences
from espalier.display.theme import number
from espalier.export.dialects import DIALECTS
from espalier.export.node_sources import check_onnx, check_python
from espalier.export.sql import check_sql
from espalier.export.sql_cells import check_dialect
from espalier.grown import GrownForest, growing_parameters
from espalier.language import Refusal, say, to_say
from espalier.trees import Forest
from pages.shared.app.frame import plain
from pages.shared.forests import results, sentences
from pages.shared.models import forests
from pages.shared.models.forests import SIDES, title
from pages.shared.own_models import orders, uploads
from pages.shared.tree import exports

MEANINGS = to_say(
    "**One tree**: the mean error of a tree alone. **Out of bag**: each row judged by the trees that did not draw "
    "it. **Held out**: on rows that no tree saw. **Baseline**: always the most frequent class."
)


def draw(pair: list[GrownForest], rooms: Sequence[DeltaGenerator]) -> None:
    """Draw the numbers of each forest in its room, and below what is to be known of them."""
    data = pair[0].dataset
    for side, room, one in zip(SIDES, rooms, pair, strict=True):
        parts = [plain(text) for text in [*forests.settings_in_short(one.model), _size(one)]]
        errors = " · ".join(f"{name} **{value}**" for name, value in metrics_of(one).items())
        words = " · ".join([*parts, f"{say('error')}: {errors}"])
        room.markdown(words, help=say(MEANINGS) if one is pair[0] else None)
        if one.is_own:
            st.caption(uploads.judged_on(one.model, data))
            orders.note(uploads.known(one.model, data), data)
        for promise in promise_sentences(data, growing_parameters(one.estimator)):
            st.caption(promise)
        rates, name = results.rates_of(one), sentences.forest_name(title(side))
        if rates is not None and (blind := blind_words([(name, rates)], data.target, plain)):
            st.markdown(f":material/warning: {blind}")


def metrics_of(one: GrownForest) -> dict[str, str]:
    """The errors of a forest, by their names."""
    (unseen, held), own, rates = results.curves(one), results.own_errors(one), results.rates_of(one)
    errors = {say("one tree"): float(np.nanmean(own))} if np.isfinite(own).any() else {}
    held_out = say("rows it may have seen") if one.may_have_seen else say("held out")
    curves = {say("out of bag"): unseen, held_out: held}
    errors |= {name: float(e[-1]) for name, e in curves.items() if e is not None}
    if rates is not None:
        errors[say("baseline")] = 1 - rates.baseline
    return {name: results.error_text(one, error) for name, error in errors.items()}


def _size(one: GrownForest) -> str:
    """The number of trees, where the control does not say it; else their mean size."""
    if one.has_rounds or one.is_own or one.forest.n_trees != one.model.n_trees:
        return results.counted(one, one.n_rounds)
    leaves = float(np.mean([tree.n_leaves for tree in one.forest.trees]))
    return say("{leaves} leaves a tree", leaves=number(leaves))


# ---- files


class ForestFormat(NamedTuple):
    """A kind of file to save a forest as."""

    label: str
    ending: str
    mime: str
    write: Callable[..., str | bytes]
    check: Callable[[Forest], None] = lambda _: None  # raises Refusal for a forest that cannot be written so


FORMATS = (
    ForestFormat("JSON", "json", "application/json", export.forest_to_json),
    ForestFormat("Python", "py", "text/x-python", export.forest_to_python, check_python),
    ForestFormat("SQL", "sql", "application/sql", export.forest_to_sql, check_sql),
    ForestFormat("ONNX", "onnx", "application/octet-stream", export.forest_to_onnx, check_onnx),
)


def menu(pair: list[GrownForest]) -> None:
    """Draw the button, and once it is open all that both forests can be saved as."""
    opened = st.popover(say("Export"), icon=":material/download:", on_change="rerun", key="forest exports")
    if not opened.open:
        return
    with opened:
        dialect = st.selectbox(
            say("SQL for"), list(DIALECTS), format_func=lambda name: DIALECTS[name].label,
            key="SQL dialect of forests", help=say(exports.DIALECT_HELP),
        )  # fmt: skip
        for side, one in zip(SIDES, pair, strict=True):
            st.markdown(sentences.forest_heading(title(side)))
            _draw_files(one, side, dialect)
        st.caption(say("Link to this page, with everything that is set and chosen:"))
        st.code(exports.link(), language=None, wrap_lines=True)


def _draw_files(one: GrownForest, side: str, dialect: str) -> None:
    """Draw a button for each format, and for those that this forest has no file of the reason, each once."""
    reasons = {}
    for form in FORMATS:
        try:
            form.check(one.forest)
            if form.ending == "sql":
                check_dialect(one.forest, one.dataset.features, dialect)
        except Refusal as refused:
            reasons[str(refused)] = True
            continue
        options = {"dialect": dialect} if form.ending == "sql" else {}
        st.download_button(
            form.label, lambda form=form, options=options: code(one, form, options),
            f"forest-{side}.{form.ending}", form.mime, on_click="ignore", key=f"save forest {side} {form.ending}",
            width="stretch",
        )  # fmt: skip
    for reason in reasons:
        st.caption(reason)


def code(one: GrownForest, form: ForestFormat, options: dict[str, Any]) -> str | bytes:
    """The forest in this format; where it cannot be written, a text that says why."""
    try:
        return form.write(one.forest, one.dataset.features, one.dataset.target, **options)
    except ValueError as wrong:
        return f"{wrong}\n"  # two categories of one name, say
