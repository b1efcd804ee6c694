"""Changes by hand in words: what was chosen at which node, and which changes do not fit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from espalier.data.dataset import Feature
from espalier.display.text.trees import condition
from espalier.language import say, to_say
from espalier.tree.edits.acts import BEST, COLUMN, CUT, GREEDY, GROW, MADE_LEAF, SET, WITHOUT, Edit
from espalier.tree.edits.applied import EditRefused
from espalier.trees import LEAF, Tree

KINDS = {
    CUT: to_say("split chosen by hand"),
    SET: to_say("split chosen by hand"),
    COLUMN: to_say("column chosen by hand"),
    WITHOUT: to_say("columns left out by hand"),
    MADE_LEAF: to_say("made a leaf by hand"),
    GROW: to_say("grown on by hand"),
    GREEDY: to_say("branch regrown greedily by hand"),
    BEST: to_say("branch regrown optimally by hand"),
}
HEAD = "Changed by hand:"
STEPS = {"L": to_say("yes"), "R": to_say("no")}


def kind_words(edit: Edit) -> str:
    """Return what was chosen by hand, in short.

    >>> kind_words(Edit("", CUT, (2,), 4.5))
    'split chosen by hand'
    """
    return say(KINDS[edit.kind])


def change_words(tree: Tree, features: Sequence[Feature], by_hand: Mapping[int, Edit]) -> list[str]:
    """Return a line for each node that was changed by hand: "node 0, petal length ≤ 4.5: split chosen by hand"."""
    return [_line(tree, features, node, by_hand[node]) for node in sorted(by_hand)]


def _line(tree: Tree, features: Sequence[Feature], node: int, edit: Edit) -> str:
    columns = ", ".join(features[feature].name for feature in edit.features)
    change = f"{kind_words(edit)} ({columns})" if edit.kind == WITHOUT else kind_words(edit)
    if edit.depth:
        change = say("{change}, to depth {depth}", change=change, depth=edit.depth)
    if tree.feature[node] == LEAF:
        return say("node {node}: {change}", node=node, change=change)
    test = condition(tree, features, node)
    return say("node {node}, {test}: {change}", node=node, test=test, change=change)


def refused_words(refused: EditRefused) -> str:
    """Return why a change by hand is left out, as a sentence.

    >>> refused_words(EditRefused(Edit("LR", MADE_LEAF), "the tree has no such node"))
    'The change at the node after yes, no is left out: the tree has no such node.'
    """
    answers = ", ".join(say(STEPS[step]) for step in refused.edit.path)
    if not answers:
        return say("The change at the root is left out: {reason}.", reason=refused)
    return say("The change at the node after {answers} is left out: {reason}.", answers=answers, reason=refused)


def with_changes(text: str, changes: Sequence[str], comment: str | None) -> str:
    """Return the text of an exported tree with its changes at the head, each in a line that begins with `comment`.

    In a JSON document, where `comment` is None, they are a list under "by_hand", which readers of trees pass over.

    >>> print(with_changes("def f(row): ...", ["node 0: made a leaf by hand"], "# "))
    # Changed by hand:
    #   node 0: made a leaf by hand
    def f(row): ...
    >>> with_changes('{"nodes": []}', ["node 0: made a leaf by hand"], None)
    '{"by_hand": ["node 0: made a leaf by hand"],\\n"nodes": []}'
    """
    if not changes:
        return text
    if comment is None:
        return f'{{"by_hand": {json.dumps(list(changes), ensure_ascii=False)},\n{text.removeprefix("{")}'
    lines = [HEAD, *(f"  {' '.join(change.split())}" for change in changes)]  # names may have line breaks
    return "".join(f"{comment}{line}\n" for line in lines) + text
