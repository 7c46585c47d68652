"""
What four days leave open
=========================

A version space is the set of all hypotheses that agree with the examples. It need not be listed: everything between its
most specific member S and its most general members G belongs to it, and nothing else does.
"""

import matplotlib.pyplot as plt

from learnable import watch
from learnable.concepts import CandidateElimination, VersionSpace
from learnable.datasets import enjoy_sport

days = enjoy_sport().to_arrow().to_pandas()
X, y = days.drop(columns="EnjoySport"), days["EnjoySport"]
learner = CandidateElimination(domains={"Sky": ("Sunny", "Cloudy", "Rainy"), "Wind": ("Strong", "Light")})

# %%
# Members of the concept push S up, the other examples push G down.

sizes = []
for step in watch(learner, X, y):
    state = step.state
    sizes.append(VersionSpace(state.attributes, state.specific, state.general).size)
    print(state)

# %%
# Of the 973 conjunctions that these attributes allow, the four days leave six. On a new day they vote.

model = learner.fit(X, y)
figure, (steps, lattice) = plt.subplots(
    1, 2, figsize=(11, 3.8), layout="constrained", gridspec_kw={"width_ratios": [1, 2.6]}
)
steps.semilogy(range(len(sizes)), sizes, "o-", color="#0072B2")
for k, size in enumerate(sizes):
    steps.annotate(str(size), (k, size), textcoords="offset points", xytext=(5, 5), fontsize=8)
steps.set(xlabel="examples met", ylabel="consistent hypotheses", title="each example removes some")
steps.set_xticks(range(len(sizes)))
steps.spines[["top", "right"]].set_visible(False)
model.version_space_.plot(lattice)
plt.show()

# %%

new = X.iloc[[0, 0, 0]].assign(Sky=["Sunny", "Sunny", "Rainy"], Temp=["Warm", "Cold", "Cold"])
verdict = model.classify(new)
for share, label in zip(verdict.share, verdict.labels, strict=True):
    print(f"{share:.2f} of the hypotheses say Yes: {label or 'rejected'}")
