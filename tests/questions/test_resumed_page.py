"""A page of 100 MB over GEO with early data, by a sender that knows the path and one that does not."""

import pytest

from bentpipe.engine.simulate import Simulator
from tests.support.har import HTML, entry, write
from tools.specs import spec_of


@pytest.fixture
def load_s(tmp_path):
    """Load the page with settings; return the page load time in seconds."""
    write(tmp_path / "big.har", [entry("https://site.example/", media=HTML, size=100_000_000)])

    def measure(cc, **settings):
        run = {
            "link": "flat:down=250Mbit/s,up=3Mbit/s,rtt=600ms",
            "http": "h3",
            "page": f"har:{tmp_path}/big.har",
            "visit": "repeat",
            "cc": cc,
            "tls": {"resumption": "early-data"},
            "quic": {"ack_frequency": {"ack_eliciting_threshold": 19, "requested_max_ack_delay": "25 ms"}},
            **settings,
        }
        record = Simulator().run(run_id="0" * 16, spec=spec_of(run), artifacts=None)
        return record.metrics.plt_s

    return measure


@pytest.mark.parametrize("cc", ["cubic", "reno"])
def test_100_mb_take_less_than_5_s_with_what_was_saved_and_more_than_5_4_s_without(load_s, cc):
    """Bounds of picoquic's tests of Careful Resume, `careful_resume_test`."""
    assert load_s(cc, resume={"saved_capacity": "2 x"}) < 5.0
    assert load_s(cc) > 5.4
