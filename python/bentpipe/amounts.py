"""Amounts as people read them: times, rates, sizes and percentages, each in one way everywhere."""

import math


def seconds(value: float | None) -> str:
    """Write a time for people: "530.00 ms", "3.480 s"."""
    if value is None or not math.isfinite(value):
        return "-"
    return f"{value * 1e3:.2f} ms" if abs(value) < 1 else f"{value:.3f} s"


def rate(value_bps: float | None) -> str:
    """Write a rate for people: "9.47 Mbit/s"."""
    return _with_prefix(value_bps, "bit/s", decimals=2)


def size(value: float | None) -> str:
    """Write a number of bytes for people: "523.8 kB"."""
    return _with_prefix(value, "B", decimals=1)


def percent(value: float | None) -> str:
    """Write a percentage for people: "6.70 %"."""
    return "-" if value is None else f"{value:.2f} %"


def _with_prefix(value: float | None, unit: str, *, decimals: int) -> str:
    """Write a value with the largest prefix of the SI that leaves at least one, or as a whole number."""
    if value is None:
        return "-"
    for prefix, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= scale:
            return f"{value / scale:.{decimals}f} {prefix}{unit}"
    return f"{value:.0f} {unit}"
