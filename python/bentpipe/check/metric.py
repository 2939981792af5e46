"""What a budget is about: a metric with its unit, and a statistic of its values over the runs of a cell."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np

from bentpipe import amounts
from bentpipe.scenario.written.location import Location, closest, quoted
from bentpipe.scenario.written.quantity import SECOND_NS, duration_ns, fraction, rate_bps, scaled, size_bytes
from bentpipe.stats import HIGHER_IS_BETTER
from bentpipe.stats.metrics import METRICS
from bentpipe.stats.units import FRACTIONS, unit_of

NAMED_STATISTICS = ("mean", "median", "min", "max")
_PERCENTILE = re.compile(r"p([1-9][0-9]?)")


class Unit(Enum):
    """What a metric is measured in; the value is what a limit is written like."""

    SECONDS = 'a duration such as "6 s"'
    BITS_PER_SECOND = 'a rate such as "10 Mbit/s"'
    BYTES = 'a size such as "800 kB"'
    PERCENT = 'a percentage such as "12.5 %"'
    FRACTION = 'a fraction from 0 to 1 such as 0.9 or "90 %"'
    COUNT = "a number such as 20"


_UNITS = {"s": Unit.SECONDS, "bit/s": Unit.BITS_PER_SECOND, "B": Unit.BYTES, "%": Unit.PERCENT}
"""By what names of metrics end in."""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A metric of a record by its name (`bentpipe.stats.metrics`)."""

    name: str

    @property
    def unit(self) -> Unit:
        """What it is measured in, which its name ends in."""
        if self.name in FRACTIONS:
            return Unit.FRACTION
        return _UNITS.get(unit_of(self.name) or "", Unit.COUNT)

    @property
    def is_better_high(self) -> bool:
        """Whether more of it is better."""
        return self.name in HIGHER_IS_BETTER

    def written(self, value: float) -> str:
        """Write a value for people: "5.820 s", "523.8 kB"."""
        match self.unit:
            case Unit.SECONDS:
                return amounts.seconds(value)
            case Unit.BITS_PER_SECOND:
                return amounts.rate(value)
            case Unit.BYTES:
                return amounts.size(value)
            case Unit.PERCENT:
                return amounts.percent(value)
            case Unit.FRACTION:
                return amounts.percent(100 * value)
            case Unit.COUNT:
                return f"{value:g}"

    def limit(self, written: str | float, where: Location) -> float:
        """Return a limit in the metric's own unit.

        Raises
        ------
        InputError
            When it is not written in that unit.
        """
        refused = where.error(expected=self.unit.value, found=quoted(written))
        if self.unit is Unit.FRACTION:
            return fraction(written, where)
        if self.unit is Unit.COUNT:
            if isinstance(written, str) or not 0 <= written < np.inf:
                raise refused
            return float(written)
        if not isinstance(written, str):
            raise refused
        match self.unit:
            case Unit.SECONDS:
                return duration_ns(written, where) / SECOND_NS
            case Unit.BITS_PER_SECOND:
                return float(rate_bps(written, where))
            case Unit.BYTES:
                return float(size_bytes(written, where, least=0))
            case Unit.PERCENT:
                percents = scaled(written, {"%": 1})
                if percents is None or percents < 0:
                    raise refused
                return float(percents)


def metric(name: str, where: Location) -> Metric:
    """Return the metric of a name; raises InputError where records have none."""
    if name in METRICS:
        return Metric(name=name)
    expected = f"a metric of a run: {', '.join(METRICS)}"
    raise where.error(expected=expected, found=quoted(name), suggestion=closest(name, METRICS))


@dataclass(frozen=True, kw_only=True)
class Statistic:
    """A statistic by its name: mean, median, min, max or a percentile such as p95."""

    name: str

    @property
    def is_mean(self) -> bool:
        """Whether it is the mean, whose interval needs no resampling."""
        return self.name == "mean"

    @property
    def has_interval(self) -> bool:
        """Whether runs can say how sure it is: of extremes they cannot."""
        return self.name not in ("min", "max")

    @property
    def share(self) -> float:
        """The share of values below it, of a quantile: 0 of the least, 0.5 of the median."""
        named = {"min": 0.0, "median": 0.5, "max": 1.0}
        return named[self.name] if self.name in named else int(self.name.removeprefix("p")) / 100

    def of(self, values: Sequence[float]) -> float:
        """Return it of a sample of one value at least; quantiles are of type 7 of Hyndman and Fan (1996)."""
        sample = np.asarray(values, dtype=float)
        return float(sample.mean() if self.is_mean else np.quantile(sample, self.share))


def statistic(name: str, where: Location) -> Statistic:
    """Return the statistic of a name; raises InputError where there is none."""
    if name in NAMED_STATISTICS or _PERCENTILE.fullmatch(name):
        return Statistic(name=name)
    expected = f"one of {', '.join(NAMED_STATISTICS)}, or a percentile from p1 to p99"
    raise where.error(expected=expected, found=quoted(name), suggestion=closest(name, NAMED_STATISTICS))


def share(written: str, where: Location) -> float:
    """Return a share such as "3 %" as 0.03; raises InputError where it is none, or below zero."""
    percents: Fraction | None = scaled(written, {"%": 1})
    if percents is None or percents < 0:
        raise where.error(expected='a share such as "3 %"', found=quoted(written))
    return float(percents / 100)
