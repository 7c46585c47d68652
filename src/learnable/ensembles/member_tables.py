"""Tables as the members of an ensemble take them."""

from typing import Any

from learnable.certificates.ensembles.member_tables import takes_sparse
from learnable.trees.tables import dense


def for_members(model: Any, X: Any) -> Any:
    """A sparse table as it is for members that take one; dense for the others."""
    return X if takes_sparse(model) else dense(X)
