"""Over a path that is drawn from the seed runs of one repetition meet the same one and are pairs."""

import pytest

SCENARIO = """
name = "pairs"
repetitions = 3

[run]
link = "{link}"
page = "single-100k"
cc = "cubic"

[[matrix]]
http = ["h1", "h2"]
"""


@pytest.mark.parametrize(("link", "is_paired"), [("leo-starlink", True), ("geo-viasat2-flat", False)])
def test_the_answer_says_that_it_compares_pairs(bentpipe, tmp_path, link, is_paired):
    path = tmp_path / "pairs.toml"
    path.write_text(SCENARIO.format(link=link))
    result = bentpipe("run", path, "--engine", "simulate", "--out", tmp_path / "results")
    assert ("compared in pairs" in result.output) is is_paired
