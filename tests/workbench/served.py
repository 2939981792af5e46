"""A running `bentpipe serve`, and requests to it byte by byte, as no library would send them."""

import json
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlencode

LONGEST_START_S = 60
"""On a machine that is busy with other tests."""

CHOICE = {"link": "geo-alshagri-flat", "page": "uniform-100k", "http": ["h1", "h3"], "cc": "cubic"}


@dataclass(frozen=True)
class Answer:
    """A status, headers by their names in small letters, and a body; 0 where the server has said nothing."""

    status: int
    headers: dict
    body: bytes

    def json(self):
        return json.loads(self.body)

    def events(self):
        return [
            json.loads(each[6:]) for each in self.body.decode().split("\n\n") if each.startswith("data: ")
        ]


@dataclass(frozen=True)
class Served:
    """A server by its port, its token, and its process."""

    port: int
    token: str
    process: subprocess.Popen

    @property
    def host(self):
        return f"127.0.0.1:{self.port}"

    @property
    def url(self):
        return f"http://{self.host}/#token={quote(self.token, safe='')}"

    def get(self, target, *, method="GET", body=b"", **headers):
        """Ask as the page does; a header that is None is left out, `Sec_Fetch_Site` is Sec-Fetch-Site."""
        given = {"Host": self.host, "Authorization": f"Bearer {self.token}", "Connection": "close"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"{method} {target} HTTP/1.1", *(f"{k}: {v}" for k, v in given.items() if v is not None)]
        return self.send("\r\n".join([*lines, "", ""]).encode() + body)

    def send(self, request):
        """Send bytes and read until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=LONGEST_START_S) as link:
            link.sendall(request)
            parts = []
            try:
                while part := link.recv(1 << 16):
                    parts.append(part)
            except ConnectionResetError:
                # It has closed with more of the request to come, which it does not read.
                pass
        return parsed(b"".join(parts))

    def comparison(self, **changes):
        return self.get(f"/comparison?{urlencode({**CHOICE, **changes}, doseq=True)}")


def parsed(data):
    if not data:
        return Answer(0, {}, b"")
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    headers = {name.lower(): value for name, value in headers.items()}
    if headers.get("transfer-encoding") == "chunked":
        body = b"".join(unchunked(body))
    return Answer(int(first.split()[1]), headers, body)


def unchunked(body):
    while body:
        size, _, body = body.partition(b"\r\n")
        yield body[: int(size, 16)]
        body = body[int(size, 16) + 2 :]


@contextmanager
def served(*arguments):
    """Start a server and end it as Ctrl-C does."""
    command = [sys.executable, "-m", "bentpipe.cli", "serve", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline()
            found = re.fullmatch(r"open http://127\.0\.0\.1:(\d+)/#token=(\S+)\n", line)
            assert found is not None, line
            yield Served(int(found[1]), unquote(found[2]), process)
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=LONGEST_START_S)
