"""Which class stands in for which, and which of scikit-learn's test files are about them."""

from importlib import import_module
from typing import NamedTuple


class Place(NamedTuple):
    """Our room, and the public module of scikit-learn that has a class of the same name.

    The private modules of scikit-learn are left alone: its own RidgeClassifier, LogisticRegressionCV, LassoCV and the
    rest go on with its own classes, and so does what is imported from there.
    """

    room: str
    public: str = "sklearn.linear_model"


PLACES = {
    "LinearRegression": Place("learnable.linear"),
    "Ridge": Place("learnable.linear"),
    "RidgeCV": Place("learnable.linear"),
    "LogisticRegression": Place("learnable.linear"),
    "Perceptron": Place("learnable.linear"),
    "PoissonRegressor": Place("learnable.linear"),
    "SGDClassifier": Place("learnable.linear"),
    "SGDRegressor": Place("learnable.linear"),
    "LinearDiscriminantAnalysis": Place("learnable.linear", "sklearn.discriminant_analysis"),
    "QuadraticDiscriminantAnalysis": Place("learnable.linear", "sklearn.discriminant_analysis"),
    "Lars": Place("learnable.sparse"),
    "Lasso": Place("learnable.sparse"),
    "ElasticNet": Place("learnable.sparse"),
    "LassoCV": Place("learnable.sparse"),
    "LassoLars": Place("learnable.sparse"),
    "ElasticNetCV": Place("learnable.sparse"),
    "MultiTaskLasso": Place("learnable.sparse"),
    "BernoulliNB": Place("learnable.bayes", "sklearn.naive_bayes"),
    "CategoricalNB": Place("learnable.bayes", "sklearn.naive_bayes"),
    "ComplementNB": Place("learnable.bayes", "sklearn.naive_bayes"),
    "GaussianNB": Place("learnable.bayes", "sklearn.naive_bayes"),
    "MultinomialNB": Place("learnable.bayes", "sklearn.naive_bayes"),
    "SVC": Place("learnable.kernels", "sklearn.svm"),
    "NuSVC": Place("learnable.kernels", "sklearn.svm"),
    "LinearSVC": Place("learnable.kernels", "sklearn.svm"),
    "SVR": Place("learnable.kernels", "sklearn.svm"),
    "NuSVR": Place("learnable.kernels", "sklearn.svm"),
    "LinearSVR": Place("learnable.kernels", "sklearn.svm"),
    "OneClassSVM": Place("learnable.kernels", "sklearn.svm"),
    "KernelRidge": Place("learnable.kernels", "sklearn.kernel_ridge"),
    "Nystroem": Place("learnable.kernels", "sklearn.kernel_approximation"),
    "RBFSampler": Place("learnable.kernels", "sklearn.kernel_approximation"),
    "MLPClassifier": Place("learnable.neural", "sklearn.neural_network"),
    "MLPRegressor": Place("learnable.neural", "sklearn.neural_network"),
    "DecisionTreeClassifier": Place("learnable.trees", "sklearn.tree"),
    "DecisionTreeRegressor": Place("learnable.trees", "sklearn.tree"),
    "RandomForestClassifier": Place("learnable.ensembles", "sklearn.ensemble"),
    "RandomForestRegressor": Place("learnable.ensembles", "sklearn.ensemble"),
    "ExtraTreesClassifier": Place("learnable.ensembles", "sklearn.ensemble"),
    "ExtraTreesRegressor": Place("learnable.ensembles", "sklearn.ensemble"),
    "GradientBoostingClassifier": Place("learnable.ensembles", "sklearn.ensemble"),
    "GradientBoostingRegressor": Place("learnable.ensembles", "sklearn.ensemble"),
    "BaggingClassifier": Place("learnable.ensembles", "sklearn.ensemble"),
    "BaggingRegressor": Place("learnable.ensembles", "sklearn.ensemble"),
    "AdaBoostClassifier": Place("learnable.ensembles", "sklearn.ensemble"),
    "HistGradientBoostingClassifier": Place("learnable.ensembles", "sklearn.ensemble"),
    "HistGradientBoostingRegressor": Place("learnable.ensembles", "sklearn.ensemble"),
    "KMeans": Place("learnable.unsupervised", "sklearn.cluster"),
    "MiniBatchKMeans": Place("learnable.unsupervised", "sklearn.cluster"),
    "SpectralClustering": Place("learnable.unsupervised", "sklearn.cluster"),
    "AgglomerativeClustering": Place("learnable.unsupervised", "sklearn.cluster"),
    "GaussianMixture": Place("learnable.unsupervised", "sklearn.mixture"),
    "PCA": Place("learnable.unsupervised", "sklearn.decomposition"),
    "KernelPCA": Place("learnable.unsupervised", "sklearn.decomposition"),
    "GraphicalLasso": Place("learnable.graphical", "sklearn.covariance"),
    "GraphicalLassoCV": Place("learnable.graphical", "sklearn.covariance"),
}

FILES = (
    "sklearn.linear_model.tests.test_base",
    "sklearn.linear_model.tests.test_common",
    "sklearn.linear_model.tests.test_coordinate_descent",
    "sklearn.linear_model.tests.test_least_angle",
    "sklearn.linear_model.tests.test_logistic",
    "sklearn.linear_model.tests.test_perceptron",
    "sklearn.linear_model.tests.test_ridge",
    "sklearn.linear_model.tests.test_sgd",
    "sklearn.linear_model.tests.test_sparse_coordinate_descent",
    "sklearn.linear_model._glm.tests.test_glm",
    "sklearn.tests.test_discriminant_analysis",
    "sklearn.tests.test_naive_bayes",
    "sklearn.neural_network.tests.test_mlp",
    "sklearn.svm.tests.test_bounds",
    "sklearn.svm.tests.test_sparse",
    "sklearn.svm.tests.test_svm",
    "sklearn.tests.test_kernel_approximation",
    "sklearn.tests.test_kernel_ridge",
    "sklearn.tree.tests.test_tree",
    "sklearn.tree.tests.test_export",
    "sklearn.tree.tests.test_monotonic_tree",
    "sklearn.ensemble.tests.test_forest",
    "sklearn.ensemble.tests.test_gradient_boosting",
    "sklearn.ensemble.tests.test_bagging",
    "sklearn.ensemble.tests.test_weight_boosting",
    "sklearn.ensemble._hist_gradient_boosting.tests.test_gradient_boosting",
    "sklearn.cluster.tests.test_k_means",
    "sklearn.cluster.tests.test_spectral",
    "sklearn.cluster.tests.test_hierarchical",
    "sklearn.mixture.tests.test_gaussian_mixture",
    "sklearn.decomposition.tests.test_pca",
    "sklearn.decomposition.tests.test_kernel_pca",
    "sklearn.covariance.tests.test_graphical_lasso",
)


def ours() -> dict[str, type]:
    """Our classes by name."""
    return {name: getattr(import_module(place.room), name) for name, place in PLACES.items()}
