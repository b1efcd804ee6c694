"""The button that opens the exports of both forests, with their sizes; a file is written when it is asked for."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from espalier import export
from espalier.display.theme import count
from espalier.export.dialects import DIALECTS
from espalier.export.ensembles.size import bytes_of, check_onnx, check_python, check_sql
from espalier.export.sql_cells import check_dialect
from espalier.language import Refusal, say
from espalier.trees import Forest
from pages.shared.forests import sentences as forests_sentences
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title
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
            st.markdown(forests_sentences.forest_heading(title(side)))
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
