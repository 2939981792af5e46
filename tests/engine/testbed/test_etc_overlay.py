"""What a program sees of the machine's files (needs root, for a mount namespace)."""

import os
import subprocess

import pytest

from bentpipe.engine.testbed.etc_overlay import EtcOverlay

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root has mount namespaces")


def said(script, **view):
    ended = subprocess.run(
        EtcOverlay(command=["sh", "-c", script], **view).arguments(),
        capture_output=True,
        text=True,
        check=False,
        umask=0o077,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.fixture
def resolver(tmp_path):
    """A file of /etc that leads to /run, as systemd-resolved has it, and one to be seen in its place."""
    etc, run = tmp_path / "etc", tmp_path / "run"
    (run / "resolve").mkdir(parents=True)
    etc.mkdir()
    (run / "resolve" / "stub.conf").write_text("the machine's\n")
    (etc / "resolv.conf").symlink_to(run / "resolve" / "stub.conf")
    (tmp_path / "ours").write_text("ours\n")
    return tmp_path


def test_a_file_whose_link_leads_to_what_is_covered_is_seen_all_the_same(resolver):
    place = resolver / "etc" / "resolv.conf"
    view = {"memory": {str(resolver / "run"): "mode=0755"}, "shown": {str(place): str(resolver / "ours")}}
    assert said(f"cat {place}", **view) == "ours\n"
    assert place.read_text() == "the machine's\n"


def test_what_is_made_can_be_read_by_every_user_whatever_root_keeps_to_itself(resolver):
    written = resolver / "run" / "deep" / "hosts"
    view = {"memory": {str(resolver / "run"): "mode=0755"}, "written": {str(written): "127.0.0.1 localhost"}}
    assert said(f"stat -c %a {written} {written.parent}; umask", **view).split() == ["644", "755", "0077"]


def test_of_a_folder_in_memory_what_is_kept_is_there_and_nothing_else():
    view = {"memory": {"/dev": "mode=0755", "/dev/shm": "mode=1777"}, "kept": ["/dev/null", "/dev/zero"]}
    assert said("ls /dev; echo lost > /dev/null; touch /dev/shm/x; ls /dev/shm", **view).split() == [
        "null",
        "shm",
        "zero",
        "x",
    ]


def test_a_folder_that_leads_into_one_in_memory_is_passed_over(resolver):
    """/home leads to /var/home on some distributions."""
    (resolver / "home").symlink_to(resolver / "run" / "resolve")
    view = {"memory": {str(resolver / "run"): "mode=0755", str(resolver / "home"): "mode=0755"}}
    assert said("echo started", **view) == "started\n"
