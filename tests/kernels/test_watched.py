"""Long fits of machines can be watched: more than one step is told while they work, and a progress bar is drawn."""

import numpy as np
import pytest
from sklearn.callback import ProgressBar

from learnable import watch
from learnable.kernels import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM

random = np.random.default_rng(0)
X = random.standard_normal((300, 5))
SCORE = X[:, 0] * X[:, 1] + 0.3 * random.standard_normal(300)


@pytest.mark.parametrize(
    "model",
    [
        SVC(C=10.0), NuSVC(nu=0.3), SVR(C=10.0), NuSVR(C=10.0), OneClassSVM(nu=0.3), LinearSVC(loss="hinge"),
        LinearSVC(), LinearSVR(),
    ],
    ids=str,
)  # fmt: skip
def test_every_machine_tells_its_steps_and_has_its_bar(model, capsys):
    y = SCORE if isinstance(model, SVR | NuSVR | LinearSVR) else SCORE > 0.0
    assert sum(1 for _ in watch(model, X, y)) > 1
    capsys.readouterr()
    model.set_callbacks(ProgressBar()).fit(X, y)
    drawn = capsys.readouterr().out
    assert f"{type(model).__name__} - fit" in drawn
    assert "100%" in drawn
