"""The study's table and schemes with ours beside them; which kind of HTTP/1.1 it had; what push does."""

import math
from collections.abc import Sequence

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
from bentpipe.studies.measure import mean_of, reach_of
from bentpipe.studies.study import NOTHING_MEASURED, RUNS, Column, Row, Runs, StudyTable

_PROTOCOL = Column(key="protocol", heading="Protocol")
_SCHEME = Column(key="scheme", heading="Scheme")


def tables(runs: Runs) -> tuple[StudyTable, ...]:
    """Every table; what was not measured is left open in it."""
    return (_protocols(runs), _schemes(runs), _kinds_of_http_1_1(runs), _push(runs))


def _protocols(runs: Runs) -> StudyTable:
    rows: list[Row] = []
    for variant in (*VARIANTS, FULL_HANDSHAKES):
        theirs = published.LOADS.get(variant.http)
        found = loads(runs, variant, CONSTANT)
        times = PLT.of(found)
        data = mean_of(DATA.of(found))
        time = mean_of(times)
        rows.append(
            {
                "protocol": variant.label,
                "published_data_kb": theirs.data_kb if theirs else None,
                "ours_data_kb": data,
                "ours_wire_kb": mean_of(WIRE.of(found)),
                "published_plt_s": theirs.plt_s if theirs else None,
                "ours_plt_s": time,
                "ours_plt_ci_s": reach_of(times),
                "published_kbps": theirs.throughput_kbps if theirs else None,
                "ours_busiest_kbps": mean_of(BUSIEST.of(found)),
                "ours_mean_kbps": None if data is None or not time else data / time,
                "connections": mean_of(CONNECTIONS.of(found)),
                "n": len(found),
            }
        )
    return StudyTable(
        name="protocols",
        title="Data, load time and throughput at a constant rate",
        columns=(
            _PROTOCOL,
            Column(key="published_data_kb", heading="Data in kB, study", decimals=0),
            Column(key="ours_data_kb", heading="Data in kB, ours", decimals=0),
            Column(key="ours_wire_kb", heading="On the wire in kB, ours", decimals=0),
            Column(key="published_plt_s", heading="Load time in s, study", decimals=0),
            Column(key="ours_plt_s", heading="Load time in s, ours", decimals=1),
            Column(key="ours_plt_ci_s", heading="±", decimals=2),
            Column(key="published_kbps", heading="Throughput in kB/s, study", decimals=0),
            Column(key="ours_busiest_kbps", heading="Busiest second in kB/s, ours", decimals=0),
            Column(key="ours_mean_kbps", heading="Data over load time in kB/s, ours", decimals=0),
            Column(key="connections", heading="Connections", decimals=0),
            RUNS,
        ),
        rows=tuple(rows),
        conclusion=_nearness(rows),
        note="Data: what TCP carried to the client. On the wire: IP packets of both directions. The study's "
        "HTTP/1.1 stands beside both of ours, its TLS beside resumed sessions and full handshakes.",
    )


def _nearness(rows: Sequence[Row]) -> str:
    deviations = [
        abs(float(ours) / float(theirs) - 1)
        for row in rows
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
    rows: list[Row] = []
    slowest: list[str] = []
    for variant in VARIANTS:
        means: dict[str, float] = {}
        for scheme, label in SCHEMES.items():
            found = loads(runs, variant, scheme)
            times = PLT.of(found)
            rows.append(
                {
                    "protocol": variant.label,
                    "scheme": label,
                    "published_plt_s": _published_plt_s(variant.http, scheme),
                    "ours_plt_s": mean_of(times),
                    "ours_plt_ci_s": reach_of(times),
                    "published_rtt_s": published.SPDY_VBDC_RTT_S
                    if (variant.http, scheme) == ("spdy", BY_VOLUME)
                    else None,
                    "ours_rtt_s": mean_of(RTT.of(found)),
                    "n": len(found),
                }
            )
            if times:
                means[label] = float(np.mean(times))
        if len(means) > 1:
            slowest.append(f"{variant.label} {max(means, key=lambda label: means[label])}")
    return StudyTable(
        name="schemes",
        title="Load times and round trips by scheme of bandwidth on demand",
        columns=(
            _PROTOCOL,
            _SCHEME,
            Column(key="published_plt_s", heading="Load time in s, study", decimals=0),
            Column(key="ours_plt_s", heading="Load time in s, ours", decimals=1),
            Column(key="ours_plt_ci_s", heading="±", decimals=1),
            Column(key="published_rtt_s", heading="Round trip in s, study", decimals=1),
            Column(key="ours_rtt_s", heading="Round trip in s, ours", decimals=2),
            RUNS,
        ),
        rows=tuple(rows),
        conclusion=f"The slowest scheme: {'; '.join(slowest)}." if slowest else NOTHING_MEASURED,
        note="The study draws the other schemes and prints no numbers of them.",
    )


def _kinds_of_http_1_1(runs: Runs) -> StudyTable:
    """The study's numbers of HTTP/1.1 beside both kinds, by ratios."""
    rows: list[Row] = []
    nearest = {"one at a time": 0, "pipelined": 0}
    for http in ("h1", "h1s"):
        theirs = published.LOADS[http]
        numbers: list[tuple[Quantity, str, float | None]] = [
            (DATA, CONSTANT, theirs.data_kb),
            (PLT, CONSTANT, theirs.plt_s),
            (BUSIEST, CONSTANT, theirs.throughput_kbps),
            (PLT, BY_VOLUME, published.VBDC_PLT_S.get(http)),
        ]
        for quantity, scheme, number in numbers:
            if number is None:
                continue
            ours = dict(
                zip(
                    nearest,
                    (
                        mean_of(values(runs, quantity, BY_NAME[name], scheme))
                        for name in (http, f"{http}-pipelined")
                    ),
                    strict=True,
                )
            )
            known = {kind: value for kind, value in ours.items() if value}
            kind = (
                min(known, key=lambda kind: abs(math.log(known[kind] / number))) if len(known) > 1 else None
            )
            if kind is not None:
                nearest[kind] += 1
            rows.append(
                {
                    "protocol": BY_NAME[http].published,
                    "quantity": f"{quantity.name} in {quantity.unit}",
                    "scheme": SCHEMES[scheme],
                    "published": number,
                    "ours_one": ours["one at a time"],
                    "ours_pipelined": ours["pipelined"],
                    "nearer": kind,
                }
            )
    judged = sum(nearest.values())
    told = " and ".join(f"{count} to {kind}" for kind, count in nearest.items())
    return StudyTable(
        name="kinds-of-http-1-1",
        title="Which kind of HTTP/1.1 the study's numbers are nearer to",
        columns=(
            _PROTOCOL,
            Column(key="quantity", heading="Quantity"),
            _SCHEME,
            Column(key="published", heading="Study", decimals=0),
            Column(key="ours_one", heading="Ours, one request at a time", decimals=1),
            Column(key="ours_pipelined", heading="Ours, up to 32 pipelined", decimals=1),
            Column(key="nearer", heading="Nearer"),
        ),
        rows=tuple(rows),
        conclusion=f"Of {judged} numbers that both were measured for, {told}."
        if judged
        else NOTHING_MEASURED,
        note="Nearer by ratio. One request at a time takes 107 turns on each of six connections: at the "
        "study's 10 s a turn would be a sixth of the propagation, at its 150 s with VBDC 1.4 s.",
    )


def _push(runs: Runs) -> StudyTable:
    rows: list[Row] = []
    for scheme in (CONSTANT, BY_VOLUME):
        for share in PUSHES:
            found = loads(runs, BY_NAME["spdy"], scheme, push=share)
            times = PLT.of(found)
            rows.append(
                {
                    "scheme": SCHEMES[scheme],
                    "push": share,
                    "plt_s": mean_of(times),
                    "plt_ci_s": reach_of(times),
                    "data_kb": mean_of(DATA.of(found)),
                    "wire_kb": mean_of(WIRE.of(found)),
                    "n": len(found),
                }
            )
    known = [row for row in rows if row["plt_s"] is not None]
    least = min(known, key=lambda row: float(row["plt_s"] or 0), default=None)
    return StudyTable(
        name="push",
        title="SPDY with server push",
        columns=(
            _SCHEME,
            Column(key="push", heading="Pushed"),
            Column(key="plt_s", heading="Load time in s", decimals=1),
            Column(key="plt_ci_s", heading="±", decimals=2),
            Column(key="data_kb", heading="Data in kB", decimals=0),
            Column(key="wire_kb", heading="On the wire in kB", decimals=0),
            RUNS,
        ),
        rows=tuple(rows),
        conclusion=f"The fastest: {least['push']} with {least['scheme']}." if least else NOTHING_MEASURED,
        note="Ours alone: the study's server pushes a percentage of the objects; its numbers are without.",
    )


def _published_plt_s(http: str, scheme: str) -> float | None:
    if scheme == BY_VOLUME:
        return published.VBDC_PLT_S.get(http)
    theirs = published.LOADS.get(http)
    return theirs.plt_s if theirs and scheme == CONSTANT else None
