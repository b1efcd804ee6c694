"""The left rail's controls that every learner shares: the data, the rows held out, Undo and Reset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from espalier.data import Dataset, HeldOut, samples
from espalier.language import Texts, say
from pages.shared.app import address
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.links.readers import whole
from pages.shared.canvas.slider import slider
from pages.shared.data import by_condition, filters, library, redrawing

COUNTED_ALIKE = Texts(
    {
        "data": "",
        "tree": "numbers of rows, the bars on the cards, and limits such as the rows in a leaf",
        "forests": (
            "numbers of rows, limits such as the rows in a leaf, strength and correlation, the agreement of "
            "trees, and the rows on which the forests differ"
        ),
        "compare": "numbers of rows, and the folds, which hold equally many rows",
        "stability": "the redraws, which draw every row with the same chance, and the agreement of trees on rows",
        "reliability": "numbers of rows, the folds, and the rows that an explanation is compared with",
        "approximate": "made-up rows, which are drawn more often around a row of more weight, and then count the "
        "same",
        "questionnaire": "numbers of rows behind an answer, and made-up rows",
    }
)
CONTROLS = Texts(
    {
        "held": (
            "Rows held out for testing",
            "These rows are not used to grow the tree; they show how well it does on rows it has not seen. "
            "*Term:* hold-out or test set. Classes keep their shares, and a number its spread.",
        ),
        "seed": ("Seed of the held-out rows", "Another number holds other rows out."),
    }
)

PICKER = "data-picker"  # key of the widget; the address itself is the library's
MORE = "more"  # key of the drawer of controls that are set seldom: the same one for every learner
BIG = 1_000_000
HELD = 30  # per cent of the rows, if nobody says otherwise
# By page: what is done there with rows that belong together.
DONE = {
    "data": ("held",), "tree": ("held",), "forests": ("held", "drawn"), "compare": ("folds",),
    "stability": ("drawn",), "reliability": ("folds",), "approximate": ("held",), "questionnaire": ("held",),
}  # fmt: skip


def has_categories() -> bool:
    """Whether the chosen data have columns of categories."""
    dataset = library.find(library.chosen_key())
    return dataset is not None and bool(dataset.categorical.any())


class Help(NamedTuple):
    """Label of a control and its meaning, with the field's own term."""

    label: str
    text: str


def pick(help_of: Mapping[str, tuple[str, str]], key: str, widget: Callable[..., Any], **options: Any) -> None:
    """Draw a widget whose value stands in the session state under `key`, with its label and help."""
    control = Help(*help_of[key])
    widget(control.label, key=key, help=control.text, **options)


def more(label: str, draw: Callable[[], None]) -> None:
    """Draw what is set seldom, in a drawer; while that is closed its widgets cost nothing."""
    drawer = st.expander(label, key=MORE, on_change="rerun")
    if drawer.open:
        with drawer:
            draw()


def held_out_entries() -> list[Entry]:
    """The controls of `draw_held_out` as parts of the address."""
    return [Entry("held", HELD, whole(0, 80)), Entry("seed", 0, whole(0, BIG)), by_condition.entry()]


def holdout() -> HeldOut:
    """The rows to hold out that these controls stand for."""
    return HeldOut(st.session_state["held"], st.session_state["seed"], by_condition.in_force())


def pick_data(dataset: Dataset, page: str, selected: list[Entry]) -> None:
    """The choice of the data set, among the samples and the session's own tables, and the way to more.

    `selected` are the entries that mean nothing for other data: a change lets go of them.
    """
    own = st.session_state.get(library.TITLES, {})
    titles = {name: say(samples.card(name).title) for name in samples.names()} | own
    key = library.key_of(dataset)
    st.session_state[PICKER] = key
    st.selectbox(
        say("Data"),
        list(titles | {key: dataset.name}),
        key=PICKER,
        format_func=lambda name: titles.get(name, samples.title_of(dataset)),
        on_change=callback(_take_data),
        args=(page, selected),
    )
    redrawing.draw(dataset, page)
    filters.line(dataset)
    say_roles(dataset, page)
    st.page_link("pages/data.py", label=say("Open your own table"), icon=":material/upload_file:")


def say_roles(dataset: Dataset, page: str) -> None:
    """Say by which columns rows count, stay together or follow each other, and what that means on this page."""
    weights = dataset.row_weights
    notes = [] if weights is None else [_weight_note(plain(weights.name), page)]
    notes += [together(dataset, what) for what in DONE.get(page, ())]
    if any(notes):
        st.caption(" ".join(filter(None, notes)))


def together(dataset: Dataset, what: str) -> str:
    """How rows are held out ("held"), dealt into "folds" or "drawn", Markdown; empty without groups and times."""
    groups, times = dataset.roles.groups, dataset.roles.times
    if groups is None and times is None:
        return ""
    return _group_note(what, *("" if one is None else plain(one.name) for one in (groups, times)))


def undo_and_reset(page: str, everything: list[Entry]) -> None:
    """Buttons that take back the last change of a control, make it again, or take back all of them."""
    with st.container(horizontal=True, key="undo and reset"):
        st.button(
            say("Undo"),
            icon=":material/undo:",
            on_click=callback(address.undo),
            args=(page,),
            disabled=not address.can_undo(page),
            help=say("Takes the last change of a control back."),
            width="stretch",
        )
        st.button(
            say("Redo"),
            icon=":material/redo:",
            on_click=callback(address.redo),
            args=(page,),
            disabled=not address.can_redo(page),
            help=say("Makes the change again that was taken back last."),
            width="stretch",
        )
        st.button(
            say("Reset"),
            icon=":material/restart_alt:",
            on_click=callback(address.reset),
            args=(page, everything),
            help=say("Every control as at first; the data, and how the tree is grown, stay."),
            width="stretch",
        )


def _take_data(page: str, selected: list[Entry]) -> None:
    key = st.session_state.get(PICKER)  # gone where the message of a page comes after the page has gone
    if key is not None and library.find(key) is not None:
        st.session_state[library.CHOSEN] = key
        address.rewrite(page, selected, **{library.PARAMETER: key})


def draw_held_out() -> None:
    """Share and seed of the rows kept for testing, as the rail has them, for a page without it."""
    pick_held()
    pick_seed()


def pick_held() -> None:
    """Draw the control of the share of rows kept for testing, or say which ones a person chose."""
    if by_condition.draw():
        return
    pick(CONTROLS, "held", slider, options=range(0, 81, 5), default=HELD, format_func=app_sentences.percentage)


def pick_seed() -> None:
    """Draw the control of the seed of the rows kept for testing."""
    pick(CONTROLS, "seed", st.number_input, min_value=0, max_value=BIG)


def _weight_note(weight: str, page: str) -> str:
    """Note that rows count by a column, Markdown; `weight` is its name."""
    alike = COUNTED_ALIKE.get(page, "")
    note = say("Rows count by weight **{weight}**, in growing and in scores.", weight=weight)
    return say("{note} Not by weight: {alike}.", note=note, alike=alike) if alike else note


def _group_note(what: str, group: str, time: str) -> str:
    """How groups and times are respected where rows are "held" out, in "folds", or "drawn"; names are Markdown."""
    if what == "drawn":
        unit = (
            say("Whole groups of **{group}**", group=group)
            if group
            else say("Blocks of neighbours in the order of **{time}**", time=time)
        )
        return say("{unit} are drawn in place of rows.", unit=unit)
    if what == "held":
        return _holdout_note(group, time)
    if not time:
        return say("Folds are made of whole groups of **{group}**.", group=group)
    others = say(" of other groups of **{group}**", group=group) if group else ""
    return say(
        "Folds go forward in the order of **{time}**: each is told from earlier rows{others} alone. Repeats and "
        "the seed change nothing.",
        time=time,
        others=others,
    )


def _holdout_note(group: str, time: str) -> str:

    if not time:
        return say("Whole groups of **{group}** are held out.", group=group)
    latest = say("The groups of **{group}** that end last", group=group) if group else say("The latest rows")
    return say(
        "{latest} in the order of **{time}** are held out; the seed changes nothing.", latest=latest, time=time
    )
