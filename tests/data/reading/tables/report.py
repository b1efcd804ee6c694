"""Print how each table is read beside the truth: `python -m tests.data.reading.tables.report`."""

from __future__ import annotations

from tests.data.reading.tables import laboratories, offices, people, programs, surveys
from tests.data.reading.tables.truth import TABLES, differences

MODULES = (offices, people, programs, surveys, laboratories)  # which fill TABLES


def main() -> None:
    """Print a line per table, and one per difference."""
    for name, make in TABLES.items():
        table = make()
        wrong = differences(table)
        silent = sum(not finding.sentence for finding in wrong)
        print(f"{name}: {table.what}: {'right' if not wrong else f'{len(wrong)} other, {silent} without a word'}")
        for finding in wrong:
            print(f"    {finding.where}: {finding.read}\n        {finding.sentence or 'WITHOUT A WORD'}")


if __name__ == "__main__":
    main()
