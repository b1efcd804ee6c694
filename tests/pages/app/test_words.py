"""Texts that people read on pages are said by `language.say`, so that each language can have its own."""

import ast
import re
from pathlib import Path

from tests.tools.phrases import is_saying, said_in

PROJECT = Path(__file__).resolve().parents[3]
CATALOGUE = PROJECT / "core" / "espalier" / "learners" / "catalogue"  # the words of settings are on pages
DATA = PROJECT / "core" / "espalier" / "data"  # what is wrong with a file is on pages, and so are these
TABLES = [*DATA.glob("columns/*.py"), *DATA.glob("formats/*.py"), DATA / "contents.py", DATA / "table.py"]
STABILITY = PROJECT / "core" / "espalier" / "stability"  # how trees are compared, and data redrawn
OF_CHOICES = [STABILITY / "structures.py", STABILITY / "resampling.py"]
OLD_LINKS = PROJECT / "pages" / "shared" / "app" / "links" / "entry.py"  # former values of addresses
FILES = [p for p in sorted(PROJECT.glob("pages/**/*.py")) if p != OLD_LINKS]
SENTENCE = re.compile(r"[^\W\d_]+[^\w\s]*\s+[^\w\s]*[^\W\d_]+")  # two words of letters
CODE = re.compile(r"\s*(<|//|'|\^|\(|ws:|camera=|width:|export )")  # how HTML, CSS, JavaScript and headers begin
FOR_PROGRAMMERS = {"TypeError", "RuntimeError", "AssertionError", "ModuleError"}
WRITERS = {  # functions of Streamlit whose first argument people read
    *("button", "checkbox", "download_button", "link_button", "multiselect", "number_input", "pills", "popover"),
    *("radio", "segmented_control", "selectbox", "slider", "text_area", "text_input", "toggle", "file_uploader"),
    *("caption", "error", "expander", "header", "info", "markdown", "metric", "progress", "subheader", "success"),
    *("title", "toast", "warning", "write"),
}
READ = {"label", "help", "placeholder", "text"}  # arguments of widgets that people read


def name(path):
    return path.relative_to(PROJECT).as_posix()


def texts(node):
    """Every text in the syntax tree but what is said, docstrings, keys, logging and errors for programmers."""
    if not is_for_machines(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(str(getattr(part, "value", "")) for part in constants(node))
        for child in [node.value] if isinstance(node, ast.Subscript) else ast.iter_child_nodes(node):
            if not (isinstance(node, ast.JoinedStr) and isinstance(child, ast.Constant)):
                yield from texts(child)


def constants(joined):
    """The parts of an f-string, with a blank figure for each value."""
    return [part if isinstance(part, ast.Constant) else ast.Constant("0") for part in joined.values]


def is_for_machines(node):
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)  # a docstring
    if isinstance(node, ast.keyword):
        return node.arg == "key"
    if isinstance(node, ast.Raise):
        return isinstance(node.exc, ast.Call) and ast.unparse(node.exc.func) in FOR_PROGRAMMERS
    return is_saying(node) or (isinstance(node, ast.Call) and ast.unparse(node.func).startswith(("_log.", "re.")))


def labels(tree):
    """What the file itself hands to widgets for people to read, even if it is one word."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        is_writer = isinstance(call.func, ast.Attribute) and call.func.attr in WRITERS
        first = call.args[:1] if is_writer else []
        for value in [*first, *(keyword.value for keyword in call.keywords if keyword.arg in READ)]:
            yield from texts(value)


def parsed(path):
    return ast.parse(path.read_text("utf-8"))


def own_texts(path):
    """Lines of the file with texts that people read."""
    tree = parsed(path)
    sentences = {line for line, text in texts(tree) if SENTENCE.search(text) and not CODE.match(text)}
    words = {line for line, text in labels(tree) if re.search(r"[^\W\d_]{2}", re.sub(r":[\w/]+[:\[]", "", text))}
    return sorted(sentences | words)


def test_texts_that_people_read_are_said():
    own = {name(path): own_texts(path) for path in FILES}
    assert not {path: lines for path, lines in own.items() if lines}


PAPERS = {"CRF-option: features only"}  # what a paper calls a thing


def test_pages_say_column_and_not_feature():
    """Terms in code spans, such as `max_features`, are those of the library."""
    others = [text for path in [*CATALOGUE.glob("*.py"), *TABLES, *OF_CHOICES] for _, text in texts(parsed(path))]
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
