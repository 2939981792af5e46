"""Idle cores poll where the kernel heeds who asks for it, and the record says whether they do."""

import struct

import pytest

from bentpipe.engine.host import cpu_idle


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """Gives a kernel its cpuidle driver, its command line and a device that takes requests."""

    def give(*, driver="acpi_idle", command_line="quiet", is_granted=True):
        names = ("LATENCY_REQUEST", "CPUIDLE_DRIVER", "KERNEL_COMMAND_LINE")
        files = {name: tmp_path / name for name in names}
        if is_granted:
            files["LATENCY_REQUEST"].touch()
        if driver is not None:
            files["CPUIDLE_DRIVER"].write_text(f"{driver}\n")
        files["KERNEL_COMMAND_LINE"].write_text(f"{command_line}\n")
        for name, file in files.items():
            monkeypatch.setattr(cpu_idle, name, file)
        return files["LATENCY_REQUEST"]

    return give


def test_cores_poll_while_a_wake_up_of_no_microseconds_is_asked_for(kernel):
    # Documentation/power/pm_qos_interface.rst: a binary value of 32 bits, kept while the file is open.
    request = kernel()
    with cpu_idle.awake() as state:
        assert (state, request.read_bytes()) == ("polling", struct.pack("i", 0))


# admin-guide/pm/cpuidle.rst: `none` where no driver is registered. No file without CONFIG_CPU_IDLE.
@pytest.mark.parametrize("driver", ["none", None])
def test_without_a_driver_cores_halt_whatever_is_asked_for(kernel, driver):
    kernel(driver=driver)
    with cpu_idle.awake() as state:
        assert state == "sleeping"


def test_who_may_not_ask_finds_cores_asleep(kernel):
    kernel(is_granted=False)
    with cpu_idle.awake() as state:
        assert state == "sleeping"


@pytest.mark.parametrize("is_granted", [True, False])
def test_a_kernel_started_with_idle_poll_needs_neither_a_driver_nor_to_be_asked(kernel, is_granted):
    kernel(driver="none", command_line="quiet idle=poll nomodule", is_granted=is_granted)
    with cpu_idle.awake() as state:
        assert state == "polling"
