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
from espalier.display.theme import count
from espalier.language import Texts, say, to_say
from espalier.learners.catalogue import Model
from espalier.learners.catalogue.kinds import SPACES
from espalier.progress import Progress
from espalier.tuning import picture
from espalier.tuning.search import BEST, NOW, SIMPLEST, Ledger, Tuning, TuningPlan, TuningRun, so_far, tune
from pages.shared.app import pictures
from pages.shared.app.address import Choice, Entry
from pages.shared.app.frame import assign, callback, is_dark
from pages.shared.app.links import one_of
from pages.shared.app.store import Store
from pages.shared.canvas.components import bars_canvas
from pages.shared.canvas.control import Control
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Job, Outcome, Work
from pages.shared.jobs.workers import workers
from pages.shared.models import drawer, learners
from pages.shared.tree import pruning

MOST_KEPT = 32  # ledgers
RULES = Texts({"now": "Settings now", "simplest": "Simplest nearly as good", "best": "Best in the search"})
OPEN, SCORE = "tuning", "tuning-score"  # keys of the session state
BEGUN = "tuning-begun"  # key of the session state: the search that this session began last
NO, YES = "no", "yes"
WIDEST = 760  # pixels
SECONDS = Control(
    "tuning-seconds", "30",
    {"10": to_say("10 s"), "30": to_say("30 s"), "60": to_say("60 s"), "300": to_say("5 min")}, to_say("Time"),
    widget=st.segmented_control, name="tune-seconds", undo=False, only=Choice(OPEN, (YES,)),
)  # fmt: skip


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

    def search(self, progress: Progress) -> Tuning | None:
        """Search for so many seconds, on from where it was; None if it was stopped before its first trial."""
        compilation.wait(self.model.stage)
        with workers(self.dataset.X.nbytes) as executor:
            return tune(self.run, executor, progress, self.ledger)

    def so_far(self) -> Tuning | None:
        """What it has found by now."""
        return so_far(self.run, self.ledger)

    def is_of(self, dataset: Dataset, holdout: HeldOut, model: Model, score: str) -> bool:
        """Whether it searches for what would be searched for now: settings that it may change aside."""
        causes = (self.dataset.digest, self.holdout, _others(self.model), self.score)
        return causes == (dataset.digest, holdout, _others(model), score)


def _others(model: Model) -> Model:
    """The model without the settings that a search tries."""
    return Model(model.name, tuple(pair for pair in model.settings if pair[0] not in SPACES[model.name]))


@st.cache_resource(show_spinner=False)
def ledgers() -> Store[Ledger]:
    """The server's searches."""
    return Store(MOST_KEPT)


def url_entries(dataset: Dataset) -> list[Entry]:
    """Whether it is open, its time and its score, as parts of the address; a link begins no search."""
    scores = one_of(score_names(dataset.is_classification))
    return [
        Entry(OPEN, NO, one_of((NO, YES)), undo=False, name="tune"),
        SECONDS.entry,
        Entry(SCORE, first_score(dataset), scores, undo=False, name="tune-by", only=SECONDS.only),
    ]


def button() -> None:
    """Draw the button that opens the search, where the learner in use has settings to look for."""
    if st.session_state["learner"] in learners.SETTINGS:  # a tree of a forest has those of its forest
        st.button(
            say("Tune for me"), icon=":material/auto_fix_high:", key="tune for me", width="stretch",
            on_click=callback(assign), args=(OPEN, YES), disabled=st.session_state[OPEN] == YES,
            help=say("Looks for the settings with the best score, and says how good they are on new rows."),
        )  # fmt: skip


def draw(dataset: Dataset) -> None:
    """Draw the search: its controls, and what it has found, or the button that begins it."""
    if st.session_state["learner"] not in learners.SETTINGS:
        return
    model, holdout = learners.chosen().model(dataset.target), drawer.holdout()
    with st.container(border=True, key="tuning"):
        with st.container(horizontal=True, vertical_alignment="center"):
            title = say("#### Tune for me: {learner}", learner=say(learners.chosen().kind.title))
            st.markdown(title, width="stretch")
            st.button(
                say("Close"), icon=":material/close:", type="tertiary", on_click=callback(assign), args=(OPEN, NO),
                key="close tuning",
            )  # fmt: skip
        with st.container(horizontal=True, vertical_alignment="bottom"):
            SECONDS.draw()
            _draw_score(dataset, model)
            score = st.session_state[SCORE]
            begun: TuningJob | None = st.session_state.get(BEGUN)
            if begun is None or not begun.is_of(dataset, holdout, model, score):
                job = TuningJob(dataset, holdout, model, score, float(SECONDS.value))
                st.button(
                    say("Search"), icon=":material/play_arrow:", type="primary", on_click=callback(_begin),
                    args=(job,),
                )  # fmt: skip
                return
        _draw_results(begun, watch.outcome(Work(begun.key, 1, begun.search), beside=True), model)


def _draw_score(dataset: Dataset, model: Model) -> None:
    names = for_losses(score_names(dataset.is_classification), {model.loss})
    if st.session_state[SCORE] not in names:  # another target came
        st.session_state[SCORE] = first_score(dataset)
    titles = {name: say(LABELS[name]) for name in names}
    st.selectbox(say("Best by"), list(titles), key=SCORE, format_func=titles.__getitem__, width=220)


def _begin(job: TuningJob) -> None:
    """Search, or search on, for the time that is chosen (a callback)."""
    st.session_state[BEGUN] = job
    watch.drop(job.key)


def _draw_results(job: TuningJob, outcome: Outcome, model: Model) -> None:
    if outcome.is_awaited:
        line = Line(job.key, say("**Looking for settings**"), partial(_how_far, job), job.model.stage)
        note.progress([line], partial(_draw_meanwhile, job))
        return
    tuning = outcome.value or job.so_far()
    note.ended(job.key, outcome, say("The search was stopped."), say("No settings were found."))
    if tuning is None:
        return
    for column, rule in zip(st.columns(3, gap="small"), (NOW, SIMPLEST, BEST), strict=True):
        with column.container(border=True, height="stretch"):
            _draw_choice(tuning, rule, model)
    _draw_picture(job, tuning)
    if not (tuning.is_complete or outcome.is_stopped):
        on = job._replace(seconds=float(SECONDS.value))
        st.button(say("Search on"), icon=":material/more_time:", on_click=callback(_begin), args=(on,))


def _how_far(job: TuningJob, work: Job) -> Far:
    n = len(job.ledger.inner) + len(job.ledger.outer)
    text = say("**Looking for settings**: {n_trials} trials so far", n_trials=count(n))
    return Far(min(work.seconds / job.seconds, 1.0), text, max(job.seconds - work.seconds, 0.0))


def _draw_meanwhile(job: TuningJob) -> None:
    """Draw the picture of what there is by now."""
    tuning = job.so_far()
    if tuning is not None and tuning.trials:
        pictures.draw(picture.trials_picture(tuning), WIDEST)


def _draw_choice(tuning: Tuning, rule: str, model: Model) -> None:
    """Draw what a rule chooses: its honest score, its size, its settings, and the button that takes them."""
    trial, honest, score = tuning.chosen(rule), tuning.honest(rule), tuning.bench.score
    st.markdown(f"**{RULES[rule]}**")
    st.metric(
        say("On new rows"), "–" if honest is None else picture.written_score(score, honest.mean),
        help=say("On rows that had no part in the choice. *Term:* nested cross-validation."),
    )  # fmt: skip
    inner = say("{score} in the search", score=picture.written_score(score, trial.mean))
    settings = picture.settings_words(tuning, trial.model)
    st.caption(f"{inner} · {picture.leaves_words(trial.leaves)} · {settings}")
    st.space("stretch")
    is_here = _tried(model) == _tried(trial.model)
    st.button(
        say("In use") if is_here else say("Use these settings"), key=f"use {rule}", disabled=is_here,
        width="stretch", type="primary" if rule == SIMPLEST and not is_here else "secondary",
        on_click=callback(_take), args=(trial.model,),
    )  # fmt: skip


def _tried(model: Model) -> dict[str, Any]:
    """The settings of a model that a search tries, by key."""
    return {key: dict(model.settings).get(key) for key in SPACES[model.name]}


def _take(model: Model) -> None:
    """Have the controls stand for these settings (a callback); Undo takes it back."""
    keys = learners.SETTINGS[model.name].keys
    for key, value in _tried(model).items():
        st.session_state[keys.get(key, key)] = value
    st.session_state[pruning.RULE] = pruning.WHOLE


def _draw_picture(job: TuningJob, tuning: Tuning) -> None:
    trials = picture.best_by_size(tuning)
    if not trials:
        return
    search = picture.trials_picture(tuning)
    width, height = picture.SIZE
    image = {"href": pictures.as_address(search.draw(is_dark())), "width": width, "height": height}
    chart = picture.card(tuning, f"{job.key} {len(tuning.inner)} {len(tuning.outer)}") | {
        "still": [["image", image, ""]],
        "keys": say("Arrows go from size to size, Enter takes the settings."),
        "most": WIDEST,
    }
    bars_canvas(chart, key="search for settings", on_pick=callback(lambda at: _take(trials[int(at)].model)))
    st.caption(picture.tried_words(tuning))
    pictures.save(search.draw(False), "tuning.svg")
