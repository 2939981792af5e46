"""How the processor time of runs in virtual time grows with rate, RTT, flows and objects, as a table.

    .venv/bin/python -m benches.growth [--repetitions 3]

Each row is the best of some runs of one specification, on one core, from the specification to the record.
"""

import argparse
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bentpipe.engine.simulate import Simulator
from bentpipe.model.record import RunRecord, Status
from bentpipe.model.spec import RunSpec
from bentpipe.scenario import resolve_document

Run = Mapping[str, object]
FLOW_BYTES = 100_000_000


@dataclass(frozen=True, kw_only=True)
class Row:
    """One specification, and what it varies."""

    varied: str
    run: Run


def flat(*, rate_mbit: int = 100, rtt_ms: int = 600) -> str:
    """Return a link of one rate both ways with a queue of a BDP."""
    return f"flat:down={rate_mbit}Mbit/s,up={rate_mbit}Mbit/s,rtt={rtt_ms}ms,queue=1BDP"


def flow(transport: str, *, link: str) -> Run:
    """Return a flow down of 100 MB by CUBIC."""
    return {
        "link": link,
        "cc": "cubic",
        "bulk": {"transport": transport, "size": f"{FLOW_BYTES} B"},
    }


def flows(number: int) -> Run:
    """Return flows that last 20 s at 100 Mbit/s together."""
    return {"link": flat(rtt_ms=100), "bulk": {"flows": ["cubic"] * number, "duration": "20 s"}}


def page(objects: int, *, http: str) -> Run:
    """Return a page of objects of 10 kB over GEO."""
    return {
        "link": "geo-alshagri-flat",
        "http": http,
        "page": {"name": f"{objects} objects", "objects": ["10 kB"] * objects},
    }


TRANSPORTS = ("tcp", "quic")
ROWS = (
    *(
        Row(varied=f"{name}, {rate} Mbit/s", run=flow(name, link=flat(rate_mbit=rate)))
        for name in TRANSPORTS
        for rate in (10, 100, 1000)
    ),
    *(
        Row(varied=f"{name}, RTT {rtt} ms", run=flow(name, link=flat(rtt_ms=rtt)))
        for name in TRANSPORTS
        for rtt in (20, 100, 600)
    ),
    *(Row(varied=f"{number} flows of tcp", run=flows(number)) for number in (1, 10, 100)),
    *(
        Row(varied=f"{http}, {number} objects", run=page(number, http=http))
        for http in ("h1", "h2", "h3")
        for number in (10, 100, 1000)
    ),
)


def measured(row: Row, *, repetitions: int) -> tuple[float, RunRecord]:
    """Return the least processor time of some runs in seconds, and the record, which is the same each time.

    Raises
    ------
    RuntimeError
        When the run does not succeed.
    """
    scenario = resolve_document(
        {"repetitions": 1, "run": row.run}, file="growth", folder=Path(), default_name="growth", overrides=[]
    )
    spec = RunSpec.model_validate({**scenario.cells[0].spec, "seed": 1})
    times_s = []
    for _ in range(repetitions):
        started_s = time.process_time()
        record = Simulator().run(run_id="growth", spec=spec, artifacts=None)
        times_s.append(time.process_time() - started_s)
    if record.status is not Status.SUCCEEDED:
        raise RuntimeError(f"{row.varied}: {record.reasons}")
    return min(times_s), record


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repetitions", type=int, default=3, help="of each row (default 3)")
    arguments = parser.parse_args()
    print(
        "| varied | core time | packets on the link | us per packet | MB per core-s | virtual s per core-s |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for row in ROWS:
        core_s, record = measured(row, repetitions=arguments.repetitions)
        metrics = record.metrics
        packets = metrics.wire_packets_down + metrics.wire_packets_up
        wire_bytes = metrics.wire_bytes_down + metrics.wire_bytes_up
        virtual_s = metrics.completion_s or metrics.plt_s or 0.0
        cells = (
            row.varied,
            f"{core_s * 1e3:.1f} ms",
            f"{packets}",
            f"{core_s / packets * 1e6:.2f}",
            f"{wire_bytes / core_s / 1e6:.0f}",
            f"{virtual_s / core_s:.0f}",
        )
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
