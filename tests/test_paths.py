"""Folders of compiled kernels that cannot be written, are full, or are gone."""

import errno
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from espalier import paths


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """A folder with a compiled kernel, which NUMBA_CACHE_DIR names."""
    folder = tmp_path / "compiled"
    (folder / "version" / "cart").mkdir(parents=True)
    (folder / "version" / "cart" / "grow.nbc").write_bytes(b"machine code")
    monkeypatch.setenv(paths.CACHE_VARIABLE, str(folder))
    monkeypatch.setattr(paths.atexit, "register", lambda *_, **__: None)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return folder


def refuse(monkeypatch, folder, number):
    """Let files in the folder fail as the system does with this error."""
    real = tempfile.TemporaryFile

    def write(*, dir, **how):
        if Path(dir) == folder:
            raise OSError(number, os.strerror(number), str(dir))
        return real(dir=dir, **how)

    monkeypatch.setattr(tempfile, "TemporaryFile", write)


def test_a_folder_that_takes_files_is_used_as_it_is_and_made_where_it_is_not_there(compiled):
    assert paths._kernel_cache() == compiled
    shutil.rmtree(compiled)
    assert paths._kernel_cache() == compiled
    assert compiled.is_dir()


@pytest.fixture
def by_default(tmp_path, monkeypatch):
    """The folder that is used where no variable names one."""
    monkeypatch.delenv(paths.CACHE_VARIABLE, raising=False)
    monkeypatch.setattr(paths.platformdirs, "user_cache_path", lambda *_, **__: tmp_path / "user")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield tmp_path / "user" / "kernels"
    os.environ.pop(paths.CACHE_VARIABLE, None)


def test_all_checkouts_of_a_user_share_a_folder_that_others_can_neither_read_nor_write(by_default):
    assert paths._kernel_cache() == by_default
    assert os.name == "nt" or stat.S_IMODE(by_default.stat().st_mode) == 0o700


@pytest.mark.skipif(os.name == "nt", reason="there folders have no such mode")
def test_machine_code_that_others_may_have_written_is_never_run(by_default, monkeypatch):
    by_default.mkdir(parents=True)
    (by_default / "grow.nbc").write_bytes(b"anything")

    def is_left_alone():
        monkeypatch.delenv(paths.CACHE_VARIABLE, raising=False)
        used = paths._kernel_cache()
        return used != by_default and not list(used.rglob("*.nbc"))

    for mode in (0o777, 0o775, 0o702):
        by_default.chmod(mode)
        assert is_left_alone()
    by_default.chmod(0o700)
    assert not is_left_alone()
    monkeypatch.setattr(os, "getuid", lambda: by_default.stat().st_uid + 1)
    assert is_left_alone()


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.ENOSPC])
def test_in_place_of_a_folder_that_takes_no_files_stands_one_of_links_to_what_is_compiled(
    compiled, monkeypatch, number
):
    refuse(monkeypatch, compiled, number)
    links = paths._kernel_cache()
    assert links != compiled
    link = links / "version" / "cart" / "grow.nbc"
    assert link.read_bytes() == b"machine code"
    (links / "version" / "cart" / "new.nbc").write_bytes(b"")  # and new kernels find room
    assert os.environ[paths.CACHE_VARIABLE] == str(links)  # for the processes that are started from here


def test_a_disk_that_is_nearly_full_counts_as_full(compiled, monkeypatch):
    usage = shutil.disk_usage(compiled)
    sizes = {compiled: usage._replace(free=1_000_000)}
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: sizes.get(folder, usage))
    assert not paths.takes_files(compiled)
    assert paths._kernel_cache() != compiled


def test_where_no_folder_takes_files_the_command_says_so(compiled, monkeypatch):
    from espalier import __main__ as command

    monkeypatch.setattr(command, "takes_files", lambda *_: False)
    with pytest.raises(SystemExit, match="set NUMBA_CACHE_DIR to one that can"):
        command.main()


@pytest.mark.skipif(os.name == "nt", reason="there folders have no such mode")
def test_another_user_runs_what_was_compiled_before_and_leaves_nothing_behind():
    """A process that may not write the folder, as in a container: links while it runs, and none afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        kernels, temporary = Path(folder, "kernels"), Path(folder, "temporary")
        kernels.mkdir()
        (kernels / "grow.nbc").write_bytes(b"machine code")
        temporary.mkdir()
        for path, mode in ((Path(folder), 0o755), (kernels, 0o555), (temporary, 0o777)):
            path.chmod(mode)
        outside = os.environ | {"PYTHONPATH": str(paths.SOURCES), "TMPDIR": str(temporary)}
        outside |= {paths.CACHE_VARIABLE: str(temporary)}
        run = subprocess.run([sys.executable, "-c", LOOK, kernels], env=outside, capture_output=True, text=True)
        assert run.stdout == "machine code", run.stderr
        assert not list(temporary.iterdir())
        kernels.chmod(0o755)


LOOK = """
import os, sys
from espalier import paths

if os.geteuid() == 0:  # who may write everywhere
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
os.environ[paths.CACHE_VARIABLE] = sys.argv[1]
links = paths._kernel_cache()
assert links.parent.samefile(os.environ["TMPDIR"])
print((links / "grow.nbc").read_text(), end="")
"""
