"""What every test file shares."""

import numpy as np
import pytest

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
