"""Where tasks run, chosen by one word; large arguments on their way: sent once, unchanged by what others do."""

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from espalier.data import RowWeights, make_dataset, samples
from espalier.executors import Processes, executor
from espalier.executors.parcels import LARGE, Packer, parcel_of, read, write
from espalier.tasks import Call
from espalier.trees import read_only
from tests.tools.work import doubled, total

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


@pytest.mark.parametrize(("environment", "where"), [
    ({}, "threads"), ({"ESPALIER_EXECUTOR": "processes"}, "processes"),
    ({"ESPALIER_EXECUTOR": "processes", "ESPALIER_CLUSTER": "tcp://there:1"}, "tcp://there:1"),
])  # fmt: skip
def test_the_environment_says_where_tasks_run_by_default(environment, where, monkeypatch):
    for name in ("ESPALIER_EXECUTOR", "ESPALIER_CLUSTER"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    said = subprocess.run([sys.executable, "-c", OF_SETTINGS], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == where


# Large arguments on their way: the same value comes out, it is sent once, and no task sees another's changes
NUMBERS = np.arange(LARGE // 8, dtype=np.float64)


def test_a_value_that_is_written_is_read_again_with_its_arrays_in_their_layout(tmp_path):
    value = {"left": np.asfortranarray(np.arange(6.0).reshape(2, 3)), "empty": np.empty(0), "text": "äöü"}
    write(parcel_of(value), tmp_path / "parcel")
    found = read(tmp_path / "parcel")
    assert found["text"] == "äöü"
    assert found["left"].flags.f_contiguous
    assert found["left"].tolist() == value["left"].tolist()
    assert found["empty"].shape == (0,)


def test_what_is_changed_after_reading_is_changed_nowhere_else(tmp_path):
    write(parcel_of(NUMBERS), tmp_path / "parcel")
    doubled(read(tmp_path / "parcel"))
    assert read(tmp_path / "parcel").tolist() == NUMBERS.tolist()


@pytest.mark.parametrize("n", [3, LARGE])
def test_arrays_stay_writable_or_read_only_so_that_no_kernel_is_compiled_anew(n, tmp_path):
    packer = Packer(lambda digest, parcel: write(parcel, tmp_path / digest))
    record = np.zeros(n), read_only(np.zeros(n))
    (found,) = packer.pack(Call(len, (record,))).call(lambda digest: read(tmp_path / digest)).arguments
    assert [array.flags.writeable for array in found] == [True, False]


def test_a_data_set_keeps_its_digest_its_weights_and_its_read_only_arrays_on_the_way():
    iris = samples.load("iris")
    weighed = make_dataset("iris", iris.X, iris.features, iris.y, iris.target, RowWeights("w", iris.y + 1.0))
    found = pickle.loads(pickle.dumps(weighed))
    assert found.digest == weighed.digest
    assert found.row_weights.values.tolist() == (iris.y + 1.0).tolist()
    assert found.X.flags.f_contiguous
    assert not any(array.flags.writeable for array in (found.X, found.y, found.row_weights.values))


def test_a_large_argument_is_sent_once_and_small_ones_travel_with_their_task():
    sent = []
    packer = Packer(lambda digest, parcel: sent.append(digest))
    record, copy = (NUMBERS,), (NUMBERS.copy(),)
    messages = [packer.pack(Call(total, (one,))) for one in (record, record, copy)]
    small = packer.pack(Call(divmod, (7, 2)))
    assert len(sent) == 1  # equal values have one digest
    assert [message.digests for message in messages] == [tuple(sent)] * 3
    assert small.digests == ()
    assert len(pickle.dumps(messages[0])) < 500


def test_an_object_that_can_change_is_looked_at_anew_for_each_task():
    sent = []
    packer = Packer(lambda digest, parcel: sent.append(digest))
    changing = {"values": NUMBERS.copy()}
    packer.pack(Call(len, (changing,)))
    changing["values"] += 1
    packer.pack(Call(len, (changing,)))
    assert len(set(sent)) == 2


def test_a_message_gives_the_task_back():
    parcels = {}
    packer = Packer(parcels.__setitem__)
    message = packer.pack(Call(max, (3, (NUMBERS,)), total=7))
    call = message.call(lambda digest: parcels[digest].value())
    assert (call.function, call.arguments[0], call.total) == (max, 3, 7)
    assert call.arguments[1][0].tolist() == NUMBERS.tolist()


def test_a_task_that_cannot_be_pickled_is_refused_with_the_reason():
    with pytest.raises(ValueError, match=r"cannot leave its process.*choose threads"):
        Packer(lambda digest, parcel: None).pack(Call(lambda: 1, ()))
