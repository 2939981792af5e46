"""What iperf3 is asked for."""

from bentpipe.engine.programs import iperf3
from tools.specs import spec_of

FLOW = {"link": "geo-alshagri-flat", "cc": "cubic", "bulk": {"size": "10 MB"}}


def test_a_mark_is_passed_on_as_the_code_point_that_it_is():
    spec = spec_of(FLOW, "client=iperf3", "server=iperf3")
    unmarked = iperf3.client_arguments(spec)
    assert "--dscp" not in unmarked
    assert iperf3.client_arguments(spec.model_copy(update={"dscp": 46})) == [*unmarked, "--dscp", "46"]
    assert iperf3.client_arguments(spec.model_copy(update={"dscp": 0})) == [*unmarked, "--dscp", "0"]
