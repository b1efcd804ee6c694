"""A questionnaire on paper, in black on A4 pages, and as a table: numbered questions, and where to go on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from espalier.data.dataset import Feature
from espalier.display import svg
from espalier.display.paper import document, escape
from espalier.display.svg import Markup
from espalier.display.text.trees import FEW, answers_of, class_words, rows_words
from espalier.display.text.values import value_text
from espalier.display.theme import percent
from espalier.inert import inert
from espalier.language import say
from espalier.predict import leaders
from espalier.questionnaire.questionnaire import Questionnaire, child, has_learned, is_unsure, without_knowing
from espalier.questionnaire.words import Mark, QuestionText, likeliest_classes, odds, question
from espalier.tree.rules import n_surrogates
from espalier.trees import LEAF, depths

MOST_DRAWN = 16  # answers of a questionnaire that is also drawn as a tree
WIDTH, ROW, RADIUS = 680, 64, 12  # of the drawing, in pixels
LETTERS, SHORT = 14, 6  # of a class in it, and of an answer on a line

PRINT = "print()"  # the only script of a sheet; the server tells browsers to run no other
STYLE = """
@page { size: A4; margin: 16mm 15mm; }
* { box-sizing: border-box; }
html { background: #fff; color: #000; }
body { font: 11pt/1.4 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; max-width: 180mm; margin: 0 auto;
       padding: 4mm; }
@media print { body { padding: 0; } .screen { display: none; } }
h1 { font-size: 18pt; margin: 0 0 1mm; }
p { margin: 0 0 2mm; }
.case { display: flex; flex-wrap: wrap; gap: 3mm 6mm; margin: 5mm 0 4mm; }
.case span { flex: 1 1 40mm; border-bottom: .3mm solid #000; color: #444; font-size: 9pt; padding-top: 4mm; }
svg { display: block; width: 100%; height: auto; margin: 2mm 0 4mm; }
ol { list-style: none; margin: 0; padding: 0; }
li { display: flex; gap: 4mm; border: .3mm solid #000; border-radius: 2mm; padding: 2.5mm 3.5mm; margin: 0 0 2.5mm;
     break-inside: avoid; }
li > b { flex: 0 0 8mm; height: 8mm; line-height: 7.4mm; text-align: center; border: .3mm solid #000;
         border-radius: 50%; }
li > div { flex: 1; min-width: 0; overflow-wrap: anywhere; }
.ask { font-weight: 600; margin-bottom: 1mm; }
.way { display: flex; gap: 2.5mm; margin: .6mm 0; }
.way i { flex: none; width: 3.6mm; height: 3.6mm; border: .3mm solid #000; margin-top: .7mm; }
.way span { display: inline-block; min-width: 13mm; }
.unknown { color: #444; font-size: 9pt; margin: .8mm 0 0; }
button { font: inherit; padding: 2mm 5mm; margin: 0 0 4mm; cursor: pointer; }
"""


class Heading(NamedTuple):
    """The texts around the questions."""

    title: str
    lines: tuple[str, ...]  # the origin of the questionnaire, and how good it is
    behind: str  # the text in brackets after an answer: "how often …"
    limit: float  # the least share of a class that is an answer
    counts_rows: bool = True  # whether shares are of rows, not of a model's made-up cases


def sheet(form: Questionnaire, target: Feature, heading: Heading, button: bool = False) -> str:
    """Return the questionnaire as an HTML document of its own; `button` adds a print button on the screen.

    Questions are numbered in the order of the tree from left to right.
    """
    splits = np.flatnonzero(form.tree.feature != LEAF).tolist()
    numbers = {node: place + 1 for place, node in enumerate(splits)}
    items = "".join(_item(form, target, node, numbers, heading) for node in splits)
    only = "" if splits else f"<p>{_end(form, target, 0, heading)}</p>"
    lines = "".join(f"<p>{escape(line)}</p>" for line in heading.lines)
    press = f'<button class="screen" onclick="{PRINT}">{say("Print")}</button>' if button else ""
    heads = (say("Case"), say("Date"), say("Filled in by"), say("Answer"))
    case = "".join(f"<span>{head}</span>" for head in heads)
    body = (
        f"{press}<h1>{escape(heading.title)}</h1>{lines}"
        f'<p>{_how_to(heading, target)}</p><div class="case">{case}</div>'
        f"{_drawing(form, target, numbers, heading.limit)}{only}<ol>{items}</ol>"
    )
    return document(heading.title, STYLE, body)


def _item(form: Questionnaire, target: Feature, node: int, numbers: dict[int, int], heading: Heading) -> str:
    texts = question(form, node)
    ways = "".join(
        f'<div class="way"><i></i><div><span>{escape(choice.label)}</span> '
        f"→ {_goal(form, target, child(form.tree, node, choice.left), numbers, heading)}</div></div>"
        for choice in texts.choices
    )
    meaning = escape(form.features[int(form.tree.feature[node])].meaning)
    note = f'<p class="unknown">{meaning}</p>' if meaning else ""
    return (
        f'<li id="q{numbers[node]}"><b>{numbers[node]}</b><div><div class="ask">{escape(texts.text)}</div>{note}'
        f"{ways}"
        f'<p class="unknown">{_not_known(form, node, texts)}</p></div></li>'
    )


def _not_known(form: Questionnaire, node: int, texts: QuestionText) -> str:
    """Return what to do without the value, escaped: the questions that stand in for it, and the last resort."""
    label = {choice.left: escape(choice.label) for choice in texts.choices}
    parts, start = [], say("Not known")
    for number_ in range(1, n_surrogates(form.tree, node) + 1):
        other = question(form, node, stand_in=number_)
        ways = " ".join(
            say("{answer}: as with “{other}”.", answer=escape(way.label), other=label[way.left])
            for way in other.choices
        )
        ask = say("{not_known}? Ask instead: {question}", not_known=start, question=escape(other.text))
        parts.append(f"{ask} {ways}")
        start = say("Not known either")
    go_on = say(
        "{not_known}: go on as with “{answer}” (as the model has learned)."
        if has_learned(form, node)
        else "{not_known}: go on as with “{answer}” (most do; the answer is less sure).",
        not_known=start,
        answer=label[without_knowing(form, node)],
    )
    return " ".join([*parts, go_on])


def _goal(form: Questionnaire, target: Feature, node: int, numbers: dict[int, int], heading: Heading) -> str:
    if node in numbers:
        return say("go to {number}", number=f"<b>{numbers[node]}</b>")
    return _end(form, target, node, heading)


def _end(form: Questionnaire, target: Feature, node: int, heading: Heading) -> str:
    """Return the answer of a leaf, escaped."""
    value, n = form.tree.value[node], int(form.tree.n_samples[node])
    behind = rows_words(n)
    if not target.categories:
        return f"{say('about {number}', number=f'<b>{answers_of(form.tree)(float(value[0]))}</b>')} ({behind})"
    n_counted = n if heading.counts_rows else None
    more = "" if heading.counts_rows and n < FEW else f"; {behind}"  # of few rows the shares say how many
    return class_ending(value, target, heading.limit, n_counted, escape, lambda text: f"<b>{text}</b>", more)


def _how_to(heading: Heading, target: Feature) -> str:
    text = say(
        "Begin with question 1, tick, and go where the arrow says. In brackets: {behind}.",
        behind=escape(heading.behind),
    )
    if not target.categories:
        return text
    unsure = say(
        "“Not sure” stands where none holds in {share} of cases: ask an expert, or measure more.",
        share=percent(heading.limit),
    )
    return f"{text} {unsure}"


# ---- the drawing


def _drawing(form: Questionnaire, target: Feature, numbers: dict[int, int], limit: float) -> str:
    """Return the SVG of the whole tree: questions by number, answers by name; empty if there are too many."""
    tree = form.tree
    if not 2 <= tree.n_leaves <= MOST_DRAWN:
        return ""
    depth, x = depths(tree), _across(form)
    y = 18 + depth * ROW
    lines = [_branch(form, node, x, y) for node in numbers]
    marks = [
        _circle(x[node], y[node], str(numbers[node]))
        if node in numbers
        else _name(
            x[node],
            y[node] + 14 * (np.count_nonzero(tree.feature[:node] == LEAF) % 2),
            _answer(form, target, node, limit),
        )
        for node in range(tree.n_nodes)
    ]
    size, alt = f"0 0 {WIDTH} {int(y.max()) + 34}", say("The questions and answers as a tree")
    style = {"role": "img", "aria_label": alt, "font_size": 11, "font_family": "inherit"}
    return svg.element("svg", Markup("".join([*lines, *marks])), viewBox=size, **style)


def _across(form: Questionnaire) -> np.ndarray:
    """Return leaves evenly from left to right, questions over the middle of theirs, (n_nodes,) pixels."""
    tree = form.tree
    x, leaves = np.zeros(tree.n_nodes), np.flatnonzero(tree.feature == LEAF)
    x[leaves] = (np.arange(len(leaves)) + 0.5) * WIDTH / len(leaves)
    for node in range(tree.n_nodes - 1, -1, -1):  # preorder: children come after their parent
        if tree.feature[node] != LEAF:
            x[node] = (x[tree.left[node]] + x[tree.right[node]]) / 2
    return x


def _branch(form: Questionnaire, node: int, x: np.ndarray, y: np.ndarray) -> str:
    """Return lines to both children, labelled by the answers if these are short, else by "1st" and "2nd"."""
    choices = question(form, node).choices
    is_short = all(len(choice.label) <= SHORT for choice in choices)
    parts = []
    for choice, place in zip(choices, (say("1st"), say("2nd")), strict=True):
        c = child(form.tree, node, choice.left)
        at = 0.55 * x[node] + 0.45 * x[c]
        side = "end" if x[c] < x[node] else "start"
        beside = round(at + (-5 if side == "end" else 5)), round((y[node] + y[c]) / 2 - 2)
        words = inert(choice.label if is_short else place)
        parts.append(svg.line([(round(x[node]), y[node]), (round(x[c]), y[c])], "#000", stroke_width=1))
        parts.append(svg.text(*beside, words, "#444", text_anchor=side, font_size=10))
    return "".join(parts)


def _circle(x: float, y: float, words: str) -> str:
    mark = svg.text(round(x), y + 4, words, "#000", text_anchor="middle", font_weight=700)
    return svg.circle(round(x), y, RADIUS, "#fff", stroke="#000") + mark


def _name(x: float, y: float, words: str) -> str:
    width = 6.2 * len(words) + 8
    left = min(max(x - width / 2, 0), WIDTH - width)
    box = svg.rectangle((round(left), y - 11, round(width), 20), "#fff", stroke="#fff")
    middle = round(left + width / 2)
    return box + svg.text(middle, y + 3, inert(words), "#000", text_anchor="middle", font_weight=600)


def _answer(form: Questionnaire, target: Feature, node: int, limit: float) -> str:
    value = form.tree.value[node]
    if not target.categories:
        return answers_of(form.tree)(float(value[0]))
    name = say("not sure") if is_unsure(value, limit) else class_words(target, value, str)
    return svg.shortened(name, LETTERS)


# ---- A questionnaire as a table: numbered questions, each with both answers and the question to go on at


def ending(value: np.ndarray, target: Feature, limit: float, n: int | None = None) -> str:
    """Return the answer of a leaf of n rows: its class and how often that is right, the likeliest, or a number.

    >>> kind = Feature("kind", "category", ("a", "b"))
    >>> ending(np.array([0.9, 0.1]), kind, 0.6), ending(np.array([0.5, 0.5]), kind, 0.6)
    ('a (9 in 10)', 'not sure: a (5 in 10) or b (5 in 10)')
    """
    if not target.categories:
        return say("about {number}", number=value_text(target, float(value[0]), 3))
    return class_ending(value, target, limit, n)


def class_ending(
    value: np.ndarray,
    target: Feature,
    limit: float,
    n: int | None,
    mark: Mark = str,
    bold: Mark = str,
    more: str = "",
) -> str:
    """Return the class of a leaf of n rows and how often it is right, `more` in its brackets, or the likeliest."""
    if is_unsure(value, limit):
        return f"{bold(say('not sure'))}: {likeliest_classes(value, target, mark, n)}{more}"
    share, is_tie = odds(float(value.max()), n), len(leaders(value)) > 1
    share = say("{share} each", share=share) if is_tie else share
    return f"{bold(class_words(target, value, mark))} ({share}{more})"


def steps_table(form: Questionnaire, target: Feature, limit: float, counts_rows: bool = True) -> pd.DataFrame:
    """Return a row for each question, by its number, in the order of the sheet: from left to right.

    A class is an answer from a share of `limit` on. `counts_rows` says whether shares are of rows, not of a
    model's made-up cases.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> tree = CartClassifier(max_depth=1).fit(iris.X, iris.y).tree_
    >>> steps_table(Questionnaire(tree, iris.features, (False,) * 4), iris.target, 0.6).iloc[0, :2].tolist()
    ['Is petal length at most 2.45?', 'Yes → setosa (in every case)']
    """
    splits = np.flatnonzero(form.tree.feature != LEAF).tolist()
    numbers = {node: place + 1 for place, node in enumerate(splits)}

    def goal(node: int) -> str:
        if node in numbers:
            return f"→ {say('go to {number}', number=numbers[node])}"
        n = int(form.tree.n_samples[node]) if counts_rows else None
        return f"→ {ending(form.tree.value[node], target, limit, n)}"

    rows = []
    for node in splits:
        texts = question(form, node)
        ways = [f"{choice.label} {goal(child(form.tree, node, choice.left))}" for choice in texts.choices]
        rows.append((texts.text, *ways))
    heads = [say("question"), say("one answer"), say("the other answer")]
    return pd.DataFrame(rows, columns=heads, index=pd.Index(list(numbers.values()), name=say("number")))
