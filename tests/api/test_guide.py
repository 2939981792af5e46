"""What docs/guide/python.md and the README show is run as it stands there."""

import re

from tests.tidy.project import ROOT

GUIDE = ROOT / "docs/guide/python.md"
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_guide_runs_from_the_first_line_to_the_last(here, capsys):
    blocks = PYTHON.findall(GUIDE.read_text())
    assert len(blocks) >= 3
    names = {}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), names)
    assert "18 runs: 18 succeeded" in capsys.readouterr().out
    assert names["faster"].constants["cc"] == "bbr"
    assert (here / "windows.toml").exists()
    assert (here / "waterfall.svg").exists()


def test_the_example_of_the_readme_runs():
    [block] = PYTHON.findall((ROOT / "README.md").read_text())
    names = {}
    exec(compile(block, "README.md", "exec"), names)
    assert len(names["results"].cells) == 4
