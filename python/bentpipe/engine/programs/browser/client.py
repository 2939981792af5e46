"""What is the same with every browser as the client of a page load: its start, its patience, the judgement.

How each is told what to do, and tells what it saw, is its own (chromium.py, firefox.py).
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Generic, Self, TypeVar

from bentpipe.engine.host import cpu_time, cpu_wait, monotonic
from bentpipe.engine.process.configuration import Configuration
from bentpipe.engine.process.part import START_TIMEOUT_S, PartError
from bentpipe.engine.programs.browser import kernel, pictures, process, remote, trust, verification
from bentpipe.engine.programs.browser.page import Page
from bentpipe.engine.programs.browser.process import HOME, Process
from bentpipe.engine.programs.browser.progress import Progress
from bentpipe.engine.programs.browser.remote import Remote, RemoteError
from bentpipe.engine.programs.browser.sighting import FrameSighting, Sighting
from bentpipe.engine.programs.third_party import Program
from bentpipe.engine.testbed import hosts
from bentpipe.model.reason import (
    BrowserFailedReason,
    PacketsOutsideReason,
    PageHiddenReason,
    Reason,
    TimedOutReason,
)
from bentpipe.model.report import ClientReport

PROFILE = Path("profile")
"""In its home."""

BLANK = "about:blank"

MEASURE = Path(__file__).parent / "measure.js"
"""The script that is in every page."""

P = TypeVar("P", bound=Progress)


class Browser(ABC, Generic[P]):
    """See `web_endpoints.Client`."""

    program: ClassVar[Program]
    environment: ClassVar[Mapping[str, str]] = {}
    """What it is told besides its arguments."""

    trust_database: ClassVar[Path]
    """Where in its home it looks for those whom it trusts."""

    def __init__(self, namespace: str, configuration: Configuration) -> None:
        self._namespace, self._configuration = namespace, configuration
        self._spec = configuration.spec
        self._addresses = hosts.addresses(self._spec)
        self._page = Page.of(self._spec)
        self._stack = ExitStack()
        self._process: Process
        self._remote: Remote
        self._version = ""
        self._sighting: Sighting | None = None
        self._others_s = 0.0

    @contextmanager
    def started(self) -> Iterator[Self]:
        """Start it in a fresh home; it ends with the context.

        Raises
        ------
        PartError
            When it does not start.
        """
        path = self.program.path()
        assert path is not None
        command = [path, *self._arguments()]
        with (
            process.prepared(
                command, namespace=self._namespace, environment=self.environment
            ) as self._process,
            self._stack,
        ):
            authority = bytes(self._configuration.identity.authority_der)
            trust.install(self._process.run, HOME / self.trust_database, authority)
            self._furnish()
            self._process.start()
            yield self

    def await_ready(self) -> None:
        """Return when it has loaded a page of no interest and has an empty one for the measured load."""
        until_s = time.monotonic() + START_TIMEOUT_S
        try:
            url = self._remote_url(until_s=until_s)
            self._remote = self._stack.enter_context(remote.connected(url, namespace=self._namespace))
            self._prepare(until_s)
        except RemoteError as error:
            raise PartError(f"{self.program.name}: {error}; {self._process.fault()}") from None

    def load(self, begin_ns: int) -> None:
        """Load the page."""
        monotonic.sleep_until(begin_ns)
        timeout_ns = self._spec.validity.timeout_ns
        progress = self._new_progress()
        faults: list[Reason] = []
        doubts: list[Reason] = []
        try:
            before_s = cpu_time.used_by_others_s()
            in_time = self._load(progress, until_s=(progress.started_ns + timeout_ns) / 1e9)
            # Now: when the browser has ended, whoever adopted its processes is said to have used their time.
            self._others_s = cpu_time.used_by_others_s() - before_s
            if not in_time:
                faults.append(TimedOutReason(timeout_ns=timeout_ns, loaded_objects=None))
        except RemoteError as error:
            failed = BrowserFailedReason(browser=self.program.name, error=str(error))
            (doubts if self._has_answered() else faults).append(failed)
        sighting = self._sighted(progress)
        doubts += [*sighting.doubts, *verification.doubts(sighting, self._page)]
        if progress.seen and not progress.seen["visible"]:
            doubts.append(PageHiddenReason())
        if outside := kernel.unroutable_packets(self._namespace):
            doubts.append(PacketsOutsideReason(packets=outside))
        self._sighting = replace(sighting, faults=faults, doubts=[] if faults else doubts)

    def abandon(self) -> None:
        """End it at once."""
        self._process.kill()

    def report(self) -> ClientReport:
        """Return what it saw."""
        assert self._sighting is not None
        return self._sighting.report()

    def versions(self) -> dict[str, str]:
        """Name it."""
        assert self._spec.client is not None
        return {self._spec.client: self._version, "browser_uid": str(self._process.user.uid)}

    def shares(self) -> cpu_wait.Shares:
        """Return what others have had of the cores during the load.

        A browser's own threads wait for each other, on any machine with as few cores: that is part of showing
        a page.
        """
        return {cpu_time.STATISTICS: cpu_wait.Share(waited_s=self._others_s)}

    @abstractmethod
    def _arguments(self) -> Sequence[str]:
        """Return what it is started with."""

    @abstractmethod
    def _furnish(self) -> None:
        """Write what it reads when it starts."""

    @abstractmethod
    def _remote_url(self, *, until_s: float) -> str:
        """Return where its remote control listens, when it does."""

    @abstractmethod
    def _prepare(self, until_s: float, /) -> None:
        """Load a page of no interest, and have an empty one for the measured load."""

    @abstractmethod
    def _new_progress(self) -> P:
        """Return the progress of a load that starts now."""

    @abstractmethod
    def _load(self, progress: P, *, until_s: float) -> bool:
        """Load the page and ask what was seen of it; False when it was not over in time."""

    @abstractmethod
    def _sighted(self, progress: P) -> Sighting:
        """Return what it saw, with what is to be doubted with this browser alone."""

    def _has_answered(self) -> bool:
        """Whether an error of its remote control is an answer, which makes the run invalid; else it fails."""
        return False

    def _named_version(self) -> str:
        return f"{self.program.name} {self._version}"

    def _frames(self, progress: P) -> list[FrameSighting]:
        artifacts = self._configuration.artifacts
        return [] if artifacts is None else pictures.kept(progress.pictures, Path(artifacts))
