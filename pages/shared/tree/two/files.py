"""Tree A from a file: our own JSON of a tree, such as last month's, which stays in the session.

The address has its digest and its name; a link opens the comparison only in the session that has the file.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple
from urllib.parse import urlencode

import streamlit as st

from espalier import export
from espalier.language import say
from espalier.tree.difference.columns import TreeColumns
from espalier.trees import Tree
from pages.shared.app.frame import callback, plain

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
