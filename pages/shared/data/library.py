"""The data set that the session works on: a bundled sample, or a table that a person gave to this server.

The address says it with ``?data=``: the name of a sample, how a simulated one is drawn anew, points that were
drawn by hand, or the digest of a table's content; behind it stand roles and words of its columns, a choice of
its classes and the filter of its rows, if there are any (``?data=iris~c3-1-2~p1~where~petal length~gt~2``).
Uploaded tables stand in one store for the whole server, so that a link opens the same table on a colleague's
screen; the digest is their key, so two tables with the same file name never stand in for each other, and the
name that a person gave to a table stays in that session.
"""

from __future__ import annotations

import threading
from typing import Any

import streamlit as st

from espalier.data import Dataset, FilterError, filter_of, samples, subset
from espalier.data.column_changes import assign_roles, name_columns, table_and_roles, table_and_words
from espalier.data.columns.convert import TableRecipe
from espalier.data.dataset import table_and_choice, with_classes
from espalier.data.samples import redrawn
from espalier.language import say
from espalier.settings import MAX_STORED_MB
from pages.shared.app import address
from pages.shared.app.frame import plain
from pages.shared.app.store import BUDGET, CURRENT_TABLE, Budget, Store, hold_table, of_table

DEFAULT = "iris"
PARAMETER = address.DATA  # in the address
FILE, LONGEST_FILE = "file", 80  # of a link that was copied: the name of the file to load; letters of it
WHERE = "~where~"  # between a table's own text and that of the filter of its rows
CHOSEN = "chosen-data"  # key of the session state: the name or digest last used
DRAWN = "drawn-data"  # key of the session state: the name or digest of the data that the page shows
FOR_NOW = "data-for-now"  # key of the session state: a slider, and the data that are shown while it moves
MOST_PARTS = 32  # parts of tables, by their filters
MOST_TEXTS = 10_000  # of tables that are known by their digest
_texts: dict[str, str] = {}  # digest → text in the address
RECIPES = "own-recipes"  # key of the session state: digest → how a file was read
TITLES = "own-tables"  # key of the session state: digest → name, of all tables brought in


class TableStore:
    """Uploaded tables by digest; beyond their own budget the one unused for longest is let go.

    They count for the budget of all that is kept, too, but results give way to them, which can be made again.
    """

    def __init__(self, megabytes: float = MAX_STORED_MB, budget: Budget = BUDGET):
        self._most, self._lock = megabytes, threading.Lock()
        self._tables: Store[Dataset] = Store(MOST_TEXTS, budget=budget, lasts=True)

    def put(self, dataset: Dataset) -> None:
        """Keep the table, and let old ones go while there are too many bytes; the new one always stays."""
        with self._lock:
            self._tables.find_or_put(dataset.digest, lambda: dataset)
            while len(self._tables.results) > 1 and self._tables.megabytes > self._most:
                self._tables.drop(next(iter(self._tables.results)))

    def find(self, digest: str) -> Dataset | None:
        """The table with this digest, if it is still here."""
        return self._tables.find(digest)


@st.cache_resource(show_spinner=False)
def store() -> TableStore:
    """The server's store of uploaded tables."""
    return TableStore()


def chosen() -> Dataset:
    """The data set of the address, else the session's; iris with a warning where the address names none."""
    key = chosen_key()
    dataset, table = find(key), own_text(key)
    st.session_state[DRAWN] = key
    if dataset is None:
        st.warning(_gone(key), icon=":material/table_chart_view:")
        dataset = samples.load(DEFAULT)
    if WHERE in key and (refused := refusal(key)):
        st.warning(
            say("{reason} **All rows are shown instead.**", reason=plain(refused)),
            icon=":material/filter_alt_off:",
        )
    digest = "" if table in samples.CARDS or store().find(table) is None else dataset.digest
    if digest or st.session_state.get(CURRENT_TABLE):
        hold_table(digest)
    return dataset


def in_use() -> Dataset:
    """The data set of the address; iris where the address names none that is here."""
    dataset = find(chosen_key())
    return samples.load(DEFAULT) if dataset is None else dataset


def choose(dataset: Dataset) -> str:
    """Make this the session's data set, and keep it if it is not a sample. Its text in the address."""
    key = key_of(dataset)
    if key == dataset.digest:
        store().put(dataset)
        st.session_state.setdefault(TITLES, {})[key] = dataset.name
    take(key)
    return key


def recipe_of(dataset: Dataset) -> TableRecipe | None:
    """How the file of this very table was read, if this session has read it."""
    return st.session_state.get(RECIPES, {}).get(dataset.digest)


def source_of(dataset: Dataset) -> str | TableRecipe | None:
    """Where a script finds this very table: the name of a sample, or how its file was read; None: nowhere."""
    name = key_of(dataset)
    return name if name in samples.names() else recipe_of(dataset)


def file_in_use() -> str:
    """Name of the file that the session has read for the table in use; empty for others."""
    table = find_whole(own_text(chosen_key()))
    recipe = None if table is None else recipe_of(table)
    return "" if recipe is None else recipe.filename[:LONGEST_FILE]


def divided(key: str) -> tuple[str, str]:
    """Return the text of the whole table, and that of the filter of its rows, which is empty without one."""
    table, _, rows = key.partition(WHERE)
    return table, rows


def with_rows(key: str, rows: str) -> str:
    """Return the text of the same table with this filter's text instead of its own."""
    return divided(key)[0] + (WHERE + rows if rows else "")


def find(key: str) -> Dataset | None:
    """The data set of this text; the whole table if the filter does not fit it, None if it is not here."""
    table, _, rows = key.partition(WHERE)
    whole = find_whole(table)
    if whole is None or not rows:
        return whole
    try:
        part = _part(whole, rows)
    except FilterError:
        return whole
    return whole if part.digest == whole.digest else _remembered(part, key)


def refusal(key: str) -> str:
    """Return what is wrong with the filter of a text whose table is here; empty if nothing is."""
    table, rows = divided(key)
    whole = find_whole(table) if rows else None
    if whole is not None:
        try:
            _part(whole, rows)
        except FilterError as error:
            return str(error)
    return ""


@of_table(max_entries=MOST_PARTS)
def _part(whole: Dataset, rows: str) -> Dataset:
    return subset(whole, filter_of(rows))


def find_whole(key: str) -> Dataset | None:
    """The sample of this name, or the uploaded table of this digest if it is still here."""
    if key in samples.CARDS:
        return samples.load(key)
    if (how := redrawn.redraw_of(key)) is not None:
        return _remembered(redrawn.redrawn(how), how.text)
    if (table := redrawn.painted_of(key)) is not None:
        return _remembered(table.dataset, table.text)
    return store().find(key) or _changed(key)


def _changed(key: str) -> Dataset | None:
    """The table of a text that ends in a choice of classes, words or roles; as it is, where these do not fit."""
    layers: list[tuple[Any, Any]] = [(table_and_choice, with_classes), (table_and_words, name_columns)]
    for read, change in [*layers, (table_and_roles, lambda table, _: _cast(table, key))]:
        text, choice = read(key)
        if text != key:
            table = find_whole(text)
            try:
                new = table and change(table, choice)
            except ValueError:
                return table
            return table if new is None or new is table else _remembered(new, key)
    return None


@of_table(max_entries=MOST_PARTS)
def _cast(table: Dataset, roles: str) -> Dataset:
    return assign_roles(table, table_and_roles(roles)[1])


def own_text(key: str) -> str:
    """The text of the table as it was read: without roles, words for columns, order of classes and filter."""
    table = key.partition(WHERE)[0]
    return table_and_roles(table_and_words(table_and_choice(table)[0])[0])[0] if "~" in table else table


def take(key: str) -> None:
    """Make this text that of the session's data set (also as a callback)."""
    st.session_state[CHOSEN] = st.query_params[PARAMETER] = key


def _remembered(dataset: Dataset, text: str) -> Dataset:
    """A table whose text says all of it; its digest leads back to that."""
    _texts[dataset.digest] = text
    while len(_texts) > MOST_TEXTS:
        _texts.pop(next(iter(_texts)), None)
    return dataset


def key_of(dataset: Dataset) -> str:
    """Return the data set's text in the address: a sample's name, or the digest."""
    if dataset.digest in _texts:
        return _texts[dataset.digest]
    for name, card in samples.CARDS.items():
        if card.title == dataset.name and samples.load(name).digest == dataset.digest:
            return name
    return dataset.digest


def chosen_key() -> str:
    """The text that names the session's data set, which the address then shows.

    Without a text in the address, the session's stays when the page was opened from the menu; a step back
    to a bare address of the same page means the default.
    """
    slider, for_now = st.session_state.get(FOR_NOW, ("", ""))
    text = st.query_params.get(PARAMETER)
    if slider and slider == address.moving():
        return for_now
    key = text or (st.session_state.get(CHOSEN, DEFAULT) if address.is_by_menu(PARAMETER) else DEFAULT)
    st.session_state[CHOSEN] = key
    if key != (text or DEFAULT):
        st.query_params[PARAMETER] = key
    return key


def show_for_now(key: str) -> None:
    """Let the page show these data as long as a slider moves, without a word in the address (a callback)."""
    st.session_state[FOR_NOW] = address.moving(), key


def _gone(key: str) -> str:
    """Warning of a link to a table that this server does not have."""
    letters = "".join(c for c in key[:40] if c.isalnum() or c in "-_") or "?"
    file = plain(st.query_params.get(FILE, "")[:LONGEST_FILE])
    return say(
        "The table `{key}` of this link is not on this server: **iris is shown instead**. Upload {file} again "
        "under *Other tables*.",
        key=letters,
        file=f"“{file}”" if file else say("the table"),
    )
