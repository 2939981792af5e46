"""Firefox as the client of a page load, by WebDriver BiDi and without a driver in between.

It has its preferences and those whom it trusts before it starts, loads a page of no interest, then the one
to be measured. What it asks of the network is told by a watcher beside all pages (firefox_watch.js), what the
page's own clock saw by the script that all browsers have (measure.js).
"""

import base64
import json
import platform
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from bentpipe.engine.process.configuration import Configuration
from bentpipe.engine.programs import third_party
from bentpipe.engine.programs.browser import firefox_preferences, firefox_sighting, kernel, warm_up
from bentpipe.engine.programs.browser.client import BLANK, MEASURE, PROFILE, Browser
from bentpipe.engine.programs.browser.firefox_sighting import Entry
from bentpipe.engine.programs.browser.page import VIEWPORT
from bentpipe.engine.programs.browser.pictures import Picture
from bentpipe.engine.programs.browser.process import HOME
from bentpipe.engine.programs.browser.progress import Progress
from bentpipe.engine.programs.browser.remote import Event, Json, RemoteError
from bentpipe.engine.programs.browser.sighting import Sighting
from bentpipe.engine.programs.browser.wall_clock import Clocks

_ADDRESS_FILE = str(PROFILE / "WebDriverBiDiServer.json")
_BROWSER_WINDOW = "chrome://browser/content/browser.xhtml"
_CHANNEL = "requests"
_LOADED, _FAILED, _TOLD = "browsingContext.load", "browsingContext.navigationFailed", "script.message"
_WATCH = Path(__file__).parent / "firefox_watch.js"

_PICTURE_EVERY_S = 0.25
_PICTURE: Json = {"format": {"type": "image/jpeg", "quality": 0.7}}
"""One takes Firefox some 40 ms."""

_SEEN_AFTER_NEXT_FRAME = """() => new Promise((resolve) => {
  const tell = () => setTimeout(() => resolve(bentpipeSeen()));
  if (document.hidden) tell(); else requestAnimationFrame(tell);
})"""
"""The last picture is drawn after the load event; of a page that is not shown there is none."""

_CLOSE_CONNECTIONS = """() => {
  Services.obs.notifyObservers(null, "net:prune-all-connections");
}"""
"""In Firefox's own realm."""


class Firefox(Browser["_Progress"]):
    """See `web_endpoints.Client`."""

    program = third_party.FIREFOX
    environment = firefox_preferences.ENVIRONMENT
    trust_database = PROFILE

    def __init__(self, namespace: str, configuration: Configuration) -> None:
        super().__init__(namespace, configuration)
        self._context = self._window = ""

    def _arguments(self) -> list[str]:
        return [
            *("--headless", "--no-remote", "--profile", str(HOME / PROFILE)),
            # Any port, the profile says which; and what is beside the pages is to be watched.
            *("--remote-debugging-port", "0", "--remote-allow-system-access", BLANK),
        ]

    def _furnish(self) -> None:
        home = self._process.folder
        preferences = firefox_preferences.preferences(self._spec, hosts=[*self._addresses, warm_up.HOST])
        self._process.write(str(PROFILE / "user.js"), firefox_preferences.user_js(preferences))
        # It looks up the name of its machine as well.
        names = {platform.node(): "127.0.0.1", "localhost": "127.0.0.1", warm_up.HOST: warm_up.ADDRESS}
        (home / "etc" / "hosts").write_text(
            "".join(f"{address} {name}\n" for name, address in (names | self._addresses).items())
        )

    def _remote_url(self, *, until_s: float) -> str:
        address = self._process.file(_ADDRESS_FILE, json.loads, until_s=until_s)
        return f"ws://{address['ws_host']}:{address['ws_port']}/session"

    def _prepare(self, _until_s: float, /) -> None:
        self._start_session()
        self._warm_up()

    def _new_progress(self) -> "_Progress":
        return _Progress(context=self._context, expected=set(self._page.bytes_of))

    def _load(self, progress: "_Progress", *, until_s: float) -> bool:
        self._remote.order(
            "browsingContext.navigate",
            {"context": self._context, "url": self._page.document, "wait": "none"},
        )
        if not self._await(progress, until_s=until_s):
            return False
        progress.seen = self._seen()
        return True

    def _has_answered(self) -> bool:
        # As long as it is there it has an answer: that the page cannot be had.
        return not self._process.has_ended()

    def _sighted(self, progress: "_Progress") -> Sighting:
        samples = kernel.samples(self._namespace)
        self._close_connections()
        requests = firefox_sighting.requests(progress.entries, epoch_ns=progress.epoch_ns, samples=samples)
        seen = firefox_sighting.sighting(
            requests,
            progress.seen,
            version=self._named_version(),
            started_ns=progress.started_ns,
            epoch_ns=progress.epoch_ns,
            frames=self._frames(progress),
        )
        return replace(seen, doubts=[*seen.doubts, *progress.clocks.doubts(epoch_ns=progress.epoch_ns)])

    def _start_session(self) -> None:
        session = self._remote.command("session.new", {"capabilities": {}})
        self._version = session["capabilities"]["browserVersion"]
        self._remote.command("session.subscribe", {"events": [_LOADED, _FAILED, _TOLD]})
        self._context = _only("tab", self._contexts({}))
        width, height = VIEWPORT
        viewport = {"width": width, "height": height}
        self._remote.command("browsingContext.setViewport", {"context": self._context, "viewport": viewport})
        self._remote.command("script.addPreloadScript", {"functionDeclaration": MEASURE.read_text()})
        chrome = self._contexts({"moz:scope": "chrome"})
        self._window = _only("window", [one for one in chrome if one["url"] == _BROWSER_WINDOW])
        self._call(
            _WATCH.read_text(),
            context=self._window,
            arguments=[{"type": "channel", "value": {"channel": _CHANNEL}}],
        )

    def _warm_up(self) -> None:
        with warm_up.served(self._namespace, self._configuration) as url:
            # Before its first request it knows of no other service (RFC 7838): only the second is by HTTP/3.
            for _ in range(2):
                self._navigate(url)
                self._navigate(BLANK)
        # What was told of that is nothing of the load.
        while self._remote.event(until_s=0.0) is not None:
            pass

    def _close_connections(self) -> None:
        # Left open they would end with the server, when nobody carries packets any more.
        with suppress(RemoteError):
            self._call(_CLOSE_CONNECTIONS, context=self._window, arguments=[])

    def _await(self, progress: "_Progress", *, until_s: float) -> bool:
        picture_s = time.monotonic() if self._configuration.artifacts is not None else float("inf")
        while time.monotonic() < until_s:
            event = self._remote.event(until_s=min(until_s, progress.over_s(), picture_s))
            if event is not None:
                progress.take(event)
            if time.monotonic() >= picture_s:
                self._take_picture(progress)
                picture_s = time.monotonic() + _PICTURE_EVERY_S
            if time.monotonic() >= progress.over_s():
                if self._configuration.artifacts is not None:
                    self._take_picture(progress)
                return True
        return False

    def _take_picture(self, progress: "_Progress") -> None:
        at_ns = time.monotonic_ns()
        # While one page gives way to another there is nothing to take one of.
        with suppress(RemoteError):
            taken = self._remote.command(
                "browsingContext.captureScreenshot", {"context": self._context, **_PICTURE}
            )
            progress.pictures.append(Picture(at_ns=at_ns, image=base64.b64decode(taken["data"])))

    def _seen(self) -> Json:
        seen: Json = json.loads(
            self._call(_SEEN_AFTER_NEXT_FRAME, context=self._context, arguments=[])["value"]
        )
        return seen

    def _navigate(self, url: str) -> None:
        self._remote.command(
            "browsingContext.navigate", {"context": self._context, "url": url, "wait": "complete"}
        )

    def _contexts(self, options: Mapping[str, str]) -> Sequence[Json]:
        found: Sequence[Json] = self._remote.command("browsingContext.getTree", options)["contexts"]
        return found

    def _call(self, function: str, *, context: str, arguments: Sequence[Json]) -> Json:
        answer = self._remote.command(
            "script.callFunction",
            {
                "functionDeclaration": function,
                "target": {"context": context},
                "arguments": arguments,
                "awaitPromise": True,
            },
        )
        if answer["type"] != "success":
            raise RemoteError(f"a script failed: {answer['exceptionDetails']['text']}")
        result: Json = answer["result"]
        return result


@dataclass(kw_only=True)
class _Progress(Progress):
    context: str
    clocks: Clocks = field(default_factory=Clocks)
    epoch_ns: int = field(init=False)
    entries: list[Entry] = field(default_factory=list)
    _in_flight: list[str] = field(default_factory=list)
    _has_loaded: bool = False

    def __post_init__(self) -> None:
        # Its own instants are by the wall clock.
        self.epoch_ns = self.clocks.epoch_ns()

    def take(self, event: Event) -> None:
        """Take note of an event."""
        if event.method == _TOLD:
            self._take(json.loads(event.params["data"]["value"]))
        elif event.params["context"] != self.context:
            return
        elif event.method == _FAILED:
            raise RemoteError(f"{event.params['url']} could not be loaded")
        else:
            self._has_loaded = True
        self._note(event, is_quiet=self._has_loaded and not self._in_flight)

    def known(self) -> set[str]:
        """Return the URLs of the requests that have ended."""
        return {entry["url"] for entry in self.entries}

    def _take(self, entry: Entry) -> None:
        if not entry["has_ended"]:
            self._in_flight.append(entry["url"])
            return
        self.entries.append(entry)
        with suppress(ValueError):
            self._in_flight.remove(entry["url"])


def _only(what: str, contexts: Sequence[Json]) -> str:
    if len(contexts) != 1:
        raise RemoteError(f"there should be one {what}, and there are {len(contexts)}")
    context: str = contexts[0]["context"]
    return context
