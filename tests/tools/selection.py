"""Which tests run: by default what sees the most faults in a few minutes, with `--rest` all that this leaves out.

Left out are tests marked ``slow``; of the cases of a test marked ``few(n)`` all but n, spread over all of them;
and of examples that hypothesis draws those beyond `EXAMPLES` (with `--rest` such a test tries all that it names).
A test that goes through random tables takes their `seeds`, of which the later ones are left out, too.
So a run without options and one with `--rest` together try everything, and nothing twice but examples.
"""

import os

import pytest
from hypothesis import settings

TIMES = int(os.environ.get("ESPALIER_EXAMPLES", "1"))  # how many times as many examples are tried as a test names
EXAMPLES = 40
REST, EVERY = "--rest", "--every"
SETTINGS = "_hypothesis_internal_use_settings"  # of a test: hypothesis has no public way to change them later


def add_options(parser):
    group = parser.getgroup("which tests run")
    group.addoption(
        REST, action="store_true", help="only the tests, cases and examples that are left out otherwise"
    )
    group.addoption(EVERY, action="store_true", help="all tests, cases and examples")


def include_slow(config):
    """Let `select` choose among all tests, where an option asks for more than the default."""
    if config.getoption(REST) or config.getoption(EVERY):
        config.option.markexpr = ""


def rotate(config, files):
    """Return what a process collects of these files: each of several begins elsewhere.

    So none rewrites the asserts of a file that another one has done before.
    """
    if not hasattr(config, "workerinput"):
        return config.args
    worker = config.workerinput
    first = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    return files[first:] + files[:first]


def select(config, items):
    """Take out of the list of tests those that the options leave out, and limit the examples of the others."""
    rest, every = config.getoption(REST), config.getoption(EVERY)
    later = set(beyond_few(items)) | {item for item in items if item.get_closest_marker("slow")}
    longer = {item for item in items if getattr(item.obj, SETTINGS, None) and _names_many(item.obj)}
    for test in {item.obj for item in items if getattr(item.obj, SETTINGS, None)}:
        limit_examples(test, None if rest or every else EXAMPLES)
    out = set()
    if rest:
        out = {item for item in items if item not in later and item not in longer}
    elif not every:
        out = set(beyond_few(items))
    if out:
        config.hook.pytest_deselected(items=list(out))
        items[:] = [item for item in items if item not in out]


def beyond_few(items):
    """Return the cases that are left out of tests marked ``few(n)``; those that stay are spread over all of them.

    >>> from types import SimpleNamespace as Item
    >>> three = Item(args=(3,))
    >>> cases = [Item(parent=0, originalname="t", at=i, get_closest_marker=lambda _: three) for i in range(7)]
    >>> [case.at for case in beyond_few(cases)]
    [1, 2, 4, 5]
    """
    cases = {}
    for item in items:
        mark = item.get_closest_marker("few")
        if mark is not None:
            cases.setdefault((item.parent, item.originalname, mark.args[0]), []).append(item)
    left_out = []
    for (_, _, n), every in cases.items():
        last = len(every) - 1
        stay = {round(i * last / max(n - 1, 1)) for i in range(n)}
        left_out += [item for i, item in enumerate(every) if n <= last and i not in stay]
    return left_out


def seeds(first, end):
    """Give a test `seeds` to go through: those below `first`; with `--rest` the others below `end`."""
    later = pytest.param(range(first, end), marks=pytest.mark.slow)
    return pytest.mark.parametrize("seeds", [range(first), later], ids=["seeds", "more-seeds"])


def limit_examples(test, most):
    """Let a test try so many examples at most; None: as many as it names, times `TIMES`."""
    own = getattr(test, SETTINGS)
    n = min(own.max_examples, most) if most is not None and TIMES == 1 else TIMES * own.max_examples
    if n != own.max_examples:
        setattr(test, SETTINGS, settings(own, max_examples=n, derandomize=own.derandomize and TIMES == 1))


def _names_many(test):
    return getattr(test, SETTINGS).max_examples > EXAMPLES
