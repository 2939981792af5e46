"""A number of a publication: where it stands there, and how far ours may lie from it."""

import math
from dataclasses import dataclass

NORMAL_95 = 1.96
"""The normal distribution's 97.5 % quantile."""


@dataclass(frozen=True, kw_only=True)
class PublishedNumber:
    """A published number with its unit and source.

    Attributes
    ----------
    value : float
        As printed.
    unit : str
        As printed, "%" for percent.
    source : str
        Where it stands: "Table II", "section 4.2", "Fig. 11, read off".
    margin_percent : float
        How far ours may lie from it: what follows from how it is printed, or the spread of the publication's
        own replicates where that is greater.
    margin_because : str
        Where the margin comes from.
    sd : float or None
        Standard deviation of the values that it is the mean of, where it is published.
    n : int or None
        How many these are.
    """

    value: float
    unit: str
    source: str
    margin_percent: float
    margin_because: str
    sd: float | None = None
    n: int | None = None

    @property
    def reach_percent(self) -> float:
        """How far its own 95 % interval reaches to either side, in percent of it; 0 where it has none."""
        if self.sd is None or self.n is None:
            return 0.0
        return 100 * NORMAL_95 * self.sd / math.sqrt(self.n) / abs(self.value)

    @property
    def text(self) -> str:
        """As printed, with its unit."""
        spread = "" if self.sd is None else f" (sd {self.sd:g})"
        return f"{self.value:g} {self.unit}{spread}"
