"""LightGBM's text in its parts: a head, a block for each tree, parameters, and lists of categories.

The file says how many bytes each tree has, that its trees and its parameters end, and many things twice, so that a
part that is missing is known.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.language import Phrase, Refusal, to_say
from espalier.learners.imports.categories import CategoryLists, category_name
from espalier.learners.imports.nodes import DAMAGED

END = "\nend of trees"
LISTS = "\npandas_categorical:"
CUT = to_say("the file ends too early")
SIZES = to_say("tree {tree} has another length than the file says, or is not there")
HEAD = to_say("its head and its parameters contradict each other about {name}")
OBJECTIVES = {"custom": ("", "custom", "none", "null", "na")}


class LightgbmFile(NamedTuple):
    """The parts of a file."""

    head: dict[str, str]
    trees: list[dict[str, str]]
    parameters: dict[str, str]
    categories: (
        list[list[Any]] | None
    )  # of a DataFrame's columns of categories, in their order; None: it says nothing


def damaged(text: str, **values: Any) -> Refusal:
    """Return the refusal of a file whose parts are not those that it says."""
    return Refusal(DAMAGED, what=Phrase(text, values))


def parts_of(text: str) -> LightgbmFile:
    """Return the parts of a model's text. Raises Refusal for a text that is cut off or contradicts itself."""
    body, end, rest = text.partition(END)
    if not end or not rest.startswith("\n") or "\nend of parameters" not in rest:
        raise damaged(CUT)
    starts = _starts(body)
    blocks = [body[a:b] for a, b in zip(starts, [*starts[1:], len(body) + 1], strict=True)]
    head = _pairs(body[: starts[0]])
    _check_sizes(head, blocks, body)
    lists = rest.rfind(LISTS)
    found = json.loads(rest[lists + len(LISTS) :]) if lists >= 0 else None
    categories = [] if lists >= 0 and found is None else found
    parameters = {
        name: value
        for line in rest.splitlines()
        for name, _, value in [line[1:-1].partition(": ")]
        if line[:1] == "["
    }
    file = LightgbmFile(head, [_pairs(block) for block in blocks], parameters, categories)
    _check_head(file)
    return file


def _starts(body: str) -> list[int]:
    starts = [0] if body.startswith("Tree=") else []
    at = body.find("\nTree=")
    while at >= 0:
        starts.append(at + 1)
        at = body.find("\nTree=", at + 1)
    if not starts:
        raise damaged(CUT)
    return starts


def _pairs(block: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in block.splitlines())
    return {name: value for name, _, value in pairs}


def _check_sizes(head: dict[str, str], blocks: list[str], body: str) -> None:
    """Raise Refusal where a tree's number, or its bytes, are not those that the head says."""
    sizes = [int(size) for size in head["tree_sizes"].split()]
    for number, block in enumerate(blocks):
        if (
            number >= len(sizes)
            or block.partition("\n")[0] != f"Tree={number}"
            or (
                # the last one is followed by the end's own line feed
                len(block.encode()) + (number == len(blocks) - 1) != sizes[number]
            )
        ):
            raise damaged(SIZES, tree=number + 1)
    if len(blocks) < len(sizes):
        raise damaged(SIZES, tree=len(blocks) + 1)


def _check_head(file: LightgbmFile) -> None:
    """Raise Refusal where the head says other than the parameters, or lacks what belongs together."""
    head, parameters = file.head, file.parameters
    name, *more = head.get("objective", "custom").split()
    said = parameters.get("objective", name)
    if said not in OBJECTIVES.get(name, (name,)):
        raise damaged(HEAD, name="objective")
    about = dict(part.split(":") for part in more if ":" in part)
    if "sigmoid" in about and float(parameters.get("sigmoid", about["sigmoid"])) != float(about["sigmoid"]):
        raise damaged(HEAD, name="sigmoid")
    if (parameters.get("boosting", "") in ("rf", "random_forest")) != ("average_output" in head):
        raise damaged(HEAD, name="average_output")
    n = int(head["max_feature_idx"]) + 1
    if len(head["feature_names"].split(" ")) != n or len(head["feature_infos"].split(" ")) != n:
        raise damaged(HEAD, name="max_feature_idx")
    n_scores = int(head["num_tree_per_iteration"])
    if n_scores < 1 or len(file.trees) % n_scores or int(head["num_class"]) != n_scores:
        raise damaged(HEAD, name="num_class")


# ---- columns


def columns_of(file: LightgbmFile) -> tuple[tuple[Feature, ...], CategoryLists | None]:
    """Return the columns, and the lists of categories that belong to some of them.

    A column of categories is written as codes with colons between them. The lists are of all columns of a
    DataFrame that have the type category, also of ordered ones, which the trees take as numbers, and of constant
    ones.
    """
    ranges = file.head["feature_infos"].split(" ")
    features = tuple(
        Feature(name, "number" if values == "none" or values.startswith("[") else "category")
        for name, values in zip(file.head["feature_names"].split(" "), ranges, strict=True)
    )
    if not file.categories:
        return features, None
    names = tuple(tuple(map(category_name, values)) for values in file.categories)
    ends = [_ends(values) for values in ranges]
    fits = [[low >= -1 and high < len(known) for low, high in ends] for known in names]
    return features, CategoryLists(names, np.array(fits, bool))


def _ends(values: str) -> tuple[float, float]:
    """Return the least and greatest code of a column, -1 for missing; (-2, 0) for numbers that are no codes."""
    if values == "none":
        return 0, -1
    if values.startswith("["):
        low, high = (float(end) for end in values[1:-1].split(":"))
        return (low, high) if low >= 0 and low == int(low) and high == int(high) else (-2, 0)
    codes = [int(code) for code in values.split(":")]
    return min(codes), max(codes)
