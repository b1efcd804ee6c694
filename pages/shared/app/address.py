"""The state that a person would send to a colleague stands in the URL; Back and Forward undo and redo.

Streamlit's own binding of a widget to the URL writes the words on the widget, replaces the entry of the
browser's history, and drops a wrong value without a word. Here every value has a short stable text, every
change is a step of the history, and a note says which value is wrong: a number beyond its limits becomes the
limit, anything else the default. Links of earlier versions open through `aliases`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.shared.app import language, links
from pages.shared.app.links import Choice as Choice
from pages.shared.app.links import Entry as Entry
from pages.shared.app.links import OutOfRange

MEMORY = "address"  # key of the session state: by page, the texts last seen in the URL, and Undo's steps
VALUES = "address-values"  # key of the session state: values that come back after another page
GIVEN = "given"  # key of the session state: parameters of the URLs since a page took up its values
WALKED = "walked"  # key of the session state: whether the browser has gone back or forward since then
FINISHED = "finished"  # key of the session state: (page, its address) of all that was ever shown to its end
LOADED = "loaded"  # key of the session state: path of the page that took up its values last
MOVING = "slider-moves"  # key of the session state: of a slider that is moved, which is no step before it ends
BY_ITSELF = "run-by-itself"  # key of the session state: whether no person asked for the run that comes
BROUGHT = "brought"  # key of the session state: texts of a saved session, by key, until a page takes them up
WAITS = "brought-waits"  # key of the session state: whether the table of a saved session is still to come
LASTING = "lasting"  # key of the session state: parameters of no page, which stand in the URL of every page
PLACE = "place"  # key of the session state: path of the page that is running
UNREAD_NOW = "unread-now"  # key of the session state: the URL that this page was opened with
UNREAD = "unread"  # key of the session state: by page, the URL of those that were left before they had read it
UNSAVED = "unsaved"  # key of the session state: a page that has not come to its end, and its values
DATA = "data"  # parameter and key of the data set in use, which stands in the URL alone; Undo takes it back, too
SAVED = "address-saved"  # key of the session state: the page that was saved last, and its entries
PAST = 50  # steps that "Undo" remembers
UNSET = object()  # in place of a value that the session state does not have


def begin() -> None:
    """Note what the URL says when a run begins, before anything is written there; called by the frame."""
    st.session_state[GIVEN] = st.session_state.get(GIVEN, frozenset()) | set(st.query_params)
    st.session_state[WALKED] = st.session_state.get(WALKED, False) or is_step_of_browser()


def is_step_of_browser() -> bool:
    """Whether this run was asked for by the browser's Back or Forward."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation


def come(place: str) -> None:
    """Note which page runs, before it does; called by the frame.

    A page may be left before it has taken up its values: the next one is opened anew all the same, and its bare
    address is no link. The link of the page that was left waits until the menu opens it again.
    """
    state = st.session_state
    if state.get(PLACE) == place:
        return
    if state.get(LOADED) != state.get(PLACE) and UNREAD_NOW in state:
        state.setdefault(UNREAD, {})[state[PLACE]] = state[UNREAD_NOW]
    waiting = state.get(UNREAD, {}).pop(place, None)
    if waiting and not st.query_params.to_dict():
        st.query_params.from_dict(waiting)
    here = st.query_params.to_dict()
    state.update({PLACE: place, LOADED: None, GIVEN: frozenset(here), UNREAD_NOW: here})
    state[WALKED] = is_step_of_browser()


def is_by_menu(*parameters: str) -> bool:
    """Whether the page was just opened, and by the menu: without a word of these in its URL.

    A run that the next one stopped counts too: where the browser goes two steps back at once, the first of them
    says what the second, to a bare address, does not.
    """
    was, now = st.session_state.get(LOADED), st.session_state.get(PLACE)
    return was != now and not _is_back() and not st.session_state.get(GIVEN, frozenset()) & set(parameters)


def _is_back() -> bool:
    """Whether the browser has gone back or forward to what was once shown, where a bare address means defaults.

    The address of a page that was left too soon may be bare, too; it means nothing, as from the menu.
    """
    state = st.session_state
    place, parameters = state.get(PLACE, ""), frozenset(state.get(UNREAD_NOW, {}).items())
    was_shown = (place, parameters) in state.get(FINISHED, ())
    return state.get(WALKED, False) and state.get(LOADED) != state.get(PLACE) and was_shown


class Arrival(NamedTuple):
    """Origin of a run's values; a run that was stopped before it saved them leaves this to the next."""

    linked: bool  # from the URL: a link was opened, or the browser went back
    notes: list[str]  # on values of the URL that could not be used


def texts(entries: list[Entry]) -> dict[str, str]:
    """Texts of these entries' values in the session state, by parameter; defaults have none."""
    state, kept = st.session_state, _values()
    values = {e.key: state.get(e.key, kept.get(e.key, e.default)) for e in entries}
    return _written(entries, values)


def load(page: str, entries: list[Entry]) -> Arrival:
    """Put every entry's value into the session state, before the widgets are drawn.

    The URL wins when it says something else than we last wrote there: a link was opened, or the browser went
    back. It does not when the page was opened from the menu without any parameters, nor when a widget was just
    moved (the browser may not have taken our last text yet). That is not to be confused with values that differ
    because a step of the browser was left too soon: another step wins over those.
    """
    memory, values = _memory(page), _values()
    left, unsaved = st.session_state.get(UNSAVED, (page, {}))
    values.update(unsaved if left != page else {})  # of a page that was left: both may have some in common
    brought = _take_up(entries, values) if st.session_state.get(BROUGHT) else []
    current, place = links.current(st.query_params.to_dict(), entries), st.session_state.get(PLACE)
    texts = {entry.parameter: current[entry.parameter] for entry in entries if entry.parameter in current}
    here = st.session_state.get(LOADED) == place
    is_back, by_menu = _is_back(), not texts and is_by_menu(*(e.parameter for e in entries))
    state = st.session_state
    state.update({LOADED: place, GIVEN: frozenset(), WALKED: False})
    if by_menu:
        memory["written"] = {}  # else a run after one that was stopped would take the URL for a link
    elif is_back or (texts != memory["written"] and (is_step_of_browser() or not _moved(entries, values))):
        memory["written"] = texts
        linked, notes = parsed(texts, entries)
        now = {e.key: values.get(e.key, e.default) for e in entries} | linked
        state.update({UNSAVED: (page, now)} | now)
        memory["arrival"] = Arrival(True, notes)
        return memory["arrival"]
    if not here:
        memory["arrival"] = Arrival(False, [])
    # A key that another page's widget had must be set anew: Streamlit drops it with that widget.
    now = {entry.key: state.get(entry.key, UNSET) if here else UNSET for entry in entries}
    fresh = {entry.key: values.get(entry.key, entry.default) for entry in entries if now[entry.key] is UNSET}
    # The page may be left before it saves its values, and their widgets are gone then.
    state.update({UNSAVED: (page, now | fresh)} | fresh)
    if state.get(BY_ITSELF):
        hold(entries)  # a slow browser may have missed the widgets of the run before
    return memory["arrival"]._replace(notes=[*memory["arrival"].notes, *brought])


def set_texts() -> dict[str, str]:
    """Texts of all that is set on any page, by key, and of what a saved session set on others."""
    known = {key: text_of(value) for key, value in _values().items() if key != DATA}
    return st.session_state.get(BROUGHT, {}) | known


def bring(texts: Mapping[str, str], waits: bool = False) -> None:
    """Let pages take up these texts of a saved session, by key, each when it opens next (a callback).

    `waits`: its table is not there yet; texts that mean nothing for another one wait for it.
    """
    st.session_state[BROUGHT], st.session_state[WAITS] = links.by_own_keys(links.rename_places(texts)), waits


def wait_no_more() -> None:
    """Note that the table of the saved session is there."""
    st.session_state.pop(WAITS, None)


def _take_up(entries: list[Entry], values: dict[str, Any]) -> list[str]:
    """Take up what a saved session has for these entries; notes on texts that mean nothing."""
    waiting, notes = st.session_state[BROUGHT], []
    for entry in entries:
        if (text := waiting.get(entry.key)) is None:
            continue
        try:
            values[entry.key] = st.session_state[entry.key] = entry.read(text)
        except ValueError as wrong:
            if st.session_state.get(WAITS):
                continue
            if isinstance(wrong, links.Gone) and wrong.nearest is not None:
                values[entry.key] = st.session_state[entry.key] = wrong.nearest
            if entry.is_in_use(values) or not isinstance(wrong, links.Gone):
                notes.append(links.note_on(entry, text, wrong))
        del waiting[entry.key]
    return notes


def last(key: str, default: Any) -> Any:
    """The value that the last run ended with, in a callback of a control that has moved since."""
    return _values().get(key, default)


def hold(entries: list[Entry]) -> None:
    """Keep, in a part that runs alone and before it draws, values of tabs: Streamlit forgets those not drawn."""
    kept = _values()
    for entry in entries:
        st.session_state[entry.key] = st.session_state.get(entry.key, kept.get(entry.key, entry.default))


def are_set(entries: list[Entry]) -> bool:
    """Whether any of these differs from its default."""
    return any(st.session_state[entry.key] != entry.default for entry in entries)


def keep() -> None:
    """Hold the values of all entries, since the widgets come anew: in another language (a callback)."""
    _put(_values() | {key: st.session_state[key] for key in _values() if key in st.session_state})


def stay(key: str) -> None:
    """Let the next `save` wait: the slider of this key moves, and only where it ends is a step (a callback)."""
    st.session_state[MOVING] = key


def moving() -> str:
    """The key of the slider that is on its way, so that the page runs and this is no step; empty: none is."""
    return st.session_state.get(MOVING, "")


def save(page: str, entries: list[Entry]) -> None:
    """Write what differs from the defaults to the URL, and remember it for Undo and for coming back."""
    st.session_state[SAVED] = (page, entries)
    if st.session_state.pop(MOVING, ""):
        return
    st.session_state.pop(UNSAVED, None)
    memory, values = _memory(page), _values()
    before = {entry.key: values.get(entry.key, entry.default) for entry in entries}
    # A widget that is not on the page now has no value in the session state: it keeps the last one.
    now = {entry.key: st.session_state.get(entry.key, before[entry.key]) for entry in entries}
    data, present = values.get(DATA), st.query_params.get(DATA, "")
    others = {} if data in (None, present) else {DATA: data}
    if (others or any(e.undo and now[e.key] != before[e.key] for e in entries)) and memory["seen"]:
        _step(memory, entries, before | others, now | {DATA: present})
    is_linked, memory["seen"], memory["arrival"] = memory["arrival"].linked, True, Arrival(False, [])
    values.update(now | {DATA: present})
    memory["written"] = _written(entries, now)
    ours = {entry.parameter for entry in entries}
    there = st.query_params.to_dict()
    there = links.current(there, entries) if is_linked else there  # only links have former names
    whole = {k: v for k, v in there.items() if k not in ours} | memory["written"]
    whole |= language.parameters() | st.session_state.get(LASTING, {})
    place = st.session_state.get(PLACE, "")
    st.session_state.setdefault(FINISHED, set()).add((place, frozenset(whole.items())))
    if st.query_params.to_dict() != whole:
        st.query_params.from_dict(whole)


def save_again() -> None:
    """Save as the page did last: for a part of it that runs alone and knows only its own values."""
    save(*st.session_state[SAVED])


def rewrite(page: str, entries: list[Entry], **others: str) -> None:
    """Give these entries their defaults and set other parameters of the URL, in one step of the history."""
    memory = _memory(page)
    _put({entry.key: entry.default for entry in entries})
    aliases = {entry.parameter for entry in entries}
    memory["written"] = {key: text for key, text in memory["written"].items() if key not in aliases}
    kept = {key: text for key, text in st.query_params.to_dict().items() if key not in aliases}
    st.query_params.from_dict(kept | others)


def undo(page: str) -> None:
    """Take the last change back (a callback: before the widgets are drawn); `redo` brings it again."""
    _walk(_memory(page), "past", "future")


def redo(page: str) -> None:
    """Make the change again that was taken back last (a callback)."""
    _walk(_memory(page), "future", "past")


def _walk(memory: dict[str, Any], source: str, other: str) -> None:
    """Go to the last state of one list, and leave the present one at the end of the other."""
    if memory[source]:
        *memory[source], values = memory[source]
        memory[other] = [*memory[other], {key: _values().get(key, value) for key, value in values.items()}]
        _put(values)


def _step(memory: dict[str, Any], entries: list[Entry], before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Remember the state before a change; the browser's Back and Forward walk along what is remembered."""
    was = {key: before[key] for key in (*(e.key for e in entries if not e.stays), DATA) if key in before}
    steps = [*(e.key for e in entries if e.undo and not e.stays), DATA]
    for source, other in (("past", "future"), ("future", "past")):
        last = memory[source][-1] if memory[source] and memory["arrival"].linked else None
        if last is not None and all(last.get(key, now[key]) == now[key] for key in steps):
            memory[source], memory[other] = memory[source][:-1], [*memory[other], was][-PAST:]
            return
    memory["past"], memory["future"] = [*memory["past"], was][-PAST:], []


def reset(page: str, entries: list[Entry]) -> None:
    """Give every entry its default (a callback); Undo takes it back."""
    memory, values = _memory(page), _values()
    before = {entry.key: values.get(entry.key, entry.default) for entry in entries}
    memory["past"], memory["future"] = [*memory["past"], before][-PAST:], []
    _put({entry.key: entry.default for entry in entries})


def steps(page: str) -> tuple[bool, bool]:
    """Whether there is a step to take back, and one that was taken back and can be made again."""
    memory = _memory(page)
    return bool(memory["past"]), bool(memory["future"])


def arrive() -> None:
    """Let the page that opens next be as its link says, whatever was set on any page before; Undo stays."""
    for key in _values():
        st.session_state.pop(key, None)
    st.session_state.update({VALUES: {}, UNSAVED: ("", {}), UNREAD: {}})
    for memory in st.session_state.get(MEMORY, {}).values():
        memory["written"] = {}


def forget() -> None:
    """Start again: no memory, no parameters (a callback)."""
    st.session_state.clear()
    st.query_params.clear()


def _put(values: dict[str, Any]) -> None:
    _values().update(values)
    st.session_state.update({key: value for key, value in values.items() if key != DATA})
    if values.get(DATA):
        st.query_params[DATA] = values[DATA]
    elif DATA in values:
        st.query_params.pop(DATA, None)


def _memory(page: str) -> dict[str, Any]:
    """Memory of a page: the texts last written to the URL, steps to undo and redo, its arrival."""
    pages = st.session_state.setdefault(MEMORY, {})
    fresh = {"written": {}, "past": [], "future": [], "seen": False, "arrival": Arrival(False, [])}
    return pages.setdefault(page, fresh)


def _values() -> dict[str, Any]:
    """The last value of every entry; one of the same key on two pages is the same one."""
    return st.session_state.setdefault(VALUES, {})


def _moved(entries: list[Entry], values: dict[str, Any]) -> bool:
    return any(
        e.key in values and e.key in st.session_state and st.session_state[e.key] != values[e.key] for e in entries
    )


def _written(entries: list[Entry], values: Mapping[str, Any]) -> dict[str, str]:
    """URL parameters for the values in use that differ from their defaults."""
    changed = [entry for entry in entries if entry.is_in_use(values) and values[entry.key] != entry.default]
    return {entry.parameter: text_of(values[entry.key]) for entry in changed}


def text_of(value: Any) -> str:
    """Text of a value in the address; reading it gives the same value."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return short if float(short := f"{value:g}") == value else repr(value)
    return "none" if value is None else str(value)


def parsed(texts: Mapping[str, str], entries: list[Entry]) -> tuple[dict[str, Any], list[str]]:
    """The values in use by their keys, from texts by parameter; notes on those that could not be used."""
    values: dict[str, Any] = {}
    notes = []
    for entry in entries:
        if not entry.is_in_use(values):
            continue  # it keeps what it has
        values[entry.key] = entry.default
        if (text := texts.get(entry.parameter)) is not None:
            try:
                values[entry.key] = entry.read(text)
            except ValueError as wrong:
                values[entry.key] = _nearest(wrong, entry.default)
                notes.append(links.note_on(entry, text, wrong))
    return values, notes


def _nearest(wrong: ValueError, default: Any) -> Any:
    """The value in place of one that could not be read."""
    nearest = wrong.nearest if isinstance(wrong, (OutOfRange, links.Gone)) else None
    return default if nearest is None else nearest
