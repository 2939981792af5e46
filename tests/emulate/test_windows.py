"""Browsers with a window behind the link, under an X server without a screen."""

import os
import shutil
import signal
import subprocess
import time

import pytest

from bentpipe.engine.process import scratch
from tests.emulate import traces

LINK = "flat:down=20Mbit/s,up=5Mbit/s,rtt=100ms"
SCREEN = (1024, 768)
LEAST_COLOURS = 20_000
"""The objects of a page are noise: each has tens of thousands of colours, a browser's own window hundreds."""
WITHIN_S = 90
"""A browser starts within seconds; this is for a full machine."""

missing = [name for name in ("Xvfb", "certutil") if shutil.which(name) is None]
pytestmark = pytest.mark.skipif(
    bool(missing), reason=f"{' and '.join(missing)} not installed: `make setup-browsers` installs them"
)


@pytest.fixture
def screen(tmp_path, mark):
    """Starts an X server and returns its display and the file that holds what it shows."""
    del mark
    read, write = os.pipe()
    geometry = "x".join(map(str, (*SCREEN, 24)))
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", geometry, "-fbdir", str(tmp_path)],
        pass_fds=(write,),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as answer:
        number = answer.readline().strip()
    yield f":{number}", tmp_path / "Xvfb_screen0"
    server.terminate()
    server.wait(timeout=10)


def colours(screen_file):
    """Count the colours on a screen: the last bytes of an XWD file are its pixels, four bytes each."""
    pixels = memoryview(screen_file.read_bytes()[-4 * SCREEN[0] * SCREEN[1] :]).cast("I")
    return len(set(pixels))


@pytest.mark.parametrize("http", ["h2", "h3"])
@pytest.mark.parametrize("browser", ["firefox-esr", "chromium"])
def test_a_browser_shows_the_page_and_ends_when_it_is_asked_to(command, screen, browser, http):
    if shutil.which(browser) is None:
        pytest.skip(f"{browser} is not installed: `make setup-browsers` installs it")
    display, screen_file = screen
    environment = {**os.environ, "DISPLAY": display}
    environment.pop("WAYLAND_DISPLAY", None)
    arguments = ("shell", "--link", LINK, "--http", http, "--", browser)
    process = command(*arguments, env=environment)
    shows = traces.becomes_true(lambda: colours(screen_file) > LEAST_COLOURS, within_s=WITHIN_S)
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=30)
    assert shows, errors
    assert process.returncode in (0, 128 + signal.SIGTERM)
    assert scratch.leftovers() == []
