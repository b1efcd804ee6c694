"""Drafts whose page is loaded anew stand on a shelf: the session that held them is gone, but its link is not."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from espalier.settings import MAX_DRAFT_MINUTES, MAX_DRAFTS_MB
from pages.shared.app import memory


class ShelvedDraft(NamedTuple):
    """A draft without its table, which is read again from its file."""

    draft: Any
    since: float  # seconds, monotonic


class Shelf:
    """Drafts by a word that cannot be guessed; the oldest go first, and all after a while."""

    def __init__(self, megabytes: float = MAX_DRAFTS_MB, minutes: float = MAX_DRAFT_MINUTES):
        self.budget, self.seconds = megabytes * 1e6, minutes * 60
        self._places: OrderedDict[str, ShelvedDraft] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, word: str, draft: Any) -> str:
        """Keep the draft, in place of what stood under the same word. A new word, if it is empty."""
        word = word or secrets.token_urlsafe(12)
        with self._lock:
            self._places[word] = ShelvedDraft(draft, time.monotonic())
            self._places.move_to_end(word)
            self._clear()
        return word

    def find(self, word: str) -> Any | None:
        """The draft of this word, if it is still here."""
        with self._lock:
            self._clear()
            place = self._places.get(word)
        return None if place is None else place.draft

    def drop(self, word: str) -> None:
        """Let go of the draft."""
        with self._lock:
            self._places.pop(word, None)

    def tidy(self) -> None:
        """Let go of drafts whose time is over."""
        with self._lock:
            self._clear()

    def _clear(self) -> None:
        oldest = time.monotonic() - self.seconds
        while self._places:
            first = next(iter(self._places.values()))
            too_much = sum(_size(place.draft.source) for place in self._places.values()) > self.budget
            if first.since >= oldest and not (too_much and len(self._places) > 1):
                return
            self._places.popitem(last=False)


def _size(source: bytes | Path) -> int:
    """Bytes that a file takes here; one that stays at its path takes none."""
    return 0 if isinstance(source, Path) else len(source)


@st.cache_resource(show_spinner=False)
def shelf() -> Shelf:
    """The server's shelf."""
    return Shelf()


memory.first(lambda: shelf().tidy())
