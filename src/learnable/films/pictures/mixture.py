"""Gaussian mixtures and class densities: ellipses that hold most of each part."""

import numpy as np

from learnable.films.marks import bars, cells, ellipses, plane
from learnable.films.registry import Picture, Shot, draws
from learnable.films.surfaces import classifies_numbers, rows_of, share, surface, wrong


def _in_plane(shot: Shot, means: np.ndarray, covariances: list[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    axes = shot.stage.plane.axes
    return shot.stage.plane.onto(means), [axes @ covariance @ axes.T for covariance in covariances]


@draws("solvers.unsupervised.gaussian_mixture.MixtureState", when=lambda shot: shot.stage.X is not None)
def mixture(shot: Shot) -> Picture:
    """EM: ellipses at two standard deviations; a row has the colour of the part that claims most of it."""
    model, stage = shot.model, shot.stage
    assert stage.X is not None
    k = len(model.means_)
    covariances = [_full(model, i) for i in range(k)]
    centre, spread = _in_plane(shot, model.means_, covariances)
    labels = np.asarray(model.predict(stage.X[stage.shown]))
    panel = plane(
        "Parts of the mixture, at two standard deviations", *stage.plane.names, stage.plane.box,
        [rows_of(shot, group=labels), ellipses(centre, spread, np.arange(k))], note=stage.notes(),
    )  # fmt: skip
    weights = bars("Weights of the parts", [f"part {i + 1}" for i in range(k)], model.weights_, np.arange(k))
    return Picture([panel, weights], f"The mean log-likelihood of a row is {model.lower_bound_:.5g}.")


def _full(model, i: int) -> np.ndarray:
    covariance = np.asarray(model.covariances_)
    p = model.means_.shape[1]
    if model.covariance_type == "full":
        return covariance[i]
    if model.covariance_type == "tied":
        return covariance
    return np.eye(p) * covariance[i]


def _normal_classes(shot: Shot) -> bool:
    return classifies_numbers(shot) and hasattr(shot.model, "theta_") and hasattr(shot.model, "var_")


@draws("bayes.naive_bayes_classifier.NaiveBayesState", when=_normal_classes)
def class_densities(shot: Shot) -> Picture:
    """Naive Bayes with normal columns: one upright ellipse a class."""
    model, stage = shot.model, shot.stage
    centre, spread = _in_plane(shot, model.theta_, [np.diag(row) for row in model.var_])
    missed = wrong(shot)
    panel = plane(
        "Densities of the classes, at two standard deviations", *stage.plane.names, stage.plane.box,
        [surface(shot), rows_of(shot, ring=missed), ellipses(centre, spread, np.arange(len(centre)))],
        note=stage.notes(),
    )  # fmt: skip
    return Picture([panel], f"{share(missed)} rows are given another class.")


@draws("bayes.naive_bayes_classifier.NaiveBayesState")
def class_tables(shot: Shot) -> Picture:
    """Naive Bayes with counts: how likely each class is, and each column within it."""
    model = shot.model
    classes = [str(each) for each in model.classes_]
    prior = np.exp(np.asarray(model.class_log_prior_))
    panels = [bars("Probabilities of the classes", classes, prior, np.arange(len(classes)) % 8)]
    likely = getattr(model, "feature_log_prob_", None)
    if isinstance(likely, np.ndarray):
        shown = np.exp(likely[:, :24])
        note = "" if likely.shape[1] <= 24 else f"the first 24 of {likely.shape[1]} columns"
        names = (shot.stage.names or [f"x{j}" for j in range(likely.shape[1])])[:24]
        panels.append(cells("Probabilities of the columns", shown, rows=classes, columns=names, note=note))
    return Picture(panels, f"{len(classes)} classes, counted in one pass.")
