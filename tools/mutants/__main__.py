"""Break the code on purpose, one change at a time, and see whether the tests of its crate notice.

What is found is kept in data/mutants, so that this can be interrupted and goes on with what is open: mutants
that nobody has judged, with --again those whose file has changed since, and with --missed, before all others,
those that no test noticed. docs/mutants.md has the score.
"""

import argparse
import random
import subprocess
import sys
import time
import tomllib
from pathlib import Path

from tools.mutants.code import listed
from tools.mutants.constants import constants
from tools.mutants.judging import BaselineError, Judge
from tools.mutants.mutant import Kind, Mutant, Outcome
from tools.mutants.page import Judged, page
from tools.mutants.store import FOLDER, Store

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/mutants.md"
EQUIVALENT = ROOT / FOLDER / "equivalent.toml"
CRATES = ("cc", "tcp", "link")
ORDER_SEED = 1
"""Mutants are judged in a drawn order, so that a part of them is a sample."""


def main() -> int:
    """Judge what is open for so long; write the page; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument(
        "crates", nargs="*", metavar="CRATE", help=f"of {', '.join(CRATES)}, or another [default: these]"
    )
    parser.add_argument("--kind", choices=[kind.value for kind in Kind], help="only mutants of one kind")
    parser.add_argument(
        "--minutes", type=float, default=60.0, help="for how long [default: 60; 0: only the page]"
    )
    parser.add_argument("--again", action="store_true", help="also those whose file has changed since")
    parser.add_argument("--missed", action="store_true", help="first those that no test noticed so far")
    options = parser.parse_args()
    kinds = [Kind(options.kind)] if options.kind else list(Kind)
    end = time.monotonic() + 60.0 * options.minutes
    crates = options.crates or CRATES
    try:
        for number, crate in enumerate(crates):
            # Each of those that are left has an equal part of the time that is left.
            left = end - time.monotonic()
            if left > 0:
                until = time.monotonic() + left / (len(crates) - number)
                _judge(crate, kinds, until=until, again=options.again, missed=options.missed)
    except BaselineError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except FileNotFoundError as error:
        print(f"error: {error.filename}: not there; `make mutants` installs cargo-mutants", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; what was judged is kept", file=sys.stderr)
    PAGE.write_text(page([_judged(crate) for crate in dict.fromkeys((*CRATES, *crates))]))
    return 0


def _judge(crate: str, kinds: list[Kind], *, until: float, again: bool, missed: bool) -> None:
    mutants, store = _mutants(crate), Store(ROOT, crate)
    store.forget_others(mutants)
    equivalents = _equivalents(mutants)

    def is_open(mutant: Mutant) -> bool:
        outcome = store.outcome(mutant)
        return (
            outcome is None
            or (again and not store.is_current(mutant))
            or (missed and outcome is Outcome.MISSED and mutant not in equivalents)
        )

    wanted = [mutant for mutant in mutants if mutant.kind in kinds and is_open(mutant)]
    random.Random(ORDER_SEED).shuffle(wanted)
    # Of those that nobody has judged the rest stays a sample.
    wanted.sort(key=lambda mutant: store.outcome(mutant) is not Outcome.MISSED)
    if not wanted:
        return
    judge = Judge(ROOT, crate)
    for number, mutant in enumerate(wanted, start=1):
        if time.monotonic() > until:
            print(f"{crate}: {len(wanted) - number + 1} are open")
            return
        outcome = judge.judge(mutant)
        store.add(mutant, outcome)
        if outcome is Outcome.MISSED:
            print(f"{crate}: not noticed: {mutant.file}: {mutant.name}", flush=True)


def _mutants(crate: str) -> list[Mutant]:
    found = list(listed(ROOT, crate))
    for file in sorted((ROOT / "crates" / crate / "src").rglob("*.rs")):
        found += constants(crate, file.relative_to(ROOT), file.read_text())
    return found


def _judged(crate: str) -> Judged:
    mutants, store = _mutants(crate), Store(ROOT, crate)
    outcomes = {mutant: outcome for mutant in mutants if (outcome := store.outcome(mutant)) is not None}
    return Judged(crate=crate, mutants=mutants, outcomes=outcomes, equivalents=_equivalents(mutants))


def _equivalents(mutants: list[Mutant]) -> dict[Mutant, str]:
    """Return why mutants are none, of those that are none."""
    reasons = tomllib.loads(EQUIVALENT.read_text()) if EQUIVALENT.exists() else {}
    return {
        mutant: reasons[str(mutant.file)][mutant.name]
        for mutant in mutants
        if mutant.name in reasons.get(str(mutant.file), {})
    }


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
