import pytest

import bentpipe


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A working directory of one's own, below which results go."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def loads(tmp_path_factory):
    """Three loads each of two cells, over a link that loses packets, so that they differ."""
    return bentpipe.run(
        title="Two protocols",
        link="flat:down=10Mbit/s,up=2Mbit/s,rtt=100ms,loss=2%",
        page="single-100k",
        http=["h1", "h3"],
        repetitions=3,
        folder=tmp_path_factory.mktemp("results") / "loads",
        progress=False,
    )
