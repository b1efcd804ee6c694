"""Pages in tests share one session: what one test leaves at work must not stand in the way of the next."""

from contextlib import closing

import pytest
from streamlit.components.v2 import manifest_scanner

from espalier.executors import WorkerPool, WorkerTerms
from pages.shared.jobs import run, watch, workers
from pages.shared.jobs.run import RUNNER


@pytest.fixture(autouse=True, scope="session")
def _no_component_is_installed():
    """Spare each run the reading of all installed packages, for components that none of them brings us."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", list)
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
