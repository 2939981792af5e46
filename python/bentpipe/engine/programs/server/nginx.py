"""nginx: HTTP/1.1 and HTTP/2."""

from bentpipe.engine.programs import third_party
from bentpipe.engine.programs.server.process import FOLDER
from bentpipe.engine.programs.server.program import HEADER_FIELDS, IDLE_S, Program
from bentpipe.engine.programs.server.site import CONTENT, KEY, Site
from bentpipe.engine.testbed.hosts import HTTP_PORT, HTTPS_PORT

_CONFIGURATION = "nginx.conf"
_LISTEN = {"h1": f"{HTTP_PORT}", "h1s": f"{HTTPS_PORT} ssl", "h2": f"{HTTPS_PORT} ssl http2"}
_TLS = f"ssl_certificate_key {FOLDER / KEY}; ssl_protocols TLSv1.2 TLSv1.3;"
_LEAST_BUCKET_BYTES = 128
_BUCKET_MARGIN_BYTES = 64
"""Beside its longest key a bucket of a table holds a few pointers."""


def _command(path: str) -> list[str]:
    # The process that was started serves: there are no workers that could outlive it.
    directives = "daemon off; master_process off;"
    return [path, "-p", str(FOLDER), "-c", str(FOLDER / _CONFIGURATION), "-e", "stderr", "-g", directives]


def _configuration(http: str, site: Site) -> tuple[str, str]:
    """Serve files by host and target. What the origin does not send is switched off, or set to nothing."""
    longest_bytes = max(len(file.key.encode()) for file in site.files)
    bucket_bytes = max(_LEAST_BUCKET_BYTES, 2 * longest_bytes + _BUCKET_MARGIN_BYTES)
    patterns = [(file.key_with_any_query, file.name) for file in site.files]
    files = [
        *(f"{_quoted(file.key)} {file.name};" for file in site.files),
        # These are tried when none of those is it.
        *(f"{_quoted(f'~{pattern}')} {name};" for pattern, name in patterns if pattern is not None),
    ]
    most = max(2048, 4 * len(files))
    types = [f"{_quoted(kind)} {ending};" for ending, kind in site.content_types().items()]
    fields = {**HEADER_FIELDS, "Last-Modified": ""}
    temporary = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    lines = [
        f"pid {FOLDER}/nginx.pid;",
        "events { worker_connections 1024; }",
        "http {",
        "access_log off; error_log stderr error; server_tokens off;",
        "sendfile on; tcp_nopush on; tcp_nodelay on; gzip off;",
        "etag off; max_ranges 0; if_modified_since off;",
        f"keepalive_timeout {IDLE_S}; keepalive_requests 1000000;",
        f"send_timeout {IDLE_S}; client_header_timeout {IDLE_S};",
        *(f"{kind}_temp_path {FOLDER}/{kind};" for kind in temporary),
        *(f"add_header {name} {_quoted(value)};" for name, value in fields.items()),
        "types {", *types, "}",
        f"map_hash_bucket_size {bucket_bytes}; map_hash_max_size {most};",
        f"server_names_hash_bucket_size {bucket_bytes}; server_names_hash_max_size {most};",
        "map $host$request_uri $file {", "default none;", *files, "}",
        f"root {FOLDER / CONTENT};",
        *_servers(http, site),
        "}",
    ]  # fmt: skip
    return _CONFIGURATION, "\n".join(lines) + "\n"


def _servers(http: str, site: Site) -> list[str]:
    """Over TLS each host has one, with its certificate; what they serve is the same."""
    serve = f"listen {_LISTEN[http]}; location / {{ try_files /$file =404; }}"
    if http == "h1":
        return [f"server {{ {serve} }}"]
    return [
        _TLS,
        *(
            f"server {{ server_name {_quoted(host)}; ssl_certificate {FOLDER / name}; {serve} }}"
            for host, name in site.certificates().items()
        ),
    ]


def _quoted(text: str) -> str:
    # In quotes neither spaces nor semicolons end a word.
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


NGINX = Program(
    name="nginx",
    installed=third_party.NGINX,
    quic_control=None,
    command=_command,
    configuration=_configuration,
    libraries=lambda _path: {},
)
"""Debian's."""
