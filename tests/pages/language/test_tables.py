"""Numbers in tables have the marks of the language, and tables are sorted by the numbers all the same."""

import json
from pathlib import Path

from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from streamlit.testing.v1 import AppTest

from tests.tools.on_page import APP

OF_FILES = {"data_table.py", "reading_options.py", "new_table.py", "course.py"}  # cells as they stand there


def drawn(language, arrow=False):
    """The table of a page that speaks this language; or the same as a table of Arrow."""

    def page(language, arrow):
        import pandas as pd
        import pyarrow as pa
        import streamlit as st

        from espalier.language import speaking
        from pages.shared.canvas.data_table import data_table

        columns = {
            "gain": st.column_config.NumberColumn(format="%.3f"),
            "right": st.column_config.NumberColumn(format="percent"),
            "doubt": st.column_config.ProgressColumn(format="%.3g"),
        }
        numbers = {"gain": [0.325, -2.5], "right": [0.5, 0.251], "doubt": [0.1, 0.2], "x": [20000.5, None]}
        table = pd.DataFrame(numbers | {"row": [1, 2]})
        with speaking(language):
            data_table(pa.Table.from_pandas(table) if arrow else table, hide_index=True, column_config=columns)

    (table,) = AppTest.from_function(page, kwargs={"language": language, "arrow": arrow}).run().dataframe
    return table


def test_german_tables_have_commas_are_sorted_by_their_numbers_and_no_format_overrules_the_language():
    table = drawn("de")
    shown = convert_arrow_bytes_to_pandas_df(table.proto.arrow_data.styler.display_values)
    assert shown.iloc[0].tolist()[:2] == ["0,325", "50\N{NO-BREAK SPACE}%"]
    assert shown.iloc[1].tolist()[:2] == ["−2,500", "25,1\N{NO-BREAK SPACE}%"]
    assert shown.iloc[:, 3].tolist() == ["20\N{NARROW NO-BREAK SPACE}000,5", ""]
    assert shown.iloc[:, 4].tolist() == ["1", "2"]
    assert table.value["gain"].tolist() == [0.325, -2.5]
    one, other = (drawn("de", arrow).proto.arrow_data.styler.display_values for arrow in (False, True))
    assert convert_arrow_bytes_to_pandas_df(one).equals(convert_arrow_bytes_to_pandas_df(other))
    columns = json.loads(drawn("de").proto.columns)
    formats = [columns[name]["type_config"].get("format") for name in ("gain", "right", "doubt")]
    assert formats == [None, None, "localized"]
    shown = convert_arrow_bytes_to_pandas_df(drawn("en").proto.arrow_data.styler.display_values)
    assert shown.iloc[0].tolist()[:2] == ["0.325", "50 %"]


def test_every_page_draws_its_tables_in_the_language():
    files = (Path(APP).parent / "pages").rglob("*.py")
    alone = {file.name for file in files if "st.dataframe(" in file.read_text("utf-8")}
    assert alone <= OF_FILES
