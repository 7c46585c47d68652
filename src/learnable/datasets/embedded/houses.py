"""House prices, simulated: a regression table with a known noise level."""

import numpy as np

from learnable.datasets.column import Kind
from learnable.datasets.embedded.build import category, number
from learnable.datasets.table import Table
from learnable.seeds import generator_from

CONDITION = ("poor", "fair", "good", "excellent")
HEATING = ("electric", "gas", "heat pump", "oil")
DISTRICT = ("harbour", "hill", "old town", "station", "suburb")

NOISE = 18.0
"""Standard deviation of the price around its mean, in thousands: no rule has a smaller root mean squared error."""

_HEATING_WORTH = np.array([0.0, 6.0, 20.0, -4.0])
_DISTRICT_WORTH = np.array([35.0, 50.0, 25.0, 0.0, 10.0])


def houses(n_rows: int = 500, random_state: int = 7) -> Table:
    """Simulated house sales.

    In thousands, with condition c counted from 0,

        price = 60 + 2.1·area + 24·c − 0.9·age + 0.006·age² − 11·√distance + 18·[garage]
                + worth(heating) + worth(district) + N(0, 18²).

    The number of rooms goes with the area and adds nothing to it; lot width plays no part. About 4% of the ages
    and 2% of the heatings are blanked out at random. On complete rows the smallest possible root mean squared error is
    `NOISE` = 18.

    Parameters
    ----------
    n_rows : number of sales.
    random_state : seed of the generator; the embedded table is the default one.

    Returns
    -------
    Table with 9 feature columns and the target column "price".

    >>> houses().column("price").kind
    <Kind.NUMBER: 'number'>
    """
    rng = generator_from(random_state, "houses")
    area = np.round(np.clip(rng.normal(120, 35, n_rows), 35, 320))
    rooms = np.clip(np.round(area / 27 + rng.normal(0, 0.8, n_rows)), 1, 12)
    age = np.floor(rng.gamma(2.0, 18.0, n_rows))
    distance = np.round(rng.gamma(2.0, 4.0, n_rows), 1)
    lot_width = np.round(rng.uniform(8, 30, n_rows), 1)
    condition = rng.choice(4, n_rows, p=[0.12, 0.33, 0.38, 0.17])
    heating = rng.choice(4, n_rows, p=[0.2, 0.45, 0.2, 0.15])
    district = rng.choice(5, n_rows, p=[0.1, 0.15, 0.15, 0.25, 0.35])
    garage = rng.random(n_rows) < 0.6
    mean = (
        60
        + 2.1 * area
        + 24 * condition
        - 0.9 * age
        + 0.006 * age**2
        - 11 * np.sqrt(distance)
        + 18 * garage
        + _HEATING_WORTH[heating]
        + _DISTRICT_WORTH[district]
    )
    price = np.round(mean + rng.normal(0, NOISE, n_rows), 1)
    columns = (
        number("area", area),
        number("rooms", rooms),
        number("age", age, rng.random(n_rows) < 0.04),
        number("distance", distance),
        number("lot_width", lot_width),
        category("condition", condition, CONDITION, Kind.ORDERED),
        category("heating", heating, HEATING, missing=rng.random(n_rows) < 0.02),
        category("district", district, DISTRICT),
        category("garage", garage.astype(int), ("no", "yes"), Kind.BOOLEAN),
        number("price", price),
    )
    return Table(columns, n_rows, "houses")
