"""Threads: BLAS pinned and given back, bounded memory, interruption, and forks that do not hang."""

import os
import threading
import time
import warnings

import numpy as np
import pytest
from tests.cases import each

from learnable import config_context, watch
from learnable.rows import as_rows
from learnable.rows.threads import (
    _blas_libraries,
    _set_threads,
    blas_is_held,
    in_order,
    one_blas_thread,
    one_blas_thread_meanwhile,
    read_ahead,
    worker_count,
)
from learnable.unsupervised import PCA

X = np.random.default_rng(7).normal(size=(20000, 50))


def blas_threads():
    return [library.get_num_threads() for library in _blas_libraries()]


@pytest.fixture(autouse=True)
def two_blas_threads():
    before = blas_threads()
    for library in _blas_libraries():
        _set_threads(library, 2)
    yield
    for library, threads in zip(_blas_libraries(), before):
        _set_threads(library, threads)


@each("n_jobs", [1, 2])
def test_blas_is_pinned_inside_and_given_back(n_jobs):
    before = blas_threads()
    inside = as_rows(X).reduce(lambda block: (max(blas_threads()),), lambda a, b: a + b, n_jobs=n_jobs)
    assert set(inside) == {1}
    assert blas_threads() == before
    with pytest.raises(ZeroDivisionError):
        as_rows(X).reduce(lambda block: 1 / 0, n_jobs=n_jobs)
    assert blas_threads() == before


def test_blas_is_given_back_when_callers_overlap_without_nesting():
    """First in, first out: the one that leaves last must give back what the first one found."""
    before = blas_threads()
    first, second = one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert max(blas_threads()) == 1
    second.__exit__(None, None, None)
    assert blas_threads() == before


def test_a_thread_relies_on_its_own_pins_alone():
    """What another thread holds may be given back at any moment, and a pin that was forgotten holds nothing."""
    told = []
    with one_blas_thread():
        thread = threading.Thread(target=lambda: told.append(blas_is_held()))
        thread.start()
        thread.join()
        assert blas_is_held()
    assert told == [False]
    first, second = one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert blas_is_held()
    del second
    assert not blas_is_held()
    assert max(as_rows(X[:10]).reduce(lambda block: blas_threads())) == 1
    if hasattr(os, "fork"):
        with one_blas_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # about threads that live
            if not (child := os.fork()):
                os._exit(int(blas_is_held()))
            assert os.waitpid(child, 0)[1] == 0


def test_a_call_within_a_caller_that_holds_blas_leaves_it_held():
    before = blas_threads()
    with one_blas_thread() as granted:
        with one_blas_thread_meanwhile() as inner:
            assert inner == granted
        assert max(blas_threads()) == 1
        assert blas_is_held()
    assert blas_threads() == before
    with one_blas_thread_meanwhile():  # nobody else does
        assert max(blas_threads()) == 1
        assert blas_is_held()
    assert blas_threads() == before


@each("n_rows, held", [(60, True), (400, False)])
def test_a_fit_that_lets_blas_have_its_threads_does_not_where_the_table_is_small(n_rows, held):
    class Asked(PCA):
        def _pose(self, X, y=None):
            seen.append(blas_is_held())
            return super()._pose(X, y)

    seen: list[bool] = []
    X = np.random.default_rng(0).normal(size=(n_rows, 3))
    with config_context(certificates=False):
        Asked().fit(X)
    next(watch(Asked(), X))
    assert seen == [held, held]
    assert not blas_is_held()


def test_blas_is_pinned_after_another_thread_has_been_the_first_to_pin_it(said):
    """A thread of a pool that pinned BLAS once, and lives on, has no say in who pins it later."""
    program = """
import threading
from learnable.rows.threads import _blas_libraries, one_blas_thread

def threads():
    return {library.get_num_threads() for library in _blas_libraries()}

def first():
    for library in _blas_libraries():
        library.set_num_threads(2)
    with one_blas_thread():
        pass
    begun.set()
    done.wait()

begun, done = threading.Event(), threading.Event()
thread = threading.Thread(target=first)
thread.start()
begun.wait()
before = threads()
with one_blas_thread():
    inside = threads()
print(before, inside, threads())
done.set()
"""
    assert said(program) == "{2} {1} {2}\n"


def test_nested_sums_do_not_multiply_the_threads():
    counts = as_rows(X).reduce(lambda b: (_inner_threads(),), lambda a, b: a + b, n_jobs=2)
    assert set(counts) == {1}


def _inner_threads():
    names = as_rows(X).reduce(lambda b: {threading.current_thread().name}, lambda a, b: a | b)
    return len(names)


def test_default_uses_every_granted_thread_and_one_job_uses_none():
    assert worker_count(None, granted=2, n_tasks=10) <= 2
    assert worker_count(None, granted=1, n_tasks=10) == 1
    names = as_rows(X).reduce(lambda b: {threading.current_thread().name}, lambda a, b: a | b, n_jobs=1)
    assert names == {threading.current_thread().name}


def test_at_most_twice_the_workers_are_under_way():
    begun = 0
    lock = threading.Lock()

    def work(task):
        nonlocal begun
        with lock:
            begun += 1
        return task

    handed_out = 0
    for _ in in_order(work, iter(range(100)), workers=2):
        handed_out += 1
        time.sleep(0.001)
        assert begun - handed_out <= 4
    assert handed_out == 100


def test_the_floating_point_error_state_of_the_caller_holds_in_the_threads():
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        as_rows(X).reduce(lambda block: np.exp(1e4 + block.X[0]), n_jobs=2)
    with np.errstate(over="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        as_rows(X).reduce(lambda block: np.exp(1e4 + block.X[0]), n_jobs=2)


def test_reading_ahead_overlaps_reading_and_stops_when_left():
    read = []
    ahead = threading.Event()

    def items():
        try:
            for i in range(10):
                read.append(i)
                if i == 1:
                    ahead.set()
                yield i
        finally:
            read.append("closed")

    source = items()
    stream = read_ahead(source)
    assert next(stream) == 0
    ahead.wait()
    assert read == [0, 1]
    stream.close()
    assert read == [0, 1, "closed"]


def test_an_error_of_the_reader_reaches_the_caller():
    def items():
        yield 1
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        list(read_ahead(items()))


@pytest.fixture
def told(said):
    """What a program says in a process of its own, where BLAS has two threads and warnings are errors."""
    begin = """
import warnings
from threadpoolctl import threadpool_limits
warnings.simplefilter("error")
threadpool_limits(2, "blas")
"""
    return lambda program: said(begin + program)


def test_a_child_forked_after_and_during_threads_completes(told):
    assert "children agree" in told(
        """
import os, numpy as np
from learnable.rows import as_rows, helpers, moments, threads
from learnable.rows.threads import one_blas_thread, _blas_libraries
rows = as_rows(np.random.default_rng(0).normal(size=(50000, 40)))
granted = [library.get_num_threads() for library in _blas_libraries()]
parent = moments(rows, n_jobs=2)
def child_agrees():
    same = np.array_equal(moments(rows, n_jobs=2).scatter_xx, parent.scatter_xx)
    return same and [library.get_num_threads() for library in _blas_libraries()] == granted
def fork():
    pid = os.fork()
    if pid == 0:
        os._exit(0 if child_agrees() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
fork()
with one_blas_thread(), threads._pins.lock, helpers._helpers.lock:  # the worst moment: others hold the locks
    fork()
assert set(granted) == {2}
print("children agree")
"""
    )


def test_interruption_cancels_what_has_not_begun(told):
    out = told(
        """
import os, signal, time, numpy as np
from learnable.rows import as_rows
rows = as_rows(np.zeros((200_000, 100)))
begun = []
def work(block):
    begun.append(block.start)
    if len(begun) == 1:
        os.kill(os.getpid(), signal.SIGINT)
    time.sleep(1)
    return 0
try:
    rows.reduce(work, n_jobs=2)
except KeyboardInterrupt:
    print(len(begun))
"""
    )
    assert 1 <= int(out) < 20  # of 157 blocks, the two or so that the two threads had begun


@pytest.mark.parametrize("sent", ["os.kill(os.getpid(), signal.SIGINT)", "_thread.interrupt_main()"])
def test_one_long_call_hears_an_interrupt_before_its_end(sent, told):
    """One that ends the wait, and one that came just before it and ends none."""
    out = told(
        f"""
import _thread, os, signal, threading
from learnable.rows.threads import interruptible
begun, may_end, ended = threading.Event(), threading.Event(), threading.Event()
def long_call():
    begun.set()
    may_end.wait()
    ended.set()
threading.Thread(target=lambda: begun.wait() and {sent}).start()
try:
    interruptible(long_call)
except KeyboardInterrupt:
    print("heard", not ended.is_set())
may_end.set()
try:
    interruptible(int, "two")
except ValueError as error:
    print(interruptible(max, 3, 5, key=lambda n: -n), "invalid literal" in str(error))
"""
    )
    assert out.split() == ["heard", "True", "3", "True"]
