"""The trees of the Stability page as they grow: a store of the server."""

from __future__ import annotations

import streamlit as st

from espalier.progress import Progress
from espalier.trees import AnyTree
from pages.shared.app.sizes import of_megabytes, size_of
from pages.shared.app.store import Store

MOST_KEPT = 1_000  # families of trees


class GrownReplicates(dict[int, AnyTree]):
    """Trees by number, to which a job adds more; the job is stopped when there is no more room."""

    def __init__(self, family: str):
        super().__init__()
        self.family, self.megabytes = family, 0.0
        self.is_full = False
        self.progress: Progress | None = None  # of the job that grows them

    def __setitem__(self, number: int, tree: AnyTree) -> None:
        super().__setitem__(number, tree)
        self.megabytes += size_of(tree).megabytes
        if self.progress is not None and not _families().resize(self.family, of_megabytes(self.megabytes)):
            self.is_full = True
            self.progress.stop()


def replicates(family: str) -> GrownReplicates:
    """The trees of a family."""
    return _families().find_or_put(family, lambda: GrownReplicates(family))


@st.cache_resource(show_spinner=False)
def _families() -> Store[GrownReplicates]:
    return Store(MOST_KEPT, lambda trees: of_megabytes(trees.megabytes))
