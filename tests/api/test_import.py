"""`import bentpipe`: what it offers, and what it does not load."""

import ast
import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import bentpipe
from bentpipe.api import calls, scenario

HEAVY = ("bokeh", "distributed", "matplotlib", "numpy", "optuna", "pandas", "polars", "pydantic", "scipy")


def loaded_by(code):
    """Return the heavy packages that a fresh interpreter has after some code."""
    ask = f"import sys\n{code}\nprint(*(name for name in {HEAVY} if name in sys.modules))"
    return subprocess.run(
        [sys.executable, "-c", ask], check=True, capture_output=True, text=True
    ).stdout.split()


def test_importing_loads_nothing_else():
    assert loaded_by("import bentpipe; bentpipe.__version__; dir(bentpipe)") == []


def test_writing_a_scenario_loads_neither_figures_nor_frames():
    found = loaded_by("import bentpipe; bentpipe.Scenario(link='lan')")
    assert set(found) <= {"numpy", "pydantic"}


def test_everything_public_is_there():
    assert set(bentpipe.__all__) <= set(dir(bentpipe))
    assert all(getattr(bentpipe, name) is not None for name in bentpipe.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        bentpipe.nothing  # noqa: B018


def test_the_stub_has_the_public_names_and_no_others():
    stub = ast.parse(Path(bentpipe.__file__).with_suffix(".pyi").read_text())
    imported = {
        alias.asname or alias.name
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert imported == set(bentpipe.__all__)


@pytest.mark.parametrize("module", [calls, scenario], ids=lambda module: module.__name__)
def test_the_examples_of_docstrings_hold(module):
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
