"""Write the table of limits into the page on deployment: ``python -m docs.tools.limits``."""

import re
from pathlib import Path

from espalier.settings import LIMITS, Limit

PAGE = Path(__file__).resolve().parents[1] / "how-to" / "deploy.md"
HEAD = "| variable | limit | values |\n|---|---|---|\n"
TABLE = re.compile(rf"{re.escape(HEAD)}(?:\|.*\n)*")


def row(limit: Limit) -> str:
    """Row of a limit."""
    return f"| `{limit.variable}={limit.default}` | {limit.meaning} | {limit.least:,} to {limit.most:,} |\n"


def table() -> str:
    """Table of all limits, as Markdown."""
    return HEAD + "".join(map(row, LIMITS.values()))


def main() -> None:
    """Put the present table in place of the one that stands in the page."""
    PAGE.write_text(TABLE.sub(lambda _: table(), PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
