"""What Firefox is told before it starts, and why. Names and defaults are those of Firefox 153."""

import json
from collections.abc import Iterable, Mapping

from bentpipe.engine.testbed.hosts import HTTPS_PORT
from bentpipe.model.hosts import TcpSpec
from bentpipe.model.page import PageLoadWorkload
from bentpipe.model.spec import RunSpec
from bentpipe.model.workload import page_load

Value = bool | int | str

_NEVER_MS = 3_600_000
"""Longer than any run."""

_ORIGIN_OF_NOTHING = "data:,"
"""Where nothing is asked for and nothing comes from."""

_FAITHFUL: Mapping[str, Value] = {
    # Instants are in whole milliseconds, and shuffled, by default.
    "privacy.reduceTimerPrecision": False,
    # A socket opened beforehand, for a request that may come, is one more handshake on the link.
    "network.http.speculative-parallel-limit": 0,
    "network.predictor.enabled": False,
    "network.prefetch-next": False,
    "network.dns.disablePrefetch": True,
    # Firefox does without QUIC where somebody may read along, and takes the run's own authority for a sign of
    # that: HTTP/2 would be measured for HTTP/3.
    "network.http.http3.disable_when_third_party_roots_found": False,
    # What the page asks for in clear text is to be loaded in clear text.
    "dom.security.https_first": False,
    "dom.security.https_first_schemeless": False,
    # No request of the browser's own to the origin besides those of the page.
    "browser.chrome.site_icons": False,
    # Names are looked up in the hosts file: no other resolver, no records of type HTTPS (RFC 9460).
    "network.trr.mode": 5,
    "network.dns.native_https_query": False,
    "network.dns.disableIPv6": True,
    # No questions about certificates to their authorities.
    "security.OCSP.enabled": 0,
    # A window without focus is not slowed down, and no other page is at work beside the measured one.
    "dom.timeout.enable_budget_timer_throttling": False,
    "dom.ipc.processPrelaunch.enabled": True,
    "browser.startup.page": 0,
    "browser.startup.homepage": "about:blank",
    "browser.newtabpage.enabled": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "startup.homepage_welcome_url": "about:blank",
    "browser.aboutwelcome.enabled": False,
    "datareporting.policy.dataSubmissionPolicyBypassNotification": True,
    "termsofuse.bypassNotification": True,
    "browser.shell.checkDefaultBrowser": False,
    # Nothing is written that a load would wait for.
    "browser.cache.disk.enable": False,
    "browser.sessionstore.resume_from_crash": False,
}
"""That a load is the page's load and nothing else."""

_QUIET: Mapping[str, Value] = {
    # Whether there is a network at all is not asked.
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    # Lists of bad sites.
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.safebrowsing.blockedURIs.enabled": False,
    "browser.safebrowsing.downloads.enabled": False,
    "browser.safebrowsing.update.enabled": False,
    "privacy.trackingprotection.enabled": False,
    # Remote settings: lists of all kinds. Heeded only with ENVIRONMENT.
    "services.settings.server": f"{_ORIGIN_OF_NOTHING}#remote-settings",
    "security.remote_settings.intermediates.enabled": False,
    "security.remote_settings.crlite_filters.enabled": False,
    # Reports about itself.
    "datareporting.policy.dataSubmissionEnabled": False,
    "datareporting.healthreport.uploadEnabled": False,
    "datareporting.usage.uploadEnabled": False,
    "toolkit.telemetry.enabled": False,
    "toolkit.telemetry.unified": False,
    "toolkit.telemetry.server": _ORIGIN_OF_NOTHING,
    "toolkit.coverage.endpoint.base": "",
    "telemetry.fog.test.localhost_port": -1,
    "browser.crashReports.unsubmittedCheck.enabled": False,
    # Updates of itself, of extensions and of codecs.
    "app.update.disabledForTesting": True,
    "app.update.auto": False,
    "extensions.update.enabled": False,
    "extensions.systemAddon.update.enabled": False,
    "extensions.getAddons.cache.enabled": False,
    "media.gmp-manager.updateEnabled": False,
    "media.gmp-manager.url": _ORIGIN_OF_NOTHING,
    "browser.search.update": False,
    # Experiments and messages from its makers.
    "app.normandy.enabled": False,
    "nimbus.rollouts.enabled": False,
    "browser.newtabpage.activity-stream.asrouter.userprefs.cfr.features": False,
    "messaging-system.rsexperimentloader.enabled": False,
    "browser.topsites.contile.enabled": False,
    # Where it is.
    "browser.region.update.enabled": False,
    "browser.region.network.url": "",
    "geo.provider.network.url": "",
    # Messages pushed to it, and accounts.
    "dom.push.connection.enabled": False,
    "identity.fxaccounts.enabled": False,
    # Models and translations to be fetched.
    "browser.ml.enable": False,
    "browser.translations.enable": False,
}
"""That no packet goes to anybody but the page's hosts."""

_WITHOUT_TCP: Mapping[str, Value] = {
    # A TCP connection beside QUIC's handshake where that takes longer than this (Firefox: 100 ms): on a
    # path with a longer round trip it is opened each time, and wins where QUIC's first packet is lost.
    "network.http.http3.backup_timer_delay": _NEVER_MS,
}
"""That QUIC does not race with TCP."""

ENVIRONMENT: Mapping[str, str] = {
    # Without this a release build asks its maker's own server, whatever `services.settings.server` says.
    "MOZ_REMOTE_SETTINGS_DEVTOOLS": "1",
    # No reports of crashes, and no process that waits for one.
    "MOZ_CRASHREPORTER_DISABLE": "1",
    # It must not look for another Firefox to hand the page to.
    "MOZ_NO_REMOTE": "1",
}
"""What it is told besides, by the environment."""


def preferences(spec: RunSpec, *, hosts: Iterable[str]) -> dict[str, Value]:
    """Return all preferences for a run.

    Parameters
    ----------
    spec
        The run's specification, a page load.
    hosts
        Names of the page's hosts.
    """
    load = page_load(spec)
    return {
        **_FAITHFUL,
        **_QUIET,
        **protocol(load.http, hosts=hosts),
        **(_WITHOUT_TCP if load.http == "h3" else {}),
        **_connections(load, spec.tcp),
    }


def protocol(http: str, *, hosts: Iterable[str]) -> dict[str, Value]:
    """Return what leaves one version of HTTP, by the name that scenarios have, for some hosts."""
    protocols: dict[str, Value] = {
        "network.http.http2.enabled": http == "h2",
        "network.http.http3.enable": http == "h3",
    }
    if http == "h3":
        # As if each host had said so in an Alt-Svc field (RFC 7838) at an earlier visit: told so in the first
        # response, the whole first visit would be over TCP.
        mapping = ",".join(f'{host};h3=":{HTTPS_PORT}"' for host in hosts)
        protocols["network.http.http3.alt-svc-mapping-for-testing"] = mapping
    return protocols


def user_js(preferences: Mapping[str, Value]) -> str:
    """Return the text of a profile's `user.js`."""
    return "".join(
        f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()
    )


def _connections(load: PageLoadWorkload, tcp: TcpSpec) -> dict[str, Value]:
    retry_ns = tcp.connect_retry_ns or 0
    return {
        # Of HTTP/1.1, to one host (Firefox: 6).
        "network.http.max-persistent-connections-per-server": load.connections,
        # A second connection beside one that has not come after this time (Firefox: 250 ms); 0 is never. On a
        # path with a longer round trip every connection would be opened twice.
        "network.http.connection-retry-timeout": retry_ns // 1_000_000,
    }
