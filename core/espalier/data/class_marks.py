"""The class that counts, and the colours of the classes: what a target says of them beside their names.

Pages ask `Feature.positive`, and `display.theme.colours_of` for colours. Learners know neither: to them, as in
scikit-learn, classes are sorted codes, and the second of two is the one of log odds and directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from espalier.data.columns.vocabulary import no_yes, positive_among

By = Literal["", "choice", "name", "rarity"]


class ClassMarks(NamedTuple):
    """Which class counts, who says so, and where in the palette each class has its colour."""

    positive: int | None = None  # code of the class that counts; None: no class does
    by: By = ""  # "choice" of a person, its "name", or its "rarity" as the rarer one of two
    colours: tuple[int, ...] = ()  # place in the palette by code; empty: the code itself

    def places(self, n_classes: int) -> tuple[int, ...]:
        """Return the place of each class in the palette, `n_classes` of them.

        >>> ClassMarks().places(3), ClassMarks(colours=(2, 0)).places(2)
        ((0, 1, 2), (2, 0))
        """
        return self.colours or tuple(range(n_classes))


NO_MARKS = ClassMarks()


def with_guess(marks: ClassMarks, names: Sequence[str], y: np.ndarray) -> ClassMarks:
    """Return the marks with a positive class, unless they have one, or none of the classes stands out.

    It is the class whose name says so (yes, true, positive, malignant), else the rarer one of two, the last of
    equals. `names` are those of the codes in y (n_samples,).

    >>> with_guess(NO_MARKS, ("malignant", "benign"), np.array([0, 0, 1])).positive
    0
    >>> with_guess(NO_MARKS, ("apple", "plum"), np.array([0, 0, 1]))
    ClassMarks(positive=1, by='rarity', colours=())
    """
    if marks.by:
        return marks
    pair = no_yes(list(names))
    named = pair[1] if pair else positive_among(names)
    if named is not None:
        return marks._replace(positive=list(names).index(named), by="name")
    if len(names) == 2:
        sizes = np.bincount(y, minlength=2)
        return marks._replace(positive=int(sizes[1] <= sizes[0]), by="rarity")
    return marks
