"""A report of sections, as an HTML document of its own: to read, to print and to keep beside a decision."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pandas as pd

from espalier.data.dataset import Dataset, Feature
from espalier.data.samples import title_of
from espalier.display import ink
from espalier.display.paper import document, escape
from espalier.display.tables import named
from espalier.display.text.trees import join
from espalier.display.text.values import all_written
from espalier.display.theme import count, number, percent, rounded_to
from espalier.language import say
from espalier.reports.screens import numbered

STYLE = """
@page { size: A4; margin: 16mm 15mm; }
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; max-width: 900px; margin: 2rem auto;
       padding: 0 1rem; color: #222; background: #fff; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
h2, h3, figcaption, p:has(> strong:only-child) { break-after: avoid; }
p:has(+ .wide), p:has(+ figure), p:has(+ pre) { break-after: avoid; }
.kept:has(+ .wide), .kept:has(+ figure), .kept:has(+ .row) { break-after: avoid; }
h2 + *, h3 + * { break-before: avoid; }
p, li { orphans: 3; widows: 3; }
figure { margin: 1rem 0; overflow-x: auto; break-inside: avoid; }
[role=img] { max-width: calc(1.25 * var(--own, 100%)); }
svg { width: 100%; min-width: 34rem; height: auto; display: block; }
.large svg { min-width: 0; max-width: 26rem; } .row .large { max-width: 26rem; }
.row { display: flex; flex-wrap: wrap; gap: .8rem; break-inside: avoid; } .row svg { min-width: 0; }
.row figure { flex: 1 1 9rem; max-width: 15rem; margin: .4rem 0; }
figcaption, .small { color: #555; font-size: .85rem; text-align: left; } .small p { margin: .2rem 0; }
.wide { overflow-x: auto; overflow-wrap: normal; margin: .5rem 0 1rem; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { border-bottom: 1px solid #ddd; padding: .25rem .8rem .25rem 0; text-align: left; vertical-align: top; }
tr, pre, .kept { break-inside: avoid; } .long { min-width: 15rem; }
@media print, (min-width: 700px) { .middle { min-width: 8.5rem; } }
pre { background: #f5f5f3; padding: .8rem; font-size: .8rem; white-space: pre-wrap; }
@media screen and (prefers-color-scheme: dark) {
  :root { color-scheme: dark; } body { color: #e4e4e0; background: DARK; }
  figcaption, .small { color: #b4b4ae; } th, td { border-color: #43464c; } pre { background: #24272c; }
}
@media print {
  body { margin: 0; padding: 0; max-width: none; font-size: 10.5pt; }
  figure, .wide { overflow: visible; } .short { break-inside: avoid; } .long { min-width: 11rem; }
  svg { min-width: 0; } [role=img] { max-width: calc(1.1 * var(--own, 100%)); } .row figure { flex-basis: 7rem; }
  pre { background: none; border: 1px solid #ddd; }
}
""".replace("DARK", ink.PAPER["dark"])  # the paper that pictures are drawn for


class Prose(NamedTuple):
    """A paragraph."""

    text: str


class Marked(NamedTuple):
    """Sentences of a view, in its Markdown: paragraphs, headings, lists, and words in bold or italics.

    A backslash before a mark, as pages write names from the data, takes its meaning away.
    """

    text: str


class Subheading(NamedTuple):
    """A heading inside a section."""

    text: str


class Listed(NamedTuple):
    """Items, each a sentence."""

    items: Sequence[str]


class Grid(NamedTuple):
    """A table: the heads of its columns, and rows of texts, of which the first names the row."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


class Drawing(NamedTuple):
    """A picture in SVG, with words for those who do not see it."""

    svg: str  # of `on_any_screen`, so that it follows the screen
    alt: str
    caption: str = ""
    is_large: bool = False  # whether it is legible on a phone at the phone's width


class PictureRow(NamedTuple):
    """Small pictures side by side, as many as there is room for."""

    drawings: Sequence[Drawing]


class Verbatim(NamedTuple):
    """Text as it is written, such as code."""

    text: str


WIDTH = re.compile(r'<[^>]* width="([0-9.]+)"')  # of a picture: its first element has it
MIDDLE = 14  # letters of a cell that is not squeezed to its longest word, where there is room
SHORT, LONG = 8, 45  # rows of a table that stands on one sheet of paper; letters of a cell that is kept wide
ESCAPED, FIRST_FREE = (
    re.compile(r"\\([!-/:-@\[-`{-~])"),
    0xE000,
)  # a mark after a backslash; letters of no alphabet

Part = Prose | Marked | Subheading | Listed | Grid | Drawing | PictureRow | Verbatim


class ReportSection(NamedTuple):
    """A heading with what stands below it."""

    heading: str
    parts: Sequence[Part]


class Report(NamedTuple):
    """A title, the small print below it, and sections."""

    title: str
    lead: Sequence[str]  # paragraphs below the title
    sections: Sequence[ReportSection]
    small_print: Sequence[str]  # below the lead


def grid_of(table: pd.DataFrame) -> Grid:
    """Return a table of texts and numbers as a part, its index first unless that only counts the rows.

    >>> grid_of(pd.DataFrame({"CART": ["92 %"]}, index=pd.Index(["accuracy"], name="score"))).rows
    [('accuracy', '92 %')]
    """
    if not isinstance(table.index, pd.RangeIndex):
        table = table.reset_index()
    columns = [_texts(table.iloc[:, place]) for place in range(table.shape[1])]
    return Grid([str(head) for head in table.columns], list(zip(*columns, strict=True)))


def _texts(column: pd.Series) -> list[str]:
    """Return a column's cells as people write them: numbers with three digits, of truths those that hold."""
    if column.dtype.kind == "b":
        return [say("yes") if cell else "–" for cell in column.tolist()]
    if column.dtype.kind == "f":
        return [number(cell) if np.isfinite(cell) else "–" for cell in column.tolist()]
    return ["–" if pd.isna(cell) else str(cell) for cell in column.tolist()]


def to_html(report: Report) -> str:
    """Return the report as an HTML document.

    >>> one = Report("Trees", ("All of them.",), (ReportSection("One", (Grid(("a", "b"), (("x", "1"),)),)),), ())
    >>> "<h2>One</h2>" in to_html(one)
    True
    """
    sections = "".join(f"<section>{_section(one)}</section>" for one in report.sections)
    small = f'<div class="small">{_paragraphs(report.small_print)}</div>'
    head = f"<h1>{escape(report.title)}</h1>{_paragraphs(report.lead)}{small}"
    body, colours = numbered(f"<main>{head}{sections}</main>")
    return document(report.title, STYLE + colours, body)


def parts_html(parts: Sequence[Part]) -> str:
    """Return parts without pictures as HTML of their own, outside of a document."""
    return "".join(map(_part, parts))


def _section(one: ReportSection) -> str:
    """Return a section; its headings stay on one sheet of paper with the first thing below them that is none."""
    n = next((k for k, part in enumerate(one.parts) if not isinstance(part, Subheading)), len(one.parts)) + 1
    first, rest = one.parts[:n], one.parts[n:]
    head = f"<h2>{escape(one.heading)}</h2>{''.join(map(_part, first))}"
    goes_on_overleaf = bool(first) and isinstance(first[-1], Grid) and len(first[-1].rows) > SHORT
    below = "".join(map(_part, rest))
    return f"{head}{below}" if goes_on_overleaf else f'<div class="kept">{head}</div>{below}'


def _part(part: Part) -> str:
    match part:
        case Prose(text):
            return _paragraphs((text,))
        case Marked(text):
            return "".join(_marked(text))
        case Subheading(text):
            return f"<h3>{escape(text)}</h3>"
        case Listed(items):
            return f"<ul>{''.join(f'<li>{_in_one(item)}</li>' for item in items)}</ul>"
        case Grid():
            return _grid(part)
        case Drawing():
            return _figure(part)
        case PictureRow(drawings):
            return f'<div class="row">{"".join(map(_figure, drawings))}</div>'
        case Verbatim(text):
            lines = "\n".join(escape(line) for line in text.splitlines())
            return f'<pre tabindex="0">{lines}</pre>'


def _figure(one: Drawing) -> str:
    """Return the drawing; keys scroll it where it is wider than the page."""
    caption = f"<figcaption>{escape(one.caption)}</figcaption>" if one.caption else ""
    picture = f'<div role="img" aria-label="{escape(one.alt)}"{_limit(one.svg)}>{one.svg}</div>'
    kind = ' class="large"' if one.is_large else ""
    return f'<figure tabindex="0"{kind}>{caption}{picture}</figure>'


def _limit(picture: str) -> str:
    """Return the style that keeps a picture from being blown up: its words stay about as large as the text."""
    width = WIDTH.search(picture)
    return f' style="--own: {width[1]}px"' if width else ""


def _marked(text: str) -> Iterator[str]:
    """Yield the HTML of paragraphs, headings and lists."""
    aside = ESCAPED.sub(lambda mark: chr(FIRST_FREE + ord(mark[1])), text)
    lines = [line.strip() for line in aside.splitlines() if line.strip()]
    for tag, group in groupby(lines, lambda line: {"-": "li", "#": "h3"}.get(line[0], "p")):
        texts = "".join(f"<{tag}>{_emphasised(_in_one(line.lstrip('-# ')))}</{tag}>" for line in group)
        yield _back(f"<ul>{texts}</ul>" if tag == "li" else texts)


def _back(text: str) -> str:
    """Return the text with the marks that were set aside, escaped for HTML."""
    last = FIRST_FREE + ord("~")
    return re.sub(f"[{chr(FIRST_FREE)}-{chr(last)}]", lambda mark: escape(chr(ord(mark[0]) - FIRST_FREE)), text)


def _emphasised(text: str) -> str:
    bold = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"\*(.+?)\*", r"<em>\1</em>", bold)


def _grid(grid: Grid) -> str:
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in grid.heads)
    rows = "".join(
        f'<tr><th scope="row">{_in_one(first)}</th>{"".join(map(_cell, cells))}</tr>'
        for first, *cells in grid.rows
    )
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    kind = "wide short" if len(grid.rows) <= SHORT else "wide"
    return f'<div class="{kind}" tabindex="0">{table}</div>'


def _cell(text: str) -> str:
    kind = ' class="long"' if len(text) > LONG else ' class="middle"' if len(text) > MIDDLE else ""
    return f"<td{kind}>{_in_one(text)}</td>"


def _in_one(text: str) -> str:
    """Return the text as HTML; a number and its sign of per cent stay on one line."""
    return escape(text).replace(" %", "\u00a0%")


def _paragraphs(texts: Sequence[str]) -> str:
    return "".join(f"<p>{_in_one(text)}</p>" for text in texts if text)


# Data ------------------------------------------------------------------------------------------------

MOST_COLUMNS = 60  # listed with their ranges; beyond, those that the model asks about
MOST_NAMES = 6  # of categories


def data_section(data: Dataset, held: np.ndarray | None = None, asked: set[int] | None = None) -> ReportSection:
    """Return the section; `held` (n_samples,) are the rows held out, `asked` the features that the model uses.

    None stands for several models, each with its own.
    """
    parts: list[Part] = [Prose(_size(data, held)), Prose(_target(data)), _columns(data, asked)]
    meanings = [f"{one.name}: {one.meaning}" for one in (*data.features, data.target) if one.meaning]
    if meanings:
        parts += [
            Prose(say("What the columns mean, in the words of the person who made this report:")),
            Listed(meanings),
        ]
    changes = [sentence for feature in data.features for sentence in _changes(feature)]
    if changes:
        parts += [Prose(say("Changed when the file was read:")), Listed(changes)]
    return ReportSection(say("Data"), parts)


def table_html(data: Dataset) -> str:
    """Return the section as HTML without a heading, for a notebook.

    >>> from espalier.data import samples
    >>> "4.3 to 7.9" in table_html(samples.load("iris"))
    True
    """
    return parts_html(data_section(data).parts)


def _size(data: Dataset, held: np.ndarray | None) -> str:
    if held is None:
        return say(
            "“{name}”: {n} rows, and {columns} columns besides the target. Its digest in this program is "
            "{digest}: the same table under the same name has the same one.",
            name=title_of(data),
            n=count(len(data.y)),
            columns=count(len(data.features)),
            digest=data.digest,
        )
    return say(
        "“{name}”: {n} rows, of which {held} were held out for the scores, and {columns} columns besides the "
        "target. Its digest in this program is {digest}: the same table under the same name has the same one.",
        name=title_of(data),
        n=count(len(data.y)),
        held=count(int(held.sum())),
        columns=count(len(data.features)),
        digest=data.digest,
    )


def _target(data: Dataset) -> str:
    if not data.is_classification:
        low, high = float(data.y.min()), float(data.y.max())
        low, high = map(rounded_to((low, high)), (low, high))
        known = {"name": data.target.name, "low": low, "high": high}
        return say("Target: {name}, a number from {low} to {high}.", **known)
    shares = np.bincount(data.y, minlength=len(data.classes)) / len(data.y)
    classes = [
        f"{name} {percent(round(share, 3))}" for name, share in zip(data.classes, shares.tolist(), strict=True)
    ]
    return say("Target: {name}, with the classes {classes}.", name=data.target.name, classes=join(classes, "and"))


def _columns(data: Dataset, asked: set[int] | None) -> Grid:
    """Return a row for each column: its values, the share missing, and whether the one model asks about it."""
    first = range(min(len(data.features), MOST_COLUMNS))
    every = first if asked is None or len(data.features) <= MOST_COLUMNS else sorted(asked)
    heads, rows = [say("column"), say("values"), say("missing")], [_column(data, f) for f in every]
    if asked is None:
        return Grid(heads, rows)
    used = [(*row, say("yes") if f in asked else "–") for f, row in zip(every, rows, strict=True)]
    return Grid([*heads, say("used by the model")], used)


def _column(data: Dataset, f: int) -> tuple[str, ...]:
    feature, x = data.features[f], data.X[:, f]
    missing = float(np.isnan(x).mean())
    return feature.name, _values(feature, x), percent(round(missing, 4)) if missing else "–"


def _values(feature: Feature, x: np.ndarray) -> str:
    known = x[~np.isnan(x)]
    if not len(known):
        return "–"
    if feature.categories:
        names = [*feature.categories[:MOST_NAMES], *["…"] * (len(feature.categories) > MOST_NAMES)]
        return ", ".join(names)
    low, high = (str(v) for v in named(feature, np.array([known.min(), known.max()])).tolist())
    if feature.moment is None:
        low, high = all_written(feature, (float(known.min()), float(known.max())))
    return low if low == high else say("{low} to {high}", low=low, high=high)


def _changes(feature: Feature) -> list[str]:
    """Return sentences on what was changed as the column was read from its file."""
    origin = feature.origin
    if origin is None:
        return []
    known, found = {"column": feature.name}, []
    if origin.missing:
        texts = ", ".join(f"“{text}”" for text in origin.missing[:MOST_NAMES])
        found.append(say("{column}: {texts} were read as missing.", texts=texts, **known))
    if origin.pooled:
        found.append(say("{column}: {n} rare values became “(other)”.", n=count(len(origin.pooled)), **known))
    if origin.is_lossy:
        found.append(say("{column}: texts that are no numbers were read as missing.", **known))
    return found
