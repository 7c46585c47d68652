"""Films: the run of any algorithm as one HTML page, with the proof moving beside the picture."""

from typing import TYPE_CHECKING

from learnable.lazy import import_when_used

if TYPE_CHECKING:
    from learnable.films.comparing import film_of_comparison
    from learnable.films.frames import Film
    from learnable.films.pruning import film_of_pruning
    from learnable.films.registry import draws
    from learnable.films.shooting import film

__all__ = ["Film", "draws", "film", "film_of_comparison", "film_of_pruning"]

import_when_used(__name__)
