"""What a run leaves behind, as hashes."""

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bentpipe import _core
from bentpipe.model.record import RunRecord, Status
from tools.fingerprints import packets
from tools.fingerprints.cells import spec


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
