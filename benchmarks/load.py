"""How long a class waits: many visitors on one server, each with a session of its own.

`python -m benchmarks.load` starts a server of this checkout, and lets 1, 10, 30, 60 and 100 visitors act on it for
a while: mostly they move sliders and click nodes of the Tree page, now and then they change the data or the page,
or begin a forest. Printed are the seconds from an action to the end of its run (median, 95th percentile,
greatest), the actions a second, processor time of the server for an action, bytes sent for a move, and the memory
of all processes.

    --visitors 30 60    how many at a time
    --seconds 30        of each stage
    --pause 2           seconds between two actions of a visitor, on average
    --long              one more visitor compares models with many folds all the while
    --tree              they stay on the Tree page, with the data at hand
    --mixed             one action in twenty opens a page that begins a job: Compare, Stability or Forests
    --workers 2         so many server processes, as `espalier --workers` starts them; a visitor stays with one
    --url http://…      servers that run already on this machine (their processor time is then not known)
    --verbose           what each kind of action took, with one visitor also of the server, and every error
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import math
import random
import re
import socket
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import urlopen

from benchmarks.visitor import LOST, Answer, Visitor

ROOT = Path(__file__).resolve().parent.parent
TABLES = ("wine", "breast-cancer", "iris", "titanic", "moons")
PAGES = ("Forests", "One tree for a forest", "Compare", "Stability", "Data", "Tree")
PAGES_WITH_JOBS = {"Compare": "deal", "Stability": "chance", "Forests": "seed"}  # and their seeds
SETTLE_SECONDS = 3.0
TIDYING_SECONDS = 0.02  # of a server after it has answered
CPU_CLOCK = 2  # of a process, as Linux numbers its clocks


class Done(NamedTuple):
    """An action of a visitor and what it cost."""

    name: str
    answer: Answer
    cpu_seconds: float = float("nan")  # of the server; known where nobody else acts


async def move(visitor: Visitor, chance: random.Random) -> Done:
    """Move the depth to another place."""
    depth = visitor.find("Depth", "bidi_component")
    if depth is None:
        return Done("back to the tree", await visitor.open("Tree"))
    at = chance.randrange(min(len(depth.data["texts"]), 8))
    return Done(
        "depth", await visitor.set(depth, {"moved": {"at": at, "over": True, "n": time.time_ns() // 1000}})
    )


async def leaf(visitor: Visitor, chance: random.Random) -> Done:
    """Ask for other leaves."""
    await opened(visitor, "More settings")
    least = visitor.find("Rows in a leaf")
    return (
        await move(visitor, chance)
        if least is None
        else Done("leaf", await visitor.set(least, chance.randint(1, 9)))
    )


async def opened(visitor: Visitor, drawer: str) -> None:
    """Open the drawer of this label, which then stays open."""
    if (box := visitor.find(drawer, "popover")) is not None:
        await visitor.set(box, True)


async def click(visitor: Visitor, chance: random.Random) -> Done:
    """Click a node of the tree."""
    graph = visitor.find("graph", "bidi_component")
    if graph is None:
        return await move(visitor, chance)
    chosen = {"tree": graph.data["cards"]["id"], "id": chance.randint(0, 2), "at": int(time.time() * 1000)}
    return Done("node", await visitor.set(graph, {"selected": chosen}))


async def other_table(visitor: Visitor, chance: random.Random) -> Done:
    """Choose another table."""
    await opened(visitor, "Other tables")
    picker = visitor.find("Data", "selectbox")
    if picker is None:
        return await move(visitor, chance)
    options = list(picker.proto.options)
    wanted = [option for option in options if any(name in option.lower() for name in TABLES)] or options[:5]
    return Done("table", await visitor.set(picker, chance.choice(wanted)))


async def other_page(visitor: Visitor, chance: random.Random) -> Done:
    """Look at another page; the one of forests begins to grow them."""
    name = chance.choice(PAGES)
    return Done(f"page {name}", await visitor.open(name))


async def page_with_job(visitor: Visitor, chance: random.Random) -> Done:
    """Open a page that begins a job, with settings of one's own: the results of others do not serve."""
    name, seed = chance.choice(list(PAGES_WITH_JOBS.items()))
    return Done(f"page {name}", await visitor.open(name, f"{seed}={chance.randint(0, 999)}"))


Act = Callable[[Visitor, random.Random], Awaitable[Done]]
ACTS: tuple[tuple[Act, int], ...] = ((move, 60), (leaf, 15), (click, 20), (other_table, 4), (other_page, 1))
N_OF_THE_TREE = 3  # of these stay with the tree at hand
MIXED: tuple[tuple[Act, int], ...] = (*ACTS[:N_OF_THE_TREE], (page_with_job, 5))


class Stage(NamedTuple):
    """What was measured with so many visitors."""

    n_visitors: int
    done: list[Done]
    errors: list[str]
    seconds: float
    cpu_seconds: float  # of the server; nan where it is another's
    megabytes: float


class Class(NamedTuple):
    """How people act."""

    urls: tuple[str, ...]  # of the servers, which share the visitors
    pause: float  # seconds between two actions of one, on average
    acts: tuple[tuple[Act, int], ...]
    has_long_job: bool  # whether one more person compares models all the while
    watched: int | None = None  # the server's process, where one visitor is alone with it


async def visit(group: Class, number: int, until: float, done: list[Done], errors: list[str]) -> None:
    """Act as one person until it is time to go."""
    chance = random.Random(number)
    await asyncio.sleep(chance.random() * group.pause)
    visitor = await Visitor.at(group.urls[number % len(group.urls)])
    acts, weights = zip(*group.acts, strict=True)
    try:
        await visitor.open()
        while time.monotonic() < until:
            await visitor.rest(chance.uniform(0.5, 1.5) * group.pause)
            before = cpu(group.watched)
            one = await chance.choices(acts, weights)[0](visitor, chance)
            await asyncio.sleep(TIDYING_SECONDS)
            done.append(one._replace(cpu_seconds=cpu(group.watched) - before))
    except LOST as wrong:
        errors.append(f"{type(wrong).__name__}: {wrong}")
    finally:
        await visitor.close()


async def keep_busy(url: str, until: float) -> None:
    """Compare models again and again with other folds: a long job beside the class."""
    visitor = await Visitor.at(url)
    await visitor.open()
    await visitor.open("Compare", "folds=20")
    while time.monotonic() < until:
        await visitor.rest(5)
    await visitor.close()


async def stage(group: Class, n_visitors: int, seconds: float, server: int | None) -> Stage:
    """Let so many visitors act at once."""
    done: list[Done] = []
    errors: list[str] = []
    until = time.monotonic() + seconds
    before, begin = cpu(server), time.monotonic()
    group = group._replace(watched=server if n_visitors == 1 and not group.has_long_job else None)
    visits = [visit(group, number, until, done, errors) for number in range(n_visitors)]
    await asyncio.gather(*visits, *([keep_busy(group.urls[0], until)] if group.has_long_job else []))
    used = cpu(server) - before
    return Stage(n_visitors, done, errors, time.monotonic() - begin, used, megabytes(server))


def family(process: int) -> Iterator[int]:
    """The process and all that it has started."""
    yield process
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from family(int(child))


def cpu(process: int | None) -> float:
    """Processor seconds of a process and all that it has started."""
    if process is None:
        return float("nan")
    total = 0.0
    for one in family(process):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            total += time.clock_gettime((~one << 3) | CPU_CLOCK)
    return total


def megabytes(process: int | None) -> float:
    """Memory of a process and all that it has started; what several share counts once."""
    total = 0.0
    for one in family(process) if process else ():
        with contextlib.suppress(OSError, AttributeError):
            status = Path(f"/proc/{one}/smaps_rollup").read_text()
            total += int(re.search(r"^Pss:\s+(\d+)", status, re.MULTILINE)[1]) / 1e3  # type: ignore[index]
    return total if process else float("nan")


class Running(NamedTuple):
    """Servers at work."""

    urls: tuple[str, ...]
    process: int | None  # that has started them; None where it is not known


@contextlib.contextmanager
def own_server(workers: int = 1) -> Iterator[Running]:
    """The app of this checkout at free ports: one server, or several as `espalier --workers` starts them."""
    port = free_port()
    command = ["streamlit", "run", "app.py"] if workers == 1 else ["espalier", "--workers", str(workers)]
    command = [sys.executable, "-m", *command, "--server.headless", "true", "--server.port", str(port)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            urls = tuple(f"http://127.0.0.1:{port + number}" for number in range(workers))
            for url in urls:
                wait_for(url)
            yield Running(urls, server.pid)
        finally:
            server.terminate()


def free_port() -> int:
    """A port that nobody listens at, nor probably at the next ones."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wait_for(url: str) -> None:
    """Wait until the server answers."""
    for _ in range(240):
        with contextlib.suppress(OSError), urlopen(f"{url}/_stcore/health", timeout=1):
            return
        time.sleep(0.25)
    raise SystemExit(f"{url} does not answer")


async def warm(url: str) -> None:
    """Visit every page once, so that what is measured is not the first start."""
    print("warming up: every page once, and the engine", flush=True)
    visitor = await Visitor.at(url)
    await visitor.open()
    for name in [*visitor.pages, "Tree"]:
        await visitor.open(name)
        await visitor.rest(SETTLE_SECONDS)
    while visitor.find("Depth", "bidi_component") is None:  # the engine is compiled meanwhile
        await visitor.rest(1)
        await visitor.open("Tree")
    await visitor.close()


def percentile(values: list[float], share: float) -> float:
    """The value that so large a share of them does not exceed."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)] if values else float("nan")


def row(one: Stage) -> str:
    """A line of the table."""
    waits = [1000 * done.answer.seconds for done in one.done]
    moves = [done.answer.n_bytes for done in one.done if done.name in ("depth", "leaf")]
    n_done = max(len(waits), 1)
    times = [percentile(waits, share) for share in (0.5, 0.95, 1)]
    numbers = [*times, 1000 * one.cpu_seconds / n_done, median(moves or [0]) / 1e3, one.megabytes, len(one.errors)]
    start = f"| {one.n_visitors} | {len(waits)} | {len(waits) / one.seconds:.1f} |"
    return " ".join([start, *(f"{number:.0f} |" for number in numbers)])


def by_action(one: Stage) -> str:
    """What each kind of action took: milliseconds (median, 95th percentile, number), processor time if known."""
    by_name = defaultdict(list)
    for done in one.done:
        by_name[done.name].append(done)
    lines = []
    for name, each in sorted(by_name.items()):
        times, used = [1000 * done.answer.seconds for done in each], [1000 * done.cpu_seconds for done in each]
        of_server = "" if math.isnan(used[0]) else f", {median(used):.1f} ms of the server"
        lines.append(f"    {name} {median(times):.0f} / {percentile(times, 0.95):.0f} ({len(each)}){of_server}")
    return "\n".join(lines)


COLUMNS = (
    "visitors", "actions", "a second", "median ms", "p95 ms", "greatest ms", "server's ms an action", "kB a move",
    "MB", "errors",
)  # fmt: skip
HEAD = f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}"


async def measure(servers: Running, arguments: argparse.Namespace) -> None:
    """All stages, one after the other."""
    for url in servers.urls:
        await warm(url)
    acts = MIXED if arguments.mixed else ACTS[:N_OF_THE_TREE] if arguments.tree else ACTS
    group = Class(servers.urls, arguments.pause, acts, arguments.long)
    print(HEAD, flush=True)
    for n_visitors in arguments.visitors:
        one = await stage(group, n_visitors, arguments.seconds, servers.process)
        print(row(one), flush=True)
        if arguments.verbose:
            print(by_action(one), *sorted(set(one.errors)), sep="\n", flush=True)
        await asyncio.sleep(SETTLE_SECONDS)


def main() -> None:
    """Run it from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visitors", type=int, nargs="+", default=[1, 10, 30, 60, 100])
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--pause", type=float, default=2)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--tree", action="store_true")
    parser.add_argument("--mixed", action="store_true")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--url", nargs="+", default=[])
    arguments = parser.parse_args()
    if any(urlsplit(url).hostname not in ("localhost", "127.0.0.1", "::1") for url in arguments.url):
        parser.error("--url: only servers on this machine may be loaded so")
    given = contextlib.nullcontext(Running(tuple(arguments.url), None))
    with given if arguments.url else own_server(arguments.workers) as servers:
        asyncio.run(measure(servers, arguments))


if __name__ == "__main__":
    main()
