"""Settings that say something of columns, directions or splits, in words; and what a model keeps of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from espalier.data.dataset import Dataset, column_name, column_parts
from espalier.display.text.trees import join
from espalier.display.theme import number
from espalier.inert import plain
from espalier.language import say
from espalier.learners.catalogue import CommonTerms, Setting
from espalier.learners.catalogue.estimators import GivenSplit, given_there, read_splits, splits_in_text
from espalier.learners.catalogue.settings import COLUMN_DIRECTIONS, COLUMN_NAMES, COLUMN_SPLITS
from espalier.learners.forbidden import names_in_text, read_names
from espalier.learners.monotone import directions_in_words, read_directions


def keep_present(setting: Setting, text: str, dataset: Dataset) -> str:
    """Return a setting's value without columns that the data lack, or that do not go with their target."""
    if setting.of_columns == COLUMN_SPLITS:
        splits = read_splits(text)
        return splits_in_text({path: splits[path] for path in given_there(text, CommonTerms.of(dataset))})
    names = {feature.name for feature in dataset.features}
    if setting.of_columns == COLUMN_NAMES:
        return names_in_text(name for name in read_names(text) if name in names)
    there = {name: way for name, way in read_directions(text).items() if name in names}
    return directions_in_words(there) if len(dataset.classes) < 3 else ""


def short_value(setting: Setting, text: str) -> str:
    """Return a setting's value in a few words, which are no Markdown."""
    if setting.of_columns == COLUMN_DIRECTIONS:
        parts = [_direction_words(name, way) for name, way in read_directions(text).items()]
        return say("prediction {parts}", parts=", ".join(parts)) if parts else say("no monotone columns")
    if setting.of_columns == COLUMN_NAMES:
        names = read_names(text)
        return say("without {names}", names=", ".join(names)) if names else say("every column")
    splits = [split_words(path, split) for path, split in read_splits(text).items()]
    if not splits:
        return say("no given splits")
    more = say(" and {len} more", len=len(splits) - 1) if len(splits) > 1 else ""
    return say("begins with the given split {splits}{more}", splits=splits[0], more=more)


def _direction_words(name: str, way: int) -> str:
    return say("rises with {name}" if way > 0 else "falls with {name}", name=name)


def split_words(path: str, split: GivenSplit) -> str:
    """Return a split in words, with the answers that lead to it: "yes, no: age ≤ 40"."""
    question = f"{split.column} ≤ {number(split.at)}" if not isinstance(split.at, tuple) else ""
    if isinstance(split.at, tuple):
        categories = say(" or ").join(split.at)
        question = say("{column} is {categories}", column=split.column, categories=categories)
    steps = ", ".join(say("yes") if step == "L" else say("no") for step in path)
    return say("{step}: {question}", step=steps, question=question) if steps else question


def promise_sentences(dataset: Dataset, parameters: Mapping[str, Any]) -> Sequence[str]:
    """Return what a model of these parameters keeps of what was asked, a Markdown sentence for each."""
    sentences = (
        _directions_sentence(dataset, parameters.get("monotonic_cst")),
        _left_out_sentence(dataset, parameters.get("forbidden_features") or ()),
        _splits_sentence(dataset, parameters.get("forced_splits") or {}),
    )
    return [sentence for sentence in sentences if sentence]


def _directions_sentence(dataset: Dataset, directions: Sequence[int] | None) -> str:
    if directions is None:
        return ""
    which = dataset.target.directed
    class_name = plain(dataset.classes[which]) if len(dataset.classes) == 2 else ""
    sign = 1 if which or not class_name else -1  # the learner directs the second class
    columns = zip((plain(feature.name) for feature in dataset.features), directions, strict=True)
    text = join(
        [say("only {part}", part=_direction_words(name, sign * way)) for name, way in columns if way], "and"
    )
    subject = say("The share of {of_class}", of_class=class_name) if class_name else say("The prediction")
    return say("{subject} {text}, if all else stays as it is.", subject=subject, text=text)


def _left_out_sentence(dataset: Dataset, out: Sequence[int]) -> str:
    names = dict[str, None]()
    for at in out:
        column, name = column_name(dataset.features[at]), dataset.features[at].name
        if set(column_parts(dataset.features, [at])) <= set(out):
            names[plain(column)] = None
        else:  # of a date a part, which has a name of its own, or the date itself, which has the column's
            names[say("{name} (the date alone)", name=plain(name)) if name == column else plain(name)] = None
    parts = [", ".join([*names][:-1]), [*names][-1]] if len(names) > 1 else [*names]
    return say("No split asks about {text}.", text=say(" or ").join(parts)) if names else ""


def _splits_sentence(dataset: Dataset, forced: Mapping[str, tuple[int, Any]]) -> str:
    words = []
    for path, (column, at) in forced.items():
        feature = dataset.features[column]
        value = tuple(feature.categories[code] for code in at) if feature.categories else at
        words.append(plain(split_words(path, GivenSplit(feature.name, value))))
    return say("The tree begins with these given splits: {splits}.", splits="; ".join(words)) if words else ""
