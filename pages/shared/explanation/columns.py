"""What columns add to the answers of both forests, and how answers change along a column."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.display.boundaries.plane import in_words
from espalier.display.tables import to_csv
from espalier.display.theme import count
from espalier.explanation import columns as views
from espalier.explanation import parts as pair_views
from espalier.explanation.columns import ColumnParts
from espalier.explanation.dependence import can_explain
from espalier.explanation.parts import ColumnPairs
from espalier.explanation.shapley import PairEffects, ShapleyValues, pair_effects, rows_in_time, shapley_values
from espalier.language import Later, say
from pages.shared.app import pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.app.links.readers import whole
from pages.shared.app.table_results import of_table
from pages.shared.explanation import curves
from pages.shared.forests import error, sentences
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title

# ---- which columns act together in the answers of both forests: bars of pairs, and the rows of one pair

KEY = "together"  # the pair whose rows are drawn: both columns, from 1
STRONGEST = ""
MOST_DIGITS = 20


def pair_entries() -> list[Entry]:
    """The pair of columns whose rows are drawn."""
    return [Entry(KEY, STRONGEST, _read_pair, undo=False, stays=True)]


def _read_pair(text: str) -> str:
    first, _, second = text.partition("-")
    are_numbers = first.isdecimal() and second.isdecimal() and text.isascii() and len(text) < MOST_DIGITS
    if text != STRONGEST and not (are_numbers and 1 <= int(first) < int(second)):
        raise ValueError(say("a pair of columns, such as 1-2"))
    return text


def draw_pairs(pair: list[GrownForest], output: int) -> None:
    """Draw the pairs of each forest, the choice of one, and its rows."""
    st.markdown(say("#### Which columns act together?"))
    st.caption(say(sentences.TOGETHER_HELP))
    looks = [pairs_of(one, output) if can_explain(one.forest) else None for one in pair]
    chosen = _pick_pair([look for look in looks if look is not None])
    for column, side, one, look in zip(st.columns(2, gap="medium"), SIDES, pair, looks, strict=True):
        with column:
            st.markdown(sentences.forest_heading(title(side)))
            if look is None:
                st.caption(say(sentences.NO_PARTS))
            else:
                _bars(look, side)
                _rows(one, look, side, chosen)


@of_table(max_entries=16, show_spinner=Later(lambda: say("Taking the answers apart …")))
def _effects(one: GrownForest, _rows: np.ndarray) -> PairEffects:
    return pair_effects(one.forest, one.dataset.X[_rows])


def pairs_of(one: GrownForest, output: int) -> ColumnPairs:
    """What pairs of columns add together to the answers to some rows."""
    data, some = one.dataset, _some(one)
    found = _effects(one, some)
    is_logistic = one.forest.link == "logistic"  # one score, that of the second class
    place, sign = (0, 1 if output else -1) if is_logistic else (output, 1)
    return ColumnPairs(
        sign * found.added[..., place], found.pairs(place), data.X[np.ix_(some, found.features)],
        [data.features[f] for f in found.features], found.features, one.forest.link, data.target, output,
    )  # fmt: skip


def _some(one: GrownForest) -> np.ndarray:
    return curves.sample_rows(len(one.dataset.y), rows_in_time(one.forest))


def _pick_pair(looks: list[ColumnPairs]) -> str:
    """The choice of a pair, of those that are drawn; one of the address that is not among them is let go."""
    names = {}
    for look in looks:
        for one in look.pairs[: pair_views.MOST_PAIRS]:
            first, second = look.in_table(one)
            names[f"{first + 1}-{second + 1}"] = pair_views.pair_name(look, one)
    if not names:
        return STRONGEST
    if st.session_state[KEY] not in names:
        st.session_state[KEY] = STRONGEST
    return st.selectbox(
        say("Rows of the pair"),
        [STRONGEST, *names],
        format_func=lambda one: names.get(one, say("the strongest of each forest")),
        key=KEY,
        width=420,
    )


def _bars(look: ColumnPairs, side: str) -> None:
    if not look.pairs:
        st.caption(pair_views.pairs_picture(look).alt)
        return
    pictures.plot(pair_views.pairs_picture(look), f"pairs {side}", pictures.NO_BAR)
    pictures.save(lambda: to_csv(pair_views.pair_table(look)), f"pairs-of-forest-{side}.csv")


def shown_pair(look: ColumnPairs, chosen: str) -> tuple[int, int] | None:
    """The chosen pair, or the strongest one; None where the chosen ones do not act together."""
    keys = {"{}-{}".format(*(n + 1 for n in look.in_table(each))): each for each in look.pairs}
    return keys.get(chosen, look.pairs[0] if look.pairs and chosen == STRONGEST else None)


def _rows(one: GrownForest, look: ColumnPairs, side: str, chosen: str) -> None:
    """Draw the rows of the chosen pair, or of the strongest one, and say where it adds and where it takes away."""
    each = shown_pair(look, chosen)
    if each is None:
        if look.pairs:
            st.caption(say("In this forest these two columns hardly act together, or not at all."))
        return
    picture = pair_views.pair_picture(look, each)
    st.markdown(f"**{plain(picture.caption)}**")
    pictures.plot(picture, key=f"pair rows {side}", bar=pictures.NO_BAR)
    st.markdown(pair_views.pair_words(look, each, plain))
    st.caption(_pair_rows(len(look.X), len(one.dataset.y)))


def _pair_rows(n: int, of: int) -> str:
    """Caption of the rows of a pair."""
    some = say(" {n} rows are drawn.", n=count(n)) if n < of else ""
    return say(
        "A triangle is a row. It points up where both values together add to the answer, and down where they "
        "take away; the larger it is, the more.{some}",
        some=some,
    )


# ---- what columns add to the answers of both forests, and how answers change along a column

MOST_ROWS = 300  # whose parts are drawn


def url_entries() -> list[Entry]:
    """The class whose share is explained, from 1, and the choices of pairs and of curves."""
    return [
        Entry("explained", 1, whole(1, 1000), undo=False, stays=True),
        *curves.curve_entries(),
        *pair_entries(),
    ]


def draw(pair: list[GrownForest]) -> None:
    """Draw the importance by shuffling, then the parts of answers, pairs of columns, then the curves along one."""
    error.draw_importance(pair)
    data = pair[0].dataset
    st.markdown(say("#### What do columns add to an answer?"))
    output = _pick_class(pair[0])
    st.caption(sentences.parts_caption(MOST_ROWS, len(data.y)))
    for column, side, one in zip(st.columns(2, gap="medium"), SIDES, pair, strict=True):
        with column:
            st.markdown(sentences.forest_heading(title(side)))
            _strips(one, side, output)
    draw_pairs(pair, output)
    curves.draw_curves(pair, output)


def _pick_class(one: GrownForest) -> int:
    data = one.dataset
    if not data.is_classification:
        return 0
    curves.keep_within("explained", len(data.classes))
    chosen = st.selectbox(
        say("Share of"), range(1, len(data.classes) + 1), format_func=lambda n: in_words(data.target, n - 1),
        key="explained", width=260,
    )  # fmt: skip
    return chosen - 1


@of_table(max_entries=16, show_spinner=Later(lambda: say("Taking the answers apart …")))
def _parts(one: GrownForest, _rows: np.ndarray) -> ShapleyValues:
    return shapley_values(one.forest, one.dataset.X[_rows])


def parts_of(one: GrownForest, output: int) -> ColumnParts:
    """What each column adds to the answers to some rows."""
    data, some = one.dataset, curves.sample_rows(len(one.dataset.y), MOST_ROWS)
    found = _parts(one, some)
    is_logistic = one.forest.link == "logistic"  # one score, that of the second class
    added = found.added[:, :, 0] * (1 if output else -1) if is_logistic else found.added[:, :, output]
    return ColumnParts(added, data.X[some], data.features, one.forest.link, data.target, output)


def _strips(one: GrownForest, side: str, output: int) -> None:
    if not can_explain(one.forest):
        st.caption(say(sentences.NO_PARTS))
        return
    parts = parts_of(one, output)
    pictures.plot(views.strips_picture(parts), f"parts {side}", pictures.NO_BAR)
    pictures.save(lambda: to_csv(views.parts_table(parts)), f"parts-of-forest-{side}.csv")
