"""What holds for all tests."""

from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says more of what else the machine does than of the code.
settings.register_profile("bentpipe", deadline=None)
settings.load_profile("bentpipe")

HERE = Path(__file__).parent
IN_REAL_TIME = {
    HERE / "emulate",
    HERE / "packaging",
    HERE / "agreement/test_sample.py",
    HERE / "agreement/test_random_sample.py",
    *(
        HERE / "campaign/cluster" / f"test_{name}.py"
        for name in ("cluster", "emulated", "jobs", "local", "python")
    ),
}
"""What is in these measures on this machine's kernel and clock, two at a time if not marked `alone`."""


def pytest_collection_modifyitems(items):
    for item in items:
        if IN_REAL_TIME & {item.path, *item.path.parents}:
            item.add_marker(pytest.mark.realtime)
            # A machine that loses its cores for a while fails what it measures then, not what follows: once
            # more, and the first attempt is told (RERUN).
            item.add_marker(pytest.mark.flaky(reruns=1))
