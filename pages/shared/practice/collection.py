"""Many files of results as one table: for a teacher."""

from __future__ import annotations

import streamlit as st

from espalier.display.tables import to_csv
from espalier.language import Refusal, say
from espalier.practice.results import PracticeResult, read, table
from espalier.settings import MAX_UPLOAD_MB
from pages.shared.app import sessions
from pages.shared.app.frame import callback, plain
from pages.shared.app.sessions import FileContent
from pages.shared.practice import sentences

MOST_FILES = 200
UPLOAD, READ = "practice-files", "practice-read"  # keys of the widget, and of what came of its files


def draw() -> None:
    """Draw the way in for files of results, and the table of them."""
    if not MAX_UPLOAD_MB:
        return
    with st.expander(say("For teachers: collect files of results")):
        st.caption(
            say(
                "One table of who answered what. Answers are checked anew, and a file that was "
                "changed by hand says so; who answered, and with what help, no file can prove."
            )
        )
        st.file_uploader(
            say("For teachers: collect files of results"),
            ["json"],
            accept_multiple_files=True,
            max_upload_size=1,
            label_visibility="collapsed",
            key=UPLOAD,
            on_change=callback(take),
        )
        outcomes: dict[str, PracticeResult | str] = st.session_state.get(READ, {})
        for wrong in (one for one in outcomes.values() if isinstance(one, str)):
            st.error(wrong)
        if results := [one for one in outcomes.values() if isinstance(one, PracticeResult)]:
            rows = table(results).rename(columns=sentences.KINDS)
            st.dataframe(rows, hide_index=True)
            st.download_button(
                say("Save the table"), to_csv(rows), "practice.csv", "text/csv", icon=":material/download:"
            )


def take() -> None:
    """Read the files that were just given; of those given before there are the results (a callback)."""
    files, before = sessions.take_files(UPLOAD), st.session_state.get(READ, {})
    first = list(files.items())[:MOST_FILES]
    st.session_state[READ] = {
        name: outcome(content) if content else before[name] for name, content in first if content or name in before
    }


def outcome(file: FileContent) -> PracticeResult | str:
    """The results of a file, or what is wrong with it."""
    try:
        return read(file.data)
    except Refusal as wrong:
        return f"{plain(file.name)}: {wrong!s}."
