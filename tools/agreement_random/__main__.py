"""Draw cells by chance, measure them by both engines, and write the section on them in docs/agreement.md.

Emulated runs are measured once, however often this is interrupted: each is kept in data/agreement/random.csv
when it has ended. Ends with status 1 when a bar is not met.
"""

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from bentpipe.campaign.requirements import require_emulate
from bentpipe.cli.group import INTERRUPTED
from bentpipe.engine.emulate import Emulator
from bentpipe.errors import BentpipeError
from bentpipe.scenario.written.toml_text import toml_text
from tools.agreement_random import measuring, renewing
from tools.agreement_random.report import report
from tools.agreement_random.store import Store, is_of_set

RESULTS = Path("results/agreement-random")
PAGE = Path("docs/agreement.md")
EVERY = ("draw", "emulate", "simulate", "report")
STEPS = (*EVERY, "renew", "show")


def main() -> int:
    """Take the steps that are asked for, in their order; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.agreement_random", description=__doc__)
    parser.add_argument(
        "steps",
        nargs="*",
        metavar="STEP",
        help=f"of {', '.join(EVERY)} [default: all of them]; renew: emulate anew what another version of"
        " Bentpipe has measured; show CELL: print it as a scenario",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the set [default: 1]")
    parser.add_argument("--number", type=int, default=300, help="of its first cells [default: 300]")
    options = parser.parse_args()
    steps: Sequence[str] = options.steps or EVERY
    try:
        store = Store()
        if steps[0] == "show":
            return _show(store, steps[1:])
        if store.outdated:
            _tell(f"to be emulated again, as they have changed: {', '.join(store.outdated)}")
        unknown = set(steps) - set(STEPS)
        if unknown:
            parser.error(f"no such step: {', '.join(sorted(unknown))}")
        return _take(steps, store, seed=options.seed, number=options.number)
    except BentpipeError as error:
        _tell(f"error: {error}")
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


def _take(steps: Sequence[str], store: Store, *, seed: int, number: int) -> int:
    if {"emulate", "renew"} & set(steps):
        require_emulate()
    if "draw" in steps:
        _draw(store, seed=seed, number=number)
    names = [each.cell.name for each in store.all() if is_of_set(each.cell.name, seed=seed, number=number)]
    if "emulate" in steps:
        with closing(Emulator()) as engine:
            measuring.emulate(store, names, engine=engine, results=RESULTS)
    if "renew" in steps:
        with closing(Emulator()) as engine:
            renewing.renew(store, names, engine=engine, results=RESULTS)
    if "simulate" in steps:
        _tell("simulate: every cell that is kept")
        measuring.simulate(store, store.all())
    return _report(store) if "report" in steps else 0


def _draw(store: Store, *, seed: int, number: int) -> None:
    found = measuring.draw(store, seed=seed, number=number, tell=_tell)
    for fate, count in found.fates.items():
        _tell(f"{count} {fate.value}")
    for each in found.unusual:
        _tell(f"{each.cell.name}: {each.why}\n{toml_text(each.cell.document)}")


def _report(store: Store) -> int:
    holds = report(store, PAGE)
    if holds is None:
        _tell("error: nothing has been measured by both engines yet")
        return 2
    _tell(f"{PAGE}: {'within' if holds else 'NOT within'} the bars")
    return 0 if holds else 1


def _show(store: Store, names: Sequence[str]) -> int:
    for name in names:
        if name not in store:
            _tell(f"error: there is no cell {name}")
            return 2
        print(toml_text(store[name].cell.document))
    return 0


def _tell(line: str) -> None:
    print(line, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
