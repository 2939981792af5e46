"""What chance decides about a cell, the same on every machine and for every number of cells."""

import math
from collections.abc import Mapping
from random import Random
from typing import TypeVar

Drawn = TypeVar("Drawn")


class Draw:
    """The random numbers of one attempt at a cell; no other cell and no other attempt has them.

    Parameters
    ----------
    seed : int
        Of the set.
    index : int
        The cell's place in it.
    attempt : int
        Counted from 0: what is refused is drawn again.
    """

    def __init__(self, *, seed: int, index: int, attempt: int) -> None:
        # `seed(str)` and `random()` are what Python promises to keep as they are; all else is made of them.
        self._random = Random(f"{seed}/{index}/{attempt}")

    def happens(self, p: float) -> bool:
        """Whether something of this probability is so."""
        return self._random.random() < p

    def one_of(self, *values: Drawn) -> Drawn:
        """Return one of the values, each as likely."""
        return values[int(self._random.random() * len(values))]

    def weighted(self, weights: Mapping[Drawn, float]) -> Drawn:
        """Return one of the keys, as likely as its weight says."""
        left = self._random.random() * sum(weights.values())
        for value, weight in weights.items():
            left -= weight
            if left < 0:
                return value
        return value

    def between(self, low: float, high: float) -> float:
        """Return a number from `low` to `high`, any of them as likely."""
        return low + (high - low) * self._random.random()

    def log_between(self, low: float, high: float) -> float:
        """Return a number from `low` to `high`, both above zero, each decade as likely."""
        return low * math.exp(self._random.random() * math.log(high / low))

    def count(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, each decade about as likely."""
        return min(high, int(self.log_between(low, high + 1)))

    def rate(self, low_bps: float, high_bps: float) -> str:
        """Return a rate as it is written, each decade as likely."""
        return rate_text(self.log_between(low_bps, high_bps))

    def duration(self, low_s: float, high_s: float) -> str:
        """Return a duration as it is written, each decade as likely."""
        return duration_text(self.log_between(low_s, high_s))

    def fraction(self, low: float, high: float) -> float:
        """Return a fraction of two digits, each decade as likely."""
        return float(f"{self.log_between(low, high):.2g}")


def rate_text(rate_bps: float) -> str:
    """Write a rate with three digits."""
    return f"{rounded(rate_bps / 1e3)} kbit/s" if rate_bps < 1e6 else f"{rounded(rate_bps / 1e6)} Mbit/s"


def duration_text(duration_s: float) -> str:
    """Write a duration with three digits."""
    return f"{rounded(duration_s * 1e3)} ms" if duration_s < 1 else f"{rounded(duration_s)} s"


def size_text(size_bytes: float) -> str:
    """Write a size with three digits."""
    return f"{rounded(size_bytes / 1e3)} kB" if size_bytes < 1e6 else f"{rounded(size_bytes / 1e6)} MB"


def rounded(value: float) -> str:
    """Write a number of at least a thousandth with three digits and no exponent."""
    digits = max(0, 2 - math.floor(math.log10(value)))
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
