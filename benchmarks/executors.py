"""What executors cost: bytes of a task, time for each task, and efficiency on two workers.

Needs `pip install -e ".[cluster]"`, and Linux for the processor time of other processes. Efficiency is the
processor time of the tasks on one thread over that of all processes together that do the same on two workers: with
enough processors it is the share of them that works on the tasks.
"""

import os
import pickle
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from espalier.data import samples
from espalier.executors import executor
from espalier.executors.parcels import Packer, parcel_of
from espalier.learners import CartClassifier
from espalier.progress import Progress
from espalier.stability.replicates import Plan, StructureRule, planned_growth, tally
from espalier.tasks import Call, in_order
from tests.tools.dask_cluster import cluster, wait_for_workers

TICKS = os.sysconf("SC_CLK_TCK")
SECONDS_OF_A_TASK, N_TASKS, ROUNDS = 0.4, 8, 3
SMALL_TASKS = 200


def processor_seconds(pid=None):
    """Processor time of a process and of all that it started and that still run."""
    pid = pid or os.getpid()
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    children = [int(child) for one in Path(f"/proc/{pid}/task").iterdir() for child in _children(one)]
    return (int(fields[11]) + int(fields[12])) / TICKS + sum(map(processor_seconds, children))


def _children(task):
    return (task / "children").read_text().split()


def tasks_of_half_a_second():
    data = samples.load("breast-cancer")
    plan = Plan(n_replicates=1_000_000)
    growth = planned_growth(CartClassifier(max_depth=6), data, plan)
    tally(growth, range(200), StructureRule(), Progress())
    begun = time.process_time()
    tally(growth, range(200), StructureRule(), Progress())
    many = max(int(SECONDS_OF_A_TASK / (time.process_time() - begun) * 200), 1)
    parts = [range(first, first + many) for first in range(0, N_TASKS * many, many)]
    return [Call(tally, (growth, part, StructureRule()), len(part) * len(data.y)) for part in parts], many


def bytes_of(task):
    sent = []
    message = Packer(lambda digest, parcel: sent.append(parcel.n_bytes)).pack(task)
    return len(pickle.dumps(message)), sum(sent), parcel_of(task.function(*task.arguments, Progress())).n_bytes


def seconds_for_each(workers):
    list(in_order([Call(divmod, (7, 2))] * 8, workers))  # the workers have started
    begun, own = time.perf_counter(), processor_seconds()
    list(in_order([Call(divmod, (7, 2))] * SMALL_TASKS, workers))
    return (time.perf_counter() - begun) / SMALL_TASKS, (processor_seconds() - own) / SMALL_TASKS


def efficiency(tasks, workers):
    """Median over rounds of one thread's processor time over that of the workers, both for the same tasks."""
    list(in_order(tasks[:4], workers))  # kernels are loaded
    ratios = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        for task in tasks:
            task.function(*task.arguments, Progress())
        alone, begun = time.process_time() - begun, processor_seconds()
        list(in_order(tasks, workers))
        ratios.append(alone / (processor_seconds() - begun))
    return median(ratios)


def report(name, workers, tasks):
    wall, own = seconds_for_each(workers)
    ratio = efficiency(tasks, workers)
    print(f"{name:10}  {1e3 * wall:6.2f} ms, {1e3 * own:6.2f} ms of processors, a task; efficiency {ratio:.0%}")


def main():
    tasks, many = tasks_of_half_a_second()
    message, data, result = bytes_of(tasks[0])
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors; a task grows {many:,} trees")
    print(f"a task has {message:,} bytes, its data {data:,}, its result {result:,}")
    for name in ("threads", "processes"):
        with executor(name, 2) as workers:
            report(name, workers, tasks)
    with tempfile.TemporaryDirectory() as folder, cluster(Path(folder)) as address, executor(address) as workers:
        wait_for_workers(workers)
        report("Dask", workers, tasks)


if __name__ == "__main__":
    sys.exit(main())
