"""What trees as good rely on when the rows are drawn anew: a job of some twenty searches."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from espalier.data.rows import parts
from espalier.learners.optimal.as_good.redrawn import RedrawnReliance, SampleDraws, redrawn_reliance
from espalier.progress import Progress
from espalier.views.theme import count, number
from pages.shared.app.frame import plain
from pages.shared.canvas.data_table import data_table
from pages.shared.jobs import note, watch
from pages.shared.jobs.job import Work
from pages.shared.jobs.note import Far, Line
from pages.shared.tree import fits
from pages.shared.tree.results import GrownTree
from pages.shared.words.tree import as_good as words
from pages.shared.words.tree import page as page_words

DRAWS = 20
SECONDS = 3.0  # for the trees of one draw


def section(grown: GrownTree) -> None:
    """The drawer; nothing is searched before it is opened."""
    drawer = st.expander(words.REDRAWN, key="redrawn reliance", on_change="rerun")
    if drawer.open:
        with drawer:
            _job(grown)


def _job(grown: GrownTree) -> None:
    slack = st.session_state["slack"]
    key = f"{grown.key} redrawn {slack}"
    ended = watch.found(key) or watch.outcome(Work(key, DRAWS, partial(_found, grown, slack)), beside=True)
    if ended.is_awaited:
        note.progress([Line(key, words.REDRAWN_LOOKING, _far)])
        return
    note.ended(key, ended, words.REDRAWN_STOPPED, goes_on=False)
    if isinstance(ended.value, RedrawnReliance):
        _draw(grown, ended.value)


def _far(job) -> Far:
    return Far(job.share, words.redrawn_far(job.progress.done, DRAWS))


def _found(grown: GrownTree, slack: float, progress: Progress) -> RedrawnReliance:
    fit = fits.Fit(grown.dataset, *grown.source)
    training = fit.estimator.prepare(fit.X, fit.y, fit.weight)
    draws = SampleDraws(DRAWS, together=parts.units(fit.roles, 0), seconds=SECONDS)
    return redrawn_reliance(fit.estimator, training, slack, draws, progress)


def _draw(grown: GrownTree, found: RedrawnReliance) -> None:
    """Draw which columns no tree as good does without in how many draws, and the ranges over all of them."""
    n, names = found.n_counted, [feature.name for feature in grown.dataset.features]
    if found.n_drawn > n:
        st.caption(words.redrawn_left_out(count(found.n_drawn - n), count(found.n_drawn)))
    if not n:
        return
    always = [plain(names[at]) for at in np.flatnonzero(found.n_needed == n)]
    st.markdown(words.redrawn_always(always, count(n)))
    used = sorted(np.flatnonzero(found.most > 0), key=lambda at: (-found.n_needed[at], -found.most[at]))
    table = pd.DataFrame(
        {
            page_words.FEATURE: [names[at] for at in used],
            words.NEEDED: [words.of_draws(int(found.n_needed[at]), n) for at in used],
            words.RELIANCE: [words.span(number(found.least[at]), number(found.most[at])) for at in used],
        }
    )
    data_table(table, hide_index=True, height=min(38 + 35 * len(table), 250), alt=words.REDRAWN)
    st.caption(words.redrawn_caption(count(n)))
