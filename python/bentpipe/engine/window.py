"""Browsers that a person started by name, made ready for a page behind the link.

A fresh home with a fresh profile that trusts the authority of the run, the protocol that was asked for, and
none of the pages that greet a new user. What was given on the browser's own command line stays as it is.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bentpipe.engine import display
from bentpipe.errors import AbilityError

PROTOCOLS = ("h1", "h1s", "h2", "h3")
"""What browsers speak, by the names that scenarios use."""

_MUTE_CHROMIUM_FEATURES = (
    "HttpsUpgrades",
    "MediaRouter",
    "OptimizationHints",
    "Translate",
)
_CHROMIUM_SWITCHES = (
    "--no-first-run",
    "--no-default-browser-check",
    # Else a keyring asks for a password.
    "--password-store=basic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join(_MUTE_CHROMIUM_FEATURES)}",
)
_CHROMIUM_AS_ROOT = (
    # Its sandbox is not there for root; and no bar that says so.
    "--no-sandbox",
    "--test-type",
)
_FIREFOX_SWITCHES = ("--no-remote", "--new-instance")
_FIREFOX_PREFERENCES: Mapping[str, bool | int | str] = {
    "app.update.enabled": False,
    "browser.aboutwelcome.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.security.https_first": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    # HTTP/3 also where the authority is not one that Firefox came with.
    "network.http.http3.disable_when_third_party_roots_found": False,
    "network.trr.mode": 5,
    "termsofuse.bypassNotification": True,
    "toolkit.telemetry.enabled": False,
}


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What a browser is started for.

    Attributes
    ----------
    home : Path
        A folder of its own, which outlives it.
    authority : Path
        The certificate to trust, PEM.
    http : str
        The protocol, one of `PROTOCOLS`.
    hosts : sequence of str
        Those of the page.
    url : str
        The page.
    """

    home: Path
    authority: Path
    http: str
    hosts: Sequence[str]
    url: str


@dataclass(frozen=True, kw_only=True)
class Ready:
    """A command with what its environment has besides, or differently."""

    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


Preparation = Callable[[Sequence[str], Surroundings], Ready]


def preparation(command: Sequence[str]) -> Preparation | None:
    """Return what makes a command ready; None when it is not one of a browser that is known and installed."""
    known = _KNOWN.get(Path(command[0]).name)
    return known if shutil.which(command[0]) else None


def prepared(
    command: Sequence[str], surroundings: Surroundings, *, environment: Mapping[str, str]
) -> Ready | None:
    """Make a browser ready; None for other programs.

    Raises
    ------
    AbilityError
        When there is no display, or no program that makes the run's authority trusted.
    """
    prepare = preparation(command)
    if prepare is None:
        return None
    if not _is_headless(command) and (obstacle := display.obstacle(environment)) is not None:
        raise obstacle
    ready = prepare(command, surroundings)
    own_home = {"HOME": str(surroundings.home), **display.authority(environment)}
    return Ready(command=ready.command, environment={**own_home, **ready.environment})


def _chromium(command: Sequence[str], given: Surroundings) -> Ready:
    _trust(given.authority, database=given.home / ".pki/nssdb")
    switches = [*_CHROMIUM_SWITCHES, *_chromium_protocol(given)]
    if os.geteuid() == 0:
        switches += _CHROMIUM_AS_ROOT
    if not _names_any(command, "--user-data-dir"):
        switches.append(f"--user-data-dir={given.home / 'profile'}")
    return Ready(command=(command[0], *switches, *command[1:], *_page(command, given)))


def _chromium_protocol(given: Surroundings) -> list[str]:
    if given.http == "h3":
        forced = ",".join(f"{host}:443" for host in given.hosts)
        return ["--enable-quic", f"--origin-to-force-quic-on={forced}"]
    return ["--disable-quic", *(() if given.http == "h2" else ("--disable-http2",))]


def _firefox(command: Sequence[str], given: Surroundings) -> Ready:
    switches = list(_FIREFOX_SWITCHES)
    if not _names_any(command, "--profile", "-profile", "-P", "--P", "--ProfileManager", "-ProfileManager"):
        profile = given.home / "profile"
        profile.mkdir()
        _trust(given.authority, database=profile)
        preferences = {**_FIREFOX_PREFERENCES, **_firefox_protocol(given)}
        lines = [f"user_pref({json.dumps(key)}, {json.dumps(value)});" for key, value in preferences.items()]
        (profile / "user.js").write_text("\n".join(lines))
        switches += ["--profile", str(profile)]
    return Ready(command=(command[0], *switches, *command[1:], *_page(command, given)))


def _firefox_protocol(given: Surroundings) -> dict[str, bool | int | str]:
    mapping = ",".join(f'{host};h3=":443"' for host in given.hosts)
    return {
        "network.http.http2.enabled": given.http in ("h2", "h3"),
        "network.http.http3.enable": given.http == "h3",
        **({"network.http.http3.alt-svc-mapping-for-testing": mapping} if given.http == "h3" else {}),
    }


def _trust(authority: Path, *, database: Path) -> None:
    """Put an authority into a new NSS database."""
    database.mkdir(parents=True, exist_ok=True)
    where = ["-d", f"sql:{database}"]
    for step in (
        ["-N", "--empty-password"],
        ["-A", "-n", "Bentpipe", "-t", "C,,", "-i", str(authority)],
    ):
        try:
            result = subprocess.run(
                ["certutil", *where, *step], capture_output=True, text=True, check=False, process_group=0
            )
        except FileNotFoundError:
            raise AbilityError(
                "the command `certutil` is not installed, by which a browser trusts the origin",
                "install the Debian package libnss3-tools, or `make setup-browsers`",
            ) from None
        if result.returncode != 0:
            raise AbilityError(f"certutil failed: {result.stderr.strip()}", "see the certutil(1) of NSS")


def _page(command: Sequence[str], given: Surroundings) -> tuple[str, ...]:
    return () if any(_is_address(word) for word in command[1:]) else (given.url,)


def _is_address(word: str) -> bool:
    return not word.startswith("-") and (":" in word)


def _is_headless(command: Sequence[str]) -> bool:
    return _names_any(command, "--headless", "-headless")


def _names_any(command: Sequence[str], *options: str) -> bool:
    return any(word.partition("=")[0] in options for word in command[1:])


_KNOWN: Mapping[str, Preparation] = {"chromium": _chromium, "firefox": _firefox, "firefox-esr": _firefox}
"""By the name of the program."""
