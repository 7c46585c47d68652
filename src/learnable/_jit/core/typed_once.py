"""Types of the expressions in kernels, found once.

Numba finds the types of a function in several rounds, and tries some ten rules for every sum and every entry of an
array in each of them. Paid for by `python -m benchmarks cold`: this took 2.9 of the 16 s before the first tree, and
takes 1.2 now (aarch64).
"""

from collections import defaultdict
from typing import Any, ClassVar


class TypedOnce:
    """Numba's rules of types, which answer at once what they were asked before for a kernel of equal options."""

    _answers: ClassVar[defaultdict[str, dict[tuple, Any]]] = defaultdict(dict)

    def __init__(self, context: Any, options: Any):
        self._context, self._known = context, self._answers[options.get_mangle_string()]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, function: Any, given: tuple, named: dict) -> Any:
        """The signature of a call: of operators and built-in functions from memory, of others as Numba finds it."""
        called = getattr(function, "typing_key", function)
        if getattr(called, "__module__", None) not in ("_operator", "builtins") or named:
            return self._context.resolve_function_type(function, given, named)
        case = function, given
        if case not in self._known:
            found = self._context.resolve_function_type(function, given, named)
            if found is None or not all(kind.is_precise() for kind in given):
                return found
            self._known[case] = found
        return self._known[case]
