"""Mean and deviation of values that are not kept."""

from dataclasses import dataclass


@dataclass(kw_only=True)
class Moments:
    """Number, mean and sum of squared deviations of values, in their unit and its square.

    Values are added one by one in a constant amount of memory (Welford 1962, "Note on a method for
    calculating corrected sums of squares and products", equations 1 and 2).
    """

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def add(self, value: float) -> None:
        """Add a value."""
        self.count += 1
        deviation = value - self.mean
        self.mean += deviation / self.count
        self.squares += deviation * (value - self.mean)

    @property
    def sd(self) -> float:
        """The sample's standard deviation, of two values at least."""
        return float((self.squares / (self.count - 1)) ** 0.5)
