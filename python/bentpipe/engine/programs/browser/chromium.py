"""Chromium as the client of a page load, by the Chrome DevTools Protocol and without a driver in between.

It loads a page of no interest first, then the measured one in a new tab. What it asks of the network, and
when, it tells with every event; its network log adds the ports, the page's own clock the paints (measure.js).
"""

import base64
import json
import time
from dataclasses import dataclass, field
from pathlib import Path

from bentpipe import invoking_user
from bentpipe.engine.process import privilege
from bentpipe.engine.process.configuration import Configuration
from bentpipe.engine.programs import third_party
from bentpipe.engine.programs.browser import chromium_sighting, chromium_switches, kernel, netlog, warm_up
from bentpipe.engine.programs.browser.chromium_sighting import Requests
from bentpipe.engine.programs.browser.client import BLANK, MEASURE, PROFILE, Browser
from bentpipe.engine.programs.browser.page import VIEWPORT
from bentpipe.engine.programs.browser.pictures import Picture
from bentpipe.engine.programs.browser.process import HOME
from bentpipe.engine.programs.browser.progress import Progress
from bentpipe.engine.programs.browser.remote import Event, Json, RemoteError
from bentpipe.engine.programs.browser.sighting import Sighting
from bentpipe.model.reason import RequestUnknownReason

_LISTENS = str(PROFILE / "DevToolsActivePort")
_NETLOG = "netlog.json"
_MOST_NAMED = 3

_PICTURE: Json = {"format": "jpeg", "quality": 70, "maxWidth": 683, "maxHeight": 384}
"""Half the width and height of the window."""


class Chromium(Browser["_Progress"]):
    """See `web_endpoints.Client`."""

    program = third_party.CHROMIUM
    trust_database = Path(".pki") / "nssdb"

    def __init__(self, namespace: str, configuration: Configuration) -> None:
        super().__init__(namespace, configuration)
        addresses = {**self._addresses, warm_up.HOST: warm_up.ADDRESS}
        self._has_sandbox = privilege.has_user_namespaces(invoking_user.unprivileged())
        self._switches = chromium_switches.of_run(
            self._spec, addresses=addresses, has_sandbox=self._has_sandbox
        )
        self._tab = ""

    def versions(self) -> dict[str, str]:
        """Name it, and how it was started."""
        return {
            **super().versions(),
            "chromium_sandbox": "yes" if self._has_sandbox else "no",
            "chromium_switches": " ".join(chromium_switches.arguments(self._switches)),
        }

    def _arguments(self) -> list[str]:
        return [
            *chromium_switches.arguments(self._switches),
            f"--user-data-dir={HOME / PROFILE}",
            f"--log-net-log={HOME / _NETLOG}",
            # Any port; the profile says which.
            "--remote-debugging-port=0",
            BLANK,
        ]

    def _furnish(self) -> None:
        preferences = json.dumps(chromium_switches.preferences())
        self._process.write(str(PROFILE / "Default" / "Preferences"), preferences)

    def _remote_url(self, *, until_s: float) -> str:
        return self._process.file(_LISTENS, _address, until_s=until_s)

    def _prepare(self, until_s: float, /) -> None:
        product: str = self._remote.command("Browser.getVersion")["product"]
        self._version = product.partition("/")[2]
        self._warm_up(until_s=until_s)
        self._tab = self._new_tab()
        self._prepare_tab()

    def _new_progress(self) -> "_Progress":
        return _Progress(expected=set(self._page.bytes_of))

    def _load(self, progress: "_Progress", *, until_s: float) -> bool:
        self._remote.order("Page.navigate", {"url": self._page.document}, session=self._tab)
        if not self._await(progress, until_s=until_s):
            return False
        progress.started_ns = self._navigation_started_ns()
        progress.seen = self._seen()
        return True

    def _sighted(self, progress: "_Progress") -> Sighting:
        samples = kernel.samples(self._namespace)
        log = self._log()
        requests, started_ns, seen = progress.requests, progress.started_ns, progress.seen
        objects, connections = chromium_sighting.sightings(
            requests.finished(), ports=log.ports, samples=samples, started_ns=started_ns
        )
        strays = log.strays(self._page.bytes_of)[:_MOST_NAMED]
        return Sighting(
            version=self._named_version(),
            started_ns=started_ns,
            objects=objects,
            connections=connections,
            parsed_ns=progress.parsed_ns,
            loaded_ns=progress.loaded_ns,
            first_contentful_paint_ns=_after(started_ns, seen.get("first_contentful_paint_ms")),
            largest_contentful_paint_ns=_after(started_ns, seen.get("largest_contentful_paint_ms")),
            frames=self._frames(progress),
            doubts=[
                *chromium_sighting.failures(requests.all),
                *(RequestUnknownReason(url=url) for url in strays),
            ],
        )

    def _warm_up(self, *, until_s: float) -> None:
        with warm_up.served(self._namespace, self._configuration) as url:
            tab = self._new_tab()
            self._remote.command("Page.navigate", {"url": url}, session=tab)
            while (event := self._remote.event(until_s=until_s)) is not None:
                if event.method == "Page.loadEventFired":
                    return
        raise RemoteError("the page of no interest did not load")

    def _new_tab(self) -> str:
        target = self._remote.command("Target.createTarget", {"url": BLANK})["targetId"]
        session: str = self._remote.command("Target.attachToTarget", {"targetId": target, "flatten": True})[
            "sessionId"
        ]
        self._remote.command("Page.enable", session=session)
        return session

    def _prepare_tab(self) -> None:
        width, height = VIEWPORT
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        orders: list[tuple[str, Json]] = [
            ("Network.enable", {}),
            ("Performance.enable", {}),
            ("Emulation.setDeviceMetricsOverride", size),
            ("Network.setBlockedURLs", {"urls": [*self._page.left_out]}),
            ("Page.addScriptToEvaluateOnNewDocument", {"source": f"({MEASURE.read_text()})()"}),
        ]
        if self._configuration.artifacts is not None:
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

    def _seen(self) -> Json:
        # Of an error page the script has been kept out.
        expression = "globalThis.bentpipeSeen ? bentpipeSeen() : '{}'"
        result = self._remote.command("Runtime.evaluate", {"expression": expression}, session=self._tab)
        seen: Json = json.loads(result["result"]["value"])
        return seen

    def _log(self) -> netlog.NetLog:
        """Return what its network log has so far: all but its last few events."""
        try:
            return netlog.read(self._process.text(_NETLOG))
        except FileNotFoundError:
            return netlog.read("")


@dataclass(kw_only=True)
class _Progress(Progress):
    requests: Requests = field(default_factory=Requests)
    parsed_ns: int | None = None
    loaded_ns: int | None = None

    def take(self, event: Event) -> None:
        """Take note of an event of the tab."""
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
        has_loaded = self.loaded_ns is not None
        self._note(event, is_quiet=has_loaded and all(one.has_ended for one in self.requests.all))

    def known(self) -> set[str]:
        """Return the URLs of the requests so far."""
        return {one.url for one in self.requests.all}


def _address(listens: str) -> str:
    port, path = listens.split()
    return f"ws://127.0.0.1:{port}{path}"


def _after(started_ns: int, elapsed_ms: float | None) -> int | None:
    return None if elapsed_ms is None else started_ns + round(elapsed_ms * 1e6)
