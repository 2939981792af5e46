"""Caddy: HTTP/1.1, HTTP/2 and HTTP/3."""

import json
import re
import subprocess

from bentpipe.engine.programs import third_party
from bentpipe.engine.programs.server.process import FOLDER
from bentpipe.engine.programs.server.program import ALTERNATIVE, HEADER_FIELDS, IDLE_S, Program
from bentpipe.engine.programs.server.site import CONTENT, KEY, Site
from bentpipe.engine.testbed.hosts import HTTP_PORT, HTTPS_PORT
from bentpipe.scenario.hosts.programs import QUIC_GO_CC

_CONFIGURATION = "caddy.json"
_PROTOCOLS = {"h1": ["h1"], "h1s": ["h1"], "h2": ["h1", "h2"], "h3": ["h3"]}
"""Caddy has no HTTP/2 without HTTP/1.1; which of them a connection has the client decides, who offers one."""

_ALPN = {"h1s": ["http/1.1"], "h2": ["h2"], "h3": ["h3"]}
_UNSENT = ("Etag", "Last-Modified", "Accept-Ranges", "Vary")
"""Header fields that our origin does not send."""


def _command(path: str) -> list[str]:
    return [path, "run", "--config", str(FOLDER / _CONFIGURATION)]


def _configuration(http: str, site: Site) -> tuple[str, str]:
    server: dict[str, object] = {
        "listen": [f"tcp4/0.0.0.0:{HTTP_PORT if http == 'h1' else HTTPS_PORT}"],
        "protocols": _PROTOCOLS[http],
        "automatic_https": {"disable": True},
        "idle_timeout": f"{IDLE_S}s",
        "routes": [{"handle": _handlers(http, site)}],
    }
    apps: dict[str, object] = {"http": {"servers": {"site": server}}}
    if http in _ALPN:
        server["tls_connection_policies"] = [{"alpn": _ALPN[http]}]
        pairs = [
            {"certificate": str(FOLDER / name), "key": str(FOLDER / KEY)}
            for name in site.certificates().values()
        ]
        apps["tls"] = {"certificates": {"load_files": pairs}}
    document = {
        "admin": {"disabled": True, "config": {"persist": False}},
        "logging": {"logs": {"default": {"level": "ERROR"}}},
        "apps": apps,
    }
    return _CONFIGURATION, json.dumps(document, indent=1)


def _handlers(http: str, site: Site) -> list[dict[str, object]]:
    """Serve files by host and target, with the header fields of our origin."""
    fields = {**HEADER_FIELDS, **({"Alt-Svc": ALTERNATIVE} if http == "h3" else {})}
    set_fields = {name: [value] for name, value in {**fields, "Content-Type": "{bentpipe_type}"}.items()}
    mappings = [
        *({"input": file.key, "outputs": [file.name, file.content_type]} for file in site.files),
        # These are tried when none of those is it.
        *(
            {"input_regexp": file.key_with_any_query, "outputs": [file.name, file.content_type]}
            for file in site.files
            if file.key_with_any_query is not None
        ),
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


def _libraries(path: str) -> dict[str, str]:
    said = subprocess.run([path, "build-info"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"^dep\s+github\.com/quic-go/quic-go\s+v(\S+)", said, re.M)
    return {"quic-go": found[1]} if found else {}


CADDY = Program(
    name="caddy",
    installed=third_party.CADDY,
    quic_control=QUIC_GO_CC,
    command=_command,
    configuration=_configuration,
    libraries=_libraries,
)
"""The one that scripts/caddy.sh builds, or that of the search path."""
