"""Settings that say something of columns, directions or splits: how they are read, drawn and said.

The value under a setting's key is a text. The widget has a key of its own: its list depends on the table, and what
a link says of another table's columns stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.data.features import column_name, column_parts
from espalier.display.text.trees import join
from espalier.display.theme import number
from espalier.language import say, to_say
from espalier.learners.catalogue import CommonTerms, Setting
from espalier.learners.catalogue.estimators import GivenSplit, given_there, read_splits, splits_in_text
from espalier.learners.catalogue.settings import COLUMN_DIRECTIONS, COLUMN_NAMES, COLUMN_SPLITS
from espalier.learners.forbidden import names_in_text, read_names
from espalier.learners.monotone import WORDS, directions_in_words, read_directions
from pages.shared.app.frame import callback, plain
from pages.shared.data import library

NORMAL: Mapping[str, Callable[[str], str]] = {  # a text as a model has it; ValueError for another
    COLUMN_DIRECTIONS: lambda text: directions_in_words(read_directions(text)),
    COLUMN_NAMES: lambda text: names_in_text(read_names(text)),
    COLUMN_SPLITS: lambda text: splits_in_text(read_splits(text)),
}
EXPECTED = {
    COLUMN_DIRECTIONS: to_say("names of columns, each with one of :rising and :falling, such as age:rising"),
    COLUMN_NAMES: to_say("names of columns, such as age,income"),
    COLUMN_SPLITS: to_say(
        "splits, each with the way to it, its column and its threshold, such as :age:40,L:income:3000"
    ),
}
NONE = {
    COLUMN_DIRECTIONS: to_say("None: predictions may do both"),
    COLUMN_NAMES: to_say("None: splits may ask about every column"),
    COLUMN_SPLITS: to_say("None: choose them by hand on the page Tree"),
}


def reader(setting: Setting) -> Callable[[str], str]:
    """Reader of its values in the address."""

    def read(text: str) -> str:
        try:
            if normal := NORMAL[setting.of_columns](text):
                return normal
        except ValueError:
            pass
        raise ValueError(say(EXPECTED[setting.of_columns]))

    return read


def draw(key: str, setting: Setting, why_not: str = "", **more: Any) -> None:
    """Draw its list of columns of the table in use, with both directions each, or of the splits that there are.

    `why_not` is the reason for which none can be chosen.
    """
    kind, dataset = setting.of_columns, library.find(library.chosen_key())
    text, features = st.session_state.get(key, setting.default), () if dataset is None else dataset.features
    titles, values, placeholder = _options(kind, text, dataset), NORMAL[kind](text), say(NONE[kind])
    if kind == COLUMN_DIRECTIONS and dataset is not None and len(dataset.classes) > 2:
        why_not = say("Not with three classes or more")
    if why_not:
        titles, placeholder = {}, why_not
    there = {NORMAL[kind](each) for each in _parts(kind, values)}
    widget = f"{key} columns"
    st.session_state[widget] = [one for one in titles if kind == COLUMN_SPLITS or one in there]
    st.multiselect(
        say(setting.label), list(titles), key=widget, format_func=titles.__getitem__, placeholder=placeholder,
        disabled=not titles, on_change=callback(_take), args=(key, widget, kind, features),
        **{"help": say(setting.words), **more},
    )  # fmt: skip


def _parts(kind: str, text: str) -> list[str]:
    """The texts of the single columns in a text."""
    if kind == COLUMN_DIRECTIONS:
        return [directions_in_words({name: way}) for name, way in read_directions(text).items()]
    return [names_in_text([name]) for name in read_names(text)] if kind == COLUMN_NAMES else []


def _options(kind: str, text: str, dataset: Dataset | None) -> dict[str, str]:
    """What the list offers, with its titles: splits by the way to them, else texts of single columns."""
    if kind == COLUMN_SPLITS:
        return {path: _split_words(path, split) for path, split in read_splits(text).items()}
    if dataset is None:
        return {}
    if kind == COLUMN_NAMES:
        return {names_in_text([feature.name]): feature.name for feature in dataset.features}
    pairs = zip(dataset.features, dataset.categorical, strict=True)
    numbers = [feature.name for feature, is_set in pairs if not is_set]
    return {
        directions_in_words({name: way}): f"{'↑' if way > 0 else '↓'} {name}"
        for name in numbers
        for way in WORDS.values()
    }


def _take(key: str, widget: str, kind: str, features: Sequence[Any]) -> None:
    """Write what is chosen: of two directions of a column the later one; splits without those above go, too.

    A date goes, and comes back, with its month and weekday, which go each by itself.
    """
    choice = st.session_state[widget]
    if kind == COLUMN_DIRECTIONS:
        st.session_state[key] = directions_in_words(read_directions(",".join(choice)))
    elif kind == COLUMN_SPLITS:
        splits = read_splits(st.session_state[key])
        rooted = [path for path in splits if all(path[:n] in choice for n in range(len(path) + 1))]
        st.session_state[key] = splits_in_text({path: splits[path] for path in rooted})
    else:
        before, names = set(read_names(st.session_state.get(key, ""))), set(read_names(",".join(choice)))
        for f in (f for f, one in enumerate(features) if one.moment is not None and one.moment.part == "date"):
            if (features[f].name in before) != (features[f].name in names):
                parts = {features[part].name for part in column_parts(features, [f])}
                names = names | parts if features[f].name in names else names - parts
        st.session_state[key] = names_in_text(one.name for one in features if one.name in names)


def among(setting: Setting, text: str, dataset: Dataset) -> str:
    """Its value without columns that the data do not have, nor anything that does not go with their target."""
    if setting.of_columns == COLUMN_SPLITS:
        splits = read_splits(text)
        return splits_in_text({path: splits[path] for path in given_there(text, CommonTerms.of(dataset))})
    names = {feature.name for feature in dataset.features}
    if setting.of_columns == COLUMN_NAMES:
        return names_in_text(name for name in read_names(text) if name in names)
    there = {name: way for name, way in read_directions(text).items() if name in names}
    return directions_in_words(there) if len(dataset.classes) < 3 else ""


def in_short(setting: Setting, text: str) -> str:
    """Its value in a few words, which are no Markdown."""
    if setting.of_columns == COLUMN_DIRECTIONS:
        parts = [_direction_words(name, way) for name, way in read_directions(text).items()]
        return say("prediction {parts}", parts=", ".join(parts)) if parts else say("no monotone columns")
    if setting.of_columns == COLUMN_NAMES:
        names = read_names(text)
        return say("without {names}", names=", ".join(names)) if names else say("every column")
    splits = [_split_words(path, split) for path, split in read_splits(text).items()]
    if not splits:
        return say("no given splits")
    more = say(" and {len} more", len=len(splits) - 1) if len(splits) > 1 else ""
    return say("begins with the given split {splits}{more}", splits=splits[0], more=more)


def _direction_words(name: str, way: int) -> str:
    return say("rises with {name}" if way > 0 else "falls with {name}", name=name)


def _split_words(path: str, split: GivenSplit) -> str:
    """A split in words, with the answers that lead to it: "yes, no: age ≤ 40"."""
    question = f"{split.column} ≤ {number(split.at)}" if not isinstance(split.at, tuple) else ""
    if isinstance(split.at, tuple):
        categories = say(" or ").join(split.at)
        question = say("{column} is {categories}", column=split.column, categories=categories)
    steps = ", ".join(say("yes") if step == "L" else say("no") for step in path)
    return say("{step}: {question}", step=steps, question=question) if steps else question


# ---- what a model of some parameters keeps


def in_force(dataset: Dataset, parameters: Mapping[str, Any]) -> Sequence[str]:
    """Say what a model of these parameters keeps of what was asked, a sentence for each."""
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
    name = plain(dataset.classes[which]) if len(dataset.classes) == 2 else ""
    sign = 1 if which or not name else -1  # the learner directs the second class
    pairs = [(plain(one.name), sign * way) for one, way in zip(dataset.features, directions, strict=True) if way]
    text = join([say("only {part}", part=_direction_words(column, way)) for column, way in pairs], "and")
    subject = say("The share of {of_class}", of_class=name) if name else say("The prediction")
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
        words.append(plain(_split_words(path, GivenSplit(feature.name, value))))
    return say("The tree begins with these given splits: {splits}.", splits="; ".join(words)) if words else ""
