"""A server behind the satellite terminal on the real kernel: what it sends takes the return link."""

import pytest

from bentpipe.engine.simulate import Simulator
from tests.emulate.measuring import measured
from tests.support import artifacts
from tests.support.tshark import needs_tshark
from tools.specs import spec_of

LINK = "flat:down=20Mbit/s,up=2Mbit/s,rtt=100ms"
BEHIND = "server_behind=terminal"


def test_a_download_takes_the_return_link_as_long_as_in_virtual_time():
    run = {"link": LINK, "cc": "cubic", "bulk": {"size": "1 MB"}}
    found = measured(run, BEHIND).metrics
    simulated = Simulator().run(run_id="0", spec=spec_of(run, BEHIND), artifacts=None).metrics
    # 1 MB at 2 Mbit/s; at 20 Mbit/s it would take a tenth.
    assert found.completion_s > 4.0
    assert found.completion_s == pytest.approx(simulated.completion_s, rel=0.02)
    assert found.wire_bytes_down > 1_000_000 > 10 * found.wire_bytes_up
    assert found.utilisation == pytest.approx(simulated.utilisation, rel=0.02)


@needs_tshark
def test_captures_show_each_packet_at_the_end_of_its_host(tmp_path):
    run = {"link": f"{LINK},queue=2MB", "http": "h2", "cc": "cubic", "page": artifacts.PAGE}
    record = measured(run, BEHIND, "capture.pcapng=true", "validity.lateness=1 s", artifacts=tmp_path)
    artifacts.has_every_packet_at_both_ends(record, tmp_path)
