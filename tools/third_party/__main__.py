"""Compare Bentpipe with what others have made, and write docs/third-party.md.

What is needed goes to build/third-party. The results stay in data/third-party, and a check that is not run
keeps those that it had. Ends with status 1 when a case fails, with 2 when a check cannot be run here.
"""

import argparse
import sys
import time
from pathlib import Path

from bentpipe.errors import BAD_INPUT_OR_ABILITY, AbilityError
from tools.third_party import page
from tools.third_party.check import Check, Outcome, Result
from tools.third_party.checks import CHECKS
from tools.third_party.kept import keep, kept

PAGE = Path("docs/third-party.md")


def main() -> int:
    """Run the checks that are asked for; return the exit status."""
    by_name = {check.name: check for check in CHECKS}
    parser = argparse.ArgumentParser(prog="python -m tools.third_party", description=__doc__)
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=f"of {', '.join(by_name)} [default: all]")
    parser.add_argument("--page", action="store_true", help="write the page from what is kept alone")
    options = parser.parse_args()
    unknown = set(options.checks) - by_name.keys()
    if unknown:
        parser.error(f"no such check: {', '.join(sorted(unknown))}")
    wanted = [] if options.page else [by_name[name] for name in options.checks or by_name]
    status = max([0, *(_run(check) for check in wanted)])
    PAGE.write_text(page.text([(check, kept(check.name)) for check in CHECKS]), encoding="utf-8")
    return status


def _run(check: Check) -> int:
    started_s = time.monotonic()
    try:
        result = check.run()
    except AbilityError as error:
        _tell(f"{check.name}: not run: {error}")
        return BAD_INPUT_OR_ABILITY
    keep(check.name, result)
    _tell(f"{check.name}: {_summary(result)} ({time.monotonic() - started_s:.0f} s)")
    for case in result.cases:
        if case.outcome is Outcome.FAILED:
            _tell(f"  failed: {case.group}, {case.name}: {case.note}")
    return 0 if result.holds else 1


def _summary(result: Result) -> str:
    counts = result.counts()
    return ", ".join(f"{counts[outcome]} {outcome}" for outcome in Outcome)


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
