"""Claims on table 6: bytes on the wire above the page's, by protocol and page size."""

from bentpipe.figures.style import look
from bentpipe.stats import values_of
from bentpipe.studies import rules
from bentpipe.studies.alshagri2023 import published
from bentpipe.studies.alshagri2023.cells import PROTOCOLS, SIZES_BYTES, cell, page
from bentpipe.studies.measure import against, difference_of, nothing, points_of
from bentpipe.studies.rules import Rule
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Finding, Measurement, Standing, Verdict, judge, verdict

_SMALLEST, *_LARGER = SIZES_BYTES


def much_larger_beside_table_6() -> str:
    """By how much the overhead of HTTP/2 exceeds that of HTTP/1.1 in the study's own table."""
    table = published.OVERHEAD_PERCENT
    ratios = {size: 100 * (table["h2"][size] / table["h1"][size] - 1) for size in SIZES_BYTES}
    listed = ", ".join(f"{ratio:+.1f} % at {_kb(size)}" for size, ratio in ratios.items())
    return f"Table 6 itself has HTTP/2's overhead against HTTP/1.1's at {listed}."


def overhead(runs: Runs, satellite: str) -> tuple[Verdict, ...]:
    """Each number of table 6, and their order."""
    numbers = [
        verdict(
            f"overhead-{http}-{size}",
            f"Overhead of {look(http).label}, page of {_kb(size)}",
            [_number(runs, satellite, http, size)],
            source=published.OVERHEAD_SOURCE,
        )
        for http in PROTOCOLS
        for size in SIZES_BYTES
    ]
    return (*numbers, *_orders(runs, satellite))


def _orders(runs: Runs, satellite: str) -> tuple[Verdict, ...]:
    return (
        verdict(
            "overhead-h3-highest",
            "Overhead: HTTP/3 above HTTP/1.1 and HTTP/2 at each page size",
            [
                _order(runs, satellite, "h3", other, size, rules.more)
                for other in ("h1", "h2")
                for size in SIZES_BYTES
            ],
            source=published.OVERHEAD_SOURCE,
        ),
        verdict(
            "overhead-h1-above-h2-100k",
            "Overhead: HTTP/1.1 above HTTP/2 at 100 kB",
            [_order(runs, satellite, "h1", "h2", _SMALLEST, rules.more)],
            source=published.OVERHEAD_SOURCE,
        ),
        verdict(
            "overhead-h2-above-h1-larger",
            "Overhead: HTTP/2 above HTTP/1.1 from 500 kB on",
            [_order(runs, satellite, "h2", "h1", size, rules.more) for size in _LARGER],
            source=published.OVERHEAD_SOURCE,
        ),
        verdict(
            "overhead-h2-much-larger",
            "Overhead of HTTP/2 much larger than that of HTTP/1.1",
            [_relative(runs, satellite, "h2", "h1", size) for size in SIZES_BYTES],
            source='section 6.5, first finding: "much larger protocol overhead"',
            standing=Standing.IMPOSSIBLE,
            note=much_larger_beside_table_6(),
        ),
    )


def _number(runs: Runs, satellite: str, http: str, size: str) -> Finding:
    return against(
        f"{look(http).label}, {_kb(size)}",
        _values(runs, satellite, http, size),
        published.overhead(http, size),
        decimals=2,
    )


def _order(runs: Runs, satellite: str, sample: str, reference: str, size: str, rule: Rule) -> Finding:
    ours, theirs = (_values(runs, satellite, http, size) for http in (sample, reference))
    label = f"{look(sample).label} less {look(reference).label}, {_kb(size)}"
    found = points_of(ours, theirs) if ours and theirs else _missing(satellite, sample, size)
    return judge(label, found, rule)


def _relative(runs: Runs, satellite: str, sample: str, reference: str, size: str) -> Finding:
    ours, theirs = (_values(runs, satellite, http, size) for http in (sample, reference))
    label = f"{look(sample).label} against {look(reference).label}, {_kb(size)}"
    found = difference_of(ours, theirs) if ours and theirs else _missing(satellite, sample, size)
    return judge(label, found, rules.above)


def _missing(satellite: str, http: str, size: str) -> Measurement:
    return nothing(f"not measured: {satellite} {http} bbr {page('uniform', size)}")


def _values(runs: Runs, satellite: str, http: str, size: str) -> list[float]:
    return values_of(runs, "overhead_percent", **cell(satellite, http, "bbr"), page=page("uniform", size))


def _kb(size: str) -> str:
    return f"{SIZES_BYTES[size] / 1000:g} kB"
