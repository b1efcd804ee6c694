"""Many files of results as one table: for a teacher."""

from __future__ import annotations

import streamlit as st

from espalier.language import Refusal
from espalier.practice.results import PracticeResult, read, table
from espalier.settings import MAX_UPLOAD_MB
from espalier.views.spreadsheet import to_csv
from pages.shared.app.frame import plain
from pages.shared.words import practice as words

MOST_FILES = 200


def draw() -> None:
    """Draw the way in for files of results, and the table of them."""
    if not MAX_UPLOAD_MB:
        return
    with st.expander(words.COLLECT):
        st.caption(words.COLLECT_HELP)
        files = st.file_uploader(
            words.COLLECT, ["json"], accept_multiple_files=True, max_upload_size=1, label_visibility="collapsed",
            key="practice-files",
        )  # fmt: skip
        results: list[PracticeResult] = []
        for file in files[:MOST_FILES]:
            try:
                results.append(read(file.getvalue()))
            except Refusal as wrong:
                st.error(words.refused(plain(file.name), str(wrong)))
        if results:
            rows = table(results).rename(columns=words.KINDS)
            st.dataframe(rows, hide_index=True)
            st.download_button(words.TABLE, to_csv(rows), "practice.csv", "text/csv", icon=":material/download:")
