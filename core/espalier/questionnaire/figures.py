"""The way through a questionnaire as a picture: what was asked, what is asked now, and what is left."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from espalier.data.dataset import Feature
from espalier.display import ink
from espalier.display.parts import Picture
from espalier.display.svg import picture, rectangle, text
from espalier.inert import short_names
from espalier.language import say
from espalier.predict import leaders
from espalier.questionnaire.questionnaire import Questionnaire, Walk, child, could_end
from espalier.trees import LEAF, Tree, depths

WIDTH, HEIGHT = 300, 150  # pixels
LEVEL = 30  # pixels of a level, at most
LEAST = 0.004  # share of the rows below which a node is too narrow to be drawn
LINE, LETTER = 22, 8  # pixels: of a line of the key, and of a letter
MOST_LETTERS = 30  # of a name in the key
OPEN, PALE = 0.3, 0.12  # opacity of what may still be asked, and of what can no longer be reached


def way_picture(form: Questionnaire, walked: Walk, target: Feature) -> Picture:
    """Return all questions as boxes above their endings, as wide as their rows are many; those answered dark.

    A key below says what class each colour of an ending is.
    """
    endings = could_end(form, walked.known)
    words = say("{left} of {all} endings are left.", left=np.count_nonzero(endings), all=form.tree.n_leaves)
    return Picture(partial(_draw_way, form, walked, target, endings), words, is_large=True)


def _draw_way(form: Questionnaire, walked: Walk, target: Feature, endings: np.ndarray, dark: bool) -> str:
    tree, theme = form.tree, ink.theme_of(dark)
    depth, level = depths(tree), min(LEVEL, HEIGHT / (tree.depth + 1))
    on_the_way, floor = {step.node for step in walked.steps}, level * (tree.depth + 1)
    reach = endings.copy()  # of every node, the chance to come by
    for node in np.flatnonzero(tree.feature != LEAF)[::-1].tolist():
        reach[node] = reach[child(tree, node, True)] + reach[child(tree, node, False)]
    parts = []
    for node, left, right in _spans(form):
        is_leaf = tree.feature[node] == LEAF
        top = depth[node] * level
        box = (left * WIDTH + 1, top + 1, (right - left) * WIDTH - 2, (floor - top if is_leaf else level) - 2)
        fill = ink.TEXT[theme]
        if is_leaf:
            best = leaders(tree.value[node]) if target.categories else []
            fill = ink.answer_colour(target, best[0], dark) if len(best) == 1 else ink.TIE[theme]
        strong = 1.0 if is_leaf or node in on_the_way else OPEN
        opacity = strong if reach[node] > 0 else PALE
        here = {"stroke": ink.TEXT[theme], "stroke_width": 2.5} if node == walked.node else {}
        parts.append(rectangle(box, fill, rx="2", fill_opacity=str(opacity), **here))
        if node == walked.node and not is_leaf and level > 14 and box[2] > 12:
            middle = (box[0] + box[2] / 2, top + level / 2)
            parts.append(text(*middle, "?", ink.TEXT[theme], dy=5, text_anchor="middle", font_weight="700"))
    key, height = _key(tree, target, dark, floor)
    return picture(parts + key, (WIDTH, height), font_size=14)


def _key(tree: Tree, target: Feature, dark: bool, floor: float) -> tuple[list[str], float]:
    """Return a square and a name for each class of an ending, in lines below `floor`, and where these end."""
    if not target.categories:
        return [], floor
    answers = map(leaders, tree.value[tree.feature == LEAF])
    codes = sorted({best[0] for best in answers if len(best) == 1})
    names = short_names([target.categories[code] for code in codes], MOST_LETTERS)
    x, y, parts = 0, floor + 4, []
    for code, name in zip(codes, names, strict=True):
        width = 34 + LETTER * len(name)
        x, y = (0, y + LINE) if x + width > WIDTH and x else (x, y)
        parts.append(rectangle((x, y + 4, 12, 12), ink.answer_colour(target, code, dark), rx="2"))
        parts.append(text(x + 17, y + 15, name, ink.TEXT[ink.theme_of(dark)]))
        x += width
    return parts, y + LINE


def _spans(form: Questionnaire) -> Iterator[tuple[int, float, float]]:
    """Yield each node with the ends of its share of all rows, 0 to 1."""
    todo = [(0, 0.0, 1.0)]
    while todo:
        node, start, end = todo.pop()
        if end - start < LEAST:
            continue
        yield node, start, end
        if form.tree.feature[node] != LEAF:
            left, right = child(form.tree, node, True), child(form.tree, node, False)
            weights = form.tree.weight[left], form.tree.weight[right]
            middle = start + (end - start) * weights[0] / max(sum(weights), 1e-300)
            todo += [(right, middle, end), (left, start, middle)]
