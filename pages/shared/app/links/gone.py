"""Settings and words of earlier versions: links and saved sessions that name one still open.

A note then says what there is in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from espalier.language import say
from espalier.learners import catalogue
from espalier.learners.catalogue import Setting
from pages.shared.app import sentences as app_sentences
from pages.shared.app.links import readers
from pages.shared.app.links.entry import Entry

LEARNER = "learner"  # key of the session state: the learner of the page Tree


class Gone(ValueError):
    """A value that nothing stands for any more; its text says what there is in its place."""

    def __init__(self, text: str, nearest: str | None = None):
        """`nearest` is the value that takes its place; None: the default does."""
        super().__init__(text)
        self.nearest = nearest


def reader(setting: Setting) -> Callable[[str], str]:
    """Reader of a setting of `ModelKind.former`: of the one value that says nothing."""

    def read(text: str) -> str:
        if text == setting.default:
            return text
        raise Gone(say(setting.words))

    return read


def one_of(options: Iterable[str], former: Mapping[str, Gone]) -> Callable[[str], str]:
    """Reader of one of a few words; `former` are those of earlier versions, each with its error."""
    today = readers.one_of(options)

    def read(text: str) -> str:
        if text in former:
            raise former[text]
        return today(text)

    return read


def entry(key: str, text: str) -> Entry:
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


def note(entry: Entry, text: str, wrong: ValueError) -> str:
    """Note on a text that could not be read."""
    if isinstance(wrong, Gone):
        return f"{entry.parameter}={text[:40]}: {wrong}"
    return app_sentences.unreadable_value(entry.parameter, text[:40], str(wrong))
