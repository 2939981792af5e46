"""What Chromium is told so that a load is the page's alone: each switch with what it does without.

docs/models/browsers.md says what was seen without them.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from bentpipe.engine.programs.browser.page import VIEWPORT
from bentpipe.engine.testbed.hosts import HTTPS_PORT
from bentpipe.model.spec import RunSpec
from bentpipe.model.workload import page_load

SWITCHES: Mapping[str, str | None] = MappingProxyType(
    {
        "headless": "new",
        "window-size": ",".join(map(str, VIEWPORT)),
        "force-device-scale-factor": "1",
        "hide-scrollbars": None,
        "mute-audio": None,
        # There is no graphics processor, and none is waited for.
        "disable-gpu": None,
        # Pages and questions of a first start.
        "no-first-run": None,
        "no-default-browser-check": None,
        "disable-default-apps": None,
        "disable-extensions": None,
        "disable-search-engine-choice-screen": None,
        "password-store": "basic",
        # What it does by itself, over the network or beside a load.
        "disable-background-networking": None,
        "disable-component-update": None,
        "disable-sync": None,
        "disable-domain-reliability": None,
        "disable-breakpad": None,
        "disable-field-trial-config": None,
        "metrics-recording-only": None,
        "no-pings": None,
        "allow-browser-signin": "false",
        "no-proxy-server": None,
        # A window that nobody sees is slowed down.
        "disable-background-timer-throttling": None,
        "disable-backgrounding-occluded-windows": None,
        "disable-renderer-backgrounding": None,
    }
)

FEATURES_OFF = (
    "AutofillServerCommunication",
    "CertificateTransparencyComponentUpdater",
    "HttpsUpgrades",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "Translate",
)
"""Each would speak to a server of its own, or ask for a page otherwise than its URL says."""

BACKUP_CONNECTIONS = "PermitTcpSocketPoolConnectBackupJobs"
"""A second TCP connection beside one that has not come after 250 ms: on every GEO link."""

Value = bool | int | str
Nested = dict[str, "Value | Nested"]

PREFERENCES: Mapping[str, Value] = MappingProxyType(
    {
        # Never: else it opens a second socket ahead of need.
        "net.network_prediction_options": 2,
        "dns_over_https.mode": "off",
        "safebrowsing.enabled": False,
        "signin.allowed": False,
        "search.suggest_enabled": False,
        "alternate_error_pages.enabled": False,
    }
)
"""By their dotted names."""

_PROTOCOLS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "h1": ("disable-http2", "disable-quic"),
        "h1s": ("disable-http2", "disable-quic"),
        "h2": ("disable-quic",),
        "h3": ("enable-quic",),
    }
)


def of_run(spec: RunSpec, *, addresses: Mapping[str, str], has_sandbox: bool) -> dict[str, str | None]:
    """Return all switches of a run, without their hyphens.

    Parameters
    ----------
    spec
        Its specification.
    addresses
        Of the hosts that there are; every other name is unknown.
    has_sandbox
        Whether the kernel lets it have namespaces of its own, which its sandbox is made of.
    """
    switches = {**SWITCHES, **protocol(page_load(spec).http, hosts=addresses)}
    if not has_sandbox:
        switches["no-sandbox"] = None
    backup = (BACKUP_CONNECTIONS,) if spec.tcp.connect_retry_ns is None else ()
    switches["disable-features"] = ",".join((*FEATURES_OFF, *backup))
    switches["host-resolver-rules"] = _rules(addresses)
    return switches


def protocol(http: str, *, hosts: Iterable[str]) -> dict[str, str | None]:
    """Return the switches that leave one version of HTTP, by the name that scenarios have, for some hosts."""
    switches: dict[str, str | None] = dict.fromkeys(_PROTOCOLS[http])
    if http == "h3":
        # No race with TCP, no falling back to it, and a private authority will do.
        switches["origin-to-force-quic-on"] = ",".join(f"{host}:{HTTPS_PORT}" for host in hosts)
    return switches


def arguments(switches: Mapping[str, str | None]) -> list[str]:
    """Return switches as a command line has them."""
    return [f"--{name}" if value is None else f"--{name}={value}" for name, value in switches.items()]


def preferences(flat: Mapping[str, Value] = PREFERENCES) -> Nested:
    """Return preferences as a profile has them: nested by the dots of their names."""
    nested: Nested = {}
    for name, value in flat.items():
        *folders, last = name.split(".")
        place = nested
        for folder in folders:
            below = place.setdefault(folder, {})
            assert isinstance(below, dict), name
            place = below
        place[last] = value
    return nested


def _rules(addresses: Mapping[str, str]) -> str:
    known: Iterable[str] = (f"MAP {host} {address}" for host, address in addresses.items())
    spared = (f"EXCLUDE {address}" for address in addresses.values())
    return ",".join((*known, "MAP * ~NOTFOUND", *spared))
