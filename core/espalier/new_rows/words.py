"""New rows in sentences and tables: how columns match, what goes to an expert and why, what is promised."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from espalier.data.columns.kinds import label
from espalier.data.columns.new_rows import ChangedUnit, NewRows, changed_units
from espalier.data.dataset import Dataset, Feature
from espalier.data.errors import listed, quoted
from espalier.display.tables import named
from espalier.display.text.trees import FEW, class_words, join, share_words
from espalier.display.text.values import behind, split_unit, value_text
from espalier.display.theme import count, number, percent
from espalier.language import say, to_say
from espalier.new_rows.promise_words import set_words
from espalier.new_rows.promises import units_needed
from espalier.new_rows.scoring import Drift, ScoredRowSet, hits
from espalier.predict import are_tied
from espalier.reliability.words import DOUBT, IS_RIGHT, OFF_BY, ROW, TRUTH, label_column

MOST_NAMED = 8  # columns in a sentence
MOST_VALUES = 3  # of a column, as examples


def matching(rows: NewRows, dataset: Dataset) -> tuple[list[str], list[str]]:
    """Return sentences on how the columns of a file were matched with those of the model, and warnings.

    >>> import pandas as pd
    >>> from espalier.data import samples
    >>> from espalier.data.columns.new_rows import new_rows
    >>> frame = pd.DataFrame({"Petal_Length": [1.4, 5.0], "petal width": ["0.2", "wide"]})
    >>> sentences, warnings = matching(new_rows(frame, samples.load("iris")), samples.load("iris"))
    >>> sentences[0]
    '2 of 4 columns of the model are in the file.'
    >>> warnings[1]
    '“petal width” cannot be read in 1 of 2 rows, such as “wide”: it counts as missing.'
    """
    sources = rows.sources
    pairs = list(zip(dataset.features, sources.features, strict=True))
    absent = [quoted(feature.name) for feature, source in pairs if not source]
    there, n = count(len(pairs) - len(absent)), count(len(pairs))
    sentences = [say("{there} of {n} columns of the model are in the file.", there=there, n=n)]
    renames = [say("{column} from {source}", column=quoted(feature.name), source=quoted(source))
               for feature, source in pairs if source and source != feature.name]  # fmt: skip
    if renames:
        sentences.append(say("By another name: {columns}.", columns=listed(renames, MOST_NAMED)))
    names = {*sources.features, sources.target, sources.label}
    if extra := [quoted(str(name)) for name in rows.frame.columns if name not in names]:
        sentences.append(say("Not used: {columns}.", columns=listed(extra, MOST_NAMED)))
    sentences += [
        say("{column} is taken to be in {unit}.", column=quoted(feature.name), unit=feature.origin.format.unit)
        for feature, source in pairs
        if source
        and feature.origin
        and feature.origin.format
        and feature.origin.format.unit
        and rows.frame[source].dtype == np.float64
    ]
    warnings = []
    if absent:
        columns = listed(absent, MOST_NAMED)
        warnings.append(
            say("No column for {columns}: rows whose answer hangs on that go to an expert.", columns=columns)
        )
    warnings += [_unit(change) for change in changed_units(rows, dataset)]
    return sentences, warnings + [
        _strange(rows, feature, f) for f, feature in enumerate(dataset.features) if rows.unknown[:, f].any()
    ]


def handover_words(scoring: ScoredRowSet) -> str:
    """Return how many rows the model answers and how many go to an expert, in a sentence."""
    n, n_handed = len(scoring.said.doubt), int(scoring.handover.is_for_expert.sum())
    return say(
        "Of {n} rows the model answers **{answered}**; **{handed}** ({share}) should go to an expert.",
        n=count(n), answered=count(n - n_handed), handed=count(n_handed), share=percent(round(n_handed / n, 4)),
    )  # fmt: skip


def reasons_words(scoring: ScoredRowSet, dataset: Dataset) -> list[str]:
    """Return each reason to hand rows over with the number of its rows; a row may have several."""
    handover = scoring.handover
    lines = []
    for mask, text in (
        (handover.doubted, to_say("{n}: the model doubts its answer")),
        (handover.unsettled, to_say("{n}: trees as good say another class")),
    ):
        if mask.any():
            lines.append(say(text, n=count(int(mask.sum()))))
    for mask, text in (
        (handover.unknown, to_say("{n}: a value that is new to the model ({columns})")),
        (handover.outside, to_say("{n}: a number outside of what it learned from ({columns})")),
        (handover.missing, to_say("{n}: a value is missing that was always there ({columns})")),
        (handover.absent, to_say("{n}: the answer hangs on what the file lacks ({columns})")),
    ):
        if mask.any():
            lines.append(say(text, n=count(int(mask.any(axis=1).sum())), columns=_columns(mask, dataset)))
    return lines


def promise_of_rows(scoring: ScoredRowSet, level: float) -> str:
    """Return what is promised about the answers: the size of the sets, or the width of the intervals."""
    share = percent(level)
    if not math.isfinite(scoring.limit):
        n = count(units_needed(level))
        return say(
            "Too few groups of rows judge the model to promise {level}: that takes {n}."
            if scoring.in_groups
            else "Too few rows judge the model to promise {level}: that takes {n}.",
            level=share,
            n=n,
        )
    if scoring.sets is None:
        half = number(scoring.limit)
        return say("Answers ± {half} hold the truth of about {level} of rows like these.", half=half, level=share)
    n_single = int((scoring.sets.sum(axis=1) == 1).sum())
    return say(
        "The classes *promised* hold the truth of about {level} of rows like these; {single} of {n} have one.",
        level=share, single=count(n_single), n=count(len(scoring.sets)),
    )  # fmt: skip


def drift_words(result: Drift, dataset: Dataset, rows: str, mark: Callable[[str], str] = str) -> str:
    """Return the result of a test for drift, Markdown: how well a forest tells rows apart, and by which columns.

    `rows` are those that may differ, as a sentence begins with them: "The new rows". `mark` treats names from the
    data.
    """
    result_words = say(
        "a forest tells new from old in {pairs} of 100 pairs, where guessing would in 50; p = {p_value}",
        pairs=number(100 * result.auc),
        p_value=number(result.p_value),
    )
    if not result.is_found:
        return say("**No difference found:** {measured}.", measured=result_words)
    order = np.argsort(-result.use, kind="stable")[:MOST_IN_REASON]
    return say(
        "**{rows} differ** from those the model learned from: {measured}. What helps it most: {columns}. Scores "
        "and promises may not hold for them.",
        rows=rows,
        measured=result_words,
        columns=", ".join(mark(dataset.features[f].name) for f in order if result.use[f] > 0),
    )


def _unit(change: ChangedUnit) -> str:
    """Return that a column seems to have another unit."""
    return say(
        "{column} may have another unit: its median is {median}, where the model learned from {learned} (a factor "
        "of {factor}).",
        column=quoted(change.feature.name),
        median=number(change.median),
        learned=number(change.learned),
        factor=count(round(max(change.factor, 1 / change.factor))),
    )


def _columns(mask: np.ndarray, dataset: Dataset) -> str:
    """Return the columns of a mask (n_rows, n_features), those of most rows first."""
    n = mask.sum(axis=0)
    order = [f for f in np.argsort(-n, kind="stable").tolist() if n[f]]
    return listed([quoted(dataset.features[f].name) for f in order], MOST_VALUES)


def _strange(rows: NewRows, feature: Feature, place: int) -> str:
    """Return the values of a column that the model cannot read, with examples."""
    unknown = rows.unknown[:, place]
    values = pd.Series(rows.frame[rows.sources.features[place]].to_numpy()[unknown])
    examples = listed([quoted(label(value)) for value in values.value_counts().index[:MOST_VALUES].tolist()])
    return say(
        "{column} cannot be read in {n} of {all} rows, such as {examples}: it counts as missing.",
        column=quoted(feature.name), n=count(int(unknown.sum())), all=count(len(unknown)), examples=examples,
    )  # fmt: skip


# ---- why new rows are for an expert, and the columns that matter most to their answers, in words

MOST_IN_REASON = 3  # columns in a reason


def why_expert(scoring: ScoredRowSet, dataset: Dataset, rows: np.ndarray) -> list[list[str]]:
    """Return for each of these rows (indices) the reasons to hand it over, a few words each; none for most."""
    handover = scoring.handover
    reasons: list[list[str]] = [[] for _ in rows]
    doubtful = np.flatnonzero(handover.doubted[rows])
    doubt = scoring.said.doubt[rows[doubtful]]
    _add(reasons, doubtful, _texts_of_values(doubt, lambda x: say("its doubt is {doubt}", doubt=number(x))))
    if scoring.said.possible is not None:
        unsettled = np.flatnonzero(handover.unsettled[rows])
        possible = scoring.said.possible[rows[unsettled]]
        texts = (join(np.array(dataset.classes)[is_in].tolist(), "or") for is_in in possible)
        _add(reasons, unsettled, [say("trees as good say {classes}", classes=text) for text in texts])
    for f, feature in enumerate(dataset.features):
        unknown = np.flatnonzero(handover.unknown[rows, f])
        cells = (quoted(scoring.rows.cell(row, f)) for row in rows[unknown].tolist())
        texts = [say("{column} cannot be read: {value}", column=feature.name, value=cell) for cell in cells]
        _add(reasons, unknown, texts)
        outside = np.flatnonzero(handover.outside[rows, f])
        text_of = partial(_outside, feature, float(handover.low[f]), float(handover.high[f]))
        _add(reasons, outside, _texts_of_values(scoring.rows.X[rows[outside], f], text_of))
        missing = np.flatnonzero(handover.missing[rows, f])
        _add(reasons, missing, [say("{column} is missing", column=feature.name)] * len(missing))
    hanging = np.flatnonzero(handover.absent[rows].any(axis=1))
    text = say("its answer hangs on {columns}, which the file lacks", columns=absent_columns(scoring, dataset))
    _add(reasons, hanging, [text] * len(hanging))
    return reasons


def absent_columns(scoring: ScoredRowSet, dataset: Dataset) -> str:
    """Return the columns that the model asks about and the file does not have; "" for none."""
    reach = scoring.said.reach
    return (
        "" if reach is None else listed([quoted(dataset.features[f].name) for f in reach.features], MOST_IN_REASON)
    )


def matters_most(scoring: ScoredRowSet, dataset: Dataset, rows: np.ndarray) -> list[list[str]]:
    """Return for each of these rows (indices) the columns that matter most, with value and what it adds."""
    if scoring.leading is None:
        return [[] for _ in rows]
    feature, amounts = scoring.leading.feature[rows], scoring.leading.added[rows]
    texts = np.full(feature.shape, "", dtype=object)
    for f in np.unique(feature[feature >= 0]).tolist():
        at = np.nonzero(feature == f)
        values = _values(scoring.rows, dataset.features[f], rows[at[0]], f)
        signs = _texts_of_values(amounts[at], signed_number)
        name, _ = split_unit(dataset.features[f])
        texts[at] = [f"{name} {value} ({sign})" for value, sign in zip(values, signs, strict=True)]
    return [[text for text in line if text] for line in texts.tolist()]


def signed_number(x: float) -> str:
    """Return a number with its sign, also where that is a plus.

    >>> signed_number(0.5), signed_number(-2)
    ('+0.5', '−2')
    """
    return f"{'−' if x < 0 else '+'}{number(abs(x), 2)}"


def _add(reasons: list[list[str]], places: np.ndarray, texts: Iterable[str]) -> None:
    for place, text in zip(places.tolist(), texts, strict=True):
        reasons[place].append(text)


def _texts_of_values(x: np.ndarray, text_of: Callable[[float], str]) -> list[str]:
    """Return a text for each number; of equal ones it is written once, since many rows share a value."""
    values, place = np.unique(x, return_inverse=True)
    texts = [text_of(value) for value in values.tolist()]
    return [texts[i] for i in place.ravel().tolist()]


def _values(rows: NewRows, feature: Feature, places: np.ndarray, column: int) -> list[str]:
    """Return the values of rows (indices) as the model reads them; where it knows none, what the file has."""
    x = rows.X[places, column]
    texts = _texts_of_values(x, lambda value: say("missing") if math.isnan(value) else _value_text(feature, value))
    for i in np.flatnonzero(rows.unknown[places, column]).tolist():
        texts[i] = quoted(rows.cell(int(places[i]), column))
    return texts


def _value_text(feature: Feature, x: float) -> str:
    value = named(feature, np.array([x]))[0]
    return value if isinstance(value, str) else number(float(value), 4) + behind(split_unit(feature)[1])


def _outside(feature: Feature, low: float, high: float, x: float) -> str:
    least, most = _value_text(feature, low), _value_text(feature, high)
    name, value = split_unit(feature)[0], _value_text(feature, x)
    text = to_say("{column} {value} is outside of what it learned from ({least} to {most})")
    return say(text, column=name, value=value, least=least, most=most)


# ---- one row in words


def row_lines(scoring: ScoredRowSet, dataset: Dataset, row: int, plain: Callable[[str], str] = str) -> list[str]:
    """Return all that is said of one row, a line of Markdown each; `plain` treats names from the data."""
    lines, promise = [_answer_sentence(scoring, dataset, row, plain)], ""
    if scoring.sets is not None:
        promise = plain(set_words(scoring.sets[row].tolist(), dataset.classes))
    if scoring.ends is not None:
        low, high = (value_text(dataset.target, float(end), 4) for end in scoring.ends[row])
        promise = say("{low} to {high}", low=low, high=high)
    if promise:
        lines.append(say("Promised: {what}.", what=promise))
    if leading := matters_most(scoring, dataset, np.array([row]))[0]:
        lines.append(say("What matters most: {columns}.", columns="; ".join(map(plain, leading))))
    if reasons := why_expert(scoring, dataset, np.array([row]))[0]:
        text = "; ".join(map(plain, reasons))
        lines.append(say(":material/person_raised_hand: **For an expert**, because {reasons}.", reasons=text))
    else:
        lines.append(say("The model answers it itself."))
    return lines


def _answer_sentence(scoring: ScoredRowSet, dataset: Dataset, row: int, plain: Callable[[str], str]) -> str:
    name, shares = plain(scoring.rows.name_of(row)), scoring.said.answers[row]
    answer = plain(str(answer_names(scoring, dataset, np.array([row]))[0]))
    if not dataset.is_classification:
        answer = value_text(dataset.target, float(scoring.said.prediction[row]), 4)
    if not dataset.is_classification or scoring.handover.absent[row].any():
        return say("**{row}**: the model says **{answer}**.", row=name, answer=answer)
    order = np.argsort(-shares, kind="stable")[:5].tolist()
    n = None if scoring.said.behind is None else int(scoring.said.behind[row])
    parts = ", ".join(f"{plain(dataset.classes[code])} {share_words(float(shares[code]), n)}" for code in order)
    return say("**{row}**: the model says **{answer}** ({shares}).", row=name, answer=answer, shares=parts)


# ---- tables of new rows: for the page, and for a file with all that is said of each

ANSWER, CHANCE, PROMISE = to_say("answer"), to_say("chance"), to_say("promised")  # columns of both
BEHIND = to_say("of rows")  # in the leaf of a tree: those that the chance is a share of
FROM, TO = to_say("from"), to_say("to")  # ends of a promised interval
LEADING, EXPERT, WHY = to_say("matters most"), to_say("for an expert"), to_say("why")
NAMES = (ROW, ANSWER, CHANCE, BEHIND, PROMISE, FROM, TO, DOUBT, LEADING, EXPERT, WHY, TRUTH, IS_RIGHT, OFF_BY)
MOST_CHANCES = 20  # classes whose chances have columns of their own in a file
SEPARATOR = "; "  # between reasons


def scored_table(scoring: ScoredRowSet, dataset: Dataset, rows: np.ndarray) -> pd.DataFrame:
    """Return a line for each of these rows (indices): label, answer, promise, reasons, and the truth if known.

    >>> from espalier.new_rows.answers import TableModel
    >>> from espalier.new_rows.scoring import score_rows
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris, every = samples.load("iris"), np.ones(150, bool)
    >>> model = TableModel(CartClassifier(max_depth=1).fit(iris.X, iris.y), iris, every, ~every)
    >>> scoring = score_rows(model, pd.DataFrame({"petal length": [1.4, 9.0]}))
    >>> scored_table(scoring, iris, np.arange(2))[["row", "answer", "chance", "for an expert"]].values.tolist()
    [[1, 'setosa', 1.0, False], [2, 'tie: versicolor, virginica', 0.5, True]]
    """
    answers = scoring.said
    columns: dict[str, Any] = {ROW: rows + 1} | label_column(scoring.rows.labels, rows, NAMES)
    columns[ANSWER] = answer_names(scoring, dataset, rows)
    if dataset.is_classification:
        columns[CHANCE] = _certain_chances(
            scoring, answers.answers[rows, answers.prediction[rows].astype(np.int64)], rows
        )
        columns |= {} if answers.behind is None else {BEHIND: answers.behind[rows]}
    columns |= _promise_columns(scoring, dataset, rows)
    columns[DOUBT] = answers.doubt[rows]
    columns[EXPERT] = scoring.handover.is_for_expert[rows]
    columns[WHY] = [SEPARATOR.join(reasons) for reasons in why_expert(scoring, dataset, rows)]
    if scoring.leading is not None:
        columns[LEADING] = [SEPARATOR.join(parts) for parts in matters_most(scoring, dataset, rows)]
    return pd.DataFrame(columns | _truth(scoring, dataset, rows))


def expert_table(scoring: ScoredRowSet, dataset: Dataset, rows: np.ndarray) -> pd.DataFrame:
    """Return the table of these rows as a sheet of paper has room for it: its reasons in two wide columns."""
    table = scored_table(scoring, dataset, rows)
    if CHANCE in table:
        behind = table[BEHIND] if BEHIND in table else [None] * len(table)
        each = zip(table[ANSWER], table[CHANCE], behind, strict=True)
        table[ANSWER] = [
            f"{name}, {share_words(chance, n)}" if chance == chance else name for name, chance, n in each
        ]
    return table.drop(columns=[CHANCE, BEHIND, DOUBT, EXPERT, IS_RIGHT], errors="ignore")


def scored_file(scoring: ScoredRowSet, dataset: Dataset, rows: np.ndarray) -> pd.DataFrame:
    """Return the same with the chance of every class, and with all columns of the file that the rows are from."""
    table = scored_table(scoring, dataset, rows)
    if dataset.is_classification and len(dataset.classes) <= MOST_CHANCES:
        for code, name in enumerate(dataset.classes):
            table[say("chance of {name}", name=name)] = _certain_chances(
                scoring, scoring.said.answers[rows, code], rows
            )
    own = scoring.rows.frame.iloc[rows].reset_index(drop=True)
    labels = scoring.rows.sources.label
    own = own.drop(columns=[labels]) if labels in own else own
    names = set(table.columns)
    return pd.concat([table, own.rename(columns=lambda name: f"({name})" if name in names else name)], axis=1)


def outcomes_table(scoring: ScoredRowSet, dataset: Dataset) -> pd.DataFrame:
    """Return how many rows the model answers and how many are for an expert, and how right the answers are."""
    is_handed, is_classes = scoring.handover.is_for_expert, dataset.is_classification
    groups = {say("the model answers"): ~is_handed, say("for an expert"): is_handed}
    groups[say("all rows")] = np.ones(len(is_handed), bool)
    table = pd.DataFrame({say("rows"): [count(int(mask.sum())) for mask in groups.values()]}, index=list(groups))
    if scoring.rows.y is not None:
        name, texts = say("right", context="correct") if is_classes else say("off by"), []
        for rate in (hits(scoring, mask) for mask in groups.values()):
            text = share_words(round(rate.mean, 4), rate.n) if is_classes and rate.n else number(rate.mean)
            if is_classes and rate.n >= FEW:
                ends = {"low": percent(round(rate.low, 3)), "high": percent(round(rate.high, 3))}
                text = say("{share} ({low} to {high})", share=text, **ends)
            texts.append(text)
        table[name] = texts
    return table.rename_axis(say(ANSWER))


def answer_names(scoring: ScoredRowSet, dataset: Dataset, rows: np.ndarray) -> np.ndarray:
    """Return the answers to these rows (indices), (n,): classes, those that tie, or numbers."""
    names = named(dataset.target, scoring.said.prediction[rows])
    if dataset.is_classification:
        shares = scoring.said.answers[rows]
        for i in np.flatnonzero(are_tied(shares)).tolist():
            names[i] = class_words(dataset.target, shares[i])
    return names


def _certain_chances(scoring: ScoredRowSet, chances: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the chances (n,) of these rows, nan where the answer hangs on an absent column."""
    return np.where(scoring.handover.absent[rows].any(axis=1), np.nan, chances)


def _promise_columns(scoring: ScoredRowSet, dataset: Dataset, rows: np.ndarray) -> dict[str, Any]:
    """Return the columns of the promise: the classes of a set, or the ends of an interval; none without one."""
    if scoring.ends is not None:
        return {FROM: scoring.ends[rows, 0], TO: scoring.ends[rows, 1]}
    if scoring.sets is None:
        return {}
    kinds, kind = np.unique(scoring.sets[rows], axis=0, return_inverse=True)
    texts = np.array([set_words(inside.tolist(), dataset.classes) for inside in kinds], dtype=object)
    return {PROMISE: texts[kind.ravel()] if len(texts) else texts}


def _truth(scoring: ScoredRowSet, dataset: Dataset, rows: np.ndarray) -> dict[str, Any]:
    """Return the truth of rows that have one, and whether the answer is right, or by how much it is off."""
    if scoring.rows.y is None:
        return {}
    y, prediction = scoring.rows.y[rows], scoring.said.prediction[rows]
    if not dataset.is_classification:
        return {TRUTH: y, OFF_BY: np.abs(prediction - y)}
    is_right = np.where(np.isnan(y), None, prediction == y)  # pyright: ignore[reportCallIssue, reportArgumentType]
    return {TRUTH: named(dataset.target, y), IS_RIGHT: is_right}
