"""The cost curves are drawn from what was measured, and the peak of memory sees what others allocate."""

import numpy as np
from benchmarks.curves import AT_ROWS, Curve, draw
from benchmarks.peak import peak_growth


def test_the_picture_has_a_panel_for_each_family_and_axis(tmp_path):
    found = [
        Curve(family, axis, who, (10, 100), (1e-3, 1e-2))
        for family in ("lasso", "logistic")
        for axis in ("rows", "columns")
        for who in ("learnable", "rival")
    ]
    draw(found, tmp_path / "curves.svg")
    text = (tmp_path / "curves.svg").read_text()
    assert text.count('id="axes_') == 4
    assert f"<!-- lasso, {AT_ROWS:,} rows -->" in text


def test_the_peak_counts_what_was_allocated_and_given_back():
    grown = peak_growth(lambda: np.ones(5_000_000).sum())
    assert np.isnan(grown) or grown > 30e6
