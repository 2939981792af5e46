"""Equal specs and seeds give equal records and equal packets, whatever else happens and wherever."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tools.fingerprints.cells import CELLS
from tools.fingerprints.fingerprint import Fingerprint, fingerprint

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).with_name("golden.json")
WORKERS = 8
"""More than most machines have cores to spare, so that runs interrupt each other."""
PROCESSES = 3
LOAD = "while True: pass"


@pytest.fixture(scope="module")
def alone() -> dict[str, Fingerprint]:
    """Every cell by one worker, one after the other."""
    return {cell: fingerprint(cell) for cell in CELLS}


@contextmanager
def load() -> Iterator[None]:
    """Keep every core of the machine busy."""
    busy = [subprocess.Popen([sys.executable, "-c", LOAD]) for _ in range(len(os.sched_getaffinity(0)))]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def in_a_process_of_its_own(hash_seed: int) -> dict[str, Fingerprint]:
    """Every cell in a fresh interpreter: other addresses, other hash seeds, another instant zero."""
    done = subprocess.run(
        [sys.executable, "-m", "tools.fingerprints"],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
        check=True,
        capture_output=True,
        text=True,
    )
    return {cell: Fingerprint(**found) for cell, found in json.loads(done.stdout).items()}


def test_a_run_again_in_the_same_process_is_the_same_run(alone: dict[str, Fingerprint]) -> None:
    assert {cell: fingerprint(cell) for cell in reversed(CELLS)} == alone


def test_many_workers_at_once_get_what_one_gets(alone: dict[str, Fingerprint]) -> None:
    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        found = list(pool.map(fingerprint, CELLS * 3))
    assert found == [alone[cell] for cell in CELLS * 3]


def test_fresh_processes_on_a_loaded_machine_get_what_one_gets(alone: dict[str, Fingerprint]) -> None:
    with load(), ThreadPoolExecutor(max_workers=PROCESSES) as pool:
        for found in pool.map(in_a_process_of_its_own, range(PROCESSES)):
            assert found == alone


def test_this_machine_gets_what_every_machine_gets(alone: dict[str, Fingerprint]) -> None:
    # Written by tools/fingerprints, which says how to renew it after the model has changed.
    golden = {cell: Fingerprint(**found) for cell, found in json.loads(GOLDEN.read_text()).items()}
    assert alone == golden


@pytest.mark.parametrize("cell", CELLS)
def test_another_seed_gives_another_record_and_other_packets(
    alone: dict[str, Fingerprint], cell: str
) -> None:
    other = fingerprint(cell, seed=2)
    assert other.record != alone[cell].record
    assert other.packets != alone[cell].packets
