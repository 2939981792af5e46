"""Whatever is wrong on a command line ends in one message that names it, and leaves nothing behind.

Every value of every command is tried with what people write by mistake; what is wrong in a file is
`test_bad_scenarios`.
"""

import os
import re

import pytest
from click.testing import CliRunner

from bentpipe.campaign import requirements
from bentpipe.cli import engines, main
from bentpipe.engine import simulate
from tests.campaign.fake_engine import FakeEngine
from tests.cli.bad_values import BUDGETS, BY_KIND, RESULTS, SCENARIO, lay_out

GOOD = {
    "links": {"name": "lan"},
    "run": {"scenario": SCENARIO},
    "reproduce": {"study": "alshagri2023", "--quick": None},
    "advise": {"--page": "single-100k", "--link": "lan", "--budget": "1 s"},
    "check": {"budgets": BUDGETS},
    "page": {"--link": "lan", "--http": "h2", "--page": "single-100k"},
    "bulk": {"--link": "lan", "--size": "1 MB"},
    "ping": {"--link": "lan"},
    "shell": {"--link": "lan", "command": "true"},
    "report": {"folder": RESULTS},
    "show": {"thing": SCENARIO},
    "compare": {"a": RESULTS, "b": RESULTS},
    "explain": {"folder": RESULTS},
    "export": {"folder": RESULTS, "--format": "csv"},
    "packetdrill": {"files": "good.pkt"},
    "worker": {"address": "tcp://127.0.0.1:8786"},
}
"""What each command needs, in which one value is then replaced."""
KINDS = {
    **dict.fromkeys(("scenario", "budgets"), "scenario"),
    "--baseline": "baseline",
    **dict.fromkeys(("folder", "a", "b", "results"), "results"),
    "thing": "thing to show",
    "address": "scheduler",
    "run_id": "run",
    **dict.fromkeys(("--out", "--export"), "folder to write to"),
    **dict.fromkeys(("links --export", "--junit", "--markdown", "--save"), "file to write to"),
    "files": "script",
    "--port": "port",
    "--listen": "address to listen on",
    "--token-file": "token file",
    "--plot": "picture",
    **dict.fromkeys(("--link", "links name"), "link"),
    **dict.fromkeys(("--page", "pages name"), "page"),
    "--set": "setting",
    "--cluster": "cluster",
    **dict.fromkeys(("--jobs", "--processes", "--connections", "--count"), "count"),
    "--seed": "number",
    "--size": "size",
    **dict.fromkeys(("--duration", "--interval", "--budget"), "duration"),
    "--flow": "flow",
    "--define": "pair",
    "--option": "option of packetdrill",
    "--present": "setting in use",
    "--over": "settings to compare",
    **dict.fromkeys(
        ("study", "studies name", "--engine", "--rig", "--client", "--with", "--format", "--http", "--cc",
         "--pep", "--transport", "--direction", "--server", "--ip-version"),
        "name",
    ),
}  # fmt: skip
"""What the value of an argument or an option should be."""
ELSEWHERE = {("shell", "command"), ("explain", "--out")}
"""tests/emulate/test_shell.py has what a program says, tests/cli/test_explain.py where captures go."""
EXPORTED = ("--format", "--duration", "--seed")
"""Options of `links` that go with --export."""
KEPT = 20
"""Characters of a long word that a message has at least."""


def written(parameter):
    """How a user calls it."""
    return parameter.opts[0] if parameter.param_type_name == "option" else parameter.name


VALUES = [
    (name, written(parameter))
    for name, command in main.commands.items()
    for parameter in command.params
    if not getattr(parameter, "is_flag", False) and (name, written(parameter)) not in ELSEWHERE
]


def kind(command, parameter):
    return KINDS.get(f"{command} {parameter}", KINDS.get(parameter))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("place")
    lay_out(folder)
    return folder


@pytest.fixture(autouse=True)
def nothing_is_measured(monkeypatch):
    def not_reached(*_, **__):
        raise AssertionError("what is wrong was not noticed")

    monkeypatch.setattr(engines, "choose", lambda _: FakeEngine(behave=not_reached))
    monkeypatch.setattr(engines, "choose_elsewhere", lambda _: FakeEngine(behave=not_reached))
    monkeypatch.setattr(simulate, "Simulator", lambda: FakeEngine(name="simulate", behave=not_reached))
    monkeypatch.setattr(requirements, "require_emulate", lambda: None)
    monkeypatch.setattr("bentpipe.engine.programs.shell.run", not_reached)
    monkeypatch.setattr("bentpipe.workbench.serving._listening", not_reached)
    monkeypatch.setattr(os, "execv", not_reached)


def line(command, parameter, value):
    given = {**GOOD.get(command, {}), parameter: value}
    if parameter == "--duration":
        given.pop("--size", None)
    if command == "links" and parameter in EXPORTED:
        given["--export"] = "path.csv"
    options = [name if text is None else f"{name}={text}" for name, text in given.items() if name[0] == "-"]
    return [command, *options, "--", *(text for name, text in given.items() if name[0] != "-")]


def tree(folder):
    """What is in a folder, to the byte."""
    return {
        str(path.relative_to(folder)): path.is_symlink() or path.is_dir() or path.read_bytes()
        for path in folder.rglob("*")
    }


def names(message, value):
    """Whether a message names what was written, whole or the part that is wrong."""
    parts = re.split(r"[=:/,@#\x1b]", value.removeprefix("har:").removeprefix("dir:").removeprefix("flat:"))
    words = [part.strip()[:KEPT] for part in parts if part.strip()]
    return 'found ""' in message or not words or any(word in message for word in words)


@pytest.mark.parametrize(("command", "parameter"), VALUES, ids=str)
def test_a_bad_value_is_refused_by_its_name(command, parameter, place, monkeypatch):
    monkeypatch.chdir(place)
    before = tree(place)
    for value in BY_KIND[kind(command, parameter)]:
        words = line(command, parameter, value)
        result = CliRunner().invoke(main, words)
        assert isinstance(result.exception, SystemExit), (words, result.exception, result.output)
        assert result.exit_code == 2, (words, result.output)
        told = result.stderr.splitlines()
        assert [each for each in told if each.lower().startswith("error: ")] == told[-1:], (words, told)
        assert names(told[-1], value), (words, told[-1])
        assert tree(place) == before, words
