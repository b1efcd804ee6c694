"""“Tune for me”: its button, and its part of the page: the search as it goes, and what it found."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from espalier.comparison.scores import LABELS, for_losses
from espalier.comparison.tables import first_score, score_names
from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut, held_out
from espalier.display.tables import to_csv
from espalier.display.theme import count
from espalier.language import Texts, say
from espalier.learners.catalogue import Model
from espalier.learners.catalogue.kinds import SPACES
from espalier.progress import Progress
from espalier.tuning import picture
from espalier.tuning.search import BEST, NOW, SIMPLEST, Ledger, Tuning, TuningPlan, TuningRun, so_far, tune
from pages.shared.app import pictures
from pages.shared.app.address import Choice, Entry
from pages.shared.app.frame import callback, is_dark
from pages.shared.app.links.readers import one_of
from pages.shared.app.store import Store
from pages.shared.canvas.curve import bars_canvas
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Job, Outcome, Work
from pages.shared.jobs.workers import workers
from pages.shared.models import drawer, learners
from pages.shared.tree.pruning import choice

MOST_KEPT = 32  # ledgers


class TuningJob(NamedTuple):
    """A search for the settings of a model, on the rows that are not held out."""

    dataset: Dataset
    holdout: HeldOut
    model: Model  # with the settings that the search began with
    score: str
    seconds: float

    @property
    def key(self) -> str:
        """Digest of all that trials depend on; the time only says how many there are."""
        causes = (self.dataset.digest, self.holdout, self.model, self.score)
        return "tuning " + hashlib.blake2b(repr(causes).encode(), digest_size=8).hexdigest()

    @property
    def run(self) -> TuningRun:
        """The search itself, for the library."""
        rows = np.flatnonzero(~held_out(self.dataset, self.holdout))
        return TuningRun(self.model, self.dataset, TuningPlan(self.seconds, self.score), rows)

    @property
    def ledger(self) -> Ledger:
        """All its trials so far."""
        return ledgers().find_or_put(self.key, Ledger)

    @property
    def work(self) -> Work:
        """The search as the work of a job."""
        return Work(self.key, 1, self.search)

    def search(self, progress: Progress) -> Tuning | None:
        """Search for so many seconds, on from where it was; None if it was stopped before its first trial."""
        compilation.wait(self.model.stage)
        with workers(self.dataset.X.nbytes) as executor:
            return tune(self.run, executor, progress, self.ledger)

    def so_far(self) -> Tuning | None:
        """What it has found by now."""
        return so_far(self.run, self.ledger)

    def is_of(self, dataset: Dataset, holdout: HeldOut, model: Model) -> bool:
        """Whether it searches for what would be searched for now: settings that it may change aside."""
        return (dataset.digest, holdout, others(model)) == (self.dataset.digest, self.holdout, others(self.model))


def others(model: Model) -> Model:
    """The model without the settings that a search tries."""
    return Model(model.name, tuple(pair for pair in model.settings if pair[0] not in SPACES[model.name]))


@st.cache_resource(show_spinner=False)
def ledgers() -> Store[Ledger]:
    """The server's searches."""
    return Store(MOST_KEPT)


# ---- “Tune for me”: its button, and its part of the page: the search as it goes, and what it found

RULES = Texts(
    {
        "now": "Where the search began",
        "simplest": "Simplest within one standard error",
        "best": "Best in the search",
    }
)

OPEN, SECONDS, SCORE = "tuning", "tuning-seconds", "tuning-score"  # keys of the session state
BEGUN = "tuning-begun"  # key of the session state: the search that this session began last
NO, YES = "no", "yes"
TIMES = ("10", "30", "60", "300")
WIDEST = 760  # pixels


def url_entries(dataset: Dataset) -> list[Entry]:
    """Whether it is open, its time and its score, as parts of the address; a link begins no search."""
    names, shown = score_names(dataset.is_classification), Choice(OPEN, (YES,))
    return [
        Entry(OPEN, NO, one_of((NO, YES)), undo=False, name="tune"),
        Entry(SECONDS, "30", one_of(TIMES), undo=False, name="tune-seconds", only=shown),
        Entry(SCORE, first_score(dataset), one_of(names), undo=False, name="tune-by", only=shown),
    ]


def is_offered() -> bool:
    """Whether the learner in use has settings to look for: a tree of a forest has those of its forest."""
    return st.session_state["learner"] in learners.SETTINGS


def button() -> None:
    """Draw the button that opens the search."""
    if not is_offered():
        return
    st.button(
        say("Tune for me"),
        icon=":material/auto_fix_high:",
        help=say(
            "Looks for the settings with the best score by cross-validation, and says honestly how good they "
            "are on rows that the search has not seen."
        ),
        on_click=callback(_open),
        args=(YES,),
        disabled=st.session_state[OPEN] == YES,
        width="stretch",
        key="tune for me",
    )


def _open(answer: str) -> None:
    st.session_state[OPEN] = answer


def draw(dataset: Dataset) -> None:
    """Draw the search where it is open."""
    with st.container():  # there even while it is closed: what is below keeps its place, and so its zoom and focus
        _drop_invalid(dataset)
        if is_offered():
            with st.container(border=True, key="tuning"):
                _draw(dataset)


def _drop_invalid(dataset: Dataset) -> None:
    """Another target came: a score that it does not have gives way to its first one."""
    if st.session_state[SCORE] not in score_names(dataset.is_classification):
        st.session_state[SCORE] = first_score(dataset)


def _draw(dataset: Dataset) -> None:
    _heading()
    model, holdout = learners.chosen().model(dataset.target), drawer.holdout()
    _controls(dataset, model)
    begun: TuningJob | None = st.session_state.get(BEGUN)
    if begun is None or not begun.is_of(dataset, holdout, model) or begun.score != st.session_state[SCORE]:
        job = TuningJob(dataset, holdout, model, st.session_state[SCORE], float(st.session_state[SECONDS]))
        st.markdown(
            say(
                "Combinations of settings are tried on the {n_rows} rows that are not held out, by "
                "cross-validation: first many on a part of the rows, then the best third of them on three times "
                "as many, up to all (*successive halving*). The search is then repeated without each fifth of "
                "the rows in turn, and what it chose is scored there (*nested cross-validation*): an honest "
                "score, since these rows had no part in the choice. Groups and times are respected. Settings "
                "that are not searched stay as they are.",
                n_rows=count(len(dataset.y) - int(_n_held(dataset))),
            )
        )
        st.button(
            say("Search"), icon=":material/play_arrow:", type="primary", on_click=callback(_begin), args=(job,)
        )
        return
    _results(begun, watch.outcome(begun.work, beside=True), model)


def _n_held(dataset: Dataset) -> int:
    return len(dataset.y) - drawer.holdout().n_left(len(dataset.y))


def _heading() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(say("#### Tune for me: {learner}", learner=say(learners.chosen().kind.title)), width="stretch")
        st.button(
            say("Close"), icon=":material/close:", type="tertiary", on_click=callback(_open), args=(NO,),
            key="close tuning",
        )  # fmt: skip


def _controls(dataset: Dataset, model: Model) -> None:
    names = for_losses(score_names(dataset.is_classification), {model.loss})
    if st.session_state[SCORE] not in names:
        st.session_state[SCORE] = first_score(dataset)
    titles = {name: say(LABELS[name]) for name in names}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            say("Time"),
            TIMES,
            key=SECONDS,
            format_func=_time_label,
            required=True,
            help=say("The search ends by then with the best so far; it can go on from there."),
        )
        st.selectbox(
            say("Best by"),
            list(titles),
            key=SCORE,
            format_func=titles.__getitem__,
            help=say(
                "The score that settings are chosen by. Of classes of which one has most rows, "
                "accuracy tells little. *Terms:* as on the Compare page."
            ),
            width=220,
        )


def _begin(job: TuningJob) -> None:
    st.session_state[BEGUN] = job


def _on(job: TuningJob) -> None:
    """Search on, for the time that is chosen now (a callback)."""
    st.session_state[BEGUN] = job._replace(seconds=float(st.session_state[SECONDS]))
    watch.drop(job.key)


def _results(job: TuningJob, outcome: Outcome, model: Model) -> None:
    if outcome.is_awaited:
        line = Line(job.key, say("**Looking for settings**"), partial(_how_far, job), job.model.stage)
        note.progress([line], partial(_meanwhile, job))
        return
    found = outcome.value or job.so_far()
    note.ended(
        job.key,
        outcome,
        say("The search was stopped. Here is what it has found so far."),
        say("No settings were found."),
    )
    if found is None:
        return
    st.markdown(f"{picture.tried_words(found)} {picture.honest_words(found)} {picture.simplest_words(found)}")
    _choices(found, model)
    _picture(job, found)
    if not (found.is_complete or outcome.is_stopped):
        st.button(
            say("Search on for {text}", text=_time_label(st.session_state[SECONDS])),
            icon=":material/more_time:",
            on_click=callback(_on),
            args=(job,),
        )


def _how_far(job: TuningJob, work: Job) -> Far:
    left = max(job.seconds - work.seconds, 0.0)
    n = len(job.ledger.inner) + len(job.ledger.outer)
    return Far(
        min(work.seconds / job.seconds, 1.0),
        say("{SEARCHING}: {n_trials} trials so far", SEARCHING=say("**Looking for settings**"), n_trials=count(n)),
        left,
    )


def _meanwhile(job: TuningJob) -> None:
    """The picture of what there is by now."""
    found = job.so_far()
    if found is not None and found.trials:
        st.caption(picture.tried_words(found))
        pictures.draw(picture.trials_picture(found), WIDEST)


def _choices(found: Tuning, model: Model) -> None:
    """What each rule chooses, side by side, with the button that takes it."""
    for column, rule in zip(st.columns(3, gap="small"), (NOW, SIMPLEST, BEST), strict=True):
        with column.container(border=True, height="stretch"):
            _choice(found, rule, model)


def _choice(found: Tuning, rule: str, model: Model) -> None:
    trial, honest, score = found.chosen(rule), found.honest(rule), found.bench.score
    st.markdown(f"**{RULES[rule]}**")
    on_new = "–" if honest is None else picture.written_score(score, honest.mean)
    st.metric(
        say("{score}, on new rows", score=say(LABELS[score])),
        on_new,
        help=say(
            "The honest score: the mean over parts of the rows that had no part in the choice, "
            "each scored with what the search chose without it. *Term:* nested cross-validation."
        ),
    )
    inner = picture.written_score(score, trial.mean)
    st.markdown(
        say(
            "In the search: {score} ± {spread}",
            score=inner,
            spread=picture.written_score(score, trial.standard_error),
        )
    )
    st.caption(f"{picture.leaves_words(trial.leaves)}. {picture.settings_words(found, trial.model)}.")
    st.space("stretch")
    is_here = taken(model) == taken(trial.model)
    st.button(
        say("In use") if is_here else say("Use these settings"),
        key=f"use {rule}",
        disabled=is_here,
        width="stretch",
        type="primary" if rule == SIMPLEST and not is_here else "secondary",
        on_click=callback(take),
        args=(trial.model,),
        help=say("The controls take these values. Undo takes it back."),
    )


def taken(model: Model) -> dict[str, Any]:
    """The settings of a model that a search tries, by key."""
    return {key: dict(model.settings).get(key) for key in SPACES[model.name]}


def take(model: Model) -> None:
    """Have the controls stand for these settings (a callback); Undo takes it back."""
    keys = learners.SETTINGS[model.name].keys
    for key, value in taken(model).items():
        st.session_state[keys.get(key, key)] = value
    st.session_state[choice.RULE] = choice.WHOLE


def _picture(job: TuningJob, found: Tuning) -> None:
    trials = picture.best_by_size(found)
    if not trials:
        return
    search = picture.trials_picture(found)
    width, height = picture.SIZE
    image = {"href": pictures.as_address(search.draw(is_dark())), "width": width, "height": height}
    chart = picture.card(found, f"{job.key} {len(found.inner)} {len(found.outer)}")
    chart |= {
        "still": [["image", image, ""]],
        "keys": say("Arrows go from size to size, Enter takes the settings."),
        "most": WIDEST,
    }
    bars_canvas(chart, key="search for settings", on_pick=callback(lambda at: take(trials[int(at)].model)))
    st.caption(
        say(
            "Every dot is a combination of settings; small pale ones have seen a part of the "
            "rows. The line joins the best of each size: click it to take the settings. The "
            "dotted line is one standard error from the best; the dashed ones are the score of "
            "the best in the search, and that of such choices on rows that had no part in them."
        )
    )
    with st.container(horizontal=True):
        pictures.save(search.draw(False), "tuning.svg")
        pictures.save(lambda: to_csv(picture.trials_table(found)), "tuning.csv")


def _time_label(text: str) -> str:
    """A time to choose.

    >>> seconds("30"), seconds("300")
    ('30 s', '5 min')
    """
    n = int(text)
    return f"{n} s" if n < 100 else say("{n} min", n=n // 60)
