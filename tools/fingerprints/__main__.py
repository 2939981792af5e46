"""Prints the fingerprints of runs as JSON.

`python -m tools.fingerprints CELL ...` prints those of the named cells, or of all.
`python -m tools.fingerprints > tests/determinism/golden.json` renews what every machine must get,
after a change of the model.
"""

import json
import sys
from dataclasses import asdict

from tools.fingerprints.cells import CELLS
from tools.fingerprints.fingerprint import fingerprint


def main() -> None:
    """Print fingerprints as JSON."""
    cells = sys.argv[1:] or CELLS
    json.dump({cell: asdict(fingerprint(cell)) for cell in cells}, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
