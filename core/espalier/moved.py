"""Modules of earlier versions: an import of one says where it is now.

Scripts that rebuild a report name the modules that they need, and may be older than the library that runs them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

TODAY = {  # packages and modules of earlier versions, and where their parts are now
    "espalier.analysis": "espalier.<subject>, such as espalier.stability; public names are in espalier.analysis",
    "espalier.views": "espalier.display, espalier.export or espalier.<subject>, such as espalier.stability",
    "espalier.data.columns.row_columns": "espalier.data.columns.kinds",
    "espalier.data.recipe": "espalier.data.columns.convert",
    "espalier.data.rows": "espalier.data.filters, espalier.data.folds or espalier.data.roles",
    "espalier.reliability.abstention": "espalier.reliability.reliability",
    "espalier.stability.stability": "espalier.stability.structures",
}


def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> None:
    """Find nothing, so that others look. Raises ModuleNotFoundError for a module that has moved."""
    former = next((module for module in TODAY if f"{name}.".startswith(f"{module}.")), None)
    if former and name != "espalier.analysis":
        raise ModuleNotFoundError(f"{name} has moved: it is in {TODAY[former]}", name=name)


def expect() -> None:
    """Say so from now on."""
    this: Any = sys.modules[__name__]
    if this not in sys.meta_path:
        sys.meta_path.insert(0, this)
