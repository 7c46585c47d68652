"""Any other state: its coefficients, its fit, or its numbers as a table."""

import numpy as np
from sklearn.base import is_classifier

from learnable.films.marks import table
from learnable.films.pictures.coefficients import coefficients
from learnable.films.pictures.regression import regression
from learnable.films.pictures.separating_line import regions
from learnable.films.registry import ANY, Picture, Shot, draws
from learnable.films.surfaces import classifies_numbers, fits_numbers


@draws(ANY)
def numbers(shot: Shot) -> Picture:
    """The fitted attributes that are numbers or short arrays."""
    rows = []
    for name, value in vars(shot.model).items():
        if not name.endswith("_") or name.startswith("_") or name in ("certificate_", "status_"):
            continue
        if isinstance(value, int | float | np.number | str):
            rows.append([name, f"{value:.5g}" if isinstance(value, float | np.floating) else str(value)])
        elif isinstance(value, np.ndarray) and value.size <= 12 and value.dtype.kind in "fiu":
            rows.append([name, np.array2string(value, precision=4, separator=", ").replace("\n", "")])
    return Picture([table("The answer at this state", ["attribute", "value"], rows)])


@draws(ANY, when=lambda shot: getattr(shot.model, "coef_", None) is not None and not is_classifier(shot.model))
def any_coefficients(shot: Shot) -> Picture:
    return coefficients(shot)


@draws(ANY, when=lambda shot: fits_numbers(shot) and getattr(shot.model, "coef_", None) is None)
def any_regression(shot: Shot) -> Picture:
    return regression(shot)


@draws(ANY, when=classifies_numbers)
def any_classifier(shot: Shot) -> Picture:
    return regions(shot)
