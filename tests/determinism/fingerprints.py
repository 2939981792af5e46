"""What a run leaves behind, as hashes.

`python -m tests.determinism.fingerprints CELL ...` prints those of the named cells, or of all.
`python -m tests.determinism.fingerprints > tests/determinism/golden.json` renews what every machine must get
after a change of the model.
"""

import hashlib
import json
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from bentpipe import _core
from bentpipe.model.record import RunRecord, Status
from tests.determinism import packets
from tests.determinism.cells import CELLS, spec


@dataclass(frozen=True)
class Fingerprint:
    """SHA-256 of the record as the engine writes it, and of the list of packets."""

    record: str
    packets: str


def fingerprint(cell: str, *, seed: int = 1) -> Fingerprint:
    """Run a cell."""
    with tempfile.TemporaryDirectory() as folder:
        record = _core.Simulator().run(
            run_id=cell, spec=spec(cell, seed=seed).to_json(), provenance="{}", artifacts=folder
        )
        found = RunRecord.model_validate_json(record)
        assert found.status is Status.SUCCEEDED, (cell, found.reasons)
        return Fingerprint(
            record=hashlib.sha256(record.encode()).hexdigest(),
            packets=packets.digest(Path(folder) / "packets.pcapng"),
        )


def main() -> None:
    """Print fingerprints as JSON."""
    cells = sys.argv[1:] or CELLS
    json.dump({cell: asdict(fingerprint(cell)) for cell in cells}, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
