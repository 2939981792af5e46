"""Judge the simulated endpoint by scripts of chance that the kernel has completed.

Each is a SYN and some segments, windows, reads, writes and options of a socket. What the kernel sends becomes
what the script expects; a script that the kernel then passes judges the endpoint. Those that differ are kept.
Ends with status 1 when one does.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

from bentpipe.campaign.requirements import require_emulate
from bentpipe.cli.group import INTERRUPTED
from bentpipe.errors import BentpipeError
from tools.agreement_random.draw import Draw
from tools.random_scripts.judging import Fate, judged
from tools.random_scripts.stimuli import stimuli

RESULTS = Path("results/random-scripts")


def main() -> int:
    """Judge by as many scripts as are asked for; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.random_scripts", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the set [default: 1]")
    parser.add_argument("--number", type=int, default=100, help="of its first scripts [default: 100]")
    parser.add_argument(
        "--first", type=int, default=0, metavar="INDEX", help="number of the first [default: 0]"
    )
    options = parser.parse_args()
    try:
        require_emulate()
        return _judge(options.seed, range(options.first, options.first + options.number))
    except BentpipeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


def _judge(seed: int, indices: range) -> int:
    fates: Counter[Fate] = Counter()
    for index in indices:
        name = f"{seed}-{index}"
        found = judged(name, stimuli(Draw(seed=seed, index=index, attempt=0)))
        fates[found.fate] += 1
        if found.fate is not Fate.ALIKE:
            RESULTS.mkdir(parents=True, exist_ok=True)
            file = RESULTS / f"{name}.pkt"
            file.write_text(found.text, encoding="utf-8")
            rest = "".join(f"\n    and {segment}" for segment in found.verdict.unexpected)
            print(f"{found.fate.value}: {found.verdict.words(str(file))}{rest}", flush=True)
    print("", ", ".join(f"{count} {fate.value}" for fate, count in fates.items()), sep="\n")
    return 1 if fates[Fate.DIFFERENT] else 0


if __name__ == "__main__":
    sys.exit(main())
