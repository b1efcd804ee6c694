"""Pages in tests share one session: what one test leaves at work must not stand in the way of the next."""

import pytest

from pages.shared.jobs.run import RUNNER


@pytest.fixture(autouse=True)
def _jobs_end_with_their_test():
    """Give up the jobs that a test leaves, as when a browser goes: no outcome is kept."""
    yield
    with RUNNER._lock:
        for job in list(RUNNER._jobs.values()):
            RUNNER._give_up(job)
