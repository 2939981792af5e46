import pytest

from tests.workbench.served import served


@pytest.fixture(scope="session")
def server():
    """One for all tests that change nothing of it; there is nothing in it that they could."""
    with served() as running:
        yield running
