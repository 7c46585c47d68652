"""
Coverage of intervals
=====================

A 95% interval should contain the true error rate in 95% of the samples. Does it? The number of mistakes among n rows
is binomial, so the coverage is a finite sum. `learnable.evaluation.coverage` computes it exactly, for every n and p:
nothing below is simulated.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable.evaluation import PROPORTION_INTERVALS, coverage, least_coverage

NAMES = {
    "wald": "normal (Wald)",
    "wilson": "Wilson",
    "agresti_coull": "Agresti–Coull",
    "jeffreys": "Jeffreys",
    "clopper_pearson": "Clopper–Pearson",
    "hoeffding": "Hoeffding",
}
assert set(NAMES) <= set(PROPORTION_INTERVALS)
p = np.linspace(0.001, 0.999, 999)

# %%
# Over p
# ------
# At n = 50 the interval of the textbooks, e ± 1.96 √(e(1−e)/n), falls far short when the error rate is near 0 or 1,
# and short nearly everywhere else. Wilson's stays around 95%. Clopper and Pearson's never falls below, and pays with
# width. Hoeffding's holds for any bounded loss and is wide.

figure, axes = plt.subplots(2, 3, figsize=(9, 5), sharex=True, sharey=True, layout="constrained")
for ax, (method, name) in zip(axes.flat, NAMES.items(), strict=True):
    ax.axhline(0.95, color="#6B7280", linewidth=1, linestyle=":")
    ax.plot(p, coverage(method, 50, p), color="#0072B2", linewidth=0.9)
    ax.set(title=name, ylim=(0.8, 1.005), xlim=(0, 1))
figure.supxlabel("true error rate p")
figure.supylabel("actual coverage, n = 50")
plt.show()

# %%
# Over n
# ------
# More rows help, but not as fast as one hopes: even with p kept between 0.05 and 0.95 the normal interval needs
# hundreds of rows before its worst case is near 95%. Over all p its worst case is 0 at every n: as p → 0 almost all
# samples have no mistake, and then the interval is the single point 0.

sizes = np.unique(np.geomspace(5, 1000, 60).astype(int))
inner = np.linspace(0.05, 0.95, 181)
figure, (mean, worst) = plt.subplots(1, 2, figsize=(9, 3.8), sharex=True, layout="constrained")
styles = (
    ("#D55E00", "-"),
    ("#0072B2", "-"),
    ("#56B4E9", "--"),
    ("#009E73", "-"),
    ("#222222", "-"),
    ("#E69F00", "--"),
)
for (method, name), (colour, line) in zip(NAMES.items(), styles, strict=True):
    table = coverage(method, sizes[:, None], inner)
    mean.semilogx(sizes, table.mean(axis=1), color=colour, linestyle=line, linewidth=1.2, label=name)
    worst.semilogx(sizes, table.min(axis=1), color=colour, linestyle=line, linewidth=1.2)
for ax in (mean, worst):
    ax.axhline(0.95, color="#6B7280", linewidth=1, linestyle=":")
mean.set(xlabel="rows n", ylabel="actual coverage", title="average over p from 0.05 to 0.95", ylim=(0.85, 1.002))
worst.set(xlabel="rows n", title="worst p from 0.05 to 0.95", ylim=(0.2, 1.02))
mean.legend(fontsize=8, loc="lower right")
plt.show()

# %%
# In figures
# ----------
# Nominal 95%; the last column is the infimum over every p in (0, 1), found exactly.

print(f"{'actual coverage':18}{'n':>6}{'p=0.01':>9}{'p=0.05':>9}{'p=0.2':>9}{'p=0.5':>9}{'worst p':>9}")
for method, name in NAMES.items():
    for n in (20, 100, 1000):
        values = [*coverage(method, n, [0.01, 0.05, 0.2, 0.5]), least_coverage(method, n).coverage]
        print(f"{name if n == 20 else '':18}{n:6}" + "".join(f"{value:9.3f}" for value in values))

# %%
# Which one to use: Wilson for a report, since it is near its level and short; Clopper–Pearson for a guarantee. The
# library prints Wilson's interval unless asked otherwise.
