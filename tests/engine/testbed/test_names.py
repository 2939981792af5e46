"""Names of hosts behind the link."""

import pytest

from bentpipe.engine.testbed import names


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "etc").mkdir()
    return tmp_path / "etc"


def test_the_hosts_file_has_this_machine_and_the_hosts_and_nothing_else(folder, monkeypatch):
    monkeypatch.setattr(names.platform, "node", lambda: "laptop")
    names.write_files({"www.news.example": "198.18.0.2"}, folder=folder)
    assert (folder / "hosts").read_text().splitlines() == [
        "127.0.0.1 localhost",
        "127.0.1.1 laptop",
        "198.18.0.2 www.news.example",
    ]


def test_hosts_are_looked_up_in_files_alone_and_all_else_where_the_machine_looks(
    folder, monkeypatch, tmp_path
):
    machine = tmp_path / "nsswitch.conf"
    machine.write_text("passwd: files ldap\nhosts: files resolve [!UNAVAIL=return] dns\nnetworks: files\n")
    monkeypatch.setattr(names, "_NSSWITCH", machine)
    names.write_files({}, folder=folder)
    lines = (folder / "nsswitch.conf").read_text().splitlines()
    assert lines == ["passwd: files ldap", "networks: files", "hosts: files"]


def test_every_file_that_is_written_is_seen_in_the_machine_s_place(folder):
    seen = names.write_files({}, folder=folder)
    assert seen == {f"/etc/{path.name}": str(path) for path in folder.iterdir()}
