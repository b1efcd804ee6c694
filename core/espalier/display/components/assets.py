"""Sources of the browser components, as text."""

from espalier.paths import ASSETS


def source(*names: str) -> str:
    """Text of files of the folder `assets`, one after the other."""
    return "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in names)
