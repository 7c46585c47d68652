"""
Naive Bayes: which words tell, and why this note was filed there
================================================================

Notes from a household, to be filed under kitchen, garden or workshop. Each has a text, the hour it was written, and
who wrote it; some cells are missing. Naive Bayes takes the table as it is.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from learnable.bayes import NaiveBayes, telling_words
from learnable.features import WordCounts

rng = np.random.default_rng(3)
common = [
    "the",
    "and",
    "for",
    "please",
    "buy",
    "more",
    "today",
    "tomorrow",
    "need",
    "look",
    "at",
    "old",
    "new",
    "again",
]
own = {
    "garden": ["roses", "soil", "water", "seeds", "spade", "tomatoes", "hedge", "rain", "bulbs", "compost"],
    "kitchen": ["flour", "oven", "bread", "butter", "onions", "soup", "knife", "rice", "pan", "tomatoes"],
    "workshop": ["screws", "drill", "oak", "glue", "saw", "sandpaper", "hinge", "paint", "vice", "spade"],
}
writers = {"garden": [0.5, 0.3, 0.1, 0.1], "kitchen": [0.2, 0.5, 0.2, 0.1], "workshop": [0.1, 0.2, 0.6, 0.1]}


def note(place):
    words = [*rng.choice(common, 5), *rng.choice(own[place], rng.integers(1, 4))]
    if rng.random() < 0.3:  # a stray word from elsewhere
        words.append(rng.choice(own[rng.choice(list(own))]))
    return " ".join(rng.permutation(words))


places = rng.choice(list(own), 300, p=[0.3, 0.45, 0.25])
hours = {"garden": 10, "kitchen": 18, "workshop": 15}
notes = pd.DataFrame(
    {
        "text": [note(place) for place in places],
        "hour": [rng.normal(hours[place], 2.5) if rng.random() < 0.8 else None for place in places],
        "writer": [rng.choice(["Ada", "Ben", "Cleo", None], p=writers[place]) for place in places],
    }
)

# %%
# The vocabulary leaves out the ten most frequent words and those seen fewer than three times. The most telling words
# of a class are those whose log-odds, against the other classes, are surest to be positive: a difference and its
# uncertainty, both exact under the Dirichlet posterior of the shares.

coder = WordCounts(drop_frequent=10, min_count=3)
counts = coder.fit_transform(notes["text"])
ranked = telling_words(counts, places, coder.vocabulary_, top=8)

# %%
# The classifier of the whole table, and what every column says about one note.

model = NaiveBayes(drop_frequent=10, min_count=3, kinds={"text": "text"}).fit(notes, places)
new = pd.DataFrame({"text": ["need the spade and new screws today"], "hour": [11.0], "writer": ["Cleo"]})
why = model.explain(new)[0]
print(model.certificate_)
print(why)

figure, axes = plt.subplots(1, 4, figsize=(11, 3.6), layout="constrained", width_ratios=[1, 1, 1, 1.1])
for axis, found, colour in zip(axes, ranked, ("#009E73", "#E69F00", "#0072B2")):
    place = np.arange(len(found.words))[::-1]
    low, high = found.interval(0.95).T
    axis.errorbar(found.log_odds, place, xerr=[found.log_odds - low, high - found.log_odds], fmt="o", color=colour)
    axis.axvline(0.0, color="#9CA3AF", linewidth=0.8)
    axis.set_yticks(place, found.words)
    axis.set(title=found.label, xlabel="log-odds, 95%")
parts = {"prior": why.prior} | why.columns
axes[3].barh(list(parts), list(parts.values()), color=["#0072B2" if v > 0 else "#D55E00" for v in parts.values()])
axes[3].axvline(0.0, color="#9CA3AF", linewidth=0.8)
axes[3].invert_yaxis()
axes[3].set(title=f"{why.label}, not {why.other}", xlabel="log-odds by column")
plt.show()

# %%
# A missing cell is left out of the product: the log-probabilities change by exactly what its column had said.

whole, silent = (model.predict_joint_log_proba(rows)[0] for rows in (new, new.assign(hour=[None])))
print(np.allclose(whole - silent, model.contributions(new)[0, list(new).index("hour")]))
