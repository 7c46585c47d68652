"""What every test file shares."""

import doctest
import gc
import linecache
import os
import sys
from contextlib import contextmanager

# `make test` runs one process a core, so each gets one thread: more of them would wait for each other, spinning.
# Set before NumPy is imported, and inherited by the processes that tests start; tests of threads ask for their own.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Those processes find byte code on disk, as the processes of users do, and the next run that of the tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from tests.cases import generators_as_imported

sys.dont_write_bytecode = False
# No search for garbage until all is imported, see the end of the collection. It is not disabled: Dask remembers whether
# it was when it was imported.
_searched_after = gc.get_threshold()
gc.set_threshold(0)

# The same examples in every run, so that a failure is of the change at hand. `LEARNABLE_EXPLORE=1 make test` draws new
# ones.
settings.register_profile("the same", derandomize=True, deadline=None)
if not os.environ.get("LEARNABLE_EXPLORE"):
    settings.load_profile("the same")
    # Numbers that stand somewhere in the source are tried too, by default: every file imported so far would be read for
    # them, in every process, and an edit anywhere would change the examples everywhere.
    providers.is_local_module_file = lambda path: False


class OnlyWhereThereAreExamples:
    """Doctests are looked for in files, and made of docstrings, that hold a prompt: half of the files do not."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path):
        found = yield
        if any(isinstance(one, DoctestModule) for one in found) and b">>>" not in file_path.read_bytes():
            return [one for one in found if not isinstance(one, DoctestModule)]
        return found


def pytest_configure(config):
    """For the files of `src` too, which this file is not above."""
    config.pluginmanager.register(OnlyWhereThereAreExamples())


_made_of_a_docstring = doctest.DocTestFinder._get_test


def _made_of_examples(finder, thing, *where):
    text = thing if isinstance(thing, str) else getattr(thing, "__doc__", None)
    return _made_of_a_docstring(finder, thing, *where) if ">>>" in str(text) else None


doctest.DocTestFinder._get_test = _made_of_examples


def pytest_collection_finish():
    """What has been imported stays: a search for garbage, and some libraries ask for many, need not go through it."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_searched_after)
    linecache.clearcache()  # else doctest asks the disk about every file in it before each example


@pytest.fixture(autouse=True)
def _random_numbers_do_not_depend_on_the_order_of_tests(request):
    """A generator that a test module keeps starts every test in the state it had when the module was imported."""
    module = getattr(request, "module", None)
    if module is not None:
        generators_as_imported(vars(module))


@pytest.fixture(scope="session")
def at_once():
    """Runs programs, each in a process of its own that has the libraries: see `forks`."""
    from tests.forks import forks

    with forks() as run:
        yield run


@pytest.fixture(scope="session")
def said(at_once):
    """What one program says, with the folders it imports from and its variables; it must say nothing of errors."""

    def one(program, path=(), **variables):
        ((out, err),) = at_once((program, list(path), variables))
        assert not err, err
        return out

    return one


@pytest.fixture(scope="module")
def browser():
    """A real browser; `.ci/run` installs one where it may."""
    from tests.films.browser import Browser, chromium

    program = chromium()
    if program is None:
        pytest.skip("there is no Chromium on this machine (apt install chromium)")
    opened = Browser(program)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def workers_are_forks():
    """A worker of a cluster, or of a lab, takes seconds to import what it needs: one process does it for its forks."""
    from multiprocessing import forkserver

    import dask
    from distributed.utils import get_mp_context

    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        # Workers import the test modules, to know their functions, and so what these import.
        needed = ["distributed", "distributed.http.worker", "dask.array", "pytest", "sklearn.base", "numba"]
        needed += ["learnable.linear.logistic_regression", "learnable.linear.ridge", "learnable.linear.sgd_regressor"]
        needed += ["learnable.bayes.gaussian_nb", "learnable.unsupervised.pca", "learnable.rows.messages"]
        needed += ["learnable.solvers.ensembles.boosting_places"]
        needed += ["learnable.ensembles.hist_gradient_boosting_classifier", "learnable.lab.warm"]
        get_mp_context().set_forkserver_preload(needed)
        yield
    forkserver._forkserver._stop()


@pytest.fixture(scope="session")
def a_cluster(workers_are_forks):
    """`with a_cluster(n) as client`: a quiet cluster of n processes with a thread each."""
    import dask
    import distributed

    quiet = {"distributed.logging.distributed": "critical", "logging.distributed": "critical"}
    # A worker that has nothing to do looks at itself a hundred times a second.
    quiet |= {"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "1s"}
    quiet |= {"distributed.admin.system-monitor.interval": "10s"}
    shape = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0", "silence_logs": 50}

    @contextmanager
    def begun(n_workers):
        with (
            dask.config.set(quiet),
            distributed.LocalCluster(n_workers=n_workers, **shape) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client

    return begun
