"""page, bulk, ping: one measurement, its figures on stdout."""

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from bentpipe.cli import engines, one_run
from bentpipe.cli.group import SOME_RUNS_FAILED
from bentpipe.cli.one_run import given
from bentpipe.cli.options import cc_option, example, link_option, pep_option, run_options
from bentpipe.cli.output import echo, print_json
from bentpipe.errors import InputError
from bentpipe.output_folder import staged

CAPTURES = ("capture.pcapng=true", "capture.qlog=true")


@click.command(epilog=example("bentpipe page --link geo-viasat2 --http h3 --cc bbr --page news-front"))
@link_option
@click.option("--http", required=True, help="http10, http10s, h1, h1s, h2, h2c, h3 or spdy.")
@cc_option
@click.option("--page", required=True, help="A page (see `bentpipe pages`), har:FILE or dir:FOLDER.")
@click.option("--connections", type=int, metavar="N", help="Parallel connections of HTTP/1.0 and HTTP/1.1.")
@pep_option
@run_options
def page(
    link: str,
    http: str,
    cc: str | None,
    page: str,
    connections: int | None,
    pep: str | None,
    **options: Any,
) -> None:
    """Load one page.

    Settings without an option are keys of --set: client, server, requests_per_connection, pipelining, push,
    priorities, visit, tls.version, tls.resumption, tcp.fast_open, tcp.connect_retry, and all others of [run].
    """
    run = {"link": link, "http": http, "cc": cc, "page": page, "connections": connections, "pep": pep}
    _measure(given(run), **options)


@click.command(
    epilog=example("bentpipe bulk --link leo-starlink --flow cubic --flow quic:bbr@10s --duration 60s")
)
@link_option
@cc_option
@click.option("--transport", help="tcp or quic.")
@click.option(
    "--flow",
    "flows",
    multiple=True,
    metavar="FLOW",
    help="One of several flows, instead of --cc: cubic, quic:bbr, hybla@10s, which starts after 10 s, "
    "or cubic#EF, which is marked EF.",
)
@click.option("--size", help='How much, such as "10 MB".')
@click.option("--duration", help='How long instead, such as "60 s".')
@click.option("--direction", help="down or up, seen from the client.")
@pep_option
@run_options
def bulk(
    link: str,
    cc: str | None,
    transport: str | None,
    flows: tuple[str, ...],
    size: str | None,
    duration: str | None,
    direction: str | None,
    pep: str | None,
    **options: Any,
) -> None:
    """Transfer one flow, or several at once."""
    bulk = {
        "transport": transport,
        "flows": list(flows) or None,
        "size": size,
        "duration": duration,
        "direction": direction,
    }
    _measure(given({"link": link, "cc": cc, "pep": pep, "bulk": given(bulk)}), **options)


@click.command(
    epilog=example("bentpipe ping --link leo-starlink --count 600 --interval 100ms --engine simulate")
)
@link_option
@click.option("--count", type=int, metavar="N", help="Number of requests.")
@click.option("--interval", help='Time between two, such as "200 ms".')
@click.option("--size", help='UDP payload of each, such as "20 B".')
@run_options
def ping(link: str, count: int | None, interval: str | None, size: str | None, **options: Any) -> None:
    """Measure round trips with UDP echo requests."""
    _measure({"link": link, "ping": given({"count": count, "interval": interval, "size": size})}, **options)


def _measure(
    run: Mapping[str, Any],
    *,
    engine: str,
    seed: int | None,
    settings: tuple[str, ...],
    out: Path | None,
    as_json: bool,
) -> None:
    from bentpipe.campaign import interruption
    from bentpipe.campaign.plan import planned_run
    from bentpipe.campaign.time_limit import hopeless
    from bentpipe.cli.figures import print_record
    from bentpipe.cli.progress import hopeless_line
    from bentpipe.model.record import Status
    from bentpipe.reasons import renamed
    from bentpipe.scenario import parse_override

    engines.enter(engine)
    overrides = [parse_override(text) for text in settings]
    scenario = one_run.resolved(run, default_name="measurement", overrides=overrides, seed=seed)
    planned = planned_run(scenario.cells[0], seed=scenario.seed, repetition=0)
    if out is None and (planned.spec.capture.pcapng or planned.spec.capture.qlog):
        raise InputError(
            file=one_run.COMMAND_LINE, field="--out", expected="a folder for the captures", found="none"
        )
    machine = engines.choose(engine)
    one_run.require(machine, planned.spec, overrides=overrides)
    for cell in hopeless([planned]):
        echo(hopeless_line(cell, of="it"), err=True)
    with interruption.raised(), nullcontext() if out is None else staged(out) as artifacts:
        record = machine.run(run_id=planned.run_id, spec=planned.spec, artifacts=artifacts)
        if artifacts is not None and out is not None:
            record = renamed(record, place=artifacts, shown=out)
        is_empty = artifacts is not None and not any(artifacts.iterdir())
    if as_json:
        print_json(record.model_dump(mode="json", exclude_unset=True))
    else:
        print_record(record, link=_link_words(record.spec.link.name, run["link"], settings))
    if is_empty:
        echo(f"{out} is empty: captures are asked for by --set {' or '.join(CAPTURES)}", err=True)
    if record.status is not Status.SUCCEEDED:
        raise SystemExit(SOME_RUNS_FAILED)


def _link_words(resolved: str, given: str, settings: tuple[str, ...]) -> str:
    """The link by its name, with what was changed of it, since a changed one has no name of its own."""
    changes = [text for text in settings if text.startswith("link.")]
    return f"{given} with {', '.join(changes)}" if changes else resolved
