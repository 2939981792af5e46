"""Quantities as written in a scenario: text with a unit in, integers in SI units out."""

import math
from collections.abc import Callable

from bentpipe import _core
from bentpipe.scenario.where import Where, shown

SECOND_NS = 1_000_000_000
LONGEST_NS = 24 * 3600 * SECOND_NS
FASTEST_BPS = 10**12
LARGEST_BYTES = 10**12


def duration_ns(text: str, where: Where, *, least_ns: int = 0) -> int:
    """Return the nanoseconds of a duration such as "250 ms", at most a day."""
    expected = (
        f'a duration from {_core.format_duration(least_ns)} to 24 h such as "250 ms" (ns, us, ms, s, min, h)'
    )
    return _read(_core.parse_duration_ns, text, where, expected, range(least_ns, LONGEST_NS + 1))


def offset_ns(text: str, where: Where) -> int:
    """Return the nanoseconds of a duration such as "20 ms" or "-33 ms", at most a day."""
    expected = 'a duration such as "20 ms" or "-33 ms" (ns, us, ms, s, min, h)'

    def parse(text: str) -> int:
        magnitude = text.lstrip().removeprefix("-")
        return _core.parse_duration_ns(magnitude) * (1 if magnitude == text.lstrip() else -1)

    return _read(parse, text, where, expected, range(-LONGEST_NS, LONGEST_NS + 1))


def rate_bps(text: str, where: Where) -> int:
    """Return the bits per second of a rate such as "10 Mbit/s", above zero and at most 1 Tbit/s."""
    expected = 'a rate above zero such as "10 Mbit/s" (bit/s, kbit/s, Mbit/s, Gbit/s)'
    return _read(_core.parse_rate_bps, text, where, expected, range(1, FASTEST_BPS + 1))


def size_bytes(text: str, where: Where, *, least: int = 1, most: int = LARGEST_BYTES) -> int:
    """Return the bytes of a size such as "36 MB"."""
    bounds = f"from {_core.format_size(least)} to {_core.format_size(most)}"
    expected = f'a size {bounds} such as "36 kB" (B, kB, KiB, MB, MiB, GB, GiB)'
    return _read(_core.parse_size_bytes, text, where, expected, range(least, most + 1))


def fraction(value: float | str, where: Where) -> float:
    """Return a fraction from 0 to 1, written as a number or as "1 %"."""
    error = where.error(expected='a fraction from 0 to 1 such as 0.01 or "1 %"', found=shown(value))
    if isinstance(value, str):
        try:
            return _core.parse_fraction(value)
        except ValueError:
            raise error from None
    if math.isfinite(value) and 0 <= value <= 1:
        return float(value)
    raise error


def count(value: int, where: Where, *, least: int, most: int) -> int:
    """Return `value` when it lies in the bounds."""
    if least <= value <= most:
        return value
    raise where.error(expected=f"a whole number from {least} to {most}", found=shown(value))


def _read(parse: Callable[[str], int], text: str, where: Where, expected: str, bounds: range) -> int:
    try:
        value = parse(text)
    except ValueError:
        value = None
    if value is None or value not in bounds:
        raise where.error(expected=expected, found=shown(text))
    return value
