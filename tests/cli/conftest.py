import json

import pytest
from click.testing import CliRunner

from bentpipe.cli import engines, main
from bentpipe.engine.programs.third_party import Program
from bentpipe.report.answer import Answer
from tests.campaign.fake_engine import FakeEngine
from tests.support.scenario_file import PAGE_LOADS


class Shell:
    """Calls the command line in this process; `expect` is its exit status, or those that it may have."""

    def __call__(self, *arguments, expect=0):
        result = CliRunner().invoke(main, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        expected = expect if isinstance(expect, tuple) else (expect,)
        assert result.exit_code in expected, (result.exit_code, result.stdout, result.stderr)
        return result

    def json(self, *arguments, expect=0):
        return json.loads(self(*arguments, expect=expect).stdout)


@pytest.fixture
def bentpipe():
    return Shell()


@pytest.fixture
def engine(monkeypatch):
    """A double in place of the emulator."""
    double = FakeEngine()
    monkeypatch.setattr(engines, "choose", lambda _: double)
    return double


@pytest.fixture
def installed(monkeypatch):
    """Every program that a scenario may ask for."""
    monkeypatch.setattr(Program, "path", lambda _: "/usr/bin/program")


@pytest.fixture
def scenario_file(tmp_path):
    path = tmp_path / "example.toml"
    path.write_text(PAGE_LOADS)
    return path


@pytest.fixture
def results(bentpipe, scenario_file, tmp_path):
    """The folder of a campaign that has ended; where there is a double of the engine, in no time."""
    folder = tmp_path / "results"
    bentpipe("run", scenario_file, "--out", folder)
    return folder


@pytest.fixture
def report(monkeypatch):
    """The folders that a report was asked for; the report itself is tested elsewhere."""
    from bentpipe import report

    folders = []

    def write(folder, *, out=None, is_anonymous=False):
        del is_anonymous
        folders.append(folder)
        page = (out or folder) / "report.html"
        return report.Written(page=page, answer=Answer(tables=(), sentences=()))

    monkeypatch.setattr(report, "write", write)
    monkeypatch.setattr(report, "build", lambda folder, **options: write(folder, **options).page)
    return folders
