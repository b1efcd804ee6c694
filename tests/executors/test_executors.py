"""Where tasks run, here and on a Dask cluster: arguments are sent once, workers end, results are the same bits."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from espalier import learners
from espalier.analysis import Folds, Plan, Redraw, deal, pruning_sequence, replicate, replications, validate
from espalier.data import RowWeights, make_dataset, samples
from espalier.executors import LostTask, Processes, WorkerPool, WorkerTerms, executor, nursery
from espalier.executors.parcels import LARGE, Packer, parcel_of, read, write
from espalier.learners import BaggedForestClassifier, RandomForestClassifier, SubspaceForestClassifier
from espalier.paths import scratch
from espalier.progress import Progress
from espalier.reliability.reliability import ask
from espalier.tasks import PARTS, Call, in_order
from espalier.trees import read_only
from tests.tools import work
from tests.tools.dask_cluster import cluster, wait_for_workers
from tests.tools.waiting import SOON, until
from tests.tools.work import count_and_go_on, count_until_stopped, doubled, end_here, end_once, total, want

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
NUMBERS = np.arange(2.0**17)  # 1 MB


def test_a_value_that_is_written_is_read_again_with_its_arrays_in_their_layout(tmp_path):
    value = {"left": np.asfortranarray(np.arange(6.0).reshape(2, 3)), "empty": np.empty(0), "text": "äöü"}
    write(parcel_of(value), tmp_path / "parcel")
    found = read(tmp_path / "parcel")
    assert found["text"] == "äöü"
    assert found["left"].flags.f_contiguous
    assert found["left"].tolist() == value["left"].tolist()
    assert found["empty"].shape == (0,)


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


def test_a_task_that_cannot_be_pickled_is_refused_with_the_reason():
    with pytest.raises(ValueError, match=r"cannot leave its process.*choose threads"):
        Packer(lambda digest, parcel: None).pack(Call(lambda: 1, ()))


BARE = WorkerTerms(500, ())
COPIES = pytest.mark.skipif(not nursery.IS_POSSIBLE, reason="on this system workers are no copies")


@pytest.fixture
def pool():
    with closing(WorkerPool(1, BARE)) as pool:
        yield pool


def result(pool, function, *arguments):
    with Processes(1, pool=pool) as workers:
        return workers.submit(function, *arguments).result(SOON)


def is_gone(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("is_copy", [pytest.param(True, marks=COPIES), False])
def test_the_next_executor_finds_the_process_of_the_last_one(monkeypatch, is_copy):
    monkeypatch.setattr(nursery, "IS_POSSIBLE", is_copy)
    with closing(WorkerPool(1, BARE)) as pool:
        assert result(pool, os.getpid) == result(pool, os.getpid) != os.getpid()
        assert pool.n_alive == 1 + is_copy  # and the nursery of copies


def test_executors_that_share_a_pool_have_no_more_processes_than_it_has(pool):
    with Processes(2, pool=pool) as first, Processes(2, pool=pool) as second:
        asked = [workers.submit(os.getpid) for workers in (first, second) * 3]
        assert len({one.result(SOON) for one in asked}) == 1


def test_a_task_that_is_stopped_waits_for_no_worker(pool):
    only, stopped = pool.borrow(Progress()), Progress(is_stopped=True)
    assert pool.borrow(stopped) is None
    pool.give_back(only)


def test_a_process_without_work_ends_and_the_next_task_gets_a_new_one():
    with closing(WorkerPool(1, BARE, idle_seconds=0.1)) as pool:
        process = result(pool, os.getpid)
        assert until(lambda: is_gone(process) and pool.n_alive == 0)
        assert result(pool, os.getpid) != process


def test_a_process_at_work_is_not_without_work():
    with closing(WorkerPool(1, BARE, idle_seconds=0.1)) as pool:
        assert result(pool, time.sleep, 0.5) is None


def test_large_arguments_are_forgotten_with_their_executor_though_its_processes_stay():
    numbers, before = np.arange(2.0**17), {*scratch().glob("*")}
    with closing(WorkerPool(1, BARE)) as pool:
        with Processes(1, pool=pool) as workers:
            assert list(in_order([Call(total, ((numbers,),))], workers)) == [(0, numbers.sum())]
            assert any(path.stat().st_size > numbers.nbytes for path in scratch().glob("*/*"))
        assert max(path.stat().st_size for path in scratch().glob("*/*")) < 100
    assert {*scratch().glob("*")} == before


def test_workers_give_way_as_far_as_their_terms_say():
    with closing(WorkerPool(1, BARE._replace(niceness=3))) as pool:
        assert result(pool, os.getpriority, os.PRIO_PROCESS, 0) == min(os.getpriority(os.PRIO_PROCESS, 0) + 3, 19)


def test_modules_are_there_before_the_first_task():
    with closing(WorkerPool(1, BARE._replace(modules=("colorsys",)))) as pool:
        assert result(pool, work.has_imported, "colorsys")


@pytest.mark.parametrize("is_copy", [pytest.param(True, marks=COPIES), False])
def test_what_a_module_prepares_is_done_once_for_all_tasks(monkeypatch, is_copy):
    monkeypatch.setattr(nursery, "IS_POSSIBLE", is_copy)
    with closing(WorkerPool(1, BARE._replace(modules=("tests.tools.work:prepare",)))) as pool:
        assert [result(pool, work.prepared) for _ in range(2)] == [["once"]] * 2


def test_a_pool_that_is_warmed_has_a_worker_before_it_has_work(pool):
    pool.warm()
    assert pool.n_alive >= 1


@COPIES
def test_a_worker_that_is_killed_tells_its_signal_and_the_next_one_is_there(pool):
    with pytest.raises(RuntimeError, match="ended with code 3"):
        result(pool, end_here)
    worker = pool.borrow(Progress())
    os.kill(worker.pid, signal.SIGKILL)
    assert until(lambda: not worker.is_alive)
    assert "by signal 9" in str(worker.why())
    worker.end()
    pool.give_back(None)
    assert result(pool, divmod, 7, 2) == (3, 1)


@COPIES
def test_a_nursery_that_is_killed_costs_nothing_but_time(pool):
    first = result(pool, os.getppid)
    os.kill(first, signal.SIGKILL)
    os.kill(result(pool, os.getpid), signal.SIGKILL)
    assert result(pool, os.getppid) != first


@COPIES
def test_nothing_outlives_the_program_that_had_the_pool_even_where_it_is_killed():
    program = (
        "import os; from espalier.executors import *; pool = WorkerPool(1, WorkerTerms(500, ()))\n"
        "with Processes(1, pool=pool) as one:\n"
        "    print(*(one.submit(ask).result() for ask in (os.getpid, os.getppid)), flush=True)\n"
        "    os.kill(os.getpid(), 9)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    processes = [int(number) for number in said.stdout.split()]
    assert len(processes) == 2
    assert until(lambda: all(map(is_gone, processes)))


def test_a_task_that_is_stopped_leaves_the_executor_to_the_next_one_and_the_pool_to_others(pool):
    progress = Progress()
    threading.Timer(0.2, progress.stop).start()
    with Processes(1, pool=pool) as workers:
        assert not list(in_order([Call(work.sleep_on, ())], workers, progress))
        assert workers.submit(divmod, 7, 2).result(SOON) == (3, 1)
    assert result(pool, divmod, 7, 2) == (3, 1)


# Worker processes: they fail, are stopped and are limited one by one, and the others go on
MEGABYTES = 500


@pytest.fixture(scope="module")
def workers():
    with Processes(2, MEGABYTES, modules=()) as workers:
        yield workers


@pytest.fixture(scope="module")
def one():
    with Processes(1, MEGABYTES, modules=()) as one:
        yield one


def test_no_task_sees_what_another_one_changed_in_its_argument(one):
    found = list(in_order([Call(doubled, (NUMBERS,))] * 2, one))
    assert [result[1] for _, result in found] == [2.0, 2.0]
    assert NUMBERS[1] == 1.0


def test_an_argument_comes_to_a_process_once_however_many_tasks_have_it(one):
    record = (NUMBERS,)
    assert {result for _, result in in_order([Call(total, (record,))] * 5, one)} == {NUMBERS.sum()}


def test_libraries_in_a_worker_use_one_thread_each(one):
    assert one.submit(work.threads_of_blas).result(SOON) == "1"


def test_the_error_of_a_task_is_raised_with_where_it_happened(one):
    with pytest.raises(ZeroDivisionError) as raised:
        one.submit(divmod, 1, 0).result(SOON)
    assert "worker.py" in raised.value.__notes__[0]


def test_a_worker_that_somebody_ends_costs_nothing_but_time(one, tmp_path):
    assert one.submit(end_once, tmp_path / "ended").result(SOON) == "done"
    pid = one.submit(os.getpid).result(SOON)
    os.kill(pid, signal.SIGKILL)
    assert one.submit(os.getpid).result(SOON) != pid


def test_a_task_that_ends_every_worker_fails_alone_with_a_sentence(workers):
    results = [workers.submit(divmod, 7, 2), workers.submit(end_here), workers.submit(divmod, 9, 2)]
    wait(results, SOON)
    assert [results[0].result(), results[2].result()] == [(3, 1), (4, 1)]
    with pytest.raises(LostTask, match=r"ended with code 3.*500 MB.*Use fewer rows"):
        results[1].result()
    assert workers.submit(divmod, 7, 2).result(SOON) == (3, 1)


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="this system does not limit memory")
def test_a_task_that_wants_too_much_memory_fails_with_a_sentence_and_its_worker_goes_on(one):
    pid = one.submit(os.getpid).result(SOON)
    with pytest.raises(LostTask, match="more than the 500 MB of memory"):
        one.submit(want, 2 * MEGABYTES).result(SOON)
    assert one.submit(want, MEGABYTES // 2).result(SOON) == MEGABYTES // 2 * 2**17
    assert one.submit(os.getpid).result(SOON) == pid


@pytest.mark.parametrize("task", [Call(count_until_stopped, (), 10), Call(count_and_go_on, (), 10)])
def test_progress_of_a_task_in_another_process_is_seen_and_stop_reaches_it_even_where_it_does_not_look(one, task):
    progress, found = Progress(), []
    working = threading.Thread(target=lambda: found.extend(in_order([task], one, progress)))
    working.start()
    assert until(lambda: progress.done == PARTS // 2)
    progress.stop()
    working.join(SOON)
    assert not working.is_alive()
    assert not found


def test_nothing_is_left_of_an_executor_that_was_shut_down():
    with Processes(1, modules=()) as workers:
        pid = workers.submit(os.getpid).result(SOON)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(RuntimeError):
        workers.submit(divmod, 7, 2)


IRIS = samples.load("iris")
SMALL = learners.CartClassifier(max_depth=2)
FORESTS = (
    RandomForestClassifier(n_estimators=20, oob_score=True, random_state=0),
    RandomForestClassifier(n_estimators=5, max_leaf_nodes=4, random_state=0),
    learners.ExtraTreesClassifier(n_estimators=9, random_state=0),
    learners.CultivatedForestClassifier(n_estimators=3, bootstrap=True, random_state=0),
    BaggedForestClassifier(SMALL, 9, voting="oob", random_state=0),
    SubspaceForestClassifier(SMALL, 9, random_state=0),
    learners.RootForestClassifier(SMALL, 9, random_state=0),
    learners.RandomForestRegressor(n_estimators=9, random_state=0),
    learners.CultivatedForestRegressor(n_estimators=3, random_state=0),
)


def forest_of(estimator):
    def grow(workers):
        fitted = estimator.fit(IRIS.X, IRIS.y, executor=workers)
        seen = fitted.in_bag() if hasattr(fitted, "in_bag") else None
        return [tuple(tree) for tree in fitted.forest_.trees], fitted.forest_.weight, seen

    return grow


def replicates_of(estimator, redraw):
    def grow(workers):
        found = replicate(estimator, IRIS, Plan(redraw, 9, seed=1), executor=workers)
        return found.numbers, [tuple(tree) for tree in found.trees]

    return grow


def approximations(workers):
    model = learners.ApproximationClassifier(
        SMALL.fit(IRIS.X, IRIS.y), max_depth=2, random_state=0, max_samples=500
    )
    return [tuple(one.tree) for one in replications(model.fit(IRIS.X), 4, executor=workers)]


def folds(workers):
    return validate(LogisticRegression(max_iter=500), IRIS, Folds(4), executor=workers).predicted


def doubts(workers):
    return [one.answers for one in ask(SMALL, IRIS, Folds(3), executor=workers).tried]


def subtrees(workers):
    found = pruning_sequence(SMALL, IRIS.X, IRIS.y, deal(IRIS.y, Folds(4)), executor=workers)
    return found and tuple(found.validated)


WORK = {
    **{f"{type(one).__name__} {number}": forest_of(one) for number, one in enumerate(FORESTS)},
    "bootstrap replicates": replicates_of(SMALL, Redraw("bootstrap")),
    "replicates on subsamples": replicates_of(SMALL, Redraw("subsample", 0.8)),
    "cultivated replicates": replicates_of(learners.CultivatedClassifier(max_depth=2), Redraw("noise", 0.02)),
    "approximations": approximations,
    "folds": folds,
    "doubts": doubts,
    "subtrees": subtrees,
}


@pytest.mark.parametrize("forest", [
    SubspaceForestClassifier(draw="soft"), BaggedForestClassifier(decorrelated=True),
    learners.BoostedForestClassifier(), learners.GradientBoostingRegressor(),
], ids=lambda forest: type(forest).__name__)  # fmt: skip
def test_forests_whose_trees_depend_on_each_other_refuse_an_executor_by_name(forest):
    refused = pytest.raises(ValueError, match=rf"{type(forest).__name__}.*one after the other")
    with executor("threads", 1) as threads, refused:
        forest.fit(IRIS.X, IRIS.y, executor=threads)


def same(one, other):
    """Whether two results are equal to the bit, however deep their arrays stand."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    return pickle.dumps(one) == pickle.dumps(other)


@pytest.fixture(scope="module")
def processes():
    with executor("processes", 2) as workers:
        yield workers


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    pytest.importorskip("distributed", reason="distributed is not installed")
    with cluster(tmp_path_factory.mktemp("cluster")) as address, executor(address) as workers:
        wait_for_workers(workers)
        yield workers


@pytest.fixture(scope="module")
def lone_dask(tmp_path_factory):
    pytest.importorskip("distributed", reason="distributed is not installed")
    with cluster(tmp_path_factory.mktemp("one"), 1, "--no-nanny") as address, executor(address) as workers:
        wait_for_workers(workers, 1)
        yield workers


@pytest.mark.parametrize("name", WORK)
def test_threads_and_processes_give_what_one_thread_gives(name, processes):
    alone = WORK[name](None)
    with executor("threads", 2) as threads:
        assert same(alone, WORK[name](threads))
    assert same(alone, WORK[name](processes))


@pytest.mark.slow
@pytest.mark.parametrize("name", WORK)
def test_a_cluster_gives_what_one_thread_gives(name, dask):
    assert same(WORK[name](None), WORK[name](dask))


def test_a_bit_that_differs_is_seen():
    assert same((np.array([1.0]), "a"), (np.array([1.0]), "a"))
    assert not same((np.array([0.0]), "a"), (np.array([-0.0]), "a"))


def test_results_come_in_order_data_are_sent_once_and_no_task_sees_the_changes_of_another(lone_dask):
    record, progress = (NUMBERS,), Progress()
    tasks = [*[Call(doubled, (NUMBERS,))] * 3, Call(total, (record,)), Call(divmod, (7, 2))]
    found = [result for _, result in in_order(tasks, lone_dask, progress)]
    assert [one[1] for one in found[:3]] == [2.0] * 3
    assert found[3:] == [NUMBERS.sum(), (3, 1)]
    assert progress.done == len(tasks) * PARTS


def test_the_error_of_a_task_is_raised(lone_dask):
    with pytest.raises(ZeroDivisionError):
        list(in_order([Call(divmod, (1, 0))], lone_dask))


def test_what_is_stopped_is_left_at_once(lone_dask):
    progress = Progress()
    threading.Timer(0.2, progress.stop).start()
    assert not list(in_order([Call(time.sleep, (2,))] * 20, lone_dask, progress))


def test_an_address_where_nobody_answers_is_refused_with_how_to_start_a_cluster(monkeypatch):
    pytest.importorskip("distributed", reason="distributed is not installed")
    monkeypatch.setattr("espalier.executors.cluster.SECONDS_TO_ANSWER", 0.2)
    with pytest.raises(ValueError, match=r"no cluster answers at tcp://127.0.0.1:9.*dask scheduler"):
        executor("tcp://127.0.0.1:9")


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_its_tasks_only_and_its_data_are_sent_again(dask):
    record = (NUMBERS,)
    assert dask.submit(total, record).result(SOON) == NUMBERS.sum()
    pid = dask.submit(os.getpid).result(SOON)
    results = [dask.submit(time.sleep, 0.5) for _ in range(6)]
    os.kill(pid, signal.SIGKILL)
    assert [result.result(SOON) for result in results] == [None] * 6
    assert {result for _, result in in_order([Call(total, (record,))] * 9, dask)} == {NUMBERS.sum()}


@pytest.mark.slow
def test_a_task_that_ends_every_worker_fails_with_a_sentence_and_the_cluster_goes_on(dask):
    with pytest.raises(LostTask, match="ended before it did"):
        dask.submit(end_here).result(SOON)
    assert dask.submit(divmod, 7, 2).result(SOON) == (3, 1)
