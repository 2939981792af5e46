"""Chromium as the client of a page load, by the Chrome DevTools Protocol and without a driver in between.

It loads a page of no interest first, then the measured one in a new tab. What it asks of the network, and
when, it tells with every event; its network log adds the ports, the page's own clock the paints (measure.js).
"""

import base64
import json
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from bentpipe import _core
from bentpipe.engine import hosts
from bentpipe.engine.browser import (
    chromium_sighting,
    chromium_switches,
    kernel,
    netlog,
    pictures,
    process,
    remote,
    trust,
    verification,
    warm_up,
)
from bentpipe.engine.browser.chromium_sighting import Requests
from bentpipe.engine.browser.page import Page
from bentpipe.engine.browser.pictures import Picture
from bentpipe.engine.browser.process import HOME, Process
from bentpipe.engine.browser.remote import Event, Remote, RemoteError
from bentpipe.engine.browser.sighting import Report, Sighting
from bentpipe.engine.netns import World
from bentpipe.engine.part import START_TIMEOUT_S, PartError
from bentpipe.errors import AbilityError

COMMAND = "chromium"

CONNECTIONS = 6
"""Of HTTP/1.1 to one host; Chromium cannot be told another number."""

_PROFILE = Path("profile")
_TRUST = Path(".pki") / "nssdb"
_NETWORK_SERVICE = "--utility-sub-type=network.mojom.NetworkService"
_LISTENS = str(_PROFILE / "DevToolsActivePort")
_NETLOG = "netlog.json"
_BLANK = "about:blank"
_ICON = "/favicon.ico"
"""Chromium asks for it after the load, whether a page has one or not."""

_MEASURE = Path(__file__).parent / "measure.js"

_QUIET_S = 0.3
"""Without a request in flight, after the load event and everything that the page has: it has been painted."""

_PATIENCE_S = 3.0
"""The same while something that the page has is missing: a script may ask for it yet."""

_MOST_NAMED = 3

_PICTURE: Mapping[str, Any] = {"format": "jpeg", "quality": 70, "maxWidth": 683, "maxHeight": 384}
"""Half the width and height of the window."""


def missing() -> AbilityError | None:
    """Say what of Chromium is not there."""
    if shutil.which(COMMAND) is None:
        return AbilityError(f"the command `{COMMAND}` is missing", f"install the Debian package {COMMAND}")
    return trust.missing()


def lack(spec: Mapping[str, Any]) -> AbilityError | None:
    """Say why Chromium cannot load the page of a run as its specification wants it, if that is so."""
    load, retry_ns = spec["workload"], spec["tcp"].get("connect_retry_ns")
    if load["http"] not in chromium_switches.SPEAKS:
        return AbilityError(
            f"Chromium does not speak {load['http']}", f"choose one of {', '.join(chromium_switches.SPEAKS)}"
        )
    if load["http"] in ("h1", "h1s") and load["connections"] != CONNECTIONS:
        return AbilityError(
            f"Chromium opens {CONNECTIONS} connections, not {load['connections']}",
            f"choose connections = {CONNECTIONS}",
        )
    if retry_ns not in (None, chromium_switches.BACKUP_AFTER_NS):
        return AbilityError(
            "Chromium opens a second connection after 250 ms or not at all", 'choose connect_retry = "250 ms"'
        )
    for name in ("pipelining", "push_percent", "visit"):
        if name in load:
            return AbilityError(f"Chromium has no {name}", f"leave out {name}")
    return missing()


@contextmanager
def opened(world: World, configuration: Mapping[str, Any]) -> Iterator["Chromium"]:
    """Start Chromium; see `web_ends.ClientOpener`.

    Raises
    ------
    AbilityError
        When it is not installed, or cannot load the page as the run wants it.
    PartError
        When it does not start.
    """
    spec = configuration["spec"]
    if (reason := lack(spec)) is not None:
        raise reason
    addresses = {**hosts.addresses(spec), warm_up.HOST: warm_up.ADDRESS}
    switches = chromium_switches.of_run(spec, addresses=addresses)
    command = [
        COMMAND,
        *chromium_switches.arguments(switches),
        f"--user-data-dir={HOME / _PROFILE}",
        f"--log-net-log={HOME / _NETLOG}",
        # Any port; the profile says which.
        "--remote-debugging-port=0",
        _BLANK,
    ]
    with process.prepared(command, namespace=world.client) as browser, ExitStack() as stack:
        chromium = Chromium(stack, browser, world.client, configuration, switches=switches)
        chromium.furnish()
        browser.start()
        yield chromium


class Chromium:
    """See `web_ends.Client`."""

    def __init__(
        self,
        stack: ExitStack,
        browser: Process,
        namespace: str,
        configuration: Mapping[str, Any],
        *,
        switches: Mapping[str, str | None],
    ) -> None:
        self._stack, self._browser, self._namespace = stack, browser, namespace
        self._configuration, self._switches = configuration, switches
        self._page = Page.of(configuration["spec"])
        self._remote: Remote
        self._tab = self._version = ""
        self._sighting: Sighting | None = None

    def furnish(self) -> None:
        """Write what it reads when it starts."""
        trust.install(self._browser, _TRUST, self._configuration["identity"]["authority_der"])
        folder = self._browser.folder / _PROFILE / "Default"
        folder.mkdir(parents=True)
        (folder / "Preferences").write_text(json.dumps(chromium_switches.preferences()))

    def await_ready(self) -> None:
        """Return when it has loaded a page of no interest and has an empty tab for the measured one."""
        until_s = time.monotonic() + START_TIMEOUT_S
        try:
            port, path = self._browser.file(_LISTENS, until_s=until_s).split()
            url = f"ws://127.0.0.1:{port}{path}"
            self._remote = self._stack.enter_context(remote.connected(url, namespace=self._namespace))
            product: str = self._remote.command("Browser.getVersion")["product"]
            self._version = f"Chromium {product.partition('/')[2]}"
            self._warm_up(until_s=until_s)
            self._tab = self._new_tab()
            self._prepare_tab()
        except RemoteError as error:
            raise PartError(f"Chromium: {error}; {self._browser.fault()}") from None

    def load(self) -> None:
        """Load the page."""
        timeout_ns: int = self._configuration["spec"]["validity"]["timeout_ns"]
        progress = _Progress(expected=set(self._page.bytes_of))
        faults: list[str] = []
        started_ns = time.monotonic_ns()
        seen: Mapping[str, Any] = {}
        try:
            self._remote.order("Page.navigate", {"url": self._page.document}, session=self._tab)
            if not self._await(progress, until_s=(started_ns + timeout_ns) / 1e9):
                faults.append(f"timed out after {_core.format_duration(timeout_ns)}")
            else:
                started_ns = self._navigation_started_ns()
                seen = self._seen()
        except RemoteError as error:
            faults.append(f"Chromium: {error}")
        samples = kernel.samples(self._namespace)
        log = self._log()
        requests = progress.requests
        objects, connections = chromium_sighting.sightings(
            requests.finished(), sockets=log.sockets, samples=samples, started_ns=started_ns
        )
        sighting = Sighting(
            version=self._version,
            started_ns=started_ns,
            objects=objects,
            connections=connections,
            parsed_ns=progress.parsed_ns,
            loaded_ns=progress.loaded_ns,
            first_contentful_paint_ns=_after(started_ns, seen.get("first_contentful_paint_ms")),
            largest_contentful_paint_ns=_after(started_ns, seen.get("largest_contentful_paint_ms")),
            frames=self._frames(progress.pictures),
            faults=faults,
        )
        doubts = [
            *chromium_sighting.failures(requests.all),
            *verification.doubts(sighting, self._page),
            *_strays(log, self._page),
        ]
        if seen and not seen["visible"]:
            doubts.append("the browser did not show the page")
        if outside := kernel.unroutable_packets(self._namespace):
            doubts.append(f"{outside} packets to addresses outside the world")
        self._sighting = sighting.doubted(doubts if not faults else [])

    def report(self) -> Report:
        """Return what it saw."""
        assert self._sighting is not None
        return self._sighting.report()

    def versions(self) -> dict[str, str]:
        """Name it, and how it was started."""
        return {
            "chromium": self._version.removeprefix("Chromium "),
            "chromium_switches": " ".join(chromium_switches.arguments(self._switches)),
        }

    def pids(self) -> list[int]:
        """Return the process of its sockets.

        That others wait, mostly for each other, is part of showing a page; this one's wait delays packets.
        """
        return self._browser.pids(argument=_NETWORK_SERVICE)

    def _warm_up(self, *, until_s: float) -> None:
        with warm_up.served(self._namespace, self._configuration) as url:
            tab = self._new_tab()
            self._remote.command("Page.navigate", {"url": url}, session=tab)
            while (event := self._remote.event(until_s=until_s)) is not None:
                if event.method == "Page.loadEventFired":
                    return
        raise RemoteError("the page of no interest did not load")

    def _new_tab(self) -> str:
        target = self._remote.command("Target.createTarget", {"url": _BLANK})["targetId"]
        session: str = self._remote.command("Target.attachToTarget", {"targetId": target, "flatten": True})[
            "sessionId"
        ]
        self._remote.command("Page.enable", session=session)
        return session

    def _prepare_tab(self) -> None:
        width, height = chromium_switches.VIEWPORT
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        icon = urljoin(self._page.document, _ICON)
        kept_back = [] if icon in self._page.bytes_of else [icon]
        orders: list[tuple[str, Mapping[str, Any]]] = [
            ("Network.enable", {}),
            ("Performance.enable", {}),
            ("Emulation.setDeviceMetricsOverride", size),
            ("Network.setBlockedURLs", {"urls": kept_back}),
            ("Page.addScriptToEvaluateOnNewDocument", {"source": f"({_MEASURE.read_text()})()"}),
        ]
        if self._configuration["artifacts"] is not None:
            orders.append(("Page.startScreencast", _PICTURE))
        for method, params in orders:
            self._remote.command(method, params, session=self._tab)

    def _await(self, progress: "_Progress", *, until_s: float) -> bool:
        while time.monotonic() < until_s:
            event = self._remote.event(until_s=min(until_s, progress.over_s()))
            if event is not None and event.session == self._tab:
                if event.method == "Page.screencastFrame":
                    # The next picture is sent when this one is known to have come.
                    number = {"sessionId": event.params["sessionId"]}
                    self._remote.order("Page.screencastFrameAck", number, session=self._tab)
                progress.take(event)
            if time.monotonic() >= progress.over_s():
                return True
        return False

    def _navigation_started_ns(self) -> int:
        metrics = self._remote.command("Performance.getMetrics", session=self._tab)["metrics"]
        started_s: float = {one["name"]: one["value"] for one in metrics}["NavigationStart"]
        return round(started_s * 1e9)

    def _seen(self) -> Mapping[str, Any]:
        # Of an error page the script has been kept out.
        expression = "globalThis.bentpipeSeen ? bentpipeSeen() : '{}'"
        result = self._remote.command("Runtime.evaluate", {"expression": expression}, session=self._tab)
        seen: Mapping[str, Any] = json.loads(result["result"]["value"])
        return seen

    def _log(self) -> netlog.NetLog:
        """Return what its network log has so far: all but its last few events."""
        path = self._browser.folder / _NETLOG
        return netlog.read(path.read_text(errors="replace") if path.exists() else "")

    def _frames(self, taken: Sequence[Picture]) -> list[Any]:
        artifacts = self._configuration["artifacts"]
        return [] if artifacts is None else pictures.kept(taken, Path(artifacts))


@dataclass(kw_only=True)
class _Progress:
    """What has come of a load so far."""

    expected: set[str]
    requests: Requests = field(default_factory=Requests)
    pictures: list[Picture] = field(default_factory=list)
    parsed_ns: int | None = None
    loaded_ns: int | None = None
    _quiet_since_s: float = float("inf")

    def take(self, event: Event) -> None:
        self.requests.take(event)
        match event.method:
            case "Page.domContentEventFired":
                self.parsed_ns = round(event.params["timestamp"] * 1e9)
            case "Page.loadEventFired":
                self.loaded_ns = round(event.params["timestamp"] * 1e9)
            case "Page.screencastFrame":
                shown_s = event.params["metadata"]["monotonicTimestamp"]
                image = base64.b64decode(event.params["data"])
                self.pictures.append(Picture(at_ns=round(shown_s * 1e9), image=image))
                return
            case "Inspector.targetCrashed":
                raise RemoteError("the tab crashed")
        is_quiet = self.loaded_ns is not None and all(one.has_ended for one in self.requests.all)
        self._quiet_since_s = event.received_ns / 1e9 if is_quiet else float("inf")

    def over_s(self) -> float:
        """When, by the monotonic clock, nothing more is to be waited for if nothing happens until then."""
        missing = self.expected - {one.url for one in self.requests.all}
        return self._quiet_since_s + (_PATIENCE_S if missing else _QUIET_S)


def _after(started_ns: int, elapsed_ms: float | None) -> int | None:
    return None if elapsed_ms is None else started_ns + round(elapsed_ms * 1e6)


def _strays(log: netlog.NetLog, page: Page) -> list[str]:
    """Name what was asked of the page's hosts and is not of the page; other hosts nobody can reach."""
    known = {urlsplit(url).hostname for url in page.bytes_of}
    strays = [url for url in log.urls if urlsplit(url).hostname in known and url not in page.bytes_of]
    return [f"the browser asked for {url}, which is not of the page" for url in strays[:_MOST_NAMED]]
