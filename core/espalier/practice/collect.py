"""The command ``espalier practice collect``: one table of many files of results."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from espalier.display.tables import to_csv
from espalier.language import Refusal
from espalier.practice.results import PracticeResult, read, table

FINE, WRONG = 0, 1  # exit codes


def main(arguments: Sequence[str]) -> int:
    """Write the table as CSV, and what is wrong with files as errors; 1 if a file cannot be read."""
    parser = argparse.ArgumentParser(
        prog="espalier practice collect",
        description="Put files of results of practice into one table, written as CSV: who answered what.",
    )
    parser.add_argument("files", nargs="+", type=Path, help="files that students saved")
    results: list[PracticeResult] = []
    refused = 0
    for path in parser.parse_args(arguments).files:
        try:
            results.append(read(path.read_bytes()))
        except (Refusal, OSError) as wrong:
            refused += 1
            print(f"{path}: {wrong}", file=sys.stderr)
    if results:
        print(to_csv(table(results)), end="")
    return WRONG if refused else FINE
