"""Compares the processor time of one bulk TCP CUBIC flow in Bentpipe's simulate engine and in ns-3.

Run by `make bench-peers`. A readable table goes to standard error, one line of JSON to standard output.
Exit status: 0 the bar is met in every judged case, 1 it is not, 2 there is nothing to compare with.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from benches.peers.cases import BYTES, CASES, RATE_BPS, RTT_NS, Case, bentpipe_spec
from benches.peers.simulators import Measured, Ns3, PeerError, run_bentpipe
from bentpipe.engine import provenance

BAR = 30.0
"""ns-3's processor time over Bentpipe's, at least."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A case with its repetitions, in the order in which they were run."""

    case: Case
    bentpipe: tuple[Measured, ...]
    ns3: tuple[Measured, ...]

    @property
    def ratios(self) -> list[float]:
        """ns-3's processor time over Bentpipe's, by repetition; a lower bound where ns-3 did not finish."""
        return [theirs.cpu_s / ours.cpu_s for ours, theirs in zip(self.bentpipe, self.ns3, strict=True)]

    @property
    def finished(self) -> bool:
        """Whether ns-3 finished each time."""
        return all(run.completion_s is not None for run in self.ns3)

    @property
    def loss_free(self) -> bool:
        """Whether neither side dropped a packet."""
        return not any(run.drops for run in (*self.bentpipe, *self.ns3))

    @property
    def passes(self) -> bool:
        """Whether the case is the flow that the bar is about, and meets it in the median."""
        return self.finished and self.loss_free and median(self.ratios) >= BAR


def compare(ns3: Ns3, *, repetitions: int, limit_s: float) -> list[Row]:
    """Run every case in both simulators by turns."""
    runs: dict[Case, list[tuple[Measured, Measured]]] = {case: [] for case in CASES}
    for repetition in range(repetitions):
        for case in CASES:
            if case.judged or repetition == 0:
                ours = run_bentpipe(bentpipe_spec(case))
                theirs = ns3.run(case, limit_s=limit_s)
                runs[case].append((ours, theirs))
                costs = f"{ours.cpu_s:.3f} and {theirs.cpu_s:.2f} core-s"
                reached = f"ns-3 at {theirs.virtual_s:.3f} s with {theirs.drops} drops"
                print(f"{repetition + 1}/{repetitions} {case.name}: {costs}, {reached}", file=sys.stderr)
    return [
        Row(case=case, bentpipe=tuple(ours for ours, _ in pairs), ns3=tuple(theirs for _, theirs in pairs))
        for case, pairs in runs.items()
    ]


def table(rows: Sequence[Row]) -> str:
    """Lay the rows out for reading; medians, and the ratio's smallest and largest in brackets."""
    header = ("case", "simulator", "core-s", "virtual s", "drops", "virtual s/core-s", "a core-s", "ratio")
    lines: list[tuple[str, ...]] = [header]
    for row in rows:
        bound = "" if row.finished else "> "
        ratio = f"{bound}{median(row.ratios):.0f} [{min(row.ratios):.0f} .. {max(row.ratios):.0f}]"
        note = ("pass" if row.passes else "FAIL") if row.case.judged else "for information"
        lines.append((row.case.name, "Bentpipe", *_cells(row.bentpipe), f"{ratio} {note}"))
        lines.append(("", "ns-3", *_cells(row.ns3), ""))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _cells(runs: Sequence[Measured]) -> tuple[str, ...]:
    last = runs[-1]
    virtual = f"{last.virtual_s:.3f}" + ("" if last.completion_s is not None else " (unfinished)")
    if last.events_per_cpu_s is None:
        pace = f"{median(run.packets_per_cpu_s or 0 for run in runs):,.0f} packets"
    else:
        pace = f"{median(run.events_per_cpu_s or 0 for run in runs):,.0f} events"
    return (
        f"{median(run.cpu_s for run in runs):.3f}",
        virtual,
        f"{last.drops:,}",
        f"{median(run.virtual_s / run.cpu_s for run in runs):,.2f}",
        pace,
    )


def report(rows: Sequence[Row], *, ns3_version: str) -> dict[str, Any]:
    """Return everything measured, for the line of JSON."""
    return {
        "bar": BAR,
        "passes": all(row.passes for row in rows if row.case.judged),
        "ns3_version": ns3_version,
        "machine": provenance.of_this_host(),
        "cases": [
            {
                **asdict(row.case),
                "ratio_median": median(row.ratios),
                "ratio_min": min(row.ratios),
                "ratio_max": max(row.ratios),
                "ns3_finished": row.finished,
                "loss_free": row.loss_free,
                "bentpipe": [asdict(run) for run in row.bentpipe],
                "ns3": [asdict(run) for run in row.ns3],
            }
            for row in rows
        ],
    }


def main() -> int:
    """Compare, print, judge."""
    parser = argparse.ArgumentParser(description="Bentpipe's simulate engine against ns-3, one flow.")
    parser.add_argument("--repetitions", type=int, default=3, help="of the judged cases (default 3)")
    parser.add_argument(
        "--limit",
        type=float,
        default=120,
        help="core-seconds after which an ns-3 run is given up (default 120)",
    )
    arguments = parser.parse_args()
    try:
        with Ns3() as ns3:
            rows = compare(ns3, repetitions=arguments.repetitions, limit_s=arguments.limit)
    except PeerError as error:
        print(f"bench-peers: nothing to compare with: {error}", file=sys.stderr)
        return 2
    found = report(rows, ns3_version=ns3.version)
    title = (
        f"{BYTES // 1_000_000} MB, TCP CUBIC, {RATE_BPS // 1_000_000} Mbit/s, RTT {RTT_NS // 1_000_000} ms"
    )
    print(f"\n{title}; ns-3 {ns3.version}; bar: ratio of at least {BAR:.0f}\n{table(rows)}", file=sys.stderr)
    print(json.dumps(found))
    return 0 if found["passes"] else 1


if __name__ == "__main__":
    sys.exit(main())
