"""How much is measured, and where the tables are."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Scope(NamedTuple):
    """How much is measured."""

    is_quick: bool
    data: Path | None  # folder with the tables of the papers

    @property
    def rounds(self) -> int:
        """Turns of each program."""
        return 3 if self.is_quick else 7

    def folder(self, name: str) -> Path:
        """Return the folder of some tables. Raises FileNotFoundError where they are not here."""
        folder = (self.data or Path("nowhere")) / name
        if not folder.is_dir():
            raise FileNotFoundError(f"it needs tables in DIR/{name}: give --data DIR")
        return folder
