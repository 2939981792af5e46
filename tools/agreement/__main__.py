"""Measure the grid by both engines, compare, and write docs/agreement.md and its figure.

Emulated runs are measured once, however often this is interrupted: their values are kept in
data/agreement, the rest of them in results/agreement. Simulated ones are measured afresh. Ends
with status 1 when a bar is not met.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bentpipe.campaign.requirements import require_emulate
from bentpipe.cli.group import INTERRUPTED
from bentpipe.errors import BentpipeError
from bentpipe.figures.drawing import Drawing, svg_text
from tools.agreement import drawing, page, traces
from tools.agreement.comparing import verdict
from tools.agreement.grid import KINDS, Kind
from tools.agreement.measuring import emulate, keep, measured, restore, simulate
from tools.agreement.measuring import traces as measured_traces
from tools.agreement_random.report import report as report_random_cells
from tools.agreement_random.store import Store

RESULTS = Path("results/agreement")
PAGE = Path("docs/agreement.md")
EVERY = ("emulate", "simulate", "report")
STEPS = (*EVERY, "cells")


def main() -> int:
    """Take the steps that are asked for, in their order; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.agreement", description=__doc__)
    parser.add_argument(
        "steps",
        nargs="*",
        metavar="STEP",
        help=f"of {', '.join(STEPS)} (every cell on stdout) [default: {', '.join(EVERY)}]",
    )
    parser.add_argument("--kind", choices=[kind.name for kind in KINDS], help="only this part of the grid")
    options = parser.parse_args()
    steps = options.steps or EVERY
    unknown = set(steps) - set(STEPS)
    if unknown:
        parser.error(f"no such step: {', '.join(sorted(unknown))}")
    kinds = [kind for kind in KINDS if options.kind in (None, kind.name)]
    try:
        if "emulate" in steps:
            require_emulate()
        for kind in kinds:
            _measure(kind, steps)
        return _compare(kinds, steps) if {"report", "cells"} & set(steps) else 0
    except BentpipeError as error:
        _tell(f"error: {error}")
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


def _measure(kind: Kind, steps: Sequence[str]) -> None:
    restore(kind, results=RESULTS)
    if "emulate" in steps:
        _tell(f"emulate: {kind.title}")
        try:
            emulate(kind, results=RESULTS)
        finally:
            keep(kind, results=RESULTS)
    if "simulate" in steps:
        _tell(f"simulate: {kind.title}")
        simulate(kind, results=RESULTS)


def _compare(kinds: Sequence[Kind], steps: Sequence[str]) -> int:
    compared = [
        (found, runs)
        for kind in kinds
        if (found := verdict(kind, runs := measured(kind, results=RESULTS))) is not None
    ]
    if not compared:
        _tell("error: nothing has been measured by both engines yet")
        return 2
    verdicts = [found for found, _ in compared]
    if "cells" in steps:
        print(page.all_cells(verdicts))
    if "report" in steps:
        figure = _keep(drawing.draw(verdicts))
        chosen = measured_traces(traces.CHOICES, results=RESULTS)
        shown = {trace.title for trace in chosen}
        if left_out := [choice.title for choice in traces.CHOICES if choice.title not in shown]:
            _tell(f"left out, for this machine has not emulated their windows: {', '.join(left_out)}")
        windows = _keep(traces.draw(chosen)).name if chosen else None
        text = page.text(verdicts, [runs for _, runs in compared], figure=figure.name, traces=windows)
        PAGE.write_text(text, encoding="utf-8")
        report_random_cells(Store(), PAGE)
        _tell(f"{PAGE}, {figure}")
    for found in verdicts:
        _tell(f"{found.kind.title}: {'within' if found.holds else 'NOT within'} the bars")
    return 0 if all(found.holds for found in verdicts) else 1


def _keep(drawing: Drawing) -> Path:
    file = PAGE.with_name(f"{drawing.name}.svg")
    file.write_text(svg_text(drawing), encoding="utf-8")
    return file


def _tell(line: str) -> None:
    print(line, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
