"""How long runs take, measured cell by cell, and how many of them make a batch."""

from bentpipe.scenario import Cell

TARGET_S = 2.0
"""Work of a batch: long beside the 10 ms or so that Dask takes for one, short beside a campaign."""

FIRST_S = 0.5
"""What a run is taken for while none has ended: batches of four to begin with."""

CAUTION = 2.0
"""By how much more than a mean run one of a cell is taken for that has not been measured yet."""

LEAST_S = 0.1
"""Shorter ones would keep nobody busy while they are on their way."""

SHARE_OF_REST = 0.5
"""Of what is left for each worker, the most that a batch may be: the last are short, and nobody waits."""


class Costs:
    """Means of what the runs of each cell took."""

    def __init__(self) -> None:
        self._cells: dict[int, tuple[int, float]] = {}
        self._runs = 0
        self._sum_s = 0.0

    def add(self, cell: Cell, took_s: float) -> None:
        """Count a run of a cell."""
        runs, sum_s = self._cells.get(id(cell), (0, 0.0))
        self._cells[id(cell)] = (runs + 1, sum_s + took_s)
        self._runs += 1
        self._sum_s += took_s

    def of(self, cell: Cell) -> float:
        """Return the seconds that a run of a cell is taken for."""
        runs, sum_s = self._cells.get(id(cell), (0, 0.0))
        if runs:
            return sum_s / runs
        return CAUTION * self._mean_s() if self._runs else FIRST_S

    def target_s(self, *, waiting: int, workers: int) -> float:
        """Return how much work the next batch is to be while so many runs wait for so many workers."""
        share_s = SHARE_OF_REST * waiting * self._mean_s() / max(1, workers)
        return min(TARGET_S, max(LEAST_S, share_s))

    def _mean_s(self) -> float:
        return self._sum_s / self._runs if self._runs else FIRST_S
