"""
Colouring a graph by learning a formula
=======================================

Is there a disjunction of three terms that fits some examples? This is as hard as colouring a graph with three colours,
and the reason is a translation: one variable a node; a node is a positive example with a zero at its own variable, an
edge a negative one with zeros at its two ends. The three terms are the three colours.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from learnable.concepts import DNF, KCNFLearner, KTermDNFLearner, colour_graph, truth_table

COLOURS = np.array(["#0072B2", "#E69F00", "#009E73"])
GREY, CLASH = "#D1D5DB", "#D55E00"

# %%
# A formula, or a proof
# ---------------------
# `colour_graph` writes the graph as examples and lets `KTermDNFLearner` look for three terms. Petersen's graph has
# such a formula, and its terms colour the nodes. The friendships in a karate club (Zachary, 1977) have none: the
# certificate holds a proof, checked by unit propagation, and the rows it speaks of are those of four members who are
# all friends with each other.

petersen, club = nx.petersen_graph(), nx.karate_club_graph()
coloured, refuted = colour_graph(petersen), colour_graph(club)
assert coloured.model.certificate_.holds
assert refuted.model.certificate_.claims[-1].holds

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.4), layout="constrained")
nx.draw_networkx(
    petersen,
    nx.shell_layout(petersen, [range(5, 10), range(5)], rotate=0.0),
    ax=left,
    node_color=COLOURS[[coloured.colours[node] for node in petersen]],
    edge_color="#6B7280",
    font_color="white",
    font_size=9,
)
left.set_title("Petersen's graph: three terms, three colours")
clash = club.subgraph(refuted.clash)
places = nx.spring_layout(club, seed=4)
nx.draw_networkx_edges(club, places, ax=right, edge_color=GREY)
nx.draw_networkx_edges(clash, places, ax=right, edge_color=CLASH, width=2.2)
nx.draw_networkx_nodes(
    club, places, ax=right, node_size=150, node_color=[CLASH if node in clash else GREY for node in club]
)
nx.draw_networkx_labels(clash, places, ax=right, font_color="white", font_size=8)
right.set_title("Karate club: proved to need more than three")
for ax in (left, right):
    ax.set_axis_off()
plt.show()

# %%
# An easier language
# ------------------
# Every disjunction of three terms is also a conjunction of clauses of three literals: distribute. To find one of those
# is easy, whatever the examples. The price is a larger class, so that more examples are needed for the same error.

n = 6
target = DNF([[0, 1, 8], [2, 3, 10], [4, 11, 7]], n_variables=n)
print(f"{target}\nhas {len(target.to_cnf())} clauses of at most 3 literals when distributed")
table = truth_table(n).astype(int)
settings = {"domains": [(0, 1)] * n, "classes": (False, True)}
learners = {"three terms (search)": KTermDNFLearner(3, **settings), "3-CNF (elimination)": KCNFLearner(3, **settings)}
sizes = [5, 10, 20, 40, 80, 160]
random = np.random.default_rng(0)
figure, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
errors: dict[str, list[float]] = {name: [] for name in learners}
for m in sizes:
    samples = [table[random.integers(len(table), size=m)] for _ in range(25)]
    for name, learner in learners.items():
        wrong = [np.mean(learner.fit(X, target.covers(X)).predict(table) != target.covers(table)) for X in samples]
        errors[name].append(float(np.mean(wrong)))
for (name, curve), colour in zip(errors.items(), COLOURS):
    ax.plot(sizes, curve, "o-", color=colour, label=name)
ax.set(xscale="log", xlabel="examples", ylabel="error, mean of 25 samples", xticks=sizes, xticklabels=sizes)
ax.minorticks_off()
ax.legend(frameon=False)
plt.show()
