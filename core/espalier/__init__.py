"""Espalier's core: growing, analysing and drawing decision trees, without any user interface.

``espalier.read_model`` reads the trees of another library (`espalier.learners.imports.read_model`).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from espalier.learners.imports import read_model

__all__ = ["read_model"]


def __getattr__(name: str) -> Any:
    # The learners load when they are asked for: a process that reads strangers' files needs none of them.
    if name == "read_model":
        return importlib.import_module("espalier.learners.imports").read_model
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
