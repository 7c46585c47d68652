"""Loan applications, simulated: a classification table with every kind of column and a known Bayes error."""

from typing import NamedTuple

import numpy as np

from learnable.datasets.column import Kind
from learnable.datasets.embedded.build import category, number
from learnable.datasets.table import Table
from learnable.seeds import generator_from

EDUCATION = ("school", "bachelor", "master", "doctorate")
HOME = ("mortgage", "own", "rent")
PURPOSE = ("business", "car", "education", "holiday")
REGION = ("east", "north", "south", "west")

BAYES_ERROR = 0.1546
"""E min(p, 1 − p) under the law of `applicants`, by 20 million draws (standard error 0.00002)."""


class Applicants(NamedTuple):
    """Complete rows: what is observed, and the probability of default that nobody observes."""

    age: np.ndarray
    income: np.ndarray
    amount: np.ndarray
    years_employed: np.ndarray
    card_use: np.ndarray
    home: np.ndarray
    purpose: np.ndarray
    region: np.ndarray
    education: np.ndarray
    guarantor: np.ndarray
    probability: np.ndarray


def loans(n_rows: int = 600, random_state: int = 11) -> Table:
    """Simulated loan applications and whether each ended in default.

    With b = amount / income, u = card_use, a = age, j = years_employed, e = education counted from 0,

        logit p = −4.4 + 3.2 b + 4.5 u − 0.22 j − 0.5 e + ((a − 45)/11)² + 1.1·[rent] + 1.5·[business]
                  − 1.6·[guarantor] + 2.5·[rent]·(u − 0.4),

    default ~ Bernoulli(p). Region plays no part. The age term is U-shaped and the last term is an interaction, so a
    linear rule cannot be optimal. On complete rows no rule errs less often than `BAYES_ERROR` = 0.155; about 4% of
    years_employed, 3% of card_use and 3% of education are then blanked out at random, which can only raise it.

    Parameters
    ----------
    n_rows : number of applications.
    random_state : seed of the generator; the embedded table is the default one.

    Returns
    -------
    Table with 10 feature columns and the target column "default" ("no", "yes").

    >>> table = loans()
    >>> table.n_rows, len(table.columns), table.column("education").levels
    (600, 11, ('school', 'bachelor', 'master', 'doctorate'))
    """
    rng = generator_from(random_state, "loans")
    a = applicants(n_rows, rng)
    default = rng.random(n_rows) < a.probability
    columns = (
        number("age", a.age),
        number("income", a.income),
        number("amount", a.amount),
        number("years_employed", a.years_employed, rng.random(n_rows) < 0.04),
        number("card_use", a.card_use, rng.random(n_rows) < 0.03),
        category("home", a.home, HOME),
        category("purpose", a.purpose, PURPOSE),
        category("region", a.region, REGION),
        category("education", a.education, EDUCATION, Kind.ORDERED, rng.random(n_rows) < 0.03),
        category("guarantor", a.guarantor.astype(int), ("no", "yes"), Kind.BOOLEAN),
        category("default", default.astype(int), ("no", "yes"), Kind.BOOLEAN),
    )
    return Table(columns, n_rows, "loans")


def applicants(n_rows: int, rng: np.random.Generator) -> Applicants:
    """Draw complete rows; the probability is that of the rounded values a reader of the table sees.

    >>> a = applicants(3, np.random.default_rng(0))
    >>> bool(np.all((a.probability > 0) & (a.probability < 1)))
    True
    """
    age = np.floor(rng.uniform(20, 71, n_rows))
    income = np.round(np.exp(rng.normal(3.6, 0.45, n_rows)), 1)
    amount = np.round(income * rng.gamma(2.0, 0.25, n_rows), 1)
    years_employed = np.round(rng.uniform(0, np.minimum(age - 18, 15.0)), 1)
    card_use = np.round(rng.beta(1.6, 2.4, n_rows), 2)
    home = rng.choice(3, n_rows, p=[0.35, 0.25, 0.4])
    purpose = rng.choice(4, n_rows, p=[0.2, 0.4, 0.25, 0.15])
    region = rng.choice(4, n_rows)
    education = rng.choice(4, n_rows, p=[0.4, 0.3, 0.22, 0.08])
    guarantor = rng.random(n_rows) < 0.25
    rent, business = home == HOME.index("rent"), purpose == PURPOSE.index("business")
    logit = (
        -4.4
        + 3.2 * amount / income
        + 4.5 * card_use
        - 0.22 * years_employed
        - 0.5 * education
        + ((age - 45) / 11) ** 2
        + 1.1 * rent
        + 1.5 * business
        - 1.6 * guarantor
        + 2.5 * rent * (card_use - 0.4)
    )
    probability = 1 / (1 + np.exp(-logit))
    return Applicants(
        age, income, amount, years_employed, card_use, home, purpose, region, education, guarantor, probability
    )
