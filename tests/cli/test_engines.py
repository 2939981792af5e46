import os

import pytest

from bentpipe import _core
from bentpipe.campaign.cluster import crew
from bentpipe.cli import engines
from bentpipe.engine import emulate
from bentpipe.engine.programs import iperf3, shell
from bentpipe.engine.programs.third_party import Program
from bentpipe.engine.testbed import congestion_control
from bentpipe.errors import AbilityError
from tests.support.models import spec_with


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


@pytest.mark.parametrize("workload", [["page", "--http", "h1", "--page", "single-100k"], ["bulk"]])
def test_tcp_of_the_emulate_engine_has_only_what_the_kernel_has(bentpipe, monkeypatch, workload):
    monkeypatch.setattr(emulate, "missing", list)
    arguments = [*workload, "--link", "lan", "--cc", "bbr3", "--engine", "emulate"]
    result = bentpipe(*arguments, *(["--size", "1MB"] if workload == ["bulk"] else []), expect=2)
    assert (
        "command line: --cc: expected for TCP on the emulate engine one of reno, cubic, bbr" in result.stderr
    )
    assert 'found "bbr3", which QUIC and --engine simulate have' in result.stderr


@pytest.fixture
def refusal(bentpipe, monkeypatch, tmp_path):
    """Tells what is said of a scenario that is refused; it is said before anything is written."""
    monkeypatch.setattr(emulate, "missing", list)

    def said(scenario, *options):
        folder = tmp_path / "results"
        result = bentpipe("run", scenario, *options, "--out", folder, expect=2)
        assert not folder.exists()
        return result.stderr

    return said


def test_a_cluster_that_is_none_is_refused_before_anything_is_written(refusal, scenario_file):
    said = refusal(scenario_file, "--cluster", "host:1")
    assert "--cluster: expected tcp://HOST:PORT of a scheduler, local:N" in said


def test_runs_at_once_are_as_many_as_a_cluster_has_workers(refusal, scenario_file):
    said = refusal(scenario_file, "--cluster", "local:2", "--jobs", "3")
    assert "--jobs: expected nothing, as a cluster has as many runs at once as workers, found 3" in said


def test_without_the_packages_for_clusters_the_error_says_how_to_install_them(
    refusal, scenario_file, monkeypatch
):
    monkeypatch.setattr(crew, "find_spec", lambda name: None if name == "distributed" else name)
    said = refusal(scenario_file, "--cluster", "local:2", "--engine", "simulate")
    assert "clusters need the packages distributed; install them with: pip install" in said


def test_one_machine_does_not_emulate_several_runs_at_once(refusal, scenario_file):
    said = refusal(scenario_file, "--cluster", "local:2", "--engine", "emulate")
    assert "--cluster: expected other machines, for one emulates one run at a time (engine emulate)" in said


def test_jobs_do_not_emulate_for_they_are_no_roots(refusal, scenario_file, tmp_path):
    jobs = tmp_path / "jobs.toml"
    jobs.write_text('[slurm]\njobs = 1\ncores = 1\nmemory = "1 GB"\n')
    said = refusal(scenario_file, "--cluster", str(jobs), "--engine", "emulate")
    assert "expected workers that root has started by `bentpipe worker ADDRESS --emulate`" in said
    assert "found jobs of slurm" in said


def test_a_worker_that_cannot_emulate_does_not_start_as_one_that_does(bentpipe, monkeypatch):
    monkeypatch.setattr(emulate, "missing", lambda: [AbilityError("no root", "run with sudo")])
    said = bentpipe("worker", "tcp://localhost:1", "--emulate", expect=2).stderr
    assert "this machine cannot emulate: no root; run with sudo" in said


def test_a_worker_is_one_process_of_one_thread_for_each_core(bentpipe, monkeypatch):
    started = []
    monkeypatch.setattr(os, "execv", lambda _, arguments: started.append(arguments))
    bentpipe("worker", "tcp://host:8786", "--processes", 3)
    [arguments] = started
    assert arguments[1:4] == ["-m", "distributed.cli.dask_worker", "tcp://host:8786"]
    options = dict(zip(arguments[4::2], arguments[5::2], strict=True))
    assert (options["--nworkers"], options["--nthreads"]) == ("3", "1")
    assert options["--preload"] == "bentpipe.campaign.cluster.enrolment"


def test_a_scenario_that_the_kernel_cannot_do_is_refused_before_anything_is_written(refusal, scenario_file):
    scenario_file.write_text(scenario_file.read_text() + 'cc = ["bbr", "bbr3"]\n')
    said = refusal(scenario_file, "--engine", "emulate")
    assert "run.cc: expected for TCP on the emulate engine one of reno, cubic, bbr" in said


@pytest.mark.parametrize(
    ("workload", "cc", "answer"),
    [
        ({"kind": "page-load", "http": "h2"}, "bbr3", "bbr3"),
        ({"kind": "page-load", "http": "h2"}, "reno", None),
        ({"kind": "page-load", "http": "h2"}, "hybla", None),
        ({"kind": "page-load", "http": "h3"}, "bbr3", None),
        ({"kind": "bulk", "transport": "tcp"}, "bbr3", "bbr3"),
        ({"kind": "bulk", "transport": "tcp"}, "vivace", None),
        ({"kind": "bulk", "transport": "quic"}, "bbr3", None),
        ({"kind": "iperf3", "transport": "tcp"}, "bbr3", "bbr3"),
        ({"kind": "ping"}, "bbr3", None),
    ],
)
def test_only_tcp_is_bound_to_what_the_kernel_has_or_loads(monkeypatch, workload, cc, answer):
    monkeypatch.setattr(_core, "congestion_control_obstacle", lambda: None)
    assert congestion_control.refused(spec_with(cc=cc, workload=workload)) == answer


def test_a_proxy_is_bound_to_the_kernel_too_though_quic_passes_it_by(monkeypatch):
    monkeypatch.setattr(_core, "congestion_control_obstacle", lambda: None)
    page = {"cc": "cubic", "pep": {"kind": "split", "cc": "bbr3"}}
    answers = [
        congestion_control.refused(spec_with(**page, workload={"kind": "page-load", "http": http}))
        for http in ("h2", "h3")
    ]
    # Its sockets listen, and ask the kernel, whoever passes.
    assert answers == ["bbr3", "bbr3"]
    tunnelled = spec_with(cc="cubic", pep={"kind": "tunnel"}, workload={"kind": "page-load", "http": "h2"})
    assert congestion_control.of_tcp(tunnelled) == ("cubic",)


@pytest.mark.parametrize(
    ("way", "has_it"),
    [
        ("hystart++", "QUIC and --engine simulate have"),
        ("linux-4.15", "--engine simulate has"),
        ("loss", "QUIC and --engine simulate have"),
        ("search", "the kernel's cubic, QUIC and --engine simulate have"),
    ],
)
def test_the_kernel_s_tcp_ends_slow_start_in_its_own_way(bentpipe, monkeypatch, scenario_file, way, has_it):
    monkeypatch.setattr(emulate, "missing", list)
    # CUBIC's SEARCH is loaded; Reno's is not to be had.
    cc = "reno" if way == "search" else "cubic"
    setting = ("--engine", "emulate", "--set", f"cc={cc}", "--set", f"slow_start={way}")
    told = f'slow_start: expected "linux" for TCP on the emulate engine, found "{way}", which {has_it}'
    page = ("page", "--link", "lan", "--http", "h2", "--page", "single-100k")
    assert f"command line: --set {told}" in bentpipe(*page, *setting, expect=2).stderr
    result = bentpipe("run", scenario_file, *setting, expect=2)
    assert f"command line: --set {told}" in result.stderr


def test_the_kernel_s_bbr_is_its_own(bentpipe, monkeypatch):
    monkeypatch.setattr(emulate, "missing", list)
    setting = ("--cc", "bbr", "--engine", "emulate", "--set", "bbr.extra_acked=false")
    page = ("page", "--link", "lan", "--http", "h2", "--page", "single-100k")
    told = (
        "bbr.extra_acked: expected true for TCP on the emulate engine, "
        "found false, which QUIC and --engine simulate have"
    )
    assert f"command line: --set {told}" in bentpipe(*page, *setting, expect=2).stderr


def test_the_kernel_s_tcp_does_not_resume(bentpipe, monkeypatch):
    monkeypatch.setattr(emulate, "missing", list)
    page = ("page", "--link", "lan", "--http", "h2", "--page", "single-100k")
    told = (
        'expected resume.method = "none" for TCP on the emulate engine, '
        'found "careful", which QUIC and --engine simulate have'
    )
    for setting in ("resume=careful", "resume.method=careful", "resume.saved_capacity=1 x"):
        refused = bentpipe(*page, "--engine", "emulate", "--set", setting, expect=2)
        assert f"command line: --set {setting.partition('=')[0]}: {told}" in refused.stderr


def test_what_the_machine_cannot_load_is_said_with_its_remedy(bentpipe, monkeypatch):
    monkeypatch.setattr(emulate, "missing", list)
    monkeypatch.setattr(_core, "congestion_control_obstacle", lambda: "built without clang")
    arguments = ["bulk", "--link", "lan", "--size", "1MB", "--engine", "emulate"]
    with pytest.raises(AbilityError, match='"hybla" cannot be loaded into the kernel: built without clang'):
        congestion_control.refused(spec_with(cc="hybla", workload={"kind": "bulk", "transport": "tcp"}))
    assert "make clean setup" in bentpipe(*arguments, "--cc", "vivace", expect=2).stderr


def test_search_is_loaded_for_the_kernel_s_cubic_and_quic_brings_its_own(monkeypatch):
    def refused(transport):
        workload = {"kind": "bulk", "transport": transport}
        return congestion_control.refused(spec_with(cc="cubic", slow_start="search", workload=workload))

    monkeypatch.setattr(_core, "congestion_control_obstacle", lambda: None)
    assert (refused("tcp"), refused("quic")) == (None, None)
    monkeypatch.setattr(_core, "congestion_control_obstacle", lambda: "built without clang")
    assert refused("quic") is None
    with pytest.raises(AbilityError, match='"cubic" with slow_start "search" cannot be loaded'):
        refused("tcp")


BY_IPERF3 = ("--set", "client=iperf3", "--set", "server=iperf3")


def test_the_simulate_engine_has_no_iperf3(bentpipe):
    result = bentpipe("bulk", "--link", "lan", "--size", "1MB", "--engine", "simulate", *BY_IPERF3, expect=2)
    expected = 'expected "loader" on the simulate engine, found "iperf3", which --engine emulate has'
    assert f"command line: --set client: {expected}" in result.stderr


def test_a_scenario_with_iperf3_is_refused_by_the_simulate_engine_before_anything_is_written(
    refusal, tmp_path
):
    scenario = tmp_path / "flows.toml"
    scenario.write_text(
        '[run]\nlink = "lan"\nbulk = { size = "1 MB" }\nclient = "iperf3"\nserver = "iperf3"\n'
    )
    said = refusal(scenario, "--engine", "simulate")
    assert 'run.client: expected "loader" on the simulate engine, found "iperf3"' in said


@pytest.mark.parametrize(
    ("setting", "ours", "theirs"),
    [("client", "loader", "chromium"), ("client", "loader", "firefox"), ("server", "bentpipe", "nginx")],
)
def test_the_simulate_engine_has_no_programs_but_ours(bentpipe, setting, ours, theirs):
    arguments = ["--link", "lan", "--http", "h2", "--page", "single-100k", "--engine", "simulate"]
    result = bentpipe("page", *arguments, "--set", f"{setting}={theirs}", expect=2)
    expected = f'expected "{ours}" on the simulate engine, found "{theirs}", which --engine emulate has'
    assert f"command line: --set {setting}: {expected}" in result.stderr


def test_a_scenario_with_a_browser_is_refused_by_the_simulate_engine_before_anything_is_written(
    refusal, scenario_file
):
    scenario_file.write_text(scenario_file.read_text() + 'client = ["loader", "firefox"]\n')
    said = refusal(scenario_file, "--engine", "simulate")
    assert 'run.client: expected "loader" on the simulate engine, found "firefox"' in said


@pytest.mark.parametrize(
    ("setting", "engine_name", "expected"),
    [
        ("client=firefox", "simulate", 'client: expected "loader" on the simulate engine, found "firefox"'),
        ("server=nginx", "simulate", 'server: expected "bentpipe" on the simulate engine, found "nginx"'),
        ("cc=bbr3", "emulate", "cc: expected for TCP on the emulate engine one of reno, cubic, bbr"),
    ],
)
def test_what_is_set_and_the_engine_has_not_got_is_refused_where_it_is_set(
    bentpipe, refusal, scenario_file, setting, engine_name, expected
):
    scenario_file.write_text(scenario_file.read_text().replace("h3", "h2"))
    chosen = ("--set", setting, "--engine", engine_name)
    assert f"command line: --set {expected}" in refusal(scenario_file, *chosen)
    page = ("--link", "lan", "--http", "h1", "--page", "single-100k")
    assert f"command line: --set {expected}" in bentpipe("page", *page, *chosen, expect=2).stderr


def test_a_shell_refuses_what_is_set_where_it_is_set(bentpipe, monkeypatch):
    monkeypatch.setattr(emulate, "missing", list)
    for option, field in ((("--cc", "bbr3"), "--cc"), (("--set", "cc=bbr3"), "--set cc")):
        result = bentpipe("shell", "--link", "lan", *option, "--", "true", expect=2)
        assert f"command line: {field}: expected for TCP on the emulate engine one of" in result.stderr


def test_a_client_that_the_engine_has_not_got_is_refused_under_its_option(bentpipe, tmp_path):
    arguments = ["--quick", "--client", "firefox", "--engine", "simulate", "--out", tmp_path / "results"]
    result = bentpipe("reproduce", "alshagri2023", *arguments, expect=2)
    expected = 'expected "loader" on the simulate engine, found "firefox"'
    assert f"command line: --client: {expected}" in result.stderr
    assert not (tmp_path / "results").exists()


def test_iperf3_that_is_not_installed_is_named_with_its_package(bentpipe, monkeypatch):
    monkeypatch.setattr(emulate, "missing", list)
    monkeypatch.setattr(iperf3, "COMMAND", "no-such-iperf3")
    result = bentpipe("bulk", "--link", "lan", "--size", "1MB", "--engine", "emulate", *BY_IPERF3, expect=2)
    assert "install the Debian package" in result.stderr


@pytest.fixture
def nothing_installed(monkeypatch):
    """A machine that emulates and has no programs but ours."""
    monkeypatch.setattr(emulate, "missing", list)
    monkeypatch.setattr(Program, "path", lambda _: None)


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(
    ("setting", "remedy"),
    [
        ("client=chromium", "apt-get install chromium"),
        ("client=firefox", "apt-get install firefox-esr"),
        ("server=nginx", "apt-get install nginx-light"),
        ("server=caddy", "make setup-browsers"),
    ],
)
def test_a_program_that_is_not_installed_is_named_with_how_to_get_it(bentpipe, setting, remedy):
    arguments = ["--link", "lan", "--http", "h2", "--page", "single-100k", "--engine", "emulate"]
    assert remedy in bentpipe("page", *arguments, "--set", setting, expect=2).stderr


@pytest.mark.usefixtures("nothing_installed")
def test_a_scenario_with_programs_that_are_not_installed_is_refused_before_anything_is_written(
    refusal, scenario_file
):
    scenario_file.write_text(scenario_file.read_text() + 'client = ["loader", "chromium", "firefox"]\n')
    said = refusal(scenario_file, "--engine", "emulate")
    assert "not installed: Chromium, certutil, Firefox; " in said


@pytest.mark.parametrize(("options", "as_root"), [((), False), (("--root",), True)])
def test_shell_runs_the_command_behind_the_link_and_ends_with_its_status(
    bentpipe, monkeypatch, options, as_root
):
    calls = []

    def run(*, spec, command, as_root):
        calls.append((spec.link.name, command, as_root))
        return 7

    monkeypatch.setattr(emulate, "missing", list)
    monkeypatch.setattr(shell, "run", run)
    bentpipe("shell", "--link", "geo-snep-flat", *options, "--", "ping", "-c", "3", "server", expect=7)
    assert calls == [("geo-snep-flat", ("ping", "-c", "3", "server"), as_root)]
