"""A server that is not ours, in the server's namespace of a world."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bentpipe.engine.host import cpu_wait, rt_priority
from bentpipe.engine.process.configuration import Configuration
from bentpipe.engine.process.part import START_TIMEOUT_S, PartError
from bentpipe.engine.programs import third_party
from bentpipe.engine.programs.server.caddy import CADDY
from bentpipe.engine.programs.server.nginx import NGINX
from bentpipe.engine.programs.server.process import PROGRAM, Process, started
from bentpipe.engine.programs.server.program import Program
from bentpipe.engine.programs.server.site import Site
from bentpipe.engine.programs.server.watch import Watch, watched
from bentpipe.engine.testbed import netns
from bentpipe.engine.testbed.hosts import HTTP_PORT, HTTPS_PORT
from bentpipe.engine.testbed.netns import World
from bentpipe.model.reason import ProgramFailedReason, Reason, ServerUnseenReason
from bentpipe.model.report import OriginReport
from bentpipe.model.workload import page_load

PROGRAMS = {program.name: program for program in (NGINX, CADDY)}
"""By the names that scenarios use (crates/run/src/programs.rs)."""

_LOOK_S = 0.02


@contextmanager
def opened(world: World, configuration: Configuration) -> Iterator["Server"]:
    """Start the server of a run; see `web_endpoints.ServerOpener`.

    Raises
    ------
    AbilityError
        When it is not installed.
    """
    spec = configuration.spec
    assert spec.server is not None
    load = page_load(spec)
    if (lack := third_party.missing_for(spec.server)) is not None:
        raise lack
    program, http = PROGRAMS[spec.server], load.http
    path = program.installed.path()
    assert path is not None
    site = Site.of(load.page, configuration.identity)

    def prepare(folder: Path, pid: int) -> None:
        rt_priority.put_before_browsers(pid, spec)
        site.write(folder)
        name, text = program.configuration(http, site)
        (folder / name).write_text(text)

    with ExitStack() as stack:
        with netns.inside(world.server):
            arguments = program.command(str(PROGRAM))
            process = stack.enter_context(started(program.name, Path(path), arguments, prepare=prepare))
        port = HTTP_PORT if http == "h1" else HTTPS_PORT
        round_trip_s = (spec.link.forward.delay_ns + spec.link.return_.delay_ns) / 1e9
        watch = None
        if http != "h3":
            watch = stack.enter_context(watched(world.server, port=port, round_trip_s=round_trip_s))
        yield Server(program, process, watch, port=port)


class Server:
    """See `web_endpoints.Server`."""

    process: Process

    def __init__(self, program: Program, process: Process, watch: Watch | None, *, port: int) -> None:
        self._program, self._watch, self._port = program, watch, port
        self.process = process

    def await_ready(self) -> None:
        """Return when it listens."""
        until_s = time.monotonic() + START_TIMEOUT_S
        transport = "udp" if self._watch is None else "tcp"
        while not self.process.listens(port=self._port, transport=transport):
            fault = self.process.fault()
            if fault is not None or time.monotonic() > until_s:
                raise PartError(fault or f"{self._program.name} does not listen")
            time.sleep(_LOOK_S)

    def report(self) -> OriginReport:
        """Return what was seen of it.

        Of QUIC that is nothing: what a connection does its program knows alone.
        """
        fault = self.process.fault()
        faults: list[Reason] = [] if fault is None else [ProgramFailedReason(error=fault)]
        if self._watch is None:
            return OriginReport(connections=[], sender={}, transfers=[], faults=faults)
        report = self._watch.report()
        if not report.connections:
            faults.append(ServerUnseenReason(server=self._program.name))
        return report.model_copy(update={"faults": [*report.faults, *faults]})

    def versions(self) -> dict[str, str]:
        """Name the program, and the congestion control that cannot be read back."""
        control = self._program.quic_control
        unread = {} if self._watch is not None or control is None else {"quic_control_not_read": control}
        return {**self._program.versions(), **unread}

    def shares(self) -> cpu_wait.Shares:
        """Return those of its threads."""
        return cpu_wait.shares([self.process.pid])
