"""A tree or forest as HTML that needs no script: pictures with words for those who do not see them.

Notebooks keep it with the output of a cell, so that it is there without a kernel, and where a widget is not.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from espalier.data.dataset import Dataset, Feature
from espalier.display import ink, svg
from espalier.display.boundaries.plane import typical
from espalier.display.oblique_sums import tree_of_sums
from espalier.display.paper import escape
from espalier.display.parts import Picture
from espalier.display.theme import count
from espalier.display.tree.small_tree import LEAF_WIDTH, PAD, tree_picture
from espalier.export.json import STEP, score_of
from espalier.forests import surfaces
from espalier.kinds import SomeTree
from espalier.language import say
from espalier.leaf_models import ModelTree
from espalier.notebook.shown import ShownModel, axes_of, model_to_show
from espalier.oblique import ObliqueTree
from espalier.predict import shares
from espalier.trees import AnyTree, Forest, depths, is_leaf, prune_to

MARGIN = 8  # pixels of paper around a picture
SCHEMES = (
    "@media (prefers-color-scheme: dark) {.light {display: none}} "
    "@media not (prefers-color-scheme: dark) {.dark {display: none}}"
)
STYLE = "max-width: 100%; margin: 4px 8px 4px 0; vertical-align: top"
NO_ERROR = (  # of JupyterLab, for a widget that a saved notebook has no state of: the picture above stands for it
    "<style>.jp-OutputArea-child:has([data-espalier]) + .jp-OutputArea-child > .jupyter-widgets:not(:has(*))"
    " { display: none; }</style>"
)


MOST_LEAVES = 40  # drawn: a larger tree is cut off
MOST_TREES = 3  # of a forest that are drawn
COLUMN, LINE = 150, 22  # pixels of a question, and from leaf to leaf
SURFACE = 1.6  # times the size of a small surface


def static_html(model: Any) -> str:
    """Return the HTML of a tree, a forest or a fitted estimator.

    >>> from espalier.learners import CartClassifier
    >>> static_html(CartClassifier().fit([[0.0], [1.0]], ["no", "yes"])).count("<img")
    1
    """
    return html_of(model_to_show(model))


def html_of(one: ShownModel, note: str = "") -> str:
    """Return the HTML of what is shown, with a note below it if there is one."""
    images = "".join(map(_image, _trees(one)))
    if one.data is not None:
        images += _image(_surface(one, one.data), SURFACE)
    words = escape(": ".join(filter(None, (one.title, summary(one.record)))))
    below = f"<p><small>{escape(note)}</small></p>" if note else ""
    return f'<figure style="margin: 0"><figcaption>{words}</figcaption>{images}{below}</figure>'


def summary(record: SomeTree | Forest) -> str:
    """Return what the tree or forest is, in a sentence."""
    if isinstance(record, Forest):
        n = count(record.n_trees)
        if record.combine == "sum":
            return say("The sum of {n} trees.", n=n)
        if record.combine == "mean":
            return say("The mean of {n} trees.", n=n)
        return say("{n} trees that vote.", n=n)
    tree = record.tree if isinstance(record, ModelTree) else record
    words = say("One leaf.")
    if tree.depth:
        words = say("{leaves} leaves, depth {depth}.", leaves=count(tree.n_leaves), depth=count(tree.depth))
    more = say("Leaves answer by formulas; the picture has their means.") if isinstance(record, ModelTree) else ""
    return " ".join(filter(None, (words, more)))


def behind_widget(html: str, uid: str) -> str:
    """Return the HTML of the picture that a widget with this name hides while it lives."""
    return f'<div data-espalier="{uid}">{html}</div>{NO_ERROR}'


def _image(picture: Picture, scale: float = 1.0) -> str:
    """Return an image of both themes: notebooks show it even where they do not trust what is drawn in them."""
    both = {theme: svg.Markup(picture.draw(theme == "dark")) for theme in ("light", "dark")}
    width, height = (side + 2 * MARGIN for side in _size(both["light"]))
    style = svg.element("style", svg.Markup(SCHEMES))
    shift = f"translate({MARGIN} {MARGIN})"
    inner = [
        svg.element(
            "g",
            svg.rectangle((0, 0, width, height), ink.PAPER[theme]),
            svg.element("g", drawing, transform=shift),
            **{"class": theme},
        )
        for theme, drawing in both.items()
    ]
    data = base64.b64encode(svg.picture([style, *inner], (width, height)).encode()).decode()
    attributes = f'width="{round(width * scale)}" style="{STYLE}"'
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(picture.alt)}" {attributes}>'


def _size(drawn: str) -> tuple[float, float]:
    """Return width and height of a picture in pixels, as it says itself."""
    box = drawn.split('viewBox="', 1)[1].split('"', 1)[0].split()
    return float(box[2]), float(box[3])


def _trees(one: ShownModel) -> list[Picture]:
    record = one.record
    if isinstance(record, Forest):
        return [_tree_of_forest(one, record, number) for number in range(min(record.n_trees, MOST_TREES))]
    if isinstance(record, ModelTree):
        return [_tree(record.tree, one.features, one.target)]
    if isinstance(record, ObliqueTree):
        # without rows an empty table: names are all that a drawing asks of it
        no_rows = Dataset("", np.zeros((0, len(one.features))), one.features, np.zeros(0), one.target, "")
        sums = tree_of_sums(record, one.data or no_rows)
        return [_tree(sums.tree, sums.dataset.features, one.target)]
    return [_tree(record, one.features, one.target)]


def _tree_of_forest(one: ShownModel, forest: Forest, number: int) -> Picture:
    """Return one of its trees; the step that it adds, if it is one of a sum."""
    tree, target = forest.trees[number], one.target
    if forest.combine == "sum":
        tree, target = tree._replace(value=tree.value[:, [score_of(tree)]]), STEP
    picture = _tree(tree, one.features, target)
    return picture._replace(alt=say("Tree {n}: {words}", n=count(number + 1), words=picture.alt))


def _tree(tree: AnyTree, features: tuple[Feature, ...], target: Feature) -> Picture:
    small = cut_off(tree)
    size = (LEAF_WIDTH + 2 * PAD + COLUMN * max(small.depth, 1), LINE)
    return tree_picture(small, features, target, unfinished_of(tree, small), size)


def cut_off(tree: Any) -> Any:
    """Return the tree, or its first levels if it has more leaves than are drawn."""
    depth = depths(tree)
    levels = tree.depth
    while levels > 1 and np.count_nonzero((depth == levels) | (is_leaf(tree) & (depth < levels))) > MOST_LEAVES:
        levels -= 1
    return prune_to(tree, depth < levels) if levels < tree.depth else tree


def unfinished_of(tree: AnyTree, small: AnyTree) -> list[int]:
    """Return the leaves of a tree that was cut off which were splits before."""
    if small is tree:
        return []
    nodes = np.flatnonzero(depths(tree) <= small.depth)
    return np.flatnonzero(is_leaf(small) & ~is_leaf(tree)[nodes]).tolist()


def _surface(one: ShownModel, data: Dataset) -> Picture:
    plane = surfaces.plane_of(data, axes_of(one.record, data))
    answers = shares(one.record, plane.samples(typical(data)))
    return surfaces.surface_picture(answers, plane, data, size=surfaces.SIZE)
