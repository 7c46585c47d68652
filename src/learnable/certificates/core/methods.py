"""Whether the methods that answer for a model are those of the class that its certificate is about."""

from collections.abc import Container
from functools import lru_cache
from typing import Any

from sklearn.utils._metadata_requests import RequestMethod

from learnable.certificates.core.claim import Claim

# What a class may define anew without changing what an answer says: how it is posed and fitted, which is not judged.
_OF_THE_FIT = frozenset({"fit", "_pose"})
# What decides what every attribute is.
_OF_ATTRIBUTES = frozenset({"__getattribute__", "__getattr__"})


@lru_cache(maxsize=1000)
def hidden(kind: type, names: tuple[str, ...], every: bool = False) -> tuple[str, ...]:
    """Those of the names of a model's attributes that hide a method of its class, or, with `every`, anything of it but
    the default of a parameter.

    >>> class Greets:
    ...     word = "hello"
    ...
    ...     def greet(self): ...
    >>> hidden(Greets, ("greet", "word", "count_")), hidden(Greets, ("greet", "word", "count_"), every=True)
    (('greet',), ('greet', 'word'))
    """
    known = dir(kind)
    parameters = kind._get_param_names() if every and hasattr(kind, "_get_param_names") else ()
    found = [name for name in names if name in known and name not in parameters]
    return tuple(name for name in found if every or callable(getattr(kind, name, None)))


def overridden_claim(kind: type, judged: type, attributes: Container[str]) -> Claim | None:
    """An open claim where a class redefines what the class that is judged in its place would answer by.

    >>> class Clipped(dict):
    ...     def get(self, key):
    ...         return 0
    >>> overridden_claim(Clipped, dict, ()).statement.partition(";")[0]
    'methods are those of dict (get of Clipped is not judged'
    >>> overridden_claim(dict, dict, ()) is None
    True
    """
    others = [name for name, thing in _redefined(kind, judged) if hasattr(judged, name) or name in attributes]
    if not others:
        return None
    statement = (
        f"methods are those of {judged.__name__} ({', '.join(others)} of {kind.__name__} is not judged; register the "
        "class with learnable.certificates.certifies)"
    )
    return Claim.disclosure("O7", statement, len(others))._replace(open=True)


@lru_cache(maxsize=1000)
def _redefined(kind: type, judged: type) -> tuple[tuple[str, Any], ...]:
    found: dict[str, Any] = {}
    for each in kind.__mro__[: kind.__mro__.index(judged)]:
        for name, thing in vars(each).items():
            special = name.startswith("__") and name not in _OF_ATTRIBUTES
            answers = callable(thing) or hasattr(thing, "__get__")
            if answers and not special and name not in _OF_THE_FIT and not isinstance(thing, RequestMethod):
                found.setdefault(name, thing)
    return tuple(found.items())
