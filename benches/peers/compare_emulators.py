"""Compares Bentpipe's link process with other emulators of a path on this machine, one after the other.

Run by `make bench-peers`. A readable table goes to standard error, one line of JSON to standard output.
Exit status: 0 what is here has been compared, 2 this machine cannot emulate.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median, stdev

from benches.peers.emulators import EMULATORS, EmulatedPath, Emulator, Ends, NotHereError
from bentpipe.engine import emulate, provenance

TRAFFIC = Path(__file__).with_name("traffic.py")
PYTHON = "/usr/bin/python3"
"""Any user may run it, and nothing is imported but its own library."""
PATH = EmulatedPath(rate_bps=996_000_000, rtt_ns=530_000_000)
"""83 packets of 1500 bytes a millisecond, which mahimahi's traces can say, over a GEO link."""
INTERVAL_S = 0.6
"""Between two pings: one at a time."""
ANSWER_WITHIN_S = 120.0


@dataclass(frozen=True, kw_only=True)
class Found:
    """One measurement of one emulator."""

    rtt_mean_s: float
    rtt_sd_s: float
    received_bps: float

    @property
    def of_rate(self) -> float:
        """What it carried of the rate it was set to."""
        return self.received_bps / PATH.rate_bps


def measured(emulator: Emulator, *, pings: int, seconds: float) -> Found:
    """Measure idle round trips, then what arrives of a flood from the server."""
    with emulator(PATH) as ends, _serving(ends):
        arguments = [ends.address, str(pings), str(INTERVAL_S), str(seconds)]
        client = ends.client([PYTHON, str(TRAFFIC), "measure", *arguments])
        try:
            out, _ = client.communicate(timeout=ANSWER_WITHIN_S + pings * 2 * INTERVAL_S)
        finally:
            client.kill()
    if client.returncode != 0:
        raise RuntimeError(f"the client ended with status {client.returncode}")
    found = json.loads(out)
    rtts_s: list[float] = found["rtts_s"]
    return Found(rtt_mean_s=mean(rtts_s), rtt_sd_s=stdev(rtts_s), received_bps=found["received_bps"])


@contextmanager
def _serving(ends: Ends) -> Iterator[None]:
    server = ends.server([PYTHON, str(TRAFFIC), "serve"])
    try:
        assert server.stdout is not None
        server.stdout.readline()
        yield
    finally:
        server.kill()
        with suppress(OSError):
            server.communicate()


def table(found: Mapping[str, Sequence[Found]], absent: Mapping[str, str]) -> str:
    """Lay it out for reading: medians of the repetitions, and ratios to the first emulator's."""
    ours = next(iter(found.values()))
    lines = [("emulator", "Mbit/s", "of the rate", "ratio", "idle RTT", "sd of the RTT", "ratio")]
    for name, runs in found.items():
        lines.append(
            (
                name,
                f"{_of(runs, 'received_bps') / 1e6:.0f}",
                f"{_of(runs, 'of_rate'):.3f}",
                f"{_of(runs, 'received_bps') / _of(ours, 'received_bps'):.2f}",
                f"{_of(runs, 'rtt_mean_s') * 1e3:.3f} ms",
                f"{_of(runs, 'rtt_sd_s') * 1e3:.3f} ms",
                f"{_of(runs, 'rtt_sd_s') / _of(ours, 'rtt_sd_s'):.2f}",
            )
        )
    lines += [(name, f"not here: {why}", *[""] * 5) for name, why in absent.items()]
    widths = [max(len(line[place]) for line in lines if line[2] or place == 0) for place in range(7)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _of(runs: Sequence[Found], name: str) -> float:
    return median(getattr(run, name) for run in runs)


def main() -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(description="Bentpipe's emulated link against others.")
    parser.add_argument("--repetitions", type=int, default=3, help="of each emulator, by turns (default 3)")
    parser.add_argument("--pings", type=int, default=20, help="of each repetition (default 20)")
    parser.add_argument("--seconds", type=float, default=4, help="of each flood (default 4)")
    arguments = parser.parse_args()
    lacks = emulate.missing()
    if lacks:
        print(f"bench-peers: no emulators compared: {'; '.join(map(str, lacks))}", file=sys.stderr)
        return 2
    found: dict[str, list[Found]] = {}
    absent: dict[str, str] = {}
    for _ in range(arguments.repetitions):
        for name, emulator in EMULATORS.items():
            if name in absent:
                continue
            try:
                one = measured(emulator, pings=arguments.pings, seconds=arguments.seconds)
            except NotHereError as error:
                absent[name] = str(error)
            else:
                found.setdefault(name, []).append(one)
    title = f"{PATH.rate_bps / 1e6:.0f} Mbit/s, RTT {PATH.rtt_ns / 1e6:.0f} ms, a flood down"
    print(f"\n{title}\n{table(found, absent)}", file=sys.stderr)
    runs = {name: [asdict(run) for run in each] for name, each in found.items()}
    print(
        json.dumps(
            {"machine": provenance.of_this_host(), "path": asdict(PATH), "runs": runs, "absent": absent}
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
