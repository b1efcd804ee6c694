"""The difference of two trees as an HTML document of its own: sentences, both pictures and the rows."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from espalier.display.paper import document, escape
from espalier.display.tree.difference import drawing
from espalier.display.tree.difference.words import (
    ComparedTrees,
    answers_words,
    change_words,
    cost_words,
    counts_words,
    space_words,
    told,
)
from espalier.language import say

STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; max-width: 1100px; margin: 2rem auto;
       padding: 0 1rem; color: #31333f; background: #fff; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
figure { margin: 0; } .both { display: flex; flex-wrap: wrap; gap: 2rem; } svg { max-width: 100%; height: auto; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem; }
th, td { border-bottom: 1px solid #ddd; padding: .25rem .6rem; text-align: left; white-space: nowrap; }
footer { margin-top: 2rem; color: #555; font-size: .85rem; overflow-wrap: anywhere; }
"""


class DifferenceHeading(NamedTuple):
    """The texts around the difference."""

    title: str
    sides: tuple[str, str]  # names of A and B, with their scores
    notes: tuple[str, ...]  # on columns that do not match
    link: str  # to the page; empty: none


def sheet(both: ComparedTrees, heading: DifferenceHeading, rows: pd.DataFrame) -> str:
    """Return the HTML; `rows` are those that change their answer, or the first of them."""
    found = both.difference
    sentences = [
        counts_words(both),
        answers_words(found, both.target),
        space_words(found, bool(both.target.categories)),
        cost_words(found),
    ]
    items = "".join(f"<li>{escape(change_words(both, change))}</li>" for change in told(both))
    figures = "".join(_figure(both, heading, is_a) for is_a in (True, False))
    table = rows.to_html(index=False, border=0, escape=True, na_rep="", float_format=lambda x: f"{x:g}")
    body = (
        f"<h1>{escape(heading.title)}</h1>{_paragraphs(sentences)}{_paragraphs(heading.notes)}"
        f"<p>{drawing.legend(dark=False)}</p><div class='both'>{figures}</div>"
        f"<h2>{escape(say('What changed'))}</h2><ol>{items}</ol>"
        f"<h2>{escape(say('Rows that change their answer'))}</h2><div class='wide'>{table}</div>"
        f"<footer>{escape(heading.link)}</footer>"
    )
    return document(heading.title, STYLE, body)


def _figure(both: ComparedTrees, heading: DifferenceHeading, is_a: bool) -> str:
    letter, name = ("A", heading.sides[0]) if is_a else ("B", heading.sides[1])
    picture = drawing.marked_tree(both, is_a, dark=False)
    return f"<figure><figcaption><b>{letter}</b>: {escape(name)}</figcaption>{picture}</figure>"


def _paragraphs(sentences: list[str] | tuple[str, ...]) -> str:
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences if sentence)
