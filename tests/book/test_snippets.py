"""What the documents show: files are read; commands run in virtual time and print what stands below them."""

import gzip
import re
import shutil
import tomllib
from collections import Counter
from contextlib import contextmanager
from importlib import import_module
from itertools import pairwise

import pytest

from bentpipe.check.budget import read_budgets
from bentpipe.ledger import Ledger
from bentpipe.report import live
from bentpipe.scenario import Extent, load
from bentpipe.scenario.ablations import read_ablations
from bentpipe.scenario.links import link
from tests.book import snippets
from tests.support.har import CSS, HTML, JS, PNG, entry, write
from tests.tidy.project import ROOT
from tools.book import outputs

LINKED = ("data", "docs", "scenarios", "tests")
"""Folders of the project that commands name."""
GUIDE = ROOT / "docs/guide/scenarios.md"
RESULTS = {
    "geo-versions": ("geo-versions.toml",),
    "small-window": ("geo-versions.toml", "--set", "tcp.initial_window=3"),
    "h1-connections": ("scenarios/h1-connections.toml",),
    "first-page-simulate": ("scenarios/first-page.toml",),
    "mine": ("scenarios/handover.toml",),
}
"""Folders of results that a document takes for granted, with how they are measured."""
RUN_ID = re.compile(r"\b[0-9a-f]{8}(?:[0-9a-f]{8})?$")
EMPTY_SVG = "<svg xmlns='http://www.w3.org/2000/svg'/>"
BROKEN = 1
"""The exit status of a budget that is not kept: budgets of the documents are of other sites."""


def name_of(document):
    return str(document.relative_to(ROOT))


WITH_TABLES = [document for document in snippets.DOCUMENTS if snippets.tables(document)]
WITH_COMMANDS = [document for document in snippets.DOCUMENTS if any(snippets.commands(document))]


def write_site(folder):
    folder.mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><link rel=stylesheet href=a.css><img src=b.png>")
    (folder / "a.css").write_text("body { margin: 0 }")
    (folder / "b.png").write_bytes(bytes(40_000))


def write_recordings(folder):
    site = "https://www.site.example"
    entries = [
        entry(f"{site}/", media=HTML, size=20_000),
        entry(f"{site}/a.css", start_ms=110, media=CSS, size=5_000),
        entry(f"{site}/b.js", start_ms=110, media=JS, size=30_000),
        entry("https://images.example/c.png", start_ms=120, media=PNG, size=60_000),
    ]
    for name in ("site.har", "front.har"):
        write(folder / name, entries)
    leocc = ROOT / "data/leocc"
    (folder / "down.txt").write_bytes(gzip.decompress((leocc / "bw_example.txt.gz").read_bytes()))
    shutil.copy(leocc / "delay_example.txt", folder / "delay.txt")
    pings = (
        f"[{1_700_000_000 + n / 10:.6f}] 64 bytes from 192.0.2.1: icmp_seq={n} ttl=60 time=40 ms\n"
        for n in range(1, 600)
    )
    (folder / "pings.txt").write_text("PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.\n" + "".join(pings))


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A folder in which the reader of a document works, with what the documents take for granted."""
    for name in LINKED:
        (tmp_path / name).symlink_to(ROOT / name)
    for name, text in snippets.named(GUIDE).items():
        (tmp_path / name).write_text(text)
    for name in ("public", "dist", "before/dist"):
        write_site(tmp_path / name)
    (tmp_path / "budget.toml").write_text(
        next(text for text in snippets.tables(ROOT / "docs/guide/check.md") if "[[budget]]" in text)
    )
    (tmp_path / "workbench.toml").write_text((ROOT / "scenarios/ping-baseline.toml").read_text())
    write_recordings(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("document", WITH_TABLES, ids=name_of)
def test_a_file_that_a_document_shows_is_read(document, workspace):
    for number, text in enumerate(snippets.tables(document)):
        path = workspace / f"snippet-{number}.toml"
        path.write_text(text)
        table = tomllib.loads(text)
        if "run" in table:
            assert load(path).cells and load(path, extent=Extent.QUICK).cells
        elif "budget" in table:
            assert read_budgets(path).budgets
        elif "ablation" in table:
            assert read_ablations(path).ablations
        elif "forward" in table:
            assert link(path.name, folder=workspace)["name"]
        else:
            # Part of a file that is in docs/examples whole (test_guides.py).
            assert "objects" in table


@pytest.fixture
def without_figures(monkeypatch):
    """Reports without figures, which take most of their time and are tested in tests/report."""
    # `bentpipe.report.build` is a function of the package, too.
    monkeypatch.setattr(import_module("bentpipe.report.build"), "saving", _saving_empty)
    monkeypatch.setattr(live, "gather", lambda *_arguments: live.Live(data={}, scripts=()))


@contextmanager
def _saving_empty(drawings, _folder):
    yield lambda: {each.name: EMPTY_SVG for each in drawings}


@pytest.mark.usefixtures("without_figures")
@pytest.mark.parametrize("document", WITH_COMMANDS, ids=name_of)
def test_the_commands_of_a_document_run_and_print_what_it_shows(document, workspace, bentpipe):
    for name, text in snippets.named(document).items():
        (workspace / name).write_text(text)
    for command in snippets.commands(document):
        if command.reason is not None:
            continue
        words = _given(command.cheap, workspace, bentpipe)
        result = bentpipe(*words, expect=(0, BROKEN) if words[0] == "check" else (0,))
        printed = [" ".join(line.split()) for line in result.output.splitlines()]
        for shown in command.printed:
            assert any(line.startswith(" ".join(shown.split())) for line in printed), (command.line, shown)


def _given(words, workspace, bentpipe):
    """Return the words, with a run and a folder that exist, when the results that they name are measured."""
    for before, word in pairwise(["", *words]):
        name = word.removeprefix("results/").partition("/")[0]
        folder = workspace / "results" / name
        is_there = before == "--out" or folder.exists()
        if word.startswith("results/") and name in RESULTS and not is_there:
            bentpipe("run", *RESULTS[name], "--engine", "simulate", "--quick", "--out", folder)
    return [_in(workspace, words, word) for word in words]


def _in(workspace, words, word):
    if RUN_ID.search(word):
        name = next(each for each in words if each.startswith("results/")).split("/")[1]
        with Ledger(workspace / "results" / name) as ledger:
            word = RUN_ID.sub(ledger.best()[0].record.run_id, word)
    return word.replace("/tmp/", f"{workspace}/")


def test_what_is_not_run_here_has_a_reason_and_is_the_smaller_part():
    every = [command for document in snippets.DOCUMENTS for command in snippets.commands(document)]
    reasons = Counter(command.reason for command in every)
    assert reasons[None] > len(every) / 2
    assert set(reasons) <= {None, snippets.IN_REAL_TIME, snippets.LONG, *snippets.NOT_RUN.values()}


def test_outputs_are_written_below_their_commands_and_nowhere_else():
    page = "```\n$ bentpipe a\n  First byte\n  ...\n$ bentpipe b\n```\n\n  First byte\n"
    asked = []

    def run(command):
        asked.append(command)
        return ["a: succeeded", "  First byte  1.2 s  of the document"]

    assert outputs.filled(page, run) == page.replace(
        "  First byte\n  ...", "  First byte  1.2 s  of the document\n  ..."
    )
    assert asked == ["bentpipe a"]
