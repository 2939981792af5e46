from pathlib import Path

import pytest

from bentpipe.ledger import Ledger
from bentpipe.scenario import resolve_document


def a_scenario(*, http=("h1", "h2", "h3"), repetitions=2):
    document = {
        "repetitions": repetitions,
        "run": {"link": "lan", "page": "single-100k"},
        "matrix": {"http": list(http)},
    }
    return resolve_document(document, file="scenario.toml", folder=Path(), default_name="example")


@pytest.fixture
def scenario():
    return a_scenario()


@pytest.fixture
def ledger(tmp_path, scenario):
    with Ledger.claim(tmp_path / "results", scenario.document()) as opened:
        yield opened
