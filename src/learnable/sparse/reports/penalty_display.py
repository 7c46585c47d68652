"""Penalties as pictures: what each does to one coefficient, and the shape of its ball for two."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from learnable.evaluation.displays.style import FAINT, MUTED, PALETTE, legend, tidy
from learnable.problems.sparse.folded_penalties import MCP, SCAD, Bridge
from learnable.problems.sparse.penalties import EVERY, L1, L2, ElasticNet, prox, value

STYLES = ("-", "--", "-.", ":")


def every_penalty(level: float = 1.0) -> dict[str, Any]:
    """The separable penalties of the library at one level λ, with their usual shapes, by name.

    >>> list(every_penalty())
    ['bridge, q = 1/2', 'lasso', 'bridge, q = 3/2', 'ridge', 'elastic net', 'SCAD', 'MCP']
    """
    if not (np.isfinite(level) and level > 0.0):
        raise ValueError(f"every_penalty(level={level}): level must be a finite number > 0")
    return {
        "bridge, q = 1/2": Bridge(level, 0.5),
        "lasso": L1(level),
        "bridge, q = 3/2": Bridge(level, 1.5),
        "ridge": L2(level),
        "elastic net": ElasticNet(level, 0.5),
        "SCAD": SCAD(level, 3.7),
        "MCP": MCP(level, 3.0),
    }


class PenaltyDisplay:
    """The threshold operator z ↦ argmin_β ½(β − z)² + φ(β) of each penalty φ, and the contours of Σ φ(βⱼ).

    On an orthogonal design the operator turns the least squares coefficient into the penalised one. Every curve is the
    penalty's own `prox`, the exact minimiser, also where the problem is not convex: there it jumps. Syllabus: L27.

    Parameters
    ----------
    penalties : mapping of name to penalty, default=None
        Any of `problems.penalties` and `problems.folded_penalties`; None takes `every_penalty()`.
    reach : float, default=5.0
        z from −reach to reach.
    points : int, default=1001
        Of the grid, at least 3.

    Attributes
    ----------
    z : array (points,)
    thresholds : name -> array (points,), the operator on `z`.
    figure_, axes_ : of the last plot.

    Examples
    --------
    >>> display = PenaltyDisplay(reach=4.0, points=9)
    >>> display.thresholds["lasso"].tolist()
    [-3.0, -2.0, -1.0, -0.0, 0.0, 0.0, 1.0, 2.0, 3.0]
    >>> display.thresholds["SCAD"].round(3).tolist()
    [-4.0, -2.588, -1.0, -0.0, 0.0, 0.0, 1.0, 2.588, 4.0]
    """

    def __init__(self, penalties: Mapping[str, Any] | None = None, *, reach: float = 5.0, points: int = 1001):
        if not (np.isfinite(reach) and reach > 0.0):
            raise ValueError(f"PenaltyDisplay(reach={reach}): reach must be a finite number > 0")
        if points < 3:
            raise ValueError(f"PenaltyDisplay(points={points}): points must be at least 3")
        self.penalties = every_penalty() if penalties is None else dict(penalties)
        if not self.penalties:
            raise ValueError("PenaltyDisplay(penalties={}): there is nothing to draw")
        self.z = np.linspace(-reach, reach, points)
        self.thresholds = {name: prox(penalty, self.z, 1.0, EVERY) for name, penalty in self.penalties.items()}

    def plot(self, axes: Any = None) -> "PenaltyDisplay":
        """The threshold operators, one panel a penalty, the diagonal behind; on given axes or a new figure."""
        axes = self._panels(axes, share=True)
        for ax, (name, kept), colour in zip(axes, self.thresholds.items(), self._colours()):
            ax.plot(self.z, self.z, color=MUTED, linewidth=0.8, linestyle=":")
            ax.plot(self.z, _broken(self.z, kept), color=colour, linewidth=1.8)
            ax.axhline(0.0, color=FAINT, linewidth=0.8, zorder=0)
            tidy(ax, xlabel="z", ylabel="β")
            ax.set_title(name, fontsize=9)
            ax.set_aspect("equal")
        return self

    def plot_contours(self, axes: Any = None, *, levels: Any = (0.5, 1.0, 1.5, 2.0)) -> "PenaltyDisplay":
        """Where φ(β₁) + φ(β₂) takes the given values, one panel a penalty: corners on the axes make zeros."""
        side = np.linspace(-2.5, 2.5, 401)
        axes = self._panels(axes, share=True)
        for ax, (name, penalty), colour in zip(axes, self.penalties.items(), self._colours()):
            one = value(penalty, side, EVERY)
            ax.contour(side, side, one[:, None] + one[None, :], levels=list(levels), colors=[colour], linewidths=1.4)
            ax.axhline(0.0, color=FAINT, linewidth=0.8, zorder=0)
            ax.axvline(0.0, color=FAINT, linewidth=0.8, zorder=0)
            tidy(ax, xlabel="β₁", ylabel="β₂")
            ax.set_title(name, fontsize=9)
            ax.set_aspect("equal")
        return self

    def plot_penalties(self, ax: Any = None) -> "PenaltyDisplay":
        """All φ in one panel: how the price of a coefficient grows with its size."""
        axes = [ax] if ax is not None else self._panels(None, share=False, number=1)
        for (name, penalty), colour, k in zip(self.penalties.items(), self._colours(), range(len(self.penalties))):
            style = STYLES[k // len(PALETTE) % len(STYLES)]
            axes[0].plot(self.z, value(penalty, self.z, EVERY), style, color=colour, linewidth=1.5, label=name)
        tidy(axes[0], xlabel="β", ylabel="φ(β)")
        legend(axes[0], loc="upper center", ncols=2)
        self.figure_, self.axes_ = axes[0].figure, np.array(axes)
        return self

    def _colours(self) -> list[str]:
        return [PALETTE[k % len(PALETTE)] for k in range(len(self.penalties))]

    def _panels(self, axes: Any, *, share: bool, number: int | None = None) -> list[Any]:
        number = len(self.penalties) if number is None else number
        if axes is None:
            import matplotlib.pyplot as plt

            columns = min(number, 4)
            rows = -(-number // columns)
            size = (2.3 * columns, 2.4 * rows) if share else (5.0, 3.6)
            figure, grid = plt.subplots(
                rows, columns, figsize=size, sharex=share, sharey=share, squeeze=False, layout="constrained"
            )
            axes = list(grid.ravel())
            for spare in axes[number:]:
                spare.set_axis_off()
            for lowest in axes[number - columns : number]:
                lowest.tick_params(labelbottom=True)  # also above a spare place
        else:
            axes = list(np.ravel(axes))
            if len(axes) < number:
                raise ValueError(f"PenaltyDisplay: {len(axes)} axes for {number} penalties; give one for each")
            figure = axes[0].figure
        self.figure_, self.axes_ = figure, np.array(axes[:number])
        return axes[:number]


def _broken(z: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """The values with a gap where the operator jumps, so that no line is drawn through what is never taken."""
    jump = np.abs(np.diff(kept)) > 5.0 * np.abs(np.diff(z))
    return np.where(np.r_[jump, False], np.nan, kept)
