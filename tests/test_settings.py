"""Limits that a variable of the environment sets, and folders of compiled kernels that cannot be written."""

import errno
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from espalier import __main__ as command
from espalier import paths, settings
from espalier.paths import APP, SOURCES
from tests.tools.cases import case


def started(program, **environment):
    """What a program says and how it ends, with these variables of the environment."""
    known = os.environ | {"PYTHONPATH": str(SOURCES)} | environment
    return subprocess.run([sys.executable, *program], env=known, capture_output=True, text=True, cwd=APP)


def test_a_variable_of_the_environment_sets_a_limit_everywhere_unless_it_is_empty():
    said = started(["-c", "from espalier.data import errors; print(errors.MAX_ROWS)"], ESPALIER_MAX_ROWS="12_345")
    assert said.stdout.strip() == "12345", said.stderr
    # A file of settings for containers passes all on, set or not.
    assert settings.LIMITS["MAX_ROWS"].value({"ESPALIER_MAX_ROWS": " "}) == 1_000_000


def test_a_value_that_is_none_is_refused_with_the_name_the_values_and_the_meaning():
    for text in ["many", "0", "1e3", "-5", "10.5", "nan", "1000000000000"]:
        with case(text):
            with pytest.raises(
                ValueError, match="a whole number from 10 to 100,000,000: rows of a table"
            ) as wrong:
                settings.LIMITS["MAX_ROWS"].value({"ESPALIER_MAX_ROWS": text})
            assert str(wrong.value).startswith(f"ESPALIER_MAX_ROWS is “{text}”; ")


@pytest.mark.parametrize("text", ["nan", "inf", "soon"])
def test_seconds_are_numbers_that_end(text):
    with pytest.raises(ValueError, match=r"a number from 1\.0 to 600\.0"):
        settings.LIMITS["MAX_READ_SECONDS"].value({"ESPALIER_MAX_READ_SECONDS": text})


def test_the_command_ends_with_all_that_is_wrong_and_no_traceback():
    ended = started(["-m", "espalier"], ESPALIER_MAX_ROWS="many", ESPALIER_MAX_COLUMS="5")
    assert ended.returncode == 1
    first, second = ended.stderr.splitlines()
    assert first.startswith("ESPALIER_MAX_ROWS is “many”")
    assert second == "ESPALIER_MAX_COLUMS is no setting of Espalier; did you mean ESPALIER_MAX_COLUMNS?"


def test_streamlit_alone_ends_with_the_same_sentence_of_a_wrong_secret(tmp_path):
    """On the Community Cloud there is no other place for variables: secrets are read before the settings are."""
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "secrets.toml").write_text('ESPALIER_MAX_ROWS = "many"', "utf-8")
    program = f"import os; os.chdir({str(tmp_path)!r}); import app"  # as Streamlit imports it for the server
    ended = started(["-c", program], PYTHONPATH=os.pathsep.join([str(SOURCES), str(APP)]))
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("ESPALIER_MAX_ROWS is “many”")
    assert "Traceback" not in ended.stderr


def test_every_default_is_one_of_the_values_that_may_be_given():
    for limit in settings.LIMITS.values():
        assert limit.value({limit.variable: str(limit.default)}) == limit.default


def test_streamlit_takes_no_smaller_file_than_the_pages_and_keeps_sessions_as_long_as_the_limit(monkeypatch):
    monkeypatch.setattr(settings, "MAX_UPLOAD_MB", 5)
    monkeypatch.setattr(settings, "MAX_ONNX_MB", 70)
    monkeypatch.setattr(settings, "MAX_SESSION_MINUTES", 10)
    assert command.by_limits() == {"maxUploadSize": 70, "disconnectedSessionTTL": 600}


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
