"""The study's table and schemes with ours beside them; which kind of HTTP/1.1 it had; what push does."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bentpipe.studies.caviglione2014 import published
from bentpipe.studies.caviglione2014.cells import (
    BY_NAME,
    BY_VOLUME,
    CONSTANT,
    FULL_HANDSHAKES,
    PUSHES,
    SCHEMES,
    VARIANTS,
    Variant,
)
from bentpipe.studies.caviglione2014.loads import (
    BUSIEST,
    CONNECTIONS,
    DATA,
    PLT,
    RTT,
    WIRE,
    Quantity,
    loads,
    values,
)
from bentpipe.studies.columns import Filled, count, filled, headings, mean_and_reach, rows
from bentpipe.studies.measure import mean_of
from bentpipe.studies.study import NOTHING_MEASURED, Row, Run, Runs, StudyTable


@dataclass(frozen=True, kw_only=True)
class _Cell:
    """The loads of a variant with a scheme, and what the study prints of them."""

    variant: Variant
    scheme: str
    loads: Sequence[Run]
    push: str = ""

    @property
    def theirs(self) -> published.Load | None:
        """The study's table, which is of a constant rate."""
        return published.LOADS.get(self.variant.http) if self.scheme == CONSTANT else None

    @property
    def published_plt_s(self) -> float | None:
        """Its load time, also that with capacity by volume."""
        if self.scheme == BY_VOLUME:
            return published.VBDC_PLT_S.get(self.variant.http)
        return self.theirs.plt_s if self.theirs else None

    @property
    def published_rtt_s(self) -> float | None:
        """Its one round trip."""
        is_known = (self.variant.http, self.scheme) == ("spdy", BY_VOLUME)
        return published.SPDY_VBDC_RTT_S if is_known else None

    def mean(self, quantity: Quantity) -> float | None:
        """Ours."""
        return mean_of(quantity.of(self.loads))

    def times_s(self) -> list[float]:
        """Our load times."""
        return PLT.of(self.loads)

    def mean_kbps(self) -> float | None:
        """Mean data over mean load time."""
        data_kb, time_s = self.mean(DATA), self.mean(PLT)
        return None if data_kb is None or not time_s else data_kb / time_s


_COUNT: Filled[_Cell] = count(lambda cell: len(cell.loads))
_PROTOCOLS: tuple[Filled[_Cell], ...] = (
    filled("protocol", "Protocol", lambda cell: cell.variant.label),
    filled(
        "published_data_kb",
        "Data in kB, study",
        lambda cell: cell.theirs.data_kb if cell.theirs else None,
        decimals=0,
    ),
    filled("ours_data_kb", "Data in kB, ours", lambda cell: cell.mean(DATA), decimals=0),
    filled("ours_wire_kb", "On the wire in kB, ours", lambda cell: cell.mean(WIRE), decimals=0),
    filled("published_plt_s", "Load time in s, study", lambda cell: cell.published_plt_s, decimals=0),
    *mean_and_reach("ours_plt_s", "Load time in s, ours", _Cell.times_s, reach_decimals=2),
    filled(
        "published_kbps",
        "Throughput in kB/s, study",
        lambda cell: cell.theirs.throughput_kbps if cell.theirs else None,
        decimals=0,
    ),
    filled("ours_busiest_kbps", "Busiest second in kB/s, ours", lambda cell: cell.mean(BUSIEST), decimals=0),
    filled("ours_mean_kbps", "Data over load time in kB/s, ours", _Cell.mean_kbps, decimals=0),
    filled("connections", "Connections", lambda cell: cell.mean(CONNECTIONS), decimals=0),
    _COUNT,
)
_SCHEMES: tuple[Filled[_Cell], ...] = (
    filled("protocol", "Protocol", lambda cell: cell.variant.label),
    filled("scheme", "Scheme", lambda cell: SCHEMES[cell.scheme]),
    filled("published_plt_s", "Load time in s, study", lambda cell: cell.published_plt_s, decimals=0),
    *mean_and_reach("ours_plt_s", "Load time in s, ours", _Cell.times_s),
    filled("published_rtt_s", "Round trip in s, study", lambda cell: cell.published_rtt_s, decimals=1),
    filled("ours_rtt_s", "Round trip in s, ours", lambda cell: cell.mean(RTT), decimals=2),
    _COUNT,
)
_PUSH: tuple[Filled[_Cell], ...] = (
    filled("scheme", "Scheme", lambda cell: SCHEMES[cell.scheme]),
    filled("push", "Pushed", lambda cell: cell.push),
    *mean_and_reach("plt_s", "Load time in s", _Cell.times_s, reach_decimals=2),
    filled("data_kb", "Data in kB", lambda cell: cell.mean(DATA), decimals=0),
    filled("wire_kb", "On the wire in kB", lambda cell: cell.mean(WIRE), decimals=0),
    _COUNT,
)


@dataclass(frozen=True, kw_only=True)
class _Number:
    """A number of the study's HTTP/1.1, and ours of either kind."""

    protocol: str
    quantity: Quantity
    scheme: str
    published: float
    ours: Mapping[str, float | None]

    @property
    def nearer(self) -> str | None:
        """The kind whose number is nearer by ratio; None unless both are known."""
        known = {kind: value for kind, value in self.ours.items() if value}
        if len(known) < len(_KINDS):
            return None
        return min(known, key=lambda kind: abs(math.log(known[kind] / self.published)))


_KINDS = {"one at a time": "", "pipelined": "-pipelined"}
"""Kinds of HTTP/1.1, and what their variants' names end in."""
_NUMBERS: tuple[Filled[_Number], ...] = (
    filled("protocol", "Protocol", lambda number: number.protocol),
    filled("quantity", "Quantity", lambda number: f"{number.quantity.name} in {number.quantity.unit}"),
    filled("scheme", "Scheme", lambda number: SCHEMES[number.scheme]),
    filled("published", "Study", lambda number: number.published, decimals=0),
    filled(
        "ours_one", "Ours, one request at a time", lambda number: number.ours["one at a time"], decimals=1
    ),
    filled("ours_pipelined", "Ours, up to 32 pipelined", lambda number: number.ours["pipelined"], decimals=1),
    filled("nearer", "Nearer", lambda number: number.nearer),
)


def tables(runs: Runs) -> tuple[StudyTable, ...]:
    """Every table; what was not measured is left open in it."""
    return (_protocols(runs), _schemes(runs), _kinds_of_http_1_1(runs), _push(runs))


def _cell(runs: Runs, variant: Variant, scheme: str) -> _Cell:
    return _Cell(variant=variant, scheme=scheme, loads=loads(runs, variant, scheme))


def _protocols(runs: Runs) -> StudyTable:
    found = rows(_PROTOCOLS, [_cell(runs, variant, CONSTANT) for variant in (*VARIANTS, FULL_HANDSHAKES)])
    return StudyTable(
        name="protocols",
        title="Data, load time and throughput at a constant rate",
        columns=headings(_PROTOCOLS),
        rows=found,
        conclusion=_nearness(found),
        note="Data: what TCP carried to the client. On the wire: IP packets of both directions. The study's "
        "HTTP/1.1 stands beside both of ours, its TLS beside resumed sessions and full handshakes.",
    )


def _nearness(found: Sequence[Row]) -> str:
    deviations = [
        abs(float(ours) / float(theirs) - 1)
        for row in found
        for key in ("data_kb", "plt_s")
        if (ours := row[f"ours_{key}"]) is not None and (theirs := row[f"published_{key}"]) is not None
    ]
    if not deviations:
        return NOTHING_MEASURED
    return (
        f"Ours deviate from {len(deviations)} data and load times by "
        f"{100 * float(np.median(deviations)):.0f} % in the median and {100 * max(deviations):.0f} % at most."
    )


def _schemes(runs: Runs) -> StudyTable:
    cells = [_cell(runs, variant, scheme) for variant in VARIANTS for scheme in SCHEMES]
    slowest: list[str] = []
    for variant in VARIANTS:
        means = {
            SCHEMES[cell.scheme]: float(np.mean(cell.times_s()))
            for cell in cells
            if cell.variant is variant and cell.times_s()
        }
        if len(means) > 1:
            slowest.append(f"{variant.label} {max(means, key=lambda label: means[label])}")
    return StudyTable(
        name="schemes",
        title="Load times and round trips by scheme of bandwidth on demand",
        columns=headings(_SCHEMES),
        rows=rows(_SCHEMES, cells),
        conclusion=f"The slowest scheme: {'; '.join(slowest)}." if slowest else NOTHING_MEASURED,
        note="The study draws the other schemes and prints no numbers of them.",
    )


def _kinds_of_http_1_1(runs: Runs) -> StudyTable:
    """The study's numbers of HTTP/1.1 beside both kinds, by ratios."""
    numbers = list(_numbers(runs))
    nearest = {kind: [number.nearer for number in numbers].count(kind) for kind in _KINDS}
    judged = sum(nearest.values())
    told = " and ".join(f"{times} to {kind}" for kind, times in nearest.items())
    return StudyTable(
        name="kinds-of-http-1-1",
        title="Which kind of HTTP/1.1 the study's numbers are nearer to",
        columns=headings(_NUMBERS),
        rows=rows(_NUMBERS, numbers),
        conclusion=f"Of {judged} numbers that both were measured for, {told}."
        if judged
        else NOTHING_MEASURED,
        note="Nearer by ratio. One request at a time takes 107 turns on each of six connections: at the "
        "study's 10 s a turn would be a sixth of the propagation, at its 150 s with VBDC 1.4 s.",
    )


def _numbers(runs: Runs) -> Iterator[_Number]:
    for http in ("h1", "h1s"):
        theirs = published.LOADS[http]
        printed: list[tuple[Quantity, str, float | None]] = [
            (DATA, CONSTANT, theirs.data_kb),
            (PLT, CONSTANT, theirs.plt_s),
            (BUSIEST, CONSTANT, theirs.throughput_kbps),
            (PLT, BY_VOLUME, published.VBDC_PLT_S.get(http)),
        ]
        for quantity, scheme, number in printed:
            if number is not None:
                yield _Number(
                    protocol=BY_NAME[http].published,
                    quantity=quantity,
                    scheme=scheme,
                    published=number,
                    ours={
                        kind: mean_of(values(runs, quantity, BY_NAME[f"{http}{ending}"], scheme))
                        for kind, ending in _KINDS.items()
                    },
                )


def _push(runs: Runs) -> StudyTable:
    spdy = BY_NAME["spdy"]
    cells = [
        _Cell(variant=spdy, scheme=scheme, loads=loads(runs, spdy, scheme, push=push), push=push)
        for scheme in (CONSTANT, BY_VOLUME)
        for push in PUSHES
    ]
    known = [cell for cell in cells if cell.times_s()]
    least = min(known, key=lambda cell: cell.mean(PLT) or 0, default=None)
    return StudyTable(
        name="push",
        title="SPDY with server push",
        columns=headings(_PUSH),
        rows=rows(_PUSH, cells),
        conclusion=f"The fastest: {least.push} with {SCHEMES[least.scheme]}." if least else NOTHING_MEASURED,
        note="Ours alone: the study's server pushes a percentage of the objects; its numbers are without.",
    )
