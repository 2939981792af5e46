"""iperf3 at both ends of a world: the same link and kernel, a client and a server that are not ours."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from bentpipe.engine.host import cpu_wait, monotonic
from bentpipe.engine.process.configuration import Configuration
from bentpipe.engine.process.part import START_TIMEOUT_S, PartError, tied
from bentpipe.engine.programs import iperf3_report
from bentpipe.engine.programs.endpoints import Ends, Seen
from bentpipe.engine.programs.iperf3_report import INTERVAL_S, Document
from bentpipe.engine.testbed import congestion_control, netns
from bentpipe.engine.testbed.netns import SERVER_ADDRESS, World
from bentpipe.errors import AbilityError
from bentpipe.model.reason import ProgramFailedReason, Reason, TimedOutReason
from bentpipe.model.report import LinkReport
from bentpipe.model.spec import RunSpec
from bentpipe.model.workload import only_flow

KIND = "iperf3"
"""The workload's (crates/run/src/spec.rs)."""

COMMAND = "iperf3"

PORT = 5201
"""Of its control connection and of its flow."""

BLOCK_BYTES = 8000
"""What it writes at once: a flow of N bytes ends with a whole block. This divides every round size; iperf3's
own choice, 128 KiB, does not."""

_LOOK_S = 0.02
_LISTENS = "0A"
"""State of a socket in /proc/net/tcp (TCP_LISTEN, include/net/tcp_states.h)."""


def missing() -> AbilityError | None:
    """Say that iperf3 is not there."""
    if shutil.which(COMMAND) is not None:
        return None
    return AbilityError(f"the command `{COMMAND}` is missing", f"install the Debian package {COMMAND}")


@contextmanager
def opened(world: World, configuration: Configuration) -> Iterator[Ends]:
    """Start the server; see `ends.Opener`.

    Raises
    ------
    AbilityError
        When iperf3 is not installed.
    """
    lack = missing()
    if lack is not None:
        raise lack
    with ExitStack() as stack:
        with netns.inside(world.server):
            server = stack.enter_context(_started("server", _server_arguments()))
        yield _Ends(stack, world, server, configuration.spec)


def client_arguments(spec: RunSpec) -> list[str]:
    """Return the client's part of a run's flow; it tells the server."""
    flow, cc = only_flow(spec), spec.cc
    name = congestion_control.kernel_name(cc, spec)
    if flow.duration_ns is not None:
        extent = ["--time", str(flow.duration_ns // 10**9)]
    else:
        extent = ["--bytes", str(flow.bytes)]
    reverse = ["--reverse"] if flow.direction == "down" else []
    # The server marks what it sends of the flow alike; the control connection is not marked.
    mark = ["--dscp", str(spec.dscp)] if spec.dscp is not None else []
    return [
        *("--client", SERVER_ADDRESS, "--port", str(PORT), *_REPORTING),
        *("--congestion", name, "--length", str(BLOCK_BYTES), *extent, *reverse, *mark),
    ]


_REPORTING = ("--json", "--interval", str(INTERVAL_S))


def _server_arguments() -> list[str]:
    return ["--server", "--one-off", "--bind", SERVER_ADDRESS, "--port", str(PORT), *_REPORTING]


class _Ends:
    def __init__(self, stack: ExitStack, world: World, server: "_Process", spec: RunSpec) -> None:
        self._stack, self._world, self._server, self._spec = stack, world, server, spec
        self._client: Document = {}
        self._fault: Reason | None = None
        self._launched_s = 0.0
        self._is_abandoned = False

    def await_ready(self) -> None:
        until_s = time.monotonic() + START_TIMEOUT_S
        while not self._server.listens():
            if self._server.has_ended() or time.monotonic() > until_s:
                raise PartError(self._server.fault() or "the iperf3 server does not listen")
            time.sleep(_LOOK_S)

    @property
    def vital(self) -> tuple[()]:
        """None: its server ends by itself, and `work` looks at it."""
        return ()

    def abandon(self) -> None:
        self._is_abandoned = True

    def work(self, begin_ns: int) -> cpu_wait.Shares:
        timeout_ns: int = self._spec.validity.timeout_ns
        self._server.has_ended()
        before = self._server.shares
        monotonic.sleep_until(begin_ns)
        self._launched_s = time.monotonic()
        with netns.inside(self._world.client):
            client = self._stack.enter_context(_started("client", client_arguments(self._spec)))
        until_s = self._launched_s + timeout_ns / 1e9
        while not all([client.has_ended(), self._server.has_ended()]):
            if client.fault() is not None or self._is_abandoned:
                # The server waits for another client.
                break
            if time.monotonic() > until_s:
                self._fault = TimedOutReason(timeout_ns=timeout_ns, loaded_objects=None)
                break
            time.sleep(_LOOK_S)
        self._client = client.document()
        said = client.fault() or self._server.fault()
        if self._fault is None and said is not None:
            self._fault = ProgramFailedReason(error=said)
        return {**client.shares, **cpu_wait.between(before, self._server.shares)}

    def seen(self, link_report: LinkReport, /) -> Seen:
        versions = iperf3_report.versions(self._client)
        if self._fault is not None:
            client, origin = iperf3_report.broken(self._fault, started_s=self._launched_s)
        else:
            client, origin = iperf3_report.reports(
                client=self._client,
                server=self._server.document(),
                spec=self._spec,
                link=link_report,
            )
        return Seen(client=client, origin=origin, versions=versions)


@contextmanager
def _started(name: str, arguments: Sequence[str]) -> Iterator["_Process"]:
    # Both ends write at their end, more than a pipe holds.
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            # As root: a congestion control of an eBPF program is for who may administer the network.
            [*tied(), COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            # Ctrl-C is the orchestrator's to handle.
            process_group=0,
        )
        try:
            yield _Process(name, process, output=output, errors=errors)
        finally:
            # What has not ended by now is of no use any more.
            process.kill()
            process.wait()


class _Process:
    """iperf3 at one end. The kernel ends it with the thread that started it, as it ends a part."""

    def __init__(
        self, name: str, process: subprocess.Popen[bytes], *, output: IO[bytes], errors: IO[bytes]
    ) -> None:
        self.shares: cpu_wait.Shares = {}
        self._name, self._process = name, process
        self._output, self._errors = output, errors

    def listens(self) -> bool:
        """Whether somebody listens in its namespace."""
        try:
            lines = Path(f"/proc/{self._process.pid}/net/tcp").read_text().splitlines()[1:]
        except OSError:
            # One that has ended has no namespace.
            return False
        return any(line.split()[3] == _LISTENS for line in lines)

    def has_ended(self) -> bool:
        """Look at it, and at what it has had of the cores."""
        if self._process.returncode is None:
            # Before the end is taken note of, when all traces go; threads that have ended keep what they had.
            now = cpu_wait.shares([self._process.pid])
            self.shares = {**self.shares, **{thread: share for thread, share in now.items() if share.times}}
        return self._process.poll() is not None

    def fault(self) -> str | None:
        """Return why it ended without a result; its status alone does not tell."""
        status = self._process.returncode
        if status is None:
            return None
        document = self.document()
        said = document.get("error")
        if document and said is None and status == 0:
            return None
        last = " ".join(_text(self._errors).splitlines()[-1:])
        return f"the iperf3 {self._name}: {said or last or f'ended with status {status}'}"

    def document(self) -> Document:
        """Return the JSON that it wrote at its end; empty when it wrote none."""
        try:
            document: Document = json.loads(_text(self._output))
        except ValueError:
            return {}
        return document


def _text(file: IO[bytes]) -> str:
    # The place in the file is the writer's too.
    descriptor = file.fileno()
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode(errors="replace").strip()
