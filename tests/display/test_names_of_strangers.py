"""Names from anywhere steer no text, picture or file: from right to left, of 200 letters, or as a formula."""

import csv
import html
import io
import json
import re
import unicodedata
from base64 import b64decode
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from espalier import export
from espalier.data.dataset import Feature, make_dataset
from espalier.data.errors import TableError, quoted
from espalier.display.boundaries.surface import surface
from espalier.display.plotly import safe as in_figure
from espalier.display.tables import to_csv
from espalier.display.text import trees as texts
from espalier.display.tree import cards, figures, graphviz, small_tree
from espalier.display.tree.graphviz import safe as as_label
from espalier.explanation import parts
from espalier.explanation.shapley import prediction_parts
from espalier.forests import surfaces
from espalier.inert import CLOSE, INVISIBLE, OPEN, RIGHT_TO_LEFT, SHOWN_AS, inert, legible, shortened
from espalier.language import say
from espalier.learners import CartClassifier, CultivatedClassifier, ObliqueClassifier
from espalier.notebook import static
from pages.shared.app.frame import plain, plain_table
from tests.tools.cases import case

OVERRIDE = "\u202e"
HEBREW = "\u05d2\u05d9\u05dc"
BASE64 = re.compile(r"data:image/svg\+xml;base64,([\w+/=]+)")
ARABIC = "\u0639\u0645\u0631"
LONG = "how satisfied you are, all in all, with what you got from us in the last week of the month before " * 2


def table(numbers, category, categories, classes):
    """A table of two numbers and a category that all matter to the classes."""
    draw = np.random.default_rng(0)
    X = np.column_stack([draw.normal(size=(300, 2)), draw.integers(0, 3, 300)])
    y = (X[:, 0] > -0.025).astype(int) + (X[:, 1] > 0.3) * (X[:, 2] == 1)
    features = (*map(Feature, numbers), Feature(category, "category", categories))
    return make_dataset(f"table of {category}", X, features, y, Feature(category, "category", classes))


STRANGE = table(
    (f"{HEBREW} (cm)", f"a{OVERRIDE}b"),
    ARABIC,
    (f"{ARABIC} 1", f"x{OVERRIDE}", "c"),
    (HEBREW, f"q{OVERRIDE}w", ARABIC),
)
FAMILY = table(
    (f"{LONG}A", f"{LONG}B"),
    f"{LONG}C",
    tuple(f"{LONG}{end}" for end in "xyz"),
    tuple(f"{LONG}{end}" for end in "pqr"),
)


def strings(value):
    """All texts in JSON."""
    if isinstance(value, str):
        return [value]
    pairs = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in pairs for text in strings(one)]


def pictures_of(data):
    """What is drawn of a table and a tree, by name: the texts that people see, as they are in the picture."""
    tree = grown(data)
    added: Any = prediction_parts(tree, data.X[0], 1)
    plane = surfaces.plane_of(data, (0, 2))
    answers = np.tile(np.eye(3)[0], (len(plane.samples(np.zeros(3))), 1))
    shares, matrix = tree.value[:2], np.array([[4, 1, 0], [0, 5, 0], [0, 2, 3]])
    svg = {
        "small tree": small_tree.tree_picture(tree, data.features, data.target).draw(False),
        "reasons": parts.reasons_picture(added, data, data.X[0]).draw(False),
        "surface of a forest": surfaces.picture(answers, plane, data, False),
        "legend": surfaces.legend(data, False),
        "notebook": BASE64.sub(lambda found: b64decode(found[1]).decode(), static.static_html(fitted(data))),
    }
    plotly = {
        "bar of classes": figures.class_bars(shares[0], shares[1], data.target).draw(False),
        "confusion matrix": figures.confusion_picture(matrix, data.target).draw(False),
    }
    return {
        **{
            name: [html.unescape(text) for text in re.findall(r"<text[^>]*>([^<]+)<", one)]
            for name, one in svg.items()
        },
        **{
            name: list(map(html.unescape, strings(json.loads(str(one.to_json()))))) for name, one in plotly.items()
        },
        "classical": re.findall(r'label="([^"]*)"', graphviz.to_dot(tree, data.features, data.target)),
    }


def sentences_of(data):
    """What is said of a tree and its nodes."""
    tree, features, target = grown(data), data.features, data.target
    added: Any = prediction_parts(tree, data.X[0], 1)
    of_nodes = [
        [texts.describe(tree, features, target, n), texts.says(tree, target, n), *texts.rule(tree, features, n)]
        for n in range(tree.n_nodes)
    ]
    splits = np.flatnonzero(tree.left >= 0).tolist()
    return [
        *(text for lines in of_nodes for text in lines),
        *(texts.condition(tree, features, n, left) for n in splits for left in (True, False)),
        small_tree.alt(tree, features, target),
        parts.reasons_picture(added, data, data.X[0]).alt,
        figures.class_bars(tree.value[0], tree.value[1], target).alt,
        figures.confusion_picture(np.eye(3, dtype=int) + 1, target).alt,
        *strings(cards.cards(tree, data, np.ones(300, bool))),
        *strings(surface(tree, data, [0, 2])),
    ]


def grown(data):
    return CartClassifier(max_depth=4, random_state=0).fit(data.X, data.y).tree_


def fitted(data):
    frame = pd.DataFrame(data.X, columns=[one.name for one in data.features])
    return CartClassifier(max_depth=3, random_state=0).fit(frame, np.array(data.classes)[data.y])


def test_no_name_turns_around_what_stands_beside_it_in_sentences_and_pictures():
    shown = [(name, text) for name, lines in pictures_of(STRANGE).items() for text in lines]
    shown += [("sentences", text) for text in sentences_of(STRANGE)]
    assert len({name for name, text in shown if RIGHT_TO_LEFT.search(text)}) == 9
    for name, text in shown:
        assert is_safe(text), (name, ascii(text))


def test_exports_for_people_are_safe_and_code_keeps_exact_names_but_comments_none_that_turn_text_around():
    features, target = STRANGE.features, STRANGE.target
    for learner in (CartClassifier, CultivatedClassifier, ObliqueClassifier):
        tree = learner(max_depth=2).fit(STRANGE.X, STRANGE.y).tree_
        for write in (export.to_rules, export.to_dot):
            assert is_safe(write(tree, features, target)), (learner, write)
        document = export.to_json(tree, features, target)
        assert not INVISIBLE.search(document)
        assert OPEN not in document
        assert export.from_json(document)[1:] == (features, target)
        for write, sign in ((export.to_python, "#"), (export.to_sql, "--")):
            source = write(tree, features, target)
            comments = [line.split(sign, 1)[1] for line in source.splitlines() if line.strip().startswith(sign)]
            assert comments
            assert all(is_safe(line) for line in comments), (learner, write, comments)
            assert target.categories[0] in source.replace(f"{OPEN}{target.categories[0]}", "")  # exact in code
            assert (sign == "--") == (OVERRIDE in source) == ("turn the text after it around" in source)


def test_pictures_stay_readable_with_names_of_200_letters_and_tell_a_family_of_them_apart():
    for name, lines in pictures_of(FAMILY).items():
        written = [line for text in lines for line in text.split(r"\n") if "…" in line]
        assert written, name
        limit = 110 if name in ("small tree", "notebook") else 60
        assert max(len(line) for line in written) <= limit, (name, max(written, key=len))
        hovers = [text for text in lines if len(text) > 200]  # the whole names stay under the pointer
        assert not hovers or name in ("bar of classes", "confusion matrix"), name
    lines = [line for text in pictures_of(FAMILY)["classical"] for line in text.split(r"\n")]
    assert len({line.partition(" ≤ ")[0] for line in lines if " ≤ " in line}) == 2
    tree = grown(FAMILY)
    tips = re.findall(r'tooltip="([^"]*)"', graphviz.to_dot(tree, FAMILY.features, FAMILY.target))
    asked = [FAMILY.features[f].name for f in tree.feature[tree.left >= 0]]
    assert all(any(name in tip for tip in tips) for name in asked)


def test_usual_names_have_no_sign_of_all_this():
    usual = table(("petal length (cm)", "Größe"), "kind", ("a", "b", "c"), ("setosa", "versicolor", "virginica"))
    for name, lines in {**pictures_of(usual), "sentences": sentences_of(usual)}.items():
        assert not any(INVISIBLE.search(text) or OPEN in text for text in lines), name


# What GitHub's Markdown, which pages have, makes a link of (its specification, section 6.9), escaped or not.
BARE = re.compile(r"(https?://|www\.)[^\s<]|[\w.+-]+@[\w-]+\.", re.IGNORECASE)
STEERING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI")


def test_a_control_or_an_override_is_seen_and_line_breaks_are_blanks_and_plain_text_stays():
    assert inert(f"a{OVERRIDE}b\x1b[31m\x00") == f"a{SHOWN_AS}b{SHOWN_AS}[31m{SHOWN_AS}"
    assert inert("a\r\nb\u2028c\x85d\x0be") == "a  b c d e"
    assert inert(HEBREW) == OPEN + HEBREW + CLOSE
    assert inert(f"The column {inert(HEBREW)} is empty.") == f"The column {OPEN}{HEBREW}{CLOSE} is empty."
    for text in ("Größe (cm) ≤ 2,5 %", "👨\u200d👩\u200d👧", "می\u200cخواهم".replace("م", "m"), "x\u0301"):
        assert SHOWN_AS not in inert(text)
    assert inert("Größe (cm) ≤ 2,5 %") == "Größe (cm) ≤ 2,5 %"


def is_safe(text):
    """Whether a text steers nothing beside it: controls, pairs of isolates, and what is in them."""
    opened = 0
    for c in text:
        opened += (c == OPEN) - (c == CLOSE)
        steers = unicodedata.bidirectional(c) in (*STEERING, "AL", "R", "AN") or c in "\u061c\u200e\u200f"
        if opened < 0 or (steers and not (opened and unicodedata.bidirectional(c) in ("AL", "R", "AN"))):
            return False
    return not opened and not any(unicodedata.category(c) == "Cc" and not c.isspace() for c in text)


ANY_TEXT = st.text(st.characters() | st.sampled_from(f"{OPEN}{CLOSE}{OVERRIDE}{HEBREW}\u200f\x1b\n ab≤−3,()"))


@given(ANY_TEXT, st.integers(1, 30))
def test_nothing_that_has_been_through_it_reaches_beyond_itself(text, most):
    for way in (inert, legible, lambda words: shortened(inert(words), most)):
        once = way(text)
        assert is_safe(once), (way, once)
        assert way(once) == once
    assert "\n" not in inert(text)
    assert legible(inert(text)) == inert(text)
    assert is_safe(say("{name} ≤ {value}", name=text, value="−0.5"))


@given(st.text(st.characters(codec="cp1252", exclude_categories=("Cc",)), max_size=60), st.integers(1, 30))
def test_names_in_latin_letters_stay_byte_for_byte(text, most):
    assert inert(re.sub(r"\s", " ", text)) == re.sub(r"\s", " ", text)
    assert legible(text) == text
    assert len(shortened(text, most)) <= max(most, 2)
    assert len(text) > most or shortened(text, most) == text


def test_in_a_sentence_letters_from_right_to_left_are_apart_from_signs_and_numbers():
    assert legible(f"{HEBREW} {HEBREW} ≤ −0.5, {HEBREW}") == (
        f"{OPEN}{HEBREW} {HEBREW}{CLOSE} ≤ −0.5, {OPEN}{HEBREW}{CLOSE}"
    )
    assert legible(f"{OPEN}{HEBREW}") == OPEN + HEBREW + CLOSE  # cut within an isolate


def test_a_shortened_name_keeps_both_ends_so_that_names_of_a_family_differ():
    names = [f"{'the mean of all measurements of ' * 7}{end}" for end in ("sepals", "petals")]
    short = [shortened(name, 30) for name in names]
    assert short[0] != short[1]
    assert all(len(text) <= 30 and "…" in text and text.startswith("the mean") for text in short)


def test_every_way_from_the_data_to_a_message_goes_through_it():
    text = f"x{OVERRIDE}y"
    assert OVERRIDE not in str(TableError("No.", f"The column {quoted(text)}.", "Rename it."))
    for way in (quoted, plain, as_label, in_figure):
        assert OVERRIDE not in way(text)
        assert SHOWN_AS in way(text)


@given(st.text("whtps:/.@-ab \u05d2", max_size=30) | st.sampled_from(["WWW.a.b", "HTTPS://a", "a.b@c.de"]))
def test_no_bare_address_in_a_name_becomes_a_link(text):
    shown = re.sub(r"\\(.)", r"\1", plain(text))
    assert not BARE.search(shown)
    assert shown.replace("\u2060", "") == inert(text)


def test_a_table_of_names_means_nothing_to_markdown():
    names = ["[a](http://b.example)", "**bold**", "![i](x.png)", "www.c.example"]
    table = plain_table(pd.DataFrame(dict.fromkeys(names, names), index=pd.Index(names, name="rate")))
    assert table.index.name == "rate"
    assert set(table.index) == set(table.columns) == set(table.to_numpy().ravel()) == set(map(plain, names))


def written(*texts):
    """The cells of a column of these texts, as they stand in the file."""
    table = pd.DataFrame({"x": list(texts), "y": 1})
    return [row[0] for row in csv.reader(io.StringIO(to_csv(table), newline=""))][1:]


FORMULAS = ['=HYPERLINK("http://x")', "+x", "-x", "@SUM(1)", "\t=1", "\r=1", " =1", "\uff1d1"]
PLAIN = ["-1", "+3.5e-2", "red", "a-b", "1 = 1", "x > 2"]


def test_a_text_that_would_be_a_formula_has_an_apostrophe_before_it_also_after_a_mark_and_in_names_of_columns():
    for text in FORMULAS:
        with case(text):
            assert written(text)[0].startswith("'")
    assert written("a;=1", "a\n@x") == ["a;'=1", "a\n'@x"]
    table = pd.DataFrame([[1, 2]], columns=["=x", "=x"])
    assert to_csv(table) == "'=x,'=x\n1,2\n"


def test_numbers_and_plain_texts_stay_as_they_are():
    assert written(*PLAIN) == PLAIN
    assert to_csv(pd.DataFrame({"a": [-1.5, float("nan")], "b": [True, False]})) == "a,b\n-1.5,True\n,False\n"


@given(st.text(alphabet="=+-@ \t;1e.a\n"))
def test_no_cell_begins_as_formulas_do_unless_it_is_a_number(text):
    cell = written(text)[0]
    if cell[:1] in ("=", "+", "-", "@", "\t"):
        float(cell)
