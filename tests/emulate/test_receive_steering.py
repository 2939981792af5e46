"""Hosts at the ends of the fastest links receive on other cores than the link's."""

import os
import subprocess

import pytest

from bentpipe import _core
from bentpipe.engine.emulate import configuration_of, open_link, open_world
from bentpipe.engine.process import user_namespace
from bentpipe.engine.process.part import START_TIMEOUT_S
from bentpipe.engine.testbed.netns import DEVICE
from bentpipe.engine.testbed.receive_steering import mask_of
from tests.emulate.measuring import measured
from tools.specs import spec_of

pytestmark = [
    pytest.mark.skipif(
        os.geteuid() != 0 or user_namespace.is_own(), reason="steering packets is the machine's root's"
    ),
    pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is no other core"),
]


def ping(down, up):
    return {"link": f"flat:down={down},up={up},rtt=40ms", "ping": {"count": 3, "interval": "50 ms"}}


@pytest.mark.parametrize(
    ("cores", "expected"),
    # networking/scaling.rst: a bitmap of CPUs, as in /proc/irq/*/smp_affinity: words of 32 bits, and commas.
    [([0], "00000001"), ([1, 2, 3], "0000000e"), ([31, 32], "00000001,80000000"), ([], "00000000")],
)
def test_cores_are_written_as_the_kernel_reads_them(cores, expected):
    assert mask_of(cores) == expected


@pytest.mark.parametrize(
    ("down", "up", "expected"),
    [("999Mbit/s", "999Mbit/s", False), ("1Gbit/s", "2Mbit/s", True), ("2Mbit/s", "2Gbit/s", True)],
)
def test_links_have_it_from_one_gigabit_on_in_either_direction(down, up, expected):
    assert _core.has_receive_steering(spec_of(ping(down, up)).to_json()) is expected


def test_a_record_says_whether_a_link_had_it():
    assert measured(ping("1Gbit/s", "1Gbit/s")).provenance["receive_steering"] == "on"
    assert measured(ping("500Mbit/s", "500Mbit/s")).provenance["receive_steering"] == "off"


def test_the_link_keeps_to_a_core_and_both_hosts_receive_on_all_others():
    spec = spec_of(ping("1Gbit/s", "1Gbit/s"))
    with open_world(spec) as world, open_link(world, configuration_of(spec, None)) as running:
        running.part.answer(timeout_s=START_TIMEOUT_S)
        own = os.sched_getaffinity(running.part.pid)
        others = os.sched_getaffinity(0) - own
        assert len(own) == 1
        for name in world.ends:
            assert _read(name, f"/sys/class/net/{DEVICE}/queues/rx-0/rps_cpus") == sum(
                1 << core for core in others
            )


def _read(namespace, path):
    text = subprocess.check_output(["ip", "netns", "exec", namespace, "cat", path], text=True)
    return int(text.strip().replace(",", ""), 16)
