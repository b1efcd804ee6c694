"""One value of a page's address, and links of earlier versions: former names and values, and those of today.

Once a value had the same name in the URL as in the session state, so that one thing was called differently on
other pages and of other learners. Such links still open: a parameter named by an entry's key is that entry's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from espalier.learners.catalogue import FORMER_KINDS

# Three models of Reliability, which now stands on those of Compare.
RELIABILITY = re.compile(r"^r(?=[123](-|$))")
# Former names that are no entry's key, and the key of the entry that they belong to now.
KEYS = {"a-seed": "a-random", "b-seed": "b-random"}
# Former names of the choice of a learner: `depth` was that of CART then, whichever learner was chosen.
CHOICES, CART, DEPTH = ("learner", "asking"), "cart", "depth"
# Former switches, of threshold and feature, and the entry that says both now.
SWITCHES, HESITATES = ("robust", "options"), "hesitates"
# Former values, by the key of the entry.
VALUES = {"view": {"One sample": "One row"}, "tab": {"Features": "Columns", "Pruning": "Error by size"}}


class Choice(NamedTuple):
    """A choice of another entry, such as that of a kind of model."""

    key: str  # of that entry
    values: tuple[str, ...]


class Entry(NamedTuple):
    """One value of a page's address."""

    key: str  # in the session state
    default: Any
    read: Callable[[str], Any]  # the value of a text, or ValueError with what is accepted
    undo: bool = True  # whether a change of it is a step that "Undo" takes back
    stays: bool = False  # whether "Undo" leaves it as it is, such as the tab that a person looks at
    name: str = ""  # in the URL: the same for the same thing on every page; empty: the key
    only: Choice | None = None  # without which the URL says nothing of it; of an entry before this one
    also: tuple[Choice, ...] = ()  # more such choices, all of which it needs

    @property
    def parameter(self) -> str:
        """Name of the value in the URL."""
        return self.name or self.key

    def is_in_use(self, values: Mapping[str, Any]) -> bool:
        """Whether it is part of the URL beside these values, by key."""
        choices = self.also if self.only is None else (self.only, *self.also)
        return all(values.get(choice.key) in choice.values for choice in choices)


def current(texts: Mapping[str, str], entries: Iterable[Entry]) -> dict[str, str]:
    """The parameters of a URL by today's names; those of entries that are not in use are left out."""
    entries = list(entries)
    former = _by_keys(texts)
    if HESITATES in {entry.key for entry in entries}:
        former = _by_switches(former)
    ours: dict[str, str] = {}
    values: dict[str, Any] = {}
    for entry in entries:
        text = former.get(entry.key, former.get(entry.parameter))
        values[entry.key] = entry.default if text is None else text
        if text in FORMER_KINDS:  # whose other parameters are those of the kind in its place
            values[entry.key], _ = FORMER_KINDS[text]
        if text is not None and entry.is_in_use(values):
            ours[entry.parameter] = text
    names = {name for entry in entries for name in (entry.key, entry.parameter)}
    return {name: text for name, text in former.items() if name not in names} | ours


def _by_keys(texts: Mapping[str, str]) -> dict[str, str]:
    """The parameters with former names and values replaced."""
    chosen = next((texts[name] for name in CHOICES if name in texts), CART)
    texts = rename_places(texts)
    renamed = {KEYS.get(name, name): text for name, text in texts.items() if name != DEPTH or chosen == CART}
    return {name: VALUES.get(name, {}).get(text, text) for name, text in renamed.items()}


def rename_places(texts: Mapping[str, str]) -> dict[str, str]:
    """The texts by name or key, with former places of Reliability by today's names where those have none."""
    former = {RELIABILITY.sub("m", name): text for name, text in texts.items() if RELIABILITY.match(name)}
    return former | {name: text for name, text in texts.items() if not RELIABILITY.match(name)}


def _by_switches(texts: dict[str, str]) -> dict[str, str]:
    """The parameters with one for the two former switches; a text that neither has stays, to be refused."""
    found = [texts.get(name, "yes") for name in SWITCHES]
    others = {name: text for name, text in texts.items() if name not in SWITCHES}
    if len(others) == len(texts):
        return others
    words = {("yes", "yes"): "both", ("yes", "no"): "threshold", ("no", "yes"): "feature", ("no", "no"): "never"}
    nonsense = next((text for text in found if text not in ("yes", "no")), "")
    return {HESITATES: words.get((found[0], found[1]), nonsense)} | others
