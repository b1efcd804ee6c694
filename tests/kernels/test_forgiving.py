"""A disk that is full, or a cache folder that is gone, costs time and nothing else."""

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import numba
import numba.core.config
import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile

from espalier.kernels import cache_folder, compile_all, forgiving


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """A kernel of one file, in a cache of its own."""
    monkeypatch.setattr(numba.core.config, "CACHE_DIR", str(tmp_path / "cache"))
    source = tmp_path / "doubled.py"
    source.write_text("def doubled(x):\n    return 2 * x\n")
    names: dict = {"__name__": "doubled", "__file__": str(source)}
    exec(compile(source.read_text(), source, "exec"), names)
    made = numba.njit(cache=True)(names["doubled"])
    forgiving.forgive(made)
    return made


def test_a_kernel_that_the_disk_has_no_room_for_is_compiled_and_answers(kernel, monkeypatch, caplog):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(IndexDataCacheFile, "save", full)
    assert kernel(21) == 42
    assert kernel(0.5) == 1.0
    assert "No space left on device" in caplog.text


def test_a_cache_that_was_removed_is_made_again(kernel, tmp_path):
    assert kernel(1) == 2
    shutil.rmtree(tmp_path / "cache")
    assert kernel(np.float64(3.5)) == 7.0
    assert list((tmp_path / "cache").rglob("*.nbc"))


def test_a_kernel_that_was_saved_is_loaded_as_ever(kernel):
    kernel(1)
    again = numba.njit(cache=True)(kernel.py_func)
    forgiving.forgive(again)
    assert again(2) == 4
    assert again.stats.cache_hits


def test_all_kernels_that_are_compiled_ahead_are_forgiving():
    forgiving.forgive()
    kernel: Any = compile_all.STAGES["cart"].collapse_prices
    assert isinstance(kernel._cache, forgiving.ForgivingCache)


def test_a_forgiving_kernel_stays_in_the_folder_of_its_own_module():
    forgiving.forgive()
    leaf_of = compile_all.STAGES["cart"].leaf_of.__globals__["_leaf_of"]
    for kernel in (compile_all.STAGES["cart"].collapse_prices, leaf_of):
        assert Path(kernel._cache._cache_path).is_relative_to(cache_folder(kernel.py_func.__module__))
