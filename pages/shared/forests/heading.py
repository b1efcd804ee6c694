"""The two forests in a line each: what they are, how good, how large; and all their trees to take away."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable

import numpy as np
import streamlit as st

from espalier.views import export
from espalier.views.comparison import rates_words
from espalier.views.theme import number, percent
from pages.shared.app.address import Entry, one_of
from pages.shared.app.frame import plain
from pages.shared.forests import results
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models import forests
from pages.shared.models.forests import SIDES, title
from pages.shared.tree import exports

MOST_SAVED = 200  # trees in a file
HELP = {
    "error out of bag": "Every row judged by the trees that did not draw it: what to expect of new rows.",
    "error held out": "On rows that no tree of it has seen: what to expect of new ones.",
    "error of the baseline": "On rows held out, else out of bag: always answering the most frequent class.",
    "error of one tree": "The mean error of a tree alone on rows new to it: those out of bag if there are any, "
    "else held out.",
}


def url_entries(tabs: Iterable[str]) -> list[Entry]:
    """The open tab, as part of the address."""
    names = list(tabs)
    return [Entry("view", names[0], one_of(names), undo=False, stays=True, name="tab")]


def draw(planted: list[GrownForest]) -> None:
    """Both forests in short, and the exports."""
    data = planted[0].dataset
    with st.container(horizontal=True, vertical_alignment="center"):
        goal = f"{len(data.classes)} classes" if data.is_classification else "a number"
        size = f"{len(data.y):,} rows · target {plain(data.target.name)}, {goal}"
        st.markdown(f"**{plain(data.name)}** :small[:gray[{size}]]", width="stretch")
        _menu(planted)
    for column, side, one in zip(st.columns(2, gap="medium"), SIDES, planted, strict=True):
        with column, st.container(border=True, height="stretch"):
            st.markdown(f"**Forest {title(side)}** · {plain(forests.short(one.model))}  \n:small[{_size(one)}]")
            with st.container(horizontal=True, gap="small"):
                for label, value in _metrics(one).items():
                    st.metric(label, value, help=HELP[label], width="content")
            _by_class(one, f"Forest {title(side)}")


def _by_class(one: GrownForest, name: str) -> None:
    """What is right of each class on rows new to the forest, and a warning where its error tells little."""
    found, target = results.rates_of(one), one.dataset.target
    if found is None:
        return
    st.caption(rates_words.by_class_words(found, target, plain))
    if blind := rates_words.blind_words([(name, found)], target, plain):
        st.markdown(f":material/warning: {blind}")


def _metrics(one: GrownForest) -> dict[str, str]:
    curve, own = results.curve(one), results.own_errors(one)
    found = {"error of one tree": float(np.nanmean(own))} if np.isfinite(own).any() else {}
    errors = {"error out of bag": curve.unseen, "error held out": curve.held}
    found |= {name: float(e[-1]) for name, e in errors.items() if e is not None}
    if (told := results.rates_of(one)) is not None:
        found["error of the baseline"] = 1 - told.baseline
    written = percent if one.dataset.is_classification else number
    return {name: written(error) for name, error in found.items()}


def _size(one: GrownForest) -> str:
    leaves = float(np.mean([tree.n_leaves for tree in one.forest.trees]))
    n, asked = one.forest.n_trees, one.model.n_trees
    fewer = (
        f" (of {asked} asked for; then there was nothing more to grow)"
        if one.is_whole and n < (asked or n)
        else ""
    )
    return f"{n} tree{'s' * (n > 1)}{fewer}, of {number(leaves)} {'leaf' if leaves == 1 else 'leaves'} on average"


def _menu(planted: list[GrownForest]) -> None:
    opened = st.popover("Export", icon=":material/download:", on_change="rerun", key="forest exports")
    if not opened.open:
        return
    with opened:
        for side, one in zip(SIDES, planted, strict=True):
            name = f"forest-{side}.zip"
            st.download_button(
                f"Trees of forest {title(side)} (.zip of .json)", lambda one=one: archive(one), name,
                "application/zip", on_click="ignore", key=f"save forest {side}", width="stretch",
            )  # fmt: skip
        st.caption("Link to this page, with everything that is set and chosen:")
        st.code(exports.link(), language=None, wrap_lines=True)


def archive(one: GrownForest) -> bytes:
    """A zip file of the trees, each as JSON that reads back; of very many, the first."""
    packed, data = io.BytesIO(), one.dataset
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for number_, tree in enumerate(one.forest.trees[:MOST_SAVED], start=1):
            file.writestr(f"tree-{number_:03d}.json", export.to_json(tree, data.features, data.target))
        weights = "tree,weight\n" + "".join(f"{i},{w!r}\n" for i, w in enumerate(one.forest.weight.tolist(), 1))
        file.writestr("weights.csv", weights)
    return packed.getvalue()
