"""The table that a session is bringing in: kept from reading to use, also while another page is open.

Its address has the word under which a copy stands on the shelf, for a page that is loaded anew.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from espalier.data.background import FileReading
from espalier.data.columns.convert import TableRecipe, TargetPlan, to_dataset
from espalier.data.columns.kinds import ColumnPlan, ColumnSummary, RoleNames, guess_target
from espalier.data.contents import Contents, UnreadableFile, contents, is_small
from espalier.data.dataset import Dataset
from espalier.data.errors import TableError
from espalier.data.options import ReadOptions
from espalier.data.table import Table
from espalier.language import Later, say, spoken
from espalier.settings import MAX_DRAFT_MINUTES, MAX_DRAFTS_MB
from pages.shared.app import sessions

KEY = "draft"  # of the session state
WANTED = "recipe-wanted"  # of the session state: how the file of a saved session was read
COUNT = "draft-count"  # of the session state
PARAMETER = "draft"  # of the address
PATIENCE_SECONDS = 0.6  # a file that is read sooner needs no progress bar


class Draft(NamedTuple):
    """A file, its reading options, and the plans of its columns; the table is None where reading failed."""

    number: int  # of the session's drafts: part of the keys of the widgets that edit it
    source: bytes | Path  # a path where the command line named it
    filename: str
    options: ReadOptions | None
    table: Table | None
    error: TableError | None
    plans: tuple[ColumnPlan, ...] = ()
    summaries: tuple[ColumnSummary, ...] = ()
    target: str = ""
    task: str = ""  # empty: as the values suggest
    weight: str = ""  # name of the column that says how much each row counts; empty: all the same
    roles: RoleNames = RoleNames()  # of what joins the rows, puts them in order, and names them
    guessed: tuple[ColumnPlan, ...] = ()  # the plans as they were guessed
    reading: FileReading | None = None  # under way; then the table is the one before
    word: str = ""  # in the address
    wish: str = ""  # the target that the command line named
    is_urgent: bool = False  # whether the table is used as soon as it has this target

    @property
    def content(self) -> Table:
        """The table, of a draft whose file was read."""
        assert self.table is not None
        return self.table

    @property
    def target_plan(self) -> TargetPlan:
        """The target, the task, and the columns that say something of the rows."""
        return TargetPlan(self.target, self.task, self.weight, self.roles)


def current() -> Draft | None:
    """The session's draft, if it has one, or the one that the address names."""
    draft = st.session_state.get(KEY)
    if draft is None and (word := st.query_params.get(PARAMETER)):
        draft = _taken_up(word)
    if draft is not None and st.query_params.get(PARAMETER) != draft.word:
        st.query_params[PARAMETER] = draft.word
    return draft


def start(source: bytes | Path, filename: str, target: str = "") -> None:
    """Read a file by guesses and make it the draft; with a target, it is to be used at once.

    The file that a saved session is about is read as it was for that session.
    """
    discard()
    new = Draft(_next_number(), source, filename, None, None, None)
    wanted: TableRecipe | None = st.session_state.get(WANTED)
    if wanted is not None and wanted.filename == filename and not target:
        aim, plans = wanted.target, wanted.plans  # as if a person had chosen each of them
        new = new._replace(
            options=wanted.options, plans=plans, guessed=tuple(plan._replace(name="") for plan in plans),
            target=aim.name, task=aim.task, weight=aim.weight, roles=aim.roles,
        )  # fmt: skip
    else:
        new = new._replace(target=target, wish=target, is_urgent=bool(target))
    _read(new)


def read_again(options: ReadOptions) -> None:
    """Read the draft's file by corrected options; a person's changes of columns stay, by their names."""
    draft = current()
    if draft and options != draft.options:
        _read(draft._replace(options=options))


def finish(seconds: float = 0.0) -> None:
    """Take over the result of reading the draft, if it ends within so many seconds."""
    draft = st.session_state.get(KEY)
    if draft is None or draft.reading is None:
        return
    try:
        _take(draft, draft.reading.future.result(seconds))
    except TimeoutError:
        return
    except CancelledError:
        if draft.table is None:
            discard()
        else:
            _keep(draft._replace(reading=None, options=draft.table.options))
    except UnreadableFile as error:
        _refuse(draft, error)


def cancel() -> None:
    """Stop reading (a callback): the table is the one before, if there is one."""
    draft = st.session_state.get(KEY)
    if draft is not None and draft.reading is not None:
        draft.reading.cancel()
        finish(1.0)


def update(**changes) -> Draft | None:
    """The draft with these fields changed."""
    draft = current()
    if draft and any(getattr(draft, name) != value for name, value in changes.items()):
        _keep(draft._replace(**changes))
    return st.session_state.get(KEY)


def discard() -> None:
    """Forget the draft (a callback)."""
    draft = st.session_state.pop(KEY, None)
    st.query_params.pop(PARAMETER, None)
    if draft is not None:
        shelf().drop(draft.word)
        if draft.reading is not None:
            draft.reading.cancel()


def dataset(draft: Draft) -> tuple[Dataset, list[str]]:
    """The data set that the draft makes, and notes on it. Raises TableError if it makes none."""
    # Notes are in the language spoken; those of reading stay in the one that was, until the file is read again.
    key = (draft.content.digest, draft.content.name, repr(draft.target_plan), repr(draft.plans), spoken())
    return _dataset(key, draft)


@st.cache_resource(
    max_entries=2, scope="session", show_spinner=Later(lambda: say("Making a data set of the columns …"))
)
def _dataset(key: tuple[str, ...], _draft: Draft) -> tuple[Dataset, list[str]]:
    """`key` has the plans as one text: to hash thousands of records takes a second each time."""
    table = _draft.content
    return to_dataset(table.frame, _draft.plans, _draft.target_plan, table.name, table.origins)


def _next_number() -> int:
    st.session_state[COUNT] = st.session_state.get(COUNT, 0) + 1
    return st.session_state[COUNT]


def _taken_up(word: str) -> Draft | None:
    """The draft that stands on the shelf under this word, its file being read again; else the word goes."""
    draft = shelf().find(word)
    if draft is None:
        st.query_params.pop(PARAMETER, None)
        return None
    _read(draft._replace(number=_next_number()))
    return st.session_state.get(KEY)


def _read(draft: Draft) -> None:
    """Read the draft's file: at once if it is small, else beside the page, which waits for it."""
    if draft.reading is not None:
        draft.reading.cancel()
    if not is_small(draft.source):
        _keep(draft._replace(reading=FileReading(draft.source, draft.filename, draft.options)))
        finish(PATIENCE_SECONDS)
        return
    try:
        _take(draft, contents(draft.source, draft.filename, draft.options))
    except UnreadableFile as error:
        _refuse(draft, error)


def _take(draft: Draft, new: Contents) -> None:
    """Make the new contents the draft; a person's changes of columns stay, by their names."""
    pairs = zip(draft.plans, draft.guessed, strict=True)
    changes = {plan.name: plan for plan, guess in pairs if plan != guess}
    plans = tuple(changes.get(plan.name, plan) for plan in new.plans)
    stays = draft.target in new.table.frame
    if draft.reading is not None:  # the message of the other process is needed no more
        sessions.give_back_soon()
    _keep(
        draft._replace(
            table=new.table,
            error=None,
            options=new.table.options,
            plans=plans,
            guessed=new.plans,
            summaries=new.summaries,
            target=draft.target if stays else guess_target(list(plans)) or "",
            task=draft.task if stays else "",
            weight=draft.weight if draft.weight in new.table.frame else "",
            roles=draft.roles.among(new.table.frame.columns),
            reading=None,
        )
    )


def _refuse(draft: Draft, error: UnreadableFile) -> None:
    _keep(draft._replace(error=error, table=None, options=draft.options or error.options, reading=None))


def _keep(draft: Draft) -> None:
    """Make this the session's draft, and put a copy on the shelf."""
    word = shelf().put(draft.word, draft._replace(table=None, summaries=(), reading=None, error=None))
    st.session_state[KEY] = draft._replace(word=word)


class Shelf:
    """Drafts by a word that cannot be guessed; the oldest go first, and all after a while."""

    def __init__(self, megabytes: float = MAX_DRAFTS_MB, minutes: float = MAX_DRAFT_MINUTES):
        self.budget, self.seconds = megabytes * 1e6, minutes * 60
        self._places: OrderedDict[str, tuple[Any, float]] = OrderedDict()
        self._lock = threading.RLock()

    def put(self, word: str, draft: Any) -> str:
        """Keep the draft, in place of what stood under the same word. A new word, if it is empty."""
        word = word or secrets.token_urlsafe(12)
        with self._lock:
            self._places[word] = (draft, time.monotonic())
            self._places.move_to_end(word)
            self.tidy()
        return word

    def find(self, word: str) -> Any | None:
        """The draft of this word, if it is still here."""
        self.tidy()
        return self._places.get(word, (None, 0.0))[0]

    def drop(self, word: str) -> None:
        """Let go of the draft."""
        self._places.pop(word, None)

    def tidy(self) -> None:
        """Let go of drafts whose time is over, and of the oldest while all are too large."""
        with self._lock:
            while self._places:
                _, since = next(iter(self._places.values()))
                sizes = [len(d.source) for d, _ in self._places.values() if isinstance(d.source, bytes)]
                is_old = since < time.monotonic() - self.seconds
                if not is_old and (sum(sizes) <= self.budget or len(self._places) < 2):
                    return
                self._places.popitem(last=False)


@st.cache_resource(show_spinner=False)
def shelf() -> Shelf:
    """The server's shelf."""
    return Shelf()


sessions.first(lambda: shelf().tidy())
