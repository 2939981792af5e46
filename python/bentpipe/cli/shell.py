"""shell: any program behind the link."""

from pathlib import Path

import click

from bentpipe.cli import engines, one_run
from bentpipe.cli.one_run import COMMAND_LINE
from bentpipe.cli.options import cc_option, link_option, pep_option, set_option
from bentpipe.errors import InputError

SERVED_PAGE = "uniform-500k"
"""What the origin serves unless told otherwise."""


@click.command(
    context_settings={"allow_interspersed_args": False},
    epilog="\b\nExamples:\n"
    "  bentpipe shell --link geo-viasat2 -- firefox\n"
    "  bentpipe shell --link geo-viasat2 --http h3 -- chromium\n"
    "  bentpipe shell --link geo-viasat2 -- curl -s -o /dev/null https://origin.bentpipe.test/",
)
@link_option
@click.option(
    "--page",
    default=SERVED_PAGE,
    show_default=True,
    help="What the origin serves: a page (see `bentpipe pages`), har:FILE or dir:FOLDER.",
)
@click.option(
    "--http",
    default="h2",
    show_default=True,
    help="What a browser is to speak: h1, h1s, h2 or h3. Other programs choose for themselves.",
)
@cc_option
@click.option("--server", help="What serves the page.")
@click.option(
    "--root", "as_root", is_flag=True, help="Let the program keep root's rights, or yours over the testbed."
)
@pep_option
@set_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="[--] COMMAND...")
def shell(
    link: str,
    page: str,
    http: str,
    cc: str | None,
    server: str | None,
    as_root: bool,
    pep: str | None,
    settings: tuple[str, ...],
    command: tuple[str, ...],
) -> None:
    """Run any program of yours behind a link, such as a browser with its window.

    It runs at the client's end, and by TCP and UDP nothing but the other end can be reached from there. That
    is an origin which serves a page at $BENTPIPE_URL over HTTP/1 (port 80), HTTP/2 and HTTP/3 (port 443). The
    page's hosts are found by name, and curl and programs with OpenSSL trust them. The exit status is the
    program's.

    It runs as you, under root without sudo as nobody, and cannot become root; what it starts in the
    background ends with it. With --root it keeps root's rights, and servers of your own start at the other
    end with `ip netns exec $BENTPIPE_SERVER_NETNS`; without root it has rights over the testbed alone.

    firefox, firefox-esr and chromium open the page with a fresh profile (unless you give one) that trusts it.
    """
    from bentpipe.campaign import requirements
    from bentpipe.engine import emulate
    from bentpipe.engine.programs import shell as shells
    from bentpipe.engine.programs import window
    from bentpipe.model.spec import RunSpec
    from bentpipe.model.workload import page_load
    from bentpipe.scenario import parse_override
    from bentpipe.scenario.written.location import quoted

    engines.enter(emulate.NAME)
    run = {"link": link, "http": http, "page": page, "cc": cc, "server": server, "pep": pep}
    overrides = [parse_override(text) for text in settings]
    scenario = one_run.resolved(one_run.given(run), default_name="shell", overrides=overrides)
    spec = RunSpec.model_validate({**scenario.cells[0].spec, "seed": scenario.seed})
    if spec.capture.pcapng or spec.capture.qlog:
        raise InputError(
            file=COMMAND_LINE, field="--set capture", expected="no captures of a shell", found="some"
        )
    if spec.client is not None:
        raise InputError(
            file=COMMAND_LINE,
            field="--set client",
            expected="no client of a shell but its command",
            found=quoted(spec.client),
        )
    spoken = page_load(spec).http
    if window.preparation(command) is not None and spoken not in window.PROTOCOLS:
        raise InputError(
            file=COMMAND_LINE,
            field="--http",
            expected=f"one of {', '.join(window.PROTOCOLS)} for {Path(command[0]).name}",
            found=quoted(spoken),
        )
    requirements.require_emulate()
    one_run.require(emulate.Emulator(), spec, overrides=overrides)
    raise SystemExit(shells.run(spec=spec, command=command, as_root=as_root))
