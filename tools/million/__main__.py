"""Measures the ledger at a million simulated pings, beside the bars (`make million`).

`python -m tools.million [--runs N] [--made-up]` measures a campaign of N runs in virtual time, or appends as
many records that are made up, then resumes it and makes its report. A million runs take about half an hour,
made up a few minutes; the folder has 2 GB and is removed afterwards, unless `--keep` is given.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.million.phases import PHASES, Measured

MOST_S = {"resume": 10.0, "report": 120.0}
MOST_BYTES = {"report": 4e9}


def main() -> None:
    """Measure and print; exit with 1 where a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m tools.million")
    parser.add_argument("--runs", type=int, default=1_000_000, help="how many, a multiple of 4")
    parser.add_argument("--made-up", action="store_true", help="append records that nobody measured")
    parser.add_argument("--keep", type=Path, help="a folder for the results, which stay")
    parser.add_argument("--phase", choices=PHASES, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.phase:
        print(PHASES[asked.phase](asked.keep, asked.runs).model_dump_json())
        return
    with TemporaryDirectory() as place:
        folder = asked.keep or Path(place, "results")
        phases = ("made-up" if asked.made_up else "campaign", "resume", "report")
        is_kept = [_told(phase, _measured(phase, folder, asked.runs)) for phase in phases]
        _tell_of_files(folder, asked.runs)
    sys.exit(not all(is_kept))


def _measured(phase: str, folder: Path, runs: int) -> Measured:
    command = [sys.executable, "-m", "tools.million", "--phase", phase, "--runs", str(runs)]
    command += ["--keep", str(folder)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Measured.model_validate_json(done.stdout)


def _told(phase: str, found: Measured) -> bool:
    """Print a phase; return whether it keeps its bars."""
    parts = [f"{found.took_s:.1f} s", f"{found.peak_bytes / 1e9:.2f} GB"]
    if found.first_s is not None:
        parts.append(f"decided after {found.first_s:.1f} s")
    if found.slowest_per_s is not None and found.fastest_per_s is not None:
        parts.append(f"{found.slowest_per_s:.0f} to {found.fastest_per_s:.0f} runs/s in tenths")
    bars = [f"{MOST_S[phase]:.0f} s"] if phase in MOST_S else []
    bars += [f"{MOST_BYTES[phase] / 1e9:.0f} GB"] if phase in MOST_BYTES else []
    limit = f" (at most {', '.join(bars)})" if bars else ""
    print(f"{phase:9} {', '.join(parts)}{limit}", flush=True)
    decided_s = found.first_s if phase == "resume" and found.first_s is not None else found.took_s
    return decided_s <= MOST_S.get(phase, decided_s) and found.peak_bytes <= MOST_BYTES.get(phase, 1e12)


def _tell_of_files(folder: Path, runs: int) -> None:
    """Print what the results are on the disk, without the report."""
    index = (folder / "ledger.sqlite").stat().st_size
    series = [path.stat().st_size for path in (folder / "series").rglob("*.parquet")]
    print(
        f"{'on disk':9} index {index / runs:.0f} B a run, series {sum(series) / runs:.0f} B a run in "
        f"{len(series)} files, {1000 * len(series) / runs:.1f} a thousand runs"
    )


if __name__ == "__main__":
    main()
