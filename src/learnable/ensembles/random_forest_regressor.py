"""The random forest of regression trees."""

from learnable.ensembles.forest_regressor import ForestRegressor
from learnable.panel import Entry
from learnable.trees.former_names import present_criterion


class RandomForestRegressor(ForestRegressor):
    """Random forest: the mean of trees on bootstrap draws of the rows.

    Drop-in for `sklearn.ensemble.RandomForestRegressor`. Syllabus: DT13, DT14.

    Parameters
    ----------
    n_estimators : int, default=100
    criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes :
        the trees, see `DecisionTreeRegressor`
    min_impurity_decrease, ccp_alpha, monotonic_cst, categorical_features : the trees, see `DecisionTreeRegressor`
    max_features : columns drawn at each node
    bootstrap : bool, whether each tree sees its own draw of the rows, with replacement
    max_samples : int, float or None, rows drawn for each tree
    oob_score : bool or function (y, predicted) -> float, default=False
        whether, and by what, rows are judged by the trees that did not see them
    n_jobs : int or None, threads; the forest is the same for any number
    random_state : int or None
    verbose, warm_start : kept for compatibility

    Attributes
    ----------
    trees_ : list of `problems.trees.tree.Tree`
    seeds_ : array (T,), from which the rows and columns of each tree were drawn
    n_outputs_ : int
    grown_with_ : dict, the parameters that the trees were grown with, to which a warm start keeps
    oob_score_, oob_interval_, oob_prediction_ :
        score on rows out of the bag, its 95% interval, and what was predicted there
    certificate_ : `certificates.Certificate`, which claims
        DT14 : every tree is grown on the rows that its seed draws: counts, values, and no threshold of the chosen
        column gains more. DT13 : predictions are means over the trees; rows out of the bag were not in it.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.ensembles import RandomForestRegressor
    >>> X = np.random.default_rng(0).standard_normal((150, 3))
    >>> model = RandomForestRegressor(n_estimators=20, random_state=0).fit(X, X[:, 0])
    >>> model.certificate_.holds
    True
    """

    panel = (
        Entry(
            "regression", "forest", {"min_samples_leaf": [1, 5, 20]}, fixed={"n_estimators": 100, "max_features": 0.4}
        ),
    )

    def __init__(
        self,
        n_estimators=100,
        *,
        criterion="squared_error",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=1.0,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        bootstrap=True,
        oob_score=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
        warm_start=False,
        ccp_alpha=0.0,
        max_samples=None,
        monotonic_cst=None,
        categorical_features=None,
    ):
        self.n_estimators = n_estimators
        self.criterion = present_criterion(self, criterion)
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
