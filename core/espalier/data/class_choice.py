"""A person's choice of the order of a target's classes, and of the one that counts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.trees import read_only

_TEXT = re.compile(
    r"(?P<table>.*?)(?:~c(?P<order>[1-9]\d{0,3}(?:-[1-9]\d{0,3})*))?(?:~p(?P<positive>[1-9]\d{0,3}))?"
)


class ClassChoice(NamedTuple):
    """The order of classes and the positive one, by their codes in the table as it was."""

    order: tuple[int, ...] = ()  # code of the first class, the second, …; empty: as they are
    positive: int | None = None  # None: as guessed

    @property
    def text(self) -> str:
        """The text behind the table's in addresses, which `table_and_choice` reads; it counts classes from 1.

        >>> ClassChoice((2, 0, 1), 2).text, ClassChoice().text
        ('~c3-1-2~p3', '')
        """
        order = "~c" + "-".join(str(code + 1) for code in self.order) if self.order else ""
        return order + (f"~p{self.positive + 1}" if self.positive is not None else "")


AS_READ = ClassChoice()


def table_and_choice(text: str) -> tuple[str, ClassChoice]:
    """Return the text of a table, and the choice of classes that stands behind it.

    >>> table_and_choice("iris~c3-1-2"), table_and_choice("moons~n0.3~p1")[0]
    (('iris', ClassChoice(order=(2, 0, 1), positive=None)), 'moons~n0.3')
    """
    found = _TEXT.fullmatch(text)
    if found is None:  # a text of several lines
        return text, AS_READ
    order, positive = found["order"], found["positive"]
    codes = tuple(int(place) - 1 for place in order.split("-")) if order else ()
    return found["table"], ClassChoice(codes, int(positive) - 1 if positive else None)


def choice_by_names(classes: Sequence[str], order: Sequence[str], positive: str = "") -> ClassChoice:
    """Return the choice that puts the classes named in `order` first, the others behind them as they are.

    Names that are no classes are skipped; an order that changes nothing is none.

    >>> choice_by_names(("high", "low", "medium"), ["low", "medium"], "high")
    ClassChoice(order=(1, 2, 0), positive=0)
    """
    names = list(classes)
    first = [names.index(name) for name in dict.fromkeys(order) if name in names]
    codes = (*first, *(code for code in range(len(names)) if code not in first))
    is_new = codes != tuple(range(len(names)))
    return ClassChoice(codes if is_new else (), names.index(positive) if positive in names else None)


def with_classes(dataset: Dataset, choice: ClassChoice) -> Dataset:
    """Return the data set with its classes in this order, and with this positive class.

    Rows and features stay, codes of classes are those of the new order, and each class keeps its colour. Raises
    ValueError for an order that does not name each class once, and for a class that is not there.

    >>> from espalier.data import samples
    >>> iris = with_classes(samples.load("iris"), ClassChoice((2, 0, 1), 0))
    >>> iris.classes, iris.classes[iris.target.positive]
    (('virginica', 'setosa', 'versicolor'), 'setosa')
    """
    if choice == AS_READ:
        return dataset
    n, target = len(dataset.classes), dataset.target
    order = choice.order or tuple(range(n))
    if sorted(order) != list(range(n)):
        raise ValueError(
            f"an order of {n} classes must name each of them once, not {[code + 1 for code in order]}"
        )
    marks, positive = target.marks, target.positive
    if choice.positive is not None:
        if not choice.positive < n:
            raise ValueError(f"there are {n} classes, and no class number {choice.positive + 1}")
        marks, positive = marks._replace(by="choice"), choice.positive
    places = marks.places(n)
    marks = marks._replace(
        positive=None if positive is None else order.index(positive), colours=tuple(places[code] for code in order)
    )
    target = target._replace(categories=tuple(target.categories[code] for code in order), marks=marks)
    y = read_only(np.argsort(order)[dataset.y]) if choice.order else dataset.y
    digest = hashlib.blake2b(repr((dataset.digest, choice)).encode(), digest_size=16).hexdigest()
    return dataset._replace(y=y, target=target, digest=digest)
