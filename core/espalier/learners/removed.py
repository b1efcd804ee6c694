"""Parameters that a learner had once: whoever gives one is told what to use instead."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)


def removed_parameters(**instead: str) -> Callable[[Class], Class]:
    """Return a decorator of a learner that had these parameters once, by name with what to use instead.

    Its `__init__` and `set_params` then raise TypeError for each of them, with that sentence. Its signature is
    that of the parameters it has.
    """

    def decorate(learner: Class) -> Class:
        for name in ("__init__", "set_params"):
            setattr(learner, name, _refusing(getattr(learner, name), instead))
        return learner

    return decorate


def _refusing(method: Callable[..., Any], instead: Mapping[str, str]) -> Callable[..., Any]:
    @functools.wraps(method)
    def checked(self: Any, *arguments: Any, **parameters: Any) -> Any:
        for name in instead.keys() & parameters.keys():
            raise TypeError(f"{type(self).__name__} no longer has the parameter {name}: {instead[name]}")
        return method(self, *arguments, **parameters)

    return checked
