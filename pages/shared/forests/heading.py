"""Both forests in short: kind, errors and size."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier import export
from espalier.comparison import tables
from espalier.data.samples import title_of
from espalier.display.theme import count, number, percent
from espalier.export.dialects import DIALECTS
from espalier.export.node_sources import bytes_of, check_onnx, check_python
from espalier.export.sql import check_sql
from espalier.export.sql_cells import check_dialect
from espalier.language import Refusal, say
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


# ---- both forests in short: kind, errors and size


def url_entries(tabs: Iterable[str]) -> list[Entry]:
    """The open tab, as part of the address."""
    names = list(tabs)
    return [Entry("view", names[0], one_of(names), undo=False, stays=True, name="tab")]


def draw(pair: list[GrownForest]) -> None:
    """Draw both forests in short, and the exports."""
    data = pair[0].dataset
    with st.container(horizontal=True, vertical_alignment="center", key="forests heading"):
        text = _data_heading(plain(title_of(data)), len(data.y), plain(data.target.name), len(data.classes))
        st.markdown(text, width="stretch")
        menu(pair)
    for column, side, one in zip(st.columns(2, gap="medium"), SIDES, pair, strict=True):
        with column, st.container(border=True, height="stretch"):
            st.markdown(
                say(
                    "{side} · {kind}  \n:small[{size}]",
                    side=sentences.forest_heading(title(side)),
                    kind=plain(forests.short(one.model)),
                    size=_size(one),
                )
            )
            if one.is_own:
                st.caption(uploads.judged_on(one.model, data))
                orders.note(fitted.known(one.model, data), data)
            for held in of_columns.in_force(one.dataset, fits.parameters_of(one.estimator)):
                st.caption(held)
            with st.container(horizontal=True, gap="small"):
                for label, value in metrics_of(one).items():
                    st.metric(
                        label,
                        value,
                        help={
                            say("error out of bag"): say(
                                "Every row judged by the trees that did not draw it: what to expect of new rows."
                            ),
                            say("error held out"): say(
                                "On rows that no tree of it has seen: what to expect of new ones."
                            ),
                            say("error of the baseline"): say(
                                "On rows held out, else out of bag: always answering the most frequent class."
                            ),
                            say("error of one tree"): say(
                                "The mean error of a tree alone on rows new to it: those out of bag if there are "
                                "any, else held out."
                            ),
                        }.get(label),
                        width="content",
                    )
            _by_class(one, sentences.forest_name(title(side)))


def _by_class(one: GrownForest, name: str) -> None:
    """Draw the accuracy by class on rows new to the forest, and a warning where its error tells little."""
    rates, target = results.rates_of(one), one.dataset.target
    if rates is None:
        return
    st.caption(tables.class_rates_words(rates, target, plain))
    if blind := tables.blind_words([(name, rates)], target, plain):
        st.markdown(f":material/warning: {blind}")


def metrics_of(one: GrownForest) -> dict[str, str]:
    """The errors of a forest, by their names."""
    curve, own, rates = results.curve(one), results.own_errors(one), results.rates_of(one)
    alone = (
        say("error of one tree, on rows it may have seen")
        if one.may_have_seen
        else say("error of one tree, on new rows")
        if one.is_own
        else say("error of one tree")
    )
    errors = {alone: float(np.nanmean(own))} if np.isfinite(own).any() else {}
    held_out = (
        say("error on rows it may have seen")
        if one.may_have_seen
        else say("error on rows new to it")
        if one.is_own
        else say("error held out")
    )
    curves = {say("error out of bag"): curve.unseen, held_out: curve.held}
    errors |= {name: float(e[-1]) for name, e in curves.items() if e is not None}
    if rates is not None:
        errors[say("error of the baseline")] = 1 - rates.baseline
    in_text = percent if one.dataset.is_classification else number
    return {name: in_text(error) for name, error in errors.items()}


def _size(one: GrownForest) -> str:
    n, most = one.forest.n_trees, one.model.n_trees
    n_leaves = float(np.mean([tree.n_leaves for tree in one.forest.trees]))
    if one.has_rounds:
        return _size_of_sum(n // one.trees_a_round, n, n_leaves)
    return _size_of_forest(n, most if one.is_whole and n < (most or n) else None, n_leaves)


def _size_of_sum(n: int, n_trees: int, n_leaves: float) -> str:
    """Size of a sum; `n_leaves` of a tree on average."""
    leaves = say(
        "{n_leaves} leaf" if n_leaves == 1 else "{n_leaves} leaves",
        context="after with",
        n_leaves=number(n_leaves),
    )
    return say(
        "{n}: {n_trees} tree with {leaves} on average"
        if n_trees == 1
        else "{n}: {n_trees} trees with {leaves} on average",
        n=sentences.rounds(n),
        n_trees=n_trees,
        leaves=leaves,
    )


def _data_heading(name: str, n_rows: int, target: str, n_classes: int) -> str:
    """Name and size of the data, in Markdown; without classes the target is a number."""
    goal = say("{n_classes} classes", n_classes=n_classes) if n_classes else say("a number")
    return say(
        "#### Forests: {name}\n:small[:gray[{n_rows} rows · target {target}, {goal}]]",
        name=name,
        n_rows=count(n_rows),
        target=target,
        goal=goal,
    )


def _size_of_forest(n: int, asked_for: int | None, n_leaves: float) -> str:
    """Size of a forest; `asked_for` where it has fewer trees than that, `n_leaves` of a tree on average."""
    fewer = (
        say(" (of {asked_for} asked for; then there was nothing more to grow)", asked_for=asked_for)
        if asked_for
        else ""
    )
    trees = say("1 tree") if n == 1 else say("{n} trees", n=n)
    leaves = (
        say("1 leaf")
        if n_leaves == 1
        else say("{n_leaves} leaves", context="after with", n_leaves=number(n_leaves))
    )
    return say("{trees}{fewer} with {leaves} on average", trees=trees, fewer=fewer, leaves=leaves)
