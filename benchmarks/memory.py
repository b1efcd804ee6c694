"""What a server keeps: memory over an hour's worth of actions of a few visitors, as fast as it answers.

`python -m benchmarks.memory` starts a server of this checkout and lets visitors open pages, move sliders, click
nodes, choose other tables and bring their own. Somebody who does something every two seconds does 1,800 things in
an hour; the table has the memory of all processes, what several share counted once, after each tenth of them.

    --visitors 2        how many at a time
    --actions 1800      of each of them
    --minutes 10        at most; the table then has the memory after each minute
    --rows 5000         of the tables that they bring, chosen by chance among these; 0 for none
    --url, --process    a server that runs already on this machine, and its process
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import math
import os
import random
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import load
from benchmarks.load import Act, Done, Running
from benchmarks.visitor import LOST, Failed, Visitor, Widget

PAGES = ("Reliability", "Questionnaire", *load.PAGES)
N_COLUMNS = 10
MOST_LOOKS = 60  # at a file that is being read
STEPS = 10


async def other_page(visitor: Visitor, chance: random.Random) -> Done:
    """Look at another page."""
    name = chance.choice(PAGES)
    return Done(f"page {name}", await visitor.open(name))


async def anything(visitor: Visitor, chance: random.Random) -> Done:
    """Change a control of the page, whichever."""
    widgets = [widget for widget in visitor.widgets.values() if value_for(widget, chance) is not None]
    if not widgets:
        return await other_page(visitor, chance)
    widget = chance.choice(widgets)
    return Done("control", await visitor.set(widget, value_for(widget, chance)))


def value_for(widget: Widget, chance: random.Random) -> object:
    """Return a value that a person could choose; None where the control is not one of those that move here."""
    proto = widget.proto
    if getattr(proto, "disabled", False):
        return None
    if widget.is_slider:
        at = chance.randrange(min(len(widget.data["texts"]), 12))
        return {"moved": {"at": at, "over": True, "n": chance.randrange(2**50)}}
    if widget.kind == "checkbox":
        return chance.random() < 0.5
    if widget.kind == "selectbox" and widget.label != "Data" and proto.options:
        return chance.choice(list(proto.options))
    return None


def own_table(rows: int) -> Act:
    """The act of bringing a table of so many rows, whose values no other has."""

    async def bring(visitor: Visitor, chance: random.Random) -> Done:
        await visitor.open("Data")
        upload = visitor.find("Upload a file", "file_uploader")
        assert upload is not None
        answer = await visitor.upload(upload, f"own {rows}.csv", csv_of(rows, chance.randrange(2**32)))
        for _ in range(MOST_LOOKS):
            if use := visitor.find("Grow its tree", "button"):
                await visitor.set(use, True)
                return Done("own table", answer)
            await visitor.rest(0.5)
            await visitor.open("Data")
        raise Failed("the table was not read in time")

    return bring


def csv_of(rows: int, seed: int) -> bytes:
    """Return a table with two classes."""
    numbers = np.random.default_rng(seed)
    X = numbers.normal(size=(rows, N_COLUMNS)).round(3)
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + numbers.normal(size=rows) > 0, "yes", "no")
    head = ",".join([*(f"x{i}" for i in range(N_COLUMNS)), "answer"])
    lines = (",".join([*map(str, row), answer]) for row, answer in zip(X.tolist(), y, strict=True))
    return "\n".join([head, *lines]).encode()


class Work(NamedTuple):
    """What a visitor does."""

    acts: list[tuple[Act, int]]  # and how often, beside the others
    n_actions: int
    until: float  # on the clock of `time.monotonic`


async def act(url: str, number: int, work: Work, done: Counter) -> None:
    """Do so much as one person, who comes back with a new session after an error."""
    chance = random.Random(number)
    visitor = None
    choices, weights = zip(*work.acts, strict=True)
    for _ in range(work.n_actions):
        if time.monotonic() > work.until:
            break
        try:
            if visitor is None:
                visitor = await Visitor.at(url)
                await visitor.open()
            done[(await chance.choices(choices, weights)[0](visitor, chance)).name] += 1
        except LOST as wrong:
            done[f"error: {type(wrong).__name__} {wrong}"[:150]] += 1
            if visitor is not None:
                await visitor.close()
            visitor = None
    if visitor is not None:
        await visitor.close()


class Memory(NamedTuple):
    """Memory of the server, in MB."""

    server: float  # resident, the process of the pages alone
    all: float  # all its processes, shared pages counted once
    n_processes: int


def memory_of(process: int) -> Memory:
    """Return the memory that the server takes now."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    own = pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    return Memory(own, load.megabytes(process), len(list(load.family(process))))


async def watch(process: int, done: Counter, total: int, minutes: int) -> None:
    """Print the memory after each tenth of the actions, or after each of so many minutes."""
    print("| actions | server MB | all processes MB | processes |\n|---|---|---|---|", flush=True)
    begin = time.monotonic()
    for step in range((minutes or STEPS) + 1):
        while time.monotonic() < begin + 60 * step if minutes else sum(done.values()) < step * total / STEPS:
            await asyncio.sleep(0.5)
        now = memory_of(process)
        print(f"| {sum(done.values())} | {now.server:.0f} | {now.all:.0f} | {now.n_processes} |", flush=True)


async def measure(url: str, process: int, arguments: argparse.Namespace) -> None:
    """Let the visitors act, and print what there is to see."""
    await load.warm(url)
    own = [(own_table(rows), 2) for rows in arguments.rows if rows]
    acts = [*load.ACTS[: load.N_OF_THE_TREE], (load.other_table, 4), (anything, 15), (other_page, 8), *own]
    done: Counter = Counter()
    total = arguments.visitors * arguments.actions
    work = Work(acts, arguments.actions, time.monotonic() + (60 * arguments.minutes or math.inf))
    watcher = asyncio.create_task(watch(process, done, total, arguments.minutes))
    visits = (act(url, number, work, done) for number in range(arguments.visitors))
    await asyncio.gather(*visits)
    await watcher
    for name, count in done.most_common():
        print(f"    {count:5} {name}")
    for seconds in (10, 200):
        await asyncio.sleep(seconds)
        print(f"{seconds} s after they left: {memory_of(process)}", flush=True)


def main() -> None:
    """Run it from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visitors", type=int, default=2)
    parser.add_argument("--actions", type=int, default=1800)
    parser.add_argument("--minutes", type=int, default=0)
    parser.add_argument("--rows", type=int, nargs="+", default=[200, 5_000])
    parser.add_argument("--url")
    parser.add_argument("--process", type=int)
    arguments = parser.parse_args()
    given = contextlib.nullcontext(Running((arguments.url,), arguments.process))
    with given if arguments.url else load.own_server() as server:
        assert server.process is not None, "--process goes with --url"
        asyncio.run(measure(server.urls[0], server.process, arguments))


if __name__ == "__main__":
    main()
