"""One value of a page's address, how its text is read, and links of earlier versions: former names and values.

Once a value had the same name in the URL as in the session state, so that one thing was called differently on
other pages and of other learners. Such links still open: a parameter named by an entry's key is that entry's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from espalier.language import in_style, say
from espalier.learners import catalogue
from espalier.learners.catalogue import FORMER_KINDS, Setting
from pages.shared.app import sentences as app_sentences

# Three models of Reliability, which now stands on those of Compare.
RELIABILITY = re.compile(r"^r(?=[123](-|$))")
# Former names that are no entry's key, and the key of the entry that they belong to now.
KEYS = {"a-seed": "a-random", "b-seed": "b-random"}
# Former names of the choice of a learner: `depth` was that of CART then, whichever learner was chosen.
CHOICES, CART, DEPTH = ("learner", "asking"), "cart", "depth"
# Former switches, of threshold and feature, and the entry that says both now.
SWITCHES, HESITATES = ("robust", "options"), "hesitates"
# Former values, by the key of the entry.
FORMER_VALUES = {"view": {"One sample": "One row"}, "tab": {"Features": "Columns", "Pruning": "Error by size"}}


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
    learner = next((texts[name] for name in CHOICES if name in texts), CART)
    if any(map(RELIABILITY.match, texts)):
        texts = rename_places(texts)
    renamed = {KEYS.get(name, name): text for name, text in texts.items() if name != DEPTH or learner == CART}
    former = {name: FORMER_VALUES.get(name, {}).get(text, text) for name, text in renamed.items()}
    if not former.keys().isdisjoint(SWITCHES) and HESITATES in {entry.key for entry in entries}:
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


def rename_places(texts: Mapping[str, str]) -> dict[str, str]:
    """The texts by name or key, with former places of Reliability by today's names where those have none."""
    former = {RELIABILITY.sub("m", name): text for name, text in texts.items() if RELIABILITY.match(name)}
    return former | {name: text for name, text in texts.items() if not RELIABILITY.match(name)}


def _by_switches(texts: dict[str, str]) -> dict[str, str]:
    """The parameters with one for the two former switches; a text that neither has stays, to be refused."""
    found = [texts.get(name, "yes") for name in SWITCHES]
    others = {name: text for name, text in texts.items() if name not in SWITCHES}
    words = {("yes", "yes"): "both", ("yes", "no"): "threshold", ("no", "yes"): "feature", ("no", "no"): "never"}
    nonsense = next((text for text in found if text not in ("yes", "no")), "")
    return {HESITATES: words.get((found[0], found[1]), nonsense)} | others


# ---- readers of the texts of values: each returns the value, or raises ValueError with what is accepted

WHOLE_NUMBER, MOST_DIGITS = re.compile("(-?)0*([0-9]+)"), 18  # more digits are beyond every limit


class OutOfRange(ValueError):
    """A number beyond the limits of a value."""

    def __init__(self, expected: str, nearest: float):
        """`expected` says which numbers are accepted; `nearest` is the one of them that is next to it."""
        super().__init__(expected)
        self.nearest = nearest


def whole(low: int, high: int, optional: bool = False) -> Callable[[str], int | None]:
    """Reader of whole numbers from `low` to `high`; "none" too where `optional`."""

    def read(text: str) -> int | None:
        if optional and text == "none":
            return None
        number, expected = (
            WHOLE_NUMBER.fullmatch(text),
            say("a whole number from {low} to {high}", low=low, high=high) + (say(" or none") if optional else ""),
        )
        if number is None:
            raise ValueError(expected)
        sign, digits = number.groups()
        value = int(sign + (digits if len(digits) <= MOST_DIGITS else "9" * MOST_DIGITS))
        return int(_within(value, low, high, expected))

    return read


def decimal(low: float, high: float) -> Callable[[str], float]:
    """Reader of numbers from `low` to `high`."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not math.isfinite(value):
            raise ValueError(_accepted_numbers(low, high))
        return _within(value, low, high, _accepted_numbers(low, high))

    return read


def _within(value: float, low: float, high: float, expected: str) -> float:
    if low <= value <= high:
        return value
    raise OutOfRange(expected, min(max(value, low), high))


def one_of(options: Iterable[str]) -> Callable[[str], str]:
    """Reader of one of a few words."""
    accepted = list(options)

    def read(text: str) -> str:
        if text not in accepted:
            raise ValueError(app_sentences.accepted_words(accepted))
        return text

    return read


def word_or(options: Iterable[str], other: Callable[[str], Any]) -> Callable[[str], Any]:
    """Reader of one of a few words, or of what `other` reads."""
    accepted = list(options)

    def read(text: str) -> Any:
        if text in accepted:
            return text
        try:
            return other(text)
        except OutOfRange as beyond:
            raise OutOfRange(_other_words(str(beyond), accepted), beyond.nearest) from None
        except ValueError as wrong:
            raise ValueError(_other_words(str(wrong), accepted)) from None

    return read


def yes_or_no(text: str) -> bool:
    """Reader of truth values."""
    return one_of(("yes", "no"))(text) == "yes"


def _accepted_numbers(low: float, high: float) -> str:
    """Numbers that a parameter accepts."""
    return say("a number from {low} to {high}", low=in_style(f"{low:g}"), high=in_style(f"{high:g}"))


def _other_words(other: str, options: Iterable[str]) -> str:
    """Words that a parameter accepts beside other values."""
    return say("{other} or one of {options}", other=other, options=", ".join(options))


# ---- settings and words of earlier versions: a note says what there is in their place

LEARNER = "learner"  # key of the session state: the learner of the page Tree


class Gone(ValueError):
    """A value that nothing stands for any more; its text says what there is in its place."""

    def __init__(self, text: str, nearest: str | None = None):
        """`nearest` is the value that takes its place; None: the default does."""
        super().__init__(text)
        self.nearest = nearest


def former_reader(setting: Setting) -> Callable[[str], str]:
    """Reader of a setting of `ModelKind.former`: of the one value that says nothing."""

    def read(text: str) -> str:
        if text == setting.default:
            return text
        raise Gone(say(setting.words))

    return read


def one_of_or_former(options: Iterable[str], former: Mapping[str, Gone]) -> Callable[[str], str]:
    """Reader of one of a few words; `former` are those of earlier versions, each with its error."""
    today = one_of(options)

    def read(text: str) -> str:
        if text in former:
            raise former[text]
        return today(text)

    return read


def gone_entry(key: str, text: str) -> Entry:
    """Entry of a value that no page has any more; `text` says what there is in its place."""

    def read(value: str) -> str:
        if value:
            raise Gone(text)
        return value

    return Entry(key, "", read)


def own_key(kind: str, setting: Setting) -> str:
    """Key of such a setting in the session state of a page of one tree: other learners may still have it."""
    return f"{kind}-{setting.key}"


def by_own_keys(texts: Mapping[str, str]) -> dict[str, str]:
    """Texts of a saved session, by key, with those that its learner has no more under keys of their own, too."""
    former = [one for kind in catalogue.KINDS if kind.name == texts.get(LEARNER) for one in kind.former]
    there = {own_key(texts[LEARNER], one): texts[one.key] for one in former if one.key in texts}
    return there | dict(texts)


def note_on(entry: Entry, text: str, wrong: ValueError) -> str:
    """Note on a text that could not be read."""
    if isinstance(wrong, Gone):
        return f"{entry.parameter}={text[:40]}: {wrong}"
    return app_sentences.unreadable_value(entry.parameter, text[:40], str(wrong))
