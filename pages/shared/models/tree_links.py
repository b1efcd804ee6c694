"""What links to the page Tree may say. It depends on the data alone, and so is worked out once for each table."""

from __future__ import annotations

from typing import NamedTuple

from espalier.data.dataset import Dataset
from pages.shared.app import address
from pages.shared.app.store import of_table
from pages.shared.decisions import section as decisions
from pages.shared.models import learners
from pages.shared.promises import section as promises
from pages.shared.reliability import changing
from pages.shared.tree import by_hand, explorer, inspector, near_optimal, pruning, recurrence, selection, two
from pages.shared.tuning import search


class Entries(NamedTuple):
    """Parts of the address."""

    every: list[address.Entry]
    trees: list[address.Entry]  # of the tree itself
    selected: list[address.Entry]  # that mean nothing for other data
    held: list[address.Entry]  # whose widgets a part that runs alone may not draw
    deciding: list[address.Entry]  # on what errors cost


@of_table(max_entries=64)
def entries_of(dataset: Dataset, has_forest: bool) -> Entries:
    """All that the address may say of the tree of these data; of one of a forest more (`learners.url_entries`)."""
    deciding = decisions.tree_entries(dataset)
    drawing = [*explorer.axes(), *explorer.url_entries(), recurrence.TOGGLE.entry, *by_hand.url_entries()]
    selected = [*selection.url_entries(), *explorer.axes(), *near_optimal.choice(), *changing.url_entries(dataset)]
    selected += [*by_hand.url_entries(), *deciding]
    choices = [
        *explorer.url_entries(),
        recurrence.TOGGLE.entry,
        *inspector.url_entries(),
        *promises.tree_entries(),
    ]
    trees = [
        *learners.url_entries(dataset.target, has_forest),
        *pruning.url_entries(),
        *two.url_entries(dataset.target),
    ]
    every = [*trees, *selected, *choices, near_optimal.SLACK.entry, *search.url_entries(dataset)]
    return Entries(every, trees, selected, [*drawing, *deciding, *pruning.url_entries()], deciding)
