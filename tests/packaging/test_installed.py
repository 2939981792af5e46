"""The wheel in an environment of its own, without a compiler, and far from a checkout."""

import json
import os
import re
import subprocess
import sys

import pytest

from bentpipe.engine import emulate
from tests.support.elapsed import elapsed

FIRST_RESULT_WITHIN_S = 60.0
"""From an empty environment, on two cores that do nothing else, with the wheel at hand."""

PAGE = ("page", "--link", "geo-alshagri", "--http", "h3", "--page", "uniform-500k", "--engine", "simulate")


def test_a_first_page_load_comes_within_a_minute(installed, tmp_path):
    with elapsed() as loading:
        record = installed.json(*PAGE, folder=tmp_path)
    parts = (installed.took, loading)
    own_s, wall_s, awaited_s = (
        sum(getattr(part, name) for part in parts) for name in ("own_s", "wall_s", "awaited_s")
    )
    print(f"environment {installed.took.own_s:.1f} s, with the first page load {own_s:.1f} s")
    print(f"wall time {wall_s:.1f} s, of which {awaited_s:.1f} s without a core")
    assert record["status"] == "succeeded"
    assert own_s < FIRST_RESULT_WITHIN_S


def test_a_simulated_record_is_that_of_a_checkout(installed, tmp_path):
    """A spec has one simulated record, whatever built the module (ARCHITECTURE.md, invariant 2)."""
    ours = [sys.executable, "-m", "bentpipe.cli", *PAGE, "--json"]
    expected = subprocess.run(ours, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert installed.json(*PAGE, folder=tmp_path) == json.loads(expected)


def test_a_study_is_reproduced_in_its_quick_form(installed, tmp_path):
    arguments = ("reproduce", "alshagri2023", "--quick", "--engine", "simulate")
    said = installed(*arguments, "--out", tmp_path / "results", folder=tmp_path)
    assert re.search(r"^Of \d+ claims \d+ agree", said, re.MULTILINE)
    assert (tmp_path / "results/report.html").stat().st_size > 0
    assert json.loads((tmp_path / "results/report.json").read_text())


@pytest.mark.parametrize("command", ["links", "pages", "studies"])
def test_what_is_built_in_is_there(installed, tmp_path, command):
    expected = subprocess.run(
        [sys.executable, "-m", "bentpipe.cli", command], check=True, capture_output=True, text=True
    ).stdout
    assert installed(command, folder=tmp_path) == expected


def test_the_package_knows_that_it_stands_in_no_checkout(installed, tmp_path):
    code = "from bentpipe.checkout import CHECKOUT; print(CHECKOUT)"
    assert installed.python(code, folder=tmp_path) == "None\n"


def test_the_doctor_asks_for_no_compiler(installed, tmp_path):
    said = installed("doctor", folder=tmp_path)
    assert "simulate engine" in said
    assert "clang" not in said
    assert "make " not in said


@pytest.mark.root
@pytest.mark.skipif(bool(emulate.missing()), reason="this machine cannot emulate")
def test_a_shell_loads_a_page_over_the_link(installed, tmp_path):
    said = installed(
        "shell",
        "--link",
        "geo-alshagri",
        "--",
        "curl",
        "--silent",
        "--fail",
        "--output",
        os.devnull,
        "--write-out",
        "%{http_code} %{time_starttransfer}",
        "https://origin.bentpipe.test/",
        folder=tmp_path,
    )
    status, first_byte_s = said.split()[-2:]
    assert status == "200"
    # TCP, TLS 1.3 and the request take a round trip each, and one goes to the height of 35 786 km four times.
    assert float(first_byte_s) > 3 * 4 * 35_786e3 / 299_792_458
