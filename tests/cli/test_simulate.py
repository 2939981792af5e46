"""The simulate engine by the command line: real runs, for they cost milliseconds."""

import pytest

GEO_RTT_S = 0.53
"""Presets/geo-alshagri-flat.toml."""


def test_a_ping_takes_the_links_delay_and_its_own_transmission_in_both_directions(bentpipe):
    record = bentpipe.json("ping", "--link", "geo-alshagri-flat", "--engine", "simulate", "--json")
    # 20 B of payload, 8 B of UDP, 20 B of IPv4 at 10 Mbit/s.
    expected_s = GEO_RTT_S + 2 * 48 * 8 / 10e6
    assert record["engine"] == "simulate"
    assert record["metrics"]["rtt_mean_s"] == pytest.approx(expected_s, abs=1e-9)


@pytest.mark.parametrize("http", ["h1", "h1s", "h2", "h3"])
@pytest.mark.parametrize("cc", ["cubic", "bbr"])
def test_a_page_takes_whole_round_trips_and_its_transmission(bentpipe, http, cc):
    arguments = ["--link", "geo-alshagri-flat", "--http", http, "--cc", cc, "--page", "single-100k"]
    record = bentpipe.json("page", *arguments, "--engine", "simulate", "--json")
    assert record["status"] == "succeeded", record["reasons"]
    # Handshakes: TCP one round trip, TLS 1.3 one more, QUIC one for both; the document and then the object
    # one each at the least.
    handshakes = {"h1": 1, "h1s": 2, "h2": 2, "h3": 1}[http]
    assert record["metrics"]["plt_s"] > (handshakes + 2) * GEO_RTT_S
    assert record["metrics"]["plt_s"] < (handshakes + 2 + 4) * GEO_RTT_S


def test_a_page_whose_host_is_asked_for_says_how_long_that_took(bentpipe):
    page = ["page", "--link", "geo-alshagri-flat", "--http", "h2", "--page", "single-100k"]
    known, asked = (
        bentpipe(*page, "--engine", "simulate", "--set", f"dns={dns}").stdout for dns in ("none", "do53")
    )
    assert "Name lookup" not in known
    [line] = [line for line in asked.splitlines() if "Name lookup" in line]
    # One round trip of the question, and the transmission of some hundred bytes.
    milliseconds = float(line.split()[2])
    assert 1e3 * GEO_RTT_S < milliseconds < 1e3 * GEO_RTT_S + 5


def test_a_second_run_gives_the_same_figures(bentpipe):
    arguments = ["--link", "flat:down=10Mbit/s,up=2Mbit/s,rtt=50ms,loss=1%", "--size", "1MB", "--seed", "7"]
    first, second = (bentpipe("bulk", *arguments, "--engine", "simulate").stdout for _ in range(2))
    assert "Goodput" in first
    assert first == second


@pytest.mark.usefixtures("report")
def test_a_simulated_campaign_has_a_folder_of_its_own_and_resumes(
    bentpipe, scenario_file, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    first = bentpipe.json("run", scenario_file, "--engine", "simulate", "--json")
    assert (first["folder"], first["succeeded"]) == ("results/example-simulate", 4)
    again = bentpipe("run", scenario_file, "--engine", "simulate")
    assert "4 of them done before" in again.stderr
