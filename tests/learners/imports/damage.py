"""Ways to damage a file."""

import copy

import numpy as np

WRONG = (None, "x", [], {}, 1e300, -7)


def paths_of(document, path=()):
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, (dict, list)):
            yield from paths_of(value, (*path, key))


def at(document, path):
    for key in path:
        document = document[key]
    return document


def with_change(document, path, change):
    """A copy of a document in which `change(parent, key)` was made at a path."""
    changed = copy.deepcopy(document)
    change(at(changed, path[:-1]), path[-1])
    return changed


def delete(parent, key):
    del parent[key]


def replace(value):

    def change(parent, key):
        parent[key] = value

    return change


def damaged_documents(document, n, keeps=(), seed=0):
    """Damaged copies of a document, with what was done: n keys deleted, n values replaced by each kind of another.

    Values at `keeps` (ends of paths) are not replaced by numbers: only they say what they say.
    """
    rng = np.random.default_rng(seed)
    every = list(paths_of(document))
    keys = [path for path in every if isinstance(path[-1], str)]
    for path in [keys[k] for k in rng.permutation(len(keys))[:n]]:
        yield f"without {path}", with_change(document, path, delete)
    for path in [every[k] for k in rng.permutation(len(every))[:n]]:
        names = [key for key in path if isinstance(key, str)]
        for value in WRONG:
            if isinstance(value, (int, float)) and names and names[-1] in keeps:
                continue
            yield f"{value!r} at {path}", with_change(document, path, replace(value))


def cuts(data, n):
    """The beginnings of a file, n of different lengths."""
    return [data[:end] for end in np.unique(np.linspace(0, len(data) - 1, n).astype(int))]
