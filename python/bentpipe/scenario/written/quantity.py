"""Quantities as written in a scenario: text with a unit in, integers in SI units out."""

import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from bentpipe import _core
from bentpipe.scenario.written.location import Location, quoted

SECOND_NS = 1_000_000_000
MILLISECOND_NS = 1_000_000
LONGEST_NS = 24 * 3600 * SECOND_NS
FASTEST_BPS = 10**12
LARGEST_BYTES = 10**12
FASTEST_SYMBOLS_PER_S = 10**9
MOST_SYMBOLS = 10**6
LARGEST_DB = 100


def duration_ns(text: str, where: Location, *, least_ns: int = 0) -> int:
    """Return the nanoseconds of a duration such as "250 ms", at most a day."""
    expected = (
        f'a duration from {_core.format_duration(least_ns)} to 24 h such as "250 ms" (ns, us, ms, s, min, h)'
    )
    return _read(_core.parse_duration_ns, text, where, expected, range(least_ns, LONGEST_NS + 1))


def offset_ns(text: str, where: Location) -> int:
    """Return the nanoseconds of a duration such as "20 ms" or "-33 ms", at most a day."""
    expected = 'a duration such as "20 ms" or "-33 ms" (ns, us, ms, s, min, h)'

    def parse(text: str) -> int:
        magnitude = text.lstrip().removeprefix("-")
        return _core.parse_duration_ns(magnitude) * (1 if magnitude == text.lstrip() else -1)

    return _read(parse, text, where, expected, range(-LONGEST_NS, LONGEST_NS + 1))


def rate_bps(text: str, where: Location) -> int:
    """Return the bits per second of a rate such as "10 Mbit/s", above zero and at most 1 Tbit/s."""
    expected = 'a rate above zero such as "10 Mbit/s" (bit/s, kbit/s, Mbit/s, Gbit/s)'
    return _read(_core.parse_rate_bps, text, where, expected, range(1, FASTEST_BPS + 1))


def size_bytes(text: str, where: Location, *, least: int = 1, most: int = LARGEST_BYTES) -> int:
    """Return the bytes of a size such as "36 MB"."""
    bounds = f"from {_core.format_size(least)} to {_core.format_size(most)}"
    expected = f'a size {bounds} such as "36 kB" (B, kB, KiB, MB, MiB, GB, GiB)'
    return _read(_core.parse_size_bytes, text, where, expected, range(least, most + 1))


def size_bytes_or(
    text: str | None, default_bytes: int, where: Location, *, least: int = 1, most: int = LARGEST_BYTES
) -> int:
    """Return the bytes of a size, or the default where none is written."""
    return default_bytes if text is None else size_bytes(text, where, least=least, most=most)


def percent(text: str, where: Location) -> int:
    """Return the whole percents of a share such as "50 %"."""
    value = scaled(text, {"%": 1})
    if value is None or value.denominator != 1 or not 0 <= value <= 100:
        raise where.error(expected='whole percents from 0 % to 100 % such as "50 %"', found=quoted(text))
    return int(value)


def decibels(text: str, where: Location, *, least: int = -LARGEST_DB, most: int = LARGEST_DB) -> float:
    """Return the decibels of a ratio such as "20 dB"."""
    value = scaled(text, {"dB": 1})
    if value is None or not least <= value <= most:
        raise where.error(expected=f'from {least} dB to {most} dB such as "10 dB"', found=quoted(text))
    return float(value)


def symbols_per_s(text: str, where: Location) -> int:
    """Return the symbols per second of a symbol rate such as "4 Msym/s"."""
    value = scaled(text, {"sym/s": 1, "ksym/s": 10**3, "Msym/s": 10**6})
    if value is None or value.denominator != 1 or not 1 <= value <= FASTEST_SYMBOLS_PER_S:
        expected = 'whole symbols a second up to 1000 Msym/s such as "4 Msym/s" (sym/s, ksym/s, Msym/s)'
        raise where.error(expected=expected, found=quoted(text))
    return int(value)


def hertz(text: str, where: Location) -> Fraction:
    """Return a bandwidth or a frequency such as "5 MHz"."""
    value = scaled(text, {"Hz": 1, "kHz": 10**3, "MHz": 10**6, "GHz": 10**9})
    if value is None or value <= 0:
        raise where.error(expected='hertz above zero such as "5 MHz" (Hz, kHz, MHz, GHz)', found=quoted(text))
    return value


def degrees(text: str, where: Location, *, least: int, most: int) -> float:
    """Return the degrees of an angle such as "57.15 deg"."""
    value = scaled(text, {"deg": 1})
    if value is None or not least <= value <= most:
        expected = f'from {least} deg to {most} deg such as "57.15 deg"'
        raise where.error(expected=expected, found=quoted(text))
    return float(value)


def metres(text: str, where: Location) -> float:
    """Return the metres of a length such as "550 km"; depths are negative."""
    value = scaled(text, {"m": 1, "km": 1000})
    if value is None:
        raise where.error(expected='a length such as "550 km" (m, km)', found=quoted(text))
    return float(value)


def symbols(text: str, where: Location, *, least: int = 0) -> int:
    """Return a number of symbols such as "4 sym"."""
    value = scaled(text, {"sym": 1})
    if value is None or value.denominator != 1 or not least <= value <= MOST_SYMBOLS:
        expected = f'whole symbols from {least} sym to {MOST_SYMBOLS} sym such as "536 sym"'
        raise where.error(expected=expected, found=quoted(text))
    return int(value)


def scaled(text: str, units: Mapping[str, int]) -> Fraction | None:
    """Return a decimal number times its unit, exactly, or None where the text is none."""
    match = re.fullmatch(r"\s*(-?[0-9]{1,12}(?:\.[0-9]{1,12})?)\s*(\S+)\s*", text)
    if match is None or match[2] not in units:
        return None
    return Fraction(match[1]) * units[match[2]]


def fraction(value: float | str, where: Location) -> float:
    """Return a fraction from 0 to 1, written as a number or as "1 %"."""
    error = where.error(expected='a fraction from 0 to 1 such as 0.01 or "1 %"', found=quoted(value))
    if isinstance(value, str):
        try:
            return _core.parse_fraction(value)
        except ValueError:
            raise error from None
    if math.isfinite(value) and 0 <= value <= 1:
        return float(value)
    raise error


def count(value: int, where: Location, *, least: int, most: int) -> int:
    """Return `value` when it lies in the bounds."""
    if least <= value <= most:
        return value
    raise where.error(expected=f"a whole number from {least} to {most}", found=quoted(value))


def _read(parse: Callable[[str], int], text: str, where: Location, expected: str, bounds: range) -> int:
    try:
        value = parse(text)
    except ValueError:
        value = None
    if value is None or value not in bounds:
        raise where.error(expected=expected, found=quoted(text))
    return value
