"""Many cases in one test: which of them failed."""

from contextlib import contextmanager


@contextmanager
def case(name):
    """Let whatever is raised inside be told with the name of the case."""
    try:
        yield
    except Exception as error:
        error.add_note(str(name))
        raise
