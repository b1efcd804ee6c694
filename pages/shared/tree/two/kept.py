"""Tree A: a learner, its settings and the changes by hand, kept while the controls go on to tree B.

The address has it as the query of a page of its own (`beside=model=optimal&table=iris&depth=2`), with the text of
its table, which stays when the filter or the table of the page is another, and without the rows held out, which
both trees share. A tree from a file is there by the file's digest (`beside=file=0a1b…&name=march.json`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from espalier import export
from espalier.data.dataset import Feature
from espalier.language import say
from espalier.learners.catalogue import Model
from espalier.tree.differences import TreeColumns
from espalier.trees import Tree
from pages.shared.app import address
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.data import library
from pages.shared.models import drawer, learners
from pages.shared.tree.by_hand import changes
from pages.shared.tree.pruning import choice

POPOVER = "load-a"  # key of the drawer
FILES = "trees-of-files"  # key of the session state: trees by the digests of their files
UPLOAD, WRONG = "upload-of-a", "wrong-file-of-a"  # keys of the session state: the widget, and what is wrong
MOST_MB, MOST_KEPT = 20, 8  # of a file, and files of a session
SHORT = 60  # letters of a file's name


class TreeOfFile(NamedTuple):
    """A tree that was read from a file, and the columns it was grown on."""

    tree: Tree
    columns: TreeColumns
    digest: str


def control(key: str) -> None:
    """Draw the way to load tree A; `key` is that of the session state which has the text of A."""
    opened = st.popover(
        say("A from a file"), icon=":material/upload_file:", width="stretch", on_change="rerun", key=POPOVER
    )
    if not opened.open:
        return
    with opened:
        st.file_uploader(
            say("A tree that was saved as JSON under Export"),
            type=["json"],
            max_upload_size=MOST_MB,
            key=UPLOAD,
            on_change=callback(_take),
            args=(key,),
            help=say(
                "It becomes A, such as last month's tree. Its columns are matched with those of the table by name."
            ),
        )
        if wrong := st.session_state.get(WRONG):
            st.error(plain(wrong))


def found(digest: str) -> TreeOfFile | None:
    """The tree of a file that this session has loaded."""
    return st.session_state.get(FILES, {}).get(digest)


def _take(key: str) -> None:
    upload = st.session_state.get(UPLOAD)
    st.session_state[WRONG] = ""
    if upload is None:
        return
    try:
        one = read(upload.getvalue())
    except ValueError as wrong:
        st.session_state[WRONG] = say("No tree could be read from this file. {wrong}", wrong=str(wrong))
        return
    files = {**st.session_state.get(FILES, {}), one.digest: one}
    st.session_state[FILES] = dict(list(files.items())[-MOST_KEPT:])
    st.session_state[key] = urlencode({"file": one.digest, "name": upload.name[:SHORT]})


def read(data: bytes) -> TreeOfFile:
    """The tree of a file. Raises ValueError that says what is wrong with it."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError(say("It is no text. Take a file that was saved as JSON under Export.")) from None
    tree, features, target = export.from_json(text)
    if not isinstance(tree, Tree):
        raise ValueError(
            say(
                "Its splits are no single questions. Only trees whose splits ask for one column, "
                "with one answer in each leaf, are compared from a file."
            )
        )
    return TreeOfFile(tree, TreeColumns(features, target), hashlib.blake2b(data, digest_size=8).hexdigest())


# ---- tree A: a learner, its settings and the changes by hand, kept while the controls go on to tree B

A = "tree-a"  # key of the session state: the text of tree A; empty: there is none
TABLE = "table"  # its table, in the text of tree A
LONGEST = 4_000  # letters


class KeptTree(NamedTuple):
    """What tree A is grown by, or the file that it comes from."""

    model: Model
    edits: str  # the record of its changes by hand
    title: str
    table: str = ""  # text of its table in the address; empty: that of the page
    file: str = ""  # digest of its file; empty: it is grown


def url_entries(target: Feature) -> list[Entry]:
    """Tree A as part of the address."""

    def read(text: str) -> str:
        if text and not _file(text) and (len(text) > LONGEST or _values(text, target) is None):
            raise ValueError(say("a learner and its settings, as Compare with… writes them"))
        return text

    return [Entry(A, "", read, name="beside")]


def controls(target: Feature) -> None:
    """Draw the switch: keep the tree as A, or end the comparison."""
    if st.session_state[A]:
        st.button(
            say("Stop comparing"),
            icon=":material/close:",
            on_click=callback(_end),
            help=say("Lets go of tree A. Tree B, which the controls describe, stays."),
            width="stretch",
        )
        return
    is_whole = st.session_state.get(choice.RULE, choice.WHOLE) == choice.WHOLE
    can_be = st.session_state["learner"] in learners.SETTINGS and is_whole
    st.button(
        say("Compare with…"),
        icon=":material/compare:",
        on_click=callback(_keep),
        args=(target,),
        disabled=not can_be,
        help=say(
            "Compares two trees: this one is kept as A. Then change the learner, its settings, the filter of rows "
            "or the table, and the new tree stands below as B, with what differs."
        )
        if can_be
        else say("A tree of a forest, or one that was pruned on the tab Error by size, cannot be kept as A."),
        width="stretch",
    )
    control(A)


def kept(target: Feature) -> KeptTree | None:
    """Tree A, if there is one for this target."""
    text = st.session_state[A]
    if digest := _file(text):
        return KeptTree(Model(""), "", dict(parse_qsl(text)).get("name", say("a file")), file=digest)
    values = _values(text, target) if text else None
    if values is None:
        return None
    name, texts = values["learner"], dict(parse_qsl(text))
    model = learners.SETTINGS[name].model(target, values)
    return KeptTree(model, values[changes.EDITS], title_of(name, texts), texts.get(TABLE, ""))


def present(target: Feature) -> str:
    """Title of the tree that the controls stand for."""
    return title_of(st.session_state["learner"], address.texts(_entries(target)))


def title_of(name: str, texts: dict[str, str]) -> str:
    """Title of a tree by its learner and by the settings that are not the defaults."""
    settings = {key: text for key, text in texts.items() if key not in ("model", TABLE, changes.EDITS)}
    return _title_with_settings(say(learners.LEARNERS[name].kind.title), settings, changes.EDITS in texts)


def _keep(target: Feature) -> None:
    key = library.chosen_key()
    table = library.DEFAULT if library.find(key) is None else key  # that is shown in place of one that is gone
    texts = {"model": st.session_state["learner"], TABLE: table}
    st.session_state[A] = urlencode(texts | address.texts(_entries(target)))


def _end() -> None:
    st.session_state[A] = ""


def _entries(target: Feature) -> list[Entry]:
    shared = {entry.key for entry in drawer.held_out_entries()}
    return [e for e in learners.url_entries(target) if e.key not in shared] + changes.url_entries()


def _file(text: str) -> str:
    """The digest of the file that a tree A comes from; empty if it is grown."""
    digest = dict(parse_qsl(text)).get("file", "")
    return digest if re.fullmatch("[0-9a-f]{16}", digest) and len(text) <= LONGEST else ""


def _values(text: str, target: Feature) -> dict | None:
    """The values of a tree A by their keys; None for a text that says nothing of a tree."""
    given = {key: value for key, value in parse_qsl(text) if key != TABLE}
    values, notes = address.parsed(given, _entries(target))
    values.setdefault(changes.EDITS, "")
    there = values["learner"] in learners.SETTINGS and not notes
    serves = there and bool(target.categories) in learners.LEARNERS[values["learner"]].kind.serves
    return values if serves and "model" in dict(parse_qsl(text)) else None


def _title_with_settings(learner: str, settings: Mapping[str, str], is_by_hand: bool) -> str:
    """Title of a tree: its learner, and what is set otherwise than by default."""
    parts = [learner, *(f"{name} {text}" for name, text in settings.items())]
    return ", ".join([*parts, say("changed by hand")] if is_by_hand else parts)
