"""Texts of strangers do not steer the sentences that they stand in."""

import re
import unicodedata

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from espalier.data.errors import TableError, quoted
from espalier.display.plotly import safe as in_figure
from espalier.display.tree.graphviz import safe as as_label
from espalier.inert import CLOSE, OPEN, SHOWN_AS, inert, legible, shortened
from espalier.language import say
from pages.shared.app.frame import plain, plain_table

OVERRIDE = "\u202e"
HEBREW = "\u05d2\u05d9\u05dc"
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


STRANGE = st.text(st.characters() | st.sampled_from(f"{OPEN}{CLOSE}{OVERRIDE}{HEBREW}\u200f\x1b\n ab≤−3,()"))


@given(STRANGE, st.integers(1, 30))
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
