"""Texts of strangers do not steer the sentences that they stand in."""

import re
import unicodedata

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from espalier.data.errors import TableError, quoted
from espalier.data.inert import CLOSE, OPEN, SHOWN_AS, inert
from espalier.views.plotly import safe as in_figure
from espalier.views.tree.graphviz import safe as as_label
from pages.shared.app.frame import plain, plain_table

OVERRIDE = "\u202e"
HEBREW = "\u05d2\u05d9\u05dc"
# What GitHub's Markdown, which pages have, makes a link of (its specification, section 6.9), escaped or not.
BARE = re.compile(r"(https?://|www\.)[^\s<]|[\w.+-]+@[\w-]+\.", re.IGNORECASE)
STEERING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI")


def test_a_control_or_an_override_is_seen_instead_of_obeyed():
    assert inert(f"a{OVERRIDE}b\x1b[31m\x00") == f"a{SHOWN_AS}b{SHOWN_AS}[31m{SHOWN_AS}"


def test_line_breaks_of_every_kind_are_blanks():
    assert inert("a\r\nb\u2028c\x85d\x0be") == "a  b c d e"


def test_words_from_right_to_left_are_set_apart_once():
    assert inert(HEBREW) == OPEN + HEBREW + CLOSE
    assert inert(f"The column {inert(HEBREW)} is empty.") == f"The column {OPEN}{HEBREW}{CLOSE} is empty."


def test_plain_text_and_its_accents_joiners_and_signs_stay():
    for text in ("Größe (cm) ≤ 2,5 %", "👨\u200d👩\u200d👧", "می\u200cخواهم".replace("م", "m"), "x\u0301"):
        assert SHOWN_AS not in inert(text)
    assert inert("Größe (cm) ≤ 2,5 %") == "Größe (cm) ≤ 2,5 %"


@given(st.text(alphabet=st.characters() | st.sampled_from(f"{OPEN}{CLOSE}{OVERRIDE}{HEBREW}\u200f\x1b\n ab")))
def test_nothing_that_has_been_through_it_reaches_beyond_itself(text):
    once = inert(text)
    assert inert(once) == once
    assert not [c for c in once if unicodedata.bidirectional(c) in STEERING or unicodedata.category(c) == "Cc"]
    opened = 0
    for c in once:
        opened += (c == OPEN) - (c == CLOSE)
        assert opened >= 0
    assert opened == 0
    outside = "".join(c for c in once if c != SHOWN_AS)
    right_to_left = any(unicodedata.bidirectional(c) in ("R", "AL") for c in outside)
    assert not right_to_left or OPEN in once


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
