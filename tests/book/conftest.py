"""The command line as the documents use it."""

import pytest

from tests.cli.conftest import Shell


@pytest.fixture(scope="module")
def bentpipe():
    return Shell()
