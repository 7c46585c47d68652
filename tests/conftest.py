"""What every test file shares."""

import os

import numpy as np
import pytest
from hypothesis import settings

# The same examples in every run, so that a failure is of the change at hand. `LEARNABLE_EXPLORE=1 make test` draws new
# ones.
settings.register_profile("the same", derandomize=True, deadline=None)
if not os.environ.get("LEARNABLE_EXPLORE"):
    settings.load_profile("the same")

_AS_IMPORTED: dict[tuple[str, str], dict] = {}


@pytest.fixture(autouse=True)
def _random_numbers_do_not_depend_on_the_order_of_tests(request):
    """A generator that a test module keeps starts every test in the state it had when the module was imported."""
    module = getattr(request, "module", None)
    for name, thing in list(vars(module).items()) if module is not None else ():
        if isinstance(thing, np.random.Generator):
            key = (module.__name__, name)
            state = _AS_IMPORTED.setdefault(key, thing.bit_generator.state)
            thing.bit_generator.state = state
