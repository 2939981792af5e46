"""Options that several commands have, and the form of their examples."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from bentpipe.engine.limits import MOST_AT_ONCE

Command = TypeVar("Command", bound=Callable[..., Any])

link_option = click.option(
    "--link",
    required=True,
    metavar="L",
    help="A preset's name (see `bentpipe links`), a TOML file, or flat:down=10Mbit/s,up=2Mbit/s,rtt=600ms.",
)
cc_option = click.option("--cc", help="Congestion control: reno, cubic, bbr, bbr3, hybla, vivace or prague.")
pep_option = click.option(
    "--pep", help="A proxy on the path: none, split, tunnel, proxy, masque or quic-split."
)
engine_option = click.option(
    "--engine",
    type=click.Choice(["emulate", "simulate", "auto"]),
    default="auto",
    show_default=True,
    help="Real kernel in real time, virtual time, or auto: emulate where this machine can, else simulate.",
)
set_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change one setting, such as tcp.initial_window=3 or dscp=EF. May be repeated.",
)
ablations_option = click.option(
    "--ablations",
    "is_ablated",
    is_flag=True,
    help="Measure what ablations.toml beside the scenario varies, too, and tell what each factor changes.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def example(line: str) -> str:
    """Return the epilog with a command's example, which click is neither to wrap nor to break at a hyphen."""
    return f"\b\nExample: {line}"


def _together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return what adds all of these to a command, in this order in its help."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


run_options = _together(
    engine_option,
    click.option("--seed", type=int, help="Seed of all random streams."),
    set_option,
    click.option(
        "--out",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="Keep captures (--set capture.pcapng=true, capture.qlog=true) and logs in this folder.",
    ),
    json_option,
)
"""Of commands that measure one run."""

campaign_options = _together(
    engine_option,
    click.option("--quick", is_flag=True, help="The short version of the experiment."),
    click.option(
        "--jobs",
        type=click.IntRange(1, MOST_AT_ONCE),
        metavar="N",
        help="Runs at once [default: cores; browsers: one for two].",
    ),
    click.option(
        "--out",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="Folder of the results, one of its own [default: results/NAME, with -quick and -simulate].",
    ),
    set_option,
    click.option(
        "--resume/--no-resume",
        default=True,
        show_default=True,
        help="Go on with what the folder holds, or insist on an empty one.",
    ),
    click.option(
        "--cluster",
        metavar="WHERE",
        help="Run on workers of Dask: tcp://HOST:PORT of a scheduler, local:N processes here, or a TOML "
        "file of jobs for Slurm or PBS.",
    ),
    json_option,
)
"""Of commands that measure many."""
