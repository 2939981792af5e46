import pytest

from bentpipe.engine import emulate


@pytest.fixture(scope="session")
def _able_to_emulate():
    missing = [str(error) for error in emulate.missing()]
    if missing:
        pytest.skip(f"this machine cannot emulate: {'; '.join(missing)}")
