"""doctor, clean, bench: the machine rather than a measurement."""

import click

from bentpipe.cli.options import example
from bentpipe.cli.output import echo, echo_text, print_json


@click.command(epilog=example("bentpipe doctor --json"))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def doctor(as_json: bool) -> None:
    """Say what this machine can do and what to install."""
    from dataclasses import asdict

    from bentpipe.engine.host import doctor as examination

    checks = examination.report()
    if as_json:
        print_json([asdict(check) for check in checks])
        return
    for check in checks:
        echo_text(str(check))


@click.command(epilog=example("bentpipe clean"))
def clean() -> None:
    """Remove what interrupted runs left behind."""
    from bentpipe import _core
    from bentpipe.engine.process import scratch
    from bentpipe.engine.testbed import netns, netns_pids

    strays = (f"process {pid}" for pid in netns_pids.kill_strays())
    # Congestion controls come last: connections of namespaces that are left may still use them.
    controls = (f"congestion control {name}" for name in _core.remove_congestion_control_leftovers())
    removed = [*strays, *netns.clean(), *scratch.clean(), *controls]
    for name in removed:
        echo(f"removed {name}", err=True)
    echo(f"{len(removed)} leftovers removed", err=True)


@click.command(epilog=example("bentpipe bench --host"))
@click.option("--host", is_flag=True, help="Only how fast the hosts are, for [run.host].")
def bench(host: bool) -> None:
    """Measure the testbed itself; print JSON."""
    from bentpipe.cli import engines
    from bentpipe.engine import bench as benchmarks

    engines.require_emulate()
    print_json(benchmarks.hosts() if host else benchmarks.run())
