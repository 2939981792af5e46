import pytest

from bentpipe.cli import engines
from bentpipe.engine import emulate, shell
from bentpipe.errors import AbilityError


def test_what_this_version_lacks_makes_status_2(bentpipe, scenario_file, tmp_path):
    arguments = ["--out", tmp_path / "results", "--cluster", "host:1"]
    result = bentpipe("run", scenario_file, *arguments, expect=2)
    assert "running on a cluster is not available yet" in result.stderr
    assert not (tmp_path / "results").exists()


def test_everything_that_the_machine_lacks_is_named_with_its_remedy(monkeypatch):
    lacks = [AbilityError("no root", "run as root"), AbilityError("no TUN", "load the kernel module tun")]
    monkeypatch.setattr(emulate, "missing", lambda: lacks)
    with pytest.raises(AbilityError) as caught:
        engines.choose("emulate")
    assert str(caught.value) == (
        "this machine cannot emulate: no root; no TUN; run as root; load the kernel module tun"
    )


def test_auto_emulates_where_the_machine_can_and_says_so(monkeypatch, capsys):
    monkeypatch.setattr(emulate, "missing", list)
    assert engines.choose("auto").name == "emulate"
    assert capsys.readouterr().err == "engine: emulate (this machine has what it takes)\n"


def test_auto_simulates_where_the_machine_cannot_emulate_and_says_why(monkeypatch, capsys):
    monkeypatch.setattr(emulate, "missing", lambda: [AbilityError("no root", "run as root")])
    assert engines.choose("auto").name == "simulate"
    assert capsys.readouterr().err == "engine: simulate (this machine cannot emulate: no root)\n"


@pytest.mark.parametrize("name", ["emulate", "simulate"])
def test_an_engine_asked_for_by_name_is_not_announced(monkeypatch, capsys, name):
    monkeypatch.setattr(emulate, "missing", list)
    assert engines.choose(name).name == name
    assert capsys.readouterr().err == ""


def test_shell_runs_the_command_behind_the_link_and_ends_with_its_status(bentpipe, monkeypatch):
    calls = []

    def run(*, spec, command):
        calls.append((spec["link"]["name"], command))
        return 7

    monkeypatch.setattr(emulate, "missing", list)
    monkeypatch.setattr(shell, "run", run)
    bentpipe("shell", "--link", "geo-snep", "--", "ping", "-c", "3", "server", expect=7)
    assert calls == [("geo-snep-flat", ("ping", "-c", "3", "server"))]
