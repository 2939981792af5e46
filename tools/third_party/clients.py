"""Clients of others against our origin, over the sockets of the kernel."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bentpipe.campaign.requirements import require_emulate
from tools.third_party import installing
from tools.third_party.check import Case, Check, Result
from tools.third_party.installing import PROGRAMS
from tools.third_party.world import ADDRESS, HOST, OBJECT_BYTES, OBJECTS, ask_origin

_FETCHED = [f"200 {OBJECT_BYTES}"] * len(OBJECTS)
_URLS = [f"https://{HOST}{path}" for path in OBJECTS]
_NOWHERE, _NOT_FOUND = "/nowhere", "404 17"
"""What is not there, and what our origin says of it."""
_EARLY = ["tls.resumption=early-data"]


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """A command, the lines that it prints when all is well, and settings of the run."""

    group: str
    name: str
    command: Sequence[str | Path]
    expected: Sequence[str]
    settings: Sequence[str] = ()


def run() -> Result:
    """Have each client fetch objects and whatever else it is good for."""
    require_emulate()
    curl_cffi = installing.said(installing.python(), PROGRAMS / "curl_cffi_get.py", "--version")
    asked = [*_curl(), *_h2load(), *_curl_cffi(), *_aioquic(), *_quic_go(), *_ngtcp2()]
    versions = {
        "curl": installing.debian_version("curl"),
        "nghttp2": installing.debian_version("nghttp2-client"),
        "libcurl of curl_cffi": curl_cffi,
        "aioquic": installing.python_version("aioquic"),
        "quic-go": installing.go_version("quic_go", "github.com/quic-go/quic-go"),
        "ngtcp2": installing.debian_version("ngtcp2-client"),
    }
    return Result(versions=versions, cases=[_case(one) for one in asked])


def _case(asked: _Asked) -> Case:
    done = ask_origin(*asked.command, settings=asked.settings)
    found = done.stdout.splitlines()
    missing = [line for line in asked.expected if line not in found]
    if done.returncode == 0 and not missing:
        return Case.judged(asked.group, asked.name, None)
    said = " | ".join([*found[-3:], *done.stderr.splitlines()[-3:]])
    return Case.judged(asked.group, asked.name, f"status {done.returncode}, no line {missing}, said: {said}")


def _curl() -> Iterator[_Asked]:
    curl = installing.command("curl", package="curl")
    written = "%{http_version} %{response_code} %{size_download}\\n"
    for name, options, scheme, version, tls in (
        ("HTTP/1.0", ["--http1.0"], "http", "1", "1.3"),
        ("HTTP/1.1", ["--http1.1"], "http", "1.1", "1.3"),
        ("HTTP/1.1 over TLS 1.3", ["--http1.1"], "https", "1.1", "1.3"),
        ("HTTP/1.1 over TLS 1.2", ["--http1.1"], "https", "1.1", "1.2"),
        ("HTTP/2 in clear text", ["--http2-prior-knowledge"], "http", "2", "1.3"),
        ("HTTP/2 over TLS 1.3", ["--http2"], "https", "2", "1.3"),
        ("HTTP/2 over TLS 1.2", ["--http2"], "https", "2", "1.2"),
    ):
        asked: list[str | Path] = [
            curl,
            "--silent",
            "--show-error",
            *options,
            "--write-out",
            written,
            "--output",
            "/dev/null",
        ]
        yield _Asked(
            group="curl",
            name=name,
            command=[*asked, f"{scheme}://{HOST}{OBJECTS[0]}"],
            expected=[f"{version} 200 {OBJECT_BYTES}"],
            settings=[f"tls.version={tls}"],
        )


def _h2load() -> Iterator[_Asked]:
    """Load with nghttp2: 32 requests over two connections, four at a time."""
    h2load = installing.command("h2load", package="nghttp2-client")
    for name, options, scheme in (
        ("HTTP/2 over TLS", [], "https"),
        ("HTTP/2 in clear text", [], "http"),
        ("HTTP/1.1", ["--h1"], "http"),
    ):
        yield _Asked(
            group="nghttp2 (h2load)",
            name=name,
            command=[h2load, *options, "-n", "32", "-c", "2", "-m", "4", f"{scheme}://{HOST}{OBJECTS[0]}"],
            expected=["status codes: 32 2xx, 0 3xx, 0 4xx, 0 5xx"],
        )


def _curl_cffi() -> Iterator[_Asked]:
    get: list[str | Path] = [installing.python(), PROGRAMS / "curl_cffi_get.py"]
    yield _Asked(
        group="libcurl (ngtcp2, nghttp3)",
        name="HTTP/3, eight objects",
        command=[*_SHELL, '"$0" "$1" "$SSL_CERT_FILE" "${@:2}"', *get, *_URLS],
        expected=[f"V3 200 {OBJECT_BYTES}"] * len(OBJECTS),
    )


_SHELL = ("bash", "-c")
"""What comes next has the rest as `$0`, `$1` and so on, and knows the environment of the world."""


def _aioquic() -> Iterator[_Asked]:
    get: list[str | Path] = [installing.python(), PROGRAMS / "aioquic_get.py"]
    for name, options, expected, settings in (
        ("HTTP/3, eight objects and what is not there", [], [*_FETCHED, _NOT_FOUND], []),
        ("HTTP/3 after a key update (RFC 9001 section 6)", ["--key-update"], _FETCHED, []),
        (
            "HTTP/3, a session resumed with early data (RFC 9001 section 4.6)",
            ["--again"],
            ["True True"],
            _EARLY,
        ),
    ):
        yield _Asked(
            group="aioquic",
            name=name,
            command=[
                *_SHELL,
                '"$0" "$1" --authority "$SSL_CERT_FILE" "${@:2}"',
                *[*get, *options, ADDRESS, *OBJECTS, _NOWHERE],
            ],
            expected=expected,
            settings=settings,
        )


def _quic_go() -> Iterator[_Asked]:
    get: list[str | Path] = [installing.go_program("quic_go"), "get", *_URLS]
    nowhere = f"https://{HOST}{_NOWHERE}"
    yield _Asked(
        group="quic-go",
        name="HTTP/3, eight objects and what is not there",
        command=[*get, nowhere],
        expected=[*_FETCHED, _NOT_FOUND],
    )
    yield _Asked(
        group="quic-go",
        name="HTTP/3, a session resumed with early data (RFC 9001 section 4.6)",
        command=get,
        expected=["true true"],
        settings=_EARLY,
    )


def _ngtcp2() -> Iterator[_Asked]:
    gtlsclient = installing.command("gtlsclient", package="ngtcp2-client")
    # It says nothing that could be told from its log: what it has written does.
    fetch = 'folder=$(mktemp -d) && "$0" --quiet --exit-on-all-streams-close --download="$folder" "$@"'
    sizes = 'stat --format=%s "$folder"/*; rm -r "$folder"'
    for name, options in (
        ("HTTP/3, eight objects", []),
        ("HTTP/3 with a key update (RFC 9001 section 6)", ["--key-update=1ms"]),
        ("HTTP/3 with another address of the client (RFC 9000 section 9)", ["--change-local-addr=30ms"]),
    ):
        yield _Asked(
            group="ngtcp2 (gtlsclient)",
            name=name,
            command=[*_SHELL, f"{fetch} && {sizes}", gtlsclient, *options, HOST, "443", *_URLS],
            expected=[str(OBJECT_BYTES)] * len(OBJECTS),
        )


CHECK = Check(
    name="clients",
    title="Clients of others against our origin",
    about="""\
Objects of 62.5 kB over an emulated link (50 and 10 Mbit/s, 20 ms), all bytes of which must arrive. curl,
libcurl, aioquic and quic-go verify the certificate.""",
    run=run,
)
