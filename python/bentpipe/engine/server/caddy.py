"""Caddy: HTTP/1.1, HTTP/2 and HTTP/3."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from bentpipe.engine.server.process import FOLDER
from bentpipe.engine.server.program import (
    ALTERNATIVE,
    HEADER_FIELDS,
    HTTP_PORT,
    HTTPS_PORT,
    IDLE_S,
    Program,
)
from bentpipe.engine.server.site import CERTIFICATE, CONTENT, KEY, Site

_CONFIGURATION = "caddy.json"
_BUILT = Path(__file__).parents[4] / "build/caddy/caddy"
"""What `make setup-caddy` leaves in the project's folder."""

_PROTOCOLS = {"h1": ["h1"], "h1s": ["h1"], "h2": ["h1", "h2"], "h3": ["h3"]}
"""Caddy has no HTTP/2 without HTTP/1.1; which of them a connection has the client decides, who offers one."""

_ALPN = {"h1s": ["http/1.1"], "h2": ["h2"], "h3": ["h3"]}
_UNSENT = ("Etag", "Last-Modified", "Accept-Ranges", "Vary")
"""Header fields that our origin does not send."""


def _find() -> str | None:
    return str(_BUILT) if _BUILT.exists() else shutil.which("caddy")


def _command(path: str) -> list[str]:
    return [path, "run", "--config", str(FOLDER / _CONFIGURATION)]


def _configuration(http: str, site: Site) -> tuple[str, str]:
    server: dict[str, Any] = {
        "listen": [f"tcp4/0.0.0.0:{HTTP_PORT if http == 'h1' else HTTPS_PORT}"],
        "protocols": _PROTOCOLS[http],
        "automatic_https": {"disable": True},
        "idle_timeout": f"{IDLE_S}s",
        "routes": [{"handle": _handlers(http, site)}],
    }
    apps: dict[str, Any] = {"http": {"servers": {"site": server}}}
    if http in _ALPN:
        server["tls_connection_policies"] = [{"alpn": _ALPN[http]}]
        pair = {"certificate": str(FOLDER / CERTIFICATE), "key": str(FOLDER / KEY)}
        apps["tls"] = {"certificates": {"load_files": [pair]}}
    document = {
        "admin": {"disabled": True, "config": {"persist": False}},
        "logging": {"logs": {"default": {"level": "ERROR"}}},
        "apps": apps,
    }
    return _CONFIGURATION, json.dumps(document, indent=1)


def _handlers(http: str, site: Site) -> list[dict[str, Any]]:
    """Serve files by host and target, with the header fields of our origin."""
    fields = {**HEADER_FIELDS, **({"Alt-Svc": ALTERNATIVE} if http == "h3" else {})}
    set_fields = {name: [value] for name, value in {**fields, "Content-Type": "{bentpipe_type}"}.items()}
    mappings = [
        {"input": file.host + file.target, "outputs": [file.name, file.content_type]} for file in site.files
    ]
    return [
        {
            "handler": "map",
            "source": "{http.request.host}{http.request.orig_uri}",
            "destinations": ["{bentpipe_file}", "{bentpipe_type}"],
            "mappings": mappings,
            "defaults": ["none", "text/plain; charset=utf-8"],
        },
        {
            "handler": "headers",
            # When the others have set theirs.
            "response": {"deferred": True, "set": set_fields, "delete": list(_UNSENT)},
        },
        {"handler": "rewrite", "uri": "/{bentpipe_file}"},
        {"handler": "file_server", "root": str(FOLDER / CONTENT)},
    ]


def _versions(path: str) -> dict[str, str]:
    version = _said(path, "version").split(maxsplit=1)[:1]
    quic_go = re.search(r"^dep\s+github\.com/quic-go/quic-go\s+v(\S+)", _said(path, "build-info"), re.M)
    found = {"caddy": version[0].removeprefix("v")} if version else {}
    return found | ({"quic-go": quic_go[1]} if quic_go else {})


def _said(path: str, command: str) -> str:
    return subprocess.run([path, command], capture_output=True, text=True, check=False).stdout


CADDY = Program(
    name="caddy",
    speaks=tuple(_PROTOCOLS),
    # quic-go, internal/ackhandler/sent_packet_handler.go: NewCubicSender(..., true /* use Reno */, ...).
    quic_control="reno",
    remedy="run `make setup-caddy`, which needs go, or put a `caddy` into the PATH",
    find=_find,
    command=_command,
    configuration=_configuration,
    versions=_versions,
)
"""Built by scripts/caddy.sh, or the PATH's."""
