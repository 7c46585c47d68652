"""Naive Bayes for tables of mixed columns."""

from collections.abc import Iterator
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    check_consistent_length,
    check_is_fitted,
)

from learnable.base import Data, Fitting, Learner, refuse_unreadable, validate_data
from learnable.base.fit_context import fit_context
from learnable.base.validation import checked_target, checked_weights, refuse_repeated_names
from learnable.bayes.columns import CategoryColumn, NumberColumn, TextColumn
from learnable.bayes.columns.cells import as_frame, cells_of, decoded, has_names, use
from learnable.bayes.columns.text_column import Vocabulary
from learnable.bayes.discrete_naive_bayes import log_given_priors
from learnable.bayes.explanation import Explanation
from learnable.bayes.naive_bayes_classifier import NaiveBayesState, class_numbers
from learnable.datasets import Column, Kind, Table, read_table
from learnable.plain import plain
from learnable.problems.bayes.naive_bayes import log_posterior, log_priors, refuse_impossible
from learnable.rows import is_streamed
from learnable.trace import Status, to_the_end

_SUMS: dict[str, Any] = {"number": NumberColumn, "category": CategoryColumn, "text": TextColumn}


class NaiveBayes(ClassifierMixin, Learner):
    """Naive Bayes for a data frame with categories, numbers and documents, cells of which may be missing.

    log P(c, x) = log P(c) + Σⱼ log P(xⱼ | c): given the class, the columns are independent. A category has one share a
    level, by the m-estimate (n_cv + m/L)/(n_c + m); a number is Gaussian; a document is a bag of words (multinomial) or
    a set of them (Bernoulli). A missing cell is left out of the counts and of the sum, and so is a level or a word that
    was never seen. Numeric arrays are tables of numbers: then this is Gaussian naive Bayes. Syllabus: Y6, Y7, Y9.

    Parameters
    ----------
    m : float >= 0, default=None
        Virtual examples of each class, spread evenly over the levels. None: as many as levels, Laplace's rule.
    var_smoothing : float >= 0, default=1e-9
        This share of the variance of a whole column is added to its variance in each class.
    representation : {"bag", "set"}, default="bag"
        Whether words are counted or merely noted.
    drop_frequent : int >= 0, default=0
        How many of the most frequent words of a text column are left out.
    min_count : int >= 1, default=1
        Words that occur fewer times are left out.
    class_prior : array (K,), default=None
        P(c), if it is known; the shares of the classes by default.
    kinds : dict, default=None
        Column name -> "number", "category" or "text", to overrule what the reader of the data frame infers.

    Attributes
    ----------
    classes_ : array (K,)
    class_count_, class_log_prior_ : arrays (K,)
    kinds_ : dict, name of a column -> "number", "category", "text", or "dropped"
    dropped_ : dict, name of a column -> why it is not used
    columns_ : list with the sums of each used column, in order: `NumberColumn`, `CategoryColumn`, `TextColumn`
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        Y6 : classes, levels, means and variances counted again from the table. Y9 : words counted again.

    Examples
    --------
    >>> import pandas as pd
    >>> from learnable.bayes import NaiveBayes
    >>> mails = pd.DataFrame({
    ...     "sender": ["shop", "friend", None, "shop", "friend"],
    ...     "links": [7.0, 0.0, 5.0, 9.0, 1.0],
    ...     "text": ["win money", "see you at noon", "money for you", "win now", "notes from noon"],
    ... })
    >>> model = NaiveBayes(kinds={"text": "text"}).fit(mails, ["spam", "ham", "spam", "spam", "ham"])
    >>> model.predict(pd.DataFrame({"sender": ["friend"], "links": [None], "text": ["noon then"]}))
    array(['ham'], dtype='<U4')
    >>> print(model.explain(mails.iloc[:1])[0])
    spam rather than ham: log odds 87.02
      links   +83.32
      text     +2.20
      sender   +1.10
      prior    +0.41
    """

    classes_: np.ndarray

    _parameter_constraints: ClassVar = {
        "m": [Interval(Real, 0, None, closed="left"), None],
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
        "representation": [StrOptions({"bag", "set"})],
        "drop_frequent": [Interval(Integral, 0, None, closed="left")],
        "min_count": [Interval(Integral, 1, None, closed="left")],
        "class_prior": ["array-like", None],
        "kinds": [dict, None],
    }

    def __init__(
        self,
        *,
        m=None,
        var_smoothing=1e-9,
        representation="bag",
        drop_frequent=0,
        min_count=1,
        class_prior=None,
        kinds=None,
    ):
        self.m = m
        self.var_smoothing = var_smoothing
        self.representation = representation
        self.drop_frequent = drop_frequent
        self.min_count = min_count
        self.class_prior = class_prior
        self.kinds = kinds

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Count.

        Parameters
        ----------
        X : data frame (pandas, polars, pyarrow), `datasets.Table`, or array (n, p) of numbers; NaN and None are missing
        y : array (n,) of class labels
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Go on counting: calls over pieces of the data give what one `fit` of all of them gives.

        The kinds of the columns are those of the first piece. There is no `certificate_` afterwards, as it needs all
        rows: call `certify` with them.

        Parameters
        ----------
        X : like that of `fit`
        y : array (n,) of class labels
        classes : array (K,), all classes; needed in the first call
        sample_weight : array (n,), default=None
        """
        before = self._fitted_attributes()
        first = "classes_" not in before
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if not first and classes is not None and not np.array_equal(self.classes_, np.unique(classes)):
            raise ValueError(
                f"`classes={plain(classes)!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
            )
        try:
            data = self._checked(X, y, sample_weight, reset=first)
            self.classes_ = np.unique(classes) if first else self.classes_
            strange = np.setdiff1d(data.y, self.classes_)
            if len(strange):
                raise ValueError(f"The target label(s) {strange} in y do not exist in the classes {self.classes_}")
            members, columns = self._counted(data, np.searchsorted(self.classes_, data.y), reset=first)
            if not first:
                members = members + self.class_count_
                columns = [old.merged(new) for old, new in zip(self.columns_, columns, strict=True)]
            self._keep(self._answer(members, columns).attributes)
        except BaseException:
            self._drop(self._fitted_attributes())
            self._keep(before)
            raise
        self._drop({"certificate_", "status_"} & before.keys())
        return self

    def predict_joint_log_proba(self, X) -> np.ndarray:
        """log P(class, x), one column a class in the order of `classes_`.

        Parameters
        ----------
        X : like that of `fit`
        """
        parts = self.contributions(X)
        return self.class_log_prior_ + parts.sum(axis=1)

    def predict(self, X) -> np.ndarray:
        """The most probable class, the first of them when several are.

        Parameters
        ----------
        X : like that of `fit`
        """
        joint = self.predict_joint_log_proba(X)
        refuse_impossible(joint)
        return self.classes_[joint.argmax(axis=1)]

    def predict_log_proba(self, X) -> np.ndarray:
        """log P(class | x) by Bayes' rule; finite even where the probability is too small for a number.

        Parameters
        ----------
        X : like that of `fit`
        """
        return log_posterior(self.predict_joint_log_proba(X))

    def predict_proba(self, X) -> np.ndarray:
        """P(class | x), one column a class in the order of `classes_`.

        Parameters
        ----------
        X : like that of `fit`
        """
        return np.exp(self.predict_log_proba(X))

    def contributions(self, X) -> np.ndarray:
        """(n, columns, K): log P(xⱼ | class) of every cell of a used column; 0 where it is missing.

        Parameters
        ----------
        X : like that of `fit`
        """
        check_is_fitted(self)
        cells = self._cells(X, reset=False)
        found = [self._log_likelihood(column, given) for column, given in zip(self.columns_, cells, strict=True)]
        return np.stack(found, axis=1)

    def explain(self, X) -> list[Explanation]:
        """For every row the two most probable classes, and what each column adds to the log odds between them.

        Parameters
        ----------
        X : like that of `fit`
        """
        parts = self.contributions(X)
        joint = self.class_log_prior_ + parts.sum(axis=1)
        refuse_impossible(joint)
        if len(self.classes_) < 2:
            raise ValueError("NaiveBayes.explain: there is only one class, so there are no odds to explain")
        used = self._used()
        explained = []
        for i, order in enumerate(np.argsort(-joint, axis=1, kind="stable")):
            best, other = order[:2]
            with np.errstate(invalid="ignore"):
                odds = parts[i, :, best] - parts[i, :, other]
            prior = float(self.class_log_prior_[best] - self.class_log_prior_[other])
            explained.append(
                Explanation(self.classes_[best], self.classes_[other], prior, dict(zip(used, odds.tolist())))
            )
        return explained

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _pose(self, X, y=None, sample_weight=None) -> Fitting:
        data = self._checked(X, y, sample_weight, reset=True)
        self.classes_, index = class_numbers(data.y)
        members, columns = self._counted(data, index, reset=True)

        def counted() -> Iterator[NaiveBayesState]:
            yield self._answer(members, columns)

        seen = data._replace(X=decoded(data.X))
        return Fitting(counted(), to_the_end, lambda state: state.attributes, seen, max_steps=1, ended=Status.OPTIMAL)

    def _answer(self, members: np.ndarray, columns: list[Any]) -> NaiveBayesState:
        if self.class_prior is None:
            prior = log_priors(members)
        else:
            prior = log_given_priors("NaiveBayes(class_prior=", self.class_prior, len(members))
        for name, column in zip(self._used(), columns, strict=True):
            self._refuse_undefined(name, column, prior > -np.inf)
        seen = (members > 0.0) & (prior > -np.inf)
        entropy = -float(members[seen] @ prior[seen]) / float(members.sum())
        return NaiveBayesState(entropy, {"class_count_": members, "class_log_prior_": prior, "columns_": columns})

    def _used(self) -> list[str]:
        return [name for name, kind in self.kinds_.items() if kind != "dropped"]

    def _refuse_undefined(self, name: str, column: Any, possible: np.ndarray) -> None:
        """ValueError when a class that may be predicted has no law of a column: shares 0/0, or a density at a point."""
        if isinstance(column, NumberColumn):
            _, variance = column.law(self.var_smoothing)
            undefined = (variance == 0.0) & (column.total()[2] > 0.0)
            problem = "is constant, and a Gaussian of variance 0 has no density; set var_smoothing > 0"
        elif self.m != 0:
            return
        else:
            if isinstance(column, TextColumn) and self.representation == "bag":
                known = column.occurrences[:, column.kept(self._vocabulary())].sum(axis=1)
            else:
                known = column.known if isinstance(column, TextColumn) else column.counts.sum(axis=1)
            undefined, problem = known == 0.0, "has no known cell, so its shares are 0/0; set m > 0"
        if np.any(undefined & possible):
            label = self.classes_[np.argmax(undefined & possible)]
            raise ValueError(f"NaiveBayes: in class {label} the column {name!r} {problem}")

    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self.representation, self.drop_frequent, self.min_count)

    def _checked(self, X, y, sample_weight, reset: bool) -> Data:
        """X as a data frame or an array of numbers, y and weights as arrays."""
        if is_streamed(X):
            raise TypeError(
                f"NaiveBayes needs a table in memory, but X is a {type(X).__name__}; call partial_fit block by block"
            )
        refuse_unreadable(y, "y")
        if has_names(X):
            if y is None:
                raise ValueError("NaiveBayes requires y to be passed, but the target y is None")
            X, y = as_frame(X), checked_target(self, y)
            check_consistent_length(np.empty(len(X)), y)
        else:
            refuse_unreadable(X)
            X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan", reset=reset)
        if sample_weight is not None:
            sample_weight = checked_weights(sample_weight, np.empty((len(X), 1)))
        return Data(X, y, sample_weight)

    def _counted(self, data: Data, index: np.ndarray, reset: bool) -> tuple[np.ndarray, list[Any]]:
        cells = self._cells(data.X, reset)
        K = len(self.classes_)
        weight = np.ones(len(index)) if data.sample_weight is None else data.sample_weight
        used = [kind for kind in self.kinds_.values() if kind != "dropped"]
        columns = [_SUMS[kind].counted(given, index, weight, K) for kind, given in zip(used, cells, strict=True)]
        return np.bincount(index, weight, K), columns

    def _cells(self, X, reset: bool) -> list[np.ndarray]:
        """The cells of the used columns; sets the kinds of the columns when they are new."""
        table = self._table(X, reset)
        if reset:
            uses = {column.name: use(column) for column in table.columns}
            self.kinds_ = {name: kind for name, (kind, _) in uses.items()}
            self.dropped_ = {name: why for name, (kind, why) in uses.items() if kind == "dropped"}
            if len(self.dropped_) == len(self.kinds_):
                raise ValueError(f"NaiveBayes: no column to learn from: {self.dropped_}")
        return cells_of(table, self.kinds_, training=reset)

    def _table(self, X, reset: bool) -> Table:
        """X as a table, read with the kinds of training when there was one."""
        if not has_names(X):
            refuse_unreadable(X)
            X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=reset)
            names = [f"x{j}" for j in range(X.shape[1])] if reset else list(self.kinds_)
            columns = tuple(Column(str(name), Kind.NUMBER, cells) for name, cells in zip(names, X.T, strict=True))
            return Table(columns, len(X), "X")
        frame = as_frame(X)
        refuse_repeated_names("NaiveBayes", frame)
        _check_feature_names(self, frame, reset=reset)
        _check_n_features(self, frame, reset=reset)
        if reset:
            return read_table(frame, kinds=dict(self.kinds or {}))
        words = {name: kind for name, kind in self.kinds_.items() if kind in ("category", "text")}
        table = read_table(frame, kinds=words)
        if hasattr(self, "feature_names_in_"):
            return table
        # Fitted on columns without names: they are matched by position.
        renamed = tuple(replace(column, name=name) for column, name in zip(table.columns, self.kinds_, strict=True))
        return replace(table, columns=renamed)

    def _log_likelihood(self, column: Any, cells: np.ndarray) -> np.ndarray:
        if isinstance(column, NumberColumn):
            return column.log_likelihood(cells, self.var_smoothing)
        if isinstance(column, CategoryColumn):
            return column.log_likelihood(cells, self.m)
        return column.log_likelihood(cells, self._vocabulary(), self.m)
