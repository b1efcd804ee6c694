"""Where tasks run: chosen by one word, and refused with what to do instead."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from espalier.executors import Processes, executor

OF_SETTINGS = "from espalier.settings import EXECUTOR; print(EXECUTOR)"


def test_a_word_chooses_the_executor():
    with executor("threads", 1) as threads, executor("processes", 1) as processes:
        assert type(threads) is ThreadPoolExecutor
        assert type(processes) is Processes


@pytest.mark.parametrize(("where", "reason"), [("threds", "choose threads, processes"), ("tcp://", "cluster")])
def test_another_place_is_refused_with_what_there_is(where, reason):
    with pytest.raises(ValueError, match=reason):
        executor(where)


def test_there_is_at_least_one_worker():
    with pytest.raises(ValueError, match="it must be at least 1"):
        executor("threads", 0)


@pytest.mark.parametrize(
    ("environment", "where"),
    [
        ({}, "threads"),
        ({"ESPALIER_EXECUTOR": "processes"}, "processes"),
        ({"ESPALIER_EXECUTOR": "processes", "ESPALIER_CLUSTER": "tcp://there:1"}, "tcp://there:1"),
    ],
)
def test_the_environment_says_where_tasks_run_by_default(environment, where, monkeypatch):
    for name in ("ESPALIER_EXECUTOR", "ESPALIER_CLUSTER"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    said = subprocess.run([sys.executable, "-c", OF_SETTINGS], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == where
