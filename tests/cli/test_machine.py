"""doctor and clean: what the machine is and what killed runs have left on it."""

import platform

import pytest

from bentpipe import _core
from bentpipe.engine.host.doctor import Finding, report
from bentpipe.engine.process import scratch
from bentpipe.engine.testbed import netns


def check(name):
    (found,) = [each for each in report() if each.name == name]
    return found


@pytest.mark.parametrize(
    ("release", "finding"),
    [
        ("5.10.0-28-amd64", Finding.OPTIONAL),
        ("5.11.22", Finding.OPTIONAL),
        ("5.12.0", Finding.OK),
        ("6.1.0-21-amd64", Finding.OK),
    ],
)
def test_a_kernel_that_browsers_cannot_be_measured_on_is_named_with_the_one_they_need(
    monkeypatch, release, finding
):
    """mount_setattr(2), VERSIONS: Linux 5.12."""
    monkeypatch.setattr(platform, "release", lambda: release)
    found = check("kernel for browsers")
    assert (found.finding, found.found) == (finding, release)
    assert ("Linux 5.12 or later" in found.remedy) == (finding is not Finding.OK)
    # Everything else can be measured there: since Linux 5.9.
    assert check("kernel").finding is Finding.OK


@pytest.fixture
def left(monkeypatch):
    """What killed runs have left: namespaces, folders and congestion controls, as lists to fill."""
    names, folders, controls = [], [], []

    def taken(things):
        gone = list(map(str, things))
        things.clear()
        return gone

    monkeypatch.setattr(netns, "leftovers", lambda: names)
    monkeypatch.setattr(netns, "clean", lambda: taken(names))
    monkeypatch.setattr(scratch, "leftovers", lambda: folders)
    monkeypatch.setattr(scratch, "clean", lambda: taken(folders))
    monkeypatch.setattr(_core, "congestion_control_leftovers", lambda: list(controls))
    monkeypatch.setattr(_core, "remove_congestion_control_leftovers", lambda: taken(controls))
    return names, folders, controls


@pytest.mark.usefixtures("left")
def test_where_nothing_is_left_doctor_and_clean_say_so(bentpipe):
    assert (check("leftovers").finding, check("leftovers").found) == (Finding.OK, "none")
    assert bentpipe("clean").stderr == "0 leftovers removed\n"


def test_congestion_controls_that_killed_runs_left_are_named_by_doctor_and_removed_by_clean(bentpipe, left):
    left[2].extend(["bp_hybla", "bp_vivace"])
    found = check("leftovers")
    assert (found.finding, found.remedy) == (Finding.OPTIONAL, "bentpipe clean")
    assert found.found == "the congestion controls bp_hybla, bp_vivace of killed runs"
    assert bentpipe("clean").stderr.splitlines() == [
        "removed congestion control bp_hybla",
        "removed congestion control bp_vivace",
        "2 leftovers removed",
    ]
    assert check("leftovers").finding is Finding.OK


def test_all_kinds_of_leftovers_are_counted_together(bentpipe, left):
    for kind, name in zip(left, ("bp-namespace", "/tmp/bp-folder", "bp_hybla"), strict=True):
        kind.append(name)
    expected = "2 namespaces and folders of ended runs and the congestion controls bp_hybla of killed runs"
    assert {each["name"]: each["found"] for each in bentpipe.json("doctor", "--json")}[
        "leftovers"
    ] == expected
    assert bentpipe("clean").stderr.splitlines() == [
        "removed bp-namespace",
        "removed /tmp/bp-folder",
        "removed congestion control bp_hybla",
        "3 leftovers removed",
    ]


def test_a_name_of_others_cannot_act_on_the_terminal(bentpipe, left):
    """Whoever may write to the folder of temporary files chooses the names there."""
    left[1].append("/tmp/bp-\x1b[2J\x9b31m\u202e")
    assert bentpipe("clean").stderr == "removed /tmp/bp-\\x1b[2J\\x9b31m\\u202e\n1 leftovers removed\n"
