"""Whatever people read is a phrase that each language has; numbers in tables have the language's marks."""

import ast
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from streamlit.testing.v1 import AppTest

from espalier import language
from espalier.display.components import COMPONENTS, add_texts, join_modules
from espalier.language import ENGLISH, LANGUAGES, say
from tests.tools.on_page import APP
from tests.tools.phrases import PROJECT, is_saying, narrow, places, said_in, texts_spoken, values_in, wide

OTHERS = [code for code in LANGUAGES if code != ENGLISH]
CORE = PROJECT / "core/espalier"
BELOW = {"kernels", "learners", "data", "executors", "sandbox", "practice", "lessons", "tree"}  # write no pages
MARKUP = {"svg.py", "theme.py", "components.py", "export", "sheet.py", "paper.py", "screens.py", "script.py"}
MARKUP |= {"scripts.py", "units.py"}  # styles, units and code
FILES = sorted(
    file
    for folder in CORE.iterdir()
    if folder.is_dir() and folder.name not in BELOW
    for file in folder.rglob("*.py")
    if not MARKUP & set(file.relative_to(CORE).parts)
    and (folder.name == "display" or "espalier.display" in file.read_text("utf-8"))
)
DATA = PROJECT / "core/espalier/data"
FOR_PYTHON = {"vocabulary.py", "units.py", "folds.py", "roles.py"}  # words and errors
SAID = ("choices", "contents", "errors", "filters", "options", "remarks", "table")  # modules with texts for pages
READERS = sorted(
    file
    for part in ("columns", "formats", *(f"{name}.py" for name in SAID))
    for file in ([DATA / part] if part.endswith(".py") else (DATA / part).glob("*.py"))
    if file.name not in FOR_PYTHON
)
OLD_LINKS = PROJECT / "pages" / "shared" / "app" / "links.py"  # former values of addresses
SOURCES = [p for p in sorted(PROJECT.glob("pages/**/*.py")) if p != OLD_LINKS]
WORDS = re.compile(r"[A-Za-z]{2,}[,:;]? | [a-z]{2,}")  # part of a sentence, and not a key or a colour
CODE = re.compile(r"[<>{}]|=\"|: [\w.%]+;|^\^|^return $|\$ £")  # styles, HTML, scripts and units
IN_ENGLISH = {  # markup, heads of tables that are saved, what stands in files, kinds, encodings, names of columns
    *("Source Sans Pro,Helvetica,Arial,sans-serif", "middle right", "image-rendering: pixelated"),
    *("cube root", "square root", "Changed by hand:", "0 low", "0 high", "0 spread", "right, of 0"),
    *("time of day", "1 day 2:30", "jan feb mar apr may jun jul aug sep oct nov dec", "utf-8 + cp1252"),
    " jän feb mär apr mai jun jul aug sep okt nov dez jän feb mrz apr mai jun jul aug sep okt nov dez",
    *("keine Angabe", "weiß nicht", "row name", "column 0", "hidden rows", "hidden columns", "blank row"),
}
SENTENCE = re.compile(r"[^\W\d_]+[^\w\s]*\s+[^\w\s]*[^\W\d_]+")  # two words of letters
HTML_CODE = re.compile(
    r"\s*(<|//|'|\^|\(|ws:|camera=|width:|export )"
)  # how HTML, CSS, JavaScript and headers begin
FOR_PROGRAMMERS = {"TypeError", "RuntimeError", "AssertionError", "ModuleError"}
WRITERS = {  # functions of Streamlit whose first argument people read
    *("button", "checkbox", "download_button", "link_button", "multiselect", "number_input", "pills", "popover"),
    *("radio", "segmented_control", "selectbox", "slider", "text_area", "text_input", "toggle", "file_uploader"),
    *("caption", "error", "expander", "header", "info", "markdown", "metric", "progress", "subheader", "success"),
    *("title", "toast", "warning", "write"),
}
READ = {"label", "help", "placeholder", "text"}  # arguments of widgets that people read


@pytest.mark.parametrize("code", OTHERS)
def test_a_text_has_places_for_values_that_it_is_given_in_each_language_and_stands_once_in_its_file(code):
    texts = language.texts(code)
    given = {**values_in("core/espalier"), **values_in("pages"), **values_in("app.py")}
    assert not [text for text, values in given.items() if not places(text) | places(texts.get(text, "")) <= values]
    lines = (language.TEXTS / f"{code}.po").read_text("utf-8").splitlines()
    pairs = zip(["", *lines], lines, strict=False)
    english = [
        (before * before.startswith("msgctxt "), line) for before, line in pairs if line.startswith("msgid ")
    ][1:]
    assert not [line for line, times in Counter(english).items() if times > 1]


def test_no_sentence_stands_outside_a_phrase():
    """Such a sentence would be in English whatever the page speaks. Errors are in English for all but readers."""
    found = {path: sentences(parsed(path), is_for_callers) for path in FILES}
    found |= {path: sentences(parsed(path)) for path in READERS} | {path: own_texts(path) for path in SOURCES}
    assert not {path: texts for path, texts in found.items() if texts}, "say them: `espalier.language.say`"


def texts(node, is_aside):
    """Every text in the syntax tree but what is aside, and its line."""
    if not is_aside(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(str(getattr(part, "value", "")) for part in constants(node))
        for child in [node.value] if isinstance(node, ast.Subscript) else ast.iter_child_nodes(node):
            if not (isinstance(node, ast.JoinedStr) and isinstance(child, ast.Constant)):
                yield from texts(child, is_aside)


def constants(joined):
    """The parts of an f-string, with a blank figure for each value."""
    return [part if isinstance(part, ast.Constant) else ast.Constant("0") for part in joined.values]


def is_for_machines(node):
    """Whether it is a phrase, a docstring, a key, for the log or an error for programmers."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)  # a docstring
    if isinstance(node, ast.keyword):
        return node.arg == "key"
    if isinstance(node, ast.Raise):
        return isinstance(node.exc, ast.Call) and ast.unparse(node.exc.func) in FOR_PROGRAMMERS
    return is_saying(node) or is_call(node, "_log.", "re.")


def is_for_callers(node):
    """Whether it is for machines, or any error."""
    return is_for_machines(node) or isinstance(node, ast.Raise | ast.Assert) or is_call(node, "boxed(")


def is_call(node, *starts):
    return isinstance(node, ast.Call) and ast.unparse(node).startswith(starts)


def sentences(tree, is_aside=is_for_machines):
    """Texts of the library of more than a word that are no phrase."""
    found = [text for _, text in texts(tree, is_aside) if WORDS.search(text) and not CODE.search(text)]
    return [text for text in found if text not in IN_ENGLISH]


def labels(tree):
    """What the file itself hands to widgets for people to read, even if it is one word."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        is_writer = isinstance(call.func, ast.Attribute) and call.func.attr in WRITERS
        first = call.args[:1] if is_writer else []
        for value in [*first, *(keyword.value for keyword in call.keywords if keyword.arg in READ)]:
            yield from texts(value, is_for_machines)


def parsed(path):
    return ast.parse(path.read_text("utf-8"))


def own_texts(path):
    """Lines of the file of a page with texts that people read."""
    tree = parsed(path)
    every = texts(tree, is_for_machines)
    sentences = {line for line, text in every if SENTENCE.search(text) and not HTML_CODE.match(text)}
    words = {line for line, text in labels(tree) if re.search(r"[^\W\d_]{2}", re.sub(r":[\w/]+[:\[]", "", text))}
    return sorted(sentences | words)


CATALOGUE = PROJECT / "core" / "espalier" / "learners" / "catalogue"  # the words of settings are on pages
TABLES = [*DATA.glob("columns/*.py"), *DATA.glob("formats/*.py"), DATA / "contents.py", DATA / "table.py"]
STABILITY = CORE / "stability"  # how trees are compared, and data redrawn
OF_CHOICES = [STABILITY / "structures.py", STABILITY / "resampling.py"]
PAPERS = {"CRF-option: features only"}  # what a paper calls a thing


def test_pages_say_column_and_not_feature():
    """Terms in code spans, such as `max_features`, are those of the library."""
    files = [*CATALOGUE.glob("*.py"), *TABLES, *OF_CHOICES]  # what is wrong with a file is on pages, too
    others = [text for path in files for _, text in texts(parsed(path), is_for_machines)]
    said = {text for text in others if " " in text} | {re.sub(r"\{\w+\}", "", text) for text in said_in("pages")}
    said = {text for text in said if re.search(r"\bfeatures?\b", text, re.IGNORECASE)}
    assert {text for text in said if not text.startswith("tolerance ")} <= PAPERS  # an error of a caller


def test_a_text_would_be_seen_and_what_only_machines_read_may_stay(tmp_path):
    for code in [
        "st.caption('Two words')",
        "a = f'{n} held out rows'",
        "st.button('Cancel')",
        "pick(help=f'Of {n}')",
        "raise ValueError('too many rows')",
    ]:
        file = tmp_path / "a.py"
        file.write_text(f"'''The text of a module.'''\n{code}\n")
        assert own_texts(file) == [2]


def test_sentences_outside_phrases_are_seen_and_texts_that_a_component_speaks_in_choices_too():
    code = '"""Of a module."""\nwords = f"{n} rows go left"\nsay("{n} rows")\nraise ValueError("not this one")'
    assert sentences(ast.parse(code), is_for_callers) == ["0 rows go left"]
    assert sentences(ast.parse(code)) == ["0 rows go left", "not this one"]
    script = """spoken("a, {n}", { n: x("no") }); spoken(x.endsWith("L") ? (y ? "b" : "c") : "d"); said("no")"""
    assert list(texts_spoken(script)) == ["a, {n}", "b", "c", "d"]


def test_values_of_a_phrase_stand_at_its_places_in_any_order_also_in_wide_letters():
    assert say("{a} or {b}", b="{a}", a="x") == "x or {a}"
    assert say("no values in {this}") == "no values in {this}"
    text = wide("{name} is known").format(name="petal length")
    assert (text, narrow(text)) == ("petal length ｉｓ ｋｎｏｗｎ", ["petal", "length"])


@pytest.mark.parametrize("code", OTHERS)
def test_a_component_has_every_text_that_it_speaks_in_each_language(code):
    n_texts = 0
    for name in sorted(path.parent.name for path in COMPONENTS.glob("*/main.js")):
        modules = join_modules(f"{name}/main.js")
        spoken, given = set(texts_spoken(modules)), re.search(r"(?m)^const TEXTS = (.*);$", add_texts(modules))
        texts = json.loads(given[1])[code] if given else {}
        assert not spoken - texts.keys(), f"core/espalier/texts/{code}.po lacks what {name} speaks"
        assert not [text for text in spoken if places(texts[text]) != places(text)]
        n_texts += len(spoken)
    assert n_texts > 100


OF_FILES = {"components.py", "reading_options.py", "new_table.py", "course.py"}  # cells as they stand there


def drawn(language, arrow=False):
    """The table of a page that speaks this language; or the same as a table of Arrow."""

    def page(language, arrow):
        import pandas as pd
        import pyarrow as pa
        import streamlit as st

        from espalier.language import speaking
        from pages.shared.canvas.components import data_table

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
