"""What a budget is about: a metric with its unit, and a statistic of its values over the runs of a cell."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bentpipe.scenario.written.location import Location, closest, quoted
from bentpipe.scenario.written.quantity import SECOND_NS, duration_ns, fraction, rate_bps, scaled, size_bytes
from bentpipe.stats import HIGHER_IS_BETTER
from bentpipe.stats.metrics import METRICS

FRACTIONS = ("jain_index", "utilisation", "ack_utilisation", "ping_loss_fraction")
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


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A metric of a record by its name (`bentpipe.stats.metrics`)."""

    name: str

    @property
    def unit(self) -> Unit:
        """What it is measured in, which its name ends in."""
        if self.name.endswith("_s"):
            return Unit.SECONDS
        if self.name.endswith("_bps"):
            return Unit.BITS_PER_SECOND
        if self.name.endswith("_percent"):
            return Unit.PERCENT
        if "bytes" in self.name.split("_"):
            return Unit.BYTES
        return Unit.FRACTION if self.name in FRACTIONS else Unit.COUNT

    @property
    def is_better_high(self) -> bool:
        """Whether more of it is better."""
        return self.name in HIGHER_IS_BETTER

    def written(self, value: float) -> str:
        """Write a value for people: "5.820 s", "523.8 kB"."""
        match self.unit:
            case Unit.SECONDS:
                return f"{value:.3f} s" if value >= 1 else f"{value * 1e3:.2f} ms"
            case Unit.BITS_PER_SECOND:
                return _with_prefix(value, "bit/s")
            case Unit.BYTES:
                return _with_prefix(value, "B")
            case Unit.PERCENT:
                return f"{value:.2f} %"
            case Unit.FRACTION:
                return f"{100 * value:.2f} %"
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

    def along(self, values: NDArray[np.float64], axis: int) -> NDArray[np.float64] | np.float64:
        """Return it of an array along an axis; percentiles lie between values (Hyndman, Fan 1996, type 7)."""
        match self.name:
            case "mean":
                return np.asarray(values.mean(axis=axis))
            case "min":
                return np.asarray(values.min(axis=axis))
            case "max":
                return np.asarray(values.max(axis=axis))
        share = 50.0 if self.name == "median" else float(self.name.removeprefix("p"))
        return np.asarray(np.percentile(values, share, axis=axis))

    def of(self, values: Sequence[float]) -> float:
        """Return it of a sample of one value at least."""
        return float(self.along(np.asarray(values, dtype=float), -1))


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


def _with_prefix(value: float, unit: str) -> str:
    for prefix, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= scale:
            return f"{value / scale:.2f} {prefix}{unit}"
    return f"{value:g} {unit}"
