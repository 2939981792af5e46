"""How late programs of this machine run after sleep, beside an emulated link."""

from bentpipe.engine import wakeup
from tools.specs import spec_of

RUN = {"link": "flat:down=10Mbit/s,up=10Mbit/s,rtt=20ms", "ping": {"count": 1}}


def test_a_program_answers_later_than_a_system_call_takes_and_within_a_few_milliseconds():
    # A median of a hundred: what a machine that loses its cores now and then is late by is not in it.
    ((shortest_s, latency_s),) = wakeup.latencies_s(spec_of(RUN), sleeps_s={0.0: 0.005}).items()
    assert shortest_s == 0.0
    assert 1e-6 < latency_s < 5e-3
