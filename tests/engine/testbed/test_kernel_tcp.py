"""What a namespace and its routes are told, for the settings of a run."""

from bentpipe.engine.testbed import kernel_tcp
from bentpipe.model.hosts import TcpSpec
from bentpipe.model.switch import Switch

PLAIN = TcpSpec(
    initial_window=10,
    receive_buffer_bytes=6_291_456,
    send_buffer_bytes=4_194_304,
    slow_start_after_idle=True,
)


def test_without_knobs_the_kernel_is_told_the_limits_and_the_initial_window_alone():
    assert kernel_tcp.sysctls(PLAIN) == {
        "ipv4/tcp_rmem": "4096 131072 6291456",
        "ipv4/tcp_wmem": "4096 16384 4194304",
        "ipv4/tcp_slow_start_after_idle": "1",
    }
    assert kernel_tcp.route_attributes(PLAIN) == "initcwnd 10"


def test_a_limit_below_the_kernel_s_initial_size_is_the_initial_size_too():
    """A buffer that starts above its limit would never be held to it."""
    small = PLAIN.model_copy(update={"receive_buffer_bytes": 128_000, "send_buffer_bytes": 2_000})
    assert kernel_tcp.sysctls(small)["ipv4/tcp_rmem"] == "4096 128000 128000"
    assert kernel_tcp.sysctls(small)["ipv4/tcp_wmem"] == "2000 2000 2000"


def test_fast_open_is_allowed_to_clients_and_servers():
    assert kernel_tcp.sysctls(PLAIN.model_copy(update={"fast_open": Switch.ON}))["ipv4/tcp_fastopen"] == "3"


def test_timestamps_may_be_off():
    without = PLAIN.model_copy(update={"timestamps": Switch.OFF})
    assert kernel_tcp.sysctls(without)["ipv4/tcp_timestamps"] == "0"


def test_classic_ecn_is_asked_for_where_it_is_on_and_else_as_the_kernel_has_it():
    # ip-sysctl.rst: 1 asks for it and agrees to it, 2 (the default) only agrees.
    assert "ipv4/tcp_ecn" not in kernel_tcp.sysctls(PLAIN)
    assert kernel_tcp.sysctls(PLAIN.model_copy(update={"ecn": Switch.ON}))["ipv4/tcp_ecn"] == "1"


def test_the_first_receive_window_is_an_attribute_of_the_route():
    old = PLAIN.model_copy(update={"initial_receive_window": 20})
    assert kernel_tcp.route_attributes(old) == "initcwnd 10 initrwnd 20"


def test_quick_acknowledgements_are_an_attribute_of_the_route():
    assert (
        kernel_tcp.route_attributes(PLAIN.model_copy(update={"quick_ack": Switch.ON}))
        == "initcwnd 10 quickack 1"
    )


def test_a_congestion_control_that_no_socket_asks_for_is_an_attribute_of_the_route():
    assert kernel_tcp.route_attributes(PLAIN, congestion_control="bbr") == "initcwnd 10 congctl bbr"
