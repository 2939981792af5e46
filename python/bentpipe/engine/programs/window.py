"""Browsers that a person started by name, made ready for a page behind the link.

A fresh home with a fresh profile that trusts the authority of the run, the protocol that was asked for, and
none of the pages that greet a new user. What was given on the browser's own command line stays as it is.
"""

import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bentpipe.engine.process import privilege
from bentpipe.engine.programs import display, third_party
from bentpipe.engine.programs.browser import chromium_switches, firefox_preferences, trust
from bentpipe.errors import AbilityError
from bentpipe.invoking_user import User

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
_CHROMIUM_WITHOUT_SANDBOX = (
    # And no bar that says so.
    "--no-sandbox",
    "--test-type",
)
_FIREFOX_SWITCHES = ("--no-remote", "--new-instance")
_FIREFOX_PREFERENCES: Mapping[str, firefox_preferences.Value] = {
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
    user : User or None
        As whom; None as root.
    """

    home: Path
    authority: Path
    http: str
    hosts: Sequence[str]
    url: str
    user: User | None


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
    own_home = {"HOME": str(surroundings.home), **_cookie(surroundings, environment)}
    return Ready(command=ready.command, environment={**own_home, **ready.environment})


def _cookie(given: Surroundings, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variable by which it finds the cookie of an X display: of one that it may read."""
    file = environment.get("XAUTHORITY") or display.authority(environment).get("XAUTHORITY")
    copy = given.home / "Xauthority"
    try:
        shutil.copyfile(file or "", copy)
    except OSError:
        # There is none, or root may not look into a home on a network.
        return {}
    copy.chmod(0o600)
    return {"XAUTHORITY": str(copy)}


def _chromium(command: Sequence[str], given: Surroundings) -> Ready:
    _trust(given, database=given.home / ".pki/nssdb")
    protocol = chromium_switches.protocol(given.http, hosts=given.hosts)
    switches = [*_CHROMIUM_SWITCHES, *chromium_switches.arguments(protocol)]
    # It is not there for root, nor where users may have no namespaces of their own.
    if given.user is None or not privilege.has_user_namespaces(given.user):
        switches += _CHROMIUM_WITHOUT_SANDBOX
    if not _names_any(command, "--user-data-dir"):
        switches.append(f"--user-data-dir={given.home / 'profile'}")
    return Ready(command=(command[0], *switches, *command[1:], *_page(command, given)))


def _firefox(command: Sequence[str], given: Surroundings) -> Ready:
    switches = list(_FIREFOX_SWITCHES)
    if not _names_any(command, "--profile", "-profile", "-P", "--P", "--ProfileManager", "-ProfileManager"):
        profile = given.home / "profile"
        _trust(given, database=profile)
        (profile / "user.js").write_text(firefox_preferences.user_js(_firefox_preferences(given)))
        switches += ["--profile", str(profile)]
    return Ready(command=(command[0], *switches, *command[1:], *_page(command, given)))


def _firefox_preferences(given: Surroundings) -> dict[str, firefox_preferences.Value]:
    return {
        **_FIREFOX_PREFERENCES,
        **firefox_preferences.protocol(given.http, hosts=given.hosts),
        # The first request of a session is over TCP even so, and here it is the page's.
        "network.http.http2.enabled": given.http in ("h2", "h3"),
    }


def _trust(given: Surroundings, *, database: Path) -> None:
    if (lack := third_party.missing(third_party.CERTUTIL)) is not None:
        raise lack
    trust.install(_run, database, given.authority.read_bytes())


def _run(command: Sequence[str], standard_input: bytes) -> None:
    result = subprocess.run(command, input=standard_input, capture_output=True, check=False, process_group=0)
    if result.returncode != 0:
        said = result.stderr.decode(errors="replace").strip()
        raise AbilityError(f"{command[0]} failed: {said}", f"see {command[0]}(1)")


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
