"""A browser with one tab, which a test drives as the emulate engine does.

What a page may not do, its policy and its errors, is noted by a script that runs before its own.
"""

import json
import os
import re
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from websockets.sync.client import connect

from bentpipe.engine.programs import third_party
from bentpipe.engine.programs.browser.remote import Remote

LONGEST_START_S = 60
WIDE, PHONE = (1280, 900), (390, 844)

NOTE = """
  window.noted = [];
  addEventListener("securitypolicyviolation", (event) => noted.push(`policy: ${event.violatedDirective}`));
  addEventListener("error", (event) => noted.push(`error: ${event.message}`));
  addEventListener("unhandledrejection", (event) => noted.push(`rejection: ${event.reason}`));
"""
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "ArrowRight": "\ue014", "Space": " "}
"""As WebDriver has them (section 17.4.2)."""
_CODES = {"Tab": 9, "Enter": 13, "ArrowRight": 39, "Space": 32}


class Page:
    """What tests do with a tab, whichever browser it is in."""

    def evaluate(self, script):
        """The value of an expression, or of the promise that it is."""
        return json.loads(self._evaluate(f"(async () => JSON.stringify((await ({script})) ?? null))()"))

    def wait(self, condition, *, within_s=30):
        """Wait until an expression holds."""
        until_s = time.monotonic() + within_s
        while not self.evaluate(condition):
            assert time.monotonic() < until_s, (
                condition,
                self.evaluate("document.body?.innerText.slice(0, 900)"),
            )
            time.sleep(0.05)


class Chromium(Page):
    """By the Chrome DevTools Protocol."""

    def __init__(self, remote):
        self._remote = remote
        target = remote.command("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = remote.command("Target.attachToTarget", {"targetId": target, "flatten": True})
        self._session = session["sessionId"]
        self._command("Page.enable")
        self._command("Page.addScriptToEvaluateOnNewDocument", source=NOTE)

    def _command(self, method, **params):
        return self._remote.command(method, params, session=self._session)

    def go(self, url):
        # Only from elsewhere is it another document, whatever the fragment.
        self._command("Page.navigate", url="about:blank")
        self._command("Page.navigate", url=url)

    def resize(self, size):
        width, height = size
        self._command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def press(self, key):
        text = {"Enter": "\r", "Space": " "}.get(key)
        common = {"key": " " if key == "Space" else key, "code": key, "windowsVirtualKeyCode": _CODES[key]}
        kind = "keyDown" if text else "rawKeyDown"
        self._command("Input.dispatchKeyEvent", type=kind, **common, **({"text": text} if text else {}))
        self._command("Input.dispatchKeyEvent", type="keyUp", **common)

    def _evaluate(self, script):
        found = self._command("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"]["value"]


class Firefox(Page):
    """By WebDriver BiDi."""

    def __init__(self, remote):
        self._remote = remote
        remote.command("session.new", {"capabilities": {}})
        self._context = remote.command("browsingContext.getTree")["contexts"][0]["context"]
        remote.command("script.addPreloadScript", {"functionDeclaration": f"() => {{{NOTE}}}"})

    def _command(self, method, **params):
        return self._remote.command(method, {"context": self._context, **params})

    def go(self, url):
        for each in ("about:blank", url):
            self._command("browsingContext.navigate", url=each, wait="complete")

    def resize(self, size):
        width, height = size
        self._command("browsingContext.setViewport", viewport={"width": width, "height": height})

    def press(self, key):
        actions = [{"type": kind, "value": KEYS[key]} for kind in ("keyDown", "keyUp")]
        self._command("input.performActions", actions=[{"type": "key", "id": "keys", "actions": actions}])

    def _evaluate(self, script):
        found = self._remote.command(
            "script.evaluate",
            {"expression": script, "target": {"context": self._context}, "awaitPromise": True},
        )
        assert found["type"] == "success", found
        return found["result"]["value"]


@contextmanager
def opened(name):
    """A tab of a browser that is started for it; a test is skipped where there is none."""
    program = {"chromium": third_party.CHROMIUM, "firefox": third_party.FIREFOX}[name]
    if (lack := third_party.missing(program)) is not None:
        pytest.skip(str(lack))
    with TemporaryDirectory(prefix="bentpipe-browser-") as profile:
        # As root Chromium has no sandbox; it opens nothing but our own page.
        arguments = {
            "chromium": [
                "--headless=new", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0",
                f"--user-data-dir={profile}", *(["--no-sandbox"] if os.geteuid() == 0 else []), "about:blank",
            ],
            "firefox": [
                "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0", "about:blank",
            ],
        }[name]  # fmt: skip
        with subprocess.Popen(
            [program.path(), *arguments],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
            env={**os.environ, "HOME": profile, "MOZ_HEADLESS": "1"},
        ) as process:  # fmt: skip
            try:
                url = _remote_url(process)
                with connect(
                    url,
                    proxy=None,
                    compression=None,
                    max_size=64 << 20,
                    open_timeout=LONGEST_START_S,
                    close_timeout=1,
                ) as link:
                    yield Chromium(Remote(link)) if name == "chromium" else Firefox(Remote(link))
            finally:
                process.kill()
        _forget(Path(profile))


def _remote_url(process):
    for line in process.stderr:
        if found := re.search(r"(?:DevTools|WebDriver BiDi) listening on (ws://\S+)", line):
            return found[1] if "devtools" in found[1] else f"{found[1].rstrip('/')}/session"
    raise AssertionError("the browser has ended before it listened")


def _forget(profile):
    """Remove what helpers that end a moment later still write."""
    for _ in range(20):
        shutil.rmtree(profile, ignore_errors=True)
        if not profile.exists():
            break
        time.sleep(0.1)
    profile.mkdir()
