"""The notebooks of the documentation say what a clean kernel says now."""

import json
import re

import pytest

from tools import notebooks

LARGEST_SVG_BYTES = 300_000
LARGEST_NOTEBOOK_BYTES = 1_000_000
"""With one figure that brings BokehJS along; others take it from there."""
PLACES = re.compile(r"/(?:home|root|tmp|usr|work|Users)/|[0-9]{4}-[0-9]{2}-[0-9]{2}T")
"""Paths of a machine and times of day."""


@pytest.fixture(scope="module", params=notebooks.notebooks(), ids=lambda path: path.stem)
def path(request):
    return request.param


def outputs(notebook):
    """Return what each cell printed and showed as text; pictures are another test's."""
    shown = []
    for cell in notebook["cells"]:
        found = [
            output.get("text") or output.get("data", {}).get("text/plain")
            for output in cell.get("outputs", ())
        ]
        # A file has a text as its lines.
        shown.append([text if isinstance(text, str) else "".join(text) for text in found])
    return shown


def test_there_are_notebooks():
    assert len(notebooks.notebooks()) >= 2


def test_a_clean_kernel_gives_the_outputs_that_are_committed(path, tmp_path):
    committed = json.loads(path.read_text())
    # Virtual time: the same numbers on every machine.
    assert outputs(notebooks.executed(path, tmp_path)) == outputs(committed)


def test_outputs_name_no_machine_and_no_hour(path):
    assert PLACES.findall(path.read_text()) == []


def test_pictures_are_small(path):
    cells = json.loads(path.read_text())["cells"]
    shown = [output.get("data", {}) for cell in cells for output in cell.get("outputs", ())]
    sizes = [len("".join(data["image/svg+xml"])) for data in shown if "image/svg+xml" in data]
    assert sizes and max(sizes) <= LARGEST_SVG_BYTES


def test_a_notebook_is_small_with_its_interactive_figures(path):
    assert path.stat().st_size <= LARGEST_NOTEBOOK_BYTES


def test_an_interactive_figure_is_among_them_and_no_script_is_loaded_from_anywhere():
    texts = [path.read_text() for path in notebooks.notebooks()]
    assert any("data-bentpipe=" in text for text in texts)
    assert all(re.findall(r"<script[^>]*src", text) == [] for text in texts)
