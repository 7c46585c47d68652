"""Our trees as estimators of scikit-learn, for whoever reads only those: explainers, exporters, servers."""

from typing import Any

import numpy as np

from learnable.problems.trees.tree import Tree


def tree_as_estimator(model: Any, kind: type) -> Any:
    """A fitted estimator of scikit-learn's class `kind` that holds the tree of a model."""
    found = bare(model, kind)
    found.tree_ = compiled(model.tree_, model.n_features_in_, getattr(model, "n_classes_", 1))
    found.max_features_ = getattr(model, "max_features_", model.n_features_in_)
    return found


def bare(model: Any, kind: type) -> Any:
    """An estimator of scikit-learn with the parameters that both know and what the fit says of columns and classes."""
    if any(values is not None for values in getattr(model, "categories_", None) or ()):
        raise TypeError(
            f"{type(model).__name__}: scikit-learn's trees split no categories; encode them as numbers before the fit"
        )
    given = model.get_params(deep=False)
    found: Any = kind()
    found.set_params(**{name: value for name, value in given.items() if name in found.get_params(deep=False)})
    for name in ("n_features_in_", "feature_names_in_", "classes_"):
        if hasattr(model, name):
            setattr(found, name, getattr(model, name))
    found.n_outputs_ = getattr(model, "n_outputs_", 1)
    if hasattr(model, "classes_"):
        found.n_classes_ = model.n_classes_ if found.n_outputs_ > 1 else len(model.classes_)
    return found


def compiled(tree: Tree, n_features: int, n_classes: Any) -> Any:
    """A tree as scikit-learn's compiled `Tree`."""
    from sklearn.tree._tree import NODE_DTYPE
    from sklearn.tree._tree import Tree as Compiled

    nodes = np.zeros(tree.node_count, dtype=NODE_DTYPE)
    nodes["left_child"], nodes["right_child"] = tree.children_left, tree.children_right
    nodes["feature"], nodes["threshold"] = tree.feature, tree.threshold
    nodes["missing_go_to_left"] = tree.missing_go_to_left
    nodes["impurity"], nodes["n_node_samples"] = tree.impurity, tree.n_node_samples
    nodes["weighted_n_node_samples"] = tree.weighted_n_node_samples
    outputs = tree.value.shape[1]
    found = Compiled(n_features, np.broadcast_to(n_classes, outputs).astype(np.intp), outputs)
    values = np.ascontiguousarray(tree.value, dtype=np.float64)
    found.__setstate__({"max_depth": tree.max_depth, "node_count": tree.node_count, "nodes": nodes, "values": values})
    return found
