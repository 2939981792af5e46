"""The study's numbers with ours beside them: by protocol, by scheme, and what push does."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bentpipe.stats import select
from bentpipe.studies.caviglione2014 import published
from bentpipe.studies.caviglione2014.cells import (
    BY_SCHEME,
    BY_VOLUME,
    CONSTANT,
    PUSHES,
    SCHEMES,
    SPDY,
    VARIANTS,
    Variant,
)
from bentpipe.studies.caviglione2014.loads import (
    BUSIEST,
    CONNECTIONS,
    DATA,
    DATA_BOTH_WAYS,
    MEAN_RATE,
    PLT,
    ROUND_TRIP,
    WIRE,
    Quantity,
)
from bentpipe.studies.columns import Filled, count, filled, headings, mean_and_reach, rows
from bentpipe.studies.measure import mean_of
from bentpipe.studies.study import NOTHING_MEASURED, Row, Run, Runs, StudyTable


@dataclass(frozen=True, kw_only=True)
class _Cell:
    """The loads of a variant, and what the study prints of them; `word` is the scheme, or what was pushed."""

    variant: Variant
    loads: Sequence[Run]
    word: str = ""
    published_plt_s: float | None = None
    published_round_trip_s: float | None = None

    def mean(self, quantity: Quantity) -> float | None:
        """Ours."""
        return mean_of(quantity.of(self.loads))

    def times_s(self) -> list[float]:
        """Our load times."""
        return PLT.of(self.loads)

    @property
    def published_data_kb(self) -> float | None:
        """The study's data."""
        theirs = published.DATA.get(self.variant.http)
        return theirs.value if theirs else None


_COUNT: Filled[_Cell] = count(lambda cell: len(cell.loads))
_PROTOCOLS: tuple[Filled[_Cell], ...] = (
    filled("protocol", "Protocol", lambda cell: cell.variant.label),
    filled("published_data_kb", "Data in kB, study", lambda cell: cell.published_data_kb, decimals=0),
    filled("ours_data_kb", "Data in kB, ours", lambda cell: cell.mean(DATA), decimals=0),
    filled(
        "both_ways_kb", "Data of both directions in kB", lambda cell: cell.mean(DATA_BOTH_WAYS), decimals=0
    ),
    filled("wire_kb", "On the wire in kB", lambda cell: cell.mean(WIRE), decimals=0),
    filled("published_plt_s", "Load time in s, study", lambda cell: cell.published_plt_s, decimals=0),
    *mean_and_reach("ours_plt_s", "Load time in s, ours", _Cell.times_s, reach_decimals=2),
    filled("mean_kbps", "On the wire over load time in kB/s", lambda cell: cell.mean(MEAN_RATE), decimals=1),
    filled("busiest_kbps", "Busiest second in kB/s", lambda cell: cell.mean(BUSIEST), decimals=0),
    filled("connections", "Connections", lambda cell: cell.mean(CONNECTIONS), decimals=0),
    _COUNT,
)
_SCHEMES: tuple[Filled[_Cell], ...] = (
    filled("protocol", "Protocol", lambda cell: cell.variant.label),
    filled("scheme", "Scheme", lambda cell: cell.word),
    filled("published_plt_s", "Load time in s, study", lambda cell: cell.published_plt_s, decimals=0),
    *mean_and_reach("ours_plt_s", "Load time in s, ours", _Cell.times_s),
    filled(
        "published_round_trip_s",
        "Round trip in s, study",
        lambda cell: cell.published_round_trip_s,
        decimals=1,
    ),
    filled("ours_round_trip_s", "Round trip in s, ours", lambda cell: cell.mean(ROUND_TRIP), decimals=2),
    _COUNT,
)
_PUSH: tuple[Filled[_Cell], ...] = (
    filled("push", "Pushed", lambda cell: cell.word),
    *mean_and_reach("plt_s", "Load time in s", _Cell.times_s, reach_decimals=2),
    filled("data_kb", "Data in kB", lambda cell: cell.mean(DATA), decimals=0),
    filled("wire_kb", "On the wire in kB", lambda cell: cell.mean(WIRE), decimals=0),
    _COUNT,
)


def tables(runs: Runs) -> tuple[StudyTable, ...]:
    """Every table; what was not measured is left open in it."""
    return (_protocols(runs), _schemes(runs), _push(runs))


def _protocols(runs: Runs) -> StudyTable:
    found = rows(
        _PROTOCOLS,
        [
            _Cell(
                variant=variant,
                loads=select(runs, **variant.forward()),
                published_plt_s=theirs.value if (theirs := published.PLT.get(variant.http)) else None,
            )
            for variant in VARIANTS
        ],
    )
    return StudyTable(
        name="protocols",
        title="Data, load time, throughput and connections by protocol",
        columns=headings(_PROTOCOLS),
        rows=found,
        conclusion=_nearness(found),
        note="Over the forward link, scheme mixed. Data: what TCP carried to the client. On the wire: IP "
        "packets of both directions. HTTP/1.1 over TLS takes about 2 s more than in clear, says the study.",
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
    cells = [_scheme(runs, variant, scheme) for variant in BY_SCHEME for scheme in SCHEMES]
    slowest: list[str] = []
    for variant in BY_SCHEME:
        means = {
            cell.word: float(np.mean(cell.times_s()))
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
        note="Over the return link. The study draws the other schemes and prints no numbers of them.",
    )


def _scheme(runs: Runs, variant: Variant, scheme: str) -> _Cell:
    theirs = published.VBDC_PLT.get(variant.http) if scheme == BY_VOLUME else None
    is_spdy_at_constant_rate = (variant, scheme) == (SPDY, CONSTANT)
    return _Cell(
        variant=variant,
        loads=select(runs, **variant.back(scheme)),
        word=SCHEMES[scheme],
        published_plt_s=published.SPDY_CRA_PLT_S
        if is_spdy_at_constant_rate
        else (theirs.value if theirs else None),
        published_round_trip_s=published.VBDC_ROUND_TRIP.value
        if (variant, scheme) == (SPDY, BY_VOLUME)
        else None,
    )


def _push(runs: Runs) -> StudyTable:
    cells = [_Cell(variant=SPDY, loads=select(runs, **SPDY.forward(push=push)), word=push) for push in PUSHES]
    known = [cell for cell in cells if cell.times_s()]
    least = min(known, key=lambda cell: cell.mean(PLT) or 0, default=None)
    return StudyTable(
        name="push",
        title="SPDY with server push",
        columns=headings(_PUSH),
        rows=rows(_PUSH, cells),
        conclusion=f"The fastest: {least.word}." if least else NOTHING_MEASURED,
        note="Ours alone: the study's server pushes different percentages of the objects; it prints no "
        "numbers of them.",
    )
