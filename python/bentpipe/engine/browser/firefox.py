"""Firefox as the client of a page load, by WebDriver BiDi and without a driver in between.

It has its preferences and those whom it trusts before it starts, loads a page of no interest, then the one
to be measured. What it asks of the network is told by a watcher beside all pages (firefox_watch.js), what the
page's own clock saw by the script that all browsers have (measure.js).
"""

import base64
import json
import platform
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bentpipe import _core
from bentpipe.engine import hosts
from bentpipe.engine.browser import (
    firefox_preferences,
    firefox_sighting,
    kernel,
    pictures,
    process,
    remote,
    trust,
    verification,
    warm_up,
)
from bentpipe.engine.browser.firefox_sighting import Entry
from bentpipe.engine.browser.page import Page
from bentpipe.engine.browser.pictures import Picture
from bentpipe.engine.browser.process import HOME, Process
from bentpipe.engine.browser.remote import Event, Remote, RemoteError
from bentpipe.engine.browser.sighting import FrameSighting, Report, Sighting
from bentpipe.engine.netns import World
from bentpipe.engine.part import START_TIMEOUT_S, PartError
from bentpipe.errors import AbilityError

COMMANDS = ("firefox-esr", "firefox")
"""Debian's, and its makers' own."""

SPEAKS = ("h1", "h1s", "h2", "h3")
"""Of what scenarios name."""

VIEWPORT = {"width": 1366, "height": 768}
"""Of the page, in CSS pixels."""

_PROFILE = Path("profile")
_ADDRESS_FILE = str(_PROFILE / "WebDriverBiDiServer.json")
_BLANK = "about:blank"
_BROWSER_WINDOW = "chrome://browser/content/browser.xhtml"
_CHANNEL = "requests"
_LOADED, _FAILED, _TOLD = "browsingContext.load", "browsingContext.navigationFailed", "script.message"
_SCRIPTS = Path(__file__).parent

_QUIET_S = 0.3
"""Without a request in flight, after the load event and everything that the page has: it has been painted."""

_PATIENCE_S = 3.0
"""The same while something that the page has is missing: a script may ask for it yet."""

_PICTURE_EVERY_S = 0.25
_PICTURE: Mapping[str, Any] = {"format": {"type": "image/jpeg", "quality": 0.7}}
"""One takes Firefox some 40 ms."""

_SEEN_AFTER_NEXT_FRAME = """() => new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(() => resolve(bentpipeSeen())));
})"""
"""The last picture is drawn after the load event."""

_CLOSE_CONNECTIONS = """() => {
  Services.obs.notifyObservers(null, "net:prune-all-connections");
}"""
"""In Firefox's own realm."""


def missing() -> AbilityError | None:
    """Say what of Firefox is not there."""
    if _command() is None:
        return AbilityError("the command `firefox-esr` is missing", "install the Debian package firefox-esr")
    return trust.missing()


def lack(spec: Mapping[str, Any]) -> AbilityError | None:
    """Say why Firefox cannot load the page of a run as its specification wants it, if that is so."""
    load = spec["workload"]
    if load["http"] not in SPEAKS:
        return AbilityError(f"Firefox does not speak {load['http']}", f"choose one of {', '.join(SPEAKS)}")
    for name in ("pipelining", "push_percent", "visit"):
        if name in load:
            return AbilityError(f"Firefox has no {name}", f"leave out {name}")
    return missing()


@contextmanager
def opened(world: World, configuration: Mapping[str, Any]) -> Iterator["Firefox"]:
    """Start Firefox; see `web_ends.ClientOpener`.

    Raises
    ------
    AbilityError
        When it is not installed, or cannot load the page as the run wants it.
    PartError
        When it does not start.
    """
    if (reason := lack(configuration["spec"])) is not None:
        raise reason
    arguments = [
        *(_command() or "", "--headless", "--no-remote", "--profile", str(HOME / _PROFILE)),
        # Any port, the profile says which; and what is beside the pages is to be watched.
        *("--remote-debugging-port", "0", "--remote-allow-system-access", _BLANK),
    ]
    environment = firefox_preferences.ENVIRONMENT
    with (
        process.prepared(arguments, namespace=world.client, environment=environment) as browser,
        ExitStack() as stack,
    ):
        firefox = Firefox(stack, browser, world.client, configuration)
        firefox.furnish()
        browser.start()
        yield firefox


class Firefox:
    """See `web_ends.Client`."""

    def __init__(
        self, stack: ExitStack, browser: Process, namespace: str, configuration: Mapping[str, Any]
    ) -> None:
        self._stack, self._browser, self._namespace = stack, browser, namespace
        self._configuration = configuration
        self._spec = configuration["spec"]
        self._addresses = hosts.addresses(self._spec)
        self._page = Page.of(self._spec)
        self._remote: Remote
        self._context = self._window = self._version = ""
        self._sighting: Sighting | None = None

    def furnish(self) -> None:
        """Write what it reads when it starts."""
        trust.install(self._browser, _PROFILE, self._configuration["identity"]["authority_der"])
        preferences = firefox_preferences.preferences(self._spec, hosts=[*self._addresses, warm_up.HOST])
        (self._browser.folder / _PROFILE).mkdir(exist_ok=True)
        (self._browser.folder / _PROFILE / "user.js").write_text(firefox_preferences.user_js(preferences))
        # It looks up the name of its machine as well.
        names = {platform.node(): "127.0.0.1", "localhost": "127.0.0.1", warm_up.HOST: warm_up.ADDRESS}
        (self._browser.folder / "etc" / "hosts").write_text(
            "".join(f"{address} {name}\n" for name, address in (names | self._addresses).items())
        )

    def await_ready(self) -> None:
        """Return when it has loaded a page of no interest, and shows a blank one."""
        until_s = time.monotonic() + START_TIMEOUT_S
        try:
            address = json.loads(self._browser.file(_ADDRESS_FILE, until_s=until_s))
            url = f"ws://{address['ws_host']}:{address['ws_port']}/session"
            self._remote = self._stack.enter_context(remote.connected(url, namespace=self._namespace))
            self._begin_session()
            self._warm_up()
        except RemoteError as error:
            raise PartError(f"Firefox: {error}; {self._browser.fault()}") from None

    def load(self) -> None:
        """Load the page."""
        timeout_ns: int = self._spec["validity"]["timeout_ns"]
        progress = _Progress(context=self._context, expected=set(self._page.bytes_of))
        # Its own instants are by the wall clock.
        epoch_ns = time.monotonic_ns() - time.time_ns()
        seen: Mapping[str, Any] = {}
        faults: list[str] = []
        doubts: list[str] = []
        started_ns = time.monotonic_ns()
        try:
            self._remote.order(
                "browsingContext.navigate",
                {"context": self._context, "url": self._page.document, "wait": "none"},
            )
            if not self._await(progress, until_s=(started_ns + timeout_ns) / 1e9):
                faults.append(f"timed out after {_core.format_duration(timeout_ns)}")
            else:
                seen = self._seen()
        except RemoteError as error:
            # As long as it is there it has an answer: that the page cannot be had.
            (faults if self._browser.has_ended() else doubts).append(f"Firefox: {error}")
        samples = kernel.samples(self._namespace)
        self._close_connections()
        requests = firefox_sighting.requests(progress.entries, epoch_ns=epoch_ns, samples=samples)
        sighting = firefox_sighting.sighting(
            requests,
            seen,
            version=self._version,
            started_ns=started_ns,
            epoch_ns=epoch_ns,
            frames=self._frames(progress.pictures),
            faults=faults,
        )
        doubts += [*requests.failures, *verification.doubts(sighting, self._page)]
        if seen and not seen["visible"]:
            doubts.append("the browser did not show the page")
        self._sighting = sighting.doubted(doubts if not faults else [])

    def report(self) -> Report:
        """Return what it saw."""
        assert self._sighting is not None
        return self._sighting.report()

    def versions(self) -> dict[str, str]:
        """Name it."""
        return {"firefox": self._version.removeprefix("Firefox ")}

    def pids(self) -> list[int]:
        """Return its processes: pages, sockets, the window."""
        return self._browser.pids()

    def _begin_session(self) -> None:
        session = self._remote.command("session.new", {"capabilities": {}})
        self._version = f"Firefox {session['capabilities']['browserVersion']}"
        self._remote.command("session.subscribe", {"events": [_LOADED, _FAILED, _TOLD]})
        (page,) = self._contexts({})
        self._context = page["context"]
        self._remote.command("browsingContext.setViewport", {"context": self._context, "viewport": VIEWPORT})
        measure = (_SCRIPTS / "measure.js").read_text()
        self._remote.command("script.addPreloadScript", {"functionDeclaration": measure})
        (window,) = (one for one in self._contexts({"moz:scope": "chrome"}) if one["url"] == _BROWSER_WINDOW)
        self._window = window["context"]
        self._call(
            (_SCRIPTS / "firefox_watch.js").read_text(),
            context=self._window,
            arguments=[{"type": "channel", "value": {"channel": _CHANNEL}}],
        )

    def _warm_up(self) -> None:
        with warm_up.served(self._namespace, self._configuration) as url:
            # Before its first request it knows of no other service (RFC 7838): only the second is by HTTP/3.
            for _ in range(2):
                self._navigate(url)
                self._navigate(_BLANK)
        # What was told of that is nothing of the load.
        while self._remote.event(until_s=0.0) is not None:
            pass

    def _close_connections(self) -> None:
        # Left open they would end with the server, when nobody carries packets any more. Firefox itself
        # stays: how long it has waited for a core is read from its processes.
        with suppress(RemoteError):
            self._call(_CLOSE_CONNECTIONS, context=self._window, arguments=[])

    def _await(self, progress: "_Progress", *, until_s: float) -> bool:
        picture_s = time.monotonic() if self._configuration["artifacts"] is not None else float("inf")
        while time.monotonic() < until_s:
            event = self._remote.event(until_s=min(until_s, progress.over_s(), picture_s))
            if event is not None:
                progress.take(event)
            if time.monotonic() >= picture_s:
                self._take_picture(progress)
                picture_s = time.monotonic() + _PICTURE_EVERY_S
            if time.monotonic() >= progress.over_s():
                if self._configuration["artifacts"] is not None:
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

    def _frames(self, taken: Sequence[Picture]) -> list[FrameSighting]:
        artifacts = self._configuration["artifacts"]
        return [] if artifacts is None else pictures.kept(taken, Path(artifacts))

    def _seen(self) -> Mapping[str, Any]:
        seen: Mapping[str, Any] = json.loads(
            self._call(_SEEN_AFTER_NEXT_FRAME, context=self._context, arguments=[])["value"]
        )
        return seen

    def _navigate(self, url: str) -> None:
        self._remote.command(
            "browsingContext.navigate", {"context": self._context, "url": url, "wait": "complete"}
        )

    def _contexts(self, options: Mapping[str, str]) -> Sequence[Mapping[str, Any]]:
        found: Sequence[Mapping[str, Any]] = self._remote.command("browsingContext.getTree", options)[
            "contexts"
        ]
        return found

    def _call(
        self, function: str, *, context: str, arguments: Sequence[Mapping[str, Any]]
    ) -> Mapping[str, Any]:
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
        result: Mapping[str, Any] = answer["result"]
        return result


@dataclass(kw_only=True)
class _Progress:
    """What has come of a load so far."""

    context: str
    expected: set[str]
    entries: list[Entry] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    _in_flight: list[str] = field(default_factory=list)
    _has_loaded: bool = False
    _quiet_since_s: float = float("inf")

    def take(self, event: Event) -> None:
        if event.method == _TOLD:
            self._take(json.loads(event.params["data"]["value"]))
        elif event.params["context"] != self.context:
            return
        elif event.method == _FAILED:
            raise RemoteError(f"{event.params['url']} could not be loaded")
        else:
            self._has_loaded = True
        is_quiet = self._has_loaded and not self._in_flight
        self._quiet_since_s = event.received_ns / 1e9 if is_quiet else float("inf")

    def over_s(self) -> float:
        """When, by the monotonic clock, nothing more is to be waited for if nothing happens until then."""
        missing = self.expected - {entry["url"] for entry in self.entries}
        return self._quiet_since_s + (_PATIENCE_S if missing else _QUIET_S)

    def _take(self, entry: Entry) -> None:
        if not entry["has_ended"]:
            self._in_flight.append(entry["url"])
            return
        self.entries.append(entry)
        with suppress(ValueError):
            self._in_flight.remove(entry["url"])


def _command() -> str | None:
    return next(filter(None, (shutil.which(name) for name in COMMANDS)), None)
