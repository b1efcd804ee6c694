"""The language of what people read: English, unless a page says otherwise.

A page speaks the language of its session while it runs: it says so once, by `speak`, and all that writes words or
numbers for people looks it up when it writes. Work beside the page and exports are in English; an error that a
page may show is a `Refusal`, which is said in the language of whoever reads it.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from espalier.inert import legible

T = TypeVar("T")
K = TypeVar("K")
ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "de": "Deutsch"}  # by their codes in links
WHOLE = (ENGLISH, "de")  # languages that all texts are in: a browser that asks for one of these gets it
TEXTS = Path(__file__).parent / "texts"  # a file for each language other than English
CONTEXT = "\x04"  # between the context of a text and the text, as in gettext
MARKS = {  # of thousands and decimals, from English ones; no line ends before a unit
    "de": str.maketrans(",. ", "\N{NARROW NO-BREAK SPACE},\N{NO-BREAK SPACE}")
}
LARGE_NOUNS = ("de",)  # languages that write them so within a sentence, too
_spoken: ContextVar[str] = ContextVar("language", default=ENGLISH)


def spoken() -> str:
    """Return the language that is spoken here, as its code in links."""
    return _spoken.get()


def speak(language: str) -> None:
    """Speak this language from now on, in this thread alone. Raises KeyError for one that there is not."""
    _spoken.set(language if language in LANGUAGES else _unknown(language))


@contextlib.contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak this language for a while."""
    before = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(before)


def as_spoken(work: Callable[[], T]) -> Callable[[], T]:
    """Return the same work, which speaks the language of now whenever it is done, on whatever thread.

    >>> with speaking("de"):
    ...     later = as_spoken(spoken)
    >>> later(), spoken()
    ('de', 'en')
    """
    language = spoken()

    def done() -> T:
        with speaking(language):
            return work()

    return done


@contextlib.contextmanager
def english() -> Iterator[None]:
    """Speak English for a while: for code, exports and links."""
    with speaking(ENGLISH):
        yield


def in_style(text: str) -> str:
    """Return a number, written in English, with the marks of the language that is spoken.

    >>> in_style("12,345.6")
    '12,345.6'
    """
    marks = MARKS.get(_spoken.get())
    return text if marks is None else text.translate(marks)


def uncapitalize(name: str) -> str:
    """Return a name as it stands within a sentence: with a small letter, unless the language writes nouns large.

    >>> uncapitalize("Number of trees"), uncapitalize("CART")
    ('number of trees', 'CART')
    """
    is_as_it_is = _spoken.get() in LARGE_NOUNS or name[:2].isupper()
    return name if is_as_it_is else f"{name[:1].lower()}{name[1:]}"


def say(text: str, /, context: str = "", **values: object) -> str:
    """Return an English text in the language that is spoken; in English where it has none for it.

    Its places, such as {name}, have these values, which languages may put into another order. A text with a number
    has two forms, one for a single thing: ``say("{n} row" if n == 1 else "{n} rows", n=count(n))``. A context
    tells apart what only English says alike: ``say("right")`` is a side, and ``say("right", context="correct")`` a
    verdict.

    Values that are texts may hold names of a table: none turns around what stands beside it (`inert`).

    >>> say("Gini impurity"), say("{name} is known", name="age")
    ('Gini impurity', 'age is known')
    """
    language = _spoken.get()
    if language != ENGLISH:
        text = texts(language).get(f"{context}{CONTEXT}{text}" if context else text, text)
    if not values:
        return text
    return text.format(
        **{key: legible(value) if isinstance(value, str) else value for key, value in values.items()}
    )


def to_say(text: str) -> str:
    """Return a phrase as it is, for `say` to say later: it marks phrases in tables, which translations need, too.

    >>> to_say("no limit")
    'no limit'
    """
    return text


class Texts(dict[K, Any]):
    """A table of English texts that is written once; what is looked up in it is in the language spoken then.

    Its values are texts, or tuples and tables of texts; its keys stay as they are.

    >>> Texts({"gini": "Gini impurity", "size": ("a leaf", "leaves")})["size"]
    ('a leaf', 'leaves')
    """

    def __getitem__(self, key: K) -> Any:
        return _say_all(super().__getitem__(key))

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the texts of a key in the language that is spoken; the default where there is no such key."""
        return self[key] if key in self else default  # noqa: SIM401 - which is this method

    def items(self):
        """Return the keys with their texts in the language that is spoken."""
        return {key: self[key] for key in self}.items()

    def values(self):
        """Return the texts in the language that is spoken."""
        return {key: self[key] for key in self}.values()

    def __or__(self, other):
        return dict(self.items()) | other

    def __ror__(self, other):
        return other | dict(self.items())


def _say_all(texts: Any) -> Any:
    if isinstance(texts, str):
        return say(texts) if texts else texts
    if isinstance(texts, dict):
        return {key: _say_all(text) for key, text in texts.items()}
    return tuple(map(_say_all, texts)) if isinstance(texts, tuple | list) else texts


class Phrase(NamedTuple):
    """A phrase with its values, which `str` says in the language spoken then; numbers get its marks.

    >>> str(Phrase("{n} rows of {name}", {"n": 2000, "name": "iris"}))
    '2,000 rows of iris'
    """

    text: str
    values: Mapping[str, object]

    def __str__(self) -> str:
        """Return the phrase in the language that is spoken now."""
        return say(self.text, **{name: _written(value) for name, value in self.values.items()})


class Title(str):
    """A name with a phrase, such as that of a bundled table: the English text, of which `said` is a translation.

    It is English wherever a name is needed that does not change: in digests, code and names of files.

    >>> title = Title(Phrase("{name}, {changes}", {"name": "Moons", "changes": ["noise 0.3", "draw 2"]}))
    >>> str(title), title.said
    ('Moons, noise 0.3, draw 2', 'Moons, noise 0.3, draw 2')
    """

    phrase: Phrase

    def __new__(cls, phrase: Phrase) -> Title:
        """Return the title of this phrase, and of no person's own words."""
        with english():
            title = super().__new__(cls, str(phrase))
        title.phrase = phrase
        return title

    def __reduce__(self):
        return Title, (self.phrase,)

    @property
    def said(self) -> str:
        """The title in the language that is spoken."""
        return str(self.phrase)


def _written(value: object) -> str:
    if isinstance(value, Title):
        return value.said
    if isinstance(value, list):
        return ", ".join(map(_written, value))
    if isinstance(value, bool) or not isinstance(value, Real):
        return str(value)
    return in_style(f"{value:,}" if isinstance(value, Integral) else f"{float(value):g}")


class PhraseError(Exception):
    """An error whose message is a phrase: it may be raised beside a page, and is said where it is shown."""

    def __init__(self, text: str, /, **values: object):
        """`text` has no capital and no full stop; `values` are those of its places."""
        super().__init__(text)
        self.phrase = Phrase(text, values)

    def __str__(self) -> str:
        """Return the message in the language that is spoken now."""
        return str(self.phrase)


class Refusal(PhraseError, ValueError):
    """The error of what cannot be done with a person's data or choices; another ValueError is a caller's mistake.

    >>> raise Refusal("{n} folds cannot be made of {rows} rows", n=5, rows=3)
    Traceback (most recent call last):
    ...
    espalier.language.Refusal: 5 folds cannot be made of 3 rows
    """


class Later(str):
    """A text that is given once, as to a decorator, and shown later in the language spoken then.

    >>> str(Later(lambda: say("Gini impurity")))
    'Gini impurity'
    """

    _look_up: Callable[[], str]

    def __new__(cls, look_up: Callable[[], str]) -> Later:
        """Return the text, which is not looked up yet."""
        text = super().__new__(cls)
        text._look_up = look_up
        return text

    def __str__(self) -> str:
        """Return the text in the language that is spoken now."""
        return self._look_up()


@functools.cache
def texts(language: str) -> dict[str, str]:
    """Return the texts of a language by the English ones, from its .po file: each on one line.

    A library, which reads every form that such a file may have, takes five times as long.
    """
    translations: dict[str, str] = {}
    context = english = ""
    for line in (TEXTS / f"{language}.po").read_text("utf-8").splitlines():
        kind, _, text = line.partition(" ")
        if kind == "msgctxt":
            context = _unquoted(text) + CONTEXT
        elif kind == "msgid":
            english, context = context + _unquoted(text), ""
        elif kind == "msgstr":
            translations[english] = _unquoted(text)
    translations.pop("", None)  # the head of the file
    return translations


def _unquoted(text: str) -> str:
    text = text[1:-1]
    return re.sub(r"\\(.)", lambda sign: "\n" if sign[1] == "n" else sign[1], text) if "\\" in text else text


def _unknown(language: str) -> str:
    raise KeyError(f"no language {language!r}; there are {', '.join(LANGUAGES)}")
