"""Queues that mark packets in a report."""

import json

import pytest

import bentpipe

DUALPI2 = {"limit": "100 kB", "aqm": "dualpi2"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The report on a flow and on a page through DualPI2."""
    folder = tmp_path_factory.mktemp("marks")
    scenario = bentpipe.Scenario(
        link={"base": "flat:down=8Mbit/s,up=2Mbit/s,rtt=40ms", "forward.queue": DUALPI2},
        repetitions=2,
        matrix=[
            {"bulk.transport": ["quic"], "bulk.size": ["1 MB"], "cc": ["prague"]},
            {"page": ["single-100k"], "http": ["h3"]},
        ],
    )
    scenario.run(folder=folder, progress=False).report()
    return folder


def test_one_flow_has_its_queues_in_the_report(folder):
    flow, _ = json.loads((folder / "report.json").read_text(encoding="utf-8"))["flows"]
    assert [each["label"] for each in flow["flows"]] == ["quic:prague"]
    marked = {each["label"]: each["marked_packets"] for each in flow["queues"]}
    # RFC 9332 section 2.1: Prague's packets are ECT(1), which have a queue of their own.
    assert marked["l4s down"] > 0
    assert marked["classic down"] == 0


def test_a_page_has_its_queues_and_no_flows(folder):
    _, page = json.loads((folder / "report.json").read_text(encoding="utf-8"))["flows"]
    assert page["flows"] == []
    assert {each["label"] for each in page["queues"]} == {"l4s down", "classic down"}
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert text.count('aria-label="Queues"') == text.count('aria-label="Flows"') == 1
