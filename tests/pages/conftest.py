"""Pages in tests share one session: what one test leaves at work must not stand in the way of the next."""

from collections.abc import Mapping
from contextlib import closing

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.state.session_state import SessionState

from espalier.executors import WorkerPool, WorkerTerms
from pages.shared.jobs import run, watch, workers
from pages.shared.jobs.run import RUNNER
from tests.tools.on_page import engine

__all__ = ["engine"]


@pytest.fixture(autouse=True, scope="session")
def _no_component_is_installed():
    """Spare each run the reading of all installed packages, for components that none of them brings us."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", list)
        yield


class _SessionView(Mapping):
    """The values of a session, each of which is looked up where it is asked for."""

    def __init__(self, state, gathered):
        self._state, self._gathered = state, gathered

    def __contains__(self, key):
        return key in self._state

    def __getitem__(self, key):
        return self._state[key]

    def __iter__(self):
        return iter(self._gathered(self._state))

    def __len__(self):
        return len(self._gathered(self._state))


@pytest.fixture(autouse=True, scope="session")
def _no_widget_gathers_all_values():
    """Spare each widget of Streamlit the gathering of all values of the session, to look at its own alone."""
    gathered = SessionState.filtered_state.fget
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SessionState, "filtered_state", property(lambda state: _SessionView(state, gathered)))
        yield


@pytest.fixture
def idle(monkeypatch):
    """No job begins, and no page waits for one: for what pages say whatever comes of their work."""
    monkeypatch.setattr(run, "MOST_AT_ONCE", 0)
    monkeypatch.setattr(watch, "PATIENCE_SECONDS", 0.0)


@pytest.fixture
def beside(monkeypatch):
    """Jobs in worker processes, as in the app by default, on a pool of the test's own."""
    monkeypatch.setattr(workers, "JOB_EXECUTOR", "processes")
    with closing(WorkerPool(1, WorkerTerms(modules=()))) as pool:
        monkeypatch.setattr(workers, "pool", lambda: pool)
        yield pool


@pytest.fixture(autouse=True)
def _jobs_end_with_their_test():
    """Give up the jobs that a test leaves, as when a browser goes: no outcome is kept."""
    yield
    with RUNNER._lock:
        for job in list(RUNNER._jobs.values()):
            RUNNER._give_up(job)
