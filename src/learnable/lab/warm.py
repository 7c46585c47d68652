"""Imports everything a run may need, so that the processes of the lab, copies of the one that has it, begin at once."""

import gc

from learnable.certificates.core.certify import ledger_of
from learnable.checks.registry import known_of
from learnable.films.registry import load_pictures
from learnable.lab import bench
from learnable.lab.algorithms import estimators

load_pictures()
ready = [(known_of(name), ledger_of(kind)) for name, kind in estimators().items()]
Bench = bench.Bench

# Copies share the memory of what is never looked at again by the collector.
gc.collect()
gc.freeze()
